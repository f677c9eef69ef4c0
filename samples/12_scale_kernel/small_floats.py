# SPDX-License-Identifier: Apache-2.0
"""Calls the kernel `scale` on arrays of bfloat16, a type that NumPy gets from ml_dtypes."""
import ctypes
import sys

import ml_dtypes  # from now on np.dtype() knows its names
import numpy as np
import tvm_ffi

NAMES = ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
         "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")


def register():
    """Let NumPy pass these types, and take them back. NumPy has the function since 2.5."""
    for name in NAMES:
        dtype = tvm_ffi.dtype(name)
        np.dtypes.register_dlpack_dtype((dtype.type_code, dtype.bits), np.dtype(name))


class Named:
    """An array for calls where NumPy is older: it passes integers of the same size, and the code
    of the type is written over theirs."""

    # What a capsule is called, and how far after its address the code is.
    PLACES = ((b"dltensor", 20), (b"dltensor_versioned", 52))

    def __init__(self, array):
        self.integers = array.view(f"u{array.itemsize}")
        self.code = tvm_ffi.dtype(array.dtype.name).type_code

    def __dlpack_device__(self):
        return self.integers.__dlpack_device__()

    def __dlpack__(self, **options):
        capsule = self.integers.__dlpack__(**options)
        held, python = ctypes.py_object(capsule), ctypes.pythonapi
        python.PyCapsule_GetPointer.restype = ctypes.c_void_p
        for name, offset in self.PLACES:
            if python.PyCapsule_IsValid(held, name):
                address = python.PyCapsule_GetPointer(held, name)
                ctypes.c_uint8.from_address(address + offset).value = self.code
        return capsule


def main():
    kernels, give = tvm_ffi.load_module(sys.argv[1]), Named
    if hasattr(np.dtypes, "register_dlpack_dtype"):
        register()
        give = np.asarray  # as it is
    x = np.array([1, 2, 3, 4], dtype="bfloat16")
    y = np.empty_like(x)
    kernels.scale(give(x), give(y), 2.5)
    print(f"{y.dtype}:", *y)


if __name__ == "__main__":
    main()

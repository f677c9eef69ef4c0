# SPDX-License-Identifier: Apache-2.0
"""Calls an OpenCL kernel on arrays of pyopencl.

pyopencl has no DLPack, and nobody sets its queue for a call: Shared and use_raw_stream do that.
"""
import ctypes
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array
import tvm_ffi

KDL_OPENCL = 4


class DLTensor(ctypes.Structure):
    """DLPack's struct, with device and dtype in place."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
shared = {}  # what consumers hold


@DELETER
def release(address):
    del shared[address]


class Shared:
    """An array of pyopencl as a tensor: data is its cl_mem."""

    def __init__(self, array, byte_offset=None):
        self.array = array
        self.byte_offset = array.offset if byte_offset is None else byte_offset

    def __dlpack_device__(self):
        return KDL_OPENCL, 0

    def __dlpack__(self, **_options):
        array = self.array
        extents = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(
            *(stride // array.dtype.itemsize for stride in array.strides))
        code = {"i": 0, "u": 1, "f": 2}[array.dtype.kind]
        managed = DLManagedTensor(
            DLTensor(array.base_data.int_ptr, KDL_OPENCL, 0, array.ndim, code,
                     8 * array.dtype.itemsize, 1, extents, strides, self.byte_offset), None,
            release)
        address = ctypes.addressof(managed)
        shared[address] = managed, extents, strides, array
        return new_capsule(address, b"dltensor", None)


def main():
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.LogicError:
        devices = []
    if not devices:
        print("skipped: no OpenCL driver has a device here (Debian: pocl-opencl-icd)")
        return 77
    kernels = tvm_ffi.load_module(sys.argv[1])
    device = tvm_ffi.device("opencl", 0)
    for number, found in enumerate(devices):
        print(f"device {number}: {found.platform.version}, {found.name}", file=sys.stderr)
    queue = cl.CommandQueue(cl.Context(devices[:1]))
    x = cl.array.to_device(queue, np.arange(200, dtype=np.float32))
    y = cl.array.zeros_like(x)
    queue.finish()

    with tvm_ffi.use_raw_stream(device, queue.int_ptr):
        kernels.scale(Shared(x), Shared(y), 2.5)
    print("y:", *y.get()[:5], "...", y.get()[-1])

    with tvm_ffi.use_raw_stream(device, queue.int_ptr):  # the part from element 128 on
        kernels.scale(Shared(x[128:]), Shared(y[128:]), -1)
    print("y:", *y.get()[126:130])

    for arguments in ((Shared(x), Shared(y[:100]), 1), (Shared(x), Shared(y, 4000), 1),
                      (Shared(x[1:]), Shared(y[1:]), 1), (np.ones(3, np.float32), Shared(y), 1)):
        try:
            with tvm_ffi.use_raw_stream(device, queue.int_ptr):
                kernels.scale(*arguments)
        except (TypeError, ValueError) as error:
            print(f"{type(error).__name__}: {error}")
    try:
        kernels.scale(Shared(x), Shared(y), 1)
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

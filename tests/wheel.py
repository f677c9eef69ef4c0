#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel in use: the library that tvm_ffi_c names, alone and together with the package tvm_ffi.

    wheel.py alone KERNEL             by ctypes: load the kernel of samples/01 and call it
    wheel.py alone-local KERNEL       the same with RTLD_LOCAL, as ctypes opens libraries by itself
    wheel.py package KERNEL           the package, with the wheel installed but not imported
    wheel.py isolated KERNEL          the package on our library (`use`): a kernel in a process of
                                      its own, and its errors as classes
    wheel.py package-first KERNEL     both in one process, in this order: the names of the package
                                      are global, so ours refuses to load a kernel
    wheel.py ours-first KERNEL        in the other order, ours with RTLD_LOCAL: each has its
                                      kernels. With RTLD_GLOBAL the
                                      package's library, which looks its own functions up globally,
                                      would bind to ours and end the process while it is loaded.

The last argument is the version that our library must have.
"""
import ctypes
import os
import shutil
import signal
import sys
import tempfile


class Any(ctypes.Structure):
    _fields_ = [("type_index", ctypes.c_int32), ("zero", ctypes.c_uint32),
                ("bits", ctypes.c_uint64)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


class ByteArray(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


BOOL, FLOAT, DLTENSOR, RAW_STRING = 2, 3, 7, 8
KERNEL = sys.argv[2]


def bits_of(value):
    return ctypes.c_uint64.from_buffer_copy(ctypes.c_double(value)).value


class Ours:
    """Our library through ctypes."""

    def __init__(self, mode, kernel=KERNEL):
        self.kernel = kernel
        import tvm_ffi_c
        self.library = ctypes.CDLL(tvm_ffi_c.library(), mode=mode)

    def version(self):
        out = (ctypes.c_uint32 * 3)()
        self.library.TVMFFIGetVersion(out)
        return ".".join(map(str, out))

    def find(self, name):
        """A global function; a null pointer if there is none."""
        out, text = ctypes.c_void_p(), ByteArray(name.encode(), len(name))
        code = self.library.TVMFFIFunctionGetGlobal(ctypes.byref(text), ctypes.byref(out))
        assert code == 0, name
        return out

    def call(self, function, *args):
        result = Any(0, 0, 0)
        code = self.library.TVMFFIFunctionCall(function, (Any * len(args))(*args), len(args),
                                               ctypes.byref(result))
        assert code == 0, f"a call gave {code}"
        return result

    def load(self, kernel):
        """(return code, module)"""
        path, result = ctypes.create_string_buffer(kernel.encode()), Any(0, 0, 0)
        code = self.library.TVMFFIFunctionCall(
            self.find("ffi.ModuleLoadFromFile"),
            (Any * 1)(Any(RAW_STRING, 0, ctypes.addressof(path))), 1, ctypes.byref(result))
        return code, result

    def has_error(self):
        """Whether there is an error in our slot, which is taken."""
        error = ctypes.c_void_p()
        self.library.TVMFFIErrorMoveFromRaised(ctypes.byref(error))
        return error.value is not None

    def find_kernel(self):
        name = ctypes.create_string_buffer(b"scale")
        code, module = self.load(self.kernel)
        assert code == 0, f"loading gave {code}"
        result = self.call(self.find("ffi.ModuleGetFunction"), module,
                           Any(RAW_STRING, 0, ctypes.addressof(name)), Any(BOOL, 0, 0))
        return ctypes.c_void_p(result.bits)

    def error_of_kernel(self):
        """Whether the error of a failing call is in our slot."""
        result = Any(0, 0, 0)
        assert self.library.TVMFFIFunctionCall(self.find_kernel(), None, 0,
                                               ctypes.byref(result)) == -1
        return self.has_error()

    def run_kernel(self):
        x, y, shape = (ctypes.c_float * 3)(1, 2, 3), (ctypes.c_float * 3)(), (ctypes.c_int64 * 1)(3)
        tensors = [
            DLTensor(ctypes.addressof(data), 1, 0, 1, 2, 32, 1, shape, None, 0) for data in (y, x)
        ]
        self.call(self.find_kernel(),
                  *(Any(DLTENSOR, 0, ctypes.addressof(tensor)) for tensor in tensors),
                  Any(FLOAT, 0, bits_of(2.0)))
        assert list(y) == [2, 4, 6], list(y)


def use_package():
    """Use the package by itself, including errors of a kernel."""
    import tvm_ffi
    assert tvm_ffi.convert([1, 2, 3])[2] == 3
    tvm_ffi.register_global_func("test.of_the_package", lambda: 7, override=True)
    assert tvm_ffi.get_global_func("test.of_the_package")() == 7
    try:
        tvm_ffi.load_module(KERNEL).scale(1)
    except TypeError as error:
        assert "Expected 3 but got 1" in str(error), error
    else:
        raise AssertionError("a wrong call went well")


def use_isolated():
    """Load by a name with `isolated:`, with nothing said about where its library is."""
    import tvm_ffi
    import tvm_ffi_c
    assert "LD_LIBRARY_PATH" not in os.environ
    module = tvm_ffi.load_module(f"isolated,timeout=30:{KERNEL}")
    try:
        module.scale(1)
    except TypeError as error:
        assert "Expected 3 but got 1" in str(error), error
    else:
        raise AssertionError("a wrong call went well")
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="utf-8") as children:
        os.kill(int(children.read().split()[0]), signal.SIGKILL)
    tvm_ffi_c.register_errors()
    for expected in (tvm_ffi_c.HelperCrashError, TypeError):
        try:
            module.scale(1)
        except expected:
            continue
        raise AssertionError(f"not a {expected.__name__}")


def copies():
    """The paths of all libtvm_ffi.so in this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sorted(
            {line.split()[-1] for line in maps if line.rstrip().endswith("/libtvm_ffi.so")})


def main():
    order = sys.argv[1]
    if order in ("alone", "alone-local"):
        ours = Ours(ctypes.RTLD_GLOBAL if order == "alone" else ctypes.RTLD_LOCAL)
        ours.run_kernel()
        assert ours.error_of_kernel(), "no error in the slot of the only copy"
        assert len(copies()) == 1, copies()
    elif order == "package":
        use_package()
        assert len(copies()) == 1, copies()
    elif order == "isolated":
        use_isolated()
    elif order == "package-first":
        use_package()
        ours = Ours(ctypes.RTLD_GLOBAL)
        check_both(ours)
        code, _ = ours.load(KERNEL)
        assert code == -1 and ours.has_error(), "a kernel of the package was loaded"
    elif order == "ours-first":
        with tempfile.TemporaryDirectory() as folder:  # a file belongs to the first that loads it
            ours = Ours(ctypes.RTLD_LOCAL, shutil.copy(KERNEL, folder))
            ours.run_kernel()
            check_both(ours)
            ours.run_kernel()
            assert ours.error_of_kernel(), "no error in the slot of the copy that loaded the kernel"
    else:
        sys.exit(f"what is {order}?")


def check_both(ours):
    """Check that two copies share nothing."""
    use_package()
    assert len(copies()) == 2, copies()
    assert ours.version() == sys.argv[3], ours.version()
    assert not ours.find("test.of_the_package").value, "the copies share a function"


if __name__ == "__main__":
    main()

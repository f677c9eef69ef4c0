# SPDX-License-Identifier: Apache-2.0
"""Paths of the installed libtvm_ffi, the runtime of the TVM FFI ABI in C, and its command-line
tool."""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def libdir():
    """The folder of the libraries, with pkgconfig/ and cmake/ in it."""
    return os.path.join(_HERE, "lib")


def includedir():
    """The folder for -I: tvm/ffi/c.h, the C++ headers, dlpack/dlpack.h."""
    return os.path.join(_HERE, "include")


def library(cxx=False):
    """The path of libtvm_ffi.so, for ctypes.CDLL and the like.

    With cxx, the path of the library that also has the C++ functions of apache-tvm-ffi's library:
    clients such as TVM link them. It needs libstdc++, and wheels for musl do not have it.
    """
    path = os.path.join(libdir(), "tvm_ffi_cxx" if cxx else "", "libtvm_ffi.so")
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"this wheel has no {'library with C++ functions' if cxx else 'library'}: {path}")
    return path


class HelperError(RuntimeError):
    """A helper process failed, which runs the kernels of a module loaded as `isolated:...`."""


# The kinds of <tvm/ffi/extra/isolated.h>.
HelperStartError = type("HelperStartError", (HelperError,), {})
HelperCrashError = type("HelperCrashError", (HelperError,), {})
HelperExitError = type("HelperExitError", (HelperError,), {})
HelperTimeoutError = type("HelperTimeoutError", (HelperError, TimeoutError), {})
HelperMemoryError = type("HelperMemoryError", (HelperError, MemoryError), {})
HelperChannelError = type("HelperChannelError", (HelperError,), {})


def register_errors():
    """Let apache-tvm-ffi raise these classes; without that, such an error is a RuntimeError."""
    from tvm_ffi import register_error
    for kind in HelperError.__subclasses__():
        register_error(kind.__name__, kind)


def main():
    """Replace this process with the tool."""
    tool = os.path.join(_HERE, "bin", "tvm-ffi")
    os.execv(tool, [tool, *sys.argv[1:]])

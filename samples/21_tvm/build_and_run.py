# SPDX-License-Identifier: Apache-2.0
"""TVM on this runtime: builds one kernel for the targets llvm and c, loads it and calls it on NumPy
data.

docs/linking.md has the three commands that start from an empty environment. TVM links C++ functions
of libtvm_ffi.so: they are in the library that is built with -Dcxx_exports=enabled.
"""
import ctypes
import pathlib
import tempfile

import numpy as np
import tvm
from tvm import te


def runtime():
    """The libtvm_ffi.so that is loaded in this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {
            line.split(maxsplit=5)[5].strip() for line in maps
            if line.rstrip().endswith("/libtvm_ffi.so")
        }
    (path,) = paths
    return ctypes.CDLL(path)


print("TVM runs on this runtime:", hasattr(runtime(), "TVMFFIRuntimeShutdown"))

# y = 2 * x + 1, for vectors of 5 elements.
x = te.placeholder((5,), name="x")
y = te.compute((5,), lambda i: x[i] * 2 + 1, name="y")
function = te.create_prim_func([x, y]).with_attr("global_symbol", "scale")
module = tvm.IRModule({"scale": function})

with tempfile.TemporaryDirectory() as folder:
    for target in "llvm", "c":
        path = str(pathlib.Path(folder, f"scale_{target}.so"))
        tvm.build(module, target=target).export_library(path)
        kernels = tvm.runtime.load_module(path)
        given, result = tvm.runtime.tensor(np.arange(5, dtype="float32")), tvm.runtime.empty(
            (5, ), "float32")
        kernels["scale"](given, result)
        print(f"{target}:", *result.numpy())

# An error raised by a kernel becomes a Python exception.
try:
    kernels["scale"](given, tvm.runtime.empty((4,), "float32"))
except (ValueError, AssertionError) as error:
    print(f"{type(error).__name__}:", *str(error).split())

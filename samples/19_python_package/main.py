# SPDX-License-Identifier: Apache-2.0
"""The Python package apache-tvm-ffi on this runtime instead of its own library.

The package loads the libtvm_ffi.so in its own folder, by path. So replace that file, once, in a
virtual environment:

    python3 -m venv venv && venv/bin/pip install apache-tvm-ffi==0.1.15.post2 numpy
    install -m 644 build/c/libtvm_ffi.so "$(venv/bin/tvm-ffi-config --libfiles)"
    venv/bin/python samples/19_python_package/main.py build/samples/19_python_package_kernel.so

Modules written in C++ need build/c/libtvm_ffi_cxx.so beside it. Nothing in Python changes.
LD_LIBRARY_PATH has no effect, because the package loads its file by path; LD_PRELOAD loads both
libraries, which ends the process while the package starts.
"""
import ctypes
import pathlib
import sys

import numpy as np
import tvm_ffi


def loaded(name):
    """The loaded files with this name."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    return [path for path in paths if pathlib.Path(path).name == name]


(runtime,) = loaded("libtvm_ffi.so")
print("the one in the package:", runtime == tvm_ffi.libinfo.find_libtvm_ffi())
print("it is this runtime:", hasattr(ctypes.CDLL(runtime), "TVMFFIRuntimeShutdown"))

kernels = tvm_ffi.load_module(sys.argv[1])
x, y = np.arange(5.0), np.ones(5)
kernels.add_scaled(x, y, 10)
print("y:", *y)

# A kernel calls Python; an exception raised there passes through the kernel to the caller.
print("even:", kernels.count_if(x, lambda element: element % 2 == 0))
try:
    kernels.count_if(x, lambda element: {0.0: True, 1.0: False}[element])
except KeyError as error:
    print("KeyError:", *error.args)

for wrong in (np.ones(4), np.ones(5, np.float32), np.ones(10)[::2], "y"):
    try:
        kernels.add_scaled(x, wrong, 1)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")

# Containers, structural functions and JSON come from the runtime, too.
graph = tvm_ffi.convert({"x": [1, 2.5, None], "device": tvm_ffi.device("cpu", 0)})
text = tvm_ffi.serialization.to_json_graph_str(graph)
print("equal after JSON:",
      tvm_ffi.structural_equal(graph, tvm_ffi.serialization.from_json_graph_str(text)))

# SPDX-License-Identifier: Apache-2.0
"""TileLang's TVM, which builds for the target c only, and TileLang's library of passes and
operators.

TileLang's own modules are left out: they import PyTorch.
"""
import ctypes
import importlib.util
import os
import pathlib
import sys

import numpy as np

TILELANG = pathlib.Path(importlib.util.find_spec("tilelang").origin).parent
sys.path.insert(0, str(TILELANG / "3rdparty" / "tvm" / "python"))
os.environ["TVM_LIBRARY_PATH"] = str(TILELANG / "lib")
import tvm
import tvm_ffi
from tvm import te

from client import say, say_error


def doubled(size):
    x = te.placeholder((size,), name="x")
    function = te.create_prim_func([x, te.compute((size,), lambda i: x[i] * 2, name="y")])
    return function.with_attr("global_symbol", "main")


@tvm.instrument.pass_instrument
class Names:
    def run_before_pass(self, module, info):
        say("a pass", info.name)


def intermediate():
    function = doubled(8)
    say("script", function.script())
    say("hash", hex(tvm_ffi.structural_hash(function)))
    text = tvm.ir.save_json(function)
    say("JSON", text, tvm_ffi.structural_equal(tvm.ir.load_json(text), function))
    say_error("what differs", tvm.ir.assert_structural_equal, function, doubled(9))
    say_error("no target", tvm.target.Target, "no_such")
    with tvm.transform.PassContext(instruments=[Names()]):
        module = tvm.s_tir.transform.ConvertBlocksToOpaque()(tvm.IRModule({"main": function}))
        say("lowered", tvm.s_tir.transform.LowerOpaqueBlock()(module).script())


def kernels():
    built = tvm.compile(tvm.IRModule({"main": doubled(8)}), target="c")
    say("source", built.mod.inspect_source())
    path = os.path.abspath("doubled.so")
    built.export_library(path)
    module, again = tvm.runtime.load_module(path), tvm.runtime.load_module(path)
    x, y = tvm.runtime.tensor(np.arange(8, dtype="float32")), tvm.runtime.tensor(
        np.zeros(8, "float32"))
    module["main"](x, y)
    say("called", y.numpy())
    say_error("no tensor", module["main"], x, 3)
    say_error("no such function", module.get_function, "no_such")
    again.import_module(built.mod)
    say("imports", built.mod.kind, again.kind, again.imports, again.implements_function("main"))


def library():
    # Lazily, as TileLang does: not every function that it might call needs to be there.
    ctypes.CDLL(str(TILELANG / "lib" / "libtilelang.so"), ctypes.RTLD_GLOBAL | os.RTLD_LAZY)
    names = sorted(name for name in tvm_ffi.registry.list_global_func_names()
                   if name.startswith("tl."))
    say("functions of TileLang", len(names), *names)
    for name in names:
        if name.startswith("tl.transform.") and name.count(".") == 2:
            try:
                say(name, tvm_ffi.get_global_func(name)())
            except TypeError as error:
                say(name, error)


def main():
    for part in (intermediate, kernels, library):
        part()


if __name__ == "__main__":
    main()

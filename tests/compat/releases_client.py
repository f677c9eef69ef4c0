# SPDX-License-Identifier: Apache-2.0
"""Calls kernels through a release of the package, and checks what comes back; or does a small job
with a package that depends on it.

    releases_client.py LIBRARY c|cxx|wrap KERNEL [...]
    releases_client.py LIBRARY xgrammar|tvm|tilelang|orcjit FOLDER

LIBRARY is the libtvm_ffi.so that must have been loaded. FOLDER is for files. Prints `well` as its
last line; ends with another code than 0, or by a signal, if something is wrong.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

import numpy as np
import tvm_ffi


def check(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r} and not {wanted!r}")


def check_error(what, kind, text, function, *args):
    try:
        function(*args)
    except kind as error:
        if text not in str(error):
            raise SystemExit(f"{what}: `{error}` without `{text}`") from None
    else:
        raise SystemExit(f"{what}: no error")


def tensor(values):
    return tvm_ffi.from_dlpack(np.array(values, np.float32))


def numbers(value):
    return np.from_dlpack(value).tolist()


def check_c(module):
    x, y = tensor([1, 2, 3]), tensor([0, 0, 0])
    module["scale"](y, x, 2.5)
    check("scaled", numbers(y), [2.5, 5.0, 7.5])
    check_error("a shape", ValueError, "", module["scale"], tensor([0]), x, 2.0)
    check_error("a type", TypeError, "scale", module["scale"], y, "x", 2.0)


def check_cxx(module):
    x, y = tensor([1, 2, 3]), tensor([0, 0, 0])
    module["add_one"](x, y)
    check("added", numbers(y), [2.0, 3.0, 4.0])
    check_error("sizes", ValueError, "sizes 3 and 1", module["add_one"], x, tensor([0]))
    check_error("a type", TypeError, "add_one", module["add_one"], x, "y")
    words = ["a word that is longer than seven bytes", "b", "b"]
    check("joined", str(module["join"](words)), ";".join([*words, ""]))
    counts = module["count"](words)
    check("counted", (int(counts["b"]), len(counts)), (2, 2))
    check("a callback", module["apply"](lambda value: value * 2, 20), 41)

    def fail(value):
        raise KeyError(f"from Python: {value}")

    check_error("an error of a callback", KeyError, "from Python: 7", module["apply"], fail, 7)


def check_wrap(module):
    x, y = np.array([[1, 3], [2, 2]], np.float32), np.zeros((2, 2), np.float32)
    out = tvm_ffi.from_dlpack(y)
    module["normalize"](out, tvm_ffi.from_dlpack(x))
    check("normalized", numbers(out), [[0.25, 0.75], [0.5, 0.5]])
    check_error("a type", TypeError, "", module["normalize"], out, None)


def check_package():
    """What the package does without a kernel."""
    values = tvm_ffi.convert([1, "text", [2.5, None]])
    check("an array", (len(values), values[0], str(values[1]), values[2][1]), (3, 1, "text", None))
    table = tvm_ffi.convert({"key": 5, "another": [1]})
    check("a map", (table["key"], sorted(map(str, table.keys()))), (5, ["another", "key"]))
    tvm_ffi.register_global_func("releases.twice", lambda value: value * 2)
    check("a global function", tvm_ffi.get_global_func("releases.twice")(21), 42)
    check("a function", tvm_ffi.convert(lambda a, b: a + b)(2, 3), 5)
    check("a type", str(tvm_ffi.dtype("float32")), "float32")
    check("a device", str(tvm_ffi.device("cpu:0")), "cpu:0")
    check("a shape", list(tvm_ffi.Shape((2, 3))), [2, 3])
    check_error("an error", ValueError, "wrong",
                tvm_ffi.convert(lambda: (_ for _ in ()).throw(ValueError("wrong"))))


# ---- Packages that depend on it ----


def use_xgrammar(_):
    """A grammar, and the tokens that it allows after each token."""
    import xgrammar

    info = xgrammar.TokenizerInfo(["a", "b", "c", "ab", "</s>"], stop_token_ids=[4])
    compiler = xgrammar.GrammarCompiler(info)
    matcher = xgrammar.GrammarMatcher(compiler.compile_grammar('root ::= "ab" "c"'))
    allowed, mask = [], xgrammar.allocate_token_bitmask(1, info.vocab_size)
    for token in (3, 2, 4):
        matcher.fill_next_token_bitmask(mask)
        allowed.append([i for i in range(info.vocab_size) if int(mask[0][0]) >> i & 1])
        check(f"token {token}", matcher.accept_token(token), True)
    check("allowed", allowed, [[0, 3], [2], [4]])
    check("the end", matcher.is_terminated(), True)
    check_error("a wrong grammar", RuntimeError, "is not defined", compiler.compile_grammar,
                "root ::= nope")


def use_tvm(folder, targets=("c", "llvm")):
    """A kernel, compiled, written to a file, loaded and called."""
    import tvm
    from tvm import te

    x = te.placeholder((8,), name="x")
    function = te.create_prim_func([x, te.compute((8,), lambda i: x[i] * 2 + 1, name="y")])
    module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    tvm.ir.assert_structural_equal(tvm.ir.load_json(tvm.ir.save_json(module)), module)
    for target in targets:
        path = str(folder / f"{target}.so")
        tvm.compile(module, target=target).export_library(path)
        kernel = tvm.runtime.load_module(path)["main"]
        x_values, y_values = (tvm.runtime.tensor(np.arange(8, dtype="float32")),
                              tvm.runtime.tensor(np.zeros(8, "float32")))
        kernel(x_values, y_values)
        check(target, y_values.numpy().tolist(), [2.0 * i + 1 for i in range(8)])
        check_error(f"{target}, a type", (TypeError, RuntimeError), "main", kernel, x_values, 3)


def use_tilelang(folder):
    """The same with TileLang's TVM, which has one target without a GPU; TileLang's own modules
    import PyTorch."""
    root = pathlib.Path(importlib.util.find_spec("tilelang").origin).parent
    sys.path.insert(0, str(root / "3rdparty/tvm/python"))
    os.environ["TVM_LIBRARY_PATH"] = str(root / "lib")
    use_tvm(folder, ["c"])


def use_orcjit(folder):
    """An object file, loaded and called."""
    from tvm_ffi_orcjit import ExecutionSession

    (folder / "twice.c").write_text("""
        #include <tvm/ffi/c_api.h>
        int __tvm_ffi_twice(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
          if (num_args != 1 || args[0].type_index != kTVMFFIInt) {
            TVMFFIErrorSetRaisedFromCStr("TypeError", "twice takes an integer");
            return -1;
          }
          *result = args[0];
          result->v_int64 *= 2;
          return 0;
        }""", encoding="utf-8")
    root = pathlib.Path(tvm_ffi.__file__).parent
    subprocess.run(["cc", "-c", "-fPIC", f"-I{root / 'include'}",
                    f"-I{root / '3rdparty/dlpack/include'}", "twice.c"], cwd=folder, check=True)
    library = ExecutionSession().create_library("library")
    library.add(str(folder / "twice.o"))
    twice = library.get_function("twice")
    check("twice", twice(21), 42)
    check_error("a type", TypeError, "twice takes", twice, "x")


CLIENTS = {"xgrammar": use_xgrammar, "tvm": use_tvm, "tilelang": use_tilelang,
           "orcjit": use_orcjit}


def check_library(library):
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loaded = {line.split()[-1] for line in maps if line.rstrip().endswith("/libtvm_ffi.so")}
    check("the library", loaded, {library})


def main():
    library, *kernels = sys.argv[1:]
    check_library(library)
    if not kernels:
        check_package()
    for kind, path in zip(kernels[::2], kernels[1::2]):
        if kind in CLIENTS:
            CLIENTS[kind](pathlib.Path(path))
            check_library(library)
            continue
        {"c": check_c, "cxx": check_cxx, "wrap": check_wrap}[kind](tvm_ffi.load_module(path))
    print("well")


if __name__ == "__main__":
    main()

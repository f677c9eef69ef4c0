# SPDX-License-Identifier: Apache-2.0
"""Calls kernels through a release of the package, and checks what comes back.

    releases_client.py LIBRARY c|cxx|wrap KERNEL [...]

LIBRARY is the libtvm_ffi.so that must have been loaded. Prints `well` as its last line; ends with
another code than 0, or by a signal, if something is wrong.
"""
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


def main():
    library, *kernels = sys.argv[1:]
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loaded = {line.split()[-1] for line in maps if line.rstrip().endswith("/libtvm_ffi.so")}
    check("the library", loaded, {library})
    if not kernels:
        check_package()
    for kind, path in zip(kernels[::2], kernels[1::2]):
        {"c": check_c, "cxx": check_cxx, "wrap": check_wrap}[kind](tvm_ffi.load_module(path))
    print("well")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our library without libtvm_ffi_cxx: modules in C++ are refused with an error, and nothing else
fails.

    no_helper.py --host PROGRAM --runtime libtvm_ffi.so --work FOLDER --cxx g++...
"""
import argparse
import pathlib
import shutil
import sys

import compare
import package

REFUSED = (
    "RuntimeError \"The methods of this ffi.Module are C++ code: calling them needs "
    "libtvm_ffi_cxx.so beside "
    "libtvm_ffi, or where libraries are looked for: libtvm_ffi_cxx.so: cannot open shared object "
    "file: No such "
    "file or directory\"")
# Calls and results. When C++ calls a failing method of our module, it gets an empty result and a
# raised error.
WANTED = {
    "m = modules.make 42": None,
    ":ffi.ModuleGetKind $m": REFUSED,
    ":ffi.ModuleGetFunction $m \"start\" false": REFUSED,
    ":ffi.ModuleWriteToFile $m \"file\" \"txt\"": REFUSED,
    "l = :ffi.ModuleLoadFromFile @modules": None,
    ":ffi.ModuleGetKind $l": 'ffi.SmallStr "library"',
    "modules.describe "
    "$m": 'ffi.String "compat.counter 1 txt a longer format [in c] its type is counter it is a '
          'counter"',
    "modules.describe $l": 'ffi.String "library 3 []"',
    ":ffi.ModuleImportModule $l $m": "None [#1 +1]",
    "modules.look_up $l \"start\"": REFUSED,
    "modules.import_module $l $m": None,
    "modules.save $l": 'ffi.SmallBytes "" [an error is left]',
}


def main():
    parser = argparse.ArgumentParser()
    for name in ("host", "runtime", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference = package.require()
    alone = args.work / "no_helper"
    alone.mkdir(exist_ok=True)
    runtime = pathlib.Path(shutil.copy(args.runtime, alone)).resolve()
    kernels = alone / "kernels_modules.so"
    calls = alone / "calls.txt"
    calls.write_text("\n".join(WANTED) + "\n", encoding="utf-8")
    compare.compile_kernels(args.cxx, reference.include, compare.SOURCES["modules"], kernels)
    came = dict(compare.run(args.host, runtime, calls, {"modules": kernels}))
    for call, wanted in WANTED.items():
        print(call, "=>", came.get(call))
    wrong = [
        call for call, wanted in WANTED.items()
        if call not in came or wanted not in (None, came[call])
    ]
    print(*(f"expected: {call} => {WANTED[call]}" for call in wrong), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

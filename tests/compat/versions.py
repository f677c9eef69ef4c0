#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our kernels on older releases of the reference: they load there, and calls have the same results.

    versions.py --host PROGRAM --work FOLDER --exports tests/abi/versions/*.txt --kernels
    NAME=LIBRARY...

Each release that has a list is downloaded, and must export exactly what the list says.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import compare
import package

WITHOUT_DICT = 'ValueError "Function ffi.DictSetItem not found"'
# (call, result). A dict has results by release, "" for all others; None is not compared, ... is not
# called.
CALLS = [
    ("tensor.add_one t/float32/3 v/float32/3", "None"),
    ("tensor.add_one t/float32/3 v/float32/2",
     'ValueError "Check failed: (x.size(0) == y.size(0)) is false: 3 and 2"'),
    ("tensor.add_one t/float64/3 v/float32/3",
     'TypeError "Check failed: (x.dtype() == (DLDataType{kDLFloat, 32, 1})) is false: got float64"'
     ),
    ("tensor.add_one t/float32/3 4",
     'TypeError "Mismatched type on argument #1 when calling: `add_one(0: DLTensor*, '
     '1: DLTensor*) -> void`. Expected `DLTensor*` but got `int`"'),
    ("tensor.stream device/1/0", "int 0"),
    ("tensor.empty [ 0 3 ] device/1/0", "Tensor float32 [0, 3] strides [3, 1] cpu:0:"),
    ("tensor.many" + 7 * " t/int8/1 v/int8/1 10 none 0.5 true" + 4 * " 1000", "int 4091"),
    ('map.bits "float32x4"', "int 128"),
    ("m = map.squares 4", {"0.1.8": WITHOUT_DICT, "": "ffi.Map < ffi.Object"}),
    ("map.look $m 3", {"0.1.8": None, "": "int 9"}),
    ("map.look $m 7", {"0.1.8": None, "": 'KeyError "key is not in Map"'}),
    ("k = module.make_counter 5", "ffi.Module < ffi.Object"),
    # In 0.1.13 an Optional<Function> has another size: extra/module.h says so.
    ('n = :ffi.ModuleGetFunction $k "next" false', {"0.1.13": ...,
                                                    "": "ffi.Function < ffi.Object"}),
    ("$n", {"0.1.13": ..., "": "int 5"}),
    ("noexcept.half 8", "int 4"),
    ('noexcept.half "8"',
     'TypeError "Mismatched type on argument #0 when calling: `half(0: int) -> Expected<int>`. '
     'Expected `int` but got `const char*`"'),
    ("c.read_int64 7", "int 7"),
    ("c.read_int64 none",
     'TypeError "Mismatched type on argument #0 when calling: `read_int64(0: int) -> int`. '
     'Expected `int` but got `None`"'),
]


def fetch(version):
    """The library of a release, kept beside the package; from one wheel, whichever Python runs."""
    python = package.require().python
    folder = package.folder() / "versions" / version
    library = folder / "libtvm_ffi.so"
    with package.locked(folder.parent / "lock"):
        if library.exists():
            return library
        try:
            package.run(f"pip download of {version}", python, "-m", "pip",
                        "--disable-pip-version-check", "--no-input", "--timeout", "20", "--retries",
                        "1", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                        "--python-version", "3.11", "--dest", folder, f"apache-tvm-ffi=={version}")
        except package.Unavailable as error:
            print(f"no apache-tvm-ffi {version}: {error}")
            sys.exit(package.SKIP)
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as files:
            data = files.read("tvm_ffi/lib/libtvm_ffi.so")
        library.write_bytes(data)
        wheel.unlink()
    return library


def check_exports(library, names):
    """A text for each difference between a list and the exports of a release."""
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                          check=True)
    exported = set(re.findall(r" (TVMFFI\w+)$", done.stdout, re.M))
    return [f"the list of its exports is wrong in {name}" for name in sorted(exported ^ set(names))]


def check_calls(host, library, version, kernels, work):
    wanted = {}
    for call, result in CALLS:
        result = result.get(version, result[""]) if isinstance(result, dict) else result
        if result is not ...:
            wanted[call] = result
    calls = (work / "calls.txt").resolve()
    calls.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    came = dict(compare.run(host, library, calls, kernels))
    return [f"{call} => {came.get(call)}, and not {result}" for call, result in wanted.items()
            if call not in came or result not in (None, came[call].strip())]


def main():
    parser = argparse.ArgumentParser()
    for name in ("host", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--exports", required=True, nargs="+", type=pathlib.Path)
    parser.add_argument("--kernels", required=True, nargs="+")
    args = parser.parse_args()
    kernels = {
        name: pathlib.Path(path).resolve()
        for name, path in (text.split("=", 1) for text in args.kernels)
    }
    args.work = args.work / "versions"
    args.work.mkdir(exist_ok=True)
    # resolve everything that the kernels import, not only what is called
    os.environ["LD_BIND_NOW"] = "1"
    failed = 0
    for exports in args.exports:
        version = exports.stem
        lines = [
            line.split("#")[0].strip() for line in exports.read_text(encoding="utf-8").splitlines()
        ]
        library = fetch(version)
        problems = check_exports(library, filter(None, lines))
        problems += check_calls(args.host, library, version, kernels, args.work)
        for problem in problems:
            print(f"{version}: {problem}")
        failed += len(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

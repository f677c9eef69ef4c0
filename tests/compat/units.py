#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The units of tests/cpp/units: the calls of units.txt have the results written there.

    units.py --host PROGRAM --units FOLDER --libraries NAME LIBRARY...
             [--runtime libtvm_ffi.so --work FOLDER --cxx g++...]

NAME is the library's name in units.txt. Without --runtime the calls run on the library that the
host is linked with. With it the same sources are also compiled with the reference package's
headers, and both builds run on both libraries, except for the combination above. A line of
units.txt is `call => answer`.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import compare
import package

# Answers that differ with the package's headers, or on its library, and why.
BY_ITS_HEADERS = {
    # Messages of our headers do not contain the C++ condition.
    "kernels.view_of_empty_tensor": 'InternalError "Check failed: (tensor.defined()) is false: "',
}
ON_ITS_LIBRARY = {
    # Nor do those of our library.
    'hosts.load_and_call "./nothing_such.so" '
    '3': 'InternalError "Check failed: (lib_handle_ != nullptr) is false: Failed to load dynamic '
         'shared library '
    './nothing_such.so ./nothing_such.so: cannot open shared object file: No such file or '
    'directory"',
}
# In the package, the code of Module::LoadFromFile is in its library, not in its headers.
NEEDS_ITS_LIBRARY = "hosts.load_"


def read_lines():
    text = (compare.HERE / "units.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in text if line and not line.startswith("#")]


def read_sources(units):
    """The sources of each library, as the build lists them."""
    text = (units / "meson.build").read_text(encoding="utf-8")
    return {name: re.findall(r"'(\w+\.cc)'", files)
            for name, files in re.findall(r"^  '(\w+)': files\(([^)]*)\)", text, re.M)}


def find_uncalled(units, lines):
    """The exported functions that no line calls."""
    called = set(re.findall(r"^(?:[a-z] = )?(?:bare )?(\w+\.\w+)", "\n".join(lines), re.M))
    exported = {
        f"{name}.{function}" for name, files in read_sources(units).items() for file in files
        for function in re.findall(r"^(?:TVM_FFI_DLL_EXPORT_TYPED_FUNC|ECHO)\((\w+),", (
            units / file).read_text(encoding="utf-8"), re.M)
    }
    return [f"never called: {function}" for function in sorted(exported - called)] or \
        ([] if exported else ["no exports found"])


def compile_units(cxx, include, units, folder):
    """Build the libraries with those headers: {name: path}."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = read_sources(units)

    def compile_one(name):
        # C++20 allows lambdas in the package's export macro.
        command = [
            *cxx, "-std=c++20", "-O0", "-w", "-fPIC", "-shared", "-Wl,-z,nodelete",
            "-DUNITS_OF_THE_PACKAGE", *(f"-I{path}" for path in include),
            *(units / file for file in sources[name]), "-o", folder / f"{name}.so"
        ]
        done = subprocess.run([str(word) for word in command], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout if done.returncode != 0 else ""

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = "".join(pool.map(compile_one, sources))
    if said:
        compare.fail(said)
    return {name: folder / f"{name}.so" for name in sources}


def find_wrong(host, runtime, libraries, lines, others):
    """Make the calls; returns a text for each result that is not in others or, if not there, in the
    line."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as calls:
        calls.write("".join(line.split(" => ", 1)[0] + "\n" for line in lines))
        calls.flush()
        came = compare.run(host, runtime, calls.name, libraries)
    wanted = [tuple(line.split(" => ", 1)) for line in lines if " => " in line]
    if [call for call, _ in came] != [call for call, _ in wanted]:
        return [f"{len(came)} answers to {len(wanted)} calls"]
    return [
        f"{call}\n  wanted: {others.get(call, answer)}\n  came: {result}"
        for (call, answer), (_, result) in zip(wanted, came) if others.get(call, answer) != result
    ]


def main():
    parser = argparse.ArgumentParser()
    for name in ("host", "units", "runtime", "work"):
        parser.add_argument("--" + name, required=name in ("host", "units"), type=pathlib.Path)
    parser.add_argument("--libraries", required=True, nargs="+")
    parser.add_argument("--cxx", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    ours = dict(
        zip(args.libraries[::2], (pathlib.Path(path).resolve() for path in args.libraries[1::2])))
    lines = read_lines()
    problems = find_uncalled(args.units, lines)
    if args.runtime is None:
        problems += find_wrong(args.host, None, ours, lines, {})
    else:
        reference = package.require()
        theirs = compile_units(args.cxx, reference.include, args.units, args.work / "units")
        their_runtime, our_runtime = pathlib.Path(
            reference.library).resolve(), args.runtime.resolve()
        for setup, runtime, libraries, others in [
            ("our headers, its library", their_runtime, ours, ON_ITS_LIBRARY),
            ("its headers, our library", our_runtime, theirs, BY_ITS_HEADERS),
            ("its headers and library", their_runtime, theirs, {**BY_ITS_HEADERS, **ON_ITS_LIBRARY})
        ]:
            chosen = [
                line for line in lines
                if setup != "its headers, our library" or not line.startswith(NEEDS_ITS_LIBRARY)
            ]
            problems += [
                f"{setup}: {text}"
                for text in find_wrong(args.host, runtime, libraries, chosen, others)
            ]
    print("\n".join(problems) or f"{len(lines)} calls, and what came of them is what is written")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One host, two runtimes: every call has the same result on both, except for the listed
differences.

    compare.py --host PROGRAM --runtime libtvm_ffi.so --kernels kernels.so --work FOLDER --cxx
    g++...

Kernels with our C headers are given; those with the package's C++ headers are compiled here,
because the package is not available at build time. The host runs once with each library preloaded.
A difference that is not in differences.txt is an error, and so is an entry there without a
difference.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

import package

HERE = pathlib.Path(__file__).resolve().parent
CXXFLAGS = ["-std=c++17", "-O1", "-fPIC", "-shared"]
FIELDS = ("row", "call", "package", "ours")
# The libraries with the package's headers: their names in calls.txt, and their sources.
SOURCES = {
    "package": ["kernels_package.cc", "kernels_objects.cc"], "modules": ["kernels_modules.cc"]
}


def fail(text):
    print(text)
    sys.exit(1)


def compile_kernels(cxx, include, sources, target):
    command = [
        *cxx, *CXXFLAGS, *(f"-I{folder}" for folder in include),
        *(HERE / source for source in sources), "-o", target
    ]
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        fail(done.stdout)


def run(host, runtime, calls, libraries):
    """Run the host on a library, or on the one that it is linked with: a list of (call, result)."""
    env = {**os.environ, "LC_ALL": "C"}
    if runtime is not None:
        env.update(LD_PRELOAD=str(runtime), LD_LIBRARY_PATH="")
    command = [host, HERE / calls, *(f"{name}={path}" for name, path in libraries.items())]
    done = subprocess.run([str(word) for word in command], env=env, text=True, check=False,
                          errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    lines = done.stdout.splitlines()
    if done.returncode != 0:
        fail(
            f"the host on {runtime} ended with {done.returncode}; it came to\n  "
            f"{lines[-1:]}\n{done.stderr[-2000:]}"
        )
    loaded = [line for line in lines if line.startswith("runtime ")]
    if runtime is not None and loaded != [f"runtime {runtime}"]:
        fail(f"the host ran on {loaded}, and not on {runtime} alone")
    return [tuple(line.split(" => ", 1)) for line in lines if line not in loaded]


def read_differences():
    """The entries of differences.txt, by call."""
    entries = {}
    text = "\n".join(line for line in (HERE /
                                       "differences.txt").read_text(encoding="utf-8").splitlines()
                     if not line.startswith("#"))
    for block in filter(None, re.split(r"\n\n+", text.strip())):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if tuple(fields) != FIELDS or fields["call"] in entries:
            fail("not one entry of row, call, package, ours:\n" + block)
        entries[fields["call"]] = fields
    return entries


def compare(theirs, ours):
    """The problems, as texts."""
    listed, problems = read_differences(), []
    for (call, their_result), (our_call, our_result) in zip(theirs, ours):
        assert call == our_call
        entry = listed.pop(call, None)
        if entry is None and their_result != our_result:
            problems.append(f"differs, and is not in differences.txt:\n  call: {call}\n"
                            f"  package: {their_result}\n  ours: {our_result}")
        elif entry is not None and (entry["package"], entry["ours"]) != (their_result, our_result):
            change = "differs no more" if their_result == our_result else "differs in another way"
            problems.append(
                f"{change}, unlike in differences.txt ({entry['row']}):\n  call: {call}\n"
                f"  package: {their_result}\n  ours: {our_result}")
    return problems + [f"in differences.txt, but never called: {call}" for call in listed]


def read_exports(source):
    return set(re.findall(r"^EXPORT\((\w+),", (HERE / source).read_text(encoding="utf-8"), re.M))


def check_calls(theirs, libraries):
    """Check that every call was made, and that every kernel with the package's headers is
    called."""
    text = (HERE / "calls.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in text if line and not line.startswith(("#", "drop "))]
    made = [call for call, _ in theirs]
    if wanted != made:
        fail("\n".join(difflib.unified_diff(wanted, made, "calls.txt", "the host", lineterm="")))
    for library, sources in SOURCES.items():
        called = set(re.findall(rf"\b{library}\.(\w+)", "\n".join(wanted)))
        for source in sources:
            exports = read_exports(source)
            if not exports or exports - called:
                fail(f"{source}: never called: {sorted(exports - called)} of {len(exports)}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("host", "runtime", "kernels", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference = package.require()
    libraries = {"c": args.kernels.resolve()}
    for library, sources in SOURCES.items():
        libraries[library] = (args.work / sources[0]).with_suffix(".so")
        compile_kernels(args.cxx, reference.include, sources, libraries[library])
    theirs = run(args.host, pathlib.Path(reference.library).resolve(), "calls.txt", libraries)
    ours = run(args.host, args.runtime.resolve(), "calls.txt", libraries)
    check_calls(theirs, libraries)
    problems = compare(theirs, ours)
    print("\n".join(problems) if problems else
          f"{len(theirs)} calls, {len(read_differences())} listed differences, none besides")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

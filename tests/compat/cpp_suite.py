#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C++ tests of the package's source distribution, built with its headers, on its own library and on ours.

    cpp_suite.py --runtime libtvm_ffi.so --work FOLDER --cxx g++...

Its library and ours run all of them, and all pass. What they compile to is kept beside the package: only linking
depends on the library.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import package

# Of that release; beside them are some that it has switched off.
NUM_TESTS = 543
FLAGS = ["-std=c++17", "-O0", "-g0", "-w"]
LINKED = ["-ltvm_ffi", "-ltvm_ffi_testing", "-lgtest_main", "-lgtest", "-lpthread"]


def run(*command, **options):
    """What the command prints; the test ends here if it fails."""
    done = subprocess.run([str(word) for word in command], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}")
    return done.stdout


class Build:
    """The compiler at work in a folder, with one header for all of the package's and GoogleTest's."""

    def __init__(self, cxx, include, tests, folder):
        self.folder = folder
        self.command = [*cxx, *FLAGS, *(f"-I{path}" for path in include)]
        # A file that defines what their headers ask for cannot use them as they are compiled here.
        self.sources = {file: re.search(r"^#define TVM_FFI_", file.read_text(encoding="utf-8"), re.M) is None
                        for file in tests.rglob("test_*.cc")}
        headers = sorted(file.relative_to(folder) for folder in map(pathlib.Path, include)
                         for file in folder.glob("tvm/ffi/**/*.h") if "cuda" not in file.parts)
        self.header = folder / "all.h"
        self.header.write_text("".join(f"#include <{name}>\n" for name in ["gtest/gtest.h", *headers]))
        clang = "clang" in run(*cxx, "--version")
        self.compiled = folder / ("all.h.pch" if clang else "all.h.gch")
        self.use = ["-include-pch", self.compiled] if clang else ["-include", self.header]

    def compile(self, source):
        target = self.folder / f"{source.parent.name}_{source.stem}.o"
        run(*self.command, *(self.use if self.sources[source] else []), "-c", source, "-o", target)

    def compile_all(self):
        run(*self.command, "-x", "c++-header", self.header, "-o", self.compiled)
        # The largest first: the last of them ends alone.
        sources = sorted(self.sources, key=lambda file: -file.stat().st_size)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(self.compile, sources))
        self.compiled.unlink()


def compile_tests(cxx, include, tests):
    """The folder of the object files."""
    asked = json.dumps([package.VERSION, cxx, FLAGS, run(*cxx, "--version")])
    folder = package.folder() / "cpp_suite" / hashlib.sha256(asked.encode()).hexdigest()[:16]
    with package.locked(folder.parent / "lock"):
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            Build(cxx, include, tests, folder).compile_all()
            (folder / "whole").touch()
    return folder


def outcomes(cxx, objects, library, testing, work):
    """The tests that ran on the library, and what is said of each that failed. Some have the same name."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for file in (library, testing):
        shutil.copy(file, work)
    program, results = work / "tests", work / "results.json"
    run(*cxx, *sorted(objects.glob("*.o")), f"-L{work}", *LINKED, f"-Wl,-rpath,{work}", "-o", program)
    env = {key: value for key, value in os.environ.items() if not key.startswith(("GTEST_", "LD_"))}
    loaded = run(program, env={**env, "LD_TRACE_LOADED_OBJECTS": "1"})
    if re.findall(r"libtvm_ffi\.so => (\S+)", loaded) != [str(work / "libtvm_ffi.so")]:
        sys.exit(f"the tests were to run on {library}:\n{loaded}")
    with open(work / "log.txt", "w", encoding="utf-8") as log:
        done = subprocess.run([program, f"--gtest_output=json:{results}"], cwd=work, env=env, check=False,
                              stdout=log, stderr=subprocess.STDOUT)
    if not results.exists():
        tail = (work / "log.txt").read_text(encoding="utf-8", errors="replace").splitlines()[-40:]
        sys.exit("\n".join([*tail, f"the tests ended with {done.returncode} on {library}"]))
    suites = json.loads(results.read_text(encoding="utf-8"))["testsuites"]
    ran = [(f"{suite['name']}.{test['name']}", test) for suite in suites for test in suite["testsuite"]
           if test["status"] == "RUN"]
    return [(name, "\n".join(part["failure"] for part in test.get("failures", []))) for name, test in ran]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference, source = package.require(), package.require_suite()
    objects = compile_tests(args.cxx, reference.include, source / "tests" / "cpp")
    testing = pathlib.Path(reference.library).with_name("libtvm_ffi_testing.so")
    work = args.work.resolve() / "cpp_suite"
    problems = []
    for name, library in (("the package's library", reference.library), ("ours", args.runtime)):
        came = outcomes(args.cxx, objects, library, testing, work / name.split()[-1])
        passed = sum(not failure for _, failure in came)
        print(f"{passed} of {len(came)} C++ tests of the package passed on {name}")
        problems += [f"{test} on {name}:\n{failure}" for test, failure in came if failure]
        if len(came) != NUM_TESTS:
            problems.append(f"{NUM_TESTS} were to run on {name}")
    print(*problems, sep="\n\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C++ tests of the package's source distribution, on its own library and on ours.

    cpp_suite.py --runtime libtvm_ffi.so... [--layer INCLUDE...] --work FOLDER --cxx g++...

They are built unchanged, with the package's headers or, with --layer, with ours. All of them must
pass on each library. Object files are kept, those with the package's headers beside the package and
those with ours in the work folder: only linking depends on the library.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import objects
import package

# The enabled tests of that release; it has some disabled ones as well.
NUM_TESTS = 543
FLAGS = ["-std=c++17", "-O0", "-g0", "-w"]
# They include headers of drivers, which exclude each other.
OF_DRIVERS = ("cuda.h", "hip.h", "opencl.h", "gpu.h", "sycl.h")
LINKED = ["-ltvm_ffi", "-ltvm_ffi_testing", "-lgtest_main", "-lgtest", "-lpthread"]


def compile_tests(folder, cxx, include, tests):
    """Make object files in the folder, with one precompiled header of all the package's headers and
    GoogleTest's."""
    # A file that defines macros which the headers test cannot use the precompiled header.
    sources = {file: re.search(r"^#define TVM_FFI_", file.read_text(encoding="utf-8"), re.M) is None
               for file in tests.rglob("test_*.cc")}
    # What is in c/detail are the bodies of functions, which their headers include.
    headers = sorted(file.relative_to(folder) for folder in map(pathlib.Path, include)
                     for file in folder.glob("tvm/ffi/**/*.h")
                     if not {"cuda", "hip"} & set(file.parts) and file.name not in OF_DRIVERS
                     and file.parts[-3:-1] != ("c", "detail"))
    objects.keep(folder, cxx, FLAGS, include, sources, ["gtest/gtest.h", *headers])


def outcomes(cxx, compiled, library, testing, work):
    """The tests that ran on the library, each with its failure message or "". Some have the same
    name."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for file in (library, testing):
        shutil.copy(file, work)
    program, results = work / "tests", work / "results.json"
    objects.run(*cxx, *sorted(compiled.glob("*.o")), f"-L{work}", *LINKED, f"-Wl,-rpath,{work}",
                "-o", program)
    env = {key: value for key, value in os.environ.items() if not key.startswith(("GTEST_", "LD_"))}
    loaded = objects.run(program, env={**env, "LD_TRACE_LOADED_OBJECTS": "1"})
    if re.findall(r"libtvm_ffi\.so => (\S+)", loaded) != [str(work / "libtvm_ffi.so")]:
        sys.exit(f"the tests were to run on {library}:\n{loaded}")
    with open(work / "log.txt", "w", encoding="utf-8") as log:
        done = subprocess.run([program, f"--gtest_output=json:{results}"], cwd=work, env=env,
                              check=False, stdout=log, stderr=subprocess.STDOUT)
    if not results.exists():
        tail = (work / "log.txt").read_text(encoding="utf-8", errors="replace").splitlines()[-40:]
        sys.exit("\n".join([*tail, f"the tests ended with {done.returncode} on {library}"]))
    suites = json.loads(results.read_text(encoding="utf-8"))["testsuites"]
    ran = [(f"{suite['name']}.{test['name']}", test) for suite in suites
           for test in suite["testsuite"] if test["status"] == "RUN"]
    return [(name, "\n".join(part["failure"] for part in test.get("failures", [])))
            for name, test in ran]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True, type=pathlib.Path, nargs="+")
    parser.add_argument("--layer", type=pathlib.Path, nargs="+")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference, source = package.require(), package.require_suite()
    testing = pathlib.Path(reference.library).with_name("libtvm_ffi_testing.so")
    work = args.work.resolve() / ("cpp_suite_layer" if args.layer else "cpp_suite")
    compiled = work / "objects" if args.layer else objects.beside_package("cpp_suite", args.cxx)
    compile_tests(compiled, args.cxx, args.layer or reference.include, source / "tests" / "cpp")
    problems = []
    libraries = {
        "the package's library": reference.library, **{str(path): path for path in args.runtime}
    }
    for index, (name, library) in enumerate(libraries.items()):
        came = outcomes(args.cxx, compiled, library, testing, work / str(index))
        passed = sum(not failure for _, failure in came)
        print(f"{passed} of {len(came)} C++ tests of the package passed on {name}")
        problems += [f"{test} on {name}:\n{failure}" for test, failure in came if failure]
        if len(came) != NUM_TESTS:
            problems.append(f"{NUM_TESTS} were to run on {name}")
    print(*problems, sep="\n\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

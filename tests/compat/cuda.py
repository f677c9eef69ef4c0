#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of our CUDA headers, compiled with the package's headers, to check that the tests agree
with them.

    cuda.py --tests FOLDER --link FILE... --work FOLDER --cxx g++...

The stand-ins for CUDA and libtvm_ffi are linked as they are for our layer.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import package

# Tests that fail with the package's headers for a reason and must not fail with ours.
DIFFERENCES = [
    # Ours ask for the limit that a device can be set to (attribute 97), not for the default of all
    # kernels (8), and only if it matters. They leave no handled failure for cudaGetLastError(), and
    # refuse numbers that do not fit an int.
    "*.AllowsSomeSharedMemoryOnEachDevice",
    "*.AllowsAllTheSharedMemoryThereIs",
    "*.SomeDevicesMayRefuse",
    "*.NotAllDevicesMayRefuse",
    "RuntimeApi.GivesAKernelWhereThereAreNoDevices",
    # In ours, an error code unknown to the driver gets a name.
    "DriverApi.ReturnsWhatALaunchReturns",
    "DriverApi.Functions",
    # In the package's, a guard that cannot restore the device while an exception is in flight ends
    # the process.
    "DeviceGuard.RestoresWhileAnExceptionIsInFlight",
    # The same for an allocator that cannot free.
    "CudaAllocator.FailsToFreeInSilence",
]
# One program per API: the package's functions for both APIs have the same symbols.
PROGRAMS = [
    "test_cubin_launcher.cc", "test_cubin_launcher_driver.cc", "test_cuda_allocator.cc",
    "test_device_guard.cc"
]


def run(program, tests):
    """Run the given tests of a program: its exit status, how many passed, its output."""
    done = subprocess.run([program, "--gtest_filter=" + tests], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    passed = re.search(r"\[  PASSED  \] (\d+) test", done.stdout)
    return done.returncode, int(passed.group(1)) if passed else 0, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", required=True, type=pathlib.Path)
    parser.add_argument("--link", required=True, nargs="+")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference = package.require()
    paths = [f"-Wl,-rpath,{pathlib.Path(file).resolve().parent}" for file in args.link]
    problems, fired = [], set()
    for source in PROGRAMS:
        program = args.work / ("package_" + pathlib.Path(source).stem)
        subprocess.run([
            *args.cxx, "-std=c++17", "-g0", *(f"-I{folder}" for folder in reference.include),
            "-isystem", args.tests / "include", args.tests / source, args.tests / "embedded.S",
            *args.link, *paths, "-lgtest_main", "-lgtest", "-lpthread", "-o", program
        ], check=True)
        code, passed, output = run(program, "-" + ":".join(DIFFERENCES))
        if code != 0 or passed == 0:
            problems.append(output)
        print(f"{source}: {passed} tests, the same by both sets of headers")
        for pattern in DIFFERENCES:
            code, passed, _ = run(program, pattern)
            if code != 0:
                fired.add(pattern)
            elif passed != 0:
                problems.append(f"{source}: {pattern}: no difference")
    problems += [
        f"no test of that name: {pattern}" for pattern in DIFFERENCES if pattern not in fired
    ]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

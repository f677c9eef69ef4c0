#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the layer's CUDA headers, compiled with the package's: they say what both do.

    cuda.py --tests FOLDER --link FILE... --work FOLDER --cxx g++...

The fakes of CUDA and libtvm_ffi are linked as they are for the layer.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import package

# Tests that the package's headers fail, as ours must not, by reason.
DIFFERENCES = [
    # The most shared memory is what a device can be asked for (97), not what all kernels may have anyway (8),
    # and it is asked for only if it matters. No failure that was got over is left for cudaGetLastError().
    # What no int holds is refused.
    "*.AllowsSomeSharedMemoryOnEachDevice", "*.AllowsAllTheSharedMemoryThereIs", "*.SomeDevicesMayRefuse",
    "*.NotAllDevicesMayRefuse", "RuntimeApi.GivesAKernelWhereThereAreNoDevices",
    # A code that the driver does not know has a name.
    "DriverApi.ReturnsWhatALaunchReturns", "DriverApi.Functions",
    # A guard that cannot restore the device while an exception is in flight ends the process.
    "DeviceGuard.RestoresWhileAnExceptionIsInFlight",
    # So does an allocator that cannot free.
    "CudaAllocator.FailsToFreeInSilence",
]
# One program for each API: the package's functions for both have the same symbols.
PROGRAMS = ["test_cubin_launcher.cc", "test_cubin_launcher_driver.cc", "test_cuda_allocator.cc", "test_device_guard.cc"]


def run(program, tests):
    """The exit status of a program that is to run these tests, how many passed, what it printed."""
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
        subprocess.run([*args.cxx, "-std=c++17", "-g0", *(f"-I{folder}" for folder in reference.include),
                        "-isystem", args.tests / "include", args.tests / source, args.tests / "embedded.S", *args.link,
                        *paths, "-lgtest_main", "-lgtest", "-lpthread", "-o", program], check=True)
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
    problems += [f"no test of that name: {pattern}" for pattern in DIFFERENCES if pattern not in fired]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

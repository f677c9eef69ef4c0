#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containers that are changed alternately by inline code of the package's headers and by a library.

    containers.py --runtime libtvm_ffi.so --work FOLDER --sanitize none --cxx g++...

containers.cc runs 10,000 random sequences against its own model, on our library and on the
package's; its output, which includes the layout of every table, must be the same on both. With
--sanitize the program is instrumented like our library. alloc_dealloc_mismatch is off, because in
the ABI inline C++ code releases with delete what a list allocated with malloc, and the other way
round.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys

import package

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = ("1", "10000")


def run(command, env=None):
    done = subprocess.run([str(word) for word in command], env=env, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        print(f"{command[0]} ended with {done.returncode}", done.stdout[-300:], done.stderr[-4000:],
              sep="\n")
        sys.exit(1)
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--sanitize", required=True)
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference = package.require()
    folder = pathlib.Path(reference.library).resolve().parent
    program = args.work / "containers"
    run([*args.cxx, "-std=c++17", "-O1", "-g", *(f"-I{path}" for path in reference.include),
         *([] if args.sanitize == "none" else [f"-fsanitize={args.sanitize}"]),
         HERE / "containers.cc", "-o", program, f"-L{folder}", "-ltvm_ffi"])
    options = os.environ.get("ASAN_OPTIONS", "") + ":alloc_dealloc_mismatch=0"
    came = [
        run([program, *SEEDS],
            {**os.environ, "ASAN_OPTIONS": options, "LD_LIBRARY_PATH": str(path)})
        for path in (folder, args.runtime.resolve().parent)
    ]
    dense = sum(" dense " in line for line in came[0])
    print(f"{len(came[0])} containers, {dense} of them with a table")
    if came[0] == came[1] and dense > 1000:
        return 0
    print(*list(difflib.unified_diff(*came, "package", "ours", n=0, lineterm=""))[:20], sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

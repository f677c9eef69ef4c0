#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the C++ samples with the package's headers and with ours, on both libraries: the
same output.

    samples.py --runtime libtvm_ffi.so --work FOLDER --samples NAME:SOURCE:HOST:KERNEL... --cxx
    g++...
"""
import argparse
import os
import pathlib
import subprocess
import sys

import compare
import package

ROOT = compare.HERE.parent.parent / "samples"


def main():
    parser = argparse.ArgumentParser()
    for name in ("runtime", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--samples", required=True, nargs="+")
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference = package.require()
    folder = args.work / "samples"
    folder.mkdir(exist_ok=True)
    runtimes = (pathlib.Path(reference.library), args.runtime.resolve())
    problems, runs = [], 0
    for sample in args.samples:
        name, source, host, ours = sample.split(":")
        theirs = folder / f"{name}.so"
        compare.compile_kernels(args.cxx, reference.include, [ROOT / name / source], theirs)
        expected = (ROOT / name / "expected.txt").read_text(encoding="utf-8")
        for kernel in (theirs, ours):
            for runtime in runtimes:
                done = subprocess.run([host, kernel],
                                      env={**os.environ, "LD_PRELOAD": str(runtime)}, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                runs += 1
                if done.returncode != 0 or done.stdout != expected:
                    problems.append(
                        f"{host} {kernel} on {runtime} ended with {done.returncode}:\n{done.stdout}"
                    )
    print("\n".join(problems) or f"{runs} runs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

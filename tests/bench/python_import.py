#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `import tvm_ffi` takes with the package's library and with ours; the ratio of the least
times.

    python_import.py [--rounds N] LIBRARY FOLDER        FOLDER gets an environment for each
                                                        libtvm_ffi.so

Each round starts two new processes, and times the import alone, not the start of Python: once
including all that the package imports (NumPy, and PyTorch if installed), once with those imported
before.
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compat"))
import package

PROGRAM = """
import importlib, sys, time
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
start = time.perf_counter_ns()
import tvm_ffi
print(time.perf_counter_ns() - start)
"""
BEFORE = [
    "numpy", "torch", "ctypes", "dataclasses", "importlib.metadata", "inspect", "json",
    "typing_extensions"
]
CASES = {"import tvm_ffi": [], "import tvm_ffi, after what it imports": BEFORE}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", metavar="LIBRARY", help="our libtvm_ffi.so")
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path,
                        help="for the environments of Python")
    parser.add_argument("--rounds", type=int, default=30, help="processes for each library (30)")
    args = parser.parse_args()
    reference = package.require()
    # Two environments made alike, because the location of a package affects the time.
    pythons = [reference.with_library(library, args.folder.resolve() / name)
               for name, library in (("ours", args.library), ("theirs", reference.library))]
    print("| import | ours, ms | theirs, ms | ratio |\n|---|---:|---:|---:|")
    for case, before in CASES.items():
        best = [float("inf")] * 2
        for _ in range(args.rounds):
            for i, python in enumerate(pythons):
                best[i] = min(
                    best[i],
                    int(subprocess.check_output([python, "-c", PROGRAM, *before], cwd="/")) / 1e6)
        print(f"| {case} | {best[0]:.1f} | {best[1]:.1f} | {best[0] / best[1]:.3f} |")


if __name__ == "__main__":
    main()

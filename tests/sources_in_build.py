#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a source, public header or test on disk is missing from the lists of the build.

    sources_in_build.py ROOT --sources FILE... --headers FILE... --tests FILE...
                        --cpp FILE...

Without --cpp files (no C++ compiler) the C++ layer is not checked.
"""
import argparse
import pathlib
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    for kind in ("sources", "headers", "tests", "cpp"):
        parser.add_argument("--" + kind, nargs="*", default=[])
    args = parser.parse_args()
    root = args.root.resolve()

    listed = {str((root / name).resolve()) for name in args.sources + args.tests}
    listed |= {str(root / "include" / name) for name in args.headers}
    on_disk = {path for path in root.glob("c/**/*.c")
               if path.parent.name != "platform"}  # there, one of several files is selected
    on_disk |= set(root.glob("include/**/*.h"))
    for folder in ("c", "cuda", "faults", "race"):
        on_disk |= set(root.glob(f"tests/{folder}/**/test_*.c"))

    if args.cpp:
        listed |= {str((root / name).resolve()) for name in args.cpp}
        listed |= {str(root / "cpp" / name) for name in args.cpp}
        on_disk |= set(root.glob("cpp/**/*.h"))
        for folder in ("cpp", "cuda"):
            on_disk |= set(root.glob(f"tests/{folder}/test_*.cc"))

    missing = sorted(str(path.relative_to(root)) for path in on_disk if str(path) not in listed)
    for path in missing:
        print("in no list of the build:", path)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

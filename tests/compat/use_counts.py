#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hooks and callbacks of structural walks see the same reference counts on our library as on the
package's.

    use_counts.py --runtime libtvm_ffi.so --program use_counts.so   compare
    use_counts.py --dump libtvm_ffi.so --program use_counts.so      print the counts on one of them

Counts matter because a hook may change a value in place if the count shows that only its parent
holds it. The program, use_counts.c, explains the lines; it is loaded after the library that it runs
on.
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys

import package

MAX_SHOWN = 20


def dump(library, program):
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    ctypes.CDLL(str(program)).use_counts_print()


def run(library, program):
    """{walk: counts} that the program prints on a library."""
    command = [sys.executable, __file__, "--dump", library, "--program", program]
    done = subprocess.run([str(word) for word in command], text=True, check=False, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.splitlines()
    if done.returncode != 0:
        sys.exit(f"on {library} it ends with {done.returncode}, after\n  " +
                 "\n  ".join(lines[-3:]))
    pairs = [tuple(line.split(":", 1)) for line in lines]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", type=pathlib.Path)
    parser.add_argument("--dump", type=pathlib.Path)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    args = parser.parse_args()
    if args.dump:
        dump(args.dump, args.program)
        return 0
    theirs, ours = run(package.require().library, args.program), run(args.runtime, args.program)
    events = sum(len(re.findall(r" \w\w\d", line)) for line in theirs.values())
    if theirs.keys() != ours.keys() or events < len(theirs):
        sys.exit(
            f"{len(theirs)} walks on the package's library with {events} events, {len(ours)} on "
            "ours"
        )
    different = [name for name in theirs if theirs[name] != ours[name]]
    print(
        f"{len(theirs)} walks with {events} calls of hooks and callbacks, {len(different)} differ")
    for name in different[:MAX_SHOWN]:
        print(f"{name}\n  package:{theirs[name]}\n  ours:   {ours[name]}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

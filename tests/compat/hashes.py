#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The structural and recursive hashes of random values: the package gives the same ones on our library.

    hashes.py --runtime libtvm_ffi.so --work FOLDER [--seed N] [--count N]

hash_values.py makes the values and hashes them, and two runs of it are compared line by line. The seed is
always the same, so that a failure comes again, unless another one is given.

Each value is made twice in a process. Where the two have different hashes, an address counts, and the hash is
another one in each process. These are all such values:

- A variable that is not in a definition: its structural hash is the address of its object.
- What holds such a variable: its structural hash is made of that address. As a key of a map it also gives
  the place of its entry in the order in which variables and nodes of graphs are numbered.
- A StructuralKey of such a value, which has its hash as a field: the recursive hash of what holds the key.

For these the value is made once more, with the variables of the first time and all else new, and must have
its first hash. Then both lines say "by address", and the number is not compared; a hash that changes for
another reason is printed and cannot be equal. Of a variable alone the address is subtracted. Objects without
fields, such as functions, tensors, errors and opaque objects of Python, have the recursive hash of their type.
"""
import argparse
import pathlib
import subprocess
import sys

import package

VALUES = pathlib.Path(__file__).with_name("hash_values.py")
SEED, COUNT, NUM_SHOWN = 20261, 4000, 10
# What is another result in ours, and must be, with both. The package reads as many bytes as a tensor has from
# where the data begins, not from where the first element is.
MEANT = {"what is before a tensor's byte_offset counts": ("True", "False")}


def start(python, args):
    return subprocess.Popen([python, VALUES, str(args.seed), str(args.count)], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def lines_of(process, name):
    """The results by what they are of."""
    output = process.communicate()[0]
    if process.returncode != 0:
        sys.exit(f"hash_values.py ends with {process.returncode} on {name}:\n{output[-4000:]}")
    pairs = [tuple(line.split(" => ", 1)) for line in output.splitlines()]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    args = parser.parse_args()
    reference = package.require()
    python = reference.with_library(args.runtime, args.work.resolve() / "hashes-venv")
    processes = start(reference.python, args), start(python, args)  # both at a time
    theirs, ours = lines_of(processes[0], "the package's library"), lines_of(processes[1], "ours")
    problems = []
    for value in [*theirs, *(ours.keys() - theirs.keys())]:
        wanted = MEANT.get(value, (theirs.get(value),) * 2)
        if (theirs.get(value), ours.get(value)) != wanted:
            problems.append(f"{value}\n  package: {theirs.get(value)}\n  ours:    {ours.get(value)}")
    problems += [f"{value}: is to differ, and is not there" for value in MEANT.keys() - theirs.keys()]
    by_address = sum("by address" in result for result in theirs.values())
    print(f"seed {args.seed}: {len(theirs)} values, {by_address} with a hash by address, {len(problems)} differ")
    print(*problems[:NUM_SHOWN], sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

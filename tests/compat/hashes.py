#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The structural and recursive hashes of random values are the same on our library as on the
package's.

    hashes.py --runtime libtvm_ffi.so --work FOLDER [--seed N] [--count N]

hash_values.py makes the values and hashes them; two runs of it are compared line by line. The
default seed is fixed, so that failures are reproducible.

Each value is built three times in a process. If these have different hashes, the hash depends on an
address, and differs between processes. (Two are not enough: once in some runs, two addresses lead
to the same hash.) This holds for exactly these values:

- A variable that is not in a definition: its structural hash is the address of its object.
- A value that contains such a variable: its structural hash depends on that address. If the
  variable is a key of a map, so does the position of the entry in the order in which variables and
  graph nodes are numbered.
- A StructuralKey of such a value, which has its hash as a field: the recursive hash of a value with
  the key.

Such a value is built once more, reusing the variables of the first time, and must have the first
hash again. Then both lines say "by address", and the number is not compared; a hash that changes
for another reason is printed and makes the lines differ. For a variable alone the address is
subtracted. Objects without fields, such as functions, tensors, errors and opaque objects of Python,
have the recursive hash of their type.
"""
import argparse
import pathlib
import subprocess
import sys

import package

VALUES = pathlib.Path(__file__).with_name("hash_values.py")
SEED, COUNT, NUM_SHOWN = 20261, 4000, 10
# Values whose result must differ: (package, ours). The package hashes a tensor's number of bytes
# from the start of the data, ignoring byte_offset.
MEANT = {"what is before a tensor's byte_offset counts": ("True", "False")}


def start(python, args):
    return subprocess.Popen(
        [python, VALUES, str(args.seed), str(args.count)], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)


def lines_of(process, name):
    """{value: result}"""
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
    processes = start(reference.python, args), start(python, args)  # in parallel
    theirs, ours = lines_of(processes[0], "the package's library"), lines_of(processes[1], "ours")
    problems = []
    for value in [*theirs, *(ours.keys() - theirs.keys())]:
        wanted = MEANT.get(value, (theirs.get(value),) * 2)
        if (theirs.get(value), ours.get(value)) != wanted:
            problems.append(
                f"{value}\n  package: {theirs.get(value)}\n  ours:    {ours.get(value)}")
    problems += [
        f"{value}: is to differ, and is not there" for value in MEANT.keys() - theirs.keys()
    ]
    by_address = sum("by address" in result for result in theirs.values())
    print(
        f"seed {args.seed}: {len(theirs)} values, {by_address} with a hash by address, "
        f"{len(problems)} differ"
    )
    print(*problems[:NUM_SHOWN], sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

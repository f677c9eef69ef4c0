#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the unit tests with failing allocations (faults.h), and counts the failures.

usage: run.py once|lasting PROGRAM... --in-children PROGRAM...

Programs after --in-children have callbacks that count their calls: each failing call is made in a
child process.
"""
import os
import re
import subprocess
import sys

RESULT = re.compile(
    r"^faults: (\d+) failures in (\d+) calls, (\d+) without an error, (\d+) with another$", re.M)


def main():
    mode, *programs = sys.argv[1:]
    first_in_children = programs.index("--in-children")
    totals, failed = [0, 0, 0, 0], []
    for i, program in enumerate(programs):
        if i == first_in_children:
            continue
        environment = dict(os.environ, TVM_FFI_TEST_FAULTS=mode)
        if i > first_in_children:
            environment["TVM_FFI_TEST_FAULTS_FORK"] = "1"
            # AddressSanitizer keeps 256 MB of freed blocks by default, and each of a thousand
            # children gets page tables for them. A use after free is found until 8 MB more are
            # freed.
            environment["ASAN_OPTIONS"] = ":".join(
                filter(None, [environment.get("ASAN_OPTIONS"), "quarantine_size_mb=8"]))
        name = os.path.basename(program)
        print(f"{name}:", end=" ", flush=True)  # if it hangs, this is the last line
        run = subprocess.run([program], env=environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace")
        result = RESULT.search(run.stdout)
        if run.returncode == 77:
            print("skipped")
        elif run.returncode != 0 or result is None:
            failed.append(name)
            print(f"ended with {run.returncode}:\n{run.stdout}")
        else:
            print(result[0])
            totals = [total + int(number) for total, number in zip(totals, result.groups())]
    print(
        f"{mode}: {totals[0]} failures in {totals[1]} calls, {totals[2]} without an error, "
        f"{totals[3]} with another"
    )
    if totals[0] == 0:
        failed.append("no failures were injected")
    sys.exit(", ".join(failed) or None)


main()

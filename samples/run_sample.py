#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program and compares its output: run_sample.py <expected.txt> <program> <argument>...

Exit code 77 means that the program cannot run here and has printed the reason: the test is skipped.
"""
import difflib
import os
import shlex
import subprocess
import sys

SKIP = 77


def main():
    expected_path, program = sys.argv[1], sys.argv[2:]
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    done = subprocess.run(wrapper + program, stdout=subprocess.PIPE)
    got = done.stdout.decode("utf-8", "replace").splitlines()
    if done.returncode == SKIP:
        print("\n".join(got))
        return SKIP
    with open(expected_path, encoding="utf-8") as file:
        expected = file.read().splitlines()
    for line in difflib.unified_diff(expected, got, "expected", "printed", lineterm=""):
        print(line)
    if done.returncode != 0:
        print(f"{program[0]} ended with {done.returncode}")
    return done.returncode != 0 or got != expected


if __name__ == "__main__":
    sys.exit(main())

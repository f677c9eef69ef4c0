#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when the table of docs/guide/real_time.md is not what tests/real_time.c measures.

    real_time.py [--write] PAGE PROGRAM FOLDER

FOLDER has the libraries of tests/modules. --write puts what was measured into the page.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

TABLE = re.compile(r"(?<=^\| function \| first in a thread \| then \|\n\|---\|---\|---\|\n)"
                   r"(?:\|.*\n)+", re.M)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    done = subprocess.run([args.program, args.folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        sys.exit(done.returncode)
    page = args.page.read_text(encoding="utf-8")
    found = TABLE.search(page)
    if found is None:
        sys.exit(f"real_time.py: {args.page} has no such table")
    if args.write:
        args.page.write_text(page[:found.start()] + done.stdout + page[found.end():],
                             encoding="utf-8")
    elif found[0] != done.stdout:
        sys.stdout.writelines(
            difflib.unified_diff(found[0].splitlines(True), done.stdout.splitlines(True),
                                 str(args.page), "measured"))
        sys.exit(1)
    print(f"{found[0].count(chr(10))} rows")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what demos/browser/emit.py refuses: test_emit.py. What it compiles is run by
test_module_functions.mjs."""
import pathlib
import subprocess
import sys
import tempfile

EMIT = pathlib.Path(__file__).resolve().parents[2] / "demos/browser/emit.py"
REFUSED = {
    "def f(a, b): return a, b, a": "1: `f` takes the 3 colours first",
    "def f(a, b, c):\n    pass": "2: the last statement returns 3 colours",
    "def f(a, b, c): return a, b": "1: the last statement returns 3 colours",
    "def f(a, b, c): return a, b, d": "1: `d` has no value",
    "def f(a, b, c):\n    d = e\n    e = a\n    return d, b, c": "2: `e` has no value",
    "def f(a, b, c): return a, b, a % b": "1: cannot compile `a % b`",
    "def f(a, b, c): return a, b, min(a)": "1: cannot compile `min(a)`",
    "def f(a, b, c): return a, b, sin(a)": "1: cannot compile `sin(a)`",
    "def f(a, b, c): return a, b, 'text'": "1: cannot compile `'text'`",
    "def f(a, b, c): return a, b, True": "1: cannot compile `True`",
    "def f(a, b, c):\n    a += 1\n    return a, b, c": "2: cannot compile `a += 1`",
    "def f(a, b, c):\n    a = b = c\n    return a, b, c": "2: cannot compile `a = b = c`",
    "def f(a, b, c=1): return a, b, c": "1: parameters of `f` have names alone",
    "def f(a, b, c, *d): return a, b, c": "1: parameters of `f` have names alone",
    "x = 1": "1: cannot compile `x = 1`",
}


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "f.py")
        for source, message in REFUSED.items():
            path.write_text(source + "\n", encoding="utf-8")
            done = subprocess.run([EMIT, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True)
            good = (done.returncode == 1 and done.stderr == f"{path}:{message}\n"
                    and done.stdout == "")
            failed += not good
            print(
                f"ok {source!r}" if good else f"FAILED {source!r}: {done.returncode} {done.stderr}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

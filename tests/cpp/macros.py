#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a public macro of the C++ layer expands to a comma outside of parentheses.

    macros.py ROOT COMPILER...    the compiler with its arguments

A macro of the user's takes a statement as one argument, as in EXPECT_THROW({ TVM_FFI_THROW(E) << 1;
}, Error). When that macro passes the argument to another macro, such a comma splits it, even inside
braces.
"""
import os
import pathlib
import re
import subprocess
import sys

DEFINE = re.compile(r"^#\s*define\s+(TVM_FFI_\w+)\(([^)]*)\)", re.MULTILINE)
MODES = [[],
         [
             "-DNDEBUG", "-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1",
             "-DTVM_FFI_ALWAYS_LOG_BEFORE_THROW=1"
         ], ["-fno-exceptions", "-DTVM_FFI_LEAN"]]


def public_macros(folder):
    """The name and the parameters of each public macro, by the header that defines it."""
    found = {}
    for header in sorted(folder.rglob("*.h")):
        for name, parameters in DEFINE.findall(header.read_text(encoding="utf-8")):
            if "_DETAIL_" not in name and not name.endswith("_"):
                found[name] = (header.relative_to(folder), parameters.replace("...", "rest"))
    return found


def has_bare_comma(text):
    """Whether the text has a comma outside of parentheses, strings and pragmas."""
    text = re.sub(r'"(\\.|[^"\\])*"', "", re.sub(r"^#.*$", "", text, flags=re.MULTILINE))
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            return True
    return False


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    macros = public_macros(root / "cpp")
    headers = sorted({str(header) for header, _ in macros.values()})
    code = "".join(f"#include <{header}>\n" for header in headers)
    code += "".join(f"@ {name} @ {name}({parameters})\n"
                    for name, (_, parameters) in macros.items()) + "@"
    failed = len(macros) < 50
    for mode in MODES:
        run = subprocess.run([*compiler, *mode, "-E", "-x", "c++", "-"], input=code,
                             capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        # A preprocessor keeps the lines of text separate and may put spaces between words.
        expanded = dict(
            re.findall(r"^@ (\w+) @(.*?)(?=^@)", run.stdout, flags=re.MULTILINE | re.DOTALL))
        if run.returncode != 0 or set(expanded) != set(macros):
            print(run.stderr[:2000], "not expanded:", sorted(set(macros) - set(expanded)))
            return 1
        for name, text in expanded.items():
            if has_bare_comma(text):
                print(
                    f"{name} {' '.join(mode)}: a comma outside of parentheses:\n  "
                    f"{' '.join(text.split())[:400]}"
                )
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

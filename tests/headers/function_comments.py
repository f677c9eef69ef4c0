#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when the comment of a public function in C, or that of its section, lacks a part of its
contract.

    function_comments.py ROOT

- Who owns what: each pointer and handle among the parameters, and one that is returned, has a word
  in brackets, which docs/ownership.md explains.
- `Errors:` and `Threads:`.
- `Since 0.1.N` in the comment of a function that came later than the first release of the ABI, and
  in no other. The functions that only this library has are in headers of their own.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/site"))
import declarations  # noqa: E402

POINTER = re.compile(r"\*|Handle\b|TVMFFIByteArray\b|tvm_ffi_cuda_stream\b")
OWN_HEADERS = ("c_runtime_api.h", "c_runtime_parts.h", "isolated.h", "record.h")
FIRST = "0.1.0"


def name_of(parameter):
    """The name in a declaration such as `const int64_t *shape` or `void (*deleter)(void *self)`."""
    return (re.search(r"\(\*(\w+)\)", parameter) or re.search(r"(\w+)(?:\[\w*\])?$", parameter))[1]


def words_of(text, tag):
    """The words in brackets behind a tag: `[borrow]` of `@param x, y [borrow] ...`."""
    return re.findall(rf"{tag}[^@\[]*\[([\w ]+)\]", text)


def lacking(function, words):
    """What the comments do not say."""
    for parameter in function.parameters:
        if POINTER.search(parameter):
            name = name_of(parameter)
            found = words_of(function.said, rf"@param (?:\w+, *)*{name}\b")
            if not found or not set(found) <= words:
                yield f"who owns `{name}`: {' '.join(found) or 'nothing'} is said"
    if POINTER.search(function.returned) and not set(words_of(function.said, "@return")) & words:
        yield "who owns what is returned"
    for part in ("Errors", "Threads"):
        if not re.search(rf"\b{part}:", function.said):
            yield part


def check_since(function, releases):
    if function.name not in releases:
        yield "an entry in tools/tvm-ffi/file/runtime_symbols.c"
        return
    release = releases[function.name]
    said = re.findall(r"Since (\d+\.\d+\.\d+)\.", function.comment)
    if said != ([release] if release != FIRST else []):
        yield f"since which release it exists: {release}, not {' '.join(said) or 'the first'}"


def main():
    root = pathlib.Path(sys.argv[1])
    words = set(
        re.findall(r"^\| `\[([\w ]+)\]` \|",
                   (root / "docs/ownership.md").read_text(encoding="utf-8"), re.M))
    releases = declarations.releases(root)
    problems, count = [], 0
    for header in sorted((root / "include").rglob("*.h")):
        if "detail" in header.parts:
            continue
        for function in declarations.functions(header.read_text(encoding="utf-8")):
            count += 1
            problems += [
                f"{header.name}: {function.name} does not say {part}"
                for part in lacking(function, words)
            ]
            if function.exported and header.name not in OWN_HEADERS:
                problems += [
                    f"{header.name}: {function.name} does not say {part}"
                    for part in check_since(function, releases)
                ]
    print("\n".join([*problems, f"{count} functions"]))
    return 1 if problems or count == 0 or not words else 0


if __name__ == "__main__":
    sys.exit(main())

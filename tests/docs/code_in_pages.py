#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when code in the documents is not in the file that it claims to be from.

    code_in_pages.py --made FILE MADE ROOT [PAGE...]

Code is any fenced block but directives for the site, ```{name}, and lines for CMake, which
readme.py tries; it must be in the file of a sample or demo that was linked last. If that file is
FILE, it must be in MADE, which was generated from it. A line `...` stands for any number of lines;
the others must be consecutive. Indentation is ignored. A block that begins with the name of a file
(```c add.c) is that file: tests/tool/test_codegen.py compiles it. PAGES are left out: tutorials.py
does what they say.
"""
import argparse
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)]*(?:samples|demos)/[^)]*(?<!README)\.\w+)\)")


def passages(block):
    """The lines between lines of dots, as lists."""
    found = [[]]
    for line in block:
        if line == "...":
            found.append([])
        elif line:
            found[-1].append(line)
    return [lines for lines in found if lines]


def find_missing(source, block):
    """The first line of the first passage that the source does not contain in this order, or
    None."""
    position = 0
    for lines in passages(block):
        places = (i for i in range(position, len(source)) if source[i:i + len(lines)] == lines)
        position = next(places, None)
        if position is None:
            return lines[0]
        position += len(lines)
    return None


def read(path, made):
    """The lines of a file and of what is made from it, without those that are empty."""
    files = [path, *([made[path]] if path in made else [])]
    lines = "\n".join(file.read_text(encoding="utf-8") for file in files).splitlines()
    return [line.strip() for line in lines if line.strip()]


def check(page, made):
    sample, block, problems, count = None, None, [], 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```") and block is None:
            block, first, is_quoted = [], number, not line.startswith(
                ("```{", "```cmake")) and " " not in line
        elif line.startswith("```") and not is_quoted:
            block = None
        elif line.startswith("```"):
            if sample is None:
                problems.append(f"{page.name}:{first}: from no sample")
            else:
                missing = find_missing(read(sample, made), block)
                if missing is not None:
                    problems.append(
                        f"{page.name}:{first}: not in {sample.parent.name}/{sample.name}: {missing}"
                    )
            block, count = None, count + 1
        elif block is not None:
            block.append(line.strip())
        else:
            for link in LINK.findall(line):
                sample = (page.parent / link).resolve()
    return problems, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--made", nargs=2, type=pathlib.Path, required=True)
    parser.add_argument("pages", nargs="*")
    args = parser.parse_args()
    problems, count, root = [], 0, args.root.resolve()
    made = {args.made[0].resolve(): args.made[1]}
    followed = {root / page for page in args.pages}
    for page in [
            root / "README.md",
            *sorted({*root.glob("docs/*.md"), *root.glob("docs/guide/*.md")} - followed)
    ]:
        found, blocks = check(page, made)
        problems += found
        count += blocks
    print("\n".join(problems + [f"{count} pieces of code"]))
    return len(problems) != 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headings of Markdown pages as targets of links. As a program, a filter for Doxygen.

    anchors.py ROOT PAGE

Doxygen does not make anchors as GitHub does. The filter prints a page with a label at each heading, and with links
to headings turned into references to these labels.
"""
import pathlib
import re
import sys

HEADING = re.compile(r"^(##+ )(.*)$", re.M)


def anchor(title):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def label(root, page, name):
    return "-".join((*page.resolve().relative_to(root).with_suffix("").parts, name)).replace(".", "-")


def convert(root, page):
    def link(match):
        target = page.parent / match[1] if match[1] else page
        return f"](#{label(root, target, match[2])})"

    def convert_part(text):
        text = HEADING.sub(lambda match: f"{match[0]} {{#{label(root, page, anchor(match[2]))}}}", text)
        return re.sub(r"\]\(([\w./-]+\.md|)#([\w-]+)\)", link, text)

    parts = re.split(r"(^```.*?^```)", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return "".join(part if part.startswith("```") else convert_part(part) for part in parts)


if __name__ == "__main__":
    sys.stdout.write(convert(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))

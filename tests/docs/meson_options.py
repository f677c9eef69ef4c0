#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when the first table of options in docs/building.md is not that of meson_options.txt: each
option with its values, the default first, and no other.

    meson_options.py ROOT
"""
import pathlib
import re
import sys

VALUES = {"feature": ["auto", "enabled", "disabled"], "boolean": ["true", "false"]}


def main():
    root = pathlib.Path(sys.argv[1])
    # The second table has Meson's own options.
    rows = (root / "docs/building.md").read_text(
        encoding="utf-8").partition("\n| option |")[2].partition("\n\n")[0]
    table = {name: re.findall(r"`(.*?)`", values)
             for name, values in re.findall(r"^\| `(\w+)` \| (.*?) \|", rows, re.M)}
    text = (root / "meson_options.txt").read_text(encoding="utf-8")
    options = re.findall(
        r"^option\('(\w+)', type: '(\w+)',(?: choices: \[(.*?)\],)? value: '?(\w+)'?", text, re.M)
    names = [name for name, *_ in options]
    wrong = [
        f"docs/building.md: no option has the name `{name}`" for name in table if name not in names
    ]
    if len(options) != len(re.findall(r"\boption\s*\(", text)):
        wrong.append(
            "meson_options.txt: an option is written otherwise than the others, which are "
            f"{', '.join(names)}"
        )
    for name, kind, choices, default in options:
        values = re.findall(r"'(.*?)'", choices) or VALUES[kind]
        expected = [default, *(value for value in values if value != default)]
        shown = table.get(name, [])
        if shown[:1] != [default] or set(shown) != set(expected):
            wrong.append(f"docs/building.md: `{name}` has the values {expected}, not {shown}")
    print("\n".join([*wrong, f"{len(options)} options"]))
    return 1 if wrong or not options else 0


if __name__ == "__main__":
    sys.exit(main())

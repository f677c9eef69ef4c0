#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when docs/building.md does not have each option of meson_options.txt with its values, the default first.

    options.py ROOT
"""
import pathlib
import re
import sys

VALUES = {"feature": ["auto", "enabled", "disabled"], "boolean": ["true", "false"]}


def main():
    root = pathlib.Path(sys.argv[1])
    table = {name: re.findall(r"`(.*?)`", values) for name, values in re.findall(
        r"^\| `(\w+)` \| (.*?) \|", (root / "docs/building.md").read_text(encoding="utf-8"), re.M)}
    options = re.findall(r"^option\('(\w+)', type: '(\w+)',(?: choices: \[(.*?)\],)? value: '?(\w+)'?",
                         (root / "meson_options.txt").read_text(encoding="utf-8"), re.M)
    wrong = []
    for name, kind, choices, default in options:
        values = re.findall(r"'(.*?)'", choices) or VALUES[kind]
        expected = [default, *(value for value in values if value != default)]
        shown = table.get(name, [])
        if shown[:1] != [default] or set(shown) != set(expected):
            wrong.append(f"docs/building.md: `{name}` has the values {expected}, not {shown}")
    print("\n".join([*wrong, f"{len(options)} options"]))
    return 1 if wrong or len(options) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())

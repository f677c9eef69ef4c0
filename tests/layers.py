#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a file includes one of a layer above its own.

    layers.py FOLDER LAYER...

A layer is a subfolder of FOLDER; the lowest comes first.
"""
import pathlib
import re
import sys


def main():
    root, layers = pathlib.Path(sys.argv[1]), sys.argv[2:]
    unknown = {path.name for path in root.iterdir() if path.is_dir()} ^ set(layers)
    wrong = [f"{name}: no such layer, or not in the list of them" for name in sorted(unknown)]
    files = 0
    for height, layer in enumerate(layers):
        for path in sorted((root / layer).rglob("*.[ch]*")):
            files += 1
            for included in re.findall(r'^#include "([a-z_]+)/', path.read_text(), re.MULTILINE):
                if included in layers[height + 1:]:
                    wrong.append(f"{path.relative_to(root)}: includes of {included}, which is above {layer}")
    print(*wrong, f"{files} files in {len(layers)} layers", sep="\n")
    return 1 if wrong or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

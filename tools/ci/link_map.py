# SPDX-License-Identifier: Apache-2.0
"""What a file takes in a linked program, read from the map that GNU ld writes with
-Wl,-Map=FILE."""
import pathlib
import re

# Sections that are not loaded.
NOT_LOADED = re.compile(r"\.(comment|note|debug|ARM\.attributes|symtab|strtab|shstrtab|stab)")
NOT_STORED = re.compile(r"\.(bss|tbss)\b")


def read(path, file_name):
    """{section: bytes} of what is in the program of an object file."""
    text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    text = text.split("Linker script and memory map", 1)[1]
    sections = {}
    # A long name of a section is on a line of its own.
    for section, size, name in re.findall(r"^ (\.\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S.*)$", text,
                                          re.M):
        if pathlib.PurePath(name).name == file_name and not NOT_LOADED.match(section):
            sections[section] = sections.get(section, 0) + int(size, 16)
    return sections


def flash(sections):
    """Bytes of code, constants and the first values of variables."""
    return sum(size for name, size in sections.items() if not NOT_STORED.match(name))


def memory(sections):
    """Bytes of variables."""
    return sum(size for name, size in sections.items()
               if NOT_STORED.match(name) or re.match(r"\.t?data(?!\.rel\.ro)", name))

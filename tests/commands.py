# SPDX-License-Identifier: Apache-2.0
"""Commands in pages, with their output.

In an indented block a line with "$ " is a command, and the lines below it are its output. A line
"..." stands for any number of lines, "..." within a line for any text.
"""
import re

INDENT = "    "


def read_commands(lines):
    """The commands of a page, each with the lines below it, without empty lines at the end."""
    commands = []
    inside = False
    for line in lines:
        if line.startswith(INDENT + "$ "):
            commands.append((line[len(INDENT) + 2:], []))
            inside = True
        elif line.startswith(INDENT) and inside:
            commands[-1][1].append(line[len(INDENT):])
        elif line.strip() != "" or not inside:
            inside = False
    return commands


def make_pattern(lines):
    parts = [
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + r"\n"
        for line in lines
    ]
    return re.compile("".join(parts))

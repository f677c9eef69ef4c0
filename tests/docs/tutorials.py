#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follow a tutorial as its reader does, and compare what its commands print.

    tutorials.py [--prefix PREFIX] [--folder FOLDER] PAGE

PREFIX is an installation of the library and the tool; without it those of the system are used. The
reader works in an empty folder, or in FOLDER, where other pages may have been followed before: a
page must leave their files alone.

A fenced block is a file, with the last name of a file in the text above it. In an indented block, a
line with "$ " is a command, and the lines below it are its output: a line "..." stands for any
number of lines, "..." within a line for any text. A command that prints nothing on the page must
succeed and print nothing. Exits with 77 if a program is missing that the page needs, or a package
of Python cannot be fetched. Tests of other pages use the same functions.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INDENT = "    "
FILE = re.compile(r"`(\w+\.(?:c|cc|cu|h|py|txt))`")
# Programs that a page may need, besides those of every system.
PROGRAMS = ("cc", "c++", "pkg-config", "python3")


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


def read_steps(text):
    """What the reader does: ("file", name, text) and ("command", words, output), in the order of
    the page."""
    steps, name = [], None
    parts = re.split(r"^```(\w+)\n(.*?)^```\n", text, flags=re.M | re.S)
    for index in range(0, len(parts), 3):
        steps += [("command", *step) for step in read_commands(parts[index].splitlines())]
        name = (FILE.findall(parts[index]) or [name])[-1]
        if index + 2 < len(parts):
            if name is None:
                sys.exit(f"no name for a file: {parts[index + 2].splitlines()[0]}")
            steps.append(("file", name, parts[index + 2]))
    return steps


def environment(prefix):
    # Meson sets options of sanitizers, with which a program ends by a signal.
    env = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"  # pip may say that there is a newer one
    if prefix is not None:
        (packages,) = prefix.rglob("pkgconfig")
        env.update(PATH=f"{prefix / 'bin'}:{env['PATH']}", PKG_CONFIG_PATH=str(packages))
    return env


def times(folder):
    """When each file of a folder was last changed."""
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def follow(page, steps, folder, env):
    before = times(folder)
    for kind, name, content in steps:
        if kind == "file":
            (folder / name).write_text(content, encoding="utf-8")
            continue
        done = subprocess.run(["sh", "-c", name], cwd=folder, env=env, text=True, errors="replace",
                              check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if "pip install" in name and done.returncode != 0:
            print(f"`{name}`: {done.stdout.strip().rpartition(chr(10))[2]}")
            sys.exit(77)
        if (not make_pattern(content).fullmatch(done.stdout)
                or (done.returncode != 0 and not content)):
            shown = "".join(f"{INDENT}{line}\n" for line in done.stdout.splitlines())
            sys.exit(
                f"{page}: `{name}` ends with {done.returncode} and prints\n{shown}not what the "
                "page shows"
            )
    after = times(folder)
    changed = [name for name in before if before[name] != after.get(name)]
    if changed:
        sys.exit(f"{page} overwrites what an earlier page has made: {', '.join(changed)}")


def main():
    parser = argparse.ArgumentParser(usage="tutorials.py [--prefix PREFIX] [--folder FOLDER] PAGE")
    parser.add_argument("--prefix", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    args = parser.parse_args()
    steps = read_steps(args.page.read_text(encoding="utf-8"))
    commands = [step for step in steps if step[0] == "command"]
    for program in PROGRAMS:
        if (any(re.search(rf"(^|[ (]){re.escape(program)} ", step[1]) for step in commands)
                and not shutil.which(program)):
            print(f"{program} is not installed")
            sys.exit(77)
    if len(commands) < 3:
        sys.exit(f"{args.page} has {len(commands)} commands")
    with tempfile.TemporaryDirectory() as empty:
        follow(args.page, steps, args.folder or pathlib.Path(empty), environment(args.prefix))
    print(f"{len(commands)} commands")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compiler's messages about bad programs: check_bad_programs.py COMPILE BAD_PROGRAMS.txt
GOOD.te

BAD_PROGRAMS.txt has programs between lines of `====`, each followed by `----` and the message about
it. Then the good program is damaged in many ways; the compiler must accept the result, or say where
it is wrong, and never crash.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

COMPILE, BAD, GOOD = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
MESSAGE = re.compile(r"program\.te:\d+:\d+: error: .+\n  .*\n  [ \t]*\^~*\n")
NUM_DAMAGED = 300


def compile_program(folder, text):
    """The exit code of the compiler, and its message."""
    program, kernels = folder / "program.te", folder / "kernels.c"
    program.write_text(text, encoding="utf-8")
    done = subprocess.run([COMPILE, program, kernels], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def check_messages(folder):
    problems = []
    programs = BAD.read_text(encoding="utf-8").split("====\n")[1:]
    for program in programs:
        text, _, expected = program.partition("----\n")
        code, message = compile_program(folder, text)
        if code != 1 or message != expected or not MESSAGE.fullmatch(expected):
            problems.append(
                f"{text}----\nended with {code} and printed\n{message}instead of\n{expected}")
    return problems, len(programs)


def damage(text, choose):
    """The text with one token deleted, repeated, or replaced by another one of it."""
    tokens = re.findall(r"\w+|->|\s+|.", re.sub("#.*", "", text), re.S)
    at = choose.randrange(len(tokens))
    tokens[at:at + 1] = choose.choice([[], [tokens[at]] * 2, [choose.choice(tokens)]])
    return "".join(tokens)


def check_damaged(folder):
    problems, refused = [], 0
    good, choose = GOOD.read_text(encoding="utf-8"), random.Random(25)
    for _ in range(NUM_DAMAGED):
        text = damage(good, choose)
        code, message = compile_program(folder, text)
        refused += code == 1
        if (code, message) != (0, "") and not (code == 1 and MESSAGE.fullmatch(message)):
            problems.append(f"{text}----\nended with {code} and printed\n{message}")
    if not NUM_DAMAGED / 4 < refused < NUM_DAMAGED:
        problems.append(f"{refused} of {NUM_DAMAGED} damaged programs were refused")
    return problems


with tempfile.TemporaryDirectory() as place:
    found, count = check_messages(pathlib.Path(place))
    found += check_damaged(pathlib.Path(place))
print("\n".join(found + [f"{count} bad programs"]))
sys.exit(len(found) != 0 or count == 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiler makes of programs, good and bad:
check_programs.py COMPILE BAD_PROGRAMS.txt GOOD.te CC...

GOOD.te: the C begins with the comment of its first line, and each kernel is exported with its
header as documentation. What the kernels compute is checked by host.c and main.py.

BAD_PROGRAMS.txt has programs between lines of `====`, each followed by `----` and the message about
it.

Then GOOD.te is damaged in many ways: the compiler must accept the result, or say where it is wrong,
and never crash. And it is varied in ways that are right: CC must find nothing wrong with the C.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

COMPILE, BAD, GOOD, *CC = sys.argv[1], *map(pathlib.Path, sys.argv[2:4]), *sys.argv[4:]
MESSAGE = re.compile(r"program\.te:\d+:\d+: error: .+\n  .*\n  [ \t]*\^~*\n")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
NUM_DAMAGED, NUM_VARIED = 300, 8
# What may stand in each other's place in a program that is right.
SIMILAR = [["+", "-", "*"], ["<", "<=", ">", ">=", "==", "!="], ["sum", "max", "min"],
           ["exp", "abs", "sin", "sqrt", "tanh"]]
DTYPES = [["float32", "float64"]]


def compile_program(text, kernels):
    """The exit code of the compiler, and its message."""
    program = kernels.parent / "program.te"
    program.write_text(text, encoding="utf-8")
    done = subprocess.run([COMPILE, program, kernels], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def check_good(folder):
    """Problems of the C of the good program, and how many kernels it has."""
    text, kernels = GOOD.read_text(encoding="utf-8"), folder / "good.c"
    done = compile_program(text, kernels)
    if done != (0, ""):
        return [f"{GOOD.name}: ended with {done[0]} and printed\n{done[1]}"], 0
    made, problems = kernels.read_text(encoding="utf-8"), []
    title = "/* " + text.splitlines()[0].strip("# ") + " */"
    if made.splitlines()[0] != title:
        problems.append(f"{made.splitlines()[0]} instead of {title}")
    headers = [" ".join(header.split()) for header in re.findall(r"^kernel ([^{]+)\{", text, re.M)]
    documented = re.findall(r'^TVM_FFI_C_EXPORT_DOC\(\w+, "(.*)"\);$', made, re.M)
    if documented != headers:
        problems.append(f"documents {documented} instead of {headers}")
    for export in "TVM_FFI_C_EXPORT", "TVM_FFI_C_EXPORT_SCHEMA":
        names = re.findall(rf"^{export}\((\w+), ", made, re.M)
        if names != [header.partition("(")[0] for header in headers]:
            problems.append(f"{export} of {names}")
    return problems, len(headers)


def check_messages(folder):
    problems = []
    programs = BAD.read_text(encoding="utf-8").split("====\n")[1:]
    for program in programs:
        text, _, expected = program.partition("----\n")
        code, message = compile_program(text, folder / "bad.c")
        if code != 1 or message != expected or not MESSAGE.fullmatch(expected):
            problems.append(
                f"{text}----\nended with {code} and printed\n{message}instead of\n{expected}")
    return problems, len(programs)


def tokens_of(text):
    """The tokens and what is between them. A sum in a subscript is one."""
    return re.findall(r"i \+ j|\w+|->|[<>=!]=|\s+|.", re.sub("#.*", "", text), re.S)


def damage(text, choose):
    """The text with one token deleted, repeated, or replaced by another one of it."""
    tokens = tokens_of(text)
    at = choose.randrange(len(tokens))
    tokens[at:at + 1] = choose.choice([[], [tokens[at]] * 2, [choose.choice(tokens)]])
    return "".join(tokens)


def check_damaged(folder):
    problems, refused = [], 0
    good, choose = GOOD.read_text(encoding="utf-8"), random.Random(25)
    for _ in range(NUM_DAMAGED):
        text = damage(good, choose)
        code, message = compile_program(text, folder / "damaged.c")
        refused += code == 1
        if (code, message) != (0, "") and not (code == 1 and MESSAGE.fullmatch(message)):
            problems.append(f"{text}----\nended with {code} and printed\n{message}")
    if not NUM_DAMAGED / 4 < refused < NUM_DAMAGED:
        problems.append(f"{refused} of {NUM_DAMAGED} damaged programs were refused")
    return problems, refused


def vary(text, choose):
    """Another program that is right: with other operators, reductions, functions and dtypes."""
    tokens = tokens_of(text)
    dtypes = {dtype: choose.choice(kind) for kind in DTYPES for dtype in kind}
    for at, token in enumerate(tokens):
        kind = next((kind for kind in SIMILAR if token in kind), [dtypes.get(token, token)])
        tokens[at] = choose.choice(kind)
    return "".join(tokens)


def check_varied(folder):
    problems, made = [], {}
    good, choose = GOOD.read_text(encoding="utf-8"), random.Random(25)
    for number in range(NUM_VARIED):
        text, kernels = vary(good, choose), folder / f"varied_{number}.c"
        done = compile_program(text, kernels)
        if done == (0, ""):
            made.setdefault(kernels.read_text(encoding="utf-8"), kernels)
        else:
            problems.append(f"{text}----\nended with {done[0]} and printed\n{done[1]}")
    for kernels in made.values():
        done = subprocess.run([*CC, *WARNINGS, "-c", kernels, "-o", folder / "varied.o"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            problems.append(done.stdout.decode("utf-8", "replace"))
    return problems, len(made)


with tempfile.TemporaryDirectory() as place:
    results = [check(pathlib.Path(place))
               for check in (check_good, check_messages, check_damaged, check_varied)]
for problem in sum((problems for problems, _ in results), []):
    print(problem)
print("{} kernels, {} bad programs, {} damaged ones refused, the C of {} varied ones".format(
    *(count for _, count in results)))
sys.exit(any(problems or count == 0 for problems, count in results))

# SPDX-License-Identifier: Apache-2.0
"""Tests how targets.txt is read and rows are judged: test_targets.py

The rows of the compiled benchmarks are compared with the file by test_bench.py.
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import targets

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parent.parent / "tools/header_cost"

# What is wrong with a file, and what the error says after the name of the file.
MALFORMED = {
    "row  ratio <= 1": ":1: a row before the first [PROGRAM]",
    "[nonsense]": ":1: no program has this name: there are bench.py, layer_containers.py",
    "[bench.py": ":1: no program has this name",
    "[bench.py]\n# comment\n\nrow ratio <= "
    "1": ":4: not a row, two spaces, and `ratio <= NUMBER`, `ours <= NUMBER` or `none`",
    "[bench.py]\nrow  ratio < 1": ":2: not a row, two spaces",
    "[bench.py]\nrow  theirs <= 1": ":2: not a row, two spaces",
    "[bench.py]\nrow  ratio <= one": ":2: not a row, two spaces",
    "[bench.py]\nrow": ":2: not a row, two spaces",
    "[bench.py]\nrow  ratio <= 1.2.3": ":2: 1.2.3 is not a number above 0",
    "[bench.py]\nrow  ratio <= 0.0": ":2: 0.0 is not a number above 0",
    "[bench.py]\nrow  ratio <= 1\nrow  ratio <= 2": ":3: a second entry of `row`",
    "[bench.py]\nrow  none\nrow  ours <= 2": ":3: a second entry of `row`",
    "[bench.py]\nrow  ratio <= 1 on A\nrow  ratio <= 2 on A": ":3: a second entry of `row`",
}

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "targets.txt")
    for text, expected in MALFORMED.items():
        file.write_text(text + "\n", encoding="utf-8")
        try:
            raise AssertionError((text, targets.read("bench.py", file)))
        except targets.TargetsError as error:
            assert str(error).startswith(f"{file}{expected}"), (text, str(error))
    for program in HERE / "bench.py", HERE / "layer_containers.py", TOOL:
        done = subprocess.run([sys.executable, program, "--targets", file], capture_output=True,
                              text=True, check=False)
        assert (done.returncode, done.stdout,
                done.stderr) == (1, "", f"{file}:3: a second entry of `row`\n"), done
    done = subprocess.run(
        [sys.executable, HERE / "bench.py", "--targets",
         pathlib.Path(folder, "none")], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and re.search(r"none: .*No such file", done.stderr), done

    file.write_text("""[bench.py]
map, *        ratio <= 0.5
map, 10       ratio <= 0.8
size          ratio <= 0.12
size          ours <= 300
vendor        ratio <= 0.9 on Some
vendor        ratio <= 1.2 on Other
free          none
[header_cost]
map, *        ratio <= 0.1
""", encoding="utf-8")
    judge = targets.Judge(targets.read("bench.py", file), vendor="Other")
    for row, ours, ratio, expected in (
            ("map, 1,000", 1, 0.25, "met, 50% below 0.5"),
            ("map, 1,000", 1, 0.5, "met, 0% below 0.5"),
            ("map, 10", 1, 1.0, "MISSED, 25% above 0.8"),
            ("size", 330, 0.06, "met, 50% below 0.12; MISSED, 10% above 300"),
            ("size", 150, None, "met, 50% below 300"),
            ("vendor", 1, 1.2, "met, 0% below 1.2"),
            ("free", 1, 9.0, ""),
            ("unknown", 1, 9.0, "")):
        assert judge.verdict(row, ours, ratio) == expected, (row, judge.verdict(row, ours, ratio))
    assert (judge.met, judge.missed) == (4, 2), (judge.met, judge.missed)
    assert judge.finish() == 0 and targets.Judge([], True).finish() == 0
    judge.is_strict = True
    assert judge.finish() == 1

# The rows of tools/header_cost, from its sources: compiling takes minutes.
loader = importlib.machinery.SourceFileLoader("header_cost", str(TOOL))
header_cost = importlib.util.module_from_spec(importlib.util.spec_from_loader(
    "header_cost", loader))
loader.exec_module(header_cost)
rows = {
    "header_cost": [
        f"{program}, {rest}" for program in header_cost.PROGRAMS
        for rest in ("lean, seconds", "default, seconds", "bytes of .text",
                     "bytes of code and constants")
    ],
    "header_cost --calls": re.findall(r'^ +\{"([^"]+)", "__tvm_ffi_',
                                      (HERE / "layer_calls.c").read_text(encoding="utf-8"), re.M),
    "header_cost --kernel": [
        f"kernel with {header}, {compiler}" for header in header_cost.KERNEL_HEADERS
        for compiler in header_cost.KERNEL_COMPILERS
    ],
}
for program, names in rows.items():
    assert (names
            and targets.Judge(targets.read(program)).compare(names) == ([], [])), (program, names)

# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark with small sizes and checks its output: test_bench.py BUILD-FOLDER
[LAYER-CONTAINERS].

It does not check times. It checks that every operation runs, has the right result (the program
itself checks it) and frees the blocks it allocated, and that a library that cannot be measured is a
failure.
"""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import plot
import targets

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(sys.argv[1])
PROGRAM = BUILD / "tests/bench/bench"
LIBRARY = BUILD / "c/libtvm_ffi.so"
COUNTER = BUILD / "tests/bench/bench_counter.so"
ALONE = {key: value for key, value in os.environ.items() if key != "TVM_FFI_REFERENCE"}


def run(*words, env=None):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                          env={**ALONE, **(env or {})}, check=False)
    return done.returncode, done.stdout, done.stderr


def bench(*words):
    code, out, err = run(sys.executable, HERE / "bench.py", "--build", BUILD, "--rounds=2",
                         "--processes=2", "--slice=10", *words)
    assert code == 0, (words, code, err)
    return out


def check_targets(program, rows, is_complete):
    """Every row has an entry in targets.txt and, if these are all rows of the program, the other
    way round."""
    without, unused = targets.Judge(targets.read(program)).compare(rows)
    assert not without, ("not in targets.txt", without)
    assert not unused or not is_complete, ("in targets.txt, but no rows", unused)


names = [line.split("\t")[0] for line in run(PROGRAM, "list")[1].splitlines()]
assert len(names) > 20 and len(set(names)) == len(names), names

# Every operation, alone.
rows = list(csv.DictReader(bench("--csv=-").splitlines()))
assert [row["operation"] for row in rows][:len(names)] == names, rows
assert all(float(row["ours"]) > 0 and row["ratio"] == "" for row in rows[:len(names)]), rows
with_cxx = [row["operation"] for row in rows if row["operation"].endswith(", with C++ functions")]
assert len(with_cxx) == (2 if (BUILD / "c/cxx/libtvm_ffi.so").exists() else 0), with_cxx
is_core_profile = not any("objects" in name for name in names)
check_targets("bench.py", [row["operation"] for row in rows],
              not is_core_profile and with_cxx and shutil.which("strip"))

# Compared with a second library, here a copy; growth, and its plot.
with tempfile.TemporaryDirectory() as folder:
    copy = shutil.copy(LIBRARY, folder)
    table = bench("--markdown", "--only=string", copy).splitlines()
    assert re.match(r"\| operation \| ours, ns \| theirs, ns \| ratio \|", table[0]), table
    assert len(table) == 5 and all(line.count("|") == table[0].count("|") for line in table), table
    # The verdicts on targets that always are met, or never.
    easy, hard = pathlib.Path(folder, "easy.txt"), pathlib.Path(folder, "hard.txt")
    easy.write_text("[bench.py]\nsmall string, *  ratio <= 1000000000\n", encoding="utf-8")
    hard.write_text("[bench.py]\nsmall string, *  ratio <= 0.000001\n", encoding="utf-8")
    table = bench("--only=small string", "--targets", easy, "--strict", copy).splitlines()
    assert table[0].split()[-1] == "target" and table[1].endswith("met, 100% below 1e+09"), table
    assert table[2] == "" and re.fullmatch(r"1 of 1 rows meet their targets on \S.*",
                                           table[3]), table
    code, out, err = run(sys.executable, HERE / "bench.py", "--build", BUILD, "--rounds=2",
                         "--processes=2", "--slice=10", "--only=small string", "--targets", hard,
                         "--strict", copy)
    assert (code == 1 and "MISSED, " in out
            and re.search(r"\n0 of 1 rows meet their targets on \S.*\n$", out)), (out, err)
    table = bench("--growth", "--markdown", "--most=10000", f"--csv={folder}/growth.csv",
                  copy).splitlines()
    growth = pathlib.Path(folder, "growth.csv").read_text(encoding="utf-8")
rows = list(csv.DictReader(growth.splitlines()))
expected = [(operation, size, threads)
            for adding, lookup in (("set global, new names", "get global + release"),
                                   ("register types", "type key to index"))
            for size in ("10", "10000")
            for operation, threads in ((adding, "1"), (lookup, "1"), (lookup, "2"), (lookup, "4"))]
if not is_core_profile:
    walks = ("structural hash", "structural equality", "repr", "deep copy + release",
             "JSON graph write + release", "JSON graph read + release")
    expected += [(f"{operation}, each object", size, "1") for size in ("10", "10000")
                 for operation in walks]
    expected += [(f"JSON {operation} + release, each kB", size, "1")
                 for size in ("1", "100", "10000") for operation in ("parse", "write")]
assert [(row["operation"], row["size"], row["threads"]) for row in rows] == expected, rows
assert (len(table) == 2 + len(rows)
        and table[0].startswith("| operation | size | threads | ours, ns |")), table
assert all(float(row["ours_ns"]) > 0 and float(row["theirs_ns"]) > 0 for row in rows), rows
drawn = plot.draw_growth("".join(f"{line}\n" for line in table))
curves = {(operation, threads) for operation, _, threads in expected}
assert drawn.count("<polyline") == 2 * len(curves), drawn
xml.etree.ElementTree.fromstring(drawn)

# An operation frees all blocks it allocates, except those that stay loaded, set or cached.
if COUNTER.exists():
    code, out, err = run(PROGRAM, "count", LIBRARY, env={"LD_PRELOAD": str(COUNTER)})
    counts = {
        name: tuple(map(int, values))
        for name, *values in (line.split("\t") for line in out.splitlines())
    }
    assert (code == 0
            and set(counts) == set(names) - {"get global + release, two threads"}), (counts, err)
    for name, (calls, allocated, released) in counts.items():
        if name.startswith(("first dlopen", "set global")):
            assert allocated > released, (name, allocated, released)
        else:
            most = 100000 if "000 objects" in name else 50 if name.startswith("JSON") else 2
            assert (allocated == released
                    and allocated <= most * calls), (name, calls, allocated, released)
    assert counts["two malloc + free, no runtime"][1:] == (2000, 2000), counts

# What cannot be measured is a failure.
for words in (["time", "/nowhere/libtvm_ffi.so"], ["time", BUILD / "tests/bench/bench_kernel.so"],
              ["fresh", "nonsense", LIBRARY]):
    code, out, err = run(PROGRAM, *words)
    assert code == 1 and err.startswith("bench: "), (words, code, out, err)
for words in ([], ["nonsense"], ["time"], ["time", "--nonsense",
                                           LIBRARY], ["time", "--rounds=0", LIBRARY]):
    code, out, err = run(PROGRAM, *words)
    assert code == 2 and err.startswith("usage: bench"), (words, code, out, err)

# Containers in C++: the results of all operations, and a table of our program compared with itself.
if len(sys.argv) > 2:
    LAYER = pathlib.Path(sys.argv[2])
    code, out, err = run(LAYER, "check", "2", "10", "3000")
    assert (code, out, err) == (0, "", ""), (code, out, err)
    operations = [line.split("\t") for line in run(LAYER, "list")[1].splitlines()]
    check_targets("layer_containers.py", [": ".join(operation) for operation in operations], True)
    assert len({tuple(operation) for operation in operations}) == len(operations) > 40, operations
    table = [
        sys.executable, HERE / "layer_containers.py", "--program", LAYER, "--sizes=10,100",
        "--turns=1", "--slice=1"
    ]
    code, out, err = run(*table, "--program", LAYER, "--markdown")
    lines = out.splitlines()
    assert code == 0 and len(lines) == 2 + len(operations), (out, err)
    assert lines[0] == (
        "| operation | 10, ns, ours / theirs | ratio | 100 | ratio | growth, ours / theirs |"
    ), lines
    assert all(line.count("|") == 7 for line in lines), lines
    code, out, err = run(*table, "--only=Map by int: find")
    assert code == 0 and len(out.splitlines()) == 3, (out, err)
    code, out, err = run(*table, "--program", LAYER, "--only=Map by int: find")
    assert code == 0 and re.search(r"\n\d of 2 rows meet their targets on .+\n$", out), (out, err)
    for words in ([], ["nonsense"], ["check", "10", "--nonsense"], ["check", "1"], ["check", ""]):
        code, out, err = run(LAYER, *words)
        assert code == 2 and err.startswith("usage: layer_containers"), (words, code, out, err)

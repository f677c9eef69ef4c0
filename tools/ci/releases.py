#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every release of apache-tvm-ffi on PyPI beside this library: the table of docs/abi/releases.md.

    releases.py --runtime libtvm_ffi.so --tool tvm-ffi [--record]     77 if PyPI is not reached
    releases.py --check     fail when the page has another table than docs/abi/releases.json

For each release, a program in Python (tests/compat/releases_client.py) calls

- a kernel that its headers compile, on our library;
- kernels of our headers on its library: in C, in C++, and made by `tvm-ffi wrap`;
- the functions of its Python package, and all kernels of ours, on our library.

A cell that is `yes` in the data and is not now fails, and so does one whose reason is not in WHY.
--record writes the data and the page.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import porting_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/compat"))
import package

PAGE, DATA = ROOT / "docs/abi/releases.md", ROOT / "docs/abi/releases.json"
CLIENT = ROOT / "tests/compat/releases_client.py"
KERNEL = ROOT / "tests/compat/releases_kernel.cc"
INCLUDE = [f"-I{ROOT / folder}" for folder in ("cpp", "include", "subprojects/dlpack/include")]
COLUMNS = {
    "kernel": "its kernel on our library", "c": "our kernel in C", "cxx": "in C++",
    "wrap": "made by `wrap`", "package": "its Python package on our library"
}
# What a failure says, and why it does.
WHY = [
    (r"undefined symbol: __cxa_call_terminate",
     "its `libtvm_ffi_testing.so` needs a libstdc++ of GCC 13 or later"),
    (r"no attribute 'MapGetMissingObject'",
     "it needs `ffi.MapGetMissingObject`, which only releases 0.1.6 to 0.1.8 have"),
]


def last_line(text):
    return ([line for line in text.splitlines() if line.strip()] or ["nothing was printed"])[-1]


class Releases:
    """The releases, each with its packages in a folder."""

    def __init__(self, work):
        self.work, self.python = work, package.require().python
        self.root = package.folder() / "releases"
        pip = [self.python, "-m", "pip", "--disable-pip-version-check"]
        listed = package.run("pip index versions", *pip, "index", "versions", "apache-tvm-ffi")
        found = re.search(r"^Available versions: (.*)$", listed, re.M)
        self.names = found[1].split(", ") if found else []

    def folder(self, name):
        """Where a release is installed, without what it depends on; raises Unavailable."""
        place = self.root / name
        with package.locked(self.root / "lock"):
            if not (place / "tvm_ffi").exists():
                shutil.rmtree(place, ignore_errors=True)
                package.run(f"pip install of {name}", self.python, *package.INSTALL, "--no-deps",
                            "--target", place, f"apache-tvm-ffi=={name}")
        return place

    def call(self, folders, *kernels):
        """`yes`, or the last line of a client that failed. The first of the folders has the package
        with the library that must be loaded."""
        command = [self.python, "-W", "ignore", CLIENT,
                   folders[0] / "tvm_ffi/lib/libtvm_ffi.so", *kernels]
        done = subprocess.run([str(word) for word in command], text=True, check=False,
                              env=package.environment(*folders), timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0 and last_line(done.stdout) == "well":
            return "yes"
        if done.returncode < 0:
            return f"signal {-done.returncode} after: {last_line(done.stdout)}"
        return last_line(done.stdout)

    def compile(self, compiler, source, target, includes):
        flags = [] if compiler == "cc" else ["-std=c++17"]
        package.run(f"{compiler} {source.name}", compiler, *flags, "-O1", "-shared", "-fPIC",
                    *includes, source, "-o", target)
        return target

    def our_kernels(self, tool):
        wrapped = self.work / "normalize.c"
        text = package.run(
            "tvm-ffi wrap", tool, "wrap",
            "void normalize(float y[n][m], const float x[n][m], int n, int m)",
            f"--include={ROOT / 'samples/27_wrapped_function/normalize.c'}")
        wrapped.write_text(text, encoding="utf-8")
        sources = {"c": ("cc", ROOT / "samples/01_load_and_call/kernel.c"), "cxx": ("c++", KERNEL),
                   "wrap": ("cc", wrapped)}
        return {kind: self.compile(*source, self.work / f"our_{kind}.so", INCLUDE)
                for kind, source in sources.items()}

    def row(self, name, runtime, newest, kernels):
        """The cells of a release; newest is the package, on our library, that calls its kernel."""
        own = self.folder(name)
        includes = [f"-I{path}" for path in (own / "tvm_ffi/include",
                                             own / "tvm_ffi/3rdparty/dlpack/include")]
        cells = {"release": name}
        try:
            cells["kernel"] = self.call(newest, "cxx", self.compile(
                "c++", KERNEL, self.work / f"kernel_{name}.so", includes))
        except package.Unavailable as error:
            cells["kernel"] = str(error)
        for kind, path in kernels.items():
            cells[kind] = self.call([own], kind, path)
        ours = package.replace_library(own, runtime, self.work / name)
        cells["package"] = self.call(ours)
        if cells["package"] == "yes":
            pairs = [word for pair in kernels.items() for word in pair]
            cells["package"] = self.call(ours, *pairs)
        shutil.rmtree(self.work / name)
        return cells


def explain(cell):
    """A cell of the table: yes, or no and why; None if the reason is not known."""
    if cell == "yes":
        return cell
    return next((f"no: {why}" for pattern, why in WHY if re.search(pattern, cell)), None)


def table(data):
    lines = [f"Tried on {data['date']} on {data['system']} with Python {data['python']}:", "",
             "| release | " + " | ".join(COLUMNS.values()) + " |", "|---|" + "---|" * len(COLUMNS)]
    for row in data["rows"]:
        lines.append(f"| {row['release']} | " + " | ".join(row[key] for key in COLUMNS) + " |")
    return lines


def page_with(data):
    return porting_tables.insert_table(PAGE, PAGE.read_text(encoding="utf-8"),
                                       "rows of releases.json", table(data))


def judge(rows, recorded):
    """Print what became of each cell; returns whether all are as good as recorded and explained."""
    known, is_good = {row["release"]: row for row in recorded}, True
    for row in rows:
        for key, column in COLUMNS.items():
            cell, before = explain(row[key]), known.get(row["release"], {}).get(key)
            is_ok = cell is not None and (cell == "yes" or before != "yes")
            is_good = is_good and is_ok
            note = "" if before in (None, cell) else f" (recorded: {before})"
            print(f"{'ok' if is_ok else 'FAILED'}: {row['release']}, {column}: "
                  f"{cell or row[key]}{note}")
            row[key] = cell or row[key]
    return is_good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", type=pathlib.Path)
    parser.add_argument("--tool", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    recorded = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {"rows": []}
    if args.check:
        if page_with(recorded) == PAGE.read_text(encoding="utf-8"):
            return 0
        print(f"{PAGE} has another table than {DATA}")
        return 1
    with tempfile.TemporaryDirectory() as work:
        try:
            releases = Releases(pathlib.Path(work))
            kernels = releases.our_kernels(args.tool.resolve())
            runtime = args.runtime.resolve()
            newest = package.replace_library(releases.folder(package.VERSION), runtime,
                                             releases.work / "newest")
        except package.Unavailable as error:
            print(error)
            return package.SKIP
        rows = []
        for name in releases.names:
            try:
                rows.append(releases.row(name, runtime, newest, kernels))
            except package.Unavailable as error:        # there is no wheel for this Python
                print(f"skipped: {name}: {error}")
    is_good = judge(rows, recorded["rows"])
    if args.record and is_good and len(rows) == len(releases.names):
        version = package.run("python --version", releases.python, "--version")
        data = {"date": porting_tables.today(),
                "system": porting_tables.name_system("x86-64, glibc"),
                "python": porting_tables.short_version(version)}
        text = f"{json.dumps(data)[:-1]}, \"rows\": {porting_tables.rows_text(rows)}}}\n"
        DATA.write_text(text, encoding="utf-8")
        PAGE.write_text(page_with({**data, "rows": rows}), encoding="utf-8")
    return 0 if is_good and rows else 1


if __name__ == "__main__":
    sys.exit(main())

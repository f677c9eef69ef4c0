#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every release of apache-tvm-ffi on PyPI, and packages that want an old one, beside this library:
the tables of docs/abi/releases.md.

    releases.py --runtime libtvm_ffi.so --with-cxx libtvm_ffi.so --tool tvm-ffi [--record]
                            77 if PyPI is not reached
    releases.py --check     fail when the page has other tables than docs/abi/releases.json

For each release, a program in Python (tests/compat/releases_client.py) calls

- a kernel that its headers compile, on our library;
- kernels of our headers on its library: in C, in C++, and made by `tvm-ffi wrap`;
- the functions of its Python package, and all kernels of ours, on our library.

It does a small job with each of CLIENTS beside the oldest release that the client accepts, on the
library of that release and on ours (--with-cxx where the client calls C++ functions of it).

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
# What is installed, the release beside it, the job of releases_client.py, and whether the client
# calls C++ functions of the library. Some 250 MB are fetched.
CLIENTS = [
    (["xgrammar==0.1.34", *package.MORE["xgrammar"][1:]], "0.1.9", "xgrammar", False),
    (["tilelang==0.1.8", *package.MORE["tilelang"][2:]], "0.1.2", "tilelang", True),
    (["tilelang==0.1.12", *package.MORE["tilelang"][2:]], "0.1.10", "tilelang", True),
    (["apache-tvm==0.25.0", *package.MORE["tvm"][1:]], "0.1.12", "tvm", True),
    # It accepts 0.1.0, whose package needs a later libstdc++ than others.
    (["apache-tvm-ffi-orcjit==0.1.0"], "0.1.2", "orcjit", True),
]
CLIENT_COLUMNS = {"own": "on the release's library", "ours": "on our library"}
# Instead of PyTorch and Transformers, which xgrammar imports.
STAND_INS = ROOT / "tests/compat/stand_ins"
# What a failure says, and why it does.
WHY = [
    (r"undefined symbol: __cxa_call_terminate",
     "its `libtvm_ffi_testing.so` needs a libstdc++ of GCC 13 or later"),
    (r"no attribute 'MapGetMissingObject'",
     "it needs `ffi.MapGetMissingObject`, which only releases 0.1.6 to 0.1.8 have"),
    (r"unknown dtype `bool8`", "that library does not read the dtype `bool8`"),
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
        return self.install(name, [f"apache-tvm-ffi=={name}"])

    def install(self, name, requirements):
        place, mark = self.root / name, self.root / name / "complete"
        with package.locked(self.root / "lock"):
            wanted = "\n".join(requirements)
            if not mark.exists() or mark.read_text(encoding="utf-8") != wanted:
                shutil.rmtree(place, ignore_errors=True)
                package.run(f"pip install of {name}", self.python, *package.INSTALL, "--no-deps",
                            "--target", place, *requirements)
                mark.write_text(wanted, encoding="utf-8")
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

    def client_row(self, client, runtimes):
        """The cells of a client; of the runtimes the second has the C++ functions."""
        requirements, release, job, calls_cxx = client
        own, place = self.folder(release), self.install(requirements[0], requirements)
        more = [place, STAND_INS] if job == "xgrammar" else [place]
        files, on_ours = self.work / "files", self.work / "on_ours"
        files.mkdir()
        ours = package.replace_library(own, runtimes[calls_cxx], on_ours)
        row = {"client": requirements[0].replace("==", " "), "release": release,
               "own": self.call([own, *more], job, files),
               "ours": self.call([*ours, *more], job, files)}
        for folder in files, on_ours:
            shutil.rmtree(folder)
        return row

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


def table(data, rows, columns):
    lines = [f"Tried on {data['date']} on {data['system']} with Python {data['python']}:", "",
             "| " + " | ".join(columns.values()) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row[key] for key in columns) + " |" for row in rows]
    return lines


def page_with(data):
    page = PAGE.read_text(encoding="utf-8")
    for name, columns in (("rows", {"release": "release", **COLUMNS}),
                          ("clients", {"client": "client", "release": "with release",
                                       **CLIENT_COLUMNS})):
        page = porting_tables.insert_table(PAGE, page, f"{name} of releases.json",
                                           table(data, data[name], columns))
    return page


def judge(rows, recorded, name, columns):
    """Print what became of each cell; returns whether all are as good as recorded and explained."""
    known, is_good = {row[name]: row for row in recorded}, True
    for row in rows:
        for key, column in columns.items():
            cell, before = explain(row[key]), known.get(row[name], {}).get(key)
            is_ok = cell is not None and (cell == "yes" or before != "yes")
            is_good = is_good and is_ok
            note = "" if before in (None, cell) else f" (recorded: {before})"
            print(f"{'ok' if is_ok else 'FAILED'}: {row[name]}, {column}: "
                  f"{cell or row[key]}{note}")
            row[key] = cell or row[key]
    return is_good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", type=pathlib.Path)
    parser.add_argument("--with-cxx", type=pathlib.Path)
    parser.add_argument("--tool", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    recorded = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    recorded = {"rows": [], "clients": [], **recorded}
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
        rows, clients = [], []
        for name in releases.names:
            try:
                rows.append(releases.row(name, runtime, newest, kernels))
            except package.Unavailable as error:        # there is no wheel for this Python
                print(f"skipped: {name}: {error}")
        for client in CLIENTS:
            try:
                clients.append(releases.client_row(client, [runtime, args.with_cxx.resolve()]))
            except package.Unavailable as error:
                print(f"skipped: {client[0][0]}: {error}")
    is_good = judge(rows, recorded["rows"], "release", COLUMNS)
    is_good = judge(clients, recorded["clients"], "client", CLIENT_COLUMNS) and is_good
    is_whole = len(rows) == len(releases.names) and len(clients) == len(CLIENTS)
    if args.record and is_good and is_whole:
        version = package.run("python --version", releases.python, "--version")
        data = {"date": porting_tables.today(),
                "system": porting_tables.name_system("x86-64, glibc"),
                "python": porting_tables.short_version(version)}
        text = (f"{json.dumps(data)[:-1]}, \"rows\": {porting_tables.rows_text(rows)},\n"
                f" \"clients\": {porting_tables.rows_text(clients)}}}\n")
        DATA.write_text(text, encoding="utf-8")
        PAGE.write_text(page_with({**data, "rows": rows, "clients": clients}), encoding="utf-8")
    return 0 if is_good and rows else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the runtime's operations, and those of another libtvm_ffi.so if one is given.

    bench.py [OPTION...] [REFERENCE]

Each figure is the least time of several rounds, which alternate between the two libraries in one
process, and of several processes, because addresses vary between processes and affect the times.
Blocks allocated and instructions executed are per call.

The last column judges the row by targets.txt. A missed target is a failure only with --strict; an
operation with a wrong result always is. Tables for documents (--markdown) are not judged.
"""
import argparse
import collections
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import targets

MAX_FRESH_ROUNDS = 30  # for operations that take a process each
LOAD, SIZE, WITH_CXX = ("first dlopen of the "
                        "runtime"), "stripped library, bytes", ", with C++ functions"
Row = collections.namedtuple("Row", "name values ratio allocations instructions", defaults=[(), ()])


class Bench:
    """The program `bench` of a build, and the libraries to measure with it."""

    def __init__(self, args):
        folder = pathlib.Path(args.build)
        self.program = folder / "tests/bench/bench"
        self.counter = folder / "tests/bench/bench_counter.so"
        self.libraries = [args.ours or folder / "c/libtvm_ffi.so"]
        # The library with C++ functions; None if it is not built or not wanted.
        self.with_cxx = folder / "c/cxx/libtvm_ffi.so"
        if args.ours or not self.with_cxx.exists():
            self.with_cxx = None
        if args.reference:
            self.libraries.append(args.reference)
        self.rounds, self.processes = args.rounds, args.processes
        self.options = [f"--rounds={args.rounds}", f"--slice={args.slice}", f"--most={args.most}"]
        self.only = args.only or ""

    def run(self, *words, env=None, wrapper=()):
        """The lines that `bench` prints, split at tabs; exits if it fails."""
        command = [str(word) for word in (*wrapper, self.program, *words)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **(env or {})}, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stderr}{' '.join(command)} ended with {done.returncode}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def operations(self):
        """(name, whether it takes a process of its own), in the order of the table."""
        for name, fresh in self.run("list"):
            if self.only in name:
                yield name, fresh == "fresh"

    def times(self):
        """{operation: nanoseconds of each library}"""
        found = {}
        for _ in range(self.processes):
            for name, *values in self.run("time", f"--only={self.only}", *self.options,
                                          *self.libraries):
                found[name] = tuple(
                    map(min, map(float, values), found.get(name, (float("inf"), ) * 2)))
        for name, fresh in self.operations():
            if fresh:
                found[name] = self.fresh_times(name, self.libraries)
        return found

    def fresh_times(self, name, libraries):
        """Nanoseconds per library of an operation that takes a process of its own."""
        best = [float("inf")] * len(libraries)
        for _ in range(min(self.rounds, MAX_FRESH_ROUNDS)):
            for i, library in enumerate(libraries):
                best[i] = min(best[i], float(self.run("fresh", name, library)[0][1]))
        return tuple(best)

    def allocations(self):
        """{operation: blocks per call of each library}; empty where they cannot be counted."""
        if not self.counter.exists():
            return {}
        return merge({name: int(allocated) / int(calls) for name, calls, allocated, _ in
                      self.run("count", f"--only={self.only}", library,
                               env={"LD_PRELOAD": str(self.counter)})}
                     for library in self.libraries)

    def instructions(self):
        """{operation: instructions per call of each library}; empty without valgrind."""
        valgrind = shutil.which("valgrind")
        if not valgrind:
            print("no instruction counts: valgrind is not installed", file=sys.stderr)
            return {}
        return merge(self.instructions_of(library, valgrind) for library in self.libraries)

    def instructions_of(self, library, valgrind):
        """Profiles all operations in one run: each call of bench_counted() ends a part of the
        profile."""
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder, "profile")
            lines = self.run(
                "count", f"--only={self.only}", library,
                wrapper=(valgrind, "--tool=callgrind", "--collect-atstart=no",
                         "--toggle-collect=bench_counted", "--dump-after=bench_counted",
                         f"--callgrind-out-file={profile}"))
            counts = {}
            for part, (name, calls, _, _) in enumerate(lines, 1):
                text = profile.with_name(f"profile.{part}").read_text(encoding="utf-8",
                                                                      errors="replace")
                totals = [line for line in text.splitlines() if line.startswith("totals:")]
                counts[name] = int(totals[-1].split()[1]) / int(calls)
            return counts

    def stripped_sizes(self, libraries):
        """Bytes of the libraries without symbols; the files are not changed."""
        strip = shutil.which("strip")
        if not strip:
            print("no sizes: strip is not installed", file=sys.stderr)
            return ()
        sizes = []
        with tempfile.TemporaryDirectory() as folder:
            for library in libraries:
                target = pathlib.Path(folder, "stripped")
                subprocess.run([strip, "-o", target, library], check=True)
                sizes.append(target.stat().st_size)
        return tuple(sizes)

    def rows(self, with_instructions):
        """The rows of the table: every operation, then figures derived from several, then the
        size."""
        times, allocations = self.times(), self.allocations()
        instructions = self.instructions() if with_instructions else {}
        for name, _ in self.operations():
            yield Row(name, times[name], quotient(times[name]), allocations.get(name, ()),
                      instructions.get(name, ()))
        error, floor = times.get("error raise + take + free"), times.get(
            "two malloc + free, no runtime")
        if error and floor:
            pairs = tuple(a / b for a, b in zip(error, floor))
            yield Row("error raise, in units of two malloc + free", pairs, quotient(pairs))
        sizes = self.stripped_sizes(self.libraries) if self.only in SIZE else ()
        if sizes:
            yield Row(SIZE, sizes, quotient(sizes))
        if self.with_cxx:
            yield from self.cxx_rows([self.with_cxx, *self.libraries[1:]])

    def cxx_rows(self, libraries):
        """The rows in which the library with C++ functions differs."""
        if self.only in LOAD:
            times = self.fresh_times(LOAD, libraries)
            yield Row(LOAD + WITH_CXX, times, quotient(times))
        sizes = self.stripped_sizes(libraries) if self.only in SIZE else ()
        if sizes:
            yield Row(SIZE + WITH_CXX, sizes, quotient(sizes))

    def growth(self):
        """(operation, size, threads, nanoseconds per library)"""
        for operation, size, threads, *values in self.run("growth", *self.options, *self.libraries):
            yield operation, int(size), int(threads), tuple(map(float, values))


def merge(parts):
    """[{name: a}, {name: b}] as {name: (a, b)}"""
    parts = list(parts)
    return {name: tuple(part[name] for part in parts) for name in parts[0]}


def quotient(values):
    """Ours / theirs, or None without theirs."""
    return values[0] / values[1] if len(values) == 2 and values[1] else None


def figure(value):
    """A number with at least three digits."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def small(value):
    """A count per call; most are whole numbers."""
    return f"{value:,.0f}" if value >= 10 or value == round(value) else f"{value:.1f}"


def operations_table(rows, libraries, judge):
    """Titles and rows, as text; judge is a targets.Judge, or None."""
    titles = ["operation", "ours, ns"] + (["theirs, ns", "ratio"] if libraries == 2 else [])
    counts = [
        kind for kind in ("allocations", "instructions") if any(getattr(row, kind) for row in rows)
    ]
    titles += [kind + ", ours / theirs" * (libraries == 2)
               for kind in counts] + ["target"] * (judge is not None)
    lines = []
    for row in rows:
        line = [row.name, *map(figure, row.values)]
        if libraries == 2:
            line.append(f"{row.ratio:.3f}" if row.ratio is not None else "")
        line += [" / ".join(map(small, getattr(row, kind))) for kind in counts]
        if judge:
            line.append(judge.verdict(row.name, row.values[0], row.ratio))
        lines.append(line)
    return titles, lines


def growth_table(rows, libraries):
    """Titles and rows, as text."""
    titles = ["operation", "size", "threads", "ours, ns"
              ] + (["theirs, ns", "ratio"] if libraries == 2 else [])
    lines = []
    for operation, size, threads, values in rows:
        ratio = quotient(values)
        lines.append([operation, f"{size:,}", str(threads), *map(figure, values)] +
                     ([f"{ratio:.3f}"] if ratio is not None else []))
    return titles, lines


def print_text(titles, lines):
    widths = [max(len(line[i]) for line in [titles, *lines]) for i in range(len(titles))]
    for line in [titles, *lines]:
        cells = [cell.ljust(width) if title in ("operation", "target") else cell.rjust(width)
                 for title, cell, width in zip(titles, line, widths)]
        print("  ".join(cells).rstrip())


def print_markdown(titles, lines):
    print("| " + " | ".join(titles) + " |")
    print("|---" + "|---:" * (len(titles) - 1) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


def csv_of_operations(rows, columns):
    """Unrounded figures, for programs."""
    yield ["operation", *columns, "ratio", *(f"allocations_{column}" for column in columns),
           *(f"instructions_{column}" for column in columns)]
    blank = [""] * len(columns)
    for row in rows:
        yield [
            row.name, *row.values, row.ratio, *(row.allocations or blank),
            *(row.instructions or blank)
        ]


def csv_of_growth(rows, columns):
    """The same for the growth table."""
    yield ["operation", "size", "threads", *(f"{column}_ns" for column in columns)]
    for operation, size, threads, values in rows:
        yield [operation, size, threads, *values]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "reference", nargs="?", metavar="REFERENCE", default=os.environ.get("TVM_FFI_REFERENCE"),
        help="the other libtvm_ffi.so; without it the one that TVM_FFI_REFERENCE names")
    parser.add_argument("--build", default="build", help="the build folder (build)")
    parser.add_argument("--ours", help="another library than the build folder's")
    parser.add_argument("--rounds", type=int, default=100, help="rounds per process (100)")
    parser.add_argument("--processes", type=int, default=5, help="processes to time in (5)")
    parser.add_argument("--slice", type=int, default=500,
                        help="microseconds per round and library (500)")
    parser.add_argument("--only", help="operations with that in their names")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions too (valgrind)")
    parser.add_argument(
        "--growth", action="store_true",
        help="a table of how times grow with the amount of data and the number of threads instead")
    parser.add_argument("--most", type=int, default=1000000,
                        help="the largest amount of data (1000000)")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--csv", metavar="FILE",
                        help="write the figures there too, as CSV; -: print only that")
    targets.add_options(parser)
    args = parser.parse_args()
    judge = targets.judge_for("bench.py", parser, args,
                              not (args.growth or args.markdown or args.csv == "-"))
    bench = Bench(args)
    columns = ("ours", "theirs")[:len(bench.libraries)]
    if args.growth:
        rows = list(bench.growth())
        table, figures = growth_table(rows, len(columns)), csv_of_growth(rows, columns)
    else:
        rows = list(bench.rows(args.instructions))
        table, figures = operations_table(rows, len(columns),
                                          judge), csv_of_operations(rows, columns)
    if args.csv == "-":
        csv.writer(sys.stdout, lineterminator="\n").writerows(figures)
        return 0
    if args.csv:
        with open(args.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(figures)
    (print_markdown if args.markdown else print_text)(*table)
    return judge.finish() if judge else 0


if __name__ == "__main__":
    sys.exit(main())

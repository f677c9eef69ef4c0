#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time what C++ code does with containers, compiled with our headers and with the reference's.

    layer_containers.py [OPTION...] [REFERENCE]

REFERENCE is the folder of an installed tvm_ffi package, with include/ and lib/ in it. The same
source is compiled twice, with the same options, and each program runs with its own libtvm_ffi.so.
Both stay alive and take turns: what slows the machine slows both. A row has the least nanoseconds
for one element, at each size; growth is the time at the largest size divided by the time at the
middle one.

The last column judges the greatest ratio of the row by targets.txt. A missed target is a failure
only with --strict; a wrong result always is. Tables for documents (--markdown) are not judged.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import targets
from bench import figure, print_markdown, print_text

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SIZES = 10, 1000, 100000


class Program:
    """A running `layer_containers serve`, which measures on request."""

    def __init__(self, path):
        self.path = path
        self.process = subprocess.Popen([path, "serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def operations(self):
        """(container, operation), in the order of their numbers."""
        done = subprocess.run([self.path, "list"], stdout=subprocess.PIPE, text=True, check=True)
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    def time(self, number, size, microseconds):
        """Nanoseconds for one element; ends this program where the other one has ended."""
        try:
            print(number, size, microseconds, file=self.process.stdin, flush=True)
            return float(self.process.stdout.readline())
        except (OSError, ValueError):
            sys.exit(f"layer_containers.py: {self.path} ended with {self.process.wait()}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compile_program(compiler, includes, library, out):
    """Compile the program with a set of headers; it finds that library when it runs."""
    subprocess.run([
        *compiler.split(), "-std=c++17", "-O2", *(f"-I{include}" for include in includes),
        HERE / "layer_containers.cc", library, f"-Wl,-rpath,{library.parent}", "-o", out
    ], check=True)
    return out


def compile_programs(args, folder):
    """Compile our program, and theirs if a reference is given."""
    includes = [ROOT / "cpp", ROOT / "include", args.dlpack or ROOT / "subprojects/dlpack/include"]
    programs = [
        compile_program(args.compiler, includes,
                        args.build.resolve() / "c/libtvm_ffi.so", f"{folder}/ours")
    ]
    if args.reference:
        package = args.reference.resolve()
        programs.append(
            compile_program(args.compiler, [package / "include"], package / "lib/libtvm_ffi.so",
                            f"{folder}/theirs"))
    return programs


def measure(programs, wanted, args):
    """The least nanoseconds of each program, by number of the operation and size.

    Each turn goes through all operations, so that a slow phase of the machine does not affect a row
    in all turns.
    """
    best = {}
    for _ in range(args.turns):
        for number, _ in wanted:
            for size in args.sizes:
                times = [program.time(number, size, args.slice) for program in programs]
                best[number, size] = list(map(min, times, best.get((number, size), times)))
    return best


def table_rows(programs, args, judge):
    """Cells of text for each operation; judge is a targets.Judge, or None."""
    names = [f"{container}: {operation}" for container, operation in programs[0].operations()]
    wanted = [(number, name) for number, name in enumerate(names) if args.only in name]
    best, rows = measure(programs, wanted, args), []
    for number, name in wanted:
        row, ratios = [name], []
        for size in args.sizes:
            row.append(" / ".join(map(figure, best[number, size])))
            if len(programs) == 2:
                ratios.append(best[number, size][0] / best[number, size][1])
                row.append(f"{ratios[-1]:.2f}")
        if len(args.sizes) > 1:
            growth = zip(best[number, args.sizes[-1]], best[number, args.sizes[-2]])
            row.append(" / ".join(f"{large / small:.2f}" for large, small in growth))
        if judge:
            row.append(judge.verdict(name, ratio=max(ratios, default=None)))
        rows.append(row)
    return rows


def titles(args, num_programs, judge):
    beside = ", ours / theirs" if num_programs == 2 else ""
    names = ["operation"]
    for i, size in enumerate(args.sizes):
        names.append(f"{size:,}" + (f", ns{beside}" if i == 0 else ""))
        if num_programs == 2:
            names.append("ratio")
    return names + ["growth" + beside] * (len(args.sizes) > 1) + ["target"] * (judge is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "reference", nargs="?", metavar="REFERENCE", type=pathlib.Path,
        default=os.environ.get("TVM_FFI_REFERENCE_PACKAGE"),
        help="the other tvm_ffi package; without it what TVM_FFI_REFERENCE_PACKAGE names")
    parser.add_argument("--build", type=pathlib.Path, default="build",
                        help="the build folder (build)")
    parser.add_argument("--compiler", default="c++", help="compiles both programs (c++)")
    parser.add_argument("--dlpack", type=pathlib.Path, help="include folder of DLPack, for ours")
    parser.add_argument("--program", action="append", type=pathlib.Path,
                        help="one that is compiled already; a second one is the reference's")
    parser.add_argument("--only", default="", help="operations with that in their names")
    parser.add_argument("--sizes", default=SIZES,
                        type=lambda text: tuple(map(int, text.split(","))),
                        help="of the containers (10,1000,100000)")
    parser.add_argument("--turns", type=int, default=6,
                        help="of each program, for each operation and size (6)")
    parser.add_argument("--slice", type=int, default=700, help="microseconds per turn (700)")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    targets.add_options(parser)
    args = parser.parse_args()
    judge = targets.judge_for("layer_containers.py", parser, args, not args.markdown)
    with tempfile.TemporaryDirectory() as folder:
        programs = [Program(path) for path in args.program or compile_programs(args, folder)]
        lines = table_rows(programs, args, judge)
        for program in programs:
            program.close()
    (print_markdown if args.markdown else print_text)(titles(args, len(programs), judge), lines)
    return judge.finish() if judge else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print what each feature of the runtime takes of a program that has the runtime inside.

    tools/ci/sizes.py [--most BYTES] [--record] [FOLDER]

For this processor, and for a Cortex-M3 if arm-none-eabi-gcc is there. The programs are compiled for
size from the single file, linked statically, and without the functions that they do not use. Those
for this processor are run. Files go to FOLDER (build-sizes). With --most, a sample that loads no
files must not take more flash here. --record writes the table into docs/porting.md.
"""
import argparse
import collections
import pathlib
import platform
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import link_map
import porting_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE, PORT = ROOT / "samples/28_small_system", ROOT / "tests/ports/cortex_m3"
PROGRAM = ROOT / "tests/ports/sizes.c"
PART = "&TVMFFIRuntimePart"

# base: the row that the feature is added to; the figures are what it adds. Without a base they are
# those of the program.
Row = collections.namedtuple("Row", "name base macros parts function", defaults=[(), "", ""])
ROWS = [
    Row("calls of functions", None),
    Row("errors", "calls of functions", ("USE_ERRORS", )),
    Row("tensors of the program's memory", "calls of functions", ("USE_TENSORS", )),
    Row("functions by name", "calls of functions", ("USE_NAMES", )),
    Row("tensors by an allocator", "functions by name", ("USE_NAMES", "USE_ALLOCATOR")),
    Row("dtypes from and to text", "functions by name", ("USE_NAMES", "USE_DTYPES")),
    Row("types with fields", "functions by name", ("USE_NAMES", "USE_TYPES")),
    Row("shutdown", "functions by name", ("USE_NAMES", "USE_SHUTDOWN")),
    Row("`Modules`: the system library", "functions by name", ("USE_NAMES", ), "Modules",
        "ffi.SystemLib"),
    Row("`Loading`", "`Modules`: the system library", ("USE_NAMES", ), "Modules Loading",
        "ffi.ModuleLoadFromFile"),
    Row("`Containers`", "functions by name", ("USE_NAMES", ), "Containers", "ffi.Map"),
    Row("`Json`", "`Containers`", ("USE_NAMES", ), "Containers Json", "ffi.json.Parse"),
    Row("`Reflection`", "`Containers`", ("USE_NAMES", ), "Containers Reflection", "ffi.ReprPrint"),
    Row("`JsonGraph`", "`Json` and `Reflection`", ("USE_NAMES", ),
        "Containers Json Reflection JsonGraph", "ffi.ToJSONGraphString"),
    Row("`Structural`", "`Reflection`", ("USE_NAMES", ), "Containers Reflection Structural",
        "ffi.StructuralEqual"),
    Row("`Json` and `Reflection`", None, ("USE_NAMES", ), "Containers Json Reflection",
        "ffi.json.Parse"),
    Row("all parts", None, ("USE_NAMES", ),
        "Containers Json Reflection JsonGraph Structural Modules Loading",
        "ffi.ModuleLoadFromFile"),
]
NOT_SHOWN = "`Json` and `Reflection`"  # only the base of another row

FLAGS = ["-std=c99", "-Os", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"]
LINK = ["-Wl,--gc-sections"]
Target = collections.namedtuple("Target", "name compiler flags link runs")
HERE = Target(platform.machine(), "cc", [], ["-static", "-pthread"], True)
CORTEX_M3 = Target("Cortex-M3", "arm-none-eabi-gcc", ["-mthumb", "-mcpu=cortex-m3"], [
    PORT / "start.c", "--specs=rdimon.specs", "-T", PORT / "flash.ld", "-Wl,--no-warn-rwx-segments"
], False)


def run(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(
            f"sizes: $ {' '.join(map(str, command))}\n{done.stdout}sizes: it ended with "
            f"{done.returncode}"
        )


class Measurer:
    """Links programs for a target, and says what the runtime takes of them."""

    def __init__(self, target, folder):
        self.target, self.folder = target, folder
        self.compiler = [target.compiler, *target.flags, *FLAGS, f"-I{folder}"]
        self.runtime = folder / f"{target.name}.o"
        run([*self.compiler, "-DTVM_FFI_OWN_PARTS", "-c", folder / "tvm_ffi.c", "-o", self.runtime])

    def link(self, number, sources, macros):
        """(bytes of flash, bytes of memory)"""
        program = self.folder / f"{self.target.name}-{number}"
        run([
            *self.compiler, *(f"-D{macro}" for macro in macros), *sources, self.runtime,
            *self.target.link, *LINK, f"-Wl,-Map={program}.map", "-o", program
        ])
        if self.target.runs:
            run([program])
        sections = link_map.read(f"{program}.map", self.runtime.name)
        return link_map.flash(sections), link_map.memory(sections)

    def measure_row(self, row):
        parts = ",".join(PART + name for name in row.parts.split())
        macros = [*row.macros, f"PARTS={parts or 'NULL'}"]
        if row.function:
            macros.append(f'FUNCTION="{row.function}"')
        return self.link(ROWS.index(row), [PROGRAM], macros)

    def measure_sample(self):
        return self.link("sample", sorted(SAMPLE.glob("*.c")), [])


def measure(measurers, samples):
    """The rows of the table: a feature, what it is added to, for each target flash and memory."""
    figures = [{row.name: measurer.measure_row(row) for row in ROWS} for measurer in measurers]
    rows = []
    for row in ROWS:
        if row.name == NOT_SHOWN:
            continue
        cells = []
        for sizes in figures:
            base = sizes[row.base] if row.base else (0, 0)
            cells += [size - less for size, less in zip(sizes[row.name], base)]
        rows.append([row.name, row.base or "", *cells])
    sample_cells = [size for sizes in samples for size in sizes]
    return [*rows, ["the sample, with `Modules`", "", *sample_cells]]


def main():
    parser = argparse.ArgumentParser(
        description="Print what each feature of the runtime takes of a program.")
    parser.add_argument("--most", type=int, metavar="BYTES",
                        help="end with 1 if the sample takes more flash here")
    parser.add_argument("--record", action="store_true",
                        help="write the table into docs/porting.md")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build-sizes",
                        metavar="FOLDER")
    args = parser.parse_args()
    run([ROOT / "tools/amalgamate", args.folder])
    measurers = [
        Measurer(target, args.folder) for target in (HERE, CORTEX_M3)
        if shutil.which(target.compiler)
    ]
    samples = [measurer.measure_sample() for measurer in measurers]
    rows = measure(measurers, samples)
    columns = [f"{m.target.name}: {what}" for m in measurers for what in ("flash", "memory")]
    print("\n".join(porting_tables.sizes_table(columns, rows)))
    if args.most is not None and samples[0][0] > args.most:
        sys.exit(
            f"sizes: the sample takes {samples[0][0]:,} bytes of flash here, more than "
            f"{args.most:,}"
        )
    if args.record:
        if len(measurers) < 2:
            sys.exit(f"sizes: not recorded, for {CORTEX_M3.compiler} is not installed")
        compilers = dict.fromkeys(
            porting_tables.name_compiler(porting_tables.first_line(m.target.compiler, "--version"))
            for m in measurers)
        porting_tables.record_sizes(" and ".join(compilers), columns, rows)


if __name__ == "__main__":
    main()

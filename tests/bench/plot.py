#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the tables of docs/performance.md as SVG, into docs/plots.

    plot.py [--check] [PAGE FOLDER]

--check writes nothing, and fails if a file in the folder is not what would be drawn. There are four
plots: the time of each operation, sizes, compile times, and growth."""
import argparse
import math
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import svg  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, TOP = 620, 30
OURS, THEIRS = "tvm-ffi", "apache-tvm-ffi"


# ---- The tables of docs/performance.md ----

def read_number(cell):
    """`1,905,529` as a number; None for an empty cell."""
    return float(cell.replace(",", "")) if cell else None


def pair(cell):
    """`0.32 / 1.29`, ours and theirs, as two numbers."""
    return tuple(read_number(part.strip()) for part in cell.split(" / "))


def tables(text):
    """The titles and rows of each table, as lists of texts."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        titles, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")]
                            for line in block.splitlines()]
        yield titles, rows


def table(text, *first):
    """The rows of the only table whose titles begin with these, as {title: cell}."""
    found = [(titles, rows) for titles, rows in tables(text) if titles[:len(first)] == list(first)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} tables begin with | {' | '.join(first)} |, not one")
    (titles, rows), = found
    return [dict(zip(titles, row)) for row in rows]


# ---- Plots ----

def legend(x, y):
    yield svg.bar(x, y - 9, 10, 10, "ours")
    yield svg.text(x + 15, y, OURS)
    second = x + 30 + svg.LETTER * len(OURS)
    yield svg.bar(second, y - 9, 10, 10, "theirs")
    yield svg.text(second + 15, y, THEIRS)


# ---- Time of each operation, divided by the reference's ----

def draw_operations(text):
    """A line from 1 to the ratio, on a logarithmic scale: to the left if ours takes less time."""
    rows = [
        row for row in table(text, "operation", "ours, ns", "theirs, ns", "ratio",
                                  "allocations, ours / theirs")
        if not row["operation"].startswith(("stripped library", "error raise, in units of"))
    ]
    ratios = [read_number(row["ratio"]) for row in rows]
    low, high = math.floor(math.log10(min(ratios))), max(math.log10(max(ratios)), math.log10(2))
    right = WIDTH - max(len(row["operation"]) for row in rows) * svg.LETTER - 10
    left, step, top = 20, 20, TOP + 24
    bottom = top + step * len(rows)

    def x(ratio):
        return left + (right - left) * (math.log10(ratio) - low) / (high - low)

    parts = [
        svg.text((left + right) / 2, 18, f"time of {OURS} / time of {THEIRS}", "middle", "strong")
    ]
    for ratio in [10.0 ** power for power in range(low, 0)] + [0.5, 1, 2]:
        parts += [svg.line(x(ratio), top - 6, x(ratio), bottom, "text" if ratio == 1 else "grid"),
                  svg.text(x(ratio), top - 12, f"{ratio:g}", "middle")]
    for number, (row, ratio) in enumerate(zip(rows, ratios)):
        y = top + step * (number + 0.5)
        kind = "ours" if ratio <= 1 else "theirs"
        parts += [
            svg.text(right + 10, y + 4, row["operation"]),
            svg.line(x(1), y, x(ratio), y, kind, width=3),
            svg.dot(x(ratio), y, kind)
        ]
    return svg.picture(WIDTH, bottom + 12,
                       "Time of each operation, divided by that of the reference", parts)


# ---- Pairs of bars ----

def bars(groups, unit, left, top):
    """Groups of ([title, ...], [(label, kind, value), ...]), each on a scale of its own. Gives the
    parts, then the bottom."""
    parts, width, y = [], WIDTH - left - 110, top
    for title, entries in groups:
        most = max(value for _, _, value in entries)
        parts.append(svg.text(4, y + 12, title, kind="strong"))
        y += 22
        for label, kind, value in entries:
            length = width * value / most
            parts += [
                svg.text(left - 8, y + 12, label, "end"),
                svg.bar(left, y, max(length, 1), 16, kind),
                svg.text(left + length + 6, y + 12, unit(value))
            ]
            y += 20
        y += 12
    return parts, y


def draw_sizes(text):
    operations = {
        row["operation"]: row for row in table(text, "operation", "ours, ns", "theirs, ns",
                                                    "ratio", "allocations, ours / theirs")
    }
    library, with_cxx = (operations[f"stripped library, bytes{more}"]
                         for more in ("", ", with C++ functions"))
    groups = [("The runtime's library, stripped",
               [(OURS, "ours", read_number(library["ours, ns"])),
                ("with C++ functions", "ours", read_number(with_cxx["ours, ns"])),
                (THEIRS, "theirs", read_number(library["theirs, ns"]))])]
    program = ""
    for row in table(text, "program", "", "g++ 12, ours / theirs"):
        program = row["program"] or program
        if "bytes" in row[""]:
            ours, theirs = pair(row["g++ 12, ours / theirs"])
            groups.append((f"Code of a kernel library in C++: {program}",
                           [(OURS, "ours", ours), (THEIRS, "theirs", theirs)]))
    parts, bottom = bars(groups, lambda value: f"{value / 1000:,.1f} kB", 145, 12)
    return svg.picture(WIDTH, bottom, "Sizes of libraries, ours and the reference's", parts)


def draw_compile_times(text):
    groups, program = {}, ""
    for row in table(text, "program", "", "g++ 12, ours / theirs"):
        program = row["program"] or program
        if row[""].endswith(", s"):
            mode = row[""].partition(",")[0]
            for compiler in ("g++ 12", "clang++ 14"):
                ours, theirs = pair(row[f"{compiler}, ours / theirs"])
                groups.setdefault((program, compiler), {})[mode] = (ours, theirs)
    shown = []
    for (program, compiler), modes in groups.items():
        entries = [(f"{OURS}, {mode}", "ours", ours) for mode, (ours, _) in modes.items()]
        shown.append((f"{program}, {compiler}", [*entries,
                                                 (THEIRS, "theirs", modes["default"][1])]))
    parts, bottom = bars(shown, lambda value: f"{value:.2f} s", 145, 12)
    return svg.picture(WIDTH, bottom,
                       "Compile times of kernel libraries in C++, ours and the reference's", parts)


# ---- Growth ----

PANEL, HEIGHT, LEFT, GAP, BELOW = 200, 150, 60, 100, 64  # two panels in a row
DASHES = {1: "", 2: "7 4", 4: "2 4"}


def read_growth(text):
    """{operation: {(whose, threads): [(size, ns)]}}"""
    panels = {}
    for row in table(text, "operation", "size", "threads"):
        curves = panels.setdefault(row["operation"], {})
        for library in ("ours", "theirs"):
            points = curves.setdefault((library, int(row["threads"])), [])
            points.append((read_number(row["size"]), read_number(row[f"{library}, ns"])))
    return panels


def duration(ns):
    return next(f"{ns / size:g} {unit}" for size, unit in ((1e6, "ms"), (1e3, "µs"), (1, "ns"))
                if ns >= size)


def panel(left, top, title, curves, low, high):
    """One operation: size on the x axis, nanoseconds on the y axis, both logarithmic."""
    sizes = sorted({size for points in curves.values() for size, _ in points})

    def x(size):
        return left + PANEL * math.log10(size / sizes[0]) / (math.log10(sizes[-1] / sizes[0]) or 1)

    def y(ns):
        return top + HEIGHT * (high - math.log10(ns)) / (high - low)

    yield svg.text(left + PANEL / 2, top - 12, title, "middle", "strong")
    for power in range(low, high + 1):
        yield svg.line(left, y(10 ** power), left + PANEL, y(10 ** power))
        yield svg.text(left - 6, y(10 ** power) + 4, duration(10 ** power), "end")
    for size in sizes:
        yield svg.line(x(size), top, x(size), top + HEIGHT)
        yield svg.text(x(size), top + HEIGHT + 16, f"{size:,.0f}", "middle")
    for (library, threads), points in curves.items():
        places = [(x(size), y(ns)) for size, ns in points]
        yield svg.curve(places, library, DASHES[threads])
        for place in places:
            yield svg.dot(*place, library, 3)


def draw_growth(text):
    panels = read_growth(text)
    times = [ns for curves in panels.values() for points in curves.values() for _, ns in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    parts = []
    for number, (title, curves) in enumerate(panels.items()):
        left, top = LEFT + number % 2 * (PANEL + GAP), TOP + number // 2 * (HEIGHT + BELOW)
        parts += panel(left, top, title, curves, low, high)
    y = TOP + (len(panels) + 1) // 2 * (HEIGHT + BELOW) + 4
    parts += legend(LEFT, y)
    for number, (threads, dash) in enumerate(DASHES.items()):
        left = LEFT + number * 130
        parts += [svg.line(left, y + 20, left + 28, y + 20, "text", dash, 2),
                  svg.text(left + 34, y + 24, f"{threads} thread{'s' * (threads > 1)}")]
    return svg.picture(WIDTH, y + 40, "Nanoseconds of an operation by how much there is", parts)


PLOTS = {
    "operations": draw_operations, "sizes": draw_sizes, "compile_times": draw_compile_times,
    "growth": draw_growth
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs/performance.md")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "docs/plots")
    args = parser.parse_args()
    text, wrong = args.page.read_text(encoding="utf-8"), []
    for name, draw in PLOTS.items():
        path, drawn = args.folder / f"{name}_plot.svg", draw(text)
        if not args.check:
            args.folder.mkdir(exist_ok=True)
            path.write_text(drawn, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != drawn:
            wrong.append(f"{path} is not the plot of {args.page}: run tests/bench/plot.py")
    print("\n".join([*wrong, f"{len(PLOTS)} plots"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

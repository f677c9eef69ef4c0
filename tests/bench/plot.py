#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the output of `bench.py --growth --csv` as SVG: plot.py < growth.csv > growth.svg"""
import argparse
import csv
import math
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 220, 70, 40, 76  # of a panel; two panels per row
COLORS = {"ours": "#1f6fb4", "theirs": "#d1642a"}
DASHES = {1: "", 2: "7 4", 4: "2 4"}


def text(x, y, label, anchor="middle", **more):
    extra = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{extra}>{escape(label)}</text>'


def line(x1, y1, x2, y2, color="#ddd", dash=""):
    return (f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{color}" '
            f'stroke-dasharray="{dash}"/>')


def read(file):
    """{operation: {(whose, threads): [(size, ns)]}}"""
    panels = {}
    for row in csv.DictReader(file):
        curves = panels.setdefault(row["operation"], {})
        for library in COLORS:
            if row.get(library + "_ns"):
                curve = curves.setdefault((library, int(row["threads"])), [])
                curve.append((int(row["size"]), float(row[library + "_ns"])))
    return panels


def panel(left, top, title, curves, low, high):
    """One operation: size on the x axis, nanoseconds on the y axis, both logarithmic."""
    sizes = sorted({size for points in curves.values() for size, _ in points})

    def x(size):
        span = math.log10(sizes[-1] / sizes[0]) or 1
        return left + WIDTH * math.log10(size / sizes[0]) / span

    def y(ns):
        return top + HEIGHT * (high - math.log10(ns)) / (high - low)

    yield text(left + WIDTH / 2, top - 16, title, font_weight="bold")
    for power in range(low, high + 1):
        yield line(left, y(10 ** power), left + WIDTH, y(10 ** power))
        yield text(left - 8, y(10 ** power) + 4, f"{10 ** power:,} ns", "end")
    for size in sizes:
        yield line(x(size), top, x(size), top + HEIGHT)
        yield text(x(size), top + HEIGHT + 18, f"{size:,}")
    yield text(left + WIDTH / 2, top + HEIGHT + 36, "size")
    for (library, threads), points in curves.items():
        yield (f'<polyline fill="none" stroke="{COLORS[library]}" stroke-width="2" '
               f'stroke-dasharray="{DASHES[threads]}" '
               f'points="{" ".join(f"{x(size):.1f},{y(ns):.1f}" for size, ns in points)}"/>')
        for size, ns in points:
            yield f'<circle cx="{x(size):.1f}" cy="{y(ns):.1f}" r="3" fill="{COLORS[library]}"/>'


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    panels = read(sys.stdin)
    points = [point for curves in panels.values() for curve in curves.values() for point in curve]
    low = math.floor(math.log10(min(ns for _, ns in points)))
    high = math.ceil(math.log10(max(ns for _, ns in points)))
    width = LEFT + 2 * (WIDTH + GAP) - GAP // 2
    bottom = TOP + (len(panels) + 1) // 2 * (HEIGHT + GAP)
    height = bottom + 40
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">')
    print('<rect width="100%" height="100%" fill="white"/>')
    for number, (title, curves) in enumerate(panels.items()):
        left, top = LEFT + number % 2 * (WIDTH + GAP), TOP + number // 2 * (HEIGHT + GAP)
        print("\n".join(panel(left, top, title, curves, low, high)))
    for library, threads in max(panels.values(), key=len):
        left = LEFT + sorted(DASHES).index(threads) * 150
        y = bottom + 20 * (library == "theirs")
        print(line(left, y, left + 28, y, COLORS[library], DASHES[threads]))
        print(text(left + 34, y + 4, f"{library}, {threads} thread{'s' * (threads > 1)}", "start"))
    print("</svg>")


if __name__ == "__main__":
    main()

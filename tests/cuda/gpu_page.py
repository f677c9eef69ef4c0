#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/about/gpu.md, from docs/about/gpu.json, the results that on_gpu has written on
a GPU.

    gpu_page.py [--write]      fail when the page has other tables than the results; --write writes
                               them
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, RESULTS = ROOT / "docs/about/gpu.md", ROOT / "docs/about/gpu.json"
PLACE = re.compile(
    r"(?<=<!-- results of tests/cuda/on_gpu -->\n).*?(?=<!-- end of the results -->)", re.S)


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def rows_table(rows):
    """All rows, with a heading for each group."""
    lines = ["| what | on | passed | failed | skipped | seconds |", "|---|---|---:|---:|---:|---:|"]
    for row in rows:
        skipped = f"{row['skipped']}" if row["skipped"] else ""
        if row["reason"] and row["skipped"]:
            skipped += f": {cell(row['reason'])}"
        failed = f"{row['failed']}" if row["failed"] else ""
        lines.append(
            f"| {cell(row['group'])}: {cell(row['name'])} | {row['on']} | {row['passed'] or ''} | "
            f"{failed} | "
            f"{skipped} | {row['seconds']:.1f} |")
    totals = [sum(row[word] for row in rows) for word in ("passed", "failed", "skipped")]
    lines.append(f"| all | | {totals[0]} | {totals[1]} | {totals[2]} | |")
    return lines


def costs_table(costs):
    """Medians of one run, and their ratio."""
    lines = [
        "| from | what | ours, ns | the reference's, ns | ours / the reference's |",
        "|---|---|---:|---:|---:|"
    ]
    for cost in costs:
        lines.append(
            f"| {cost['from']} | {cost['what']} | {cost['ours']:.0f} | {cost['reference']:.0f} | "
            f"{cost['ours'] / cost['reference']:.2f} |")
    return lines


def render(results):
    """The text between the marks of the page."""
    machine = results["machine"]
    lines = [
        "| the machine | |", "|---|---|",
        *(f"| {name} | {cell(str(value))} |" for name, value in machine.items()), ""
    ]
    lines += rows_table(results["rows"])
    lines[-1] = lines[-1][:-1] + f"{results['seconds']:.0f} in all |"
    if results["costs"]:
        lines += ["", *costs_table(results["costs"])]
    if results["ratios"]:
        lines += ["", "| what | ratio |", "|---|---:|",
                  *(f"| {cell(what)} | {ratio:.3g} |" for what, ratio in results["ratios"].items())]
    return "\n".join(["", *lines, ""])


def main():
    page = PAGE.read_text(encoding="utf-8")
    text = "\nIt has not been run on a GPU yet.\n\n"
    if RESULTS.exists():
        text = render(json.loads(RESULTS.read_text(encoding="utf-8"))) + "\n"
    found = PLACE.findall(page)
    if len(found) != 1:
        print(f"{PAGE}: the marks of the results are there {len(found)} times")
        return 1
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(PLACE.sub(lambda _: text, page), encoding="utf-8")
        return 0
    if found[0] != text:
        print(f"{PAGE} has other results than {RESULTS}: tests/cuda/gpu_page.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

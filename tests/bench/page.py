# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance.md."""
import re


def number(cell):
    """`1,905,529` as a number; None for an empty cell."""
    return float(cell.replace(",", "")) if cell else None


def pair(cell):
    """`0.32 / 1.29`, ours and theirs, as two numbers."""
    return tuple(number(part.strip()) for part in cell.split(" / "))


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

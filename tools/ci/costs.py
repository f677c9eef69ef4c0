# SPDX-License-Identifier: Apache-2.0
"""The table of parts in CONTRIBUTING.md: when each runs, the seconds of processors that it took,
and what it alone finds.

All but the seconds is what the parts say of themselves; `tools/test --all --record-costs` writes
the seconds of the parts that it has run without a failure. A part that uses the build of another is
measured after that one.
"""
import re

from steps import ALL, DAILY, NAMED, PARTS, RELEASE, REPORT, ROOT, part

PAGE = ROOT / "CONTRIBUTING.md"
TITLE = "| part | runs with | seconds | what it alone finds |\n|---|---|---:|---|\n"
RUNS_WITH = {DAILY: "`tools/test`", ALL: "`--all`", RELEASE: "`--release`"}
# For a part that was not measured yet.
USUAL_SECONDS = 60


def find_table(text):
    """The table in the text of the page: its beginning, and its end."""
    start = text.index(TITLE)
    return start, start + len(TITLE) + re.match(r"(?:\|.*\n)*", text[start + len(TITLE):]).end()


def read(text):
    """The seconds of parts that the text of the page has."""
    start, end = find_table(text)
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (\d+) \|", text[start:end], re.M)
    return {name: int(seconds) for name, seconds in rows}


def make_table(parts, seconds):
    """The table of some parts, those first that run most often."""
    rows = [f"| `{name}` | {RUNS_WITH.get(function.when, 'its name')} | {seconds.get(name, '')} | "
            f"{function.alone} |\n"
            for name, function in sorted(parts.items(), key=lambda row: row[1].when)]
    return TITLE + "".join(rows)


def with_reason():
    """The parts of the table: all but those of systems that docs/porting.md lists."""
    return {name: function for name, function in PARTS.items() if function.alone}


def known_seconds():
    """The seconds of processors that parts took, as the page says; it may be damaged."""
    try:
        return read(PAGE.read_text(encoding="utf-8"))
    except ValueError:
        return {}


def record(measured):
    """Write the seconds that some parts took."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = find_table(text)
    table = make_table(with_reason(), {**read(text), **measured})
    PAGE.write_text(text[:start] + table + text[end:], encoding="utf-8")


def in_order(groups):
    """Groups of parts in the order to start them: those that only read files, then the longest, so
    that none is left to run alone at the end."""
    seconds = known_seconds()

    def order(names):
        is_quick = all(PARTS[name].__module__ in ("costs", "quick") for name in names)
        return not is_quick, -sum(seconds.get(name, USUAL_SECONDS) for name in names)
    return sorted(groups, key=order)


@part(when=DAILY, alone="a part without a row in this table, or with another reason")
def costs():
    """CONTRIBUTING.md has a row for each part, with what it alone finds"""
    text = PAGE.read_text(encoding="utf-8")
    if TITLE not in text:
        REPORT.fail("CONTRIBUTING.md has the table", TITLE)
        return
    start, end = find_table(text)
    wrong = set(text[start:end].splitlines()) ^ set(
        make_table(with_reason(), read(text)).splitlines())
    silent = [name for name, function in PARTS.items()
              if function.when != NAMED and not function.alone]
    REPORT.check("each part says what it alone finds", not silent, "\n".join(silent))
    REPORT.check(f"{len(with_reason())} rows are what the parts say (--all --record-costs writes "
                 "them)", not wrong, "\n".join(sorted(wrong)))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a link, a citation or the name of a test leads nowhere.

    links_and_citations.py ROOT

- Relative links in Markdown files, and `docs/<page>.md#<heading>` in sources, lead to a file and a
  heading.
- Rows that sources cite (F-22, L-13, A-1, D-1) are in docs/robustness.md or docs/differences.md.
- Tests named in docs/abi, docs/robustness.md and docs/differences.md (`test_once.c:test_a`,
  `tests/abi/layout.c`) exist, and every row names one or says why there is none.
- docs/differences.md lists the calls of tests/compat/differences.txt, and the rows of
  programs/exceptions.py.
- The files that docs/tour.md names exist.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/site"))
import anchors  # noqa: E402

SOURCES = ("c", "include", "cpp", "tools", "tests", "samples", "demos", "packaging", "cmake")
TEXT = {".c", ".h", ".cc", ".cu", ".py", ".txt", ".build", ".md", ".rs", ".sh", ".cmake", ".in", ""}
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
CITATION = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.md)(?:#([\w-]+))?")
ROW = re.compile(r"\b([FLDA]-[0-9]+[a-z]?)\b")
ROW_OF_TEST = re.compile(r"\btest_([FLDA])_([0-9]+[a-z]?)_")
TEST = re.compile(r"`(test_\w+\.(?:c|cc|py))(?::(\w+))?`")
TEST_FILE = re.compile(r"`(tests/[\w./-]+)`")
NO_TEST = re.compile(r"not tested|not applicable")
ROBUSTNESS, DIFFERENCES = "docs/robustness.md", "docs/differences.md"
TOUR = "docs/tour.md"
CALLS, PROGRAMS = "tests/compat/differences.txt", "tests/compat/programs/exceptions.py"


class Links:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.found_headings = {}
        self.pages = [
            page for page in (*root.glob("*.md"), *root.glob("docs/**/*.md"),
                              *root.glob("samples/**/*.md"), *root.glob("demos/**/*.md"))
        ]
        self.tests = {}
        for path in root.glob("tests/**/test_*"):
            self.tests.setdefault(path.name, []).append(path)

    def report(self, place, text):
        self.problems.append(f"{place}: {text}")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    # ---- links and citations ----

    def headings(self, page):
        """The anchors of a page. Its title is none: there, a link has only the page."""
        if page not in self.found_headings:
            text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
            self.found_headings[page] = {
                anchors.anchor(title) for _, title in anchors.HEADING.findall(text)
            }
        return self.found_headings[page]

    def check_target(self, place, target, anchor):
        if not target.exists():
            self.report(place, f"no such file: {target}")
        elif anchor and anchor not in self.headings(target):
            self.report(place, f"no such heading in {target.name}: #{anchor}")

    def check_links(self, page):
        place = page.relative_to(self.root)
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            if re.match(r"\w+:", link):
                continue
            path, _, anchor = link.partition("#")
            self.check_target(place, page.parent / path if path else page, anchor)

    def check_source(self, path, rows):
        """The documents and rows that a source cites."""
        place = path.relative_to(self.root)
        for number, line in enumerate(
                path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for target, anchor in CITATION.findall(line):
                nearby = path.parent / target
                self.check_target(f"{place}:{number}",
                                  nearby if nearby.exists() else self.root / target, anchor)
            for row in ROW.findall(line) + ["-".join(parts) for parts in ROW_OF_TEST.findall(line)]:
                if row not in rows:
                    self.report(f"{place}:{number}", f"no document has the row {row}")

    # ---- tests ----

    def check_tests(self, page):
        place, text = page.relative_to(self.root), page.read_text(encoding="utf-8")
        for name, test in set(TEST.findall(text)):
            files = self.tests.get(name, [])
            if not files:
                self.report(place, f"no such test: {name}")
            elif (test and not any(
                    re.search(rf"\b{test}\b", path.read_text(encoding="utf-8")) for path in files)):
                self.report(place, f"no such test in {name}: {test}")
        for name in set(TEST_FILE.findall(text)):
            if not (self.root / name).exists():
                self.report(place, f"no such file: {name}")

    def rows(self, page):
        """The rows that a page defines: the last cell of each."""
        found = {}
        for line in self.read(page).splitlines():
            match = re.match(r"\| ([FLDA]-[0-9]+[a-z]?) \|.*\|.*\| (.*) \|$", line)
            if match:
                if match[1] in found:
                    self.report(page, f"{match[1]} twice")
                found[match[1]] = match[2]
                if not (TEST.search(match[2]) or TEST_FILE.search(match[2])
                        or NO_TEST.search(match[2])):
                    self.report(page,
                                f"{match[1]} names no test, and does not say that there is none")
        return found

    def check_tour(self):
        for name in set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+)`", self.read(TOUR))):
            if not (self.root / name).exists():
                self.report(TOUR, f"no such file: {name}")

    def check_differences(self, rows):
        """`rows` are those of docs/differences.md."""
        page = DIFFERENCES
        listed = re.findall(r"^\| ([FLDA]-\w+) \| `([^`]*)` \|$", self.read(page), re.M)
        entries = re.findall(r"^row: ([FLDA]-\w+), .*\ncall: (.*)$", self.read(CALLS), re.M)
        if len(entries) != len(re.findall(r"^row:", self.read(CALLS), re.M)):
            self.report(CALLS, "an entry without a row of a document")
        for row, call in set(entries) - set(listed):
            self.report(page, f"does not list {row}, {call}")
        for row, call in set(listed) - set(entries):
            self.report(page, f"lists a call that is not in {CALLS}: {row}, {call}")
        for path, cited in ((CALLS, {row for row, _ in entries}),
                            (PROGRAMS,
                             set(re.findall(r"Difference\(\s*\"([FLDA]-\w+)",
                                            self.read(PROGRAMS))))):
            named = {row for row, cell in rows.items() if f"`{path}`" in cell}
            for row in named ^ {row for row in cited if row.startswith("D-")}:
                self.report(page, f"{row}: only one of this page and {path} names the other")

    def check(self):
        differences = self.rows(DIFFERENCES)
        rows = {**self.rows(ROBUSTNESS), **differences}
        for page in self.pages:
            self.check_links(page)
        for page in (*self.root.glob("docs/abi/*.md"), self.root / ROBUSTNESS,
                     self.root / DIFFERENCES):
            self.check_tests(page)
        num_sources = 0
        for folder in SOURCES:
            for path in self.root.glob(f"{folder}/**/*"):
                if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                    self.check_source(path, rows)
                    num_sources += 1
        self.check_tour()
        self.check_differences(differences)
        return f"{len(self.pages)} pages, {num_sources} sources, {len(rows)} rows"


def main():
    links = Links(pathlib.Path(sys.argv[1]).resolve())
    summary = links.check()
    print("\n".join([*links.problems, summary]))
    return len(links.problems) != 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Reads targets.txt, which says how it is written, and judges rows of the benchmarks by it."""
import collections
import fnmatch
import pathlib
import platform
import re
import sys

FILE = pathlib.Path(__file__).resolve().with_name("targets.txt")
PROGRAMS = "bench.py", "layer_containers.py", "header_cost", ("header_cost "
                                                              "--calls"), "header_cost --kernel"
LINE = re.compile(
    r"(?P<row>\S.*?)\s{2,}(?:none|(?P<figure>ratio|ours) <= (?P<limit>[0-9.]+)(?: on "
    r"(?P<vendor>\w+))?)"
)

# A pattern for names of rows; figure is "ratio", "ours", or None for rows without a target.
Target = collections.namedtuple("Target", "row figure limit vendor")


class TargetsError(Exception):
    """The file is wrong; the text says where and how."""


def parse_line(line):
    """The target of a line; raises ValueError with what is wrong."""
    match = LINE.fullmatch(line)
    if not match:
        raise ValueError("not a row, two spaces, and `ratio <= NUMBER`, `ours <= NUMBER` or `none`")
    if match["figure"] is None:
        return Target(match["row"], None, None, None)
    try:
        limit = float(match["limit"])
    except ValueError:
        limit = 0
    if limit <= 0:
        raise ValueError(f"{match['limit']} is not a number above 0")
    return Target(match["row"], match["figure"], limit, match["vendor"])


def read(program, path=FILE):
    """The targets of a program, in the order of the file; raises TargetsError."""
    found, section = {name: [] for name in PROGRAMS}, None
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TargetsError(f"{path}: {error}") from error
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        try:
            if line.startswith("["):
                section = line[1:].rstrip("]")
                if line != f"[{section}]" or section not in found:
                    raise ValueError("no program has this name: there are " + ", ".join(PROGRAMS))
                continue
            if section is None:
                raise ValueError("a row before the first [PROGRAM]")
            target = parse_line(line)
            for other in found[section]:
                if (other.row == target.row
                        and (None in (other.figure, target.figure) or
                             (other.figure, other.vendor) == (target.figure, target.vendor))):
                    raise ValueError(f"a second entry of `{target.row}`")
            found[section].append(target)
        except ValueError as error:
            raise TargetsError(f"{path}:{number}: {error}") from error
    return found[program]


def describe_processor(field, otherwise):
    """What this system says of its processor, such as its vendor_id."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return otherwise
    match = re.search(rf"^{field}\s*: *(\S.*?) *$", text, re.M)
    return match[1] if match else otherwise


class Judge:
    """Judges the rows of one program by its targets, and counts."""

    def __init__(self, entries, is_strict=False, vendor=None):
        self.targets, self.is_strict = entries, is_strict
        self.vendor = describe_processor("vendor_id", "") if vendor is None else vendor
        self.met = self.missed = 0

    def find(self, row):
        """The targets whose pattern is the name of the row or covers it; a full name goes before
        patterns."""
        exact = [target for target in self.targets if target.row == row]
        return exact or [target for target in self.targets if fnmatch.fnmatchcase(row, target.row)]

    def compare(self, rows):
        """The rows without an entry in the file, and the entries without a row."""
        found = {row: self.find(row) for row in rows}
        return ([row for row in rows if not found[row]], [
            target.row for target in self.targets
            if not any(target in entries for entries in found.values())
        ])

    def verdict(self, row, ours=None, ratio=None):
        """As text; empty without a target or without the figure that it is for."""
        words, is_met = [], True
        for target in self.find(row):
            value = {"ratio": ratio, "ours": ours}.get(target.figure)
            if value is None or target.vendor not in (None, self.vendor):
                continue
            if value <= target.limit:
                words.append(f"met, {1 - value / target.limit:.0%} below {target.limit:g}")
            else:
                words.append(f"MISSED, {value / target.limit - 1:.0%} above {target.limit:g}")
                is_met = False
        if words:
            self.met, self.missed = self.met + is_met, self.missed + (not is_met)
        return "; ".join(words)

    def finish(self):
        """Print how many rows meet their targets and on which processor; return the status."""
        if self.met + self.missed:
            name = describe_processor("model name", platform.machine())
            print(f"\n{self.met} of {self.met + self.missed} rows meet their targets on {name}")
        return 1 if self.is_strict and self.missed else 0


def judge_for(program, parser, args, is_judged=True):
    """The judge of a program by its options, or None; ends the program if the file is wrong."""
    if not is_judged:
        if args.strict:
            parser.error("--strict needs a table that is judged")
        return None
    try:
        return Judge(read(program, args.targets), args.strict)
    except TargetsError as error:
        sys.exit(str(error))


def add_options(parser):
    """Add the options of all benchmarks that judge."""
    parser.add_argument("--targets", type=pathlib.Path, default=FILE,
                        help="another file than targets.txt")
    parser.add_argument("--strict", action="store_true", help="end with 1 if a target is missed")

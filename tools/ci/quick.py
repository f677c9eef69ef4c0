#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/test that take seconds, because they only read files and the history.

    quick.py --subject FILE     the check of a message before it is committed, for pre-commit
"""
import fnmatch
import os
import pathlib
import re
import shutil
import sys

from steps import DAILY, JOBS, REPORT, ROOT, execute, part, times_of_load, times_of_setup, tracked

COLUMNS = 100

# Files whose lines may be longer, and why.
LONG_FILES = {
    "*.txt": "tables, and texts that tests compare",
    "expected_*": "what tests compare with",
    "*.json": "data that a program writes",
    "*.svg": "pictures that a program writes",
    "*.css": "one rule a line",
}
# But these are sources.
SOURCES = {"CMakeLists.txt", "meson_options.txt"}
# Lines that may be longer in pages: rows of tables, code, a picture, one word or one piece of code.
LONG_LINE = re.compile(r"\s*\||    |!\[.*\]\(\S*\)$|`[^`]*`\.?$")
# A line without a place to break it, but for what marks it as a comment.
ONE_WORD = re.compile(r"\s*(#|//|\*)?\s*\S+$")

# What prints or reads a number with the point of the locale, and files that may do it, and why.
LOCAL_NUMBER = re.compile(r"(?<!%)%[-+#0-9.*]*[lL]?[efgEFG]|\b(?:strto(?:d|f|ld)|atof)\(")
WITH_LOCALE = {
    "c/json/json_number.c": "it passes over the point",
    "c/dataclass/repr.c": "it replaces the point",
    "isolated/end_errors.c": "it replaces the point",
    "tools/tvm-ffi/base/text.c": "it replaces the point",
    "tools/record/text.c": "it replaces the point",
    "tools/record/value.c": "digits of numbers are tried in the locale, and written with a point",
    "tools/tvm-ffi/recording/program.c": "its programs print their own numbers",
}

# A size that becomes the precision of a text by a cast, which from 2 GiB on is negative: none.
CAST_PRECISION = re.compile(
    r"(?<!%)%\.\*s[^;]*?[,:]\s*\(int\)(?:\(|str\w+\(|[\w.>-]*(?:\(\w+\)\.)?size\b)")

# Versions of clang-format differ in what they make of the same code, so that one is taken.
CLANG_FORMAT = "14"

# Older commits were not held to the rules for subjects; of newer ones the last are checked.
SUBJECTS_SINCE = "2026-11-27T00:00:00Z"
NUM_SUBJECTS = 30
SUBJECT_COLUMNS = 72

# Sources that become part of what users write.
PASTED = {"tools/kernel/tvm_ffi_kernel.h", "tools/kernel/tvm_ffi_kernel_more.h",
          "tools/tvm-ffi/wrap/wrap_runtime.h", "tools/tvm-ffi/wrap/abi_casadi_runtime.h",
          "tools/tvm-ffi/wrap/abi_memref_halide_runtime.h"}


def long_lines(path, text):
    """The numbers of lines that are longer than COLUMNS and should not be."""
    if path.name not in SOURCES and any(fnmatch.fnmatch(path.name, name) for name in LONG_FILES):
        return []
    is_page = path.suffix == ".md"
    found, is_code, is_kept = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if is_page and line.lstrip().startswith("```"):
            is_code = not is_code
        if "clang-format off" in line or "clang-format on" in line:
            is_kept = "clang-format off" in line
        if len(line) > COLUMNS and not (is_code or is_kept or ONE_WORD.match(line)
                                        or is_page and LONG_LINE.match(line)):
            found.append(number)
    return found


def check_width():
    """Check the width of lines, and that files which are not text have the attribute of those."""
    attributes = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    patterns = re.findall(r"^(\S+) binary$", attributes, re.M)
    wrong, unmarked, count = [], [], 0
    for path in tracked():
        name, content = path.relative_to(ROOT), path.read_bytes()
        if b"\0" in content:
            if not any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns):
                unmarked.append(str(name))
            continue
        count += 1
        text = content.decode("utf-8")
        wrong += [f"{name}:{number}: more than {COLUMNS} columns"
                  for number in long_lines(path, text)]
    REPORT.check(f"lines of {count} files have at most {COLUMNS} columns", count and not wrong,
                 "\n".join(wrong))
    REPORT.check("files that are not text are `binary` in .gitattributes", not unmarked,
                 "\n".join(unmarked))


def find_clang_format():
    """The clang-format of the version that made this code, or None after noting a skip."""
    others = []
    for name in f"clang-format-{CLANG_FORMAT}", "clang-format":
        if shutil.which(name):
            said = execute([name, "--version"]).stdout.strip()
            if f"version {CLANG_FORMAT}." in said:
                REPORT.say(f"by {said}")
                return name
            others.append(said)
    REPORT.skip("clang-format", f"version {CLANG_FORMAT} is not installed, and others format "
                f"otherwise{': ' + others[-1] if others else ''}")
    return None


def wrong_casts(text):
    """The numbers of lines with a static_cast<T &&>(x) where neither `T &&x` nor a pack `T... x` is
    declared, so that it moves and does not forward, or with std::forward."""
    for match in re.finditer(r"std::forward\b|static_cast<([^;(){}]*?) &&>\(([^()]*)", text):
        given, name = map(re.escape, match.groups(default=""))
        if not (name and re.search(rf"typename(?:\.\.\.)? {given}\b", text)
                and re.search(rf"\b{given}(?: &&|\.\.\. | &&\.\.\.){name}\b", text)):
            yield text.count("\n", 0, match.start()) + 1


def check_casts():
    """Check that headers in C++ move and forward as CONTRIBUTING.md says."""
    headers = [path for path in tracked() if path.relative_to(ROOT).parts[0] == "cpp"
               and path.suffix == ".h"]
    wrong = [f"{path.relative_to(ROOT)}:{number}: std::move moves, static_cast<T &&> forwards"
             for path in headers for number in wrong_casts(path.read_text(encoding="utf-8"))]
    REPORT.check(f"{len(headers)} headers in C++ move by std::move, and forward by static_cast",
                 headers and not wrong, "\n".join(wrong))


def check_points():
    """Check that sources in C neither print nor read numbers with the point of the host's
    locale."""
    files = [path for path in tracked() if path.suffix == ".c"
             and path.relative_to(ROOT).parts[0] in {"c", "isolated", "tools"}
             and not any(path.match(name) for name in WITH_LOCALE)]
    wrong = [f"{path.relative_to(ROOT)}:{number}: {found[0]}: the locale may have a comma"
             for path in files
             for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
             for found in [LOCAL_NUMBER.search(line)] if found]
    REPORT.check(f"{len(files)} sources print and read numbers with a point in every locale",
                 files and not wrong, "\n".join(wrong))


def check_precisions():
    """Check that sources in C make precisions of sizes by tvmffi_shown_size."""
    files = [path for path in tracked() if path.suffix in {".c", ".h"}
             and path.relative_to(ROOT).parts[0] in {"c", "isolated", "tools"}
             and str(path.relative_to(ROOT)) not in PASTED]
    wrong = [f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.end()) + 1}: "
             "tvmffi_shown_size of c/base/utf8.h fits into an int"
             for path in files for text in [path.read_text(encoding="utf-8")]
             for found in CAST_PRECISION.finditer(text)]
    REPORT.check(f"{len(files)} sources make precisions of sizes by tvmffi_shown_size",
                 files and not wrong, "\n".join(wrong))


@part(f"clang-format-{CLANG_FORMAT}", when=DAILY, alone="how sources are written")
def format():
    """clang-format finds nothing in C and C++; lines of all files have at most 100 columns; headers
    in C++ move and forward as CONTRIBUTING.md says; numbers have a point in every locale, and
    precisions fit into an int"""
    check_width()
    check_casts()
    check_points()
    check_precisions()
    program = find_clang_format()
    if not program:
        return
    files = [path for path in tracked() if path.suffix in {".c", ".h", ".cc", ".cu"}
             and not path.name.startswith("expected_")]
    done = execute(["sh", "-c", f'printf "%s\\0" "$@" | xargs -0 -n 100 -P {os.environ[JOBS]} '
                    f'{program} --dry-run --Werror', "sh", *files])
    REPORT.check(f"{len(files)} files are formatted (clang-format -i does it)",
                 files and done.returncode == 0, done.stdout)


@part(when=DAILY, alone="a source without a license")
def spdx():
    """every source file says SPDX-License-Identifier: Apache-2.0 in its first lines; what is to be
    pasted, 0BSD"""
    named = {"meson.build", "meson_options.txt", "CMakeLists.txt", "Makefile"}
    suffixes = {
        ".c", ".h", ".cc", ".cpp", ".cu", ".cuh", ".py", ".sh", ".S", ".ini", ".dynlist", ".cmake",
        ".in", ".wrap"
    }
    without, checked = [], 0
    for path in tracked():
        head = path.read_bytes()[:400]
        if path.name in named or path.suffix in suffixes or head.startswith(b"#!"):
            checked += 1
            license_name = b"0BSD" if str(path.relative_to(ROOT)) in PASTED else b"Apache-2.0"
            if b"SPDX-License-Identifier: " + license_name not in head:
                without.append(str(path.relative_to(ROOT)))
    REPORT.check(f"{checked} source files name the license", checked and not without,
                 "\n".join(without))


# A limit of a test's own that is the same under any load.
FIXED_LIMIT = re.compile(r"\(void\)alarm\((?!0\)|.*environment_slower)|(?:^|[(\s])timeout=\d")
LIMIT_EXAMPLES = {
    "    (void)alarm(30);": True,
    "    (void)alarm(30 * environment_slower());": False,
    "    (void)alarm(0);": False,
    "done = subprocess.run(words, timeout=60)": True,
    "                      timeout=60)": True,
    'load_module("isolated,timeout=60:kernel.so")': False,
}


@part(when=DAILY, alone="a test that fails on a busy machine")
def limits():
    """time limits of tests grow with the load of the machine"""
    build = (ROOT / "tests/meson.build").read_text(encoding="utf-8")
    factors = [times_of_load(load, 2) for load in (0, 2, 20)]
    REPORT.check("the factor is 2 on an idle machine, 12 with 20 processes on two processors",
                 factors == [2, 3, 12], str(factors))
    times = [times_of_setup(setup, build) for setup in (None, "tsan", "valgrind", "record")]
    REPORT.check("setups of tests/meson.build are taken into account", times == [1, 5, 10, 4],
                 str(times))
    wrong = [line for line, is_fixed in LIMIT_EXAMPLES.items()
             if bool(FIXED_LIMIT.search(line)) != is_fixed]
    REPORT.check(f"rules for {len(LIMIT_EXAMPLES)} examples", not wrong, "\n".join(wrong))
    paths = [path for path in tracked() if path.relative_to(ROOT).parts[0] == "tests"
             and path.suffix in (".c", ".cc", ".h", ".py")]
    fixed = [f"{path.relative_to(ROOT)}:{number}" for path in paths
             for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
             if FIXED_LIMIT.search(line)]
    REPORT.check(f"{len(paths)} tests have no limit that is the same under any load",
                 paths and not fixed, "\n".join(fixed))


def wrong_subject(subject):
    """What is wrong with the subject of a commit, or None."""
    if len(subject) > SUBJECT_COLUMNS:
        return f"has {len(subject)} columns, more than {SUBJECT_COLUMNS}"
    found = re.match(r"[a-z][\w+./-]*(?:, [a-z][\w+./-]*)*: (\w+)\b", subject)
    if not found:
        return "does not begin with `area: ` in lower case"
    # The mood of a verb takes a dictionary; these do not begin an imperative.
    if re.match(r"(?:an?|the|no|what|how|one|only|[A-Z]\w*|(?!embed|feed|need)\w+ed"
                r"|(?!bring|string)\w+ing|\w+[^s]s)$(?<!alias)(?<!focus)(?<!bias)", found[1]):
        return f"is not an imperative: `{found[1]}`"
    if subject.endswith("."):
        return "ends with a full stop"
    return None


# Subjects, and a part of what is said of them.
SUBJECT_EXAMPLES = {
    "error: keep first error when cleanup fails": None,
    "tests, tool: process signals in order": None,
    "tests/c: pass the allocator": None,
    "Error: keep first error": "area",
    "error:keep first error": "area",
    "keep first error": "area",
    "error: " + "keep " * 14: "columns",
    "error: the first error is kept": "imperative",
    "error: keeps first error": "imperative",
    "error: fixed a leak": "imperative",
    "error: keep first error.": "full stop",
}


@part(when=DAILY, alone="how commits are named")
def subjects():
    """subjects of the newest commits are `area: imperative`, with at most 72 columns"""
    wrong = [f"{subject}: {wrong_subject(subject)}"
             for subject, expected in SUBJECT_EXAMPLES.items()
             if (expected or "None") not in str(wrong_subject(subject))]
    REPORT.check(f"rules for {len(SUBJECT_EXAMPLES)} examples", not wrong, "\n".join(wrong))
    done = execute(["git", "log", "--no-merges", f"--since={SUBJECTS_SINCE}", f"-{NUM_SUBJECTS}",
                    "--format=%h %s"])
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        REPORT.skip("commits", "there is no history of git" if done.returncode != 0 else
                    f"there is none since {SUBJECTS_SINCE}")
        return
    wrong = [f"{line}\n  {wrong_subject(line.partition(' ')[2])}" for line in lines
             if wrong_subject(line.partition(" ")[2])]
    REPORT.check(f"subjects of {len(lines)} commits", not wrong, "\n".join(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--subject":
        sys.exit(__doc__)
    first = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").partition("\n")[0]
    problem = wrong_subject(first)
    if problem:
        sys.exit(f"the subject of the commit {problem}:\n  {first}")

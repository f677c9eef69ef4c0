#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the package's source distribution, on its own library and on ours.

    suite.py --runtime libtvm_ffi.so --work FOLDER [FILE...]

Every test that passes on the first passes on the second, but for those of not_yet.txt, which must fail.
What came of them on the first is kept beside the package, for as long as nothing there is another.
With FILEs (test_tensor.py) only those are run, on both libraries.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import package

TIMEOUT_SECONDS = 560
KINDS = ("passed", "failed", "skipped")
# What the outcomes depend on, beside the tests themselves.
SURROUNDINGS = """
import importlib.metadata, json, shutil, sys
print(json.dumps({"python": sys.version, "tools": [name for name in ("c++", "nvcc", "cargo") if shutil.which(name)],
                  "packages": sorted({f"{d.metadata['Name']} {d.version}" for d in importlib.metadata.distributions()})}))
"""


class Run:
    """pytest at work; nothing is written but below its folder."""

    def __init__(self, python, source, work, files):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.results, self.log = work / "results.xml", work / "log.txt"
        env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
        env.update(TVM_FFI_CACHE_DIR=str(work / "cache"), PYTHONDONTWRITEBYTECODE="1")
        tests = source / "tests" / "python"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [python, "-m", "pytest", "-c", os.devnull, "--rootdir", source, "-p", "no:cacheprovider", "-v",
                 "--basetemp", work / "tmp", "--junit-xml", self.results,
                 *([tests / name for name in files] or [tests])],
                cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def outcomes(self):
        """What came of each test, by its name: one of KINDS, and what is said of it."""
        try:
            self.process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.returncode not in (0, 1):  # all passed, some failed
            tail = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-40:]
            sys.exit("\n".join([*tail, f"pytest ended with {self.process.returncode}"]))
        found = {}
        for case in xml.etree.ElementTree.parse(self.results).iter("testcase"):
            said = {part.tag: part for part in case}
            kind = "passed"
            if "failure" in said or "error" in said:
                kind = "failed"
            elif "skipped" in said:  # among them tests that are expected to fail
                kind = "skipped"
            name = f"{case.get('classname')}::{case.get('name')}"
            text = "\n".join(part.text or part.get("message") or "" for part in said.values())
            assert name not in found, name
            found[name] = (kind, text)
        return found


def of_reference(reference, source, work, files):
    """A function that gives the outcomes on the package's own library."""
    keep = source.parent / "outcomes.json"
    asked = json.loads(subprocess.check_output([reference.python, "-c", SURROUNDINGS], text=True))
    known = package.read(keep)
    if not files and known.get("asked") == asked:
        print("on the package's library: as known from an earlier run")
        return lambda: known["outcomes"]
    run = Run(reference.python, source, work, files)

    def finish():
        outcomes = {name: [kind, ""] for name, (kind, _) in run.outcomes().items()}
        if not files and all(kind != "failed" for kind, _ in outcomes.values()):
            new = keep.with_name(f"{keep.name}.{os.getpid()}")
            new.write_text(json.dumps({"asked": asked, "outcomes": outcomes}), encoding="utf-8")
            new.replace(keep)
        return outcomes
    return finish


def print_table(theirs, ours):
    """Passed, failed and skipped by file."""
    counts = collections.defaultdict(collections.Counter)
    for column, outcomes in enumerate((theirs, ours)):
        for name, (kind, _) in outcomes.items():
            file = next(part for part in name.split("::")[0].split(".") if part.startswith("test_"))
            for row in (file, "all"):
                counts[row][column, kind] += 1
    print(f"{'':44}{'the package':^24}{'ours':^24}")
    print(f"{'':44}" + "".join(f"{kind:>8}" for kind in KINDS * 2))
    for row in [*sorted(counts.keys() - {"all"}), "all"]:
        cells = [counts[row][column, kind] for column in (0, 1) for kind in KINDS]
        print(f"{row:44}" + "".join(f"{cell:8}" for cell in cells))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    reference, source = package.require(), package.require_suite()
    work = args.work.resolve() / "suite"
    python = reference.with_library(args.runtime, work / "venv")
    # Both at a time.
    finish = of_reference(reference, source, work / "theirs", args.files)
    ours = Run(python, source, work / "ours", args.files).outcomes()
    theirs = finish()
    print_table(theirs, ours)

    not_yet = {line[len("test "):] for line in package.not_yet() if line.startswith("test ")}
    problems = [f"{name}: only on one library" for name in theirs.keys() ^ ours.keys()]
    for name in sorted(theirs.keys() & ours.keys()):
        kind, text = ours[name]
        if theirs[name][0] == "passed" and kind != "passed" and name not in not_yet:
            problems.append(f"{name}: passed on the package's library, {kind} on ours\n{text[-2000:]}")
        if kind == "passed" and name in not_yet:
            problems.append(f"{name}: is in not_yet.txt, but passes")
    if not args.files:
        problems += [f"{name}: is in not_yet.txt, but no test" for name in sorted(not_yet - ours.keys())]
    print(*problems, sep="\n\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

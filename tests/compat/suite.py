#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the package's source distribution, on its own library and on ours; or those of orcjit or xgrammar.

    suite.py --runtime libtvm_ffi.so --work FOLDER [--suite NAME] [FILE...]

Every test that passes on the first passes on the second, but for those of not_yet.txt, which must fail.
What came of them on the first is kept beside the package, for as long as nothing there is another.
With FILEs (test_tensor.py) only those are run, on both libraries.
"""
import argparse
import collections
import hashlib
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
STAND_INS = pathlib.Path(__file__).resolve().with_name("stand_ins")
# What the outcomes depend on, beside the tests themselves.
SURROUNDINGS = """
import importlib.metadata, json, shutil, sys
print(json.dumps({"python": sys.version, "tools": [name for name in ("c++", "nvcc", "cargo") if shutil.which(name)],
                  "packages": sorted({f"{d.metadata['Name']} {d.version}" for d in importlib.metadata.distributions()})}))
"""


class Suite:
    """Tests, and what they need; those that a machine like this cannot run are left out."""

    def __init__(self, name, work):
        self.name, self.options, self.environment = name, [], {}
        self.tests = self.root = package.require_suite()
        paths = [] if name == "package" else [package.require_more(name)]
        if name == "package":
            self.tests = self.root / "tests" / "python"
        elif name == "orcjit":
            self.tests = self.root / "addons" / "tvm_ffi_orcjit" / "tests"
            # They compile to a folder there, and find it the next time.
            objects = work / f"orcjit-{package.VERSION}"
            objects.mkdir(parents=True, exist_ok=True)
            # nvcc compiles without a device, which only running takes.
            self.environment = {"TMPDIR": str(objects), "TVM_FFI_CUDA_ARCH_LIST": "8.0"}
            self.options = ["-k", "not cuda"]
        elif name == "xgrammar":
            self.root = package.require_more(name, source=True)
            self.tests = self.root / "tests" / "python"
            paths.append(STAND_INS)
            # These take the arithmetic of PyTorch, tokenizers of Hugging Face, or the package cohere_melody.
            self.options = [*(f"--ignore={self.tests / file}" for file in (
                "test_token_bitmask_operations.py", "test_tokenizer_utils.py", "test_pressure.py")),
                "-k", "not MELODY and not cohere_melody", "-W", "ignore::pytest.PytestUnknownMarkWarning"]
            self.environment = {"PYTHONHASHSEED": "0"}  # names of tests have the order of a set
        self.asked = [list(map(str, self.options)), self.environment]
        self.environment = package.environment(*paths, PYTHONDONTWRITEBYTECODE="1", **self.environment)

    def compile(self, python):
        """What both runs need, so that it is there before them."""
        if self.name == "orcjit":
            try:
                package.run("compiling the tests of orcjit", "env", f"PYTHONPATH={self.tests}",
                            *(f"{key}={value}" for key, value in self.asked[1].items()), python, "-c",
                            "import utils; utils.build_test_objects()")
            except package.Unavailable as error:
                sys.exit(str(error))

    def known_outcomes(self):
        if self.name == "package":
            return self.root.parent / "outcomes.json"
        return package.folder() / f"{self.name}_outcomes.json"


class Run:
    """pytest at work; nothing is written but below its folder."""

    def __init__(self, python, suite, work, files):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.results, self.log = work / "results.xml", work / "log.txt"
        env = {**suite.environment, "TVM_FFI_CACHE_DIR": str(work / "cache")}
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [python, "-m", "pytest", "-c", os.devnull, "--rootdir", suite.root, "-p", "no:cacheprovider", "-v",
                 "--basetemp", work / "tmp", "--junit-xml", self.results, *suite.options,
                 *([suite.tests / name for name in files] or [suite.tests])],
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


def of_reference(reference, suite, work, files):
    """A function that gives the outcomes on the package's own library."""
    keep = suite.known_outcomes()
    asked = json.loads(subprocess.check_output([reference.python, "-c", SURROUNDINGS], text=True,
                                               env=suite.environment))
    asked["suite"] = suite.asked
    if suite.name == "xgrammar":
        texts = b"".join(file.read_bytes() for file in sorted(STAND_INS.glob("*.py")))
        asked["stand_ins"] = hashlib.sha256(texts).hexdigest()
    known = package.read(keep)
    if not files and known.get("asked") == asked:
        print("on the package's library: as known from an earlier run")
        return lambda: known["outcomes"]
    run = Run(reference.python, suite, work, files)

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
    parser.add_argument("--suite", default="package", choices=("package", "orcjit", "xgrammar"))
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    reference = package.require()
    work = args.work.resolve() / ("suite" if args.suite == "package" else f"suite_{args.suite}")
    suite = Suite(args.suite, work)
    python = reference.with_library(args.runtime, work / "venv")
    suite.compile(reference.python)
    # Both at a time.
    finish = of_reference(reference, suite, work / "theirs", args.files)
    ours = Run(python, suite, work / "ours", args.files).outcomes()
    theirs = finish()
    print_table(theirs, ours)

    not_yet = {line[len("test "):] for line in package.not_yet() if line.startswith("test ")}
    if args.suite != "package":
        not_yet = set()
    problems = [f"{name}: only on one library" for name in theirs.keys() ^ ours.keys()]
    for name in sorted(theirs.keys() & ours.keys()):
        kind, text = ours[name]
        if theirs[name][0] == "passed" and kind != "passed" and name not in not_yet:
            problems.append(f"{name}: passed on the package's library, {kind} on ours\n{text[-2000:]}")
        if kind == "passed" and name in not_yet:
            problems.append(f"{name}: is in not_yet.txt, but passes")
    if not args.files:
        problems += [f"{name}: is in not_yet.txt, but no test" for name in sorted(not_yet - ours.keys())]
    passed = [sum(kind == "passed" for kind, _ in outcomes.values()) for outcomes in (theirs, ours)]
    print(f"tests of {args.suite}: {passed[0]} passed on the package's library, {passed[1]} on ours")
    print(*problems, sep="\n\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

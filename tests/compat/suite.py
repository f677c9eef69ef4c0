#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the package's source distribution, on its own library and on ours; or those of
orcjit or xgrammar.

    suite.py --runtime libtvm_ffi.so --work FOLDER [--suite NAME] [FILE...] [--record TVM-FFI]
    [--layer INCLUDE... --cxx g++...]

Every test that passes on the package's library must pass on ours. The outcomes on the package's
library are kept beside the package until the surroundings change. With FILEs (test_tensor.py) only
those are run.

With --record, they run under `tvm-ffi record --first=1` on our library and under `--no-data` on the
package's, and every outcome must be the one without.

With --layer, the tests on our library use an xgrammar that is compiled from its sources with those
headers (xgrammar_sources.py); those on the package's library use the wheel. Compiled without
optimization it is slow, so the files of SLOW are left out unless they are named.
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
import xgrammar_sources

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
from recording import Recording

TIMEOUT_SECONDS = 560 * int(os.environ.get("TVM_FFI_TEST_SLOWER", "1"))
# The tests that must pass in the files that run with --layer, out of 4,116 in all.
NUM_LAYER_TESTS = 2944
KINDS = ("passed", "failed", "skipped")
# Files of xgrammar: they convert JSON schemas to grammars, which hardly uses the binding, in four
# fifths of the time.
SLOW = {
    "test_json_schema_converter.py", "test_json_schema_excludes.py",
    "test_function_calling_converter.py"
}
STAND_INS = pathlib.Path(__file__).resolve().with_name("stand_ins")
# Prints everything that the outcomes depend on, apart from the tests themselves.
SURROUNDINGS = """
import importlib.metadata, json, shutil, sys
print(json.dumps({
    "python": sys.version,
    "tools": [name for name in ("c++", "nvcc", "cargo") if shutil.which(name)],
    "packages": sorted({f"{d.metadata['Name']} {d.version}"
                        for d in importlib.metadata.distributions()})}))
"""


class Suite:
    """A test suite with its options and environment; tests that need other hardware or packages are
    left out."""

    def __init__(self, name, work):
        self.name, self.options, self.variables = name, [], {}
        self.tests = self.root = package.require_suite()
        self.paths = [] if name == "package" else [package.require_more(name)]
        if name == "package":
            self.tests = self.root / "tests" / "python"
        elif name == "orcjit":
            self.tests = self.root / "addons" / "tvm_ffi_orcjit" / "tests"
            # The tests compile into a folder below TMPDIR, and reuse it in the next run.
            objects = work / f"orcjit-{package.VERSION}"
            objects.mkdir(parents=True, exist_ok=True)
            # nvcc compiles without a device; only running needs one, so the CUDA tests are left
            # out.
            self.variables = {"TMPDIR": str(objects), "TVM_FFI_CUDA_ARCH_LIST": "8.0"}
            self.options = ["-k", "not cuda"]
        elif name == "xgrammar":
            self.root = package.require_more(name, source=True)
            self.tests = self.root / "tests" / "python"
            self.paths.append(STAND_INS)
            # These need the arithmetic of PyTorch, tokenizers of Hugging Face, or the package
            # cohere_melody.
            self.options = [
                *(f"--ignore={self.tests / file}"
                  for file in ("test_token_bitmask_operations.py", "test_tokenizer_utils.py",
                               "test_pressure.py")), "-k", "not MELODY and not cohere_melody", "-W",
                "ignore::pytest.PytestUnknownMarkWarning"
            ]
            self.variables = {"PYTHONHASHSEED": "0"}  # names of tests depend on the order of a set
        self.asked = [list(map(str, self.options)), self.variables]

    def environment(self, *first):
        """The environment of the suite; packages in the folders `first` are found before the
        suite's own."""
        return package.environment(*first, *self.paths, PYTHONDONTWRITEBYTECODE="1",
                                   **self.variables)

    def quick_files(self):
        """All test files but those of SLOW and the ignored ones."""
        left_out = {
            pathlib.Path(option.partition("=")[2]).name for option in self.options
            if "--ignore" in option
        }
        return sorted({file.name for file in self.tests.glob("test_*.py")} - left_out - SLOW)

    def compile(self, python):
        """Compile what both runs need, before they start."""
        if self.name == "orcjit":
            try:
                package.run("compiling the tests of orcjit", "env", f"PYTHONPATH={self.tests}",
                            *(f"{key}={value}" for key, value in self.variables.items()), python,
                            "-c", "import utils; utils.build_test_objects()")
            except package.Unavailable as error:
                sys.exit(str(error))

    def known_outcomes(self):
        if self.name == "package":
            return self.root.parent / "outcomes.json"
        return package.folder() / f"{self.name}_outcomes.json"


class Run:
    """A running pytest, which writes only below its folder."""

    def __init__(self, python, suite, work, files, *first, under=()):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.results, self.log = work / "results.xml", work / "log.txt"
        env = {**suite.environment(*first), "TVM_FFI_CACHE_DIR": str(work / "cache")}
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([
                *under, python, "-m", "pytest", "-c", os.devnull, "--rootdir", suite.root, "-p",
                "no:cacheprovider", "-v", "--basetemp", work / "tmp", "--junit-xml", self.results,
                *suite.options, *([suite.tests / name for name in files] or [suite.tests])
            ], cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def outcomes(self):
        """The outcome of each test, by its name: one of KINDS, and the message."""
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
            elif "skipped" in said:  # includes tests that are expected to fail
                kind = "skipped"
            name = f"{case.get('classname')}::{case.get('name')}"
            text = "\n".join(part.text or part.get("message") or "" for part in said.values())
            assert name not in found, name
            found[name] = (kind, text)
        return found


def file_of(test):
    return next(part for part in test.split("::")[0].split(".") if part.startswith("test_"))


def of_reference(reference, suite, work, files):
    """Start the tests on the package's own library, or find known outcomes; return a function that
    returns them."""
    keep = suite.known_outcomes()
    asked = json.loads(subprocess.check_output([reference.python, "-c", SURROUNDINGS], text=True,
                                               env=suite.environment()))
    asked["suite"] = suite.asked
    if suite.name == "xgrammar":
        texts = b"".join(file.read_bytes() for file in sorted(STAND_INS.glob("*.py")))
        asked["stand_ins"] = hashlib.sha256(texts).hexdigest()
    known = package.read(keep)
    if known.get("asked") == asked and all(name.endswith(".py") for name in files):
        print("on the package's library: as known from an earlier run")
        names = {pathlib.Path(file).name for file in files}
        return lambda: {name: outcome for name, outcome in known["outcomes"].items()
                        if not files or f"{file_of(name)}.py" in names}
    run = Run(reference.python, suite, work, files)

    def finish():
        outcomes = {name: [kind, ""] for name, (kind, _) in run.outcomes().items()}
        if not files and all(kind != "failed" for kind, _ in outcomes.values()):
            new = keep.with_name(f"{keep.name}.{os.getpid()}")
            new.write_text(json.dumps({"asked": asked, "outcomes": outcomes}), encoding="utf-8")
            new.replace(keep)
        return outcomes
    return finish


class Recorded(Run):
    """The same under the recorder. What it writes is held to its format."""

    def __init__(self, python, suite, work, files, *command):
        self.folder = work.with_name(f"{work.name}_calls")
        shutil.rmtree(self.folder, ignore_errors=True)
        super().__init__(python, suite, work, files, under=[
            command[0], "record", "-o", self.folder, *command[1:], "--"])

    def outcomes(self):
        found = super().outcomes()
        recording = Recording(self.folder)
        print(f"{self.folder.name}: {len(recording.calls)} calls are recorded")
        # What is never looked up by a symbol is not: few tests of the package load libraries.
        assert recording.calls
        return found


def different(theirs, recorded):
    """The problems of tests whose outcomes are others when they are recorded."""
    return [
        f"{name}: {theirs.get(name, ['not run'])[0]} without the recorder, {kind} with it\n"
        f"{text[-2000:]}" for name, (kind, text) in sorted(recorded.items())
        if theirs.get(name, [None])[0] != kind
    ] + [f"{name}: not run with the recorder" for name in theirs.keys() - recorded.keys()]


def compare_recorded(tool, reference, python, suite, work, files):
    """The same tests with and without the recorder, on either library; the problems."""
    theirs = of_reference(reference, suite, work / "theirs", files)()
    runs = {
        "the package's library": Recorded(reference.python, suite, work / "no_data", files, tool,
                                          "--no-data"),
        "ours": Recorded(python, suite, work / "first", files, tool, "--first=1")
    }
    problems = []
    for name, run in runs.items():
        outcomes = run.outcomes()
        problems += [f"on {name}: {problem}" for problem in different(theirs, outcomes)]
        print(f"on {name}: {len(outcomes)} tests, "
              f"{sum(kind == 'passed' for kind, _ in outcomes.values())} passed")
    return problems


def print_table(theirs, ours):
    """Print how many tests passed, failed and were skipped, by file."""
    counts = collections.defaultdict(collections.Counter)
    for column, outcomes in enumerate((theirs, ours)):
        for name, (kind, _) in outcomes.items():
            for row in (file_of(name), "all"):
                counts[row][column, kind] += 1
    print(f"{'':44}{'the package':^24}{'ours':^24}")
    print(f"{'':44}" + "".join(f"{kind:>8}" for kind in KINDS * 2))
    for row in [*sorted(counts.keys() - {"all"}), "all"]:
        cells = [counts[row][column, kind] for column in (0, 1) for kind in KINDS]
        print(f"{row:44}" + "".join(f"{cell:8}" for cell in cells))


def build_xgrammar(args, suite, python, work):
    """The folder of xgrammar compiled with the layer, and the problems with what it registers."""
    built, problems = xgrammar_sources.build(args.cxx, args.layer, args.runtime, suite.root, work)
    folder, _ = package.replace_library(suite.paths[0], built, work / "packages", "xgrammar",
                                        xgrammar_sources.LIBRARY)
    for library in (folder / xgrammar_sources.LIBRARY, next(
        (work / "venv").rglob("libtvm_ffi.so"))):
        package.check_loaded(python, library, folder, *suite.paths, module="xgrammar")
    return folder, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--suite", default="package", choices=("package", "orcjit", "xgrammar"))
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--layer", type=pathlib.Path, nargs="+")
    parser.add_argument("--cxx", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.layer and (args.suite != "xgrammar" or not args.cxx):
        parser.error("--layer is for --suite xgrammar, and takes --cxx")
    reference = package.require()
    work = "suite" if args.suite == "package" else f"suite_{args.suite}"
    work += "_layer" if args.layer else "_recorded" if args.record else ""
    work = args.work.resolve() / work
    suite = Suite(args.suite, work)
    python = reference.with_library(args.runtime, work / "venv")
    suite.compile(reference.python)
    first, problems, files = [], [], args.files
    if args.record:
        problems = compare_recorded(args.record.resolve(), reference, python, suite, work, files)
        print(*problems, sep="\n\n")
        return 1 if problems else 0
    if args.layer:
        built, problems = build_xgrammar(args, suite, python, work)
        first, files = [built], files or suite.quick_files()
    # Both runs at the same time.
    finish = of_reference(reference, suite, work / "theirs", files)
    ours = Run(python, suite, work / "ours", files, *first).outcomes()
    theirs = finish()
    print_table(theirs, ours)

    problems += [f"{name}: only on one library" for name in theirs.keys() ^ ours.keys()]
    for name in sorted(theirs.keys() & ours.keys()):
        kind, text = ours[name]
        if theirs[name][0] == "passed" and kind != "passed":
            problems.append(
                f"{name}: passed on the package's library, {kind} on ours\n{text[-2000:]}")
    passed = [sum(kind == "passed" for kind, _ in outcomes.values()) for outcomes in (theirs, ours)]
    if args.layer and not args.files and passed[1] != NUM_LAYER_TESTS:
        problems.append(f"{NUM_LAYER_TESTS} were to pass on ours")
    print(
        f"tests of {args.suite}: {passed[0]} passed on the package's library, {passed[1]} on ours")
    print(*problems, sep="\n\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

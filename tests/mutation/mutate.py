#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the library in small ways and counts how many of the changes the C tests notice.

A mutant is one source with one change: a condition flipped, `<` made `<=`, a constant increased, a
statement (an increment, a release, an assignment, a call) left out. It is killed when a test fails,
crashes, runs out of time, leaks or is stopped by a sanitizer. The tests named after the source run
first, and the first failure ends the run. What survives all tests without sanitizers goes through
those of its folder again with them, which take ten times as long: first addresses, undefined
behaviour and leaks, then threads (a lock that is released but was not taken). Sources are copied,
so the working tree stays as it is:

    tests/mutation/mutate.py --count 100 --seed 1
    tests/mutation/mutate.py --folder c/container/map --count 50
    tests/mutation/mutate.py --only survivors.json

The sample depends on the seed and the sources alone. Survivors are printed as diffs. Those in
equal.txt, each with the reason why no test can tell them from the original, are counted apart, as
are changes that the compiler turns into the same code.
"""
import argparse
import difflib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUAL = pathlib.Path(__file__).with_name("equal.txt")
FOLDERS = ["c/core", "c/module", "c/container"]
SUITES = {"unit", "oom", "modules"}
ALSO = {"race_fork"}  # the only test of what a child does after a fork
OPTIONS = [
    "-Doptimization=0", "-Ddebug=false", "-Dtools=disabled", "-Dsamples=disabled",
    "-Dcuda=disabled", "-Ddlpack=fallback"
]
SANITIZERS = ("none", "address,undefined", "thread")
ENVIRONMENT = {
    "CCACHE_DISABLE": "1", "CC": "clang", "CXX": "clang++",
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:"
                    "allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1"
}
# Needs the runtime inside the program, whose parts it chooses; mutants are in a shared library.
LEFT_OUT = {"parts"}
# A mutant may loop for ever: as many times the usual seconds, and at least so many.
SLOWER, SECONDS = 10, 5

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "true": "false", "false": "true", "break": "continue", "+=": "-=",
    "-=": "+="
}
OPERATOR = re.compile(
    r"(?<=[\w)\]\s])(?:<=|>=|==|!=|&&|\|\||\+=|-=|(?<=\s)[<>+-](?=\s))|\b(?:true|false|break)\b")
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F]+|\d+)(?=[uUlL]*\b)(?!\.)")
CONDITION = re.compile(r"\b(?:if|while) \(")
# A statement on a line of its own or after `if (...) `: a call, an assignment, an increment.
STATEMENT = re.compile(r"^\s+(?:(?:\} else )?(?:if|for|while) \(.*\) |else )?"
                       r"((?:\(void\))?(?:\+\+|--)?[\w*][\w.>\[\]*+-]*(?: [|&+-]?= .*|\(.*\));)$|"
                       r"^\s+(?:if \(.*\) )?((?:\+\+|--)[\w.>\[\]-]+;)$")
# Room for a text: a byte more makes no difference.
ROOM = re.compile(r"^\s*(?:static )?char \w+\[\d+\].*;$", re.M)
DECLARATION = re.compile(r"^\s*(?:static |const |struct |return|typedef|goto)")


def mask(text):
    """The text with comments, literals and directives blanked, so that positions stay the same."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$|^typedef .*;$", blank, text, flags=re.M)


def closing(text, start):
    """The position of the parenthesis that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return None


def find_mutants(text):
    """All changes of a source as (start, end, replacement)."""
    code = mask(text)
    # Numbers of enumerators are what they are; those in bodies and tables count.
    plain = re.sub(r"enum (?:\w+ )?\{.*?\}", lambda m: re.sub(r"[^\n]", " ", m[0]), code,
                   flags=re.S)
    for match in OPERATOR.finditer(plain):
        yield match.start(), match.end(), SWAPS[match[0]]
    for match in NUMBER.finditer(ROOM.sub(lambda m: " " * len(m[0]), plain)):
        yield match.start(), match.end(), str(int(match[0], 0) + 1)
    for match in CONDITION.finditer(plain):
        end = closing(plain, match.end() - 1)
        if end is not None:
            yield match.end(), end, f"!({text[match.end():end]})"
    position = 0
    for line in code.splitlines(keepends=True):
        match = STATEMENT.match(line.rstrip("\n"))
        if match and not DECLARATION.match(line):
            group = 1 if match[1] else 2
            yield position + match.start(group), position + match.end(group), ";"
        position += len(line)


def as_diff(source, old, new):
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), source, source, n=0,
                                 lineterm="")
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


def changed_lines(diff):
    """The changed lines without indentation, by which equal.txt knows a mutant."""
    return [line[0] + line[1:].strip() for line in diff.splitlines() if line.startswith(("-", "+"))]


def read_equal():
    """The mutants of equal.txt: {(source, changed lines, line before them): reason}. The line
    before may be None."""
    found, source, lines, before = {}, "", [], None
    for line in EQUAL.read_text(encoding="utf-8").splitlines():
        if line.startswith("c/"):
            source = line
        elif line.startswith(" "):
            before = line.strip()
        elif line.startswith(("-", "+")):
            lines.append(line[0] + line[1:].strip())
        elif line.startswith("= "):
            found[source, "\n".join(lines), before] = line[2:]
            lines, before = [], None
    return found


def is_equal(equal, source, text, start, diff):
    """Whether equal.txt has the mutant of a source whose change begins at start."""
    lines = "\n".join(changed_lines(diff))
    before = text[:start].splitlines()[-2:-1]
    return ((source, lines, None) in equal or any(
        (source, lines, line.strip()) in equal for line in before))


class Scratch:
    """A copy of the sources with a build of its own, whose shared library is replaced by that of
    each mutant."""

    def __init__(self, work, sanitizers, compiler_jobs):
        self.root, self.jobs, self.sanitizers = work, compiler_jobs, sanitizers
        shutil.copytree(ROOT, self.root, symlinks=True,
                        ignore=shutil.ignore_patterns("build*", ".git", "__pycache__"))
        self.build = self.root / "build"
        self.env = {**os.environ, **ENVIRONMENT}
        self.flags = [] if sanitizers == "none" else [f"-fsanitize={sanitizers}"]
        self.call("meson", "setup", self.build, *OPTIONS, f"-Db_sanitize={sanitizers}",
                  f"-Db_lundef={'true' if sanitizers == 'none' else 'false'}", cwd=self.root)
        self.tests = [test for test in self.introspect("tests")
                      if test["name"] in ALSO or test["name"] not in LEFT_OUT
                      and SUITES & {suite.rpartition(":")[2] for suite in test["suite"]}]
        self.call("ninja", f"-j{self.jobs}", *self.needed())
        self.compilers, self.objects = {}, []
        for entry in json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8")):
            source = os.path.relpath(self.build / entry["file"], self.root)
            if "libtvm_ffi.a.p" in entry["output"] and source not in self.compilers:
                words = [
                    word for word in shlex.split(entry["command"])
                    if word != "ccache" and not word.startswith("-g")
                ]
                self.compilers[source] = [*words, "-fvisibility=default", "-w", "-Wno-error"]
                self.objects.append(entry["output"])
        for command in self.compilers.values():
            self.call(*command)
        self.library = self.build / "c/libtvm_ffi.so"
        # By this name the library has no helper beside it: tests say where it is.
        self.alone = self.build / "alone/libtvm_ffi.so"
        self.alone.parent.mkdir()
        self.alone.symlink_to(self.library)
        self.link_library()
        self.link_tests()
        self.limits = {}
        self.tests = [test for test in self.tests if self.passes_unchanged(test)]

    def call(self, *command, cwd=None):
        done = subprocess.run([str(word) for word in command], cwd=cwd or self.build, env=self.env,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", check=False)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def introspect(self, what):
        return json.loads(
            (self.build / f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))

    def needed(self):
        """The files that the tests use."""
        ids = {used for test in self.tests for used in test["depends"]}
        return [
            os.path.relpath(file, self.build) for target in self.introspect("targets")
            if target["id"] in ids for file in target["filename"]
        ]

    def link_library(self):
        """The shared library, with internal functions visible. Returns whether it could be
        linked."""
        done = subprocess.run(["clang", "-shared", *self.flags, "-o", self.library, *self.objects,
                               "-lpthread", "-ldl"], cwd=self.build, env=self.env, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode == 0

    def link_tests(self):
        """Link the test programs with the shared library, so that a mutant needs no links but
        one."""
        for test in self.tests:
            program = os.path.relpath(test["cmd"][0], self.build)
            if not re.fullmatch(r"tests/(?:\w+/)?test_\w+", program):
                continue
            command = self.call("ninja", "-t", "commands", "-s", program).strip().splitlines()[-1]
            words = shlex.split(command)
            if "c/libtvm_ffi.a" in words and not any("--wrap" in word for word in words):
                self.call(*(self.alone if word == "c/libtvm_ffi.a" else word for word in words))

    def passes_unchanged(self, test):
        start = time.monotonic()
        self.limits[test["name"]] = 120
        good = self.passes(test)
        self.limits[test["name"]] = max(SECONDS, SLOWER * (time.monotonic() - start))
        test["seconds"] = time.monotonic() - start
        if not good:
            print(
                f"left out with sanitizers {self.sanitizers}, fails without a change: "
                f"{test['name']}",
                flush=True)
        return good

    def passes(self, test):
        with subprocess.Popen(test["cmd"], cwd=test["workdir"] or self.build,
                              env={**self.env, **test["env"]}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                return process.wait(self.limits[test["name"]]) in (0, 77)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return False

    def in_order(self, source):
        """The tests of the source first, then those of its folder, then the others, fast ones
        first. With sanitizers only those of the folder."""
        stem = pathlib.Path(source).stem
        folder = pathlib.Path(source).parent.name

        def rank(test):
            name = test["name"].removeprefix("oom_")
            if name == stem:
                return 0
            if name.startswith(stem) or stem.startswith(name):
                return 1
            of_folder = ((ROOT / f"tests/c/{folder}/test_{name}.c").exists()
                         or f"c/{folder}/{name}.c" in self.compilers)
            return 2 if of_folder else 3
        return sorted((test for test in self.tests if self.sanitizers == "none" or rank(test) < 3),
                      key=lambda test: (rank(test), test["seconds"]))

    def assembly(self, source):
        """What an optimising compiler makes of a source."""
        words = [
            word for word in self.compilers[source] if not word.startswith(("-fsanitize", "-O"))
        ]
        words = words[:words.index("-o")] + words[words.index("-o") + 2:]
        words[words.index("-c")] = "-S"
        return self.call(*words, "-O2", "-DNDEBUG", "-o", "-")

    def judge(self, source, text, changed):
        """The test that kills the mutant, `not compiled`, `same code` or `survived`."""
        path = self.root / source
        path.write_text(changed, encoding="utf-8")
        try:
            done = subprocess.run(self.compilers[source], cwd=self.build, env=self.env, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode != 0 or not self.link_library():
                return "not compiled"
            for test in self.in_order(source):
                if not self.passes(test):
                    return test["name"]
            if self.flags:
                return "survived"
            after = self.assembly(source)
            path.write_text(text, encoding="utf-8")
            return "same code" if after == self.assembly(source) else "survived"
        finally:
            path.write_text(text, encoding="utf-8")
            subprocess.run(self.compilers[source], cwd=self.build, env=self.env, check=True)


def choose(options):
    """The sample as (source, text, start, end, replacement)."""
    folders = options.folder or FOLDERS
    everything = []
    for source in sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("c/*/*.c")):
        if any(source.startswith(folder) for folder in folders):
            text = (ROOT / source).read_text(encoding="utf-8")
            everything += [(source, text, *change) for change in sorted(set(find_mutants(text)))]
    if options.only:
        wanted = {(one["source"], "\n".join(changed_lines(one["diff"])))
                  for one in json.loads(options.only.read_text())}
        return [one for one in everything if (one[0], "\n".join(changed_lines(
            as_diff(one[0], one[1], one[1][:one[2]] + one[4] + one[1][one[3]:])))) in wanted]
    sample = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
    print(f"{len(sample)} of {len(everything)} mutants of {' '.join(folders)}, seed {options.seed}",
          flush=True)
    return sample


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="mutants in the sample (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--folder", action="append",
                        help="how the paths of sources begin; may be repeated")
    parser.add_argument("--only", type=pathlib.Path,
                        help="try the survivors of an earlier run again")
    parser.add_argument("--save", type=pathlib.Path,
                        help="write the survivors to this file, for --only")
    parser.add_argument("--jobs", type=int, default=2,
                        help="compilers at a time for the first build (2)")
    options = parser.parse_args()
    sample, equal = choose(options), read_equal()
    counts = {"killed": 0, "survived": 0, "equal": 0, "same code": 0, "not compiled": 0}
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutate-") as work:
        # Folders without commas, which the linker takes for the end of an option.
        scratches = [
            Scratch(pathlib.Path(work) / sanitizers.replace(",", "_"), sanitizers, options.jobs)
            for sanitizers in SANITIZERS
        ]
        print(f"{', '.join(str(len(one.tests)) for one in scratches)} tests pass without a change",
              flush=True)
        for number, (source, text, start, end, replacement) in enumerate(sample, 1):
            changed = text[:start] + replacement + text[end:]
            diff = as_diff(source, text, changed)
            began = time.monotonic()
            result = "equal" if is_equal(equal, source, text, start, diff) else "survived"
            for scratch in scratches:
                if result == "survived":
                    result = scratch.judge(source, text, changed)
            counts[result if result in counts else "killed"] += 1
            print(f"{number}: {source}: {result}, {time.monotonic() - began:.1f} s", flush=True)
            if result == "survived":
                survivors.append({"source": source, "diff": diff})
                print(diff, flush=True)
            if options.save:
                options.save.write_text(json.dumps(survivors, indent=1), encoding="utf-8")
    judged = counts["killed"] + counts["survived"]
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    print(f"kill rate: {100 * counts['killed'] / max(judged, 1):.1f} % of {judged} that differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run random programs over the C API on two libraries and compare what they do.

    programs.py --interpreter FILE --kernels FILE... --library OURS [--reference THEIRS]
                [--seed N] [--count N] [--forever] [--unused] [--program FILE] [--self-test]

Without --reference the library of the reference package is used (../package.py; 77 if there is
none). --forever continues with the next seeds, --unused lists exceptions that no random program
needed, --program compares one program from a file.

A program is a list of lines as described in interpreter.h; program N of seed S is always the same.
Every program runs in a process of its own on each library. If the traces differ and no entry of
exceptions.py applies, the program is shrunk and printed with both traces.
"""
import argparse
import concurrent.futures
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

import exceptions
import generator

BATCH = 20


class Broken(Exception):
    """The interpreter itself failed."""


class Runner:
    """Runs programs on one library."""

    def __init__(self, interpreter, library, kernels, options=()):
        self.stderr = tempfile.TemporaryFile()
        self.child = subprocess.Popen([interpreter, *options, library, *kernels], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.stderr, errors="replace", bufsize=1 << 16)

    def run_one(self, program):
        self.child.stdin.write("".join(line + "\n" for line in program) + "run\n")
        self.child.stdin.flush()
        trace = []
        while not trace or not trace[-1].startswith("ended "):
            line = self.child.stdout.readline()
            if not line:
                raise Broken(f"{self.child.args} ended: {self.take_stderr()}")
            trace.append(line.rstrip("\n"))
        return trace

    def take_stderr(self):
        self.stderr.seek(0)
        text = self.stderr.read().decode(errors="replace")
        self.stderr.seek(0)
        self.stderr.truncate()
        return text

    def run(self, programs):
        """The trace of each program, a list of lines; and the text written to stderr."""
        return [self.run_one(program) for program in programs], self.take_stderr()


def by_operation(trace):
    """The lines of each operation, callbacks first; the last two records are the end of the
    program."""
    records, lines = [], []
    for line in trace:
        lines.append(line)
        if not line.startswith("  "):
            records.append("\n".join(lines))
            lines = []
    return records


def ending(trace):
    return trace[-1] if trace else ""


def compare(program, ours, theirs, fired):
    """What differs, or None if only exceptions do, which are counted in fired."""
    if ending(ours) != "ended with 0":
        return f"ours {ending(ours)}"
    ours, theirs = by_operation(ours), by_operation(theirs)
    for number in range(len(ours)):
        line = program[number] if number < len(program) else "end"
        a = ours[number]
        b = theirs[number] if number < len(theirs) else ""
        if a == b:
            continue
        found = exceptions.find(line, a, b, program[:number])
        if found is None:
            return f"operation {number}, {line}"
        fired[found] = fired.get(found, 0) + 1
        if not found.goes_on:
            return None
    return None


class Comparer:
    """Compares two libraries."""

    def __init__(self, ours, theirs):
        self.runners = (ours, theirs)
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.fired = {}

    def run(self, programs):
        done = list(self.pool.map(lambda runner: runner.run(programs), self.runners))
        return done[0][0], done[1][0], done[0][1]

    def differences(self, programs):
        """For each program: what differs, or None."""
        ours, theirs, stderr = self.run(programs)
        found = [compare(*results, self.fired) for results in zip(programs, ours, theirs)]
        if stderr and not any(found):
            if len(programs) == 1:
                found = [f"ours writes to stderr: {stderr}"]
            else:
                found = [self.differences([program])[0] for program in programs]
        return found

    def differs(self, program):
        return self.differences([program])[0] is not None


def first_that_differs(options, differences):
    """The first of these programs that still differs, or None."""
    options = list(options)
    for start in range(0, len(options), BATCH):
        batch = options[start:start + BATCH]
        for option, difference in zip(batch, differences(batch)):
            if difference is not None:
                return option
    return None


def shrink_lines(program, differences):
    """Remove runs of lines, of decreasing length, as long as the rest still differs."""
    size = max(1, len(program) // 2)
    while True:
        shorter = first_that_differs((program[:index] + program[index + size:]
                                      for index in range(0, len(program), max(1, size // 2))),
                                     differences)
        if shorter is not None:
            program = shorter
        elif size == 1:
            return program
        else:
            size //= 2


def simpler(word):
    """Simpler replacements for an operand, simplest first."""
    if word.startswith("=") or word.startswith("b="):
        head, text = word.split("=", 1)
        for end in (0, 1, len(text) // 2, len(text) - 1):
            if 0 <= end < len(text) and "%" not in text[max(0, end - 2):end]:
                yield f"{head}={text[:end]}"
    elif word.lstrip("-").isdigit():
        for number in (0, 1, int(word) // 2):
            if abs(number) < abs(int(word)):
                yield str(number)
    elif "," in word:
        yield "_"
        yield word.split(",", 1)[1]


def shrink_operands(program, differences):
    for index in range(len(program)):
        while True:
            words = program[index].split(" ")
            simple = first_that_differs(
                (program[:index] + [" ".join(words[:place] + option + words[place + 1:])] +
                 program[index + 1:] for place in range(len(words) - 1, 0, -1)
                 for option in [[], *([word] for word in simpler(words[place]))]), differences)
            if simple is None:
                break
            program = simple
    return program


def shrink(program, differences):
    return shrink_lines(shrink_operands(shrink_lines(program, differences), differences),
                        differences)


def report(comparer, program, name, out=sys.stdout):
    difference = comparer.differences([program])[0]
    ours, theirs, _ = comparer.run([program])
    print(f"---- {name}: {difference}", file=out)
    print("program:\n    " + "\n    ".join(program), file=out)
    print("ours:\n    " + "\n    ".join(ours[0]), file=out)
    print("reference:\n    " + "\n    ".join(theirs[0]), file=out)
    out.flush()


def random_programs(seed):
    for number in itertools.count():
        yield f"seed {seed} program {number}", generator.make_program(seed, number)


def run_random(comparer, programs, args):
    """Number of programs that differ; stops after args.max_differences of them."""
    num_run = num_different = 0
    start = time.monotonic()
    while True:
        batch = list(itertools.islice(programs, BATCH))
        if not batch:
            break
        differences = comparer.differences([lines for _, lines in batch])
        num_run += len(batch)
        for (name, lines), difference in zip(batch, differences):
            if difference is None:
                continue
            num_different += 1
            report(comparer, shrink(lines, comparer.differences), f"{name} (shrunk)")
            if num_different >= args.max_differences:
                break
        if num_different >= args.max_differences:
            break
    print(f"{num_run} programs in {time.monotonic() - start:.1f} s, {num_different} differ")
    return num_different


def run_examples(comparer):
    """Check that the example of every exception still needs it."""
    num_bad = 0
    for exception in exceptions.DIFFERENCES:
        before = comparer.fired.get(exception, 0)
        difference = comparer.differences([exception.example])[0]
        if difference is not None or comparer.fired.get(exception, 0) == before:
            num_bad += 1
            report(comparer, exception.example,
                   f"example of {exception.row}" + ("" if difference else ", not needed"))
    print(f"{len(exceptions.DIFFERENCES)} exceptions, {num_bad} examples are wrong")
    return num_bad


def self_test(right, right_again, wrong):
    """Check that a faulty library is detected, and that the program is shrunk."""
    comparer = Comparer(wrong, right)
    for name, lines in itertools.islice(random_programs(1), 3000):
        if not comparer.differs(lines):
            continue
        small = shrink(lines, comparer.differences)
        report(comparer, small, f"{name} (shrunk from {len(lines)} lines)")
        if len(small) > 2 or len(small) >= len(lines):
            print("the program should be shorter")
            return 1
        same = Comparer(right_again, right)
        if same.differs(lines):
            print("a library differs from itself")
            return 1
        return 0
    print("the fault was not found")
    return 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--interpreter", required=True)
    parser.add_argument("--kernels", nargs="*", default=[])
    parser.add_argument("--library", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--forever", action="store_true", help="seed after seed")
    parser.add_argument("--max-differences", type=int, default=5)
    parser.add_argument("--unused", action="store_true",
                        help="list exceptions that random programs never needed")
    parser.add_argument("--program", type=pathlib.Path, help="compare the program in this file")
    parser.add_argument("--self-test", action="store_true",
                        help="compare with a library that has a fault")
    args = parser.parse_args()

    def runner(library, *options):
        return Runner(args.interpreter, library, args.kernels, options)

    if args.self_test:
        return self_test(runner(args.library), runner(args.library),
                         runner(args.library, "--wrong"))
    if not args.reference:
        sys.path.insert(1, str(pathlib.Path(__file__).parent.parent))
        import package  # pylint: disable=import-outside-toplevel
        args.reference = package.require().library
    comparer = Comparer(runner(args.library), runner(args.reference))
    if args.program:
        lines = args.program.read_text(encoding="utf-8").strip().split("\n")
        report(comparer, lines, args.program)
        return 1 if comparer.differs(lines) else 0

    num_bad = run_examples(comparer)
    examples_fired = dict(comparer.fired)
    comparer.fired.clear()
    for seed in itertools.count(args.seed):
        num_bad += run_random(comparer, itertools.islice(random_programs(seed), args.count), args)
        if not args.forever or num_bad:
            break
    if args.unused:
        for exception in examples_fired:
            if exception not in comparer.fired:
                print("random programs never needed:", exception.row, exception.example)
    return 1 if num_bad else 0


if __name__ == "__main__":
    sys.exit(main())

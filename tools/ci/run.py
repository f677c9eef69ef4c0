#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and tests the project in parts; tools/test runs this after it has installed what the parts
need.

Without arguments the daily parts run: the tests of this project once. --all adds build systems, the
parts that compile code of the package or run its tests (`peers`), and the matrix of compilers,
tools and packages; --release adds those that find nothing which another part does not find first.
Two parts run at a time, because the tests of one leave processors idle that the other can use to
compile; the longest start first, by the table in CONTRIBUTING.md. Each line of output begins with
the name of its part; parts that use one build run one after the other.

The last line is `N passed, N failed`, with `, N skipped` if there are skips; each skip is listed
above it with its reason. A build, a check and a test count as one each. Nothing is written outside
build-*/ folders, where the logs stay.
"""
import argparse
import concurrent.futures
import os
import sys
import time
import traceback

import quick  # noqa: F401, which lists its parts; they come before those of the next
import costs
import parts  # noqa: F401
import configurations  # noqa: F401, the same
import platforms
import porting_tables
import ports  # noqa: F401
import steps
import header_warnings  # noqa: F401
import zig
from steps import ALL, DAILY, JOBS, NAMED, PARTS, RELEASE, REPORT, ROOT, Failed

# What the parts for other systems are for.
SYSTEMS = {
    name: target.what for targets in (platforms.TARGETS, zig.TARGETS, platforms.RELEASES)
    for name, target in targets.items()
}
# Parts that use the build, or the cache, of another part.
USES = {
    "valgrind": "gcc", "peers": "gcc", "projects": "gcc", "releases": "gcc", "programs": "gcc",
    "devices": "gcc",
    "languages": "gcc", "recorder": "gcc", "recorder_all": "gcc", "soak": "gcc",
    "c_libraries": "gcc",
    "asan_cxx": "asan", "m32_clang": "m32", "meson_options": "configurations",
    "debian13": "debian12", "sid": "debian12"
}
AT_A_TIME = 2


def run_parts(names):
    """Run some parts, one after the other, and return their report. A process may run several of
    these."""
    REPORT.start()
    for name in names:
        REPORT.part, REPORT.described = name, None
        start, before, counts = time.monotonic(), os.times(), REPORT.counts()
        REPORT.say(f"== {PARTS[name].__doc__}")
        try:
            PARTS[name]()
        except Failed:
            pass
        except Exception:  # the others go on, and the summary is printed
            REPORT.fail("the part itself", traceback.format_exc())
        if steps.seconds_left() <= 0:
            REPORT.fail("the time of the run is over")
        wall, spent = time.monotonic() - start, sum(os.times()[:4]) - sum(before[:4])
        REPORT.say(f"took {wall:.0f} s, {spent:.0f} s of processors")
        REPORT.times.append(
            (name, wall, spent, [new - old for new, old in zip(REPORT.counts(), counts)],
             REPORT.described))
    return REPORT


def print_list():
    """Print the parts, by what runs them."""
    more = [name for name in SYSTEMS if PARTS[name].when != NAMED]
    titles = ("tools/test runs", "tools/test --all runs these too",
              "tools/test --release runs these too",
              f"tools/test --platforms runs these, and {', '.join(more)}",
              "tools/test PART alone runs these")
    for number, title in enumerate(titles):
        print(f"{title}:")
        for name, function in PARTS.items():
            if number == function.when + (function.when == NAMED and name not in SYSTEMS):
                print(f"  {name:13} {function.__doc__}")


def parse_arguments():
    """The names of the parts to run, those left out although no parts were named, and the
    arguments; prints lists and ends."""
    parser = argparse.ArgumentParser(
        prog="tools/test", description="Builds and tests the project; without "
        "arguments the tests of this project once, but for build systems: the daily parts.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="run these parts")
    parser.add_argument("--all", action="store_true",
                        help="run what continuous integration does: other compilers, systems, "
                        "tools, packages too")
    parser.add_argument("--release", action="store_true",
                        help="run all that a release has to pass: also the parts that find "
                        "nothing which those of --all do not find first")
    parser.add_argument(
        "--platforms", action="store_true",
        help="run the parts that build for other systems and processors, "
        "or those named, and print a table of them")
    parser.add_argument(
        "--record", action="store_true",
        help="write the row in docs/porting.md of each target that has passed without a failure")
    parser.add_argument("--record-costs", action="store_true",
                        help="write into CONTRIBUTING.md the seconds of processors of each part "
                        "that has passed without a failure")
    parser.add_argument("--minutes", type=float, metavar="N",
                        help="end what still runs after N minutes, which has failed then, and "
                        "print the summary")
    parser.add_argument("--list", action="store_true", help="list the parts")
    parser.add_argument("--needs", action="store_true",
                        help="list what the chosen parts need installed")
    args = parser.parse_args()
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f"no such part: {' '.join(unknown)}; tools/test --list names them")
    if (args.all or args.release) and (args.parts or args.platforms) or args.all and args.release:
        parser.error("name parts, or take one of --all, --release and --platforms")
    if (args.all or args.release) and args.record:
        parser.error("--all runs fewer tests of other systems: record with --platforms")
    steps.RUN = (NAMED if args.parts or args.platforms else
                 RELEASE if args.release else ALL if args.all else DAILY)
    wanted = list(dict.fromkeys(args.parts)) or [
        name for name in PARTS
        if (name in SYSTEMS if args.platforms else PARTS[name].when <= steps.RUN)]
    if args.record_costs and steps.RUN not in (ALL, RELEASE):
        parser.error("--record-costs takes --all or --release: others do more or less in a part")
    parts.IS_RECORDED = args.record
    if args.minutes is not None:
        os.environ[steps.DEADLINE] = str(time.monotonic() + 60 * args.minutes)
    if args.list:
        print_list()
        sys.exit()
    if args.needs:
        print(*dict.fromkeys(need for name in wanted for need in PARTS[name].needs))
        sys.exit()
    left = [] if args.parts else [name for name in PARTS if name not in wanted]
    return wanted, left, args


def record(times):
    """Write the rows of the parts that say what they test and have passed; says which have not."""
    rows = []
    for name, _, _, (passed, failed, skipped), described in times:
        if described and passed and not failed:
            rows.append({"target": name, **described, "passed": passed, "skipped": skipped})
        elif name != "releases":  # which writes its table itself
            print(f"not recorded: {name}")
    porting_tables.record_targets(rows, list(PARTS))


def main():
    wanted, left, args = parse_arguments()
    start = time.monotonic()
    # One environment with the reference package for all parts: see tests/compat/package.py.
    os.environ.setdefault("TVM_FFI_COMPAT_VENV", str(ROOT / "build-compat-venv"))
    # Compilers of parts, which Meson's files name without a folder.
    os.environ["PATH"] += f":{ROOT / 'tools/ci'}"
    # No __pycache__ among the sources.
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    runs = {}
    for name in wanted:
        runs.setdefault(USES.get(name, name), []).append(name)
    at_a_time = min(AT_A_TIME, len(runs))
    os.environ[JOBS] = str(max(2, os.cpu_count() // at_a_time))
    with concurrent.futures.ProcessPoolExecutor(at_a_time) as pool:
        for report in pool.map(run_parts, costs.in_order(runs.values())):
            REPORT.add(report)
    print("== summary")
    for name, wall, spent, *_ in REPORT.times:
        print(f"{name:13} took {wall:5.0f} s, {spent:5.0f} s of processors")
    print(
        f"all        took {time.monotonic() - start:5.0f} s, "
        f"{sum(spent for _, _, spent, *_ in REPORT.times):5.0f} s of processors"
    )
    for line in REPORT.skips:
        print("skipped: " + line)
    tested = [row for row in REPORT.times if row[0] in SYSTEMS]
    if tested:
        print("\n| target | what | passed | failed | skipped |", "|---|---|---:|---:|---:|",
              sep="\n")
    for name, _, _, counts, _ in tested:
        print(f"| `{name}` | {SYSTEMS[name]} |", " | ".join(map(str, counts)), "|")
    if args.record:
        record(REPORT.times)
    if args.record_costs:
        costs.record({name: round(spent) for name, _, spent, (passed, failed, _), _ in REPORT.times
                      if passed and not failed})
    if left:
        print(f"left out (--list says what runs them): {', '.join(left)}")
    for what, output in REPORT.failures:  # last, because a log may be cut at its beginning
        print("failed: " + what, *("  | " + line for line in output), sep="\n")
    counts = f"{REPORT.passed} passed, {len(REPORT.failures)} failed"
    print(counts + (f", {len(REPORT.skips)} skipped" if REPORT.skips else ""))
    return 1 if REPORT.failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tvm-ffi record costs: prints a table of calls of a kernel that does nothing, with two
tensors, and of the start of a program.

    record.py --tool TVM-FFI --program RECORD_CALLS --kernel KERNEL [--folder FOLDER] [--rounds N]

A row is the median of N rounds, in which all rows take turns. On a busy machine, the time of a
processor says more than the time that went by. FOLDER is where recordings and the file that cp
copies are written (default: one for temporary files)."""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

TRACE = ["--trace"]
NO_DATA = ["--all", "--no-data"]
# Name, options of record (None: without it), and of the program: calls, bytes of each tensor.
ROWS = [
    ("not recorded", None, 1000000, 64),
    ("skipped by name", ["--skip=bench_noop"], 1000000, 64),
    ("after the first three", [], 1000000, 64),
    ("--all --no-data", NO_DATA, 200000, 64),
    ("--all --no-data, other addresses", NO_DATA, 200000, 64, "moving"),
    ("--all, 16 bytes, all different", ["--all"], 50000, 16),
    ("--all, 64 bytes, all different", ["--all"], 50000, 64),
    ("--all, 64 KiB, all different", ["--all"], 500, 1 << 16),
    ("--all, 256 KiB, all different", ["--all"], 500, 1 << 18),
    ("--on-error, 64 bytes", ["--on-error"], 50000, 64),
    ("--trace", TRACE, 200000, 64),
]
LARGE = 64 << 20  # of both tensors together


def main():
    parser = argparse.ArgumentParser()
    for name in ("--tool", "--program", "--kernel"):
        parser.add_argument(name, required=True)
    parser.add_argument("--folder")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(dir=args.folder))

    def run(options, *program):
        """The nanoseconds of a call that the program prints, all and busy, and of the whole
        program."""
        target = folder / "recording"
        words = [args.program, args.kernel, *map(str, program)]
        if options is TRACE:
            target = folder / "trace.json"
            words = [args.tool, "record", f"--trace={target}", "--", *words]
        elif options is not None:
            words = [args.tool, "record", "-o", str(target), *options, "--", *words]
        begin = time.perf_counter_ns()
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        whole = time.perf_counter_ns() - begin
        if options is TRACE:
            target.unlink()
        shutil.rmtree(target, ignore_errors=True)
        # The tool ends with 2 where it is to record nothing.
        assert done.returncode == 0 or "none was seen" in done.stderr, done
        return *map(float, done.stdout.split()), whole

    def copy():
        """The nanoseconds that cp takes for a new file of LARGE bytes."""
        source, target = folder / "source", folder / "target"
        if not source.exists():
            source.write_bytes(bytes(LARGE))
        target.unlink(missing_ok=True)
        begin = time.perf_counter_ns()
        subprocess.run(["cp", source, target], check=True)
        return time.perf_counter_ns() - begin

    taken = {name: [] for name, *_ in ROWS}
    starts, large = {"alone": [], "recorded": []}, {"cp": [], "record": []}
    try:
        for _ in range(args.rounds):
            for name, options, *program in ROWS:
                taken[name].append(run(options, *program)[:2])
            starts["alone"].append(run(None, 1, 64)[2])
            starts["recorded"].append(run(["--skip=*"], 1, 64)[2])
            large["cp"].append(copy())
            large["record"].append(run(["--all"], 1, LARGE // 2)[0])
    finally:
        shutil.rmtree(folder)
    for name, figures in taken.items():
        whole, busy = map(statistics.median, zip(*figures))
        print(f"{name:33} {whole:10.1f} ns a call, {busy:.1f} of a processor")
    start = {name: statistics.median(figures) / 1e6 for name, figures in starts.items()}
    print(f"{'start of the program':33} {start['alone']:10.2f} ms, "
          f"{start['recorded']:.2f} ms by record")
    rates = {name: LARGE / statistics.median(figures) for name, figures in large.items()}
    print(f"{'bytes, beside cp':33} {rates['record']:10.2f} GB/s, {rates['cp']:.2f} GB/s by cp")


if __name__ == "__main__":
    main()

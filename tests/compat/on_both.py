#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program that uses the package on the package's library and on ours, and compares the
outputs.

    on_both.py --runtime libtvm_ffi.so --work FOLDER [--release VERSION] NAME PROGRAM [ARGUMENT...]

NAME is one of package.MORE. The program prints outputs in the format of client.py, which must be
the same on both libraries. With --release the package runs on the library of that release instead
of its own. If NAME requires another release of the package, that release is used, on its own
library and on ours.
"""
import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys

import package
import versions

TIMEOUT_SECONDS = 560 * int(os.environ.get("TVM_FFI_TEST_SLOWER", "1"))


class Run:
    """A run of the program; it writes only below its folder."""

    def __init__(self, python, folders, command, work):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        # The same number of threads on every machine.
        env = package.environment(*folders, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1",
                                  TMPDIR=str(work), TVM_FFI_CACHE_DIR=str(work),
                                  TVM_NUM_THREADS="2")
        self.log, self.work = work / "log.txt", work
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([python, "-W", "ignore", *command], cwd=work, env=env,
                                            stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT)

    def lines(self, name):
        """The lines it printed; its folder is replaced, so that both runs name the same one."""
        try:
            self.process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        lines = self.log.read_text(encoding="utf-8",
                                   errors="replace").replace(str(self.work), "WORK").splitlines()
        if self.process.returncode != 0:
            print(*lines[-40:], sep="\n")
            sys.exit(f"the program ended with {self.process.returncode} on {name}")
        return lines


def split(lines):
    """The outputs, each a list of lines."""
    outputs = []
    for line in lines:
        if line.startswith("== ") or not outputs:
            outputs.append([])
        outputs[-1].append(line)
    return outputs


def start(args, command, work):
    """Start both runs in parallel: the release of the package, its run, our run."""
    reference, folder = package.require(), package.require_more(args.name)
    release, python = args.release or package.VERSION, reference.python
    brought = [path.name for path in folder.glob("apache_tvm_ffi-*.dist-info")]
    if brought:
        release, our_python = brought[0][len("apache_tvm_ffi-"):-len(".dist-info")], python
        our_folders = package.replace_library(folder, args.runtime, work / "packages")
        package.check_loaded(python, our_folders[0] / "tvm_ffi" / "lib" / "libtvm_ffi.so",
                             *our_folders)
    else:
        our_python, our_folders = reference.with_library(args.runtime, work / "venv"), [folder]
    if args.release:
        python = reference.with_library(versions.fetch(args.release), work / "theirs-venv")
    theirs = Run(python, [folder], command, work / "theirs")
    return release, theirs, Run(our_python, our_folders, command, work / "ours")


def main():
    parser = argparse.ArgumentParser()
    for name in ("runtime", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--release")
    parser.add_argument("name", choices=package.MORE)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    work = args.work.resolve() / "_".join([args.program.stem, *args.arguments])
    release, theirs, ours = start(args, [str(args.program.resolve()), *args.arguments], work)
    theirs, ours = theirs.lines("the package's library"), ours.lines("ours")
    pairs = list(zip(split(theirs), split(ours)))
    same = sum(their_output == our_output for their_output, our_output in pairs)
    print(
        f"{package.MORE[args.name][0]}, {' '.join([args.program.name, *args.arguments])}: {same} "
        "of "
        f"{len(split(theirs))} outputs are the same on our library as on that of {release}")
    difference = list(difflib.unified_diff(theirs, ours, "the package's", "ours", lineterm=""))
    print(*difference[:60], sep="\n")
    return 1 if difference or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())

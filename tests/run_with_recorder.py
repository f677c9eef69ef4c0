# SPDX-License-Identifier: Apache-2.0
"""Runs a program as a setup of tests/meson.build does, with the recorder: it must behave as it does
without. Ends as the program does, unless the recording is not what docs/guide/record_format.md
says; the last line that it prints counts the calls in it, unless the program was skipped and its
last line says why.

    run_with_recorder.py TVM-FFI OPTION... -- PROGRAM..."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).with_name("tool")))
from recording import Recording


def main():
    tool, words = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="tvm-ffi-") as folder:
        done = subprocess.run([tool, "record", "-o", folder, *words], check=False)
        recording = Recording(folder)
    if done.returncode != 77:
        print(len(recording.calls), "calls were recorded in", len(recording.processes), "processes")
    # As a shell does it for signals.
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())

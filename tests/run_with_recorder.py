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
    at = words.index("--") + 1
    with tempfile.TemporaryDirectory(prefix="tvm-ffi-") as folder:
        # Many programs here call nothing, for which the tool does not end with 0.
        code_path = pathlib.Path(folder) / "code"
        shell = ["sh", "-c", '"$@"; echo $? >"$0"', code_path]
        subprocess.run([tool, "record", "-o", folder, *words[:at], *shell, *words[at:]],
                       check=False)
        recording = Recording(folder)
        code = int(code_path.read_text("ascii"))
    if code != 77:
        print(len(recording.calls), "calls were recorded in", len(recording.processes), "processes")
    return code


if __name__ == "__main__":
    sys.exit(main())

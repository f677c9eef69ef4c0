# SPDX-License-Identifier: Apache-2.0
"""What commands end with, and say, whatever becomes of their standard streams.

test_exit.py TVM-FFI LIBSCALE"""
import os
import pathlib
import signal
import subprocess
import tempfile

from tool import FILES, OK, TOOL, USAGE, good

LIBRARY, = map(os.path.abspath, FILES)
FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)
pathlib.Path("some.txt").write_text("some\n")
CALL = [LIBRARY, "count(4xf32)"]
PRINTING = [
    ["list", LIBRARY], ["list", LIBRARY, "--json"], ["check", LIBRARY], ["embed", "some.txt"], ["stub", LIBRARY],
    ["stub", LIBRARY, "--json"], ["types"], ["registry", "--json"], ["info"], ["run", *CALL], ["run", *CALL, "--json"],
    ["run", *CALL, "--no-fork"], ["run", *CALL, "-o", "-"], ["run", *CALL, "-o", "@-"],
    ["bench", *CALL, "--repeat=2", "--warmup=0"], ["--help"], ["run", "--help"], ["--version"], ["--manual"],
]


def run_with(words, stdout=None, closed=()):
    """Exit code (minus the signal's number) and stderr."""
    done = subprocess.run([TOOL, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
                          preexec_fn=lambda: [os.close(fd) for fd in closed])
    return done.returncode, done.stderr


# ---- The name of a file is nothing but text, whichever command prints it
odd = "o\x1b[31md.so"
pathlib.Path(odd).write_bytes(pathlib.Path(LIBRARY).read_bytes())
for words in (["list"], ["check"], ["stub"], ["bench", "--repeat=2", "--warmup=0", "--function=count", "--input=4xf32"]):
    out = good(*words, odd)
    assert "o\\x1b[31md.so" in out and "\x1b" not in out, (words, out)

# ---- What nobody can read was not printed: one exit code and one text, whoever prints
for words in PRINTING:
    got = run_with(words, closed=[1])
    assert got == (USAGE, "tvm-ffi: standard output: Bad file descriptor\n"), (words, got)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            got = run_with(words, stdout=full)
        assert got == (USAGE, "tvm-ffi: standard output: No space left on device\n"), (words, got)

# ---- A reader that leaves ends the program as it ends others, and is no crash of a library
for words in PRINTING:
    reader, writer = os.pipe()
    os.close(reader)
    got = run_with(words, stdout=writer)
    os.close(writer)
    assert got == (-signal.SIGPIPE, ""), (words, got)

# ---- Streams that are closed leave their numbers to no file or pipe
for words in ["stub", LIBRARY], ["embed", "some.txt", "--name=k"], ["run", *CALL]:
    output = ["-o", "@out" if words[0] == "run" else "out"]
    assert good(*words, *output) == ""
    expected = pathlib.Path("out").read_bytes()
    for closed in [0], [1], [0, 1], [0, 1, 2]:
        pathlib.Path("out").unlink()
        assert run_with([*words, *output], closed=closed) == (OK, ""), (words, closed)
        assert pathlib.Path("out").read_bytes() == expected, (words, closed)

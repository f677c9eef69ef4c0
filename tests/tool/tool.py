# SPDX-License-Identifier: Apache-2.0
"""What the tests of the tool share. Each is a program: test_x.py PATH-OF-TVM-FFI [FILE...]."""
import atexit
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL = os.path.abspath(sys.argv[1])
FILES = sys.argv[2:]

# Exit codes (tools/tvm-ffi/base/command.h).
OK, RAISED, USAGE, MISMATCH, LOAD, CHECK = range(6)


def work_folder():
    """A new folder, which goes when the test ends, however it does."""
    made = tempfile.TemporaryDirectory(prefix="tvm-ffi-")
    atexit.register(made.cleanup)
    return pathlib.Path(made.name)


def run(*args, stdin=None, env=None):
    """Run the tool; its exit code and what it printed on stdout and stderr. A crash ends the test."""
    done = subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, input=stdin, env=env,
                          check=False)
    assert done.returncode >= 0, (args, done)
    return done.returncode, done.stdout, done.stderr


def good(*args, **kwargs):
    """What a run prints that must succeed and say nothing on stderr."""
    code, out, err = run(*args, **kwargs)
    assert code == OK and err == "", (args, code, out, err)
    return out


def good_json(*args, **kwargs):
    return json.loads(good(*args, "--json", **kwargs))


def bad(code, message, *args, **kwargs):
    """A run that must end with this code, print nothing on stdout, and one line that has this text."""
    got, out, err = run(*args, **kwargs)
    assert got == code and out == "" and message in err and err.count("\n") == 1, (args, got, out, err)

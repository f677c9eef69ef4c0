# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the tool. Each is a program: test_x.py PATH-OF-TVM-FFI [FILE...]."""
import atexit
import fcntl
import json
import os
import pathlib
import pty
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import termios
import unittest

TOOL = os.path.abspath(sys.argv[1])
FILES = sys.argv[2:]
# The tool may be for another system or processor: words that run its programs, and whether it is
# Windows.
RUNNER = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
COMMAND = [*RUNNER, TOOL]
WINDOWS = TOOL.endswith(".exe")
SUFFIX = ".dll" if WINDOWS else ".so"  # of libraries
os.environ.setdefault("WINEDEBUG", "-all")


def hold_wine():
    """Let a program wait in Wine until the test ends. The first program there starts Wine's own
    processes, which keep its pipes open until all programs have ended, and some seconds more."""
    held = subprocess.Popen([*COMMAND[:-1], "cmd.exe"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    held.stdout.readline()
    atexit.register(held.communicate)


if WINDOWS:
    hold_wine()

with open(TOOL, "rb") as tool_file:
    SANITIZED = b"__asan_init" in tool_file.read()
# For tests whose code of the tool others run, in a fraction of the time: the part `asan` is for
# that code, not for what it does with ever more data.
not_sanitized = unittest.skipIf(SANITIZED, "others run the same code of the tool")

# Environments in which the runtime finds what isolated libraries take (None: this build has none),
# and in which it does not.
FOLDER = os.environ.get("TVM_FFI_ISOLATED")
OTHERS = [f for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f and f != FOLDER]
ISOLATED = dict(os.environ, LD_LIBRARY_PATH=":".join([FOLDER, *OTHERS])) if FOLDER else None
NOT_ISOLATED = dict(os.environ, LD_LIBRARY_PATH=":".join(OTHERS))

# A process started by nohup or in the background of a shell ignores these, and so would the tool.
for ignored in signal.SIGHUP, signal.SIGINT:
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)

# How many times as long as on a quiet machine a step may take; tools/test says it by the load.
SLOWER = int(os.environ.get("TVM_FFI_TEST_SLOWER", "1"))


def patience(seconds):
    """A limit that a test waits for, as the tool prints it: what has to be done within it takes a
    small part of it, so it grows less."""
    return f"{seconds * (9 + SLOWER) / 10:g}"


# Exit codes (tools/tvm-ffi/base/command.h).
OK, RAISED, USAGE, MISMATCH, LOAD, CHECK = range(6)


def work_folder():
    """A new folder, which is removed when the test ends, even after a failure."""
    made = tempfile.TemporaryDirectory(prefix="tvm-ffi-")
    atexit.register(made.cleanup)
    return pathlib.Path(made.name)


def skip(reason):
    """End a test whose subject, or the rest of it, is not there."""
    print("skipped:", reason)
    sys.exit(77)


def need(test, *paths):
    """Leave out a test on a system that lacks one of these files."""
    for path in paths:
        if not os.path.exists(path):
            test.skipTest(f"there is no {path}")


def enter_bare_root(test):
    """Words that run a program in a root without devices and without /proc, which another system
    may be. The test is left out where that takes rights that it lacks."""
    words = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]),
             "sh", "-ec", 'mount -t tmpfs none /dev; mount -t tmpfs none /proc; exec "$@"', "sh"]
    if SANITIZED:
        test.skipTest("AddressSanitizer takes its options and threads from /proc")
    try:
        tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    except OSError as error:
        test.skipTest(f"no other root can be made: {error}")
    if tried.returncode != 0:
        test.skipTest(f"no other root can be made: {tried.stderr.strip()}")
    return words


def open_terminal(test):
    """The two ends of a new terminal. The test is left out on a system that has none, such as a
    root in which /dev/pts is not mounted."""
    try:
        return pty.openpty()
    except OSError as error:
        test.skipTest(f"no pseudo terminals: {error}")


def start_on_terminal(test, words, is_controlling=True, **kwargs):
    """Start a program in a session of its own, with a new terminal for the standard streams that
    are not named; returns the process, and the terminal's other end."""
    terminal, ours = open_terminal(test)
    process = subprocess.Popen(
        words, start_new_session=True, preexec_fn=lambda: is_controlling and fcntl.ioctl(
            0, termios.TIOCSCTTY, 0),
        **{"stdin": ours, "stdout": ours, "stderr": ours, **kwargs})
    os.close(ours)
    return process, terminal


def read_terminal(terminal):
    """What is shown until no program has the terminal open; closes this end."""
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
    os.close(terminal)
    return shown


def left_out(what):
    """Whether the target is Windows, where a part of a test has no subject; then that is
    printed."""
    if WINDOWS:
        print("left out on Windows:", what)
    return WINDOWS


def run(*args, stdin=None, env=None):
    """Run the tool; returns its exit code, stdout and stderr. A crash fails the test."""
    done = subprocess.run([*COMMAND, *map(str, args)], capture_output=True, text=True, input=stdin,
                          env=env, check=False)
    assert done.returncode >= 0, (args, done)
    return done.returncode, done.stdout, done.stderr


def good(*args, **kwargs):
    """The output of a run that must succeed and print nothing on stderr."""
    code, out, err = run(*args, **kwargs)
    assert code == OK and err == "", (args, code, out, err)
    return out


def good_json(*args, **kwargs):
    return json.loads(good(*args, "--json", **kwargs))


def bad(code, message, *args, **kwargs):
    """A run must end with this code, print nothing on stdout, and one line with this text on
    stderr."""
    got, out, err = run(*args, **kwargs)
    assert (got == code and out == "" and message in err
            and err.count("\n") == 1), (args, got, out, err)


# The files that the tests of embed put into C and object files, by name.
CONTENT = {
    "a-b.bin": random.Random(1).randbytes(10001), "c.spv": b"\x03\x02\x23\x07\"\\?", "0": bytes(256)
}


def write_contents(folder):
    """Write the files into a folder; return their paths."""
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in CONTENT]


class Checker:
    """Writes libraries to a file, which it has checked, and compares the verdicts."""

    def __init__(self, path):
        self.path = path

    def check(self, library, *options):
        """The exit code, and the lines with verdicts."""
        code, out, err = run("check", *options, library.write(self.path))
        lines = out.splitlines()
        assert err == "" and lines[0] == str(self.path), (code, out, err)
        return code, lines[1:]

    def says(self, library, line, *options):
        """The verdicts must contain this line, and the exit code must agree with them."""
        code, lines = self.check(library, *options)
        assert "  " + line in lines, (line, lines)
        assert code == (CHECK if any(line.startswith("  FAIL")
                                     for line in lines) else OK), (code, lines)


def install(meson, build, folder):
    """Install a build into a folder and move the prefix, to another place than it was made for;
    returns the prefix and the build's options."""
    info = json.loads(subprocess.run([meson, "introspect", build, "--buildoptions"], check=True,
                                     capture_output=True, text=True).stdout)
    options = {option["name"]: option["value"] for option in info}
    done = subprocess.run(
        [meson, "install", "-C", build, "--no-rebuild", "--destdir", folder / "first"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    moved = folder / "moved"
    (folder / "first" / options["prefix"].lstrip("/")).rename(moved)
    return moved, options


def run_tests():
    """Run the tests of the program, in the order in which they are written, and end it. One that
    fails does not keep out the others."""
    classes = [value for value in vars(sys.modules["__main__"]).values()
               if isinstance(value, type) and issubclass(value, unittest.TestCase)]
    suite = unittest.TestSuite(case(name) for case in classes for name in vars(case)
                               if name.startswith("test"))
    result = unittest.TextTestRunner(sys.stdout, verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"left out: {test.id()}: {reason}")
    sys.exit(not (result.wasSuccessful() and result.testsRun))

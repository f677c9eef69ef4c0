# SPDX-License-Identifier: Apache-2.0
"""Exit codes and messages for files that are no libraries, and for unusable standard streams.

test_exit.py TVM-FFI LIBSCALE"""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from tool import (COMMAND, FILES, LOAD, OK, TOOL, USAGE, WINDOWS, bad, enter_bare_root, good,
                  run_tests, skip)

if WINDOWS:
    skip("/dev/full and streams that are closed")

LIBRARY, = map(os.path.abspath, FILES)
FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)
pathlib.Path("some.txt").write_text("some\n")
CALL = [LIBRARY, "count(4xf32)"]
PRINTING = [
    ["list", LIBRARY],
    ["list", LIBRARY, "--json"],
    ["check", LIBRARY],
    ["embed", "some.txt"],
    ["stub", LIBRARY],
    ["stub", LIBRARY, "--json"],
    ["types"],
    ["registry", "--json"],
    ["info"],
    ["run", *CALL],
    ["run", *CALL, "--json"],
    ["run", *CALL, "--no-fork"],
    ["run", *CALL, "-o", "-"],
    ["run", *CALL, "-o", "@-"],
    ["bench", *CALL, "--repeat=2", "--warmup=0"],
    ["--help"],
    ["run", "--help"],
    ["--version"],
    ["--manual"],
]


def run_with(words, stdout=None, closed=(), root=()):
    """Exit code (negative signal number if killed) and stderr."""
    done = subprocess.run([*root, *COMMAND, *words], stdout=stdout, stderr=subprocess.PIPE,
                          text=True, check=False,
                          preexec_fn=lambda: [os.closerange(fd, fd + 1) for fd in closed])
    return done.returncode, done.stderr


TAKING = [["list"], ["list", "--load"], ["check"], ["unpack"], ["stub"], ["run"], ["bench"],
          ["registry", "--lib"], ["types", "--lib"]]
content = pathlib.Path(LIBRARY).read_bytes()


class Exit(unittest.TestCase):
    def test_file_names_are_escaped_by_every_command(self):
        """File names are escaped by every command that prints them."""
        odd = "o\x1b[31md.so"
        pathlib.Path(odd).write_bytes(pathlib.Path(LIBRARY).read_bytes())
        for words in (["list"], ["check"], ["stub"],
                      ["bench", "--repeat=2", "--warmup=0", "--function=count", "--input=4xf32"]):
            out = good(*words, odd)
            assert "o\\x1b[31md.so" in out and "\x1b" not in out, (words, out)

    def test_output_that_cannot_be_written_is_an_error(self):
        """Output that cannot be written is an error: the same code and message from every
        command."""
        for words in PRINTING:
            got = run_with(words, closed=[1])
            assert got == (USAGE, "tvm-ffi: standard output: Bad file descriptor\n"), (words, got)
            if os.path.exists("/dev/full"):
                with open("/dev/full", "wb") as full:
                    got = run_with(words, stdout=full)
                assert got == (USAGE,
                               "tvm-ffi: standard output: No space left on device\n"), (words, got)

    def test_a_reader_that_closes_the_pipe_ends(self):
        """A reader that closes the pipe ends the tool by SIGPIPE, and is not reported as a
        library's crash."""
        for words in PRINTING:
            reader, writer = os.pipe()
            os.close(reader)
            got = run_with(words, stdout=writer)
            os.close(writer)
            assert got == (-signal.SIGPIPE, ""), (words, got)

    def test_files_and_pipes_never_get_the_numbers(self):
        """Files and pipes never get the numbers of closed standard streams."""
        for words in ["stub", LIBRARY], ["embed", "some.txt", "--name=k"], ["run", *CALL]:
            output = ["-o", "@out" if words[0] == "run" else "out"]
            assert good(*words, *output) == ""
            expected = pathlib.Path("out").read_bytes()
            for closed in [0], [1], [0, 1], [0, 1, 2]:
                pathlib.Path("out").unlink()
                assert run_with([*words, *output], closed=closed) == (OK, ""), (words, closed)
                assert pathlib.Path("out").read_bytes() == expected, (words, closed)

    def test_a_root_without_devices(self):
        """The same where there is no /dev/null; a program that is started has nothing to read."""
        root = enter_bare_root(self)
        for words in ["stub", LIBRARY], ["embed", "some.txt", "--name=k"], ["run", *CALL]:
            output = ["-o", "@out" if words[0] == "run" else "out"]
            assert good(*words, *output) == ""
            expected = pathlib.Path("out").read_bytes()
            for closed in [], [0], [1], [0, 1], [0, 1, 2]:
                pathlib.Path("out").unlink()
                assert run_with([*words, *output], closed=closed, root=root) == (OK, ""), (words,
                                                                                          closed)
                assert pathlib.Path("out").read_bytes() == expected, (words, closed)
        pathlib.Path("cc").write_text("#!/bin/sh\nread line && echo read $line\nexit 3\n")
        pathlib.Path("cc").chmod(0o755)
        pathlib.Path("k.c").touch()
        done = subprocess.run([*root, *COMMAND, "run", "k.c"], input="some", capture_output=True,
                              text=True, check=False, env={
                                  **os.environ, "CC": os.path.abspath("cc"),
                                  "XDG_CACHE_HOME": os.getcwd()
                              })
        assert (done.returncode, done.stderr) == (
            LOAD, f"tvm-ffi: k.c: {os.path.abspath('cc')} ended with exit code 3\n"), done

    def test_a_file_that_is_no_library(self):
        """A file that is no library: the same message and exit code from every command."""
        pathlib.Path("empty.so").touch()
        pathlib.Path("folder.so").mkdir()
        pathlib.Path("text.so").write_text(
            "This is longer than the header of a library, which loaders read before they look at "
            "it\n"
        )
        pathlib.Path("short.txt").write_text("text\n")
        pathlib.Path("cut.so").write_bytes(content[:4000])
        pathlib.Path("windows.so").write_bytes(b"MZ\x90" + bytes(100))
        for name, message in [("missing.so", "No such file or directory"),
                              ("./missing", "No such file or directory"),
                              ("some.txt/x.so", "Not a directory"), ("folder.so", "Is a directory"),
                              ("empty.so", "not an ELF, PE or Mach-O file: it is empty"),
                              ("text.so", "not an ELF, PE or Mach-O file"),
                              ("short.txt", "not an ELF, PE or Mach-O file"),
                              ("windows.so",
                               "malformed PE file: it has no PE header, like MS-DOS programs"),
                              ("cut.so", "malformed ELF file: it is truncated after 4000 bytes")]:
            for words in TAKING:
                bad(LOAD, f"tvm-ffi: {name}: {message}\n", *words, name)
        if os.geteuid() != 0:
            pathlib.Path("locked.so").write_bytes(content)
            os.chmod("locked.so", 0)
            for words in TAKING:
                bad(LOAD, "tvm-ffi: locked.so: Permission denied\n", *words, "locked.so")

    def test_if_only_the_loader_refuses_a_file(self):
        """If only the loader refuses a file, its message has the same beginning; a library may have
        any file name."""
        for words in ["run"], ["bench"], ["registry", "--lib"], ["types", "--lib"]:
            bad(LOAD, f"tvm-ffi: {TOOL}: cannot be loaded: ", *words, TOOL)
        for name in "libscale.so.1", "scale", "scale.bin":
            pathlib.Path(name).write_bytes(content)
            assert good("run", name, "count(4xf32=1)") == "result[0]: 4\n"
            assert "my.twice  ?\n" == good("registry", "--lib", name, "--match=my.*")


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""Programs that the tool starts: how they are found, what they get, and how their end is reported.

test_launch.py TVM-FFI FAKE-COMPILER"""
import os
import pathlib
import shlex
import unittest

from tool import FILES, LOAD, WINDOWS, run, run_tests, work_folder

COMPILER = pathlib.Path(FILES[0]).resolve()
os.chdir(work_folder())
pathlib.Path("k.c").write_text("/* not read by anyone */\n")
# Folders for programs: of POSIX, and of Windows in Wine.
FOLDERS = {"WINEPATH": f"{os.environ['WINEPATH']};Z:{COMPILER.parent}"} if WINDOWS else {
    "PATH": f"{os.environ['PATH']}:{COMPILER.parent}"}


def compile_with(compiler, flags="", ending="3", **env):
    """The error line of the tool, and the lines of the compiler before it."""
    code, out, err = run(
        "run", "k.c", f"--cflags={flags}", stdin="text for the tool", env={
            **os.environ, "CC": str(compiler), "FAKE_COMPILER": ending,
            "XDG_CACHE_HOME": os.getcwd(), **env
        })
    *lines, message = err.replace("\r", "").splitlines()
    assert (code, out) == (LOAD, ""), (code, out, err)
    return message, lines


WORDS = [
    "-DPLAIN=1", "", " ", "two words", 'a "quoted" word', '"', '\\', '\\\\', '\\"', 'ends with \\',
    'ends with \\\\', '\\\\server\\share', "it's", "tab\there", "%PATH%", "^&|<>", "*.c",
    "-Wl,--out=a b\\"
]


class Launch(unittest.TestCase):
    def test_each_word_arrives(self):
        """Each word arrives as it is, whatever is in it, and there is nothing to read."""
        message, lines = compile_with(COMPILER, " ".join(map(shlex.quote, WORDS)))
        assert message == f"tvm-ffi: k.c: {COMPILER} ended with exit code 3", message
        assert lines[-1] == "stdin: empty", lines
        first = lines.index("<-DPLAIN=1>")
        assert lines[first:first + len(WORDS)] == [f"<{word}>" for word in WORDS], lines

    def test_it_is_found_in_the_folders_of_path(self):
        """It is found in the folders of PATH; on Windows, without its suffix too."""
        for name in {COMPILER.name, COMPILER.stem}:
            message, lines = compile_with(name, **FOLDERS)
            assert (message == f"tvm-ffi: k.c: {name} ended with exit code 3"
                    and "<k.c>" in lines), (message, lines)
        for name in "no_such_compiler", "./no_such_compiler", "no_such_folder/cc":
            assert compile_with(name) == (
                f"tvm-ffi: k.c: cannot run {name}: No such file or directory", []), name

    def test_a_crash(self):
        """A crash. abort() of Windows' C library is an exit code."""
        message, _ = compile_with(COMPILER, ending="crash")
        assert message == f"tvm-ffi: k.c: {COMPILER} " + ("ended with exit code 3" if WINDOWS else
                                                          "was ended by signal 6"), message

    def test_it_says_that_it_succeeded(self):
        """It says that it succeeded, and has made nothing."""
        message, lines = compile_with(COMPILER, ending="0")
        assert message.startswith("tvm-ffi: ") and "<k.c>" in lines, (message, lines)


run_tests()

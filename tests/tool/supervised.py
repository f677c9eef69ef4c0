# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of how the tool survives libraries, test_supervise.py and test_processes.py:
commands that load a library, and what its deeds (misbehaving.c) make of them."""
import os

from tool import FILES, OK, WINDOWS, run, work_folder

MISBEHAVING, KERNELS, *NO_MEMFD = map(os.path.abspath, FILES)
WORK = work_folder()
TEMPORARY = WORK / "temporary"
TEMPORARY.mkdir()
FLOOD = "again and again\n"
IS_FULL = os.environ["TVM_FFI_PROFILE"] == "full"
# A sanitizer must leave crashes to the tool.
BASE = dict(
    os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") +
    ":handle_segv=0:handle_abort=0:detect_leaks=0")
if not WINDOWS:  # where Wine would take it as the place of its own files
    BASE["TMPDIR"] = str(TEMPORARY)

# Commands, with LIB for the library; those of REGISTERED have it loaded until they end.
LISTED = [["list", "--load", "LIB"], ["stub", "LIB"]]
REGISTERED = [["registry", "--match=ffi.json.*", "--lib=LIB"],
              ["types", "--match=ffi.Module", "--lib=LIB"]]
CALLED = [["run", "LIB", "kernel()"], ["bench", "LIB", "kernel()", "--warmup=0", "--repeat=7"]]
if not IS_FULL:
    REGISTERED, CALLED = [], []
ALL = LISTED + REGISTERED + CALLED
# Of stub; the core profile reads no types.
NOTE = (
    "" if IS_FULL else
    "tvm-ffi: note: LIB: no types were read from its metadata, so the wrappers take any arguments\n"
)


def fill_in(command, library=MISBEHAVING):
    return [word.replace("LIB", str(library)) for word in command]


def attempt(command, *options, library=MISBEHAVING, **deeds):
    return run(*fill_in(command, library), *options, env=dict(BASE, **deeds))


def expect(command, code, message, *options, out="", **deeds):
    """The command ends with this code and error line, besides the library's own output, and prints
    this."""
    got, printed, err = attempt(command, *options, **deeds)
    own = err.replace(FLOOD, "")
    assert (got == code and own.startswith("tvm-ffi: ")
            and message in own), (command, deeds, got, own)
    assert (own.count("\n") == 1
            and printed.replace(FLOOD, "") == out), (command, deeds, printed, err)


def succeed(command, library=MISBEHAVING, **deeds):
    """The output of a command that must succeed, and print nothing on stderr but the note of
    stub."""
    code, out, err = attempt(command, library=library, **deeds)
    assert code == OK and err == note_of(command, library), (command, code, out, err)
    return out


def note_of(command, library=MISBEHAVING):
    return NOTE.replace("LIB", str(library)) if command[0] == "stub" else ""

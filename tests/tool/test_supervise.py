# SPDX-License-Identifier: Apache-2.0
"""Whatever a library does, each command that loads it prints its results, or one line of error.

test_supervise.py TVM-FFI MISBEHAVING KERNELS [NO-MEMFD]"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

from elf import Library, blob
from supervised import (ALL, BASE, CALLED, FLOOD, IS_FULL, KERNELS, LISTED, MISBEHAVING, NO_MEMFD,
                        REGISTERED, TEMPORARY, WORK, attempt, expect, fill_in, note_of, succeed)
from tool import COMMAND, LOAD, OK, RAISED, USAGE, WINDOWS, bad, good, patience, run, run_tests


def is_the_same(printed, command):
    """Compares results, except for the numbers that bench measures."""
    return (len(printed.splitlines()) == 4
            if command[0] == "bench" else printed == RESULTS[command[0]])


RESULTS = {command[0]: succeed(command) for command in ALL}
UNASKED = good("list", MISBEHAVING).replace("[no metadata; --load to ask the library]",
                                      "[the library did not answer]")
assert UNASKED.splitlines()[1] == "  kernel  ?  [the library did not answer]", UNASKED

# ---- Crashes, exits and hangs, at each moment ----
WRONG = {"crash": "crashed{}: Aborted", "leave": "ended the program{}, with exit code 3",
         "leave_quietly": "ended the program{}, with exit code 0"}
ENDLESS = ["hang", "flood"]
# Exceptions, which the system handles itself when they come while it loads or unloads a library.
EXCEPTIONS = {}
if WINDOWS:
    EXCEPTIONS = {"violate": "crashed{}: access violation", "overflow": "crashed{}: stack overflow"}
    UNASKED = ""  # the whole command ends with the library
else:
    WRONG["stop"] = "was killed{}: it stopped itself"
    WRONG["kill_parent"] = "sent its parent process a signal{}: Killed"
    WRONG["end_parents"] = "sent its parent process a signal{}: Terminated"
    WRONG["stop_parents"] = "sent its parent process a signal{}: Stopped (signal)"
    ENDLESS += ["shut_all_and_hang", "resist"]


def go_wrong(commands, code, moment, ending, subject):
    deeds = WRONG if moment == "ON_LOAD" else {**WRONG, **EXCEPTIONS}
    for command in commands:
        for deed, message in deeds.items():
            expect(command, code, f"{subject}: {message.format(ending)}",
                   out=UNASKED if command[0] == "list" else "", **{moment: deed})


SAID = "written\nprinted\n"


def from_stdin(command, file, **deeds):
    with open(file, "rb") as stdin:
        done = subprocess.run([*COMMAND, *fill_in(command, "-")], stdin=stdin, capture_output=True,
                              text=True, check=False, env=dict(BASE, **deeds))
    assert not list(TEMPORARY.iterdir()), (command, deeds)
    return done.returncode, done.stdout, done.stderr


def find_temporary():
    """What is left in the folder for temporary files that Wine gives to programs."""
    prefix = pathlib.Path(os.environ.get("WINEPREFIX", os.path.expanduser("~/.wine")))
    return list(prefix.glob("drive_c/users/*/Temp/tvm-ffi-*"))


os.chdir(WORK)


class Supervise(unittest.TestCase):
    def test_what_the_library_says(self):
        """What the library says where nothing goes wrong."""
        if IS_FULL:
            assert (RESULTS["run"] == "result[0]: 7\n"
                    and len(RESULTS["registry"].splitlines()) == 2), RESULTS

    def test_isolated_modules(self):
        """The core profile has none, and says so."""
        if IS_FULL:
            self.skipTest("this runtime has them")
        code, out, err = attempt(["run", "--isolated", "LIB", "kernel()"])
        assert (code, out, err) == (
            LOAD, "", f"tvm-ffi: {MISBEHAVING}: cannot be loaded: this runtime has no isolated "
            "modules\n"), (code, out, err)

    def test_what_goes_wrong_while_a_library_is_loaded(self):
        """What goes wrong while a library is loaded."""
        go_wrong(ALL, LOAD, "ON_LOAD", " while it was loaded", MISBEHAVING)

    def test_what_goes_wrong_while_a_library_is_asked(self):
        """What goes wrong while a library is asked for data."""
        go_wrong(LISTED, LOAD, "ON_ASK", " while it was asked for __tvm_ffi__metadata_kernel",
                 MISBEHAVING)
        go_wrong(CALLED, LOAD, "ON_ASK", " while it was asked for the types of kernel", MISBEHAVING)

    def test_what_goes_wrong_while_a_function_is_called(self):
        """What goes wrong while a function is called."""
        go_wrong(CALLED, RAISED, "ON_CALL", " while it was called", "kernel")

    def test_what_disturbs_the_process_between(self):
        """An answer that is not whole is no reason to wait for ever."""
        if not sys.platform.startswith("linux"):
            self.skipTest("pipes of others are found in /proc")
        for command in CALLED[:1]:
            expect(command, RAISED,
                   "kernel: kept its parent process from answering while it was called",
                   ON_CALL="garble")

    def test_what_is_printed_before_an_error(self):
        """An error of the tool comes after what the library has printed before."""
        for command in CALLED[:1]:
            for _ in range(20):
                err = attempt([*command[:2], "missing()"], "--json", ON_LOAD="print")[2]
                if WINDOWS:
                    break
                assert err.startswith(SAID) and "missing" in err, err

    def test_much_that_is_printed(self):
        """The first MiB is shown on stderr, and results are whole; `run` leaves stdout alone."""
        if WINDOWS:
            self.skipTest("the library has the tool's own stderr there")
        dropped = "\n[what it prints after that is dropped]\n"
        for command in LISTED:
            code, out, err = attempt(command, ON_LOAD="pour")
            shown, found, note = err.partition(dropped)
            assert code == OK and out == RESULTS[command[0]], (command, code, out)
            assert found and note == note_of(command) and len(shown) == 1 << 20, len(shown)
        for command in CALLED[:1]:
            _, out, err = attempt(command, "--json", ON_CALL="pour")
            assert json.loads(out)["outputs"] and err.endswith(dropped), err[-100:]
            assert attempt(command, ON_CALL="pour")[1] == 200000 * FLOOD + RESULTS["run"]

    def test_what_takes_longer_than_the_limit(self):
        """What takes longer than the limit."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            waits = []

            def expect_late(command, code, ending, limit=patience(1), **kwargs):
                message = f"was killed{ending}: it took longer than {limit} s (--timeout)"
                waits.append(
                    pool.submit(expect, command, code, message, f"--timeout={limit}", **kwargs))

            for deed in ENDLESS:
                for command in ALL:
                    expect_late(command, LOAD, " while it was loaded", 0.1, ON_LOAD=deed,
                                out=UNASKED if command[0] == "list" else "")
                expect_late(LISTED[1], LOAD, " while it was asked for __tvm_ffi__metadata_kernel",
                            ON_ASK=deed)
                for command in CALLED:
                    if deed != "flood":  # the output of a call is passed on
                        expect_late(command, RAISED, " while it was called", ON_CALL=deed)
                for command in CALLED[:1] + REGISTERED:
                    expect_late(command, RAISED, " when the program ended", ON_END=deed,
                                out=RESULTS[command[0]])
            for wait in waits:
                wait.result()

    def test_all_results_are_printed_although_the_process_fails(self):
        """All results are printed although the process fails at its end; the listing commands run
        no destructors."""
        for deed in sorted(WRONG.keys() - {"leave_quietly"}):
            for command in CALLED[:1] + REGISTERED:
                # A signal may have been sent in the call, and found only then.
                moment = "before" if "parent" in deed else "when"
                message = WRONG[deed].format(f" {moment} the program ended")
                expect(command, RAISED, f"{MISBEHAVING}: {message}", ON_END=deed,
                       out=RESULTS[command[0]])
            for command in LISTED:
                assert succeed(command, ON_END=deed) == RESULTS[command[0]], (command, deed)
        if not WINDOWS:
            listed = json.loads(attempt(LISTED[0], "--json", ON_ASK="crash")[1])
            assert listed["functions"][0]["error"] == "the library did not answer", listed
        for command in ALL:
            bad(USAGE, '--timeout must be a number from 0.001 to 1e+06, not "0"', *fill_in(command),
                "--timeout=0")

    def test_the_library_closes_the_standard_files(self):
        """The library closes the standard files, forks a process that keeps all files open, or one
        that continues as the tool. These runs do end: otherwise the pipes would stay open."""
        for moment in "ON_LOAD", "ON_ASK", "ON_CALL":
            for deed in ["shut", "spawn"] + ["split"] * (not WINDOWS):
                for command in ALL:
                    if (command[0], moment, deed) == ("bench", "ON_CALL", "split"):
                        continue  # the number of callers would double with every call
                    code, out, err = attempt(command, **{moment: deed})
                    assert (code == OK and is_the_same(out, command)
                            and err == note_of(command)), (command, moment, deed, code, out, err)

    def test_the_output_of_the_library_comes(self):
        """The output of the library comes before the results of a call, and never among the results
        of others or in JSON."""
        for moment in "ON_LOAD", "ON_ASK":
            for command in LISTED + REGISTERED:
                if moment == "ON_ASK" and command in REGISTERED:
                    continue
                assert attempt(command, **{moment:
                                           "print"}) == (OK, RESULTS[command[0]],
                                                         SAID + note_of(command)), (command, moment)
                code, out, err = attempt(command, "--json", **{moment: "print"})
                assert (code == OK and json.loads(out)
                        and err == SAID + note_of(command)), (command, moment, code, out, err)
        for command in CALLED[:1]:
            for moment in "ON_LOAD", "ON_ASK", "ON_CALL":
                assert attempt(command, **{moment:
                                           "print"}) == (OK, SAID + RESULTS["run"], ""), moment
                for options in [], ["--no-fork"]:
                    code, out, err = attempt(command, "--json", *options, **{moment: "print"})
                    assert (code == OK and json.loads(out)["outputs"]
                            and err == SAID), (moment, options, code, out, err)
            assert attempt(command, ON_END="print") == (OK, RESULTS["run"] + SAID, "")

    def test_a_library_from_stdin(self):
        """A library from stdin."""
        ways = [{}] + [{"LD_PRELOAD": library} for library in NO_MEMFD]
        for way in ways:
            for command in ALL:
                code, out, err = from_stdin(command, MISBEHAVING, **way)
                expected = {
                    "list": RESULTS["list"].replace(MISBEHAVING, "-"),
                    "stub": succeed(["stub", "--prefix=kernels",
                                     "LIB"]).replace(pathlib.Path(MISBEHAVING).name, "kernels.so")
                }
                assert code == OK and err == note_of(command, "-"), (command, way, code, out, err)
                assert (out == expected[command[0]]
                        if command in LISTED else is_the_same(out, command)), (command, way, out)
                code, out, err = from_stdin(command, MISBEHAVING, ON_LOAD="crash", **way)
                assert (code == LOAD
                        and err == "tvm-ffi: -: crashed while it was loaded: Aborted\n"), (command,
                                                                                           way, err)
                code, out, err = from_stdin(command, __file__, **way)
                assert (code == LOAD and out == "" and err.startswith("tvm-ffi: -: ")
                        and err.count("\n") == 1), (command, err)
                code, out, err = from_stdin([*command, "--timeout=0.1"],
                                            MISBEHAVING,
                                            ON_LOAD="hang",
                                            **way)
                assert (code == LOAD
                        and "tvm-ffi: -: was killed while it was loaded: " in err), (command, way,
                                                                                     err)
            if CALLED:
                assert from_stdin(["run", "--module=-", "--function=kernel"], MISBEHAVING,
                                  **way) == (OK, RESULTS["run"], ""), way
        code, out, err = from_stdin(["check", "-"], KERNELS)
        assert code == run("check", KERNELS)[0] and out.startswith("-\n  ok "), (code, out, err)
        for command in ["list", "-", "-"], ["check", "-", KERNELS,
                                            "-"], ["bench", "-", "-", "add(1, 2)"]:
            code, out, err = from_stdin(command, KERNELS)
            said = f"tvm-ffi: {command[0]}: standard input (-) can be read only once, not 2 times\n"
            assert (code, out, err) == (USAGE, "", said), (command, code, out, err)
        packed = Library().data("__tvm_ffi__library_bin",
                                blob([(b"k", b"payload", [])])).write(WORK / "packed.so")
        assert from_stdin(["unpack", "LIB", "--extract=k[0]"], packed) == (OK, "payload", "")

        if WINDOWS:
            for _ in range(100):  # another test may have such a file for a moment
                if find_temporary():
                    time.sleep(0.1)
            assert not find_temporary()

    def test_info_loads_the_helper_beside_the_library(self):
        """info loads the helper beside the library; if that crashes, it still prints the rest."""
        runtime = pathlib.Path(json.loads(good("info", "--json"))["library"])
        if runtime.name == "libtvm_ffi.so":
            (WORK / runtime.name).write_bytes(runtime.read_bytes())
            (WORK / "libtvm_ffi_cxx.so").write_bytes(pathlib.Path(MISBEHAVING).read_bytes())
            found = dict(BASE, LD_LIBRARY_PATH=str(WORK))
            helper = json.loads(good("info", "--json", env=found))["cxx_helper"]
            assert helper == str(WORK / "libtvm_ffi_cxx.so"), helper
            code, out, err = run("info", "--json", env=dict(found, ON_LOAD="crash"))
            assert (code == LOAD
                    and err == f"tvm-ffi: {helper}: crashed while it was loaded: Aborted\n"), (code,
                                                                                               err)
            assert json.loads(
                out)["cxx_helper"] == "broken: modules written in C++ cannot be called", out

    def test_a_long_path(self):
        """A message shows the whole path; a byte that is not UTF-8 as an escape."""
        if WINDOWS:
            self.skipTest("its paths are UTF-16, and shorter")
        for name, shown in [(100 * b"\xc3\xa9", 100 * "\u00e9"), (100 * b"\xe9", 100 * "\\xe9")]:
            folder = os.path.join(os.fsencode(WORK), *8 * [name])
            os.makedirs(folder)
            library = os.path.join(folder, b"library.so")
            os.symlink(MISBEHAVING, library)
            shown = "/".join([str(WORK)] + 8 * [shown] + ["library.so"])
            for command in LISTED:
                words = [library if word == "LIB" else word for word in command]
                done = subprocess.run([*COMMAND, *words], capture_output=True, check=False,
                                      env=dict(BASE, ON_LOAD="crash"))
                err = done.stderr.decode()
                assert done.returncode == LOAD and err == (
                    f"tvm-ffi: {shown}: crashed while it was loaded: Aborted\n"), (command, err)

    def test_a_truncated_file(self):
        """A truncated file: its segments would be mapped beyond its end."""
        whole = pathlib.Path(KERNELS).read_bytes()
        cut = WORK / "cut.so"
        for size in () if WINDOWS else (1000, 4000):
            cut.write_bytes(whole[:size])
            for command in ALL:
                bad(LOAD, f"{cut}: malformed ELF file: it is truncated after {size} bytes",
                    *fill_in(command, cut), env=BASE)

    def test_a_name_without_a_slash_is_a_file(self):
        """A name without a slash is a file in the current folder, and is not searched for in the
        system's folders."""
        pathlib.Path("here.so").write_bytes(pathlib.Path(MISBEHAVING).read_bytes())
        for command in ALL:
            succeed(command, library="here.so")
            bad(LOAD,
                "tvm-ffi: libc.so.6: No such file or directory",
                *fill_in(command, "libc.so.6"),
                env=BASE)


run_tests()

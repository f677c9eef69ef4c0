# SPDX-License-Identifier: Apache-2.0
"""Recordings with --functions of function objects that have a name from a module or from their
type, of a program in C.

test_record_objects.py TVM-FFI OBJECTS KERNELS REGISTERS RUNTIME AROUND FORK"""
import ctypes
import json
import os
import pathlib
import subprocess
import unittest

from recording import Recording
from tool import COMMAND, FILES, MISMATCH, SLOWER, USAGE, bad, good, run, run_tests, work_folder

OBJECTS, KERNELS, REGISTERS, RUNTIME, AROUND, FORK = map(os.path.abspath, FILES)
os.chdir(work_folder())
COUNT = iter(range(1000))


def start(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False,
                          timeout=SLOWER * 60)


def record(deed, *options, library=REGISTERS):
    """The recording of a program, which does what it does without, and what it prints."""
    folder = f"recording{next(COUNT)}"
    program = [OBJECTS, KERNELS, deed, library]
    done = start(*COMMAND, "record", "-o", folder, "--functions", *options, "--", *program)
    alone = start(*program)
    recording = Recording(folder)
    assert done.returncode == (alone.returncode if recording.calls else USAGE), done
    assert done.stdout == alone.stdout, (done, alone)
    return recording, done.stdout


def names(recording):
    return [(call.get("of"), call["function"]) for call in recording.calls.values()]


MODULES = [("module", "own"), ("module", "own"), (None, "echo"), (None, "echo")]
METHODS = [("type", "test.objects.Counter.next"), ("type", "test.objects.Counter.__ffi_init__")]


class Objects(unittest.TestCase):
    def test_functions_of_modules(self):
        """Those of libraries are recorded once, where they are found."""
        recording, said = record("modules", "--all")
        assert said == "7\n7\n7\nnone\n7\n" and names(recording) == MODULES, names(recording)
        process, = recording.processes
        assert [count["calls"] for count in process.counts] == [2, 2], process.counts
        assert not record("modules", "--match=other")[0].calls
        assert names(record("modules", "--all", "--match=own")[0]) == MODULES[:2]

    def test_functions_of_the_system_library(self):
        recording, said = record("system", "--all")
        assert said == "7\n7\n" and names(recording) == [(None, "testing_own")], names(recording)

    def test_methods(self):
        """Those of the runtime's own types are not there."""
        recording, said = record("methods", "--all")
        assert said == "7\n7\n7\n" and names(recording) == METHODS, names(recording)
        assert names(record("methods", "--match=*.next")[0]) == METHODS[:1]

    def test_code_that_was_compiled(self):
        """It is not taken for that of a kernel with the same name, and all of it has one name."""
        recording, said = record("compiled", "--match=consume", "--match=echo")
        process, = recording.processes
        assert said == "7\n" and [(count.get("of"), count["function"], count["calls"])
                                  for count in process.counts] == [
                                      ("module", "consume", 5000),
                                      (None, "echo", 1)], process.counts

    @unittest.skipUnless(hasattr(ctypes.CDLL(None), "_dl_find_object"),
                         "glibc has a lock that stays held")
    def test_compiled_code_in_a_child(self):
        """It is in no file, for which the loader, whose lock nobody frees, is not asked."""
        recording, said = record("fork", "--all")
        assert said == "7\n" and names(recording) == [("module", "consume")], names(recording)

    def test_a_lookup_by_a_handler_of_fork(self):
        """That is called while the recorder has its lock: it does not wait for it."""
        done = start(*COMMAND, "record", "-o", "fork", "--functions", "--", FORK, RUNTIME)
        assert done.stdout == "found\n" == start(FORK, RUNTIME).stdout, done

    def test_functions_that_are_left_out(self):
        """They take no place of objects."""
        recording, _ = record("left-out", "--match=consume")
        assert names(recording) == [("module", "consume")], names(recording)

    def test_the_object_of_a_method(self):
        """Fields that may be changed are not read, of an argument or a result."""
        recording, said = record("self", "--all")
        (call, ), (end, ) = recording.calls.values(), recording.ends.values()
        assert said == "1\n" and len(call["args"]) == 3, call
        for value in [*call["args"], end["result"]]:
            assert list(value) == ["object", "address", "id"], value
        call, = record("constant", "--all")[0].calls.values()
        assert list(call["args"][0]) == ["object", "fields", "id"], call

    def test_a_deleter(self):
        """It stays what it is, and is called."""
        recording, said = record("deleter", "--all")
        assert said == "its own\nits own\n49\n1\n", said
        assert names(recording) == [("registry", "test.objects.elsewhere")], names(recording)

    def test_lookups_in_a_handler(self):
        """Where the runtime allocates nothing, neither does the recorder."""
        for options in ("--all", ), ("--match=consume", ):
            _, said = record("warm", *options)
            assert said.startswith("ffi.Array: 0\ntest.objects.first: 0\n"), said

    def test_a_little_stack(self):
        recording, _ = record("little-stack", "--all")
        assert names(recording) == [*MODULES, *METHODS], names(recording)

    def test_many_objects(self):
        """The place of one that has ended is another's."""
        recording, _ = record("many")
        process, = recording.processes
        assert process.counts[0]["calls"] == 30000, process.counts
        assert not [event for event in process.events if event["event"] == "note"]

    def test_many_objects_that_stay(self):
        """Those that there is no room for are not recorded, which is said."""
        recording, _ = record("many-that-stay")
        process, = recording.processes
        self.assertEqual([event["text"] for event in process.events if event["event"] == "note"], [
            "there are too many function objects, and calls of further ones are not recorded"])

    def test_living_objects_that_cannot_be_read(self):
        """They keep their places, and names."""
        recording, said = record("no-reads")
        made = [name for name in names(recording) if name[0] == "registry"]
        assert said == 20 * "7\n" and len(made) == 20, made

    def test_a_kernel_of_another_name(self):
        """It may be looked up while a module gives a function, and is not that function."""
        recording, said = record("late", "--all")
        assert said == "7\n7\n" and names(recording) == 2 * [("module", "late")], names(recording)

    def test_many_names(self):
        """Functions of modules have half of the slots, and leave others for kernels."""
        recording, said = record("names")
        made = [name for name in names(recording) if name[0] == "module"]
        assert said == "7\n" and len(made) == 2048, len(made)
        assert (None, "echo") in names(recording)

    def test_many_lookups(self):
        """Functions of modules leave objects for others, whose calls are recorded."""
        recording, said = record("starve")
        assert said == "7\n" and names(recording) == [("registry", "test.objects.late")], names(
            recording)

    def test_objects_that_have_ended(self):
        """Their memory stays, and is no leak."""
        assert record("reachable")[1] == "0\n"

    def test_replay_of_global_functions(self):
        """Of the library that has the code, and of none that it needs."""
        recording, said = record("globals", library=AROUND)
        assert said == "8\n49\n7\n" and [name for _, name in names(recording)] == [
            "test.tool.around", "test.tool.area", "test.tool.with_self"], recording.calls
        lines = pathlib.Path(recording.folder, "calls.jsonl")
        written = lines.read_text().splitlines(keepends=True)
        first, second, third = (json.loads(line)["library"] for line in written
                                if '"event":"call"' in line)

        def replay(other, *options):
            """What is said if calls of another library are said to be of the first one."""
            lines.write_text("".join(
                line.replace(f'"library":{other},', f'"library":{first},')
                if '"event":"call"' in line else line for line in written))
            return "".join(run("replay", recording.folder, "--trust", *options)[1:])

        for options in (), ("--in-order",), ("--no-fork",):
            said = replay(third, *options)  # the program looked it up, and has not its code
            self.assertIn("3 of 3 calls are the same as recorded", said)
            said = replay(second, *options)
            self.assertIn("[----] 2 test.tool.area: what is registered by this name is a function "
                          "of record_needed.so\n", said)

        os.environ["REGISTERS_AROUND_EXITS"] = "yes"
        said = replay(third)
        del os.environ["REGISTERS_AROUND_EXITS"]
        self.assertIn("[FAIL] 1 test.tool.around: ended the program while it was loaded, with exit "
                      "code 0", said)

    def test_a_note_and_no_call(self):
        """It is not said that calls could not be written."""
        done = start(*COMMAND, "record", "-o", "no-place", "--functions", "--", OBJECTS, KERNELS,
                     "no-place")
        assert (done.returncode, done.stdout) == (USAGE, "7\n"), done
        assert "tvm-ffi: no-place has no calls: none was seen\n" in done.stderr, done

    def test_replay(self):
        """They are shown, and not called again."""
        for deed, number, what in (
                ("modules", 1, "a function of a module in the process, which a replay does not "
                 "have"),
                ("methods", 1, "a method of a type, which only the process had registered")):
            recording, _ = record(deed, "--all")
            code, out, err = run("replay", recording.folder, number)
            assert (code, err) == (MISMATCH, ""), (code, out, err)
            self.assertIn(f"it is {what}\n", out)
            for words in ("replay", "--emit=c"), ("replay", "--bench"), ("probe", ):
                bad(USAGE, f"call {number} is of {what}", words[0], recording.folder, number,
                    *words[1:])
            shown = good("show", recording.folder)
            assert all(name in shown for _, name in names(recording)), shown


run_tests()

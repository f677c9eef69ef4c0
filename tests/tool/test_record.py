# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs in C: that they are what docs/guide/record_format.md says, that nothing is
lost in a crash, and that the programs do not notice.

test_record.py TVM-FFI HOST HOST-WITH-RECORDER KERNELS FAKE-CUDA SAMPLE-HOST SAMPLE-KERNEL
REGISTERS [SCOPES...]
SCOPES: what record_scopes.c is built to, and a host with a runtime that it does not export"""
import ctypes
import json
import os
import pathlib
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import zipfile

from recording import Page, Recording
from tool import (COMMAND, FILES, MISMATCH, SLOWER, USAGE, bad, enter_bare_root, good, good_json,
                  read_terminal, run, run_tests, start_on_terminal, work_folder)

HOST, API_HOST, KERNELS, FAKE_CUDA, SAMPLE_HOST, SAMPLE_KERNEL, REGISTERS, *SCOPES = map(
    os.path.abspath, FILES)
os.chdir(work_folder())
COUNT = iter(range(1000))


def start(*words, **kwargs):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **kwargs)


def record(*options, program=(), same=True, **kwargs):
    """Records a program, which must do what it does without. The recording, and how it ended."""
    folder = f"recording{next(COUNT)}"
    if not program or not os.path.isabs(program[0]):
        program = [HOST, KERNELS, *program]
    done = start(*COMMAND, "record", "-o", folder, *options, "--", *program, **kwargs)
    if same:
        alone = start(*program)
        is_empty = not Recording(folder).calls
        assert ("has no calls" in done.stderr) == is_empty, done
        assert (done.returncode, done.stdout, done.stderr if not is_empty else "") == (
            USAGE if is_empty else alone.returncode, alone.stdout, alone.stderr), (done, alone)
    return Recording(folder), done


def floats(data):
    return list(struct.unpack(f"={len(data) // 4}f", data))


class Record(unittest.TestCase):
    def test_the_sample(self):
        """Sample 01: two calls that succeed, two errors, memory that is shared."""
        recording, done = record(program=[SAMPLE_HOST, SAMPLE_KERNEL])
        assert done.returncode == 0 and len(recording.calls) == 4, done
        one, two, three, four = (recording.calls[i] for i in range(1, 5))
        y, x, factor = one["args"]
        assert factor == {"float": "2.5"} and one["function"] == "scale", one
        before = one["storages"][x["dltensor"]["storage"]]
        assert floats(recording.data(before["data"])) == [1, 2, 3, 4, 5, 6], one
        after = recording.ends[1]["storages"]
        assert floats(recording.data(after[y["dltensor"]["storage"]]["data"])) == [
            2.5, 5, 7.5, 10, 12.5, 15
        ]
        assert after[x["dltensor"]["storage"]]["data"] == before["data"]
        assert len(two["storages"]) == 1 and two["args"][2] == -2, two
        assert three["args"][2] == {"raw_str": "two"}, three
        for call in three, four:
            error = recording.ends[call["call"]]
            assert error["event"] == "error" and error["code"] == -1, error
            assert error["error"]["kind"] == "TypeError", error
        process = recording.processes[0]
        assert process.stop["why"] == "exit" and process.counts == [{
            "library": 0, "function": "scale", "calls": 4, "errors": 2, "recorded": 4
        }]
        assert process.libraries[0]["path"] == SAMPLE_KERNEL
        assert process.process["command"] == [SAMPLE_HOST, SAMPLE_KERNEL]
        good("show", recording.folder, "--html=sample.html", "--command")
        page = Page("sample.html")
        assert f"{SAMPLE_HOST} {SAMPLE_KERNEL} Recorded 20" in page.text, page.text
        assert "4 calls 2 errors 0 unfinished calls 1 function" in page.text, page.text
        assert "Not recorded" not in page.text and page.count_bars("err") in (
            (1, 2) if "share a bar" in page.text else (2,)), page.text  # on a busy machine
        assert page.ids == {"hatch", "c1", "c2", "c3", "c4"} and page.counts["details"] == 4

    @unittest.skipUnless("LOCPATH" in os.environ, "the build has no locale with a decimal comma")
    def test_a_locale(self):
        """Numbers have a point also where the program prints them with a comma."""
        german = {**os.environ, "LC_ALL": "de_DE.UTF-8"}
        recording, done = record("--all", program=["floats"], env=german, same=False)
        assert done.stdout.startswith("0,5\n"), done
        assert [call["args"] for call in recording.calls.values()] == [
            [{"float": text}] for text in
            ("0.5", "0.3333333333333333", "3.3333333333333334e-301", "6.25e-07")], recording.calls
        done = start(*COMMAND, "record", "--trace=german.json", "--", HOST, KERNELS, "floats",
                     env=german)
        self.assertRegex(done.stderr.splitlines()[-1],
                         r"^ 100\.00 +\d+\.\d +\d+\.\d{3} +\d+\.\d{3} +4 +0  echo$")
        events = json.loads(pathlib.Path("german.json").read_text())
        assert [event["args"]["0"] for event in events[:4]] == [
            "0.5", "0.333333333", "3.33333333e-301", "6.25e-07"], events

    def test_a_crash(self):
        """After a crash, the last call is there with its inputs."""
        recording, done = record(program=["crash"])
        assert done.returncode == -signal.SIGSEGV, done
        (number, call), = recording.calls.items()
        assert number not in recording.ends and recording.processes[0].stop is None
        assert floats(recording.data(call["storages"][0]["data"]))[:4] == [1, 2, 3, 0], call

    def test_a_program_that_leaves(self):
        """A call that ends the program with _exit()."""
        recording, done = record(program=["leave"])
        assert done.returncode == 3, done
        assert len(recording.calls) == 1 and not recording.ends

    def test_a_killed_program(self):
        """A call that ends in SIGKILL: nothing can be written then. The file is longer than its
        events, which all are there, and the tool reads it."""
        recording, done = record(program=["die"])
        assert done.returncode == -signal.SIGKILL, done
        (number, call), = recording.calls.items()
        assert call["function"] == "die" and number not in recording.ends
        assert recording.processes[0].num_zeros > 0
        assert "unfinished" in good("show", recording.folder, "--calls")

    def test_large_memory(self):
        """Memory of more than one read: what is there already is written once, also if that comes
        out only while it is written."""
        recording, _ = record("--all", program=["large"])
        names = {path.name for path in (recording.folder / "tensors").iterdir()}
        assert len(names) == 1 + 1 + 5, names
        for call in recording.calls.values():
            before, after = call["storages"], recording.ends[call["call"]]["storages"]
            same = [one["data"] == two["data"] for one, two in zip(before, after)]
            assert sorted(same) == [False, True], call
        again, _ = record("--all", "--max-total=1700000", program=["large"])
        assert len(list((again.folder / "tensors").iterdir())) == 2
        left_out = [storage.get("left_out") for call in again.calls.values()
                    for storage in call["storages"]]
        assert left_out.count(None) == 6, left_out  # x is there, and y in the first call

    def test_threads(self):
        """One in ten calls of eight threads fails; each of these is recorded."""
        recording, done = record(program=["threads"])
        assert done.stdout == "80 failed\n", done
        failed = [end for end in recording.ends.values() if end["event"] == "error"]
        assert len(failed) == 80 and len(recording.ends) == len(recording.calls) == 83
        for end in failed:
            call = recording.calls[end["call"]]
            assert call["late"] and call["args"][2] % 10 == 9, call
            assert end["error"]["message"] == f"n is {call['args'][2]}", end
        assert len({call["thread"] for call in recording.calls.values()}) == 8
        assert recording.processes[0].counts[0]["calls"] == 800
        recording, done = record("--all", program=["threads"])
        assert len(recording.ends) == 800

    def trace(self, *options, program, is_whole=True):
        """The slices of a trace, and the rows of the table by function."""
        path = f"trace{next(COUNT)}.json"
        words = [HOST, KERNELS, *program]
        alone = start(*words)
        done = start(*COMMAND, "record", "--trace", path, *options, "--", *words)
        assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout), (done, alone)
        text = pathlib.Path(path).read_text()
        if not is_whole:
            text = text.rstrip().rstrip(",") + "]"
        events = json.loads(text)
        if is_whole:
            assert events.pop()["args"]["name"] == os.path.basename(HOST), events
        lines = done.stderr.splitlines()
        assert not lines or lines[0].split()[-1] == "function", done.stderr
        for event in events:
            assert event["ph"] == "X" and event["ts"] > 0 and event["dur"] >= 0, event
        return events, {line.split()[-1]: line.split()[:-1] for line in lines[1:]}

    def test_a_trace(self):
        """A slice for each call, with its arguments, and the table."""
        events, table = self.trace(program=["adds"])
        assert len(events) == 20 and set(table) == {"add"}, (events, table)
        assert [event["args"]["2"] for event in events] == list(range(20))
        assert events[0]["args"] == {"0": "float32[16]", "1": "float32[16]", "2": 0}, events[0]
        errors = [event for event in events if "error" in event["args"]]
        assert [event["args"]["error"] for event in errors] == [
            "ValueError: n is 9", "ValueError: n is 19"]
        assert all(event["cat"] == "error" for event in errors), errors
        share, total, mean, p99, calls, failed = map(float, table["add"])
        assert (share, calls, failed) == (100, 20, 2), table
        durations = sorted(event["dur"] for event in events)
        assert abs(total - sum(durations)) < 0.06 and abs(mean - total / 20) < 0.01, table
        assert durations[-1] <= p99 <= durations[-1] * 1.13 + 0.01, (durations, table)
        events, table = self.trace("--skip=add", program=["values"])
        inner, outer = sorted((event for event in events if event["args"].get("0") == 7 or
                               event["name"] == "apply"), key=lambda event: event["dur"])
        assert outer["name"] == "apply" and outer["args"]["0"] == "ffi.Function", outer
        assert outer["ts"] <= inner["ts"], (outer, inner)
        assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 0.001, (outer, inner)
        texts = [event["args"]["0"] for event in events if event["name"] == "echo"]
        assert texts[:5] == [None, True, -5, {"int": str(-2**63)}, "0.1"], texts
        assert texts[8] == "a \"text\"\n\u00e9" and "Array of 4" in texts, texts

    def test_a_trace_of_threads_and_processes(self):
        """Eight threads in one file; a child of fork has a file of its own."""
        events, table = self.trace(program=["threads"])
        assert len(events) == 800 and len({event["tid"] for event in events}) == 8
        assert table["add"][4:] == ["800", "80"], table
        events, table = self.trace(program=["fork"])
        assert [event["args"]["2"] for event in events] == [0, 1, 9], events
        children = list(pathlib.Path().glob(f"trace{next(COUNT) - 1}.json.*"))
        assert len(children) == 2, children
        child = json.loads(children[0].read_text().rstrip().rstrip(",") + "]")
        assert [event["args"]["2"] for event in child] == [9], child

    def test_a_trace_of_a_crash(self):
        """What was finished is there; the end of the file is white space, as readers allow."""
        events, table = self.trace(program=["adds-and-die"], is_whole=False)
        assert [event["name"] for event in events] == ["add"] * 3 and table == {}, events
        bad(USAGE, "--trace is for all calls", "record", "--trace=x", "--all", "--", "true")
        bad(USAGE, "no/folder/x: No such file or directory", "record", "--trace=no/folder/x", "--",
            "true")

    def test_which_calls(self):
        """Twenty calls of one signature, of which the tenth and the last fail."""
        def numbers(*options):
            recording, _ = record(*options, program=["adds"])
            assert set(recording.ends) == set(recording.calls)
            return sorted(call["args"][2] for call in recording.calls.values())

        assert numbers() == [0, 1, 2, 9, 19]
        assert numbers("--first=5") == [0, 1, 2, 3, 4, 9, 19]
        assert numbers("--every=6") == [0, 6, 9, 12, 18, 19]
        assert numbers("--every=6", "--first=2") == [0, 1, 6, 9, 12, 18, 19]
        assert numbers("--all") == list(range(20))
        assert numbers("--on-error") == [9, 19]
        assert numbers("--match=a*") == [0, 1, 2, 9, 19]
        assert numbers("--match=b*", "--match=?dd", "--lib=record_kernels*") == [0, 1, 2, 9, 19]
        assert numbers("--match=[a-b]d[!e]") == [0, 1, 2, 9, 19]
        for options in [["--match=b*"], ["--skip=add"], ["--lib=another*"], ["--match=[!a]dd"]]:
            recording, _ = record(*options, program=["adds"])
            assert not recording.calls, options

    def test_shared_memory(self):
        """y is the odd elements of a buffer, and x the even ones: one storage."""
        recording, _ = record("--on-error", program=["adds"])
        first = min(recording.calls)
        call, end = recording.calls[first], recording.ends[first]
        y, x, _ = (arg.get("dltensor") if isinstance(arg, dict) else arg for arg in call["args"])
        storage, = call["storages"]
        assert (y["offset"], x["offset"], storage["bytes"]) == (4, 0, 128), call
        assert y["strides"] == x["strides"] == [2] and y["shape"] == [16], call
        assert "late" not in call
        # Kept as it was before the call that failed, which had changed y already.
        before, after = floats(recording.data(storage["data"])), floats(
            recording.data(end["storages"][0]["data"]))
        assert before[2::2] == after[2::2] == list(range(2, 32, 2))
        assert before[3] == 3 + 9 * 2 and after[3] == 3 + 10 * 2, (before, after)

    def test_values(self):
        """Every kind of value arrives in its form."""
        recording, done = record("--all", program=["values"])
        assert done.returncode == 0, done
        calls = [call for call in recording.calls.values() if call["function"] == "echo"]
        args = [call["args"][0] for call in calls]
        nothing = {"device": [1, 0], "dtype": [2, 32, 1], "byte_offset": 0, "strides": [1]}
        assert args[:14] == [
            None, True, -5, {"int": str(-2**63)}, {"float": "0.1"}, {"float": "-0"},
            {"float": "inf"}, {"float": "nan:0x7ff8000000000001"},
            {"raw_str": "a \"text\"\n\u00e9"},
            {"raw_str": {"str": b"not UTF-8: \xff".hex()}}, {"raw_bytes": "00ff"},
            {"dtype": [2, 64, 1]}, {"device": [2, 1]}, {"pointer": "0x0"}
        ], args
        shape = {"shape": [3, str(1 << 60)], "id": 0}
        assert args[14] == shape, args[14]
        long = "a text of more than seven bytes"
        assert args[15] == {"array": [{**shape, "id": 1}, long, {"ref": 1}, "small"], "id": 0}
        assert args[16] == {"map": [[{**shape, "id": 1}, "small"]], "id": 0}, args[16]
        assert args[17] == {"list": [{"ref": 0}], "id": 0}, args[17]
        assert args[18] == 7  # within apply
        cuda, gone, null, huge, negative, empty, large = (arg["dltensor"] for arg in args[19:])
        reasons = [call["storages"][0].get("left_out") for call in calls[19:21]]
        assert cuda["device"] == [2, 0] and all(reasons), calls[19:21]
        assert gone["storage"] == 0 and "no memory" in reasons[1], reasons
        assert null == {**nothing, "shape": [16], "storage": None, "address": "0x0"}, null
        assert huge["left_out"] and negative["left_out"] and "left_out" not in empty, args[22:]
        assert large["left_out"] == "it has more than 2^40 bytes", large
        good("show", recording.folder)
        results = [recording.ends[call["call"]].get("result") for call in calls]
        assert results[:8] == args[:8] and results[14] == args[14], results
        assert results[8] == "a \"text\"\n\u00e9" and results[10] == {"bytes": "00ff"}, results
        apply, = (call for call in recording.calls.values() if call["function"] == "apply")
        assert apply["args"][0]["function"] and apply["call"] < calls[18]["call"]

    def test_elements_below_a_byte(self):
        """They are packed, lanes too: memory that ends with them is recorded and replayed."""
        for layout, size in (("4xi4x3", 6), ("3xi4", 2), ("9xui1", 2), ("2x3xi6", 5),
                             ("1xi2x5", 2)):
            folder = f"recording{next(COUNT)}"
            done = start(*COMMAND, "record", "-o", folder, "--", *COMMAND, "run", KERNELS,
                         f"consume({layout}.guard(end)=1)")
            assert done.returncode == 0, done
            recording = Recording(folder)
            storage, = recording.calls[1]["storages"]
            assert len(recording.data(storage["data"])) == size, (layout, storage)
            assert "1 of 1 call is the same" in good("replay", folder), layout

    def test_numbers(self):
        """Integers and addresses of each length, in calls and in traces."""
        recording, done = record("--all", "--no-data", program=["numbers"])
        assert done.returncode == 0, done
        call, = recording.calls.values()
        x, y = (arg["dltensor"] for arg in call["args"][:2])
        powers = [10**i for i in range(19)]
        twos = [2**i for i in range(63)] + [-2**63]
        tens = [*powers, *(i - 1 for i in powers), *(-i for i in powers), *[0] * 7]
        for tensor, strides in (x, twos), (y, tens):
            assert tensor["shape"] == [1] * 64, tensor
            assert tensor["strides"] == [
                i if abs(i) < 2**53 else str(i) for i in strides], tensor
        pointers = [{"pointer": hex(1 << i * struct.calcsize("P") // 2)} for i in range(16)]
        assert call["args"][2:] == pointers, call["args"][2:]
        event, = self.trace(program=["numbers"])[0]
        ones = ", ".join(["1"] * 64)
        assert event["args"] == {
            "0": f"float32[{ones}]", "1": f"float32[{ones}]",
            **{str(i + 2): pointer for i, pointer in enumerate(pointers)}}, event

    def test_repeated_calls(self):
        """Without data, a call that repeats another refers to it; what it refers to is what is
        written with data, where nothing does."""
        repeated, done = record("--all", "--no-data", program=["repeats"])
        whole, _ = record("--all", program=["repeats"])
        assert done.returncode == 0 and whole.processes[0].num_repeated == 0, done
        facts = []
        for recording in repeated, whole:
            places = {}  # addresses depend on the process

            def compare(value, places=places):
                if isinstance(value, dict):
                    return {key: compare(item) for key, item in value.items()
                            if key not in ("thread", "time", "like", "data", "left_out", "at")}
                if isinstance(value, list):
                    return [compare(item) for item in value]
                is_address = isinstance(value, str) and value.startswith("0x")
                return places.setdefault(value, len(places)) if is_address else value
            facts.append([[compare(call), compare(recording.ends[number])]
                          for number, call in sorted(recording.calls.items())])
        for one, other in zip(*facts):
            assert one == other, (one, other)
        assert len(facts[0]) == len(facts[1]) == 50, len(facts[0])
        calls = [number for number, call in repeated.calls.items() if "like" in call]
        ends = [number for number, end in repeated.ends.items() if "like" in end]
        assert calls == [2, 3, 5, 6, 18, 20, 22, *range(26, 51, 2)], calls
        # Not those that fail, nor those whose results are objects or texts in another place.
        assert ends == [2, 3, 6, 20, 22, *range(26, 42, 2), *range(44, 51, 2)], ends
        one = good("show", repeated.folder, "--call=3", "--json")
        shown = json.loads(one)
        del repeated.calls[3]["like"], repeated.ends[3]["like"]
        assert shown == {"call": repeated.calls[3], "end": repeated.ends[3]}, shown
        text = good("show", repeated.folder, "--call=20")
        assert text.startswith("call 20: consume in ") and "arg[1]: again\n" in text, text
        replayed = good("replay", repeated.folder)
        assert "[PASS] 46 echo: result\n" in replayed, replayed
        assert replayed.endswith("26 of 50 calls are the same as recorded; 24 cannot be repeated\n")

    def test_repeated_calls_together(self):
        """Threads that call the same function, a child of fork, and many different calls."""
        recording, done = record("--all", "--no-data", program=["repeats-together"], same=False)
        assert done.returncode == 0, done
        for number, call in recording.calls.items():
            assert call["args"] == [recording.ends[number]["result"]], call
        parent, child = recording.processes
        assert len(parent.calls) == 804 + 600 and len(child.calls) == 2
        assert parent.num_repeated > 2 * 2 and child.num_repeated == 2 * 1
        last = [call for _, call in sorted(parent.calls.items())][-600:]
        assert not any("like" in call for call in last[:300]), last[:300]
        assert sum("like" in call for call in last[300:]) > 50, last[300:]

    def test_objects(self):
        """Objects that come again are references, below and above the size of the first table."""
        recording, done = record("--all", program=["objects"])
        assert done.returncode == 0, done
        args = [call["args"][0] for _, call in sorted(recording.calls.items())]
        assert len(args) == 2, args
        for num, arg in zip((15, 16), args):
            assert arg == {"array": [*({"list": [], "id": i + 1} for i in range(num)),
                                     *({"ref": i + 1} for _ in range(3) for i in range(num))],
                           "id": 0}, arg

    def test_fork(self):
        """A child of fork has a file of its own; numbers are unique."""
        recording, _ = record(program=["fork"])
        assert len(recording.processes) == 3
        first, *children = recording.processes
        assert [call["args"][2] for call in first.calls.values()] == [0, 1, 9]
        for child in children:
            assert child.path.name == f"calls.{child.process['pid']}.jsonl"
            assert child.process["parent"] == first.process["pid"] and child.stop is None
            assert [call["args"][2] for call in child.calls.values()] == [9]
        # Also those that ended by _exit() have counted their calls.
        assert [[(count["calls"], count["errors"], count["recorded"]) for count in process.counts]
                for process in recording.processes] == [[(3, 1, 3)], [(1, 1, 1)], [(1, 1, 1)]]
        assert good_json("show", recording.folder)["functions"][0]["all_calls"] == 5
        recording, _ = record(program=["fork-and-exit"])
        assert [process.counts for process in recording.processes] == [
            [{"library": 0, "function": "add", "calls": n, "errors": 1, "recorded": n}]
            for n in (3, 1, 1)]

    def test_a_fork_that_fails_to_write(self):
        """What a child cannot write is not said of its parent, whose counts are whole; that calls
        are missing is said."""
        recording, done = record("--all", program=["fork-limited"], same=False)
        assert "File too large" in done.stderr and done.returncode == 0, done
        assert [process.counts[0]["calls"] for process in recording.processes] == [3]
        self.assertEqual(start(*COMMAND, "show", recording.folder).stderr,
                         "tvm-ffi: note: the counts of 1 of 2 processes are missing: there were "
                         "more calls than shown\n")

    def test_other_programs(self):
        """Programs that the program starts have files of their own."""
        recording, _ = record(program=["adds"])
        script = " && ".join(f"'{HOST}' '{KERNELS}' adds" for _ in range(3))
        done = start(*COMMAND, "record", "-o", "of-a-shell", "--", "sh", "-c", script)
        several = Recording("of-a-shell")
        assert done.returncode == 0 and len(several.processes) == 3, done
        assert len(several.calls) == 3 * len(recording.calls)

    def test_a_root_without_proc(self):
        """The recorder beside the tool is found there, too."""
        root, folder = enter_bare_root(self), f"recording{next(COUNT)}"
        done = start(*root, *COMMAND, "record", "-o", folder, "--", HOST, KERNELS, "adds")
        assert done.returncode == 0, done
        assert Recording(folder).calls, done

    def test_closed_descriptors(self):
        """A program that closes all descriptors does not lose the recording, nor its files."""
        recording, done = record(program=["closed", "daemon.txt"])
        assert [call["args"][2] for call in recording.calls.values()] == [0, 9]
        assert pathlib.Path("daemon.txt").read_bytes() == b"" and done.returncode == 0

    def test_bounds(self):
        """--no-data, --max-bytes and --max-total say what is left out."""
        for options, why in [(["--no-data"], "no data"), (["--max-bytes=127"], "max_bytes"),
                             (["--max-total=127"], "max_total")]:
            recording, _ = record(*options, program=["adds"])
            assert len(recording.calls) == 5 and not os.listdir(recording.folder / "tensors")
            for event in [*recording.calls.values(), *recording.ends.values()]:
                assert why in event["storages"][0]["left_out"], (options, event)
        recording, _ = record("--max-bytes=128", "--max-total=128", program=["adds"])
        assert os.path.getsize(recording.folder / "calls.memory") == 128

    def test_small_memory(self):
        """It is in one file of the process, each content once; a crash cuts nothing off."""
        for program in ["adds"], ["crash"]:
            recording, _ = record("--all", program=program, same=program == ["adds"])
            assert not os.listdir(recording.folder / "tensors"), program
            places = {}
            for event in [*recording.calls.values(), *recording.ends.values()]:
                for storage in event["storages"]:
                    assert places.setdefault(storage["data"], storage["at"]) == storage["at"], event
            size = os.path.getsize(recording.folder / "calls.memory")
            assert len(places) == len(set(places.values())) == (21 if program == ["adds"] else 1)
            assert size == 128 * len(places) or program == ["crash"], size

    def test_outputs(self):
        """What memory has that a call only writes is not recorded, unless the call reads it."""
        for outputs, is_left_out in (("add:0", False), ("a*:0,1", True), ("add:-3,-2", True),
                                     ("b*:0,1", False)):
            recording, _ = record("--first=1", f"--outputs={outputs}", program=["adds"])
            number, call = min(recording.calls.items())
            storage, = call["storages"]
            assert ("output" in storage) == is_left_out, (outputs, call)
            assert "data" in recording.ends[number]["storages"][0], outputs
            assert recording.processes[0].process["options"]["outputs"] == [outputs]
        bad(USAGE, "--outputs takes GLOB:ARGUMENTS, as in 's*:0,-1', and `add` was given", "record",
            "--outputs=add", "-o", "no-outputs", "--", "true")

    @staticmethod
    def compare_cut(folder, told):
        """Of a call whose end could not be written, show and replay say the same: nothing."""
        cut = "unfinished" in told.stdout
        assert told.stdout.count("unfinished when recording ended") == cut, told
        notes = start(*COMMAND, "show", folder).stderr
        assert ("the recording stopped early, because a file could not" in notes or
                "the counts of 1 of 1 processes are missing" in notes), notes
        done = start(*COMMAND, "replay", folder)
        assert ("it went on when recording ended" in done.stdout) == cut, done
        assert done.returncode == 0 and "[FAIL]" not in done.stdout, done

    def test_a_full_disk(self):
        """When the disk is full, the program is told and goes on. A limit of the file size stands
        in for that."""
        for limit in [*range(0, 3000, 300), 6000, 7000, 7300]:
            folder = f"full{limit}"
            done = start(*COMMAND, "record", "-o", folder, "--all", "--", HOST, KERNELS, "adds",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (
                             max(limit, 100), max(limit, 100))))
            alone = start(HOST, KERNELS, "adds")
            is_empty = b'"event":"call"' not in pathlib.Path(f"{folder}/calls.jsonl").read_bytes()
            assert (done.returncode, done.stdout) == (USAGE if is_empty else 0, alone.stdout), done
            assert done.stderr.count("File too large") == 1, done
            assert done.stderr.count("\n") == 1 + is_empty, done
            assert ("has no calls: they could not be written" in done.stderr) == is_empty, done
            told = start(*COMMAND, "show", folder, "--calls")
            if not is_empty:
                self.compare_cut(folder, told)
            for path in pathlib.Path(folder).glob("calls*.jsonl"):
                text = path.read_bytes()
                assert len(text) <= max(limit, 100) and (text == b"" or text.endswith(b"\n"))
            assert not list(pathlib.Path(folder).glob("tensors/*.part"))

    def test_a_disk_that_becomes_full(self):
        """Events that are not written at once take what the disk has, and then end the same way."""
        done = start(*COMMAND, "record", "-o", "becomes-full", "--all", "--no-data", "--", HOST,
                     KERNELS, "threads", preexec_fn=lambda: resource.setrlimit(
                         resource.RLIMIT_FSIZE, (100000, 100000)))
        assert (done.returncode, done.stdout) == (0, "80 failed\n"), done
        assert done.stderr.count("\n") == 1 and "File too large" in done.stderr, done
        text = pathlib.Path("becomes-full/calls.jsonl").read_bytes()
        assert 90000 < len(text) <= 100000 and text.endswith(b"\n"), len(text)
        Recording("becomes-full")

    def test_a_limit_that_comes_later(self):
        """A program that limits its files itself is not ended by the signal for it."""
        alone = start(HOST, KERNELS, "limited")
        for options in ["--all"], ["--all", "--no-data"], ["--trace", "limited.json"]:
            output = [] if "--trace" in options else ["-o", f"limited{next(COUNT)}"]
            done = start(*COMMAND, "record", *output, *options, "--", HOST, KERNELS, "limited")
            assert (done.returncode, done.stdout) == (0, alone.stdout), (options, done)

    def test_messages_that_nobody_reads(self):
        """The recorder's messages do not end the program, or stop it in the background."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        alone = start(HOST, KERNELS, "adds")
        for name in "recording", "trace":
            options = ["-o", "unread", "--all"] if name == "recording" else ["--trace", "unread.js"]
            reading, writing = os.pipe()
            os.close(reading)
            done = subprocess.run([*COMMAND, "record", *options, "--", HOST, KERNELS, "adds"],
                                  stdout=subprocess.PIPE, stderr=writing, text=True, check=False,
                                  preexec_fn=limit if name == "recording" else None)
            os.close(writing)
            assert (done.returncode, done.stdout) == (0, alone.stdout), (name, done)
        with open("full", "wb") as full:  # a file that has reached the limit
            full.write(bytes(3000))
        with open("full", "ab") as full:
            done = subprocess.run([*COMMAND, "record", "-o", "in-full", "--all", "--", HOST,
                                   KERNELS, "adds"], stdout=subprocess.PIPE, stderr=full,
                                  text=True, check=False, preexec_fn=limit)
        assert (done.returncode, done.stdout) == (0, alone.stdout), done

    def test_a_message_from_the_background(self):
        """On a terminal with `stty tostop`, which stops programs that write to it."""
        program = shlex.join([*COMMAND, "record", "-o", "background", "--all", "--", HOST, KERNELS,
                              "adds"])
        shell, terminal = start_on_terminal(self, [
            "sh", "-c", f"set -m; stty tostop; (ulimit -f 4; exec {program} > background-out) & "
            "wait $!; echo $? > background-code"])
        try:
            shell.wait(timeout=SLOWER * 20)
        finally:
            shell.kill()
            shown = read_terminal(terminal)
        assert pathlib.Path("background-code").read_text("ascii") == "0\n"
        assert pathlib.Path("background-out").read_text("ascii") == start(
            HOST, KERNELS, "adds").stdout
        assert b"recording stopped" in shown, shown

    def test_more_functions_than_thunks(self):
        """Functions beyond the thunks are called, not recorded, and it is said once."""
        recording, done = record(program=["many"], same=False)
        assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr[:500]
        assert "too many functions" in done.stderr and len(recording.calls) == 4096
        assert len(recording.processes[0].notes) == 1

    def test_the_system_library(self):
        """A function that the program registers itself."""
        recording, done = record(program=["system"])
        assert done.stdout.startswith("7\n") and done.returncode == 0, done
        call, = recording.calls.values()
        assert call["function"] == "testing_seven", call
        assert recording.processes[0].libraries[0]["path"] == HOST
        assert recording.ends[call["call"]]["result"] == 7

    def test_a_library_in_the_system_library(self):
        """A library that registers reaches the runtime that it is bound to without the recorder,
        also if the program has its runtime for itself."""
        for host in HOST, *SCOPES[6:]:
            with self.subTest(host):
                recording, done = record(program=[host, KERNELS, "registers"])
                assert done.stdout == "register_eight: 0\n8\n", done
                assert [call["function"] for call in recording.calls.values()] == [
                    "register_eight", "testing_eight"], recording.calls
                assert recording.ends[2]["result"] == 8, recording.ends

    @unittest.skipUnless(SCOPES, "this system has no such scopes")
    def test_the_runtime_of_a_caller(self):
        """Of two runtimes, the one in the global scope comes before the one that the library needs;
        without one there, the one of its group comes before the one that was loaded first."""
        host, host_a, runtime_a, needs_b, group = SCOPES[:5]
        alone = pathlib.Path(group).with_name("librecord_scopes_alone.so")
        for runtime, *words in (("a", host_a, needs_b), ("b", host, needs_b),
                                ("b", host, runtime_a, needs_b), ("b", host, runtime_a, group),
                                ("b", host, runtime_a, group, alone), ("a", host_a, group, alone)):
            with self.subTest([pathlib.Path(word).name for word in words]):
                for options in (), ("--functions",):
                    _, done = record(*options, program=words)
                    self.assertEqual(done.stdout, f"runtime {runtime}: __tvm_ffi_scopes\n0\n"
                                     f"runtime {runtime} looks up a function\n0\n")

    @unittest.skipUnless(SCOPES, "programs with such scopes are not built here")
    def test_a_runtime_that_comes_later(self):
        """A library that has its own keeps it when another enters the global scope, whether it was
        called before or not; one that has none gets that."""
        host, _, runtime_a, needs_b, _, _, *_ = SCOPES
        for options in (), ("--functions",):
            for words, runtimes in (([needs_b, "call", f"+{runtime_a}"], "bb"),
                                    ([needs_b, f"+{runtime_a}"], "b"),
                                    ([f"+{runtime_a}", needs_b, "call"], "aa")):
                with self.subTest(options=options, words=words):
                    _, done = record(*options, program=[host, *words])
                    self.assertEqual(done.stdout, "".join(
                        f"runtime {name}: __tvm_ffi_scopes\n0\n"
                        f"runtime {name} looks up a function\n0\n" for name in runtimes))

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_beside_another_recorder(self):
        """A program that is linked with a recorder is recorded once."""
        for options, calls in (("--functions",), 1), ((), 1):
            recording, _ = record(*options, "--all", program=[API_HOST, KERNELS, "registers"])
            assert [call["function"] for call in recording.calls.values()] == [
                "register_eight", "testing_eight"], recording.calls
            process, = recording.processes
            assert [count["calls"] for count in process.counts] == [calls] * 2, process.counts

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_and_kernels_of_one_name(self):
        """They are counted apart."""
        recording, _ = record("--functions", "--all", program=["one-name"])
        process, = recording.processes
        assert [(count["function"], count.get("of"), count["calls"])
                for count in process.counts] == [
                    ("register_one_name", None, 1), ("one_name", None, 1),
                    ("one_name", "registry", 2)], process.counts

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_within_functions(self):
        """They need little of the stack, whether they are recorded or not."""
        for options, count in ((), 3), (("--all",), 201):
            recording, done = record("--functions", *options, program=["deep"])
            assert done.stdout == "7\n" and len(recording.calls) == count, done
        done = start(*COMMAND, "record", "--functions", "--trace=deep.json", "--", HOST, KERNELS,
                     "deep")
        assert done.stdout == "7\n" and " 201 " in done.stderr, done
        recording, done = record("--functions", "--all", "--no-data", program=["deeper"])
        assert done.stdout == "7\n" and len(recording.calls) == 2501, done

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_in_a_thread_with_little_stack(self):
        recording, done = record("--functions", "--all", program=["little-stack"])
        assert done.stdout == "7\n" and len(recording.calls) == 1, done

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_calls_that_are_left(self):
        """By longjmp: what each keeps does not add up without end."""
        recording, done = record("--functions", "--all", "--no-data", program=["left"])
        assert done.stdout == "little\n" and len(recording.calls) == 40000, done

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_a_program_that_looks_for_a_runtime(self):
        """It finds none where there is none."""
        host, host_a, runtime_a, *_ = SCOPES
        for options in (), ("--functions",):
            for words in [host, "?"], [host, runtime_a, "?"], [host, f"+{runtime_a}", "?"], [
                    host_a, "?"]:
                with self.subTest(options=options, words=words):
                    asked, alone = (start(*before, *words).stdout for before in (
                        [*COMMAND, "record", *options, "-o", f"recording{next(COUNT)}", "--"], []))
                    self.assertEqual(asked, alone)
                    self.assertEqual(asked, "there\n" * 3 if words in (
                        [host_a, "?"], [host, f"+{runtime_a}", "?"]) else "none\n" * 3)

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_in_one_place(self):
        """An object is called by its own code, although another was where it is."""
        recording, done = record("--functions", "--all", program=["same-place"])
        assert done.stdout == "7\n8\n", done
        assert [end["result"] for end in recording.ends.values()] == [7], recording.ends

    @unittest.skipUnless(sys.platform == "linux", "the host does this on Linux")
    def test_a_fork_while_a_thread_starts_to_record(self):
        """The child does not wait for that thread, which it has not."""
        recording, done = record(program=["fork-at-start"], same=False, timeout=SLOWER * 60)
        assert done.stdout.endswith("0 1\n"), done
        assert [call["function"] for call in recording.calls.values()] == ["scope"], done

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_a_call_by_the_handler_of_a_signal(self):
        """That comes while the thread has the recorder's lock: it is made, and not recorded."""
        recording, done = record("--functions", "--all", program=["signal"], same=False,
                                 timeout=SLOWER * 60)
        assert done.stdout == "7\n7\n" and len(recording.calls) == 1, done
        recording, done = record("--functions", "--all", program=["fork-in-signal"], same=False,
                                 timeout=SLOWER * 60)
        assert done.stdout == "7\n7\n7\n" and len(recording.calls) == 1, done

    def test_functions_that_are_left_out(self):
        """They are counted once, however often they are looked up."""
        cases = [((), ["threads"], 1)]
        if SCOPES:
            cases.append((("--functions",), ["functions", REGISTERS], 4))  # one is a method, too
        for options, program, count in cases:
            done = start(*COMMAND, "record", "-o", f"recording{next(COUNT)}", *options,
                         "--match=none", "--", HOST, KERNELS, *program)
            self.assertIn(f"0 functions of libraries that are recorded, and {count} that options "
                          "leave out", done.stderr)

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions(self):
        """Calls of global functions, which stay the objects that they are, and their libraries what
        they are without the recorder."""
        program = ["functions", REGISTERS]
        assert not record(program=program)[0].calls
        recording, done = record("--functions", "--all", program=program)
        assert done.stdout.split("\n")[:2] == ["1", "42"], done
        area, other = "test.tool.area", "test.tool.other"
        assert [(call["function"], call["of"]) for call in recording.calls.values()] == [
            (name, "registry") for name in (area, area, area, other, other, other)], recording.calls
        assert [recording.ends[i]["event"] for i in (1, 2, 3)] == ["return", "error", "return"]
        assert [recording.ends[i]["result"] for i in (1, 3, 4)] == [42, 42, 7]
        process, = recording.processes
        assert [count["calls"] for count in process.counts] == [3, 3], process.counts
        for options, functions in ((["--match=*.area"], {area}), (["--skip=*.a*"], {other}),
                                   (["--lib=none*"], set()), (["--no-data"], {area, other})):
            recording, _ = record("--functions", *options, program=program)
            assert {call["function"] for call in recording.calls.values()} == functions, options
        done = start(*COMMAND, "record", "--functions", "--trace=functions.json", "--", HOST,
                     KERNELS, *program)
        self.assertRegex(done.stderr, r" 3 +1  test\.tool\.area\n")
        # The calls of kernels are the same as without the option.
        recording, _ = record("--functions", "--all", program=["registers"])
        assert [(call["function"], call.get("of")) for call in recording.calls.values()] == [
            ("register_eight", None), ("testing_eight", None)], recording.calls

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_replay_of_functions(self):
        """Only with --trust are they called again: those that loading their library registers."""
        recording, _ = record("--functions", program=["functions", REGISTERS])
        said = "it is a global function, which only replay --trust calls again"
        code, out, err = run("replay", recording.folder)
        assert (code, err) == (MISMATCH, ""), (code, err)
        self.assertIn(f"[----] 1 test.tool.area: {said}\n", out)
        self.assertIn("calls are the same as recorded; 6 cannot be repeated", out)
        self.assertIn("test.tool.area(int, int)", good("show", recording.folder, "--calls"))
        for words in ("replay", "1", "--emit=c"), ("replay", "1", "--bench"), ("probe", "1"):
            bad(USAGE, "call 1 is of a global function, which only replay --trust calls again",
                words[0], recording.folder, *words[1:])
        for options in (), ("--in-order",), ("--no-fork",), (f"--lib={REGISTERS}",):
            code, out, err = run("replay", recording.folder, "--trust", *options)
            assert (code, err) == (0, ""), (options, code, out, err)
            self.assertIn("[PASS] 1 test.tool.area: result", out)
            self.assertIn("[PASS] 2 test.tool.area: raised TypeError", out)
            self.assertIn(f"[----] 4 test.tool.other: {pathlib.Path(HOST).name} cannot be loaded",
                          out)
            self.assertIn("3 of 6 calls are the same as recorded; 3 cannot be repeated", out)
        good("show", recording.folder, "--pack=functions.zip")
        with zipfile.ZipFile("functions.zip") as file:
            assert not [name for name in file.namelist() if name.startswith("libraries")]
        lines = pathlib.Path(recording.folder, "calls.jsonl")
        written = lines.read_text()
        lines.write_text(written.replace('"of":"registry"', '"of":"other"'))
        bad(USAGE, "the recording is damaged: `of` is not registry, module or type",
            "show", recording.folder)

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_what_no_replay_calls(self):
        """A recording cannot name functions of the runtime, or of another library."""
        recording, _ = record("--functions", "--all", program=["one-name-and-registers", REGISTERS])
        assert [(call["function"], call.get("of")) for call in recording.calls.values()] == [
            ("register_one_name", None), ("test.tool.area", "registry")], recording.calls
        lines = pathlib.Path(recording.folder, "calls.jsonl")
        written = lines.read_text()
        refused = "[----] 2 {}: loading {} does not register it: a program, another call, or the " \
            "runtime itself did\n"
        for name in "ffi.ModuleLoadFromFile", "ffi.GetGlobalFuncMetadata", "test.tool.none":
            lines.write_text(written.replace("test.tool.area", name))
            for options in (), ("--in-order",), ("--no-fork",):
                self.assertIn(refused.format(name, pathlib.Path(REGISTERS).name),
                              "".join(run("replay", recording.folder, "--trust", *options)[1:]))
        # The library of the kernel is loaded, too, and has registered nothing.
        first, second = (event["library"] for event in map(json.loads, written.splitlines())
                         if event["event"] == "call")
        lines.write_text("".join(
            line.replace(f'"library":{second},', f'"library":{first},')
            if '"event":"call"' in line else line for line in written.splitlines(keepends=True)))
        for options in (), ("--in-order",), ("--no-fork",):
            self.assertIn(refused.format("test.tool.area", pathlib.Path(KERNELS).name),
                          "".join(run("replay", recording.folder, "--trust", *options)[1:]))
        # Of a recording that has global functions, only kernels may be chosen.
        assert run("replay", recording.folder, "1", "--trust")[0] != USAGE
        # A library that is another build is not loaded.
        lines.write_text(written.replace('"build_id":"', '"build_id":"00'))
        self.assertRegex(run("replay", recording.folder, "2", "--trust")[1],
                         "which may register it, is not loaded: its build id is ")

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_of_a_runtime_that_is_opened(self):
        """The first lookup does not wait for the loader, although the program is not linked with
        the runtime."""
        host, _, runtime_a, needs_b, _, waits, *_ = SCOPES
        alone = pathlib.Path(needs_b).with_name("librecord_scopes_alone.so")
        for words, runtime in ([needs_b], "b"), ([f"+{runtime_a}", alone], "a"):
            _, done = record("--functions", program=[host, *words, f"-{waits}"],
                             timeout=SLOWER * 60)
            said = f"runtime {runtime} looks up a function\n0\n"
            self.assertEqual(done.stdout,
                             f"{said}runtime {runtime}: __tvm_ffi_scopes\n0\n{said}")

    @unittest.skipUnless(SCOPES, "--functions is for Linux")
    def test_functions_and_locks(self):
        """A lookup waits neither for the loader nor, in a child, for a thread that it has not."""
        deeds = [("while-loading", "7\n"), ("while-looking-up", "0\n")]
        if hasattr(ctypes.CDLL(None), "_dl_find_object"):  # else glibc has a lock that stays held
            deeds.append(("while-listing", "0\n"))
        for deed, said in deeds:
            recording, done = record("--functions", "--all", program=[deed, SCOPES[5]],
                                     timeout=SLOWER * 60)
            assert done.stdout == said and recording.calls, done
            assert {call["function"] for call in recording.calls.values()} == {"test.tool.other"}
        recording, done = record("--functions", "--match=none", program=["while-looking-up"],
                                 timeout=SLOWER * 60)
        assert done.stdout == "0\n" and not recording.calls, done

    def test_a_program_that_is_removed(self):
        """Its path is recorded as it was."""
        shutil.copy(HOST, "removed-host")
        done = start(*COMMAND, "record", "-o", "removed-program", "--", "./removed-host", KERNELS,
                     "gone", "removed-host")
        assert done.returncode == 0 and not os.path.exists("removed-host"), done
        expected = os.path.abspath("removed-host")
        assert Recording("removed-program").processes[0].libraries[0]["path"] == expected

    def test_modes(self):
        """What is recorded is for the user alone, whatever the umask says."""
        def loosen():
            os.umask(0)

        folders = [record(program=["adds"], preexec_fn=loosen)[0].folder,
                   record("--all", program=["large"], preexec_fn=loosen)[0].folder]
        done = start(API_HOST, KERNELS, "start", "api-modes", preexec_fn=loosen)
        assert done.returncode == 0, done
        for folder in [*folders, pathlib.Path("api-modes")]:
            files = [folder, *folder.rglob("*")]
            assert len(files) > 5, files
            for path in files:
                mode = path.stat().st_mode & 0o777
                assert mode == (0o700 if path.is_dir() else 0o600), (path, oct(mode))
        start(*COMMAND, "record", "--trace", "modes.json", "--", HOST, KERNELS, "adds",
              preexec_fn=loosen)
        assert os.stat("modes.json").st_mode & 0o777 == 0o600

    def test_relative_paths(self):
        """The path of a library is absolute, from whatever folder it was loaded and called."""
        os.makedirs("of a library/elsewhere")
        os.link(KERNELS, "of a library/kernels.so")
        os.chdir("of a library")
        self.addCleanup(os.chdir, os.getcwd() + "/..")
        for number, name in enumerate(("./kernels.so", "elsewhere/../kernels.so")):
            done = start(*COMMAND, "record", "-o", f"r{number}", "--", HOST, name, "elsewhere",
                         "elsewhere")
            assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", ""), done
            path = Recording(f"r{number}").processes[0].libraries[0]["path"]
            assert path == os.path.realpath("kernels.so"), path
            assert "1 of 1 call is the same" in good("replay", f"r{number}"), path
        os.link("kernels.so", "removed.so")
        done = start(*COMMAND, "record", "-o", "removed", "--", HOST, "./removed.so", "removed",
                     "removed.so")
        assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", ""), done
        path = Recording("removed").processes[0].libraries[0]["path"]
        assert path == os.path.realpath("removed.so"), path

    def test_memory_of_cuda(self):
        """Read through the driver that the process has loaded; not while a stream is captured."""
        recording, done = record(program=["cuda", FAKE_CUDA])
        assert done.returncode == 0, done
        calls = [recording.calls[number] for number in sorted(recording.calls)]
        first, captured, another = calls
        storage, = first["storages"]
        assert floats(recording.data(storage["data"])) == [1, 2, 3] + [0] * 13, first
        assert recording.ends[first["call"]]["storages"][0] == {
            "data": storage["data"], "at": storage["at"]}, first
        assert first["streams"] == [[2, 0, "0x0"]], first
        assert captured["streams"][0][:2] == [2, 0] and captured["streams"][0][2] != "0x0", calls
        assert captured["storages"][0]["left_out"] == "its stream is being captured", captured
        assert another["storages"][0]["left_out"] == "CUDA does not have this device", another
        # What is known of the captured call is there, and it is said that its contents are not.
        number, why = captured["call"], "its stream is being captured"
        shown = good("show", recording.folder, "--call", number)
        self.assertIn("arg[0]: 16xf32.device(cuda:0).dltensor in storage 0\n"
                      f"  arg[0]: its data was left out: {why}\n", shown)
        self.assertEqual(shown.count(why), 2, shown)  # after the call, too
        code, out, err = run("replay", recording.folder, number)
        self.assertEqual((code, out.splitlines()[0], err), (
            MISMATCH, f"[----] {number} consume: arg[0] has no recorded data: {why}", ""))

    def test_handles(self):
        """Where `data` is no address, memory is shared by tensors of the same handle alone."""
        # Not with plugins of this build, whose drivers would take these streams for theirs.
        paths = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
                 if not list(pathlib.Path(path).glob("tvm_ffi_device_*"))]
        recording, done = record(program=["handles"], env={
            **os.environ, "LD_LIBRARY_PATH": os.pathsep.join(paths)})
        assert done.returncode == 0, done
        calls = [recording.calls[number] for number in sorted(recording.calls)]
        handles = (4, 7, 8, 15, 9, 12, 16, 17, 99)
        for kind, call in zip(handles, calls):
            # Nothing is read without a stream, and there is no plugin.
            left_out = [storage.pop("left_out") for storage in call["storages"]]
            if kind == 99:
                assert set(left_out) == {"memory of this kind of device is not read"}, left_out
            else:
                assert set(left_out[:3]) == {
                    "no stream of its device is set, by which it is read"}, left_out
                self.assertRegex(left_out[3],
                                 r"tvm_ffi_device_\w+\.\w+ cannot be loaded to read it: .")
            assert call["storages"] == [
                {"device": [kind, 0], "address": "0x0", "handle": "0x1000", "bytes": 96},
                {"device": [kind, 0], "address": "0x0", "handle": "0x1008", "bytes": 64},
                {"device": [kind, 0], "address": "0x0", "handle": "0x1010", "bytes": 64},
                {"device": [kind, 3], "address": "0x40", "handle": "0x1008", "bytes": 64}], call
            places = [(arg["dltensor"]["storage"], arg["dltensor"]["offset"])
                      for arg in call["args"]]
            assert places == [(0, 0), (1, 0), (2, 0), (0, 32), (3, 0)], call
        assert len(calls) == 10 and len(calls[9]["storages"]) == 2, calls[9]  # addresses
        for kind, call in zip((*handles, 14), calls):
            first, second = call["streams"]
            assert first == [kind, 0, "0x0"], call
            assert second[:2] == [kind, 3] and second[2] != "0x0", call

    def test_lookups(self):
        """RTLD_DEFAULT and RTLD_NEXT mean the caller's scope, and dlerror() is as it was."""
        recording, done = record(program=["scope"])
        assert done.stdout.startswith("scope: "), done
        assert len(recording.calls) == 1

    def test_started_by_the_program(self):
        """The functions of tvm/ffi/extra/record.h."""
        done = start(API_HOST, KERNELS, "start", "by-program")
        alone = start(HOST, KERNELS, "adds")
        assert done.returncode == 0 and done.stderr == alone.stderr == "", done
        assert "by-program: a recording is on\n" in done.stdout, done
        recording = Recording("by-program")
        assert [call["args"][2] for call in recording.calls.values()] == [1, 3]
        assert [process.stop["why"] for process in recording.processes] == ["stop", "exit"]
        done = start(API_HOST, KERNELS, "start", "no/such/folder")
        assert "no/such/folder: No such file or directory\n" in done.stdout, done
        pathlib.Path("taken.json").write_text("")
        done = start(API_HOST, KERNELS, "trace", "taken.json")
        assert done.returncode == 0 and "flushed" not in done.stdout, done
        assert len(list(pathlib.Path().glob("taken.json.*"))) == 1

    def test_wrong_command_lines(self):
        """What record refuses before anything is started."""
        os.mkdir("taken")
        pathlib.Path("taken/version").write_text("")
        bad(USAGE, "taken already has a recording", "record", "-o", "taken", "--", "true")
        os.mkdir("shared")
        os.chmod("shared", 0o777)
        bad(USAGE, "shared belongs to another user, or others can write to it", "record", "-o",
            "shared", "--", "true")
        bad(USAGE, "no/folder: No such file or directory", "record", "-o", "no/folder", "--", "no")
        bad(USAGE, "no_such_program: No such file or directory", "record", "-o", "x", "--",
            "no_such_program")
        bad(USAGE, "--first", "record", "--first=0", "--", "true")

    def test_wrong_options(self):
        """Options of the environment that are none: the program runs, and nothing is recorded."""
        alone = start(HOST, KERNELS, "adds")
        number = "it takes a number of at least 1"
        for line, why in (("max_total=10M", number), ("first=0", number), ("all=yes", "it takes 1"),
                          ("trace=", "the name of the file is missing"),
                          ("matches=a*", "there is no such option"), ("first", "it has no value"),
                          (999 * "\u00e9" + "=1", "there is no such option")):
            folder = f"wrong{next(COUNT)}"
            done = start(*COMMAND, "record", "-o", folder, "--", "env",
                         f"TVM_FFI_RECORD_OPTIONS=every=2\n{line}", HOST, KERNELS, "adds")
            assert f'_OPTIONS: "{line}": {why}; nothing is recorded' in done.stderr, done
            assert (done.returncode, done.stdout) == (USAGE, alone.stdout), done
            assert "no process that called exit() had a runtime loaded, and could" in done.stderr
            assert not list(pathlib.Path(folder).glob("calls.*")), line

    def test_nothing_recorded(self):
        """It is said why, and the code is not that of success."""
        def nothing(*words, code=USAGE, events=True, options=()):
            folder = f"recording{next(COUNT)}"
            done = start(*COMMAND, "record", "-o", folder, *options, "--", *words)
            assert done.returncode == code, done
            recording = Recording(folder)
            assert bool(recording.processes) == events and not recording.calls, folder
            return done.stderr

        said = nothing(HOST, KERNELS, "nothing")
        assert "has no calls: none was seen\n" in said, said
        self.assertRegex(said, r"note: process \d+ had the runtime /.*, and looked up or "
                               r"registered 0 functions of libraries that are recorded, and 0 ")
        said = nothing(HOST, KERNELS, "adds", options=["--skip=add"])
        assert "registered 0 functions of libraries that are recorded, and 1 that options" in said
        said = nothing("true", events=False)
        assert "note: no process that called exit() had a runtime loaded" in said, said
        assert "none was seen" in nothing("sh", "-c", "exit 3", code=3, events=False)
        assert "none was seen" in nothing("sh", "-c", "kill -TERM $$", code=-15, events=False)
        said = nothing(HOST, KERNELS, "numbers", code=0, options=["--on-error"])
        assert "1 call was seen, and the options select none" in said, said
        done = start(*COMMAND, "record", "--trace", "none.json", "--", "true")
        assert done.returncode == USAGE and "was not written: no call was seen" in done.stderr, done

    def test_pack(self):
        """With --pack, there is one file, too, as of other processes of the recording."""
        script = f"'{HOST}' '{KERNELS}' adds && '{HOST}' '{KERNELS}' large"
        done = start(*COMMAND, "record", "-o", "packed", "--all", "--pack=packed.zip", "--", "sh",
                     "-c", script)
        assert done.returncode == 0 and done.stderr == "", done
        with zipfile.ZipFile("packed.zip") as file:
            assert file.testzip() is None
            names = set(file.namelist())
            file.extractall("unpacked")
        library, = (name for name in names if name.startswith("libraries/"))
        assert pathlib.Path("unpacked", library).read_bytes() == pathlib.Path(KERNELS).read_bytes()
        os.remove("packed/next")
        assert names - {library} == {
            str(path.relative_to("packed")) for path in pathlib.Path("packed").rglob("*")
            if path.is_file()}
        calls = len(Recording("unpacked").calls)
        assert calls == len(Recording("packed").calls) == 25
        assert f"{calls} of {calls} calls are the same" in good(
            "replay", "packed.zip", "--trust"), calls
        done = start(*COMMAND, "record", "-o", "packed2", "--pack=no/folder.zip", "--", HOST,
                     KERNELS, "adds")
        assert done.returncode == USAGE and "no/folder.zip" in done.stderr, done

    def test_a_signal_while_packing(self):
        """When the program has ended, signals are no longer passed to its number: they end the
        tool, here while it waits for somebody to read the archive."""
        os.mkfifo("unread.zip")
        script = f"echo $$; exec '{HOST}' '{KERNELS}' numbers"
        with subprocess.Popen([*COMMAND, "record", "-o", "packing", "--pack=unread.zip", "--", "sh",
                               "-c", script], stdout=subprocess.PIPE, text=True) as process:
            program = int(process.stdout.readline())
            with self.assertRaises(ProcessLookupError):  # until the tool has taken its exit code
                for _ in range(SLOWER * 2000):
                    os.kill(program, 0)
                    time.sleep(0.01)
            process.send_signal(signal.SIGUSR1)
            try:
                process.wait(timeout=SLOWER * 20)
            finally:
                process.kill()
        assert process.returncode == -signal.SIGUSR1, process.returncode

    def test_a_program_that_is_not_started(self):
        """The folder that was made for it is removed, so that the command can be corrected."""
        bad(USAGE, "no-such-program", "record", "-o", "not-started", "--", "./no-such-program")
        assert not os.path.exists("not-started")

    def test_long_patterns_of_outputs(self):
        """A pattern of any length is compared."""
        recording, _ = record("--all", "--outputs=" + "*" * 300 + "add:0,1", program=["adds"])
        assert any(call["storages"][call["args"][0]["dltensor"]["storage"]].get("output")
                   for call in recording.calls.values() if call["function"] == "add")

    def test_signals(self):
        """What is sent to the tool goes to the program, which does not outlive it."""
        script = ("trap 'echo got USR1; trap - TERM; kill -TERM $$' USR1; echo $$; "
                  "while :; do sleep 0.05; done")
        for number, ending in (signal.SIGUSR1, signal.SIGTERM), (signal.SIGINT, signal.SIGINT):
            with subprocess.Popen([*COMMAND, "record", "-o", f"recording{next(COUNT)}", "--", "sh",
                                   "-c", script], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as process:
                process.stdout.readline()
                process.send_signal(number)
                out, _ = process.communicate(timeout=SLOWER * 20)
            assert process.returncode == -ending, (process.returncode, out)
            assert out == ("got USR1\n" if number == signal.SIGUSR1 else ""), out
        # What the program sends to its group, it has already.
        script = ("import os, signal; signal.signal(signal.SIGUSR1, lambda *_: print('got', "
                  "flush=True)); os.killpg(0, signal.SIGUSR1); import time; time.sleep(.5)")
        done = start(*COMMAND, "record", "-o", f"recording{next(COUNT)}", "--", sys.executable,
                     "-c", script, start_new_session=True)
        assert done.stdout == "got\n", done
        with subprocess.Popen([*COMMAND, "record", "-o", f"recording{next(COUNT)}", "--", "sh",
                               "-c", "trap 'echo got' ALRM; echo $$; sleep 1 & wait"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGALRM)
            assert process.communicate(timeout=SLOWER * 20)[0] == "got\n", process.returncode
        # A program that stops itself stops the tool, so that the shell has the terminal again.
        with subprocess.Popen([*COMMAND, "record", "-o", f"recording{next(COUNT)}", "--", "sh",
                               "-c", "kill -STOP $$; echo on"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
            process.send_signal(signal.SIGCONT)
            assert process.communicate(timeout=SLOWER * 20)[0] == "on\n", process.returncode
        with subprocess.Popen([*COMMAND, "record", "-o", f"recording{next(COUNT)}", "--", "sh",
                               "-c", "echo $$; exec sleep 1000"], stdout=subprocess.PIPE,
                              text=True) as process:
            process.stdout.readline()
            process.kill()
            assert process.stdout.read() == "", "the program holds its output"


run_tests()

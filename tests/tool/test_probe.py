# SPDX-License-Identifier: Apache-2.0
"""probe finds each planted fault in the row that is for it, and passes what is right.

test_probe.py TVM-FFI FAULTS FAKE-CUDA"""
import json
import os
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

from tool import (CHECK, COMMAND, FILES, LOAD, OK, RAISED, USAGE, bad, enter_bare_root, good,
                  not_sanitized, open_terminal, patience, read_terminal, run, run_tests,
                  work_folder)

FAULTS, FAKE_CUDA, PLUGIN = FILES
# A sanitizer in the tool would report crashes of the kernels itself, and exit.
os.environ["ASAN_OPTIONS"] = (os.environ.get("ASAN_OPTIONS", "") +
                              ":handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0")
X, Y = "4x3xf32=rand", "&4x3xf32"


def form(name):
    return f"{name}({X}, 2.5, {Y})"


def probe(name, *options, env=None):
    return probe_call(form(name), *options, env=env)


def probe_call(call, *options, env=None):
    code, out, err = run("probe", FAULTS, call, "--json", *options, env=env)
    assert code in (OK, CHECK) and (err == "" or code == CHECK), (call, code, out, err)
    found = json.loads(out)
    assert (code == CHECK) == (found["failed"] > 0), found
    return found


CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return {int(word) for word in file.read().split()}
    except (FileNotFoundError, ProcessLookupError):
        return set()


def state(process):
    """A letter; Z also if there is no such process."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(") ")[2][0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def rows_of(found):
    return {row["name"]: row for row in found["rows"]}


def failures(found):
    return {call["name"]: call["detail"] for call in found["calls"] if call["verdict"] == "failed"}


# Where the fault is not called like its row: the row, and what is said of it.
OTHERS = {
    "unchecked": ("allocator", "crashed"),
    "references": ("objects", "argument 0 has another number of references"),
    "hangs": ("strided", f"it took longer than {patience(1)} s"),
    "changes": ("strided", "it changed argument 0, an input (write & before it if it is an output"),
    "outside": ("strided", "it wrote outside argument 2"),
    "silent": ("strided", "returned -1 without raising"),
    "leaves": ("strided", "ended the program while it was called, with exit code 0"),
}
AGAINST = f"--against={FAULTS}:right"
NUMBERS = {
    "given": "expected",
    "lengths": "element [16][0] is 0, expected 2.5",
    "extents": "expected",
    "values": "element [0][0] is 0, expected -inf",
}
SAID = {
    "order": "other failures may have this cause",
    "dirty": "the outputs held",
    "offset": "expected",
    "misaligned": "expected",
    "strided": "expected",
    "transposed": "expected",
    "negative": "crashed",
    "broadcast": "expected",
    "unit": "expected",
    "page-end": "it reached beyond a tensor",
    "page-begin": "it reached before a tensor",
    "read-only": "wrote to a read-only tensor of 48 bytes (write & before it if it is an output)",
    "pinned": "expected",
    "managed": "expected",
    "view": "expected",
    "extent-0": "crashed",
    "extent-1": "crashed",
    "unequal": "it reached beyond a tensor",
    "more-dims": "expected",
    "fewer-dims": "crashed",
    "huge": "cut off",
    "missing": "one argument too few",
    "extra": "one argument too many",
    "none": "argument 1 is None",
    "type": "argument 1 is",
    "dtype": "type",
    "device": "crashed",
    "null": "crashed",
    "named": "does not say which argument is wrong: TypeError: no tensor",
    "repeat": "expected",
    "threads": "expected",
    "allocator": "crashed",
    "objects": "left these objects: 1 String",
    "sequence": "after calls with larger tensors: argument 2",
    "refusals": "32 refused calls left 10",
    "memory": "bytes of malloc, 32 each",
    "environment": "the call changed the working directory",
    "processes": "a process that the call started stays",
    "prints": "it prints to standard output: hello",
    "scalars": "Floating point exception",
    "indices": "it reached before a tensor",
    "texts": "argument 0 is cut off at a NUL",
    "lists": "it crashed while it was called",
    "alias": "with the same memory for arguments 0 and 2",
    "mutates": "argument 0 is changed (write & before it if it is an output)",
    "descriptors": "descriptors are open",
    "mappings": "32 calls left 2048 KiB more mapped, 64 KiB each",
    "rounding": "the rounding mode is upward after the call, to nearest before",
    "locale": "the locale is",
    "signals": "has another handler",
}

OWN = {row.replace("-", "_"): (row, said) for row, said in {**SAID, **NUMBERS}.items()}

FORMS = {"indices": "indices(4x3xf32=rand, 3xi32=5 1 2, &3xf32)", "texts": 'texts(s:"text")',
         "lists": "lists(shape:[2, 3])"}

# Calls that are as right as the one given: None for None or a pointer, and a dtype or a device
# for its text, be the types known or not.
RIGHT_ONES = {"type:1:dtype", "type:2:device", "type:0:pointer", "none:0"}

FOLDER = work_folder()
ENV = {**os.environ, "LD_LIBRARY_PATH": str(FOLDER)}


class Probe(unittest.TestCase):
    def test_what_is_right(self):
        """It passes in every row; what is strict may refuse."""
        right = probe("right")
        rows = rows_of(right)
        left = [call["name"] for call in right["calls"] if call["verdict"] == "left out"]
        assert right["failed"] == 0 and left in ([], ["memory"]), (left, failures(right))
        groups = {"layouts", "shapes", "values", "state", "host", "calls"}
        assert {row["group"] for row in rows.values()} == groups, rows
        for row in rows.values():
            taken = (row["group"] in ("layouts", "values", "state", "host")
                     or row["name"] in ("extent-0", "extent-1", "huge", "named"))
            assert (row["refused"] == 0) if taken else (row["passed"] == 0), row
        strict = rows_of(probe("strict"))
        assert strict["strided"]["refused"] == 3 and strict["strided"]["passed"] == 0, strict
        assert strict["offset"]["passed"] == 3 and strict["unit"]["passed"] == 2, strict

    def test_the_help_lists_every_row(self):
        """In its group, with the words of the results."""
        group, listed = "", []
        for heading, name, text in re.findall(
                r"^(?:(\w+): .*|  ([a-z][\w-]*) +(\S.*(?:\n {10,}.*)*))$",
                good("probe", "--help").split("\n\nOptions:")[0].partition("The rows, ")[2], re.M):
            group = heading or group
            if name:
                listed.append((group, name, " ".join(text.split()).partition(". FAIL: ")[0]))
        rows = rows_of(probe("right", AGAINST)).values()
        others = {*FORMS, "bools", "optional"}  # which need other arguments
        listed = [row for row in listed if row[1] not in others]
        assert listed == [(row["group"], row["name"], row["title"]) for row in rows], listed

    def test_one_fault_for_each_row(self):
        """The row finds it, and its command line repeats it."""
        found_rows = set(rows_of(probe("right"))) | set(FORMS)
        assert set(SAID) == found_rows, set(SAID) ^ found_rows
        counts_heap = probe("right", "--only=memory")["left_out"] == 0
        for fault, (row, said) in {**OWN, **OTHERS}.items():
            if fault in ("memory", "refusals") and not counts_heap:
                continue
            options = ["--only", row] + ([f"--timeout={patience(1)}"] if fault == "hangs" else [])
            options += [AGAINST] if row in NUMBERS else []
            found = probe_call(FORMS.get(fault, form(fault)), *options)
            wrong = failures(found)
            assert wrong and rows_of(found)[row]["failed"] == len(wrong), (fault, found)
            assert any(said in detail for detail in wrong.values()), (fault, wrong)
            first = next(call for call in found["calls"] if call["verdict"] == "failed")
            words = first["command"].replace("tvm-ffi", "", 1)
            again = subprocess.run(["sh", "-c", " ".join(COMMAND) + words + " --json"],
                                   capture_output=True, text=True, check=False)
            assert again.returncode == CHECK, (fault, first, again)
            name = "given" if row in NUMBERS else first["name"]
            assert name in failures(json.loads(again.stdout)), (fault, first, again.stdout)

    def test_arguments_that_are_only_compared(self):
        """All of them are changed alike, and what was refused before is no check."""
        found = probe("compares", "--only=dtype", "--only=device", "--only=more-dims",
                      "--only=fewer-dims")
        wrong, calls = failures(found), {call["name"]: call for call in found["calls"]}
        said = {
            "dtype:all:f32x2": "it did not look at the type",
            "dtype:all:i32": "it did not look at the type",
            "dtype:all:f64": "it read f64 as another type",
            "dtype:all:f16": "it reached beyond",
            "device:all:cuda": "which has no memory",
            "more-dims:all:first": "unwritten",
            "more-dims:all:last": "12 of 24 elements of its outputs unwritten",
            "fewer-dims:all": "crashed",
        }
        for name, part in said.items():
            assert part in wrong.get(name, ""), (name, wrong)
        assert calls["dtype:2:f64"]["verdict"] == "refused" and calls["dtype:2:f64"][
            "detail"].endswith("(only compared with other arguments: see dtype:all:f64)"), calls
        shown = run("probe", FAULTS, form("compares"), "--only=device")[1].splitlines()
        said = "2 calls were refused only because one argument differed from others"
        assert shown[-2].startswith(said), shown
        assert probe("right", "--only=dtype", "--only=device")["passed"] == 0
        # Who only moves elements may take any type of that size.
        moved = probe_call("copy_all(4x3xf32=rand, &4x3xf32)", "--only=dtype")
        assert moved["failed"] == 0 and moved["passed"] == 15, failures(moved)

    def test_a_reference(self):
        """Generated calls are judged by it, and a failure is made smaller."""
        right = probe("right", "--only=numbers", AGAINST)
        assert right["failed"] == 0 and right["passed"] > 150, failures(right)
        assert {call["detail"] for call in right["calls"] if call["name"] == "dtypes:all:i8"} == {
            "the reference refuses it: TypeError: argument 0 is not float32"}, right
        found = probe("lengths", "--only=lengths:4:*", AGAINST)
        first = next(call for call in found["calls"] if call["verdict"] == "failed")
        assert first["name"] == "lengths:4:17" and first["detail"] == (
            "argument 2: element [16][0] is 0, expected 2.5"), first
        assert f"'lengths(17x1xf32=[{']['.join(17 * '1')}], 2.5, &17x1xf32)'" in first["command"]
        found = probe("values", "--only=values", AGAINST)
        smaller = {call["command"].split("'")[1] for call in found["calls"]
                   if call["verdict"] == "failed"}
        assert smaller == {"values(1x1xf32=[-inf], 2.5, &1x1xf32)",
                           "values(1x1xf32=[-3.4028235e+38], 2.5, &1x1xf32)",
                           *(f"values(4x3xf32=[1 1 1][1 1 1][1 1 1][1 1 {last}], 2.5, &4x3xf32)"
                             for last in ("-inf", "-3.4028235e+38"))}, smaller
        # A result of another type may have strides.
        found = probe_call("turned(4x3xf64=rand)", "--only=dtype", "--only=named")
        assert found["failed"] == 0, failures(found)
        call = "dtypes(4x3xf32=rand, &4x3xf32)"
        found = probe_call(call, "--only=dtypes", f"--against={FAULTS}:doubles")
        assert list(failures(found)) == ["dtypes:all:f64"] and found["passed"] == 1, found
        # Without a function, that of the same name.
        assert probe("right", "--only=given", f"--against={FAULTS}")["passed"] == 1
        bad(USAGE, "there is no function wrong", "probe", FAULTS, form("right"),
            f"--against={FAULTS}:wrong", "--only=given")
        bad(LOAD, "missing.so", "probe", FAULTS, form("right"), "--against=missing.so")
        lines = run("probe", FAULTS, form("right"), "--skip=threads")[1].splitlines()
        assert lines[-1].endswith("--against=LIB generates and judges these"), lines
        assert lines[0] == ("right: safe for any layout; unharmed by other shapes; other numbers "
                            "not judged; unharmed by other scalars and shared memory; leaves "
                            "nothing behind; leaves the host as it was; refuses wrong calls"), lines
        lines = run("probe", FAULTS, form("dtype"), "--skip=threads", AGAINST)[1].splitlines()
        assert re.search("; as the reference in [0-9]{3} calls; ", lines[0]) and lines[0].endswith(
            "; leaves the host as it was; does not refuse wrong calls: 1 (dtype)"), lines

    def test_a_call_that_is_held(self):
        """A buffer that calls share is found each time, on any machine; a lock is no fault."""
        for _ in range(5):
            wrong = failures(probe("buffer", "--only=threads:held:2:*"))
            assert set(wrong) == {f"threads:held:2:{at}" for at in (0, 1, 6)}, wrong
            assert "ran in the middle of one; of the first call" in wrong["threads:held:2:0"], wrong
        found = probe("locks", "--only=threads")
        assert found["failed"] == 0 and found["passed"] == 9, found

    def test_a_document_is_always_printed(self):
        """Also about a call that does not work."""
        for call, code, why in ((f"right({X}, 2.5)", RAISED, "Expected 3 but got 2"),
                                (form("always"), RAISED, "it crashed while it was called: Aborted"),
                                (form("wrong"), USAGE, "standard error says why")):
            got, out, err = run("probe", FAULTS, call, "--json")
            found = json.loads(out)
            assert got == code and why in found["error"] and err != "", (got, out, err)
            assert found["function"] == call.partition("(")[0] and found["calls"] == [], found

    @unittest.skipUnless(os.path.exists("/proc/thread-self/children"),
                         "the system does not list children")
    def test_nothing_survives(self):
        """Daemons that a kernel leaves end with its call: nobody has the pipe open then."""
        ours, theirs = os.pipe()
        done = subprocess.run([*COMMAND, "probe", FAULTS, form("daemons"), "--only=offset",
                               "--only=processes"], capture_output=True, check=False,
                              pass_fds=[theirs])
        os.close(theirs)
        assert done.returncode == CHECK, done
        assert select.select([ours], [], [], float(patience(20)))[0] == [ours]
        assert os.read(ours, 1) == b""
        os.close(ours)

    @unittest.skipUnless(CHILDREN, "the system does not list children")
    def test_one_keeper_for_all_calls(self):
        """It forks them, and ends what there is when the tool is killed."""
        for name, most in ("right", 10), ("hangs", 1):
            keepers, calls = set(), set()
            options = [f"--timeout={patience(20)}", *(["--only=strided"] if most == 1 else [])]
            with subprocess.Popen([*COMMAND, "probe", FAULTS, form(name), *options],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as tool:
                while tool.poll() is None and len(calls) < most:
                    found = children(tool.pid)
                    keepers |= found
                    for keeper in found:
                        calls |= children(keeper)
                tool.kill()
            assert len(keepers) <= 6 and len(calls) >= most, (keepers, calls)
            while any(state(process) != "Z" for process in keepers | calls):
                time.sleep(0.01)

    @unittest.skipUnless(CHILDREN, "the system does not list children")
    def test_the_keeper_ends_between_calls(self):
        """As by the system when it has no memory left, or is stopped: another is made."""
        for how in signal.SIGKILL, signal.SIGSTOP, signal.SIGSYS:
            with subprocess.Popen([*COMMAND, "probe", FAULTS, form("right")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as tool:
                calls, keeper = {}, None
                while keeper is None or len(calls[keeper]) < 3:
                    for keeper in children(tool.pid):
                        calls.setdefault(keeper, set()).update(children(keeper))
                tool.send_signal(signal.SIGSTOP)
                while any(state(call) != "Z" for call in children(keeper)) or state(keeper) != "S":
                    time.sleep(0.01)
                os.kill(keeper, how)
                tool.send_signal(signal.SIGCONT)
                out, _ = tool.communicate(timeout=float(patience(60)))
                assert tool.returncode == OK, (how, tool.returncode, out)

    def test_what_is_done_to_the_parent(self):
        """It is a process between the function and probe, and signals to it are a FAIL."""
        others = [f"--skip={group}" for group in ("shapes", "values", "state", "host", "calls")]
        for fault, signal, chosen in (("kills", "Killed", ["--only=layouts"]),
                                      ("kills", "Killed", others),
                                      ("stops", "Stopped (signal)", others)):
            found = probe(fault, *chosen)
            wrong = failures(found)
            assert {"strided:0", "transposed:all"} <= set(wrong), wrong
            said = re.compile("it sent its parent process a signal( while it was called|"
                              f" before the program ended)?: {re.escape(signal)}")
            assert all(said.fullmatch(detail) for detail in wrong.values()), wrong
            assert rows_of(found)["offset"]["passed"] == 3, found

    @unittest.skipUnless(sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"),
                         "the system has no such filter")
    def test_what_is_done_to_all(self):
        """A signal to all processes ends the call only."""
        wrong = failures(probe("kills_all", "--only=strided"))
        assert set(wrong.values()) == {"it crashed while it was called: Bad system call; it sent "
                                       "all processes a signal"}, wrong

    @not_sanitized
    def test_many_tensors(self):
        """All inside an argument are changed, one by one and together."""
        def call(count):
            return f"sums_many([{', '.join(count * ['2xf32=rand'])}])"
        found = probe_call(call(80), "--only=offset", "--only=alias")
        assert set(failures(found)) == {f"offset:0.{i}" for i in range(32, 80)} | {"offset:all"}
        assert rows_of(found)["alias"]["passed"] == 72 * 8 + 28, found
        bad(USAGE, "probe takes calls of up to 1024 arguments and tensors inside them, not 1025",
            "probe", FAULTS, call(1024))

    def test_much_that_is_printed(self):
        """Of each call the first MiB is shown, and the calls pass; the row of prints takes no more
        of it than it shows."""
        code, out, err = run("probe", FAULTS, form("floods"), "--only=offset:0")
        dropped = "[what it prints after that is dropped]\n"
        assert code == OK and "offset" in out and err.count(dropped) == 2, (code, out, err[-200:])
        shown = err.replace(dropped, "")
        assert set(shown.splitlines()) <= {"again and again", "again and", "again and agai", ""}
        assert 2 << 20 <= len(shown) < (2 << 20) + 100, len(shown)
        wrong = failures(probe("floods", "--only=prints"))
        assert wrong == {"prints": "it prints to standard output: "
                                   r"again and again\x0aagain and again\x0aagain a..."}, wrong

    @not_sanitized
    def test_results_without_end(self):
        """What a call leaves may take the tool ten seconds, or --timeout if that is longer."""
        found = probe_call("grows(4x3xf32=rand)", "--only=strided:0", "--timeout=1")
        assert set(failures(found).values()) == {
            "it was killed while what it left was read: it took longer than 10 s"}, found

    @not_sanitized
    def test_what_is_slow_beside_a_call(self):
        """What probe does before the call, such as starting a driver, is not timed."""
        shutil.copy(FAKE_CUDA, FOLDER / "libcuda.so.1")
        env = dict(ENV, FAKE_CUDA_SECONDS="2")
        for row, limit in ("scalars:1:nan", 20), ("repeat", 1):
            found = probe("gpu", "--device=cuda", f"--only={row}", f"--timeout={limit}", env=env)
            (call,) = found["calls"]
            assert call["verdict"] == "passed" and "longer" not in str(call["detail"]), call

    def test_values(self):
        """An int of 32 bits; a tensor that is given back is worth a note; one that the function is
        to change is no dirt."""
        wrong = failures(probe_call("truncates(3xf32=rand, 5)", "--only=scalars"))
        assert wrong == {"scalars:1:beyond-32-bits": (
            "argument 1 is cut off to 32 bits: 4294967301 gives the same as 5")}, wrong
        # A call with other values, not the one that follows it.
        for name in "first", "values":
            wrong = failures(probe_call("strays(3xf32=5 1 2, &3xf32)", f"--only=sequence:{name}"))
            assert wrong[f"sequence:{name}"].startswith(
                "with other values: it wrote outside argument 1"), wrong
        found = probe_call("gives_back(3xf32=rand)", "--only=mutates")
        assert found["failed"] == 0 and found["calls"][0]["note"] is True, found
        shown = run("probe", FAULTS, "gives_back(3xf32=rand)", "--only=mutates")[1]
        assert "note mutates:0: the result is in the memory of argument 0, an input" in shown, shown
        found = probe_call("subtract_last(&4x3xf32=rand)", "--only=state", "--only=values")
        assert found["failed"] == 0 and "dirty" not in rows_of(found), failures(found)

    def test_no_dimensions(self):
        """Rows of a tensor with one element and no extents."""
        found = probe_call("copy_all(f32=1, &f32)", "--skip=device", "--skip=null")
        assert rows_of(found)["named"]["passed"] > 15, found  # "arguments 0 and 1 differ"
        rows = rows_of(found)
        assert found["failed"] == 0 and rows["dirty"]["passed"] == 4, failures(found)
        assert rows["offset"]["passed"] == 3 and "transposed" not in rows, rows
        assert rows["threads"]["failed"] == 0 and rows["threads"]["passed"] == 3, rows

    def test_results_of_narrow_elements(self):
        """A sum of float32 is no more exact as a number than as an element."""
        for call in "sum_all(4x3xf32=rand)", "sum_all(997xf32=rand)", "sum_all(7x31xf16=rand)":
            found = probe_call(call, "--only=layouts", "--only=repeat")
            assert found["failed"] == 0, (call, failures(found))
        assert "the result is" in failures(
            probe_call("sum_all(4x3xf64=rand)", "--only=transposed"))["transposed:0"]

    def test_a_call_that_works_once(self):
        """One that raises then is no refusal, whichever row makes it again."""
        once = failures(probe("once", "--only=state"))
        assert {name.partition(":")[0] for name in once} == {
            "repeat", "threads", "objects", "descriptors", "mappings", "memory", "sequence"
        }, once
        assert all("the call that works raised RuntimeError: there is no more" in why
                   for why in once.values()), once

    def test_what_is_chosen(self):
        assert set(rows_of(probe("right", "--only=layouts", "--skip=p*"))) == {
            "order", "offset", "misaligned", "strided", "transposed", "negative", "broadcast",
            "unit", "read-only", "managed", "view"
        }
        assert [call["name"] for call in probe("right", "--only=misaligned:0:*")["calls"]
                ] == ["misaligned:0:element", "misaligned:0:short", "misaligned:0:byte"]
        assert set(rows_of(probe("named", "--only=type"))) == {"type"}
        assert [call["name"]
                for call in probe("named", "--only=named:none:0")["calls"]] == ["named:none:0"]
        bad(USAGE, "--only: there is no row ofset; did you mean offset?", "probe", FAULTS,
            form("right"), "--only=ofset")
        bad(USAGE, "--skip: there is no row zebra; tvm-ffi probe --help", "probe", FAULTS,
            form("right"), "--skip=zebra")
        bad(USAGE, "no call was chosen", "probe", FAULTS, form("right"), "--only=broadcast",
            "--skip=broadcast")

    def test_calls_that_are_right_too(self):
        """No call is made that is as right as the one given."""
        for call in "takes_pointer(none, float32, cpu)", "takes_pointer(2xf32, s:float32, s:cpu)":
            found = probe_call(call, "--only=calls")
            names = {one["name"] for one in found["calls"]}
            assert found["failed"] == 0 and not names & RIGHT_ONES, (failures(found), names)
            assert {"none:1", "none:2", "type:1:int", "type:2:dtype"} <= names, names
        found = probe_call("takes_dtype(s:float32, s:cpu)", "--only=calls")
        assert found["failed"] == 0 and {"type:0:int", "none:1"} <= {
            one["name"] for one in found["calls"]}, found

    def test_long_errors(self):
        """An error of a refused call is shown whole."""
        found = probe_call("explain(4x3xf32=rand)", "--only=strided")
        details = {one["detail"] for one in found["calls"] if one["verdict"] == "refused"}
        assert details == {"ValueError: argument 0 " + 1500 * "\u00e9"}, details

    def test_the_allocator_of_the_tool(self):
        """Its error is not judged by what it names."""
        found = probe_call("make_like(3xf32=rand)", "--only=device", "--only=named")
        assert found["failed"] == 0 and rows_of(found)["device"]["refused"] == 2, found
        assert any("memory of the CPU only" in one["detail"] for one in found["calls"]), found

    def test_functions_that_rightly_return(self):
        """Where others have cut off an extent or not looked at a type: those that use no more than
        a few elements, or none."""
        assert rows_of(probe_call("copy_first(4x3xf32=rand, &4x3xf32)", "--only=huge"))["huge"][
            "passed"] == 6
        found = probe_call("count(4x3xf32=rand)", "--only=huge", "--only=dtype")
        assert found["passed"] == 6 + 15 and found["failed"] == 0, failures(found)
        # In another shape the rows of a tensor are others.
        found = probe_call("subtract_last(&4x3xf32=rand)", "--only=more-dims", "--only=fewer-dims")
        assert found["passed"] == 7 and found["failed"] == 0, failures(found)

    @not_sanitized
    def test_large_results(self):
        """Those that only their texts can be compared of: with many elements, many dimensions."""
        for call in "zeros(3500000, 1)", "zeros(4, 65)", "zeros(4, 100)":
            found = probe_call(call, "--only=repeat")
            assert found["passed"] == 1 and found["failed"] == 0, (call, found)

    def test_what_is_allowed(self):
        assert probe("rough", "--only=transposed")["failed"] == 2
        assert probe("rough", "--only=transposed", "--rtol=0.01")["failed"] == 0
        assert probe("rough", "--only=repeat")["failed"] == 1
        assert probe("rough", "--only=repeat", "--rtol=0.01")["failed"] == 1
        assert probe("rough", "--only=repeat", "--rtol=0.01", "--nondeterministic")["failed"] == 0

    def test_what_is_shown(self):
        code, out, err = run("probe", FAULTS, form("offset"), "--only=offset:0", "--only=strided")
        lines = out.splitlines()
        assert code == CHECK and err == "" and len(lines) == 6, (code, out, err)
        assert lines[0].split() == ["passed", "refused", "failed"] and lines[1] == "layouts", out
        assert lines[2].split()[:4] == ["offset", "0", "0", "1"], out
        assert lines[3].split()[:4] == ["strided", "3", "0", "0"], out
        assert lines[4].startswith("FAIL offset:0: argument 2: ") and lines[4].endswith(
            f": tvm-ffi probe {FAULTS} '{form('offset')}' --only=offset:0"), out
        assert lines[5] == "offset: 3 passed, 0 refused, 1 failed", out
        code, out, err = run("probe", FAULTS, form("dtype"), "--skip=shapes", "--skip=threads")
        lines = [line for line in out.splitlines() if line.startswith(("FAIL dtype:", "..."))]
        in_full = failures(probe("dtype", "--skip=shapes", "--skip=threads"))
        assert len(in_full) == len(failures(probe("dtype", "--only=dtype"))) > 4, in_full
        assert [line[:11] for line in lines] == 3 * ["FAIL dtype:"] + ["... and " + str(
            len(in_full) - 3).ljust(3)], (lines, in_full)
        assert lines[3].endswith(" more of dtype, --json lists them"), lines
        out = run("probe", FAULTS, form("dtype"), "--only=dtype")[1]
        assert out.count("FAIL dtype:") == len(in_full) and "..." not in out, out
        assert run("probe", FAULTS, form("talks"), "--skip=threads")[2] == ""
        assert "I was called" in run("probe", FAULTS, form("talks"), "--only=offset:0")[2]

    def test_what_kernels_print_is_dropped_in_a_root_without_devices(self):
        root = enter_bare_root(self)
        done = subprocess.run([*root, *COMMAND, "probe", FAULTS, form("talks"), "--skip=threads"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == OK and done.stderr == "", done

    def test_elements_that_are_not_whole_bytes(self):
        found = probe_call("copy_second(8xi4=1 2 3 4 5 6 7 1, 4xf32=1 2 3 4, &4xf32)",
                           "--only=dtype")
        wrong = failures(found)
        assert "dtype:all:u8" not in wrong and "dtype:f32:i32" not in wrong, wrong
        # Other extents have elements of the call, in the function and in the reference.
        threes = " ".join(400 * "3")
        call = f"counts_threes(400xi4={threes}, &3xf32)"
        found = probe_call(call, "--only=numbers", f"--against={FAULTS}")
        extents = rows_of(found)["extents"]
        assert extents["passed"] > 20 and extents["left_out"] == 0, found
        found = probe_call(call.replace("counts_threes", "counts_few"), "--only=lengths:400:256",
                           f"--against={FAULTS}:counts_threes")
        smaller = [call["command"].split("'")[1] for call in found["calls"]]
        assert smaller == [f"counts_few(128xi4={' '.join(128 * '3')}, &1xf32)"], smaller

    def test_memory_that_is_kept_once(self):
        """A cache is no leak."""
        found = probe_call("keeps_once(4xf32=rand)", "--only=memory", "--only=mappings",
                           "--only=refusals")
        assert found["failed"] == 0 and rows_of(found)["refusals"]["passed"] > 0, found

    def test_calls_that_do_not_work(self):
        code, out, err = run("probe", FAULTS, f"right({X}, 2.5)")
        assert code == RAISED and out == "" and "probe takes a call that works" in err, (code, out,
                                                                                         err)
        assert "Expected 3 but got 2 arguments" in err, err
        bad(USAGE, "there is no function wrong", "probe", FAULTS, form("wrong"))
        bad(LOAD, "No such file", "probe", "missing.so", form("right"))
        bad(RAISED, "always: crashed while it was called", "probe", FAULTS, form("always"))
        for layout in ".order(F)", ".T", ".device(cuda)[1:]", ".dltensor", "[::2]":
            bad(USAGE, f"probe makes the layouts itself; give argument 2 without {layout}", "probe",
                FAULTS,
                form("right").replace(Y, Y + layout))
        bad(USAGE, "give argument 2 memory of its own, not arg[N]", "probe", FAULTS,
            f"right({X}, 2.5, arg[0])")
        bad(USAGE, "one operand too many", "probe", FAULTS, form("right"), "again()")

    def test_a_device(self):
        shutil.copy(FAKE_CUDA, FOLDER / "libcuda.so.1")
        found = probe("gpu", "--device=cuda", env=ENV)
        assert found["failed"] == 0 and rows_of(found)["strided"]["passed"] == 3, failures(found)
        assert "page-end" not in rows_of(found), found
        wrong = failures(probe("gpu_offset", "--device=cuda", "--only=offset", env=ENV))
        assert "expected" in wrong["offset:0"] and "outside argument 2" in wrong[
            "offset:2"], wrong
        assert rows_of(found)["threads"]["passed"] == 1, found  # none can be held there
        # All tensors inside an argument are there.
        call = f"sums_many([{', '.join(40 * ['2xf32=rand'])}])"
        found = probe_call(call, "--device=cuda", "--only=repeat", env=ENV)
        assert found["passed"] == 1, found
        # An argument that was replaced stays so for all calls of the row.
        found = probe_call("takes_list([4xf32=rand])", "--device=cuda", "--only=refusals", env=ENV)
        if probe("right", "--only=memory")["left_out"] == 0:
            assert "bytes of malloc" in failures(found)["refusals:0:none"], found
        # A kernel that crashes there, after which everything fails, is no refusal.
        wrong = failures(probe("gpu_breaks", "--device=cuda", "--only=misaligned", env=ENV))
        assert sorted(wrong) == ["misaligned:0:byte", "misaligned:2:byte"] and set(
            wrong.values()) == {"what it launched failed: RuntimeError: CUDA cannot finish: "
                                "illegal address (700)"}, wrong

    def test_a_plugin(self):
        """A device whose memory has handles: what is passed of a buffer has an offset."""
        call = "twice(4xf32=rand, &4xf32)"
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.path.abspath(PLUGIN))}
        words = ["probe", PLUGIN, call, "--device=ext_dev", "--only=layouts", "--only=repeat",
                 "--only=threads", "--only=dirty", "--json"]
        found = json.loads(good(*words, env=env))
        rows = rows_of(found)
        assert found["failed"] == 0 and rows["strided"]["refused"] == 3, found
        assert rows["offset"]["passed"] == 3 and rows["threads"]["passed"] == 1, found
        for wrong, code, text in (
                ("wait", CHECK, "cannot finish: a kernel failed"),
                ("copy_in", RAISED, "cannot copy to the device: the bus is out"),
                ("copy_out", RAISED, "cannot copy from the device: callee returned 7"),
                ("version", USAGE, "cannot be used: it is of version 2")):
            got, _, err = run(*words, env=dict(env, FAKE_DEVICE=wrong))
            assert got == code and f"tvm_ffi_device_ext_dev.so {text}" in err, (wrong, got, err)

    def test_progress(self):
        """It is shown on a terminal only, and erased."""
        terminal, ours = open_terminal(self)
        with subprocess.Popen([*COMMAND, "probe", FAULTS, form("right"), "--only=offset"],
                              stdout=subprocess.DEVNULL, stderr=ours) as process:
            os.close(ours)
            shown = read_terminal(terminal)
        assert process.returncode == OK and b"1 of 3 calls, offset:0" in shown, shown
        assert shown.endswith(b"\r\033[K"), shown


run_tests()

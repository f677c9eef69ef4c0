# SPDX-License-Identifier: Apache-2.0
"""show and replay: recordings are read, damaged ones refused, calls made again and compared.

test_replay.py TVM-FFI LIBRARY... [-- LIBTVM_FFI INCLUDE...]"""
import ast
import base64
import importlib.util
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import textwrap
import time
import unittest
import unittest.mock
import warnings
import zipfile

import tool
from recording import Page, murmur
from tool import (CHECK, FILES, LOAD, MISMATCH, OK, RAISED, USAGE, WINDOWS, bad, good,
                  good_json, patience, run, run_tests, work_folder, SLOWER)

# A sanitizer in the tool would report crashes of the kernels itself.
os.environ["ASAN_OPTIONS"] = (os.environ.get("ASAN_OPTIONS", "") +
                              ":handle_segv=0:handle_abort=0:detect_leaks=0")
FLOAT32, INT32, UINT8 = (2, 32, 1), (0, 32, 1), (1, 8, 1)
CPU = [1, 0]
# The paths in recordings are absolute.
PATHS = {os.path.basename(file).split(".")[0]: os.path.abspath(file) for file in FILES}
KERNELS = PATHS["run_kernels"]
# After --: libtvm_ffi.so and folders of headers, to build a program with.
BUILD = FILES[FILES.index("--") + 1:] if "--" in FILES else []
WORK = work_folder()
os.environ["XDG_CACHE_HOME"] = str(WORK / "cache")
# Of these tests alone: others may unpack recordings at the same time.
TEMPORARY = WORK / "temporary"
TEMPORARY.mkdir()
os.environ["TMPDIR"] = str(TEMPORARY)


def floats(*values):
    return struct.pack(f"={len(values)}f", *values)


def npy(data):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data)},), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data


def tensor(shape, storage=0, dtype=FLOAT32, key="tensor", object_id=0, **more):
    """A tensor in a storage, contiguous and at its begin unless `more` says something else."""
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    facts = {
        "dtype": list(dtype), "shape": list(shape), "strides": strides, "byte_offset": 0,
        "device": CPU, "storage": storage, "offset": 0, "flags": 0
    }
    if key == "tensor":
        facts["id"] = object_id
    return {key: {**facts, **more}}


def build_id(path):
    """The GNU build id of an ELF file in hexadecimal digits; None if it has none."""
    try:
        image = pathlib.Path(path).read_bytes()
    except OSError:
        return None
    at = image.find(struct.pack("=III", 4, 20, 3) + b"GNU\0")
    return None if at < 0 else image[at + 16:at + 36].hex()


# Libraries without build ids, such as those of Windows, are called only if they are named.
if WINDOWS:
    def run(*args, run_given=run, **kwargs):
        if (args[0] in ("replay", "probe") and pathlib.Path(args[1]).is_dir() and
                not {"--lib", "-l"} & set(map(str, args))):
            args = [*args, "--lib", KERNELS]
        return run_given(*args, **kwargs)

    tool.run = run


class Recording:
    """A folder to which calls are added."""

    def __init__(self, folder, libraries, first_number=1):
        self.folder = pathlib.Path(folder)
        (self.folder / "tensors").mkdir(parents=True)
        (self.folder / "version").write_bytes(b"tvm-ffi recording 1\n")
        self.path = self.folder / "calls.jsonl"
        self.number = first_number - 1
        self.add(event="process", format=1, pid=1, parent=0, unix_ns="1", byte_order=sys.byteorder,
                 pointer_bytes=8, command=[], options={})
        for i, library in enumerate(libraries):
            self.add(event="library", library=i, path=str(library),
                     build_id=build_id(library))

    def add(self, **event):
        with open(self.path, "ab") as file:
            file.write(json.dumps(event).encode() + b"\n")

    def data(self, content):
        """A storage's entry, whose bytes are written."""
        name = murmur(content)
        (self.folder / "tensors" / f"{name}.npy").write_bytes(npy(content))
        return {"data": name}

    def small(self, content):
        """The same in the file of the process."""
        path = self.path.with_suffix(".memory")
        with open(path, "ab") as file:
            file.write(bytes(-file.tell() % 8) + content)
            return {"data": murmur(content), "at": file.tell() - len(content)}

    def counts(self, *functions):
        """Name, calls, errors, recorded of each."""
        with open(self.path.with_suffix(".counts"), "ab") as file:
            for i, (name, *numbers) in enumerate(functions):
                self.add(event="function", number=i, library=0, function=name)
                file.write(struct.pack("=QQQQ", *numbers, 0))

    def contents(self, contents):
        """Each is bytes, or the reason why they were left out and the size."""
        return [self.data(content) if isinstance(content, bytes) else {"left_out": content[0]}
                for content in contents]

    def storages(self, contents, address=0x1000):
        """Entries of a call."""
        entries = []
        for content in contents:
            data, = self.contents([content])
            size = len(content) if isinstance(content, bytes) else content[1]
            entries.append({"device": CPU, "address": hex(address), "bytes": size, **data})
            address += 0x10000
        return entries

    def call(self, function, args, storages=(), library=0, address=0x1000, **more):
        self.number += 1
        self.add(event="call", call=self.number, thread=7, time=1000, library=library,
                 function=function, args=args,
                 storages=self.storages(storages, address), **more)
        return self.number

    def returned(self, number, result=None, after=(), added=()):
        """`after` are the storages of the call, `added` those of the result."""
        self.add(event="return", call=number, thread=7, time=3000, result=result,
                 storages=self.contents(after) + self.storages(added, 0x900000))

    def raised(self, number, kind, message, after=()):
        self.add(event="error", call=number, thread=7, time=3000, code=-1,
                 error={"kind": kind, "message": message, "backtrace": ""},
                 storages=self.contents(after))


X, Y, ZERO = floats(1, 2, 3, 4), floats(2.5, 5, 7.5, 10), floats(0, 0, 0, 0)
count = 0


def new_recording(*libraries, **more):
    global count
    count += 1
    return Recording(WORK / f"recording{count}", libraries or [KERNELS], **more)


def scale(recording, y=Y, **more):
    """Adds a call that scales X by 2.5."""
    number = recording.call("scale", [tensor([4]), {"float": "2.5"},
                                      tensor([4], 1, object_id=1)], [X, ZERO], **more)
    recording.returned(number, None, [X, y])
    return number


def verdicts(code, *args):
    got, out, err = run("replay", *args, "--json")
    assert got == code, (got, out, err)
    return json.loads(out)


class Show(unittest.TestCase):

    def test_table(self):
        r = new_recording()
        scale(r)
        scale(r)
        r.raised(r.call("fail", []), "ValueError", "on purpose, with 0 arguments")
        r.call("crash", [])
        r.counts(("scale", 1000, 0, 2))
        table = good("show", r.folder).splitlines()
        self.assertEqual(table[1].split(), ["2", "1000", "0", "0", "64", "B", "scale"])
        self.assertEqual(table[2].split(), ["2", "(4xf32,", "float,", "4xf32)"])
        self.assertEqual(table[3].split(), ["1", "?", "1", "0", "0", "B", "fail"])
        self.assertEqual(table[5].split(), ["1", "?", "0", "1", "0", "B", "crash"])
        found = good_json("show", r.folder, "--match=s*")
        self.assertEqual([f["name"] for f in found["functions"]], ["scale"])
        self.assertEqual(found["functions"][0]["all_calls"], 1000)
        self.assertEqual([call["call"] for call in found["calls"]], [1, 2])

    def test_calls(self):
        r = new_recording()
        scale(r)
        r.raised(r.call("fail", []), "ValueError", "on purpose,\nwith lines")
        r.call("crash", [])
        lines = good("show", r.folder, "--calls").splitlines()
        self.assertEqual(lines[0].split("  ")[-1], "returned after 2.0 us")
        self.assertIn("fail()  raised ValueError: on purpose, after 2.0 us", lines[1])
        self.assertIn("crash()  unfinished", lines[2])

    def test_one_call(self):
        r = new_recording()
        number = scale(r)
        shown = good("show", r.folder, "--call", number)
        self.assertIn("arg[0]: 4xf32 in storage 0\narg[1]: 2.5\n", shown)
        self.assertIn("  arg[2]: 4xf32=0 0 0 0\n", shown)
        self.assertTrue(shown.endswith("after the call:\n  arg[2]: 4xf32=2.5 5 7.5 10\n"), shown)
        both = good_json("show", r.folder, "--call", number)
        self.assertEqual((both["call"]["function"], both["end"]["event"]), ("scale", "return"))
        bad(USAGE, "there is no call 99", "show", r.folder, "--call=99")

    def test_deep_reasons(self):
        # What stands beside a key that is not a value's may be anything; it is not walked.
        depth = 20000
        r = new_recording()
        number = r.call("scale", ["DEEP"], [])
        r.returned(number, None, [])
        text = r.path.read_text(encoding="utf-8")
        deep = '{"left_out":' + "[" * depth + "]" * depth + "}"
        self.assertEqual(text.count('"DEEP"'), 1)
        r.path.write_text(text.replace('"DEEP"', deep), encoding="utf-8")
        self.assertEqual(run("show", r.folder, "--call=1")[0], 0)
        code, _, err = run("replay", r.folder, "1", "--emit=c")
        self.assertEqual(code, USAGE, err)
        self.assertIn("arg[0] was left out", err)

    def test_values(self):
        """Every form of a value is shown."""
        forms = {
            "none": None, "true": True, "3": 3, "9223372036854775807": {"int": str(2**63 - 1)},
            "2.5": {"float": "2.5"}, "3.0": {"float": "3"}, "-inf": {"float": "-inf"},
            "nan:0x7ff8000000000000": {"float": "nan:0x7ff8000000000000"}, 's:"a\\x1bb"': "a\x1bb",
            's:"\\xff"': {"str": "ff"}, 's:"raw"': {"raw_str": "raw"},
            "2 bytes: 00 ff": {"bytes": "00ff"}, "1 bytes: 07": {"raw_bytes": "07"},
            "dtype:f32": {"dtype": [2, 32, 1]}, "dev:cuda:1": {"device": [2, 1]},
            "shape:[4, 3]": {"shape": [4, 3], "id": 0}, "pointer:0x7f3c10": {"pointer": "0x7f3c10"},
            "[1, [none]]": {"array": [1, {"list": [None], "id": 2}], "id": 1},
            '{s:"a": 1}': {"map": [["a", 1]], "id": 3}, "{1: {}}": {"dict": [[1, {"map": []}]]},
            "function": {"function": "0x1", "symbol": None, "id": 4},
            "error": {"error": {"kind": "E", "message": "m", "backtrace": ""}},
            "bigint": {"bigint": "0080"}, "my.Pair(a=1, b=none)":
                {"object": "my.Pair", "fields": {"a": 1, "b": None}, "id": 5},
            "ffi.Module": {"object": "ffi.Module", "address": "0x1"}, 's:"moved"': {
                "rvalue": "moved"}, "unchanged": {"unchanged": True}, "again": {"ref": 5},
            "unknown:99": {"unknown": 99}, "left out (too long)": {"left_out": "too long"},
        }
        r = new_recording()
        r.call("f", list(forms.values()))
        lines = good("show", r.folder, "--call=1").splitlines()
        shown = [line.split(": ", 1)[1] for line in lines if line.startswith("arg[")]
        self.assertEqual(shown[:len(forms)], list(forms))

    def test_layouts(self):
        r = new_recording()
        r.call("f", [tensor([2, 3], strides=[1, 2]), tensor([2], object_id=1, offset=16, flags=1),
                     tensor([1], key="dltensor", byte_offset=8, device=[2, 1]),
                     tensor([0, 3], None, object_id=2, address="0x0")], [bytes(24)])
        (call,) = good_json("show", r.folder)["calls"]
        self.assertEqual(call["signature"], "2x3xf32.strides(1, 2), 2xf32.readonly, 1xf32"
                         ".byte_offset(8).device(cuda:1).dltensor, 0x3xf32")
        self.assertIn("arg[1]: 2xf32.readonly in storage 0 from byte 16",
                      good("show", r.folder, "--call=1"))

    def test_repeated(self):
        """A call with `like` has the inputs of another, and may have its return."""
        r = new_recording()
        scale(r)
        r.add(event="call", call=2, thread=8, time=4000, function="scale", like=1)
        r.add(event="call", call=3, thread=9, time=5000, function="scale", like=1)
        r.add(event="return", call=3, thread=9, time=5500, like=1)
        r.returned(2, None, [X, floats(2.5, 5, 7.5, 11)])
        r.add(event="call", call=2**60, thread=8, time=6000, function="scale", like=1)
        lines = good("show", r.folder, "--calls").splitlines()
        self.assertTrue(lines[2].endswith("returned after 0.5 us"), lines)
        self.assertTrue(lines[3].endswith("unfinished"), lines)
        calls = good_json("show", r.folder)["calls"]
        self.assertEqual([(c["call"], c["thread"], c["function"], c["bytes"]) for c in calls], [
            (1, 7, "scale", 32), (2, 8, "scale", 32), (3, 9, "scale", 32), (2**60, 8, "scale", 32)])
        self.assertEqual(len({c["signature"] for c in calls}), 1)
        whole = [good_json("show", r.folder, f"--call={n}") for n in (1, 3, 2**60)]
        for shown, number, begin, end in zip(whole[1:], (3, str(2**60)), (5000, 6000), (5500, 0)):
            thread = shown["call"]["thread"]
            self.assertEqual(shown["call"], {**whole[0]["call"], "call": number, "thread": thread,
                                             "time": begin})
            self.assertEqual(shown["end"], end and {**whole[0]["end"], "call": number,
                                                    "thread": thread, "time": end} or None)
        _, out, _ = run("replay", r.folder)
        self.assertIn("[FAIL] 2 scale: arg[2]", out)
        self.assertIn("2 of 4 calls are the same as recorded", out)

    def test_many_repeated(self):
        """As many that are repeated as a program may call in each of its steps."""
        r = new_recording()
        for n in range(2000):
            r.returned(r.call("f", [n]), n)
        with open(r.path, "a", encoding="ascii") as file:
            for n in range(2001, 20001):
                facts = f'"call":{n},"thread":7,"time":{n},"like":{(n - 1) % 2000 + 1}'
                file.write(f'{{"event":"call","function":"f",{facts}}}\n')
                file.write(f'{{"event":"return",{facts}}}\n')
        self.assertIn(" 20000 ", good("show", r.folder))
        shown = good_json("show", r.folder, "--call=19999")
        self.assertEqual((shown["call"]["args"], shown["end"]["result"]), ([1998], 1998))

    def test_many_functions(self):
        """Counts of as many functions as a program may have are added up without comparing each
        with each: that took 25 seconds."""
        r, number = new_recording(), 100000
        with open(r.path, "a", encoding="ascii") as file:
            file.writelines(f'{{"event":"function","number":{i},"library":0,"function":"f{i}"}}\n'
                            for i in range(number))
        r.path.with_suffix(".counts").write_bytes(struct.pack("=QQQQ", 1, 0, 0, 0) * number)
        done = subprocess.run([*tool.COMMAND, "show", r.folder], capture_output=True, text=True,
                              check=False, timeout=SLOWER * 10)
        self.assertEqual(done.returncode, OK, done.stderr)

    def test_processes(self):
        """The files of several processes are one recording."""
        r = new_recording()
        scale(r)
        r.path = r.folder / "calls.4711.jsonl"
        r.add(event="process", format=1, byte_order="little")
        r.add(event="library", library=0, path="other.so", build_id="00ff")
        r.call("g", [])
        (r.folder / "calls.part").write_text("not read")
        self.assertEqual([(c["call"], c["function"]) for c in good_json("show", r.folder)["calls"]],
                         [(1, "scale"), (2, "g")])

    def test_missing_counts(self):
        """Counts of processes are added; it is said if some are missing."""
        r = new_recording()
        scale(r)
        r.counts(("scale", 1000, 0, 1), ("g", 5, 1, 0))
        for pid in 4711, 4712:
            r.path = r.folder / f"calls.{pid}.jsonl"
            r.add(event="process", format=1, pid=pid, byte_order=sys.byteorder)
            r.counts(("scale", 20, 0, 0))
        code, out, err = run("show", r.folder)
        self.assertEqual((code, " 1040 " in out, err), (OK, True, ""), out)
        with open(r.path.with_suffix(".counts"), "r+b") as file:
            file.truncate(31)
        told = "the counts of 1 of 3 processes are missing"
        code, out, err = run("show", r.folder)
        self.assertEqual((code, told in err, " 1020 " in out), (OK, True, True), err)
        self.assertIn(told, page_of(r).text)
        r.path.with_suffix(".counts").unlink()
        self.assertIn(told, run("show", r.folder)[2])
        order = "big" if sys.byteorder == "little" else "little"
        r.path = r.folder / "calls.4713.jsonl"
        r.add(event="process", format=1, pid=4713, byte_order=order)
        r.counts(("scale", 1 << 56, 0, 0))
        self.assertIn(" 1021 ", run("show", r.folder)[1])

    def test_unknown(self):
        """Keys and events that later versions may have are ignored."""
        r = new_recording()
        r.add(event="sunrise", time=1)
        scale(r, new_key={"a": 1})
        self.assertEqual(len(good_json("show", r.folder)["calls"]), 1)


def page_of(recording, *options):
    path = recording.folder.with_suffix(".html")
    good("show", recording.folder, f"--html={path}", *options)
    return Page(path)


def replayed_page(recording, *options, env=None):
    """The exit code, the page, and what is printed."""
    path = recording.folder.with_suffix(".html")
    code, out, _ = run("replay", recording.folder, f"--html={path}", *options, env=env)
    return code, Page(path), out


class ShowPage(unittest.TestCase):
    """show --html"""

    def test_a_call(self):
        r = new_recording()
        scale(r)
        page = page_of(r)
        self.assertIn("1 call 0 errors 0 unfinished calls 1 function Timeline", page.text)
        self.assertIn("arg[1] 2.5", page.text)
        self.assertIn("arg[0] f32, Tensor, shape (4), strides (1), 16 B, cpu:0 unchanged 1, 2, 3, "
                      "4 min 1, mean 2.5, max 4", page.text)
        self.assertIn("arg[2] f32, Tensor, shape (4), strides (1), 16 B, cpu:0 before 0, 0, 0, 0 "
                      "min 0, mean 0, max 0 after 2.5, 5, 7.5, 10 min 2.5", page.text)
        self.assertEqual((page.count_bars(None), page.count_bars("s1")), (1, 1))
        self.assertIn("<details open>", page.source)
        self.assertEqual(good("show", r.folder, "--html=-"), page.source)

    def test_command_lines(self):
        """Command lines may have secrets, and are on a page only if that is asked for."""
        r = new_recording()
        scale(r)
        lines = r.path.read_text("utf-8").replace('"command": []', '"command": ["run", "pass=1"]')
        r.path.write_text(lines, "utf-8")
        r.path = r.folder / "calls.4711.jsonl"
        r.add(event="process", format=1, pid=4711, byte_order=sys.byteorder, command=["pass=2"])
        self.assertNotIn("pass=", page_of(r).source)
        self.assertNotIn("pass=", replayed_page(r)[1].source)
        for page in page_of(r, "--command"), replayed_page(r, "--command")[1]:
            self.assertIn("run pass=1", page.text)
            self.assertIn("pass=2", page.text)
        for command in "show", "replay":
            bad(USAGE, "--command is for the page that --html writes", command, r.folder,
                "--command")

    def test_hostile(self):
        """Texts of a recording stay texts."""
        hostile = "</script></style></title><img src=x onerror='a()'>\"&lt;-->"
        r = new_recording(hostile)
        r.add(event="process", format=1, byte_order=sys.byteorder, unix_ns=str(2**63 - 1), pid=-9,
              command=[hostile, "\x1b\x7f\u202e\ufffe\uffff"])
        r.add(event="note", time=1, text=hostile)
        values = [hostile, "\0\ufffe", {"str": "ff3c"}, {"left_out": hostile}, {
            "object": hostile, "id": 1, "fields": {hostile: tensor([2], 0, object_id=2)}},
                  tensor([2], None, object_id=3, left_out=hostile),
                  tensor([2], 1, object_id=4)]
        number = r.call(hostile, values, [floats(1, 2), (hostile, 8)])
        r.raised(number, hostile, hostile + "\n" + hostile, [floats(1, 2), floats(1, 2)])
        r.returned(r.call("f", []), hostile)
        r.call(hostile, [])
        page = page_of(r, "--command")
        self.assertGreater(page.text.count(hostile), 12)
        self.assertNotIn("img", page.counts)
        self.assertIn("not here: " + hostile, page.text)
        self.assertIn(r"\xff<", page.text)
        titles = [title.text for part in page.drawings for title in part.iter() if "title" in
                  title.tag]
        self.assertEqual(sorted(titles), sorted([
            f"1 {hostile}: raised {hostile}: {hostile} after 2.00 \u00b5s",
            "2 f: returned after 2.00 \u00b5s", f"3 {hostile}: did not finish"]))

    def test_pictures(self):
        """Of two dimensions an image, of one a line, else a histogram; and what is in them."""
        r = new_recording()
        values = floats(0, math.nan, 63, math.inf, 21, 42)
        r.call("f", [tensor([3, 2]), tensor([2, 3], object_id=1, strides=[1, 2]),
                     tensor([4, 2, 3], 1, object_id=2), tensor([300], 2, object_id=3),
                     tensor([2], 3, object_id=4, dtype=(0, 4, 2)),
                     tensor([1 << 30, 1 << 20], 3, object_id=5, dtype=UINT8, strides=[0, 0]),
                     tensor([1], 3, object_id=6, dtype=(200, 8, 1)),
                     tensor([1], 4, object_id=7, dtype=(5, 64, 1)),
                     tensor([2, 3], object_id=8, strides=None),
                     tensor([2], object_id=9, strides=[0], offset=8)],
               [values, floats(*range(24)), floats(*range(300)), bytes([0x21, 0xf7]), floats(1, 2)])
        page = page_of(r)
        self.assertIn("0, nan, 63, inf, 21, 42 min 0, mean 31.5, max 63 1 NaN, 1 Inf", page.text)
        self.assertIn("0, 63, 21, nan, inf, 42 min 0", page.text)
        self.assertIn("i4x2, Tensor, shape (2), strides (1), 2 B, cpu:0 before 1, 2, 7, -1 min -1,",
                      page.text)
        self.assertRegex(page.text, "min 33, mean 33, max 33 of [0-9,]+ elements among "
                         "1,125,899,906,842,624")
        self.assertIn("its numbers cannot be read", page.text)
        self.assertIn("1, 2 min 1, mean 1.5", page.text)
        self.assertEqual(page.counts["figure"], 10)
        images = [(*struct.unpack_from("<iixxH", image, 18), struct.unpack_from("<I", image, 10)[0],
                   image) for image in page.images]
        self.assertEqual([image[:3] for image in images],
                         [(2, 3, 8), (3, 2, 8), (64, 64, 8), (3, 2, 8)])
        at, image = images[0][3:]
        rows = [image[at + 4 * i:][:2] for i in (2, 1, 0)]
        self.assertEqual(rows, [bytes([0, 64]), bytes([63, 65]), bytes([21, 42])])
        plots = [part for part in page.drawings if "plot" in part.get("class")]
        self.assertEqual([plot.get("aria-label") for plot in plots], [
            "arg[2] as a histogram", "arg[3] as a line", "arg[4] as a histogram",
            "arg[7] as a histogram", "arg[9] as a line"])
        self.assertEqual(len(plots[0].findall("{*}rect")), 24)
        path = plots[1].find("{*}path").get("d")
        self.assertEqual(path.count("M"), 2)
        self.assertTrue(path.endswith(" 3.0"), path)

    def test_no_data(self):
        """What is not there is said."""
        r = new_recording()
        number = r.call("f", [tensor([4]), tensor([0, 3], None, object_id=1, address="0x0"),
                              tensor([2, 2], 1, object_id=2)], [("no data", 16), X])
        r.returned(number, {"array": [tensor([4], 2), tensor([4], 1, object_id=1)], "id": 9},
                   [("no data", 16), X], [Y])
        page = page_of(r)
        self.assertIn("1 call was recorded without the bytes of some or all tensors", page.text)
        self.assertIn("before not here: no data after not here: no data", page.text)
        self.assertIn("not here: it has no elements, or no memory", page.text)
        self.assertIn("result[0] f32, Tensor, shape (4), strides (1), 16 B, cpu:0 result 2.5, 5, "
                      "7.5, 10", page.text)
        self.assertIn("result[1] f32, Tensor, shape (4), strides (1), 16 B, cpu:0 result 1, 2, 3",
                      page.text)
        (r.folder / "tensors" / f"{murmur(X)}.npy").unlink()
        (r.folder / "tensors" / f"{murmur(Y)}.npy").write_bytes(npy(X))
        path = r.folder.with_suffix(".html")
        code, _, err = run("show", r.folder, f"--html={path}")
        self.assertEqual((code, err.count("\n")), (USAGE, 2))
        self.assertIn("its bytes have another hash than the call says", err)
        text = Page(path).text
        self.assertEqual(text.count("not here: its file is missing or damaged"), 4, text)
        r = new_recording()
        r.path.unlink()
        r.add(event="process", format=1, pid=1, byte_order={"little": "big", "big": "little"}[
            sys.byteorder])
        r.add(event="library", library=0, path="a.so")
        r.call("f", [tensor([4])], [X])
        self.assertIn("not here: its bytes are in the order of another kind", page_of(r).text)

    @unittest.skipUnless("LOCPATH" in os.environ, "the build has no locale with a decimal comma")
    def test_a_locale(self):
        """Numbers have a point also after a library chose a locale with a comma."""
        r = new_recording(PATHS["misbehaving"])
        values = floats(0.5, 1.5, 2.5, -3.5)
        number = r.call("kernel", [tensor([4])], [values])
        r.returned(number, tensor([4]), [values])
        r.returned(r.call("kernel", [{"float": "2.5"}]), {"float": "2.5"})
        german = {**os.environ, "LC_ALL": "de_DE.UTF-8", "ON_LOAD": "localize"}
        code, page, out = replayed_page(r, "--no-fork", env=german)
        self.assertEqual(code, OK, out)
        self.assertIn("0.5, 1.5, 2.5, -3.5 min -3.5, mean 0.25, max 2.5", page.text)
        self.assertIn("returned after 2.00 \u00b5s", page.text)
        self.assertNotRegex(page.source, r'="[^"]*\d,\d[^"]*"')

    def test_not_finished(self):
        r = new_recording()
        scale(r)
        with open(r.path, "ab") as file:
            file.write(b'{"event":"call","call":2,"thr')
        self.assertIn("the last line was not finished, and is left out", page_of(r).text)
        empty = new_recording()
        self.assertIn("There is no call.", page_of(empty).text)

    def test_nested(self):
        """Calls within others are below them; what did not finish goes on to the end."""
        r = new_recording()
        events = [("call", 1, 7, 0), ("call", 2, 7, 100), ("return", 2, 7, 300),
                  ("call", 3, 7, 300), ("error", 3, 7, 400), ("return", 1, 7, 500),
                  ("call", 4, 8, 600), ("call", 5, 7, 1000), ("return", 5, 7, 800)]
        for kind, call, thread, time in events:
            more = {"call": {"library": 0, "function": f"f{call}", "args": []},
                    "return": {"result": None}, "error": {"code": -1, "error": None}}[kind]
            r.add(event=kind, call=call, thread=thread, time=time, storages=[], **more)
        r.add(event="call", call=6, thread=7, time=900, library=0, function="f6",
              args=[], storages=[], late=True)
        r.add(event="error", call=6, thread=7, time=950, code=-1, error=None, storages=[])
        page = page_of(r)
        bars = {}
        for drawing in page.drawings:
            for group in drawing.iter():
                if group.get("class") == "b":
                    rect = group.find("{*}rect")
                    bars[int(group.find("{*}title").text.split()[0])] = (
                        float(rect.get("x")[:-1]), int(rect.get("y")),
                        float(rect.get("width")[:-1]), rect.get("class"))
        self.assertEqual(bars, {
            1: (0, 1, 49.95, "s1"), 2: (10, 21, 19.95, "s2"), 3: (30, 21, 9.95, "err"),
            4: (60, 1, 39.95, "hatch"), 5: (99.8, 1, .2, "s5"), 6: (90, 1, .2, "err")})
        self.assertRegex(page.text, "Thread 7 5 calls .* Thread 8 1 call")
        self.assertIn("6 calls 2 errors 1 unfinished call 6 functions", page.text)
        self.assertIn("the arguments were read after it had failed", page.text)

    def test_order_of_threads(self):
        """The main thread comes first, then others as they began; children after their parent."""
        r = Recording(WORK / "threads", [KERNELS])
        events = r.path.read_text().replace('"pid": 1,', '"pid": 90,').replace(
            '"unix_ns": "1"', '"unix_ns": "1000"')
        r.path.write_text(events)
        number = 0
        for name, pid, began, threads in (("calls.jsonl", 90, 1000, (50, 40, 90)),
                                          ("calls.4711.jsonl", 4711, 3000, (4711,)),
                                          ("calls.95.jsonl", 95, 2000, (96, 95))):
            r.path = r.folder / name
            if name != "calls.jsonl":
                r.add(event="process", format=1, pid=pid, byte_order=sys.byteorder,
                      unix_ns=str(began))
                r.add(event="library", library=0, path="x.so", build_id=None)
            for thread in threads:
                number += 1
                r.add(event="call", call=number, thread=thread, time=number * 10, library=0,
                      function="f", args=[], storages=[])
        self.assertEqual(re.findall(r"Thread (\d+) of process", page_of(r).text),
                         ["90", "50", "40", "95", "96", "4711"])

    def test_times(self):
        r = new_recording()
        for i in range(1, 201):
            r.add(event="call", call=i, thread=7, time=i * 1000000, library=0, function="f",
                  args=[], storages=[])
            r.add(event="return", call=i, thread=7, time=i * 1001000, result=None, storages=[])
        r.counts(("f", 3000, 0, 200))
        r.add(event="stop", time=9, why="the disk is full")
        page = page_of(r)
        self.assertIn("Bytes before f 200 3,000 0 0 20.1 ms 100.5 \u00b5s 198.0 \u00b5s "
                      "200.0 \u00b5s 0 B", page.text)
        self.assertIn("Not recorded: 2,800 calls of 3,000", page.text)
        self.assertIn("the recording stopped early: the disk is full", page.text)
        self.assertEqual(page.count_bars(None), 200)
        page = page_of(r, "--call=150")
        self.assertEqual((page.count_bars(None), page.ids), (1, {"hatch", "c150"}))
        self.assertIn("Not on this page: 199 recorded calls", page.text)
        self.assertEqual(page_of(r, "--match=g*").count_bars(None), 0)

    def test_late(self):
        """What a call that is recorded when it has failed wrote was not looked at before."""
        r = new_recording()
        r.raised(r.call("f", [tensor([4]), tensor([4], 1, object_id=1)], [X, ("no data", 16)],
                        late=True), "ValueError", "no", [X, ("no data", 16)])
        text = page_of(r).text
        self.assertIn("cpu:0 after it had failed 1, 2, 3, 4 min 1", text)
        self.assertEqual(text.count("not here: no data"), 1)
        self.assertNotIn("unchanged", text)

    def test_bad_calls_first(self):
        """Pictures are for calls that failed before they are for others."""
        r = new_recording()
        for i in range(70):
            r.returned(r.call("f", [tensor([4], object_id=k) for k in range(24)], [X]), None, [X])
        r.raised(r.call("f", [tensor([4])], [X]), "ValueError", "no", [X])
        page = page_of(r)
        failed = page.source[page.source.index('id="c71"'):]
        self.assertIn("arg[0] as a line", failed)
        self.assertIn("no picture: the page already has 1500", page.text)
        self.assertLess(page.source.index('id="c70"'), page.source.index('id="c71"'))

    def test_large_file(self):
        """A file that is larger than its storage is not read."""
        r = new_recording()
        scale(r)
        with open(r.folder / "tensors" / f"{murmur(X)}.npy", "r+b") as file:
            file.truncate(1 << 40)
        code, _, err = run("show", r.folder, f"--html={r.folder.with_suffix('.html')}")
        self.assertEqual(code, USAGE)
        self.assertIn("it has another size than the call says", err)

    def test_many(self):
        """Bars, calls and their arguments have bounds, and the page says so."""
        r = new_recording()
        lines = []
        for i in range(1, 20001):
            call = {"call": i, "thread": i % 100 if i > 20 else 1, "time": i * 1000}
            lines.append({"event": "call", **call, "library": 0, "function": f"f{i % 1100}",
                          "args": [0] * (90 if i == 1 else 1), "storages": []})
            if i > 20 and i % 97 != 0:
                lines.append({"event": "return", **call, "time": i * 1000 + 70000, "result": None,
                              "storages": []})
        with open(r.path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        page = page_of(r)
        self.assertLess(page.count_bars(None), 10000)
        self.assertGreater(page.count_bars(None), 1000)
        self.assertIn("20,000 calls 0 errors 226 unfinished calls 1,100 functions", page.text)
        self.assertRegex(page.text, "share a bar: [0-9,]+ of them")
        self.assertRegex(page.text, r"Not drawn: [0-9,]+ calls nested more than 12 deep")
        self.assertRegex(page.text, r"Not drawn: [0-9]+ more threads with [0-9,]+ calls")
        self.assertIn("Left out: 100 functions", page.text)
        self.assertIn("Here are 300 of 20,000 calls: at most 150", page.text)
        self.assertEqual(len(page.ids), 301)
        self.assertTrue({"c1", "c97", "c150"} < page.ids)
        self.assertIn("and 26 more", page.text)
        self.assertLess(len(page.source), 3000000)

    def test_refused(self):
        r = new_recording()
        scale(r)
        path = r.folder.with_suffix(".html")
        path.write_text("old", encoding="utf-8")
        for option in ("--calls", "--full", "--json"):
            bad(USAGE, f"--html cannot be combined with {option}", "show", r.folder,
                f"--html={path}", option)
        bad(USAGE, "there is no call 9", "show", r.folder, f"--html={path}", "--call=9")
        for name in ("calls.jsonl", "version", f"tensors/{murmur(X)}.npy", "tensors/new.html"):
            bad(USAGE, "is a file of the recording", "show", r.folder, f"--html={r.folder / name}")
        bad(USAGE, "nowhere", "show", r.folder, f"--html={WORK / 'nowhere' / 'x'}")
        with open(r.path, "ab") as file:
            file.write(b"{}\n")
        bad(USAGE, "the recording is damaged", "show", r.folder, f"--html={path}")
        self.assertEqual(path.read_text(encoding="utf-8"), "old")


@unittest.skipUnless(shutil.which("node"), "node is not installed")
@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Browser(unittest.TestCase):
    """The pages of show and replay in headless Chromium."""
    SCRIPT = pathlib.Path(__file__).parents[1] / "browser/test_recording.mjs"

    def setUp(self):
        self.r = r = new_recording()
        scale(r)
        scale(r, floats(2.5, 5, 7, 9))
        for shape in ([200], [100, 80], [2, 3, 4]):
            count = math.prod(shape)
            x = [math.sin(i / 9) for i in range(count)]
            y = [2.5 * value + (i == count // 2) for i, value in enumerate(x)]
            y[-1] = math.nan
            number = r.call("scale", [tensor(shape), {"float": "2.5"},
                                      tensor(shape, 1, object_id=1)],
                            [floats(*x), bytes(4 * count)])
            r.returned(number, None, [floats(*x), floats(*y)])
        long_text = "one_word_" * 40
        r.raised(r.call("fail", []), "ValueError", long_text + "<b>\n" + long_text)
        r.raised(r.call("fail", []), "ValueError", "on purpose, with 0 arguments")
        r.returned(r.call("identity", [long_text]), long_text)
        r.call("identity", [{"function": "0x10", "symbol": None, "id": 0}])
        for i, line in enumerate(lines := r.path.read_text().splitlines()):
            event = json.loads(line)
            if "call" in event:  # one after the other
                event["time"] = 3000 * event["call"] + (0 if event["event"] == "call" else 2000)
                lines[i] = json.dumps(event)
        r.path.write_text("\n".join(lines) + "\n")

    def check(self, page, differing):
        facts = {"calls": 9, "functions": 3, "bars": 9, "differing": differing}
        done = subprocess.run(
            ["node", self.SCRIPT, page, json.dumps(facts), WORK / "screenshots"], check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("FAILED", done.stdout)
        self.assertIn("ok nothing went wrong unseen", done.stdout)

    def test_show(self):
        path = self.r.folder.with_suffix(".html")
        good("show", self.r.folder, f"--html={path}")
        self.check(path, None)

    def test_replay(self):
        _, page, _ = replayed_page(self.r)
        self.check(page.path, [2, 3, 4, 5, 6])


class Export(unittest.TestCase):
    """The tensors of a call for other tools."""

    @staticmethod
    def mixed():
        r = new_recording()
        names = ((FLOAT32, X), ((4, 16, 1), b"\0\x3f\0\x40"), ((2, 64, 1), struct.pack("=d", .5)),
                 ((6, 8, 1), b"\1\0"), ((5, 64, 1), floats(1, 2)), ((0, 4, 1), b"\x21"))
        tensors = [tensor([len(data) * 8 // dtype[1]], i, dtype, object_id=i)
                   for i, (dtype, data) in enumerate(names)]
        number = r.call("f", [*tensors, 7, {"float": "2.5"}, True, "text"],
                        [data for _, data in names])
        r.returned(number, 5, [Y, *(data for _, data in names[1:])])
        return r

    def test_npz(self):
        r, path = self.mixed(), WORK / "call.npz"
        code, _, err = run("show", r.folder, "--call=1", f"--export={path}")
        self.assertEqual(code, OK, err)
        self.assertIn("before.arg[5] is left out: its elements are not whole bytes", err)
        with zipfile.ZipFile(path) as file:
            self.assertIsNone(file.testzip())
            arrays = {name: file.read(name) for name in file.namelist()}
        self.assertEqual(len(arrays), 14, sorted(arrays))
        for name, types, shape, data in (
                ("before.arg[0]", "f4", (4,), X), ("after.arg[0]", "f4", (4,), Y),
                ("before.arg[4]", "c8", (1,), floats(1, 2)), ("before.arg[3]", "b1", (2,), b"\1\0"),
                ("before.arg[6]", "i8", (), struct.pack("=q", 7)),
                ("before.arg[7]", "f8", (), struct.pack("=d", 2.5)),
                ("before.arg[8]", "b1", (), b"\1"),
                ("after.result", "i8", (), struct.pack("=q", 5))):
            found = arrays[name + ".npy"]
            size = 10 + struct.unpack("<H", found[8:10])[0]
            header = ast.literal_eval(found[10:size].decode())
            self.assertEqual((header["descr"][1:], header["shape"], found[size:]),
                             (types, shape, data), name)

    def test_safetensors(self):
        r, path = self.mixed(), WORK / "call.safetensors"
        code, _, err = run("show", r.folder, "--call=1", f"--export={path}")
        self.assertEqual(code, OK, err)
        self.assertIn("before.arg[5] is left out: .safetensors has no such data type", err)
        whole = path.read_bytes()
        size, = struct.unpack("<Q", whole[:8])
        header = json.loads(whole[8:8 + size])
        self.assertEqual((size % 8, header.pop("__metadata__")),
                         (0, {"call": "1", "function": "f"}))
        ends = [0, *(item["data_offsets"][1] for item in header.values())]
        self.assertEqual([item["data_offsets"][0] for item in header.values()], ends[:-1])
        self.assertEqual(8 + size + ends[-1], len(whole))
        for name, dtype, shape, data in (
                ("before.arg[0]", "F32", [4], struct.pack("<4f", 1, 2, 3, 4)),
                ("before.arg[1]", "BF16", [2], b"\0\x3f\0\x40"),
                ("before.arg[4]", "C64", [1], struct.pack("<2f", 1, 2)),
                ("after.arg[0]", "F32", [4], struct.pack("<4f", 2.5, 5, 7.5, 10)),
                ("before.arg[8]", "BOOL", [], b"\1"),
                ("after.result", "I64", [], b"\5" + bytes(7))):
            begin, end = (8 + size + at for at in header[name]["data_offsets"])
            self.assertEqual((header[name]["dtype"], header[name]["shape"], whole[begin:end]),
                             (dtype, shape, data), name)

    def test_refused(self):
        r = new_recording()
        r.call("f", [tensor([4])], [("no data", 16)])
        bad(USAGE, "--export is for the call of --call", "show", r.folder, "--export=x.npz")
        bad(USAGE, "whose name ends in .npz or .safetensors, not x.zip", "show", r.folder,
            "--call=1", "--export=x.zip")
        bad(USAGE, "--export cannot be combined with --json", "show", r.folder, "--call=1",
            "--export=x.npz", "--json")
        code, _, err = run("show", r.folder, "--call=1", f"--export={WORK / 'none.npz'}")
        self.assertEqual(code, USAGE)
        self.assertIn("before.arg[0] is left out: no data", err)
        self.assertIn("is not written: call 1 has no tensor or number that can be in it", err)
        self.assertFalse((WORK / "none.npz").exists())

    def test_calls_that_cannot_be_made(self):
        """What was recorded is exported also of a call that cannot be made again."""
        r, path = new_recording(), WORK / "made.npz"
        function = {"function": "0x1", "symbol": None, "id": 0}
        r.call("f", [{"array": [function, tensor([4], object_id=2)], "id": 1}], [X])
        self.assertEqual(run("show", r.folder, "--call=1", f"--export={path}")[0], OK)
        with zipfile.ZipFile(path) as file:
            self.assertEqual(file.namelist(), ["before.arg[0][1].npy"])
            self.assertTrue(file.read("before.arg[0][1].npy").endswith(X))
        r.path.write_text(r.path.read_text().replace(f'"{sys.byteorder}"', '"little"' if
                                                     sys.byteorder == "big" else '"big"', 1))
        code, _, err = run("show", r.folder, "--call=1", f"--export={WORK / 'swapped.npz'}")
        self.assertEqual(code, USAGE)
        self.assertIn("before.arg[0][1] is left out: its bytes are in the order of another kind of "
                      "machine", err)

    def test_long_names(self):
        """Tensors deep in lists have names of their own, as key and value of a map have."""
        r, path = new_recording(), WORK / "deep.npz"
        deep = [tensor([4], object_id=30), tensor([4], 1, object_id=31)]
        for i in range(25):
            deep = [{"array": deep, "id": 24 - i}]
        pair = [tensor([4], object_id=33), tensor([4], 1, object_id=34)]
        r.call("f", [*deep, {"map": [pair], "id": 32}], [X, Y])
        self.assertEqual(run("show", r.folder, "--call=1", f"--export={path}")[0], OK)
        with zipfile.ZipFile(path) as file:
            inside = "before.arg[0]" + "[0]" * 24
            self.assertEqual(file.namelist(), [f"{inside}[0].npy", f"{inside}[1].npy",
                                               "before.arg[1][0].npy", "before.arg[1][0]#2.npy"])
            self.assertTrue(file.read(f"{inside}[1].npy").endswith(Y))


class Pack(unittest.TestCase):
    """A recording in one file."""

    def pack(self, r, code=OK):
        path = r.folder.with_suffix(".zip")
        got, out, err = run("show", r.folder, f"--pack={path}")
        self.assertEqual((got, out), (code, ""), err)
        return path, err

    @unittest.skipIf(WINDOWS, "libraries there have no build id")
    def test_libraries(self):
        """The library and those it needs are in it, and are loaded only if the user says so."""
        folder = WORK / "moved away"
        folder.mkdir()
        shutil.copy(KERNELS, folder / "kernels.so")
        r = new_recording(folder / "kernels.so")
        scale(r)
        (r.folder / "notes.txt").write_text("not of the recording")
        path, err = self.pack(r)
        self.assertEqual(err, "")
        with zipfile.ZipFile(path) as file:
            self.assertIsNone(file.testzip())
            self.assertEqual(sorted(file.namelist()), sorted([
                "version", "calls.jsonl", f"libraries/{build_id(KERNELS)}/kernels.so",
                *(f"tensors/{murmur(data)}.npy" for data in (X, Y, ZERO))]))
        shutil.rmtree(r.folder)
        self.assertIn("scale(4xf32, float, 4xf32)", good("show", path, "--calls"))
        self.assertEqual(verdicts(OK, path)["same"], 1)
        (folder / "kernels.so").unlink()
        bad(LOAD, "is not loaded: there is no such file; --lib names the library to load, and "
            "replay --trust loads those that are in the archive", "replay", path)
        self.assertEqual(verdicts(OK, path, "--trust")["same"], 1)
        self.assertEqual(verdicts(OK, path, "--trust", "--in-order")["same"], 1)
        bad(USAGE, "--emit refers to files of a folder", "replay", path, "--emit=c")
        bad(USAGE, "is a file of the recording", "show", path, f"--html={path}")
        r = new_recording()
        scale(r)
        bad(USAGE, "--trust is for a recording in one file", "replay", r.folder, "--trust")
        self.assertEqual(list(TEMPORARY.glob("tvm-ffi-recording-*")), [])

    def make_needing(self, folder, name, *options, soname=True):
        """A recording of one call of a kernel in `folder` that needs the library `name` in `lib`
        there."""
        (folder / "lib").mkdir(parents=True)
        (folder / "needed.c").write_text("int get_needed(void) { return 42; }\n")
        (folder / "kernel.c").write_text(textwrap.dedent("""\
            #include <tvm/ffi/c_api.h>
            int get_needed(void);
            TVM_FFI_DLL_EXPORT int __tvm_ffi_get(void *self, const TVMFFIAny *args, int32_t num,
                                                 TVMFFIAny *result) {
              (void)self, (void)args, (void)num;
              result->type_index = kTVMFFIInt;
              result->v_int64 = get_needed();
              return 0;
            }
            """))
        compiler = ["cc", "-shared", "-fPIC", "-Wl,--build-id"]
        subprocess.run([*compiler, "-o", folder / "lib" / name, folder / "needed.c",
                        *([f"-Wl,-soname,{name}"] if soname else [])], check=True)
        subprocess.run([*compiler, "-o", folder / "kernel.so", folder / "kernel.c",
                        *(f"-I{name}" for name in BUILD[1:]), f"-L{folder}/lib", f"-l:{name}",
                        *options], check=True)
        r = new_recording(folder / "kernel.so")
        r.returned(r.call("get", []), 42)
        return r

    @staticmethod
    def packed_libraries(path):
        with zipfile.ZipFile(path) as file:
            return [name.split("/")[2] for name in file.namelist() if "libraries" in name]

    @unittest.skipUnless(BUILD and sys.platform == "linux" and not WINDOWS,
                         "programs are not built here")
    def test_needed_libraries(self):
        """Where the loader finds them, also those whose names begin as the runtime's does."""
        for name, options, variable in (
                ("libneeded.so", ["-Wl,-rpath,$ORIGIN/lib"], ""),
                ("libtvm_ffi_mydep.so", ["-Wl,-rpath,$ORIGIN/lib"], ""),
                ("libneeded.so", [], WORK / "needed" / "lib")):
            with self.subTest(name=name, variable=variable):
                folder = WORK / "needed"
                r = self.make_needing(folder, name, *options)
                with unittest.mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": str(variable)}):
                    path, err = self.pack(r)
                self.assertEqual((err, self.packed_libraries(path)), ("", [name, "kernel.so"]))
                shutil.rmtree(folder)
                self.assertEqual(verdicts(OK, path, "--trust")["same"], 1)

    @unittest.skipUnless(BUILD and sys.platform == "linux" and not WINDOWS,
                         "programs are not built here")
    def test_needed_libraries_that_are_not_found(self):
        """By the packing, or by the loader from the archive: it is said when the file is
        written."""
        r = self.make_needing(WORK / "lacking", "libneeded.so")
        path, err = self.pack(r)
        self.assertIn(f"note: libneeded.so, which {WORK / 'lacking/kernel.so'} needs, is not "
                      "packed: it was not found\n", err)
        self.assertEqual(self.packed_libraries(path), ["kernel.so"])
        r = self.make_needing(WORK / "nameless", "libneeded.so", "-Wl,-rpath,$ORIGIN/lib",
                              soname=False)
        path, err = self.pack(r)
        self.assertIn("libneeded.so is packed, but --trust does not find it: it has no DT_SONAME, "
                      "which -Wl,-soname,libneeded.so gives it\n", err)
        self.assertEqual(self.packed_libraries(path), ["libneeded.so", "kernel.so"])
        shutil.rmtree(WORK / "nameless")
        self.assertEqual(run("replay", path, "--trust")[0], LOAD)

    @unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
    def test_libraries_that_are_others(self):
        """What is not the recorded library is not packed, and not loaded from an archive."""
        r = new_recording()
        scale(r)
        r.path.write_text(r.path.read_text().replace(str(build_id(KERNELS)), "00ff"))
        path, err = self.pack(r)
        self.assertIn("is not packed: its build id is" if not WINDOWS else "is not packed", err)
        with zipfile.ZipFile(path, "a") as file:
            self.assertFalse([name for name in file.namelist() if "libraries" in name])
            file.write(KERNELS, f"libraries/00ff/{os.path.basename(KERNELS)}")
        code, _, err = run("replay", path, "--trust")
        self.assertEqual(code, LOAD)
        self.assertIn("is not loaded: its build id is" if not WINDOWS else "is not loaded", err)
        self.assertIn(f"libraries/00ff/{os.path.basename(KERNELS)}, from the archive, is not used",
                      err)

    @unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
    def test_libraries_of_many_calls(self):
        """A library in the archive is read once, not for each call."""
        r = new_recording()
        for _ in range(3):
            scale(r)
        r.path.write_text(r.path.read_text().replace(str(build_id(KERNELS)), "00ff"))
        path, _ = self.pack(r)
        with zipfile.ZipFile(path, "a") as file:
            file.write(KERNELS, f"libraries/00ff/{os.path.basename(KERNELS)}")
        code, _, err = run("replay", path, "--trust")
        self.assertEqual((code, err.count("from the archive, is not used")), (LOAD, 1), err)

    @unittest.skipIf(WINDOWS, "events of the console there come from a thread of its own")
    def test_a_signal(self):
        """What was unpacked is removed, too, if a signal ends the tool: here while it waits for
        somebody to read what it writes."""
        r = new_recording()
        scale(r)
        path, _ = self.pack(r)
        folder, waiting = WORK / "unpacked here", WORK / "unread.html"
        folder.mkdir()
        os.mkfifo(waiting)
        with subprocess.Popen([*tool.COMMAND, "show", path, f"--html={waiting}"],
                              env={**os.environ, "TMPDIR": str(folder)}) as process:
            try:
                for _ in range(SLOWER * 2000):
                    if list(folder.glob("*/version")):
                        break
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=SLOWER * 20)
            finally:
                process.kill()
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(os.listdir(folder), [])

    def test_damaged_archives(self):
        """Archives that are no recordings write nothing outside of their folder."""
        r = new_recording()
        scale(r)
        whole = self.pack(r)[0].read_bytes()
        path = WORK / "damaged.zip"
        begin = whole.index(b"calls.jsonl")
        for content, told in (
                (b"", "it is no zip archive, or cut off"), (b"not a zip", "it is no zip archive"),
                (whole[:begin + 99], "it is no zip archive, or cut off"),
                (whole.replace(b'"event":"process"', b'"event":"Process"', 1).replace(
                    b'"event": "process"', b'"event": "Process"', 1), "the checksum of a file"),
                (whole.replace(b"tvm-ffi recording 1", b"tvm-ffi recording 9"), "the checksum")):
            path.write_bytes(content)
            bad(USAGE, told, "show", path)
        for i in range(0, len(whole), len(whole) // 60):
            path.write_bytes(whole[:i])
            code, _, err = run("show", path)
            self.assertTrue(code == USAGE and err or code == OK, (i, code, err))
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("version", "tvm-ffi recording 1\n")
            file.writestr("tensors/", "")  # zip -r has folders, too
            file.writestr("calls.jsonl", r.path.read_bytes().splitlines(True)[0])
        good("show", path)
        path.write_bytes(whole[:-10])
        bad(USAGE, "it is no zip archive, or cut off", "show", path)
        for option in "--json", "--calls", "--html=x.html", "--match=f":
            bad(USAGE, "--pack writes the whole recording, and cannot be combined with "
                f"{option.split('=')[0]}", "show", r.folder, "--pack=x.zip", option)
        for name in (*(["libraries/00ff/CON", "libraries/00ff/com1.dll"] if WINDOWS else []),
                     "calls.a\nb.jsonl", "../escaped", "/escaped", "tensors/../escaped.npy",
                     "calls.\\x.jsonl",
                     "libraries/00ff/../../escaped", "libraries/00ff/a/b", "libraries/xyz/b",
                     "calls./../../escaped.jsonl", "tensors/short.npy", "next/x"):
            with zipfile.ZipFile(path, "w") as file:
                file.writestr("version", "tvm-ffi recording 1\n")
                file.writestr(name, "x")
            bad(USAGE, "is no file of a recording", "show", path)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("version", "tvm-ffi recording 1\n" * 99)
        bad(USAGE, "its files are compressed or encrypted", "show", path)
        with zipfile.ZipFile(path, "w") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(2):
                file.writestr("version", "tvm-ffi recording 1\n")
        bad(USAGE, "version is twice in the archive", "show", path)
        self.assertFalse(list(WORK.rglob("escaped*")))
        self.assertFalse(os.path.exists("/escaped"))


class Damaged(unittest.TestCase):

    def refuse(self, r, line, why):
        bad(USAGE, f"calls.jsonl:{line}: the recording is damaged: {why}", "show", r.folder)

    def test_not_finished(self):
        """A last line without its end is what a crash leaves."""
        r = new_recording()
        scale(r)
        with open(r.path, "ab") as file:
            file.write(b'{"event":"call","call":2,"thr')
        code, out, err = run("show", r.folder)
        self.assertEqual((code, out.splitlines()[1].split()[0]), (OK, "1"))
        self.assertIn("note: ", err)
        self.assertIn("calls.jsonl: the last line was not finished", err)
        with open(r.path, "ab") as file:
            file.write(b'\0\0\0ead":1,"time\0\0\0\0')
        self.assertEqual(run("show", r.folder), (code, out, err))

    def test_longer_than_its_events(self):
        """A process that dies leaves zeros after its events; within them, they are damage."""
        r = new_recording()
        scale(r)
        out = good("show", r.folder)
        with open(r.path, "ab") as file:
            file.write(bytes(5000))
        self.assertEqual(good("show", r.folder), out)
        with open(r.path, "ab") as file:
            file.write(b"\n")
        code, _, err = run("show", r.folder)
        self.assertEqual(code, USAGE)
        self.assertIn("the recording is damaged: it is not JSON", err)

    def test_folder(self):
        r = new_recording()
        (r.folder / "version").write_text("tvm-ffi recording 2\n")
        bad(USAGE, 'is not "tvm-ffi recording 1"', "show", r.folder)
        bad(USAGE, "nowhere", "show", WORK / "nowhere")

    def test_lines(self):
        for why, event in {
                "it is not an object with a text `event`": {"call": 1},
                "`thread` is not an integer": {"event": "call", "call": 1},
                "`library` is not that of a library event before it": {
                    "event": "call", "call": 1, "thread": 1, "time": 1, "library": 1},
                "it ends a call that had not begun": {"event": "return", "call": 5},
                "`text` is not a text": {"event": "note", "text": 5},
                "`library` is not the number of the next library": {"event": "library"},
                "`why` is not a text": {"event": "stop"},
                "`number` is not that of the next function": {
                    "event": "function", "number": 1, "function": "f"},
                "`function` is not a text": {"event": "function", "number": 0},
        }.items():
            r = new_recording()
            r.add(**event)
            self.refuse(r, 3, why)
        r = new_recording()
        with open(r.path, "ab") as file:
            file.write(b'{"event":\n')
        self.refuse(r, 3, "it is not JSON: ")
        r = new_recording()
        r.path.write_text('{"event":"note","text":"first"}\n')
        self.refuse(r, 1, "it is not a process event")

    def test_values(self):
        for why, value in {
                "there is a value of no known form": {"complex": 1},
                "a float is not a number": {"float": "two"},
                "bytes are not hexadecimal digits": {"bytes": "0g"},
                "a `ref` is to no object before it": {"ref": 3},
                "values are nested too deeply": json.loads('{"list":[' * 70 + ']}' * 70),
                "a tensor reaches beyond its storage": tensor([5]),
                "a tensor's `storage` is not the number of one": tensor([4], 1),
                "a tensor's `strides` is not": tensor([4], strides=[1, 1]),
                "a tensor's `shape` has no number of elements": tensor([-4]),
        }.items():
            r = new_recording()
            r.call("f", [value], [X])
            self.refuse(r, 3, why)
        r = new_recording()
        r.call("f", [{"list": [], "id": 1}, {"list": [], "id": 1}])
        self.refuse(r, 3, "two objects have the same `id`")

    def test_storages(self):
        r = new_recording()
        r.add(event="call", call=1, thread=1, time=1, library=0, function="f", args=[],
              storages=[{"device": CPU, "address": "0x0", "bytes": 1, "data": "../../x"}])
        self.refuse(r, 3, "a storage has no `data` that is a hash")
        r = new_recording()
        r.returned(r.call("f", [], [X]), None, [])
        self.refuse(r, 4, "`storages` is shorter than that of the call")

    def test_repeated(self):
        call = {"event": "call", "call": 9, "thread": 1, "time": 1, "function": "scale"}
        end = {"event": "return", "call": 9, "thread": 1, "time": 2}
        no_call = ("`like` is not the number of a call before it that has neither `like` "
                   "nor `late`")
        no_end = "`like` is not the call that its call repeats, or that has not returned"
        for why, events in [(no_call, [{**call, "like": 3}]), (no_call, [{**call, "like": 9}]),
                            (no_call, [{**call, "like": "one"}]),
                            (no_call, [{**call, "like": 1}, {**call, "call": 10, "like": 9}]),
                            (no_end, [{**call, "like": 1}, {**end, "like": 2}]),
                            (no_call, [{**call, "like": 1}, {**end, "like": 9}]),
                            ("`function` is not that of the call that it repeats",
                             [{**call, "like": 1, "function": "fail"}]),
                            (no_end, [{**call, "like": 3}, {**end, "like": 3}])]:
            r = new_recording()
            scale(r)
            scale(r)
            if why == no_end and events[0]["like"] == 3:
                r.call("scale", [])
            line = len(r.path.read_bytes().splitlines())
            for event in events:
                r.add(**event)
            self.refuse(r, line + len(events), why)
        r = new_recording()
        r.call("scale", [], late=True)
        r.add(**call, like=1)
        self.refuse(r, 4, no_call)
        r = new_recording()  # a call of another file
        scale(r)
        r.path = r.folder / "calls.4711.jsonl"
        r.add(event="process", format=1, byte_order="little")
        r.add(**call, like=1)
        bad(USAGE, "calls.4711.jsonl:2: the recording is damaged: " + no_call, "show", r.folder)

    def test_numbers(self):
        r = new_recording()
        scale(r)
        r.number = 0
        scale(r)
        bad(USAGE, "two calls have the number 1", "show", r.folder)

    def test_small_memory(self):
        """Bytes in the file of the process, of which none may be missing or others."""
        r = new_recording()
        entries = [{"device": CPU, "address": address, "bytes": 16, **r.small(content)}
                   for address, content in (("0x1000", X), ("0x2000", ZERO))]
        r.number += 1
        r.add(event="call", call=1, thread=7, time=1000, library=0, function="scale",
              args=[tensor([4]), {"float": "2.5"}, tensor([4], 1, object_id=1)], storages=entries)
        r.add(event="return", call=1, thread=7, time=3000, result=None,
              storages=[r.small(X), r.small(Y)])
        self.assertEqual(verdicts(OK, r.folder)["same"], 1)
        path = r.path.with_suffix(".memory")
        whole = path.read_bytes()
        for content, told in ((whole[:-1], "it is shorter than the call says"), (b"", "shorter"),
                              (Y + whole[16:], "its bytes have another hash than the call says"),
                              (None, "it cannot be opened")):
            path.unlink()
            if content is not None:
                path.write_bytes(content)
            bad(USAGE, told, "replay", r.folder)
        path.symlink_to("/dev/zero")
        bad(USAGE, "is not a regular file" if WINDOWS else "is a symbolic link", "replay", r.folder)
        r.add(event="call", call=2, thread=7, time=1, library=0, function="f", args=[], storages=[
            {"device": CPU, "address": "0x0", "bytes": 65537, "data": murmur(X), "at": 0}])
        bad(USAGE, "a storage with `at` has more than 65536 bytes", "show", r.folder)

    def test_outputs(self):
        """Memory that a call only writes is zeros when the call is made again."""
        r = new_recording()
        r.number += 1
        storages = r.storages([X, ("an output", 16)])
        storages[1]["output"] = True
        r.add(event="call", call=1, thread=7, time=1000, library=0, function="scale",
              args=[tensor([4]), {"float": "2.5"}, tensor([4], 1, object_id=1)], storages=storages)
        r.returned(1, None, [X, Y])
        self.assertEqual(verdicts(OK, r.folder)["same"], 1)
        self.assertNotIn("without the bytes", page_of(r).text)
        for language in "c", "python":
            self.assertIn("2.5", good("replay", r.folder, "--emit", language))

    def test_tensors(self):
        """Bytes are those that the name is the hash of."""
        r = new_recording()
        scale(r)
        path = r.folder / "tensors" / f"{murmur(X)}.npy"
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
        good("show", r.folder)  # reads the events alone
        for command in (["show", r.folder, "--call=1"], ["replay", r.folder]):
            code, _, err = run(*command)
            self.assertEqual(code, USAGE)
            self.assertIn(f"{murmur(X)}.npy: the recording is damaged: its bytes have another", err)
        path.write_bytes(content[:-1])
        self.assertIn("it ends after 15 of 16 bytes", run("replay", r.folder)[2])
        path.unlink()
        self.assertEqual(run("replay", r.folder)[0], USAGE)


class Replay(unittest.TestCase):

    def test_same(self):
        r = new_recording()
        scale(r)
        out = good("replay", r.folder)
        self.assertEqual(out, "[PASS] 1 scale: arg[2] max|err|=0\n"
                         "1 of 1 call is the same as recorded\n")

    @unittest.skipIf(WINDOWS, "names of files have no line breaks there")
    def test_a_note_in_one_line(self):
        r = new_recording()
        scale(r)
        other = WORK / "other\nbuild.so"
        shutil.copy(KERNELS, other)
        r.path.write_text(r.path.read_text().replace(str(build_id(KERNELS)), "00ff"))
        code, _, err = run("replay", r.folder, "--lib", other)
        self.assertEqual((code, err.count("\n")), (OK, 1), err)
        self.assertIn("other\\x0abuild.so is another build than the recorded one", err)

    def test_small_memory_at_a_far_place(self):
        """A place beyond the end of the file is refused at once."""
        r = new_recording()
        entry = {"device": CPU, "address": "0x1000", "bytes": 16, **r.small(X),
                 "at": str(2**62 - 1)}
        r.add(event="call", call=1, thread=7, time=1, library=0, function="f", args=[tensor([4])],
              storages=[entry])
        done = subprocess.run([*tool.COMMAND, "show", r.folder, "--call=1"], capture_output=True,
                              text=True, check=False, timeout=SLOWER * 20)
        self.assertEqual(done.returncode, USAGE, done)
        self.assertIn("it is shorter than the call says", done.stderr)

    @unittest.skipIf(WINDOWS, "the limit there is that of the address space")
    def test_many_in_order(self):
        """Memory of calls that were made is given back."""
        r = new_recording()
        number = scale(r)
        with open(r.path, "a", encoding="ascii") as file:
            for n in range(number + 1, 12000):
                facts = f'"call":{n},"thread":7,"time":{3000 + n},"like":{number}'
                file.write(f'{{"event":"call","function":"scale",{facts}}}\n')
                file.write(f'{{"event":"return",{facts}}}\n')
        self.assertEqual(verdicts(OK, r.folder, "--in-order")["same"], 11999)

    @unittest.skipIf(WINDOWS, "compilers are tested elsewhere")
    def test_in_order(self):
        """A function with state passes in order and not alone, which is said."""
        state = WORK / "state.c"
        state.write_text(textwrap.dedent("""\
            #include <stdlib.h>
            #include <tvm/ffi/c_api.h>
            static int64_t count;
            TVM_FFI_DLL_EXPORT int __tvm_ffi_next(void *self, const TVMFFIAny *args, int32_t num,
                                                  TVMFFIAny *result) {
              (void)self, (void)args, (void)num;
              result->type_index = kTVMFFIInt;
              result->v_int64 = ++count;
              return 0;
            }
            TVM_FFI_DLL_EXPORT int __tvm_ffi_abort(void *self, const TVMFFIAny *args, int32_t num,
                                                   TVMFFIAny *result) {
              (void)self, (void)args, (void)num, (void)result;
              abort();
            }
            """))
        r = new_recording()
        for i in (1, 2, 3):
            r.returned(r.call("next", []), i)
        found = verdicts(MISMATCH, r.folder, "--lib", state)
        self.assertEqual([c["verdict"] for c in found["calls"]], ["same", "differs", "differs"])
        code, _, err = run("replay", r.folder, "--lib", state)
        self.assertIn("--in-order may make them the same", err)
        for options in [], ["--no-fork"]:
            found = verdicts(OK, r.folder, "--lib", state, "--in-order", *options)
            self.assertEqual([c["verdict"] for c in found["calls"]], ["same"] * 3)
        self.assertEqual(replayed_page(r, "--lib", state, "--in-order")[0], OK)
        # A call within another, then a crash, and a call that cannot be reached.
        outer = r.call("next", [])
        r.number += 1
        r.add(event="call", call=r.number, thread=7, time=1500, library=0, function="next", args=[],
              storages=[])
        r.add(event="return", call=r.number, thread=7, time=2500, result=5, storages=[])
        r.returned(outer, 4)
        r.returned(r.call("abort", []), None)
        r.returned(r.call("next", []), 5)
        code, out, err = run("replay", r.folder, "--lib", state, "--in-order")
        self.assertEqual(code, RAISED)
        self.assertIn("[PASS] 4 next: result", out)
        self.assertIn("[----] 5 next: it is made by the call that it is within", out)
        self.assertRegex(out, r"\[FAIL\] 6 abort: crashed while it was called: .*it returned")
        self.assertIn("[----] 7 next: the process ended in an earlier call", out)
        self.assertNotIn("--in-order may", err)
        bad(USAGE, "--in-order cannot be combined with --bench", "replay", r.folder, "--in-order",
            "--bench")

    def test_distances(self):
        """How far the worst element is from what was expected: as a part of it, and in steps from
        one number to the next."""
        cases = ((FLOAT32, "f", 1.0, 1 + 2**-23, "relative 1.19e-07, 1 ULP"),
                 (FLOAT32, "f", -0.0, 2**-149, "relative 1, 1 ULP"),
                 (FLOAT32, "f", -1.0, 1.0, "relative 2, 2130706432 ULP"),
                 ((2, 64, 1), "d", 1.0, 1 - 2**-53, "relative 1.11e-16, 1 ULP"),
                 ((2, 16, 1), "e", 1.0, 1 + 2**-9, "relative 0.00195, 2 ULP"),
                 ((5, 64, 1), "f", 1.0, 1 + 2**-22, "relative 2.38e-07, 2 ULP"),
                 (INT32, "i", 5, 4, "relative 0.25"),
                 (FLOAT32, "f", math.nan, 4.0, ""), (FLOAT32, "f", 4.0, 0.0, "1082130432 ULP"))
        for dtype, code, got, wanted, told in cases:
            r = new_recording()
            size = 2 if dtype[0] == 5 else 1
            before, after = (struct.pack(f"={size}{code}", *[x] * size) for x in (got, wanted))
            number = r.call("identity", [tensor([1], 0, dtype)], [before])
            r.add(event="return", call=number, thread=7, time=3000, result=tensor([1], 1, dtype),
                  storages=[*r.contents([before]), *r.storages([after], 0x900000)])
            _, out, _ = run("replay", r.folder, "--rtol=0", "--atol=0")
            line = out.splitlines()[0]
            self.assertTrue(re.search(r" at \[0\](?: number \d)?" + re.escape(
                ", " + told if told else "") + "$", line), line)

    def test_differs(self):
        r = new_recording()
        scale(r)
        scale(r, floats(2.5, 5, 7, 9))
        code, out, _ = run("replay", r.folder)
        self.assertEqual(code, MISMATCH)
        self.assertIn("[FAIL] 2 scale: arg[2] 4xf32 element [2] is 7.5, expected 7; 2 of 4 differ; "
                      "the largest difference is 1 at [3]: 10, expected 9, relative 0.111, "
                      "1048576 ULP\n", out)
        self.assertIn("1 of 2 calls are the same as recorded, 1 is not; the first is 2, scale", out)
        found = verdicts(MISMATCH, r.folder)
        self.assertEqual((found["same"], found["differs"], found["first"]), (1, 1, 2))
        self.assertEqual(found["calls"][1]["max_abs_error"], 1)
        self.assertEqual(verdicts(OK, r.folder, "--atol=1")["same"], 2)
        self.assertEqual(verdicts(OK, r.folder, "1")["same"], 1)

    def test_chosen(self):
        r = new_recording()
        for _ in range(5):
            scale(r)
        numbers = lambda *args: [c["call"] for c in verdicts(OK, r.folder, *args)["calls"]]
        self.assertEqual(numbers("2"), [2])
        self.assertEqual(numbers("1,3-4"), [1, 3, 4])
        self.assertEqual(numbers("--match=sc*"), [1, 2, 3, 4, 5])
        bad(USAGE, "no call was chosen", "replay", r.folder, "9")
        bad(USAGE, "`1-` is not a list of calls", "replay", r.folder, "1-")
        bad(USAGE, "no call was chosen", "replay", r.folder, "--match=x")

    def test_errors(self):
        r = new_recording()
        message = "on purpose, with 0 arguments"
        r.raised(r.call("fail", []), "ValueError", message)
        r.raised(r.call("fail", []), "TypeError", message)
        r.returned(r.call("fail", []))
        r.raised(r.call("add", [1, 2]), "ValueError", "no")
        r.call("add", [1, 2])
        r.raised(r.call("fail", [], late=True), "ValueError", message)
        r.add(event="call", call=7, thread=1, time=1, library=0, function="fail", args=[],
              storages=[])
        r.add(event="error", call=7, thread=1, time=2, code=-2, error=None, storages=[])
        found = verdicts(MISMATCH, r.folder)
        self.assertEqual([c["verdict"] for c in found["calls"]], [
            "same", "differs", "raised", "differs", "not compared", "same", "same"])
        details = [c["detail"] for c in found["calls"]]
        self.assertEqual(details[0], f"raised ValueError: {message}")
        self.assertEqual(details[1],
                         f"raised ValueError: {message}; recorded: TypeError: {message}")
        self.assertEqual(details[2], f"raised ValueError: {message}; recorded: it returned")
        self.assertEqual(details[3], "returned; recorded: it raised ValueError: no")
        self.assertEqual(details[4], "returned; recorded: it did not return")
        self.assertTrue(found["calls"][5]["late"])
        self.assertEqual(verdicts(RAISED, r.folder, "3")["raised"], 1)
        r = new_recording()
        long = 3000 * "\u00e9"
        r.raised(r.call("fail", []), "TypeError", long)
        self.assertEqual(verdicts(MISMATCH, r.folder)["calls"][0]["detail"],
                         f"raised ValueError: {message}; recorded: TypeError: {long}")

    @unittest.skipIf(WINDOWS, "a crash ends the command")
    def test_crash(self):
        """A call that crashes does not keep out the next ones."""
        r = new_recording()
        r.call("crash", [])
        scale(r)
        found = verdicts(RAISED, r.folder)
        self.assertEqual([c["verdict"] for c in found["calls"]], ["crashed", "same"])
        self.assertRegex(found["calls"][0]["detail"], "^crashed while it was called: Segmentation "
                         "fault.*; recorded: it did not return either$")
        r.call("wait", [{"float": "3000"}])
        found = verdicts(RAISED, r.folder, "3", f"--timeout={patience(0.5)}")
        self.assertIn(f"it took longer than {patience(0.5)} s", found["calls"][0]["detail"])

    def test_layouts(self):
        """Tensors lie as they did: strides, offsets, alignment, shared memory, flags."""
        r = new_recording()
        args = [tensor([4, 2], strides=[8, 1], offset=4),
                tensor([2, 4], object_id=1, offset=16),
                tensor([4], 1, object_id=2, byte_offset=8, flags=1),
                tensor([3], 2, dtype=UINT8, key="dltensor"),
                tensor([3], 0, dtype=INT32, object_id=3, offset=116, strides=[-1])]
        storages = [bytes(120), X, b"abc"]
        number = r.call("describe", args, storages, address=0x7003)
        r.returned(number, None, storages)
        code, _, err = run("replay", r.folder)
        self.assertEqual(code, OK)
        first, second, third, fourth, fifth = err.strip().split("; ")
        self.assertEqual(first, "[4, 2] [8, 1]+0 base 7 at +0 cpu:0")
        self.assertEqual(second, "[2, 4] [4, 1]+0 base 19 at +12 cpu:0")
        self.assertRegex(third, r"^\[4\] \[1\]\+8 base 59 at \S+ cpu:0 read-only$")
        self.assertRegex(fourth, r"^\[3\] \[1\]\+0 base 3 at \S+ cpu:0 dltensor$")
        self.assertEqual(fifth, "[3] [-1]+0 base 55 at +112 cpu:0")

    def test_shared(self):
        """What one argument writes, the other one has too."""
        r = new_recording()
        before, after = floats(1, 2, 3, 4, 5), floats(1, 2, 4, 8, 16)
        args = [tensor([4]), {"float": "2"}, tensor([4], object_id=1, offset=4)]
        r.returned(r.call("scale", args, [before]), None, [after])
        self.assertEqual(verdicts(OK, r.folder)["calls"][0]["verdict"], "same")

    def test_values(self):
        """Every value that can be made is the same after a function has returned it."""
        pair = {"array": [1, {"list": [{"float": "2.5"}], "id": 1}], "id": 0}
        loop = {"list": [1, {"ref": 0}], "id": 0}
        values = [
            None, True, 7, {"int": str(-2**63)}, {"float": "-inf"}, {"float": "1e-300"}, "text",
            "a longer text than fits into a value itself", {"str": "ff00"}, {"bytes": "00ff"},
            {"dtype": [4, 16, 1]}, {"device": [2, 3]}, {"shape": [4, 0, 3], "id": 0},
            {"pointer": "0x0"}, pair, {"map": [["k", 1], [2, "v"]], "id": 0},
            {"dict": [["k", {"map": [], "id": 1}]], "id": 0},
            {"map": [[{"shape": [2], "id": 1}, 5], [{"array": ["a"], "id": 2}, {"float": "2"}]],
             "id": 0},
            {"dict": [[{"shape": [2], "id": 1}, {"map": [[{"ref": 1}, 1]], "id": 2}]], "id": 0},
            {"array": [{"shape": [1], "id": 1}, {"ref": 1}], "id": 0},
        ]
        r = new_recording()
        for value in values:
            r.returned(r.call("identity", [value]), value)
        r.returned(r.call("identity", [{"raw_str": "abc"}]), "abc")
        r.returned(r.call("identity", [{"raw_bytes": "00"}]), {"bytes": "00"})
        r.call("identity", [loop])
        found = verdicts(OK, r.folder)
        self.assertEqual([c for c in found["calls"] if c["verdict"] != "same"][:-1], [])
        self.assertEqual(found["calls"][-1]["verdict"], "not compared")
        wrong = new_recording()
        for value in values:
            if value is not None:
                wrong.returned(wrong.call("identity", [value]), None)
        self.assertEqual(verdicts(MISMATCH, wrong.folder)["same"], 0)

    def test_maps(self):
        """Maps are compared by what their keys are, in any order; the first difference is named."""
        def entries(*pairs):
            return {"map": [[{"shape": [key], "id": i + 1}, value]
                            for i, (key, value) in enumerate(pairs)], "id": 0}

        r = new_recording()
        for wanted in (entries((2, 5), (3, 6)), entries((3, 6), (2, 5)), entries((2, 5), (4, 6)),
                       entries((2, 5), (3, 7)), entries((2, 5)), entries((2, 5), (2, 6))):
            r.returned(r.call("identity", [entries((2, 5), (3, 6))]), wanted)
        calls = verdicts(MISMATCH, r.folder)["calls"]
        self.assertEqual([c["verdict"] for c in calls], ["same"] * 2 + ["differs"] * 4)
        self.assertEqual([c["detail"] for c in calls[2:]], [
            "result lacks the key shape:[4]",
            "result entry [shape:[3]] is 6, expected 7",
            "result has 2 entries, expected 1", "result lacks the key shape:[2]"])

    def test_results(self):
        """Tensors in results, which have memory of their own."""
        r = new_recording()
        made = tensor([3])
        r.returned(r.call("make", [3]), made, added=[floats(0, 1, 2)])
        r.returned(r.call("make", [3]), made, added=[floats(0, 1, 3)])
        both = {"array": [tensor([1]), tensor([2], 1, object_id=1)], "id": 2}
        r.returned(r.call("make_two", []), both, added=[floats(0), floats(0, 1)])
        r.returned(r.call("make", [3]), made, added=[("too large", 12)])
        found = verdicts(MISMATCH, r.folder)
        self.assertEqual([c["verdict"] for c in found["calls"]],
                         ["same", "differs", "same", "same"])
        self.assertIn("1 output not compared", found["calls"][3]["detail"])

    def test_left_out(self):
        """What cannot be repeated is said, and counted."""
        r = new_recording()
        for value, storages in [({"function": "0x1", "symbol": None, "id": 0}, []),
                                ({"pointer": "0x10"}, []), ({"unknown": 99}, []),
                                ({"left_out": "too deep"}, []),
                                ({"object": "my.Pair", "fields": {"a": 1}, "id": 0}, []),
                                ({"object": "ffi.Module", "address": "0x1", "id": 0}, []),
                                (tensor([4]), [("no data", 16)]),
                                (tensor([4], device=[2, 0]), [X]),
                                ({"array": [1, {"pointer": "0x1"}], "id": 0}, [])]:
            r.call("identity", [value], storages)
        found = verdicts(MISMATCH, r.folder)
        self.assertEqual(found["left_out"], 9)
        for call, why in zip(found["calls"], [
                "arg[0] is a function", "arg[0] is an opaque pointer",
                "arg[0] is a value of an unknown type", "arg[0] was left out: too deep",
                "arg[0] is a my.Pair, a type that is not registered here",
                "arg[0] is a ffi.Module, of which no fields are known",
                "arg[0] has no recorded data: no data",
                "arg[0] is on cuda:0, and --device does not say where it may be",
                "arg[0][1] is an opaque pointer"]):
            self.assertEqual(call["detail"], why)
        scale(r)
        code, out, _ = run("replay", r.folder)
        self.assertEqual(code, OK)
        self.assertTrue(out.endswith("1 of 10 calls are the same as recorded; 9 cannot be "
                                     "repeated\n"), out)

    def test_other_byte_order(self):
        r = new_recording()
        lines = r.path.read_text().replace('"little"', '"x"').replace('"big"', '"little"')
        r.path.write_text(lines.replace('"x"', '"big"'))
        scale(r)
        self.assertIn("another kind of machine", verdicts(MISMATCH, r.folder)["calls"][0]["detail"])

    def test_libraries(self):
        """--lib takes the place of the library of that file name, or of all."""
        r = new_recording("/nowhere/" + os.path.basename(KERNELS), KERNELS)
        scale(r)
        scale(r, library=1)
        if not WINDOWS:
            code, _, err = run("replay", r.folder)
            self.assertEqual(code, LOAD)
            self.assertIn("/nowhere/", err)
        self.assertEqual(verdicts(OK, r.folder, "--lib", KERNELS)["same"], 2)
        r = new_recording("/nowhere/python3")
        scale(r)
        self.assertEqual(verdicts(OK, r.folder, "--lib", KERNELS)["same"], 1)
        r.call("missing", [])
        code, _, err = run("replay", r.folder, "--lib", KERNELS)
        self.assertEqual(code, USAGE)
        self.assertIn("there is no function missing", err)
        for options in [], ["--in-order"]:  # the document has an end nevertheless
            code, out, err = run("replay", r.folder, "--lib", KERNELS, "--json", *options)
            self.assertIn("there is no function missing", err)
            self.assertEqual((code, json.loads(out)["differs"]), (USAGE, 0), out)


@unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
class Builds(unittest.TestCase):
    """Another build than the recorded one is told first, and with the verdict."""

    def test_told(self):
        r = new_recording()
        scale(r)
        lines = r.path.read_text("utf-8").replace(build_id(KERNELS), "00ff")
        code, out, err = run("replay", r.folder, "--lib", KERNELS)
        self.assertEqual((code, err), (OK, ""))
        self.assertTrue(out.endswith("1 of 1 call is the same as recorded\n"), out)
        self.assertEqual(verdicts(OK, r.folder)["libraries"], [
            {"recorded": KERNELS, "recorded_build_id": build_id(KERNELS), "called": KERNELS,
             "called_build_id": build_id(KERNELS), "build": "recorded"}])
        r.path.write_text(lines, "utf-8")
        code, out, err = run("replay", r.folder, "--lib", KERNELS)
        self.assertEqual(code, OK, err)
        self.assertEqual(err, f"tvm-ffi: note: {KERNELS} is another build than the recorded one: "
                         f"its build id is {build_id(KERNELS)}, and 00ff was recorded\n")
        self.assertTrue(out.endswith("1 of 1 call is the same as recorded; called in another "
                                     "build of run_kernels.so\n"), out)
        found = verdicts(OK, r.folder, "--lib", KERNELS)["libraries"]
        self.assertEqual([library["build"] for library in found], ["other"])
        self.assertIn(f"with {KERNELS} (another build)",
                      replayed_page(r, "--lib", KERNELS)[1].text)
        r.path.write_text(lines.replace('"00ff"', "null"), "utf-8")
        found = verdicts(OK, r.folder, "--lib", KERNELS)["libraries"]
        self.assertEqual([library["build"] for library in found], ["unknown"])
        bad(LOAD, "text.so: not an ELF", "replay", r.folder, "--lib", self.make_text())

    @staticmethod
    def make_text():
        path = WORK / "text.so"
        path.write_text("no library")
        return path


PLANTED = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void plant(void) {
  FILE *file = fopen(getenv("PLANTED"), "w");
  if (file != NULL) fclose(file);
}
"""


@unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
class Stranger(unittest.TestCase):
    """What a stranger's recording names is not run."""

    def setUp(self):
        self.folder = WORK / f"stranger{id(self)}"
        self.folder.mkdir()
        self.planted = self.folder / "planted"
        self.source = self.folder / "plant.c"
        self.source.write_text(PLANTED)
        self.evil = self.folder / "evil.so"
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC",
                        "-Wl,--build-id=sha1", self.source, "-o", self.evil], check=True)
        self.before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, self.before)

    def refused(self, path, why, code=LOAD, given=None, folder=None, **more):
        """Neither replay nor probe, nor what they do besides, loads the library."""
        r = new_recording()
        if folder is not None:
            r = Recording(folder, [])
        r.path.write_text(r.path.read_text(encoding="utf-8").split("\n")[0] + "\n", "utf-8")
        r.add(event="library", library=0, path=str(path), build_id=given)
        scale(r)
        for words in (["replay", r.folder], ["replay", r.folder, "--bench"],
                      ["replay", r.folder, "--against", KERNELS], ["probe", r.folder, "1"]):
            got, out, err = run(*words, env={**os.environ, "PLANTED": str(self.planted)}, **more)
            self.assertFalse(self.planted.exists(), words)
            self.assertEqual(got, code, (words, out, err))
            self.assertIn(why, err, words)
            self.assertIn("--lib", err, words)
        for language in "c", "python":
            program = good("replay", r.folder, f"--emit={language}")
            self.assertNotIn(f'"{path}"', program)
            self.assertNotIn("[LIBRARY]", program)
        return r

    def test_planted(self):
        """The library that is planted here runs when it is loaded."""
        r = new_recording(self.evil)
        r.call("f", [])
        run("replay", r.folder, env={**os.environ, "PLANTED": str(self.planted)})
        self.assertTrue(self.planted.exists())

    def test_sources(self):
        """A recording never makes the tool compile, whatever is allowed on the command line."""
        for name in "plant.c", "plant.cc", "plant.o", "plant.a":
            source = self.folder / name
            if name.endswith((".c", ".cc")):
                source.write_text(PLANTED)
            else:
                shutil.copy(self.evil, source)
            given = build_id(source) or "00ff"
            self.refused(source, "it is a source, an object file or an archive", given=given)

    def test_relative(self):
        for path in "evil.so", "./evil.so", f"../{self.folder.name}/evil.so":
            self.refused(path, "it is a relative path", given=build_id(self.evil))
        for proc in "/proc", "//proc", "/./proc", "/usr/../proc", "/var/run/../proc":
            self.refused(f"{proc}/self/cwd/evil.so", "a path below /proc",
                         given=build_id(self.evil))
        self.refused("-", "it is a relative path", given=build_id(self.evil))
        tokens = self.folder / "$LIB"
        tokens.mkdir()
        shutil.copy(self.evil, tokens)
        self.refused(tokens / "evil.so", "it contains $", given=build_id(self.evil))

    def test_build_ids(self):
        self.refused(self.evil, "no build id was recorded for it", given=None)
        self.refused(self.evil, f"its build id is {build_id(self.evil)}, and 00ff was recorded",
                     given="00ff")
        self.refused(self.source.with_suffix(".txt"), "there is no such file", given="00ff")
        none = self.folder / "none.so"
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC",
                        "-Wl,--build-id=none", self.source, "-o", none], check=True)
        self.refused(none, "it has no build id", given=build_id(self.evil))
        text = self.folder / "text.so"
        text.write_text("#!/bin/sh")
        self.refused(text, "it has no build id", given="00ff")
        os.mkfifo(self.folder / "fifo.so")
        self.refused(self.folder / "fifo.so", "it is not a regular file", given="00ff")

    def test_inside(self):
        """A library that comes with the recording is not loaded, whatever its build id."""
        folder = self.folder / "recording"
        inside = folder / "lib" / "evil.so"
        inside.parent.mkdir(parents=True)
        shutil.copy(self.evil, inside)
        self.refused(inside, "it is in the folder of the recording", given=build_id(inside),
                     folder=folder)

    def test_functions_of_the_runtime(self):
        """A recording names functions of the library, and none that the runtime registers: those
        load files."""
        r = new_recording()
        for name in "ffi.ModuleLoadFromFile", "ffi.Module.load_from_file.so":
            r.call(name, [str(self.evil), *(["so"] if "from_file.so" in name else [])])
        for words in (["replay", r.folder, "1"], ["replay", r.folder, "2"],
                      ["replay", r.folder, "1", "--bench"], ["replay", r.folder, "1", "--no-fork"],
                      ["replay", r.folder, "1", "--against", KERNELS], ["probe", r.folder, "1"],
                      ["replay", r.folder, "1", "--lib", KERNELS]):
            code, _, err = run(*words, env={**os.environ, "PLANTED": str(self.planted)})
            self.assertFalse(self.planted.exists(), words)
            self.assertEqual((code, "there is no function ffi.Module" in err), (USAGE, True), err)

    def unread(self, r, why):
        for words in (["show", r.folder, "--call=1"], ["replay", r.folder],
                      ["show", r.folder, f"--html={self.folder}/page.html"]):
            code, _, err = run(*words)
            self.assertEqual((code, why in err), (USAGE, True), err)

    def test_no_files(self):
        """A FIFO would never end, and a link leads elsewhere: only regular files are read."""
        r = new_recording()
        scale(r)
        data = next((r.folder / "tensors").iterdir())
        for path in r.folder / "version", r.path, data:
            kept = path.read_bytes()
            path.unlink()
            os.mkfifo(path)
            self.unread(r, "is not a regular file")
            path.unlink()
            elsewhere = self.folder / "elsewhere"
            elsewhere.write_bytes(kept)
            path.symlink_to(elsewhere)
            self.unread(r, "is a symbolic link")
            path.unlink()
            path.write_bytes(kept)
        self.assertEqual(verdicts(OK, r.folder)["same"], 1)
        (r.folder / "tensors").rename(self.folder / "tensors")
        (r.folder / "tensors").symlink_to(self.folder / "tensors")
        self.unread(r, "tensors: a recording has no symbolic links")


WRONG = """
#include <tvm/ffi/c.h>
#include <stdlib.h>
TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float, 2: DLTensor*) -> void") {
  DLTensor *x, *y;
  double factor;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &factor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 2, &y));
  if (factor < 0) abort();
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    ((float *)y->data)[i] = (float)factor * ((float *)x->data)[i] + (i == 2) + 3 * (i == 3);
  }
  return 0;
}
TVM_FFI_C_EXPORT(identity, "(0: Any) -> Any") {
  return tvm_ffi_any_copy(&args->args[0], args->result);
}
TVM_FFI_C_EXPORT(make, "(0: int) -> Any") { (void)args; return 0; }
TVM_FFI_C_EXPORT(fail, "() -> void") { (void)args; return 0; }
"""


@unittest.skipIf(WINDOWS, "compilers are tested elsewhere")
class Against(unittest.TestCase):
    """Two builds of a library, call by call."""

    def setUp(self):
        (WORK / "wrong.c").write_text(WRONG)

    def test_same(self):
        r = new_recording("/nowhere/x.so")
        scale(r, ZERO)  # what was recorded does not count
        r.call("identity", [{"array": ["a", tensor([4])], "id": 1}], [X])
        r.call("identity", [{"map": [["k", 1]], "id": 0}])
        r.call("make", [3])
        r.call("fail", [])
        found = verdicts(OK, r.folder, "--lib", KERNELS, "--against", KERNELS)
        self.assertEqual(found["same"], 5, found)

    def test_differs(self):
        r = new_recording("/nowhere/x.so")
        r.call("identity", [{"map": [["k", 1]], "id": 0}])
        r.call("identity", ["text"])
        scale(r)
        number = r.call("scale", [tensor([4]), {"float": "-1"}, tensor([4], 1, object_id=1)],
                        [X, ZERO])
        r.call("make", [3])
        r.call("fail", [])
        options = [r.folder, "--lib", KERNELS, "--against", WORK / "wrong.c"]
        found = verdicts(MISMATCH, *options)
        self.assertEqual([c["verdict"] for c in found["calls"]],
                         ["same", "same", "differs", "differs", "differs", "raised"])
        details = [c["detail"] for c in found["calls"]]
        self.assertEqual(details[2], "arg[2] 4xf32 element [2] is 7.5, expected 8.5; 2 of 4 "
                         "differ; the largest difference is 3 at [3]: 10, expected 13, relative "
                         "0.231, 3145728 ULP")
        self.assertRegex(details[3], r"^returned; .*wrong.c: crashed while it was called: Abort")
        self.assertEqual(details[4], "result is 3xf32=0 1 2, expected none")
        self.assertEqual(found["first"], 3)
        self.assertIn("the first is 3, scale", run("replay", *options)[1])
        swapped = verdicts(RAISED, r.folder, str(number), "--lib", WORK / "wrong.c", "--against",
                           KERNELS)
        self.assertIn("crashed while it was called: Abort", swapped["calls"][0]["detail"])


class ReplayPage(unittest.TestCase):
    """replay --html"""

    def test_differs(self):
        """What differs is listed with links, and is beside what was recorded."""
        r = new_recording()
        scale(r)
        scale(r, floats(2.5, 5, 7, 9))
        scale(r)
        r.returned(r.call("fail", []))
        r.call("identity", [{"function": "0x10", "symbol": None, "id": 0}])
        code, page, out = replayed_page(r)
        self.assertEqual((code, out), run("replay", r.folder)[:2])
        self.assertEqual(code, MISMATCH)
        self.assertIn("5 calls 2 differ 0 errors 1 unfinished call 3 functions", page.text)
        # On Windows the library has to be named.
        self.assertRegex(page.text, r"made again by tvm-ffi replay (with \S+ )?and compared with "
                         "what was recorded")
        self.assertIn("2 of 5 calls differ. 2 scale differs : arg[2] 4xf32 element [2] is 7.5, "
                      "expected 7; 2 of 4 differ; the largest difference is 1 at [3]: 10, "
                      "expected 9, relative 0.111, 1048576 ULP 4 fail raised "
                      ": raised ValueError", page.text)
        self.assertEqual([link for link in page.links[:2]], ["#c2", "#c4"])
        for verdict in ("same : arg[2] max|err|=0", "raised : raised ValueError",
                        "left out : arg[0] is a function"):
            self.assertIn(f"Made again: {verdict}", page.text)
        self.assertIn(
            "largest difference is 1 at [3]: 10, expected 9, relative 0.111, 1048576 ULP "
            "recorded 2.5, 5, 7, 9 min 2.5, mean 5.875, max 9 "
            "replayed 2.5, 5, 7.5, 10 min 2.5, mean 6.25, max 10 "
            "distance 0, 0, 0.5, 1 min 0, mean 0.375, max 1", page.text)
        # Both lines have one scale, from 2.5 to 10: the recorded one does not reach the top.
        lines = [drawing[-1].get("d") for drawing in page.drawings
                 if drawing.get("aria-label") == "arg[2] as a line"]
        ends = [line.split("L")[-1] for line in lines]
        self.assertIn("3.5 11.8", ends)
        self.assertIn("3.5 3.0", ends)
        self.assertEqual(page.counts["figure"], 3 * 2 + 1)

    def test_chosen(self):
        """The page has the calls that were made again."""
        r = new_recording()
        for _ in range(4):
            scale(r)
        code, page, _ = replayed_page(r, "2-3")
        self.assertEqual(code, OK)
        self.assertIn("Not on this page: 2 recorded calls that were not chosen", page.text)
        self.assertIn("Replay 0 of 2 calls differ. Timeline", page.text)
        self.assertEqual({i for i in page.ids if i.startswith("c")}, {"c2", "c3"})
        # The page of a recording alone says nothing of a replay.
        self.assertNotIn("Replay", page_of(r).text)

    def test_images(self):
        """One element that differs is seen among those that share its cell."""
        r = new_recording()
        x, y = [1] * 128 * 128, [2.5] * 128 * 128
        y[0], y[-1] = 3.5, math.nan
        number = r.call("scale", [tensor([128, 128]), {"float": "2.5"},
                                  tensor([128, 128], 1, object_id=1)], [floats(*x), floats(*x)])
        r.returned(number, None, [floats(*x), floats(*y)])
        _, page, _ = replayed_page(r)
        pixels = [image[54 + 4 * 66:] for image in page.images[:3]]
        self.assertEqual([len(image) for image in pixels], [64 * 64] * 3)
        # Rows are from the last to the first.
        first, last, other = 63 * 64, 63, 5
        self.assertEqual([pixels[2][i] for i in (first, last, other)], [63, 64, 0])
        self.assertEqual(pixels[0][last], 64)
        self.assertEqual(len(set(pixels[1])), 1)
        self.assertIn("1 NaN, 0 Inf replayed", page.text)

    def test_large_integers(self):
        """Their distance is that of the integers: these two are the same double."""
        r = new_recording()
        value, other = (struct.pack("=2q", 5, number) for number in (2**53, 2**53 + 1))
        number = r.call("identity", [tensor([2], dtype=(0, 64, 1))], [other])
        r.returned(number, tensor([2], 1, (0, 64, 1)), [other], added=[value])
        _, page, _ = replayed_page(r)
        self.assertIn("distance 0, 1 min 0, mean 0.5, max 1", page.text)

    def test_shapes(self):
        """Of other shapes there is no distance, and not every result is a tensor."""
        r = new_recording()
        r.returned(r.call("make", [3]), tensor([2]), added=[floats(7, 8)])
        r.returned(r.call("make", [3]), 5)
        _, page, _ = replayed_page(r)
        self.assertIn("result is 3xf32, expected 2xf32 recorded 7, 8 min 7, mean 7.5, max 8 "
                      "replayed 0, 1, 2 min 0, mean 1, max 2 arg[0]", page.text)
        self.assertIn("result is 3xf32=0 1 2, expected 5 recorded no tensor, or one that is too "
                      "large to be shown replayed 0, 1, 2", page.text)
        self.assertNotIn("distance", page.text)

    def test_bounds(self):
        """Tensors of a call, their bytes, and calls that are listed."""
        r = new_recording()
        given, found = ({"array": [tensor([4], i, object_id=k) for k in range(1, 11)], "id": 0}
                        for i in range(2))
        r.returned(r.call("identity", [given], [X]), found, [X], [Y])
        r.returned(r.call("make", [20000000]), tensor([2]), added=[floats(7, 8)])
        for _ in range(320):
            r.returned(r.call("fail", []))
        _, page, _ = replayed_page(r)
        self.assertEqual(page.text.count("distance"), 8)
        self.assertIn("Left out: 2 more tensors that differ.", page.text)
        self.assertIn("expected 2xf32 recorded no tensor, or one that is too large to be shown "
                      "replayed no tensor, or one that is too large to be shown", page.text)
        self.assertIn("322 of 322 calls differ", page.text)
        self.assertIn("and 22 more Timeline", page.text)
        self.assertIn("Here are 300 of 322 calls: at most 150 that differ", page.text)

    @unittest.skipIf(WINDOWS, "compilers are tested elsewhere")
    def test_against(self):
        """Paths and texts stay texts."""
        hostile = "<img src=x onerror='a()'>&amp;.so"
        folder = WORK / "page"
        folder.mkdir()
        (folder / "wrong.c").write_text(WRONG)
        lib = folder / hostile.replace("/", "")
        shutil.copy(KERNELS, lib)
        r = new_recording("/nowhere/x.so")
        scale(r)
        r.raised(r.call("fail", []), hostile, hostile)
        code, page, _ = replayed_page(r, "--lib", lib, "--against", folder / "wrong.c")
        self.assertEqual(code, MISMATCH)
        self.assertNotIn("img", page.counts)
        self.assertIn(f"by tvm-ffi replay with {lib} and compared with what {folder / 'wrong.c'} "
                      "does", page.text)
        self.assertRegex(page.text, r"at \[3\]: 10, .* ULP \S*wrong.c 2.5, 5, 8.5, 13 min")
        _, page, _ = replayed_page(r, "2", "--lib", lib)
        self.assertIn(f"recorded: {hostile}: {hostile}", page.text)

    def test_refused(self):
        r = new_recording()
        scale(r)
        path = WORK / "refused.html"
        bad(USAGE, "--html cannot be combined with --bench", "replay", r.folder, f"--html={path}",
            "--bench")
        bad(USAGE, "--html cannot be combined with --emit", "replay", r.folder, f"--html={path}",
            "--emit=c")
        bad(USAGE, "--html of replay takes a file", "replay", r.folder, "--html=-")
        bad(USAGE, "is a file of the recording", "replay", r.folder,
            f"--html={r.folder / 'calls.jsonl'}")
        self.assertFalse(path.exists())
        code, _, err = run("replay", r.folder, f"--html={WORK / 'nowhere' / 'x'}")
        self.assertEqual(code, USAGE)
        self.assertIn("nowhere", err)


class Device(unittest.TestCase):
    """Tensors that were on a device, with a stand-in for the CUDA driver."""

    def test_cuda(self):
        driver = next((f for f in FILES if os.path.basename(f).startswith("fake_cuda")), None)
        if driver is None:
            self.skipTest("there is no stand-in")
        folder = work_folder()
        shutil.copy(driver, folder / ("nvcuda.dll" if WINDOWS else "libcuda.so.1"))
        env = dict(os.environ, **({"WINEPATH": f"{folder};{os.environ['WINEPATH']}"}
                                  if WINDOWS else {"LD_LIBRARY_PATH": str(folder)}))
        r = new_recording()
        x = tensor([2, 2], device=[2, 0], strides=[1, 2])
        y = tensor([2], object_id=1, device=[2, 0], offset=8)
        r.returned(r.call("identity", [x], [X]), x, [X])
        r.returned(r.call("identity", [x], [X]), x, [Y])
        r.returned(r.call("describe", [x, y], [X]), None, [X])
        code, out, err = run("replay", r.folder, "--device=cuda:0", "--json", env=env)
        found = json.loads(out)
        self.assertEqual([c["verdict"] for c in found["calls"]], ["same", "differs", "same"])
        self.assertIn("element [0][0] is 1, expected 2.5", found["calls"][1]["detail"])
        self.assertEqual(code, MISMATCH)
        self.assertRegex(err, r"\[2, 2\] \[1, 2\]\+0 base \d+ at \+0 cuda:0; "
                         r"\[2\] \[1\]\+0 base \d+ at \+8 cuda:0")
        self.assertEqual(verdicts(MISMATCH, r.folder)["left_out"], 3)


class Bench(unittest.TestCase):
    """Recorded calls are measured with their own arguments."""

    def test_measured(self):
        r = new_recording("/nowhere/x.so")
        scale(r)
        scale(r)
        out = good("replay", r.folder, "--bench", "--lib", KERNELS)
        self.assertEqual(out.count("call 1 (4xf32, float, 4xf32)\nscale"), 1)
        self.assertEqual(out.count("call 2 (4xf32, float, 4xf32)\nscale"), 1)
        found = good_json("replay", r.folder, "2", "--bench", "--lib", KERNELS, "--against",
                          KERNELS)
        self.assertEqual([run["library"] for run in found["runs"]][:2], [KERNELS, KERNELS])
        bad(USAGE, "--bench prints JSON of one call, and 2 were chosen", "replay", r.folder,
            "--bench", "--json")

    def test_refused(self):
        r = new_recording()
        r.call("identity", [{"function": "0x1", "symbol": None, "id": 0}])
        r.call("fail", [])
        code, _, err = run("replay", r.folder, "1", "--bench")
        self.assertEqual((code, "call 1: arg[0] is a function" in err), (USAGE, True))
        code, _, err = run("replay", r.folder, "2", "--bench")
        self.assertEqual((code, "on purpose" in err), (RAISED, True))


@unittest.skipIf(WINDOWS, "probe needs copies of the process")
class Probe(unittest.TestCase):
    """A recorded call is an example for probe."""

    def test_probed(self):
        r = new_recording("/nowhere/x.so")
        r.call("crash", [])
        scale(r)
        r.returned(r.call("add", [1, 2]), 3)
        options = ["probe", r.folder, "--lib", KERNELS, "--only=offset", "--only=repeat"]
        found = good_json(*options)
        self.assertEqual((found["function"], found["library"]), ("scale", KERNELS))
        self.assertEqual({row["name"]: row["passed"] for row in found["rows"]},
                         {"offset": 3, "repeat": 1})
        (row,) = good_json("probe", r.folder, "3", "--lib", KERNELS, "--only=repeat")["rows"]
        self.assertEqual(row["passed"], 1)

    def test_packed(self):
        """A recording in one file is read, too."""
        r = new_recording("/nowhere/x.so")
        scale(r)
        path = r.folder.with_suffix(".zip")
        self.assertEqual(run("show", r.folder, f"--pack={path}")[0], OK)
        found = good_json("probe", path, "1", "--lib", KERNELS, "--only=repeat")
        self.assertEqual((found["function"], found["rows"][0]["passed"]), ("scale", 1))

    def test_command(self):
        """The line for a failure makes that call again."""
        r = new_recording("/nowhere/x.so")
        scale(r)
        code, out, _ = run("probe", r.folder, "1", "--lib", KERNELS, "--only=strided", "--json")
        self.assertEqual(code, CHECK)
        call = next(c for c in json.loads(out)["calls"] if c["verdict"] == "failed")
        words = shlex.split(call["command"])
        self.assertEqual(run(*words[1:])[0], CHECK)

    def test_refused(self):
        r = new_recording()
        r.call("identity", [{"function": "0x1", "symbol": None, "id": 0}])
        bad(USAGE, "no call of the recording returned", "probe", r.folder)
        bad(USAGE, "call 1: arg[0] is a function", "probe", r.folder, "1")
        bad(USAGE, "there is no call 5", "probe", r.folder, "5")
        bad(USAGE, "give only its number", "probe", r.folder, "f(1)")
        bad(USAGE, "--lib applies to recorded calls only", "probe", KERNELS, "add(1, 2)", "--lib=x")


class Emit(unittest.TestCase):
    """A program of one call does without the tool."""

    @staticmethod
    def run_c(folder, call, *options):
        source, program = WORK / "call.c", WORK / "call"
        good("replay", folder, call, "--emit=c", "-o", source, *options)
        library, *includes = BUILD
        subprocess.run([*shlex.split(os.environ["CC"]), "-std=c99", "-Wall", "-Werror", source,
                        *(f"-I{name}" for name in includes), library,
                        f"-Wl,-rpath,{os.path.dirname(library)}", "-o", program], check=True)
        return subprocess.run([program, *([KERNELS] if "--redact" in options else [])],
                              capture_output=True, text=True, check=False)

    @staticmethod
    def run_python(folder, call, *options):
        script = WORK / "call.py"
        good("replay", folder, call, "--emit=python", "-o", script, *options)
        return subprocess.run([sys.executable, script,
                               *([KERNELS] if "--redact" in options else [])],
                              capture_output=True, text=True, check=False)

    def check(self, run_program):
        r = new_recording()
        scale(r)
        scale(r, floats(2.5, 5, 7, 10))
        done = run_program(r.folder, "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("arg[2]: 0 of 4 elements differ\n", done.stdout)
        done = run_program(r.folder, "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("arg[2]: element 2 is 7.5, recorded 7", done.stdout)
        done = run_program(r.folder, "1", "--redact")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        r.raised(r.call("fail", []), "ValueError", "on purpose, with 0 arguments")
        done = run_program(r.folder, "3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("recorded: raised ValueError: on purpose, with 0 arguments\n"
                      "now: raised ValueError: on purpose, with 0 arguments\n", done.stdout)

    def check_values(self, run_program):
        """A function shows its arguments as it did."""
        values = [None, True, {"int": str(-2**63)}, {"float": "-2.5"}, {"float": "inf"},
                  'a "text" ??/ \\ \n\u00fc', {"bytes": "00ff22"}, {"dtype": [4, 16, 1]},
                  {"device": [2, 3]}, {"shape": [4, 0, 3], "id": 0},
                  {"array": [1, {"list": [{"float": "2.5"}, {"ref": 0}], "id": 2}], "id": 1},
                  {"map": [["k", 1], [2, "v"]], "id": 3}, {"dict": [["k", {"ref": 1}]], "id": 4}]
        r = new_recording()
        r.call("show", values)
        done = run_program(r.folder, "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('(None, True, -9223372036854775808, -2.5, inf, "a \\"text\\" ??/ \\\\ \\n'
                      '\\u00fc", b"\\x00\\xff\\x22", bfloat16, cuda:3, Shape(4, 0, 3), '
                      '(1, [2.5, Shape(4, 0, 3)]), {"k": 1, 2: "v"}, '
                      '{"k": (1, [2.5, Shape(4, 0, 3)])})', done.stdout)

    def check_layouts(self, run_program):
        r = new_recording()
        args = [tensor([4, 2], strides=[8, 1], offset=4),
                tensor([4], 1, object_id=1, byte_offset=8),
                tensor([3], 2, dtype=UINT8, object_id=2), tensor([2, 4], object_id=3, offset=16)]
        r.call("describe", args, [bytes(120), X, b"abc"], address=0x7003)
        done = run_program(r.folder, "1")
        self.assertEqual(done.returncode, 0)
        first, second, third, fourth = done.stderr.strip().split("; ")
        self.assertEqual(first, "[4, 2] [8, 1]+0 base 7 at +0 cpu:0")
        self.assertRegex(second, r"^\[4\] \[1\]\+8 base 59 at \S+ cpu:0$")
        self.assertRegex(third, r"^\[3\] \[1\]\+0 base 3 at \S+ cpu:0$")
        self.assertEqual(fourth, "[2, 4] [4, 1]+0 base 19 at +12 cpu:0")

    @unittest.skipUnless(BUILD and not WINDOWS, "programs are not built here")
    def test_c(self):
        self.check(self.run_c)
        self.check_values(self.run_c)
        self.check_layouts(self.run_c)

    @unittest.skipUnless(importlib.util.find_spec("tvm_ffi"), "there is no package tvm_ffi")
    def test_python(self):
        self.check(self.run_python)
        self.check_values(self.run_python)
        self.check_layouts(self.run_python)

    def test_strings_that_are_not_utf8(self):
        """Python has no such str, and C has."""
        r = new_recording()
        r.returned(r.call("show", [{"str": "61ff"}]), None)
        bad(USAGE, "a program cannot make a str that is not UTF-8", "replay", r.folder,
            "--emit=python")
        self.assertIn('"a\\377"', good("replay", r.folder, "--emit=c"))

    def test_large(self):
        """Large memory is read from the recording, and never with --redact."""
        r = new_recording()
        r.call("f", [tensor([100000])], [bytes(400000)])
        program = good("replay", r.folder, "--emit=c")
        self.assertLess(len(program), 20000)
        self.assertIn(f"{murmur(bytes(400000))}.npy", program)
        self.assertNotIn(".npy", good("replay", r.folder, "--emit=c", "--redact"))

    def test_redacted(self):
        """Numbers are others, whatever was there, and none is left between elements."""
        programs = []
        for first, second in (77, 100), (-5, 1e30):
            r = new_recording()
            r.call("f", [tensor([3], strides=[2], offset=4)],
                   [floats(first, second, 88, second, 99, second)])
            programs.append(good("replay", r.folder, "--emit=python", "--redact"))
        self.assertEqual(*programs)
        text = programs[0].split('memory_0 = base64.b64decode("""')[1].split('"""')[0]
        numbers = struct.unpack("=6f", base64.b64decode(text))
        self.assertEqual((numbers[0], numbers[2], numbers[4]), (0, 0, 0))
        self.assertEqual(len(set(numbers[1::2])), 3)
        self.assertTrue(all(0 <= number <= 1 for number in numbers[1::2]), numbers)
        self.assertIn("- of tensors: data type, shape, strides", programs[0])
        self.assertIn("(3xf32.strides(2)), it did not return", programs[0])

    def test_redacted_keys(self):
        """Keys stay different, as those of Python, where True is 1: no item is lost."""
        r = new_recording()
        r.call("f", [{"map": [[True, 1], [None, 2], [False, 3], [1, 4], [0, 5]], "id": 0}], [])
        program = good("replay", r.folder, "--emit=python", "--redact")
        keys = set(re.findall(r" = (True|False|None|\d+)$", program, re.M))
        self.assertEqual(keys, {"True", "False", "None", "1", "3", "4"}, program)

    def plant(self, secret, number):
        """A recording that has a text and a number wherever a value can be. The number is exact in
        64 and 32 bits of a float, and in 32 of an integer."""
        folder = WORK / f"{secret}-folder"
        shutil.rmtree(folder, ignore_errors=True)
        r = Recording(folder, [f"/nowhere/{secret}-library.so"])
        lines = [json.loads(line) for line in r.path.read_text("utf-8").splitlines()]
        lines[0].update(command=[secret], options={"match": [secret]})
        lines[1].update(build_id=secret.encode().hex())
        r.path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        text = secret.encode()
        small = {"str": text.hex()}
        floating = {"float": f"{number}.0"}
        keys = [[secret, 1], [number, small], [floating, {"bytes": text.hex()}],
                [{"bytes": text.hex()}, number], [f"{secret} again", floating]]
        i32, f32, f64 = (struct.pack(code, number) for code in ("=i", "=f", "=d"))
        types = [(UINT8, text), (FLOAT32, f32), (FLOAT32, f32 * 3), (INT32, i32), (INT32, i32 * 3),
                 ((2, 64, 1), f64), ((2, 64, 1), f64 * 3), ((0, 64, 1), struct.pack("=q", number)),
                 ((2, 32, 4), f32 * 4), ((17, 4, 2), text), ((3, 64, 1), f64 * 2)]
        tensors = [tensor([len(data) * 8 // (dtype[1] * dtype[2])], i, dtype, object_id=10 + i)
                   for i, (dtype, data) in enumerate(types)]
        gap = tensor([2], len(types), strides=[4], object_id=9)
        r.contents_after = [*(data for _, data in types), f32 * 5]
        r.call("f", [
            secret, small, {"raw_str": secret}, {"bytes": text.hex()}, {"raw_bytes": text.hex()},
            number, {"int": str(number << 32)}, floating, {"array": [secret, number], "id": 0},
            {"list": [floating, {"array": [small], "id": 2}], "id": 1}, {"map": keys, "id": 3},
            {"dict": keys, "id": 4}, *tensors, gap],
            r.contents_after, address=number << 12, stream=hex(number))
        r.add(event="note", time=1, text=secret)
        return r

    @staticmethod
    def find(program, secret, number):
        """The forms in which the program has what was planted."""
        packed = [struct.pack(code, value) for code in ("<i", ">i", "<q", ">q", "<f", ">f", "<d",
                                                        ">d")
                  for value in ([number, number << 32] if code[1] == "q" else [number])]
        forms = {f"{number}", f"{number << 32}", f"{number:x}", f"{number:X}", f"{number:o}",
                 f"{number:e}", f"{float(number)!r}", float(number).hex(), f"{number:.6g}"}
        for data in [secret.encode(), secret.encode("utf-16-le"), *packed]:
            data = data.strip(b"\0")
            forms |= {data.hex(), data.hex().upper(), data.decode("latin-1"),
                      "".join(f"\\{c:03o}" for c in data), "".join(f"\\x{c:02x}" for c in data),
                      ",".join(f"{c}" for c in data), ",".join(f"0x{c:02x}" for c in data)}
            for shift in range(3):  # the digits of Base64 that depend on nothing else
                digits = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
                forms.add(digits[(shift * 4 + 2) // 3 + (shift > 0):-1])
        flat = "".join(program.split())
        return {form for form in forms if len(form) > 3 and "".join(form.split()) in flat}

    def test_nothing_is_left(self):
        """What is planted in every place is in no program that is redacted, in any encoding; and a
        program does not depend on it."""
        secret, number = "Zqx7secretVjw", 0x5ec2e5
        for language in "c", "python":
            programs = []
            for text, value in (secret, number), ("Yonder9secret", 0x6fd3f7):
                for end in "returned", "raised", "unfinished":
                    r = self.plant(text, value)
                    if end == "returned":
                        r.returned(1, {"map": [[text, value], [1, {"str": text.encode().hex()}]],
                                       "id": 0}, r.contents_after)
                    elif end == "raised":
                        r.raised(1, text, f"{text} is {value}", r.contents_after)
                    options = ["replay", r.folder, f"--emit={language}"]
                    plain = good(*options)
                    found = self.find(plain, text, value)
                    self.assertGreater(len(found), 5, found)
                    redacted = good(*options, "--redact")
                    self.assertEqual(self.find(redacted, text, value), set(), (language, end))
                    programs.append(redacted)
            self.assertEqual(programs[:3], programs[3:])

    def test_refused(self):
        r = new_recording()
        scale(r)
        scale(r)
        r.call("f", [{"error": {"kind": "E", "message": "m", "backtrace": ""}, "id": 0}])
        bad(USAGE, "--emit writes one call, and 3 were chosen", "replay", r.folder, "--emit=c")
        bad(USAGE, "a program cannot make ffi.Error", "replay", r.folder, "3", "--emit=c")
        bad(USAGE, "--redact is for the program", "replay", r.folder, "--redact")
        bad(USAGE, "--output is for the program", "replay", r.folder, "-o", "x")
        for language, output, meant in ("c", "x.py", "Python"), ("python", "x.c", "C"):
            bad(USAGE, f', not "{output}", a name for {meant}', "replay", r.folder, "1",
                f"--emit={language}", "-o", output)
        bad(USAGE, "--emit takes --output with it", "replay", r.folder, "1", "--emit=c", "--json")

    def test_no_code(self):
        """Names in a recording stay names."""
        r = new_recording()
        r.call('f*/ "); system("x"); //\n', [])
        for language in "c", "python":
            program = good("replay", r.folder, f"--emit={language}")
            self.assertNotIn('system("x")', program)
            self.assertNotIn("f*/", program.split("\n\n")[0])


run_tests()

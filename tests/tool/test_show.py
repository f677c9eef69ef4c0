# SPDX-License-Identifier: Apache-2.0
"""show: recordings are read, and damaged ones refused; pages and files are written of them.

test_show.py ARGUMENTS: see recorded.py"""
import ast
import json
import math
import os
import re
import struct
import subprocess
import sys
import time
import unittest
import zipfile

import tool
from recorded import (CPU, FLOAT32, KERNELS, PATHS, UINT8, WORK, X, Y, ZERO, Recording, floats,
                      new_recording, npy, page_of, replayed_page, run, scale, tensor, verdicts)
from recording import Page, murmur
from tool import OK, SLOWER, USAGE, WINDOWS, bad, good, good_json, run_tests


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
        # A text is a number as a whole, and not up to a NUL, where all that is shown would end.
        for why, value in [("a float is not a number", {"float": "1.5\0\x1b[2J"}),
                           ("a float is not a number", {"float": "nan:0x7ff8\0\x1b[2J"}),
                           ("an int is not an integer", {"int": "5\0\x1b[2J"}),
                           ("an int is not an integer", {"int": "\t5"})]:
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
                              (None, "calls.memory: No such file or directory")):
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


run_tests()

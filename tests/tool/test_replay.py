# SPDX-License-Identifier: Apache-2.0
"""replay, and probe of recordings: calls are made again and compared, or written as programs.

test_replay.py ARGUMENTS: see recorded.py"""
import base64
import importlib.util
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import textwrap
import unittest

import tool
from recorded import (BUILD, CPU, FLOAT32, INT32, KERNELS, UINT8, WORK, X, Y, ZERO, Recording,
                      build_id, floats, new_recording, page_of, replayed_page, run, scale, tensor,
                      verdicts)
from recording import murmur
from tool import (CHECK, FILES, LOAD, MISMATCH, OK, RAISED, SLOWER, USAGE, WINDOWS, bad, good,
                  good_json, patience, run_tests, work_folder)


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

    def test_plugin(self):
        """Of a device whose memory has handles: views have offsets there."""
        plugin = next((f for f in FILES if "tvm_ffi_device_ext_dev" in f), None)
        if plugin is None:
            self.skipTest("there is no plugin")
        plugin = os.path.abspath(plugin)
        place = os.path.dirname(plugin)
        env = dict(os.environ, **({"WINEPATH": f"{place};{os.environ['WINEPATH']}"}
                                  if WINDOWS else {"LD_LIBRARY_PATH": place}))
        r = new_recording(plugin)
        x = tensor([2], device=[12, 0])
        y = tensor([2], object_id=1, device=[12, 0], offset=8)
        after = floats(1, 2, 2, 4)
        r.returned(r.call("twice", [x, y], [X]), None, [after])
        r.returned(r.call("twice", [x, y], [X]), None, [Y])
        replay = ["replay", r.folder, "--lib", plugin]
        code, out, err = run(*replay, "--device=ext_dev", "--json", env=env)
        found = json.loads(out)
        self.assertEqual([c["verdict"] for c in found["calls"]], ["same", "differs"])
        self.assertEqual((code, err), (MISMATCH, ""))
        self.assertEqual(verdicts(MISMATCH, r.folder, "--lib", plugin)["left_out"], 2)
        self.assertRegex(good(*replay, "1", "--bench", "--device=ext_dev", env=env),
                         r"twice +minimum|\ntwice +\d")
        broken = dict(env, FAKE_DEVICE="wait")
        _, out, _ = run(*replay, "1", "--device=ext_dev", env=broken)
        self.assertIn("tvm_ffi_device_ext_dev.so cannot finish: a kernel failed", out)
        bad(USAGE, "--device=ext_dev: its plugin tvm_ffi_device_ext_dev.so cannot be used: ",
            *replay, "1", "--device=ext_dev", env=dict(env, FAKE_DEVICE="version"))
        code, out, _ = run(*replay, "1", "--device=ext_dev",
                           env=dict(env, FAKE_DEVICE="copy_in"))
        self.assertEqual(code, MISMATCH)
        self.assertIn("arg[0] cannot be made: tvm_ffi_device_ext_dev.so cannot copy to the device: "
                      "the bus is out\n", out)
        for order in [], ["--in-order"]:
            bad(RAISED, "tvm-ffi: tvm_ffi_device_ext_dev.so cannot copy from the device: ",
                *replay, "1", "--device=ext_dev", *order,
                env=dict(env, FAKE_DEVICE="copy_out"))


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

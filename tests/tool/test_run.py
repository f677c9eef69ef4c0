# SPDX-License-Identifier: Apache-2.0
import json
import math
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from elf import Library
from tool import (COMMAND, FILES, ISOLATED, LOAD, MISMATCH, NOT_ISOLATED, OK, RAISED, SUFFIX, USAGE,
                  WINDOWS, bad, good, good_json, left_out, open_terminal,
                  read_terminal, run, run_tests, work_folder)

LIBRARIES = {pathlib.Path(f).stem: os.path.abspath(f) for f in FILES}
K = LIBRARIES["run_kernels"]
# A sanitizer must leave crashes to the tool.
CRASHING = dict(os.environ,
                ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:detect_leaks=0")


def is_output(call, expected, *args):
    got = good("run", K, call, *args)
    assert got == expected, (call, got, expected)


def write(shape, edge, first=0):
    """A tensor that counts from `first`; of more than 2 * edge rows or numbers, the first and last
    are written."""
    if math.prod(shape) == 0:
        return ""
    size = math.prod(shape[1:])
    rows = [write(shape[1:], edge, first + i * size) for i in range(shape[0])] if shape else []
    is_elided = len(rows) > 2 * edge
    if not shape:
        return str(first)
    if len(shape) == 1:
        return " ".join([*rows[:edge], "...", *rows[-edge:]] if is_elided else rows)
    rows = [f"[{row}]" for row in rows]
    return "".join([*rows[:edge], "...", *rows[-edge:]] if is_elided else rows)


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


CHECKED = ["run", K, "scale(4xf32=1 2 3 4, 2.5, &4xf32)"]


def fails(expected, call, *specs):
    code, out, err = run("run", K, call, *(f"--expected_output={s}" for s in specs))
    assert (code, out, err) == (MISMATCH, expected, ""), (call, code, out, err)


class Run(unittest.TestCase):
    def test_the_shortest_calls(self):
        is_output("scale(4xf32=1 2 3 4, 2.5, &4xf32)", "arg[2]: 4xf32=2.5 5 7.5 10\n")
        is_output("add(1, 2)", "result[0]: 3\n")
        assert good("run", LIBRARIES["run_one"]) == "result[0]: 7\n"
        assert good("run", LIBRARIES["run_one"], "only()") == "result[0]: 7\n"
        assert good("run", LIBRARIES["run_one"], "only") == "result[0]: 7\n"
        # The options of IREE's tool.
        assert good("run", f"--module={K}", "--function=scale", "--input=2xf32=1 2", "--input=3",
                    "--input=2xf32", "--output=-") == "arg[2]: 2xf32=3 6\n"
        assert good("run", K, "-f", "scale", "-i", "2xf32=[1,2]", "-i", "3", "-i",
                    "2xf32") == "arg[2]: 2xf32=3 6\n"
        # A function that loading the library registers.
        assert good("run", LIBRARIES["run_register"], "test.registered()") == "result[0]: 8\n"

    def test_results(self):
        """Of several kinds."""
        is_output("make(3)", "result[0]: 3xf32=0 1 2\n")
        is_output("make(3)", "result[0]: 3xf32=0 1...\n", "--output_max_element_count=2")

    def test_long_tensors(self):
        """They are shown in part."""
        for shape, edge in [((1000, ), 1000), ((1001, ), 3), ((2000, 3), 3), ((40, 50), 3),
                            ((3, 400), 3), ((7, 6, 30), 3), ((1, 1001, 1), 3), ((8, 8, 8, 8), 2),
                            ((6, 6, 6, 6, 6), 1), ((0, 2000), 3), ((1001, 0), 3),
                            ((2**40, 2**40, 0), 3)]:
            name = "x".join(map(str, shape)) + "xi64"
            numbers = " ".join(map(str, range(math.prod(shape))))
            call = f"identity({name}={numbers})"
            if len(call) > 30000 and left_out(f"a command line of {len(call)} bytes"):
                continue
            is_output(call, f"result[0]: {name}={write(shape, edge)}\n")
            is_output(call, f"result[0]: {name}={write(shape, 10 ** 6)}\n", "--full")
            assert good_json("run", K, call)["outputs"][0]["data"] == list(range(math.prod(shape)))
        is_output("make(2000)", "result[0]: 2000xf32=0 1 2...\n", "--output_max_element_count=3")
        assert len(
            good_json("run", K, "make(2000)",
                      "--output_max_element_count=1500")["outputs"][0]["data"]) == 1500
        # With no long dimension, a thousand elements are written.
        many = good("run", K, f"identity({11 * '2x'}i8=1)")
        assert many.count("1") == 1000 and many.endswith("...\n"), many
        # The numbers of one element stay together.
        is_output(
            "identity(1001xi8x8=7)", f"result[0]: 1001xi8x8={''.join(3 * ['[7 7 7 7 7 7 7 7]'])}..."
            f"{''.join(3 * ['[7 7 7 7 7 7 7 7]'])}\n")
        bad(USAGE, "--full and --output_max_element_count cannot be combined", "run", K, "make(3)",
            "--full", "--output_max_element_count=2")

    def test_more_results(self):
        """Of functions that return or fill several, or none."""
        is_output("make_two()", "result[0]: 1xf32=0\nresult[1]: 2xf32=0 1\n")
        is_output("make_odd(0)", "result[0]: 2xf32 on cpu:0\n")
        is_output("make_odd(1)", "result[0]: 2xf32=0 2\n")
        is_output("make_odd(2)", "result[0]: 2xf32 on vulkan:0\n")
        is_output("bump(3xi32=1 2 3)", "arg[0]: 3xi32=2 3 4\n")
        is_output("bump(0xi32)", "arg[0]: 0xi32=\n")
        is_output("wait(0)", "result: none\n")
        is_output("identity((null))", "result: none\n")
        is_output("call(fn:echo, 5)", "result[0]: 5\n")
        is_output("call(fn:ffi.ReprPrint, dtype:bf16)", 'result[0]: "bfloat16"\n')

    def test_values(self):
        """They are printed in the syntax in which they are read."""
        for text in [
                "5", "-7", "2.5", "3.0", "1e+100", "inf", "true", '"a, b"', "dtype:f32",
                "dtype:bf16", "dtype:f8e4m3fn", "dev:cuda:1", "dev:cuda_host:1", "shape:[2, 3]",
                "shape:[]", "[]", '[1, 2.5, "a", [none]]', '{"k": 1}', "2x2xi32=[1 2][3 4]",
                "1x1x2xi8=[[-1 127]]", "f64=0.1", "2xbool=1 0", "2xui64=18446744073709551615 0",
                "2xf32=0.1 1e+30", "2xf16=0.1 -inf", "3xbf16=1 0.1 nan", "2xf8e4m3fn=448 0.5",
                "2xf4e2m1fn=0.5 6", "2xi4=-8 7", "2xc64=[1 2][3 4]", "2xf32x2=[1 2][3 4]",
                "[2xi32=1 2]"
        ]:
            expected = text if text != "[2xi32=1 2]" else "2xi32=1 2"
            is_output(f"identity({text})", f"result[0]: {expected}\n")
            got = good("run", K, "-f", "identity", "-i", text)
            assert got == f"result[0]: {expected}\n", (text, got)
        for text, expected in [("2xsi32=010", "2xi32=10 10"), ("010", "10"), ("i:-010", "-10"),
                               ("2xint32=0x10", "2xi32=16 16"), ("2xfloat32=1 2", "2xf32=1 2"),
                               ("2x2xi8=1,2,3,4", "2x2xi8=[1 2][3 4]"),
                               ("2xi1=true false", "2xbool=1 0"),
                               ("2xbfloat16=1.00390625", "2xbf16=1 1"), ("i:0x1F", "31"),
                               ("f:3", "3.0"), ("b:false", "false"),
                               ('s:"a\\n\\u00e9\\x41"', '"a\\n\\u00e9A"'),
                               ("s:plain text", '"plain text"'), ('x:"ab"', 'b"ab"'),
                               ("+3.5", "3.5"), ("fn:echo", "ffi.Function"),
                               ("{a: [1, 2xi8=3]}", '{"a": (1, int8[2]@cpu:0)}')]:
            got = good("run", K, "-f", "identity", "-i", text)
            assert got == f"result[0]: {expected}\n", (text, got)
        is_output("show(2x2xi8=[[1, 2], [3, 4]], 1 , \"a, b\")",
                  'result[0]: "(int8[2, 2]@cpu:0, 1, \\"a, b\\")"\n')

    def test_declared_types(self):
        """Arguments are read as the types that the library declares."""
        is_output(
            "show_typed(99999999999999999999, abc, f32, cuda:1, [2,3], 1, [1, 2], none)",
            'result[0]: "(1e+20, \\"abc\\", float32, cuda:1, Shape(2, 3), True, (1, 2), '
            '\\"none\\")"\n'
        )
        is_output(
            "show_typed(3, abc, f32, cuda:1, [2,3], 1, [1, 2], none)",
            'result[0]: "(3, \\"abc\\", float32, cuda:1, Shape(2, 3), True, (1, 2), \\"none\\")"\n')
        is_output(
            "show_typed(3, abc, f32, cuda:1, [2,3], 1, [], none)",
            'result[0]: "(3, \\"abc\\", float32, cuda:1, Shape(2, 3), True, (), \\"none\\")"\n')

    def test_random_numbers(self):
        """They are the same everywhere, and differ with the seed."""
        numbers = splitmix64(5)
        expected = [2 * (next(numbers) >> 11) / 2**53 - 1 for _ in range(4)]
        got = good_json("run", K, "identity(4xf64=rand)", "--seed=5")["outputs"][0]["data"]
        assert got == expected, (got, expected)
        first = good("run", K, "identity(8xi32=rand)")
        assert first == good("run", K, "identity(8xi32=rand)", "--seed=0") != good(
            "run", K, "identity(8xi32=rand)", "--seed=1")
        assert all(-100 <= int(n) <= 100 for n in first.split("=")[1].split()), first

    def test_expected_outputs(self):
        assert good(
            *CHECKED,
            "--expected_output=4xf32=2.5,5,7.5,10") == "[PASS] scale: arg[2] 4xf32 max|err|=0\n"
        assert good(*CHECKED, "-e", "(ignored)") == ""
        fails(
            "[FAIL] scale: arg[2] 4xf32 element [1] is 5, expected 6; 2 of 4 differ; max|err|=1\n",
            CHECKED[2], "4xf32=2.5,6,7.5,11")
        fails("[FAIL] scale: arg[2] 4xf32 is 4xf32, expected 2x2xf32\n", CHECKED[2], "2x2xf32=1")
        fails("[FAIL] scale: arg[2] 4xf32 is 4xf32, expected 4xf64\n", CHECKED[2], "4xf64=1")
        fails("[FAIL] add: result[0] is 3, expected 4; max|err|=1\n", "add(1, 2)", "4")
        fails("[FAIL] add: result[0] is 3, expected \"3\"\n", "add(1, 2)", "\"3\"")
        fails("[PASS] add: result[0] max|err|=0\n[FAIL] add: 1 output, expected 2\n", "add(1, 2)",
              "3", "3")
        fails("[FAIL] wait: 0 outputs, expected 1\n", "wait(0)", "3")
        fails("[FAIL] identity: result[0] item [1] is 2.5, expected 2; max|err|=0.5\n",
              "identity([1, 2.5])", "[1, 2]")
        fails("[FAIL] identity: result[0] has 2 items, expected 1\n", "identity([1, 2])", "[1]")
        fails("[FAIL] identity: result[0] 1xf32 element [0] is nan, expected 1; max|err|=inf\n",
              "identity(1xf32=nan)", "1xf32=1")
        fails(
            "[FAIL] identity: result[0] 1xi64 element [0] is 9007199254740993, expected "
            "9007199254740992; "
            "max|err|=1\n", "identity(1xi64=9007199254740993)", "1xi64=9007199254740992")
        fails(
            "[FAIL] make_odd: result[0] 2xf32 cannot be compared as a tensor: a tensor without "
            "data cannot be read\n", "make_odd(0)", "2xf32=0")
        fails(
            "[FAIL] make_odd: result[0] 2xf32 cannot be compared as a tensor: a tensor on vulkan:0 "
            "cannot be read here\n", "make_odd(2)", "2xf32=0")
        for value, expected in [("2xf32=nan inf", "2xf32=nan inf"), ("1xf32=1", "1xf32=1.000005"),
                                ("1xbf16=1", "1xbf16=1.008"), ("3", "3.0"),
                                ('{k: "v"}', '{k: "v"}'), ('["a", 1]', '["a", 1]'),
                                ("none", "(ignored)")]:
            if value != "none":
                assert good("run", K, f"identity({value})", "-e",
                            expected).startswith("[PASS]"), value
        for tolerance, code in [([], MISMATCH), (["--rtol=0.1"], OK), (["--atol=0.2"], OK),
                                (["--rtol=0.01"], MISMATCH)]:
            assert run("run", K, "identity(1xf32=2)", "-e", "1xf32=2.1",
                       *tolerance)[0] == code, tolerance
        assert run("run", K, "identity(1xf32=1)", "-e", "1xf32=1.000001", "--rtol=0",
                   "--atol=0")[0] == MISMATCH

    def test_json(self):
        report = good_json(*CHECKED, "-e", "4xf32=2.5,5,7.5,10")
        assert report == {
            "function": "scale", "pass": True, "outputs": [{
                "name": "arg[2]", "type": "ffi.Tensor", "dtype": "float32", "device": "cpu:0",
                "shape": [4], "data": [2.5, 5, 7.5, 10]
            }], "checks": [{"name": "arg[2]", "pass": True, "max_abs_error": 0, "difference": None}]
        }, report
        assert good_json("run", K, "make_odd(2)")["outputs"][0]["data"] is None
        assert good_json("run", K,
                         'identity(["a", none, 2xbool=1 0])')["outputs"][2]["data"] == [True, False]
        assert good_json("run", K, 'identity(["a", none, 1.5, {}])')["outputs"][0]["value"] == [{
            "type": "ffi.String", "value": "a"
        }, {"type": "None", "value": None}, {"type": "float",
                                             "value": 1.5}, {"type": "ffi.Map", "value": "{}"}]

    @unittest.skipUnless("LOCPATH" in os.environ, "the build has no locale with a decimal comma")
    def test_a_locale(self):
        """Numbers have a point also after a library chose a locale with a comma."""
        german = {**os.environ, "LC_ALL": "de_DE.UTF-8", "ON_LOAD": "localize"}
        for fork in [], ["--no-fork"]:
            def tell(value, *args):
                return good("run", LIBRARIES["misbehaving"], f"kernel({value})", *args, *fork,
                            env=german)
            tensor = "3xf32=0.5 0.33333334 1.5e-07"
            assert tell(tensor) == f"result[0]: {tensor}\n", tell(tensor)
            assert tell("2.5") == "result[0]: 2.5\n"
            checked = tell("2xf64=0.5 1.5", "-e", "2xf64=0.5 1.5625", "--atol=0.0625")
            assert checked == "[PASS] kernel: result[0] 2xf64 max|err|=0.0625\n", checked
            statistics = tell("2.5", "--print_statistics")
            assert re.search(r"load \d+\.\d{3} ms, call \d+\.\d{3} us\n", statistics), statistics
            report = json.loads(tell("[2.5, 2xf32=0.5 1]", "-e", "2.5", "-e", "2xf32=0.5 1.0",
                                     "--print_statistics", "--json"))
            assert report["call_seconds"] > 0, report
            assert report["outputs"][0]["value"] == 2.5, report

    def test_json_is_utf8(self):
        """Even if a text is not."""
        if WINDOWS:
            self.skipTest("arguments that are not UTF-8")
        assert good_json(
            "run", K,
            os.fsdecode(b'identity("a\xff\xe2\x82\xac\xed\xa0\x80")'))["outputs"][0]["value"] == (
                "a\xff\u20ac\xed\xa0\x80")

    def test_statistics(self):
        statistics = good_json("run", K, "add(1, 2)", "--print_statistics")
        assert statistics["load_seconds"] > 0 and statistics["call_seconds"] > 0, statistics

    def test_nested_lists(self):
        deep = "[" * 64 + "1" + "]" * 64
        assert (good("run", K, f"identity({deep})").startswith("result[0]: [[[")
                and good_json("run", K, f"identity({deep})"))
        assert good("run", K, f"identity({deep})", "-e", deep).startswith("[PASS]")
        assert run("run", K, f"identity({deep})", "-e", deep.replace("1", "2"))[0] == MISMATCH
        bad(USAGE, "lists and maps are nested too deeply", "run", K, f"identity([{deep}])")
        deepest = 10000 if WINDOWS else 50000
        bad(USAGE, "lists and maps are nested too deeply", "run", K,
            "identity(" + "[" * deepest + "]" * deepest + ")")

    def test_functions_that_fail(self):
        bad(
            RAISED,
            "add: TypeError: Mismatched number of arguments when calling: `add(0: int, 1: int) -> "
            "int`. Expected 2 but got 1 arguments", "run", K, "add(1)")
        bad(RAISED, "fail: ValueError: on purpose, with 1 arguments", "run", K, "fail(1)", "--json")
        code, out, err = run("run", K, "fail_with_place()")
        assert (code == RAISED and out == "" and err.startswith("fail_with_place: ValueError: on "
                                                                "purpose\n  File ") and \
            "run_kernels.c" in err and err.count("\n") == 2), err
        # An error that is the result of a call is no result.
        for more in [], ["--json"], ["--leak-check"], ["-e", "(ignored)"], ["--no-fork"]:
            bad(RAISED, "return_error: ValueError: an error as the result\n", "run", K,
                "return_error()", *more)
        bad(RAISED, "tvm-ffi: crash: crashed while it was called: ", "run", K, "crash()",
            env=CRASHING)
        bad(RAISED, "tvm-ffi: leave: ended the program while it was called, with exit code 3",
            "run", K, "leave()", env=CRASHING)

    def test_isolated_libraries(self):
        """They give the same results as others, with values of all kinds."""
        if not ISOLATED:
            self.skipTest("this build has no isolated modules")
        for call in [
                "scale(4xf32=1 2 3 4, 2.5, &4xf32)", "scale(3x4xf32=rand, 2.5, 4x3xf32.T)",
                "bump(4xi32=1)", "make(4)", "make_two()", "call(fn:echo, 4)",
                "scale(4xf32[1:3]=1 2, 2, arg[0].base[1:3].dltensor)",
                'show(3, 2.5, true, none, s:"a", dtype:f32, dev:cuda:0, shape:[2,3], {k: [1]})'
        ]:
            expected = good("run", K, call)
            assert good("run", "--isolated", K, call, env=ISOLATED) == expected, call
            assert good("run", f"isolated,timeout=60:{K}", call, env=ISOLATED) == expected, call
        assert good_json("run", "--isolated", K, "add(1, 2)", env=ISOLATED) == good_json(
            "run", K, "add(1, 2)")
        good("run", "--isolated", K, "make(4)", "-o", "@made.npy", env=ISOLATED)
        assert good("run", f"--module=isolated:{K}", "-f", "identity", "-i", "@made.npy", "-e",
                    "4xf32=0 1 2 3", "--no-fork", env=ISOLATED).startswith("[PASS] identity: ")
        assert good("run", "--isolated", LIBRARIES["run_one"],
                    env=ISOLATED) == good("run", LIBRARIES["run_one"])

    def test_what_isolated_libraries_print(self):
        """It is shown before the results, on standard error."""
        if not ISOLATED:
            self.skipTest("this build has no isolated modules")
        for moment in "ON_LOAD", "ON_CALL":
            env = dict(ISOLATED, **{moment: "print"})
            kernel = LIBRARIES["misbehaving"], "kernel()"
            assert run("run", "--isolated", *kernel,
                       env=env) == (OK, "result[0]: 7\n", "written\nprinted\n"), moment
            assert good("run", "--isolated=shows_output=0", *kernel,
                        env=env) == "result[0]: 7\n", moment

    def test_isolated_libraries_that_fail(self):
        """What ends the helper is an error like those that the function raises."""
        if not ISOLATED:
            self.skipTest("this build has no isolated modules")
        wrong = LIBRARIES["isolated_bad"]
        for name, options, kind, message in [
                ("crash", "", "Crash",
                 "crashed: SIGSEGV at address 0x10\ncaused by SIGSEGV: at address 0x10"),
                ("end_with_abort", "=shows_output=0", "Crash",
                 "crashed: SIGABRT; it printed: the last words\ncaused by SIGABRT"),
                ("end_with_exit", "", "Exit", "ended with exit code 3"),
                ("loop", "=timeout=0.2", "Timeout", "was killed: it took longer than 0.2 s"),
        ]:
            for fork in [], ["--no-fork"]:
                code, out, err = run("run", "--isolated" + options, wrong, name + "()", *fork,
                                     env=ISOLATED)
                assert (code, out) == (RAISED, "") and err.startswith(
                    f"{name}: Helper{kind}Error: {name} of {wrong}: the helper process {message}\n"
                ), (name, code, out, err)
        code, out, err = run("bench", f"isolated:{wrong}", "crash()", env=ISOLATED)
        assert (code, out) == (RAISED, "") and "HelperCrashError" in err, (code, out, err)
        # The backtrace of the crash, where this system gives one.
        if platform.libc_ver()[0] == "glibc":
            assert "in __tvm_ffi_crash\n" in err, err
        bad(RAISED, "fail: ValueError: on purpose, with 0 arguments", "run", "--isolated", K,
            "fail()", env=ISOLATED)
        bad(RAISED, "TypeError: argument #0 of peek: a tensor on cuda:0 cannot cross", "run",
            "--isolated", K, "peek(4xf32.device(cuda:0), 0)", env=ISOLATED)
        bad(RAISED, "was killed while it was called: it took longer than 0.2 s (--timeout)", "run",
            "--isolated", "--timeout=0.2", K, "wait(100.0)", env=ISOLATED)

        # While it is loaded, or asked for types.
        kernel = LIBRARIES["misbehaving"], "kernel()"
        for moment, ending in ("ON_LOAD", LOAD), ("ON_ASK", RAISED):
            code, out, err = run("run", "--isolated", *kernel,
                                 env=dict(ISOLATED, **{moment: "crash"}))
            assert (code, out) == (ending, "") and "HelperCrashError" in err, (code, out, err)
        bad(LOAD, "HelperTimeoutError: the loading of ", "run", "--isolated=load_timeout=0.2",
            *kernel, env=dict(ISOLATED, ON_LOAD="hang"))
        bad(LOAD, "run_unresolved.so: cannot be loaded: ", "run", "--isolated",
            LIBRARIES["run_unresolved"], env=ISOLATED)
        # A ValueError of the library says nothing about the options.
        for option in "--isolated", "--isolated=timeout=60", None:
            bad(LOAD, "run_refuse.so: cannot be loaded: refused on purpose", "run",
                *filter(None, [option]), LIBRARIES["run_refuse"], env=ISOLATED)

    def test_limits_of_isolated_libraries(self):
        if not ISOLATED:
            self.skipTest("this build has no isolated modules")
        wrong = LIBRARIES["isolated_bad"]
        if platform.machine() in ("x86_64", "aarch64", "riscv64"):
            for options, expected in ("forbids=network", "13"), ("timeout=60", "0"):
                assert good("run", f"--isolated={options}", wrong, "open_socket()",
                            env=ISOLATED) == f"result[0]: {expected}\n", options
        if "b_sanitize=none" in good("info"):
            for options, expected in ("=memory=200000000", "false"), ("", "true"):
                assert good("run", f"--isolated{options}", wrong, "take_piece(1000000000)",
                            env=ISOLATED) == f"result[0]: {expected}\n", options

    def test_isolated_libraries_that_are_refused(self):
        """Options that are wrong, or that do not fit; and where there are no isolated modules."""
        bad(LOAD, "cannot be loaded: libtvm_ffi_isolated.so, which runs kernels in a process of "
            "their own on Linux and macOS, cannot be used: ", "run", "--isolated", K, "add(1, 2)",
            env=NOT_ISOLATED)
        bad(USAGE, f"isolated:{K}: the name says that it is isolated, and so does --isolated",
            "run", "--isolated", f"isolated:{K}", "add(1, 2)")
        bad(USAGE, f"{K}: the options of --isolated cannot have a colon", "run",
            "--isolated=timeout:2", K, "add(1, 2)")
        bad(USAGE, "-: another process cannot load a library from standard input; give a file",
            "run", "isolated:-", "add(1, 2)")
        bad(LOAD, "nothing.so: No such file or directory", "run", "isolated:nothing.so",
            "add(1, 2)")
        if not WINDOWS:
            bad(USAGE, "only run and bench take isolated libraries; give the file", "probe",
                f"isolated:{K}", "add(1, 2)")
        for more, option in (["--guard=end"], "--guard"), (["--device=cuda:0"], "--device"):
            bad(USAGE, f"{option} cannot be used with an isolated library: tensors are copied from "
                "the CPU's memory", "run", "--isolated", K, "add(1, 2)", *more)
        bad(USAGE, "--leak-check counts the objects of this process", "run", "--isolated", K,
            "add(1, 2)", "--leak-check")
        if not ISOLATED:
            return
        bad(USAGE, f"{K}: ValueError: `timout=2` is not an option of `isolated:`", "run",
            "--isolated=timout=2", K, "add(1, 2)", env=ISOLATED)
        bad(USAGE, f"{K}: ValueError: options.processes is 2000, but must be from 0 to 1024",
            "run", "--isolated=processes=2000", K, "add(1, 2)", env=ISOLATED)
        for layout in ".guard(end)", ".readonly", ".reserved":
            bad(USAGE, f"argument 1: {layout.partition('(')[0]} cannot be used with an isolated",
                "run", "--isolated", K, f"show(1, 4xf32{layout})", env=ISOLATED)

    def test_libraries_that_fail(self):
        bad(LOAD, "Malformed __tvm_ffi__library_bin", "run", LIBRARIES["run_raise"])
        bad(LOAD, "nothing.so: No such file or directory", "run", "nothing.so")
        bad(USAGE, "there is no function ad; did you mean add? It has add, bump, ", "run", K,
            "ad(1, 2)")
        bad(USAGE, "there is no function something_else; it has only", "run", LIBRARIES["run_one"],
            "something_else()")
        bad(USAGE, "say which function; it has add, bump, ", "run", K)
        bad(USAGE,
            "say which function; it has no functions; in C define kernels with TVM_FFI_C_EXPORT",
            "run", LIBRARIES["run_none"])

    def test_undefined_symbols(self):
        if WINDOWS:
            self.skipTest("libraries with undefined symbols, which are not linked")
        bad(LOAD, "undefined symbol: nobody_has_this", "run", LIBRARIES["run_unresolved"])

    def test_other_machines(self):
        """Told before the system's loader says something else."""
        for machine in {"s390x", "arm"} - {platform.machine()}:
            other = Library(machine).function("__tvm_ffi_f").write(work_folder() / "other.so")
            expected = ("its format is ELF"
                        if WINDOWS else f"it is for {machine}, and this program is for ")
            bad(LOAD, f"{other}: cannot be loaded: {expected}", "run", other, "f()")

    def test_functions_that_are_no_kernels(self):
        bad(USAGE,
            "plain is a C function, not a kernel: tvm-ffi wrap writes a kernel that calls it",
            "run", K, "plain()")
        bad(
            USAGE,
            "run: one operand too many: 1; usage: tvm-ffi run [OPTION...] LIB ['FUNCTION(ARGUMENT, "
            "...)']",
            "run", K, "add", "1", "2")

    def test_texts_that_are_not_values(self):
        for call, message in [
            ("add(1", "not a call, such as 'scale(4xf32=1, 2.5)': the ) at the end is missing"),
            ("(1)", "not a call"), ("add(1,)", "argument 1 (``): a value is missing"),
            ("add(x, 2)", "argument 0 (`x`): `x` is not a value"),
            ("add([x, 2], 3)", "argument 0 (`[x, 2]`): `x` is not a value"),
            ("add(1 2)", "argument 0 (`1 2`): `1 2` is not a value"),
            ("add([1, 2)", "`,` or `]` is missing"), ("add([1)", "missing in a list"),
            ("add({a})", "`:` is missing"), ("add({1: 2)", "`,` or `}` is missing"),
            ("add(abc)", '`abc` is not a value; a tensor is written 4xf32=1, a string s:"..."'),
            ('add("abc)', "a quote is not closed"), ("add(i:1.5)", "`1.5` is not a 64-bit integer"),
            ("add(i:99999999999999999999)", "is not a 64-bit integer"),
            ("add(f:x)", "`x` is not a number"),
            ("add(9223372036854775808)",
             "`9223372036854775808` is not a 64-bit integer; a float is written f:9223372036"),
            ("add([-9223372036854775809])", "`-9223372036854775809` is not a 64-bit integer"),
            ("add({9223372036854775808: 1})", "`9223372036854775808` is not a 64-bit integer\n"),
            ('add("a\\é")', "`\\é` is not an escape sequence"),
            ('add("a" é)', "`é` is unexpected here"), ("add(b:2)", "neither true nor false"),
            ("add(i:)", "argument 0 (`i:`): a value is missing"),
            ("add(dtype:)", "a value is missing"),
            *((rf'add({form}"{word}\0x")', rf'argument 0 (`{form}"{word}\0x"`): only strings and '
               "bytes may contain a NUL character")
              for form, word in (("i:", "1"), ("f:", "1"), ("b:", "true"), ("dtype:", "int32"),
                                 ("dev:", "cpu"), ("fn:", "echo"), ("@", "x.npy"),
                                 ("+", "x.npy"), ("x:", "@x.bin"))),
            ("add(@)", "argument 0 (`@`): the name of a file is missing"),
            ("add(x:@)", "the name of a file is missing"),
            ("add(4xf32=+)", "argument 0 (`4xf32=+`): the name of a file is missing"),
            ("add(dtype:q7)", "`q7` is not a data type"), ("add(dev:gpu)", "`gpu` is not a device"),
            ("add(shape:2)", "a list"),
            ('add(shape:["a"])', "a shape must be a list of at most 64 integers"),
            ("add(fn:nobody)", "no global function `nobody`"),
            ("add(4xq7=1)", "`q7` is not a data type"),
            ("add(4xf32=1 2)", "2 numbers for 4; give all, or one for every element"),
            ("add(4x)", "the data type is missing, such as f32 in 4xf32"),
            ("add(4xf32=)", "0 numbers for 4"), ("add(2xi8=1 200)", "`200` does not fit i8"),
            ("add(2xui8=-1 0)", "`-1` does not fit ui8"),
            ("add(2xbool=2 0)", "`2` does not fit bool"),
            ("add(2xi8=1.5 0)", "`1.5` is not an integer"),
            ("add(2xf32=x y)", "`x` is not a number"), ("add(2xf32=[1 2)", "is not closed"),
            ("add(&)", "followed by the type"),
            ("add(9999999999x9999999999xf32=1)", "has a negative extent or too many elements"),
            ("add(0x99999999999999999999xf32=)",
             "argument 0 (`0x99999999999999999999xf32=`): a dimension is too large"),
            ("add(4xhandle=1)", "cannot be written as text"),
            ("add(2xf33=1 2)", "there is no type f33; write f32"),
            ('add(s:"\\q")', "is not an escape sequence"), ("add(1)) ", "unexpected")
        ]:
            bad(USAGE, message, "run", K, call)
        # sanitizers print a line before the tool's
        code, out, err = run("run", K, "add(99999999999999999xf32=1)")
        assert (code == USAGE and out == ""
                and err.endswith("argument 0 (`99999999999999999xf32=1`): out of memory\n")), err
        code, out, err = run("run", K, "add([+[1)")  # one report
        assert code == USAGE and out == "" and err.count("is not closed") == 1, err
        bad(USAGE, "--input 1 (`4xf32=1 2`): 2 numbers for 4", "run", K, "-f", "add", "-i", "1",
            "-i", "4xf32=1 2")
        bad(USAGE, "--input 0 (`\"a\" b`): `b` is left over", "run", K, "-f", "add", "-i", '"a" b')
        bad(USAGE, "--expected_output 0 (`4xq3`)", "run", K, "add(1, 2)", "-e", "4xq3")

    def test_a_file_that_is_only_an_ending(self):
        """A file named .npy is NumPy's, written and read."""
        good("run", K, "make(4)", "-o", "@.npy")
        with open(".npy", "rb") as file:
            self.assertEqual(file.read(6), b"\x93NUMPY")
        self.assertIn("4xf32=0 1 2 3", good("run", K, "-f", "identity", "-i", "@.npy"))

    def test_options_that_do_not_fit(self):
        bad(USAGE, "cannot be combined", "run", K, "add(1, 2)", "-i", "1")
        bad(USAGE, "say which library", "run")
        bad(USAGE, "one operand too many: extra; --function names the function", "run", K, "-f",
            "add", "extra")
        bad(USAGE, "one operand too many: add(1, 2); --module names the library", "run", "--module",
            K, K, "add(1, 2)")
        bad(USAGE, "--module may be given at most once", "run", "--module", K, "--module", K,
            "add(1, 2)")
        bad(USAGE, "add: there are fewer outputs than --output options: 1, not 2", "run", K,
            "add(1, 2)", "-o", "-", "-o", "-")
        for output in "x.npy", "@", "+":  # refused before the call, which may take long
            bad(USAGE, f'--output must be empty, -, @FILE or +FILE, not "{output}"', "run", K,
                "crash()", "-o", output)
        for output in "@-", "+-":
            bad(USAGE, f'--json prints all outputs: --output must be another file, not "{output}"',
                "run", K, "crash()", "--json", "-o", output)
        bad(USAGE, "--guard must be end or start", "run", K, "add(1, 2)", "--guard=middle")
        bad(USAGE, "--seed must be an integer", "run", K, "add(1, 2)", "--seed=x")
        bad(USAGE, "--rtol must be a number", "run", K, "add(1, 2)", "--rtol=-1")

    def test_quoted_arguments(self):
        """A long one is cut at a character boundary; the reason is always given in full."""
        for text in "é" * 40, "a" + "é" * 40, "aa" + "\u20ac" * 40, "\U0001f600" * 40, "a" * 700:
            shown = text.encode()[:60].decode(errors="ignore")
            bad(USAGE, f"argument 0 (`{shown}...`): `{text}` is not a value; a tensor", "run", K,
                f"add({text})")

    def test_guards(self):
        """Inputs next to inaccessible memory."""
        for side, inside, outside, word in [("end", 4, 5, "beyond"), ("start", 0, -1, "before")]:
            assert good("run", K, f"peek(5xi8=1, {inside})", f"--guard={side}") == "result[0]: 1\n"
            bad(RAISED, f"; it reached {word} a tensor of 5 bytes", "run", K,
                f"peek(5xi8=1, {outside})", f"--guard={side}", env=CRASHING)
        bad(RAISED, "peek: crashed while it was called: ", "run", K, "peek(5xi8=1, 5)",
            "--guard=end", env=CRASHING)
        assert good("run", K, "scale(4xf32=1, 2, &4xf32)",
                    "--guard=end") == "arg[2]: 4xf32=2 2 2 2\n"

    def test_objects_that_outlive_the_call(self):
        assert good("run", K, "make_two()", "--leak-check").count("\n") == 2
        code, out, err = run("run", K, "leak()", "--leak-check", env=CRASHING)
        assert (
            code == 5 and err
            == "tvm-ffi: leak: objects that the call made are still alive after it: 1 ffi.Tensor\n"
        ), err

    def test_a_library_from_stdin(self):
        """And a run without a child process."""
        with open(LIBRARIES["run_one"], "rb") as file:
            done = subprocess.run([*COMMAND, "run", "-"], stdin=file, capture_output=True,
                                  text=True, check=True)
            assert done.stdout == "result[0]: 7\n" and done.stderr == "", done
        assert good("run", K, "add(1, 2)", "--no-fork") == "result[0]: 3\n"

    def test_a_library_in_the_current_folder(self):
        """Named without a slash."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine" + SUFFIX).write_bytes(
                pathlib.Path(LIBRARIES["run_one"]).read_bytes())
            pathlib.Path(folder, "text.so").write_text("not a library\n")
            here = os.getcwd()
            os.chdir(folder)
            assert good("run", "mine" + SUFFIX, "only()") == "result[0]: 7\n"
            bad(LOAD, "text.so: ", "run", "text.so", "only()")
            pathlib.Path("cut.so").write_bytes(
                pathlib.Path(LIBRARIES["run_one"]).read_bytes()[:1000])
            bad(LOAD, "cut.so: ", "run", "cut.so", "only()")
            os.chdir(here)

    @unittest.skipIf(not sys.platform.startswith("linux"), "only there the tool ends daemons")
    def test_processes_of_others(self):
        """The program that became the tool has a child, which ends during the call: its own child
        then has the tool as its parent, or another. It goes on."""
        shell = '( sleep 1000 >/dev/null 2>&1 & echo $!; sleep 0.3 ) & exec "$@"'
        done = subprocess.run(["sh", "-c", shell, "sh", *COMMAND, "run", K, "wait(1.0)"],
                              stdout=subprocess.PIPE, check=True, text=True)
        os.kill(int(done.stdout.split()[0]), signal.SIGKILL)  # an error if it has ended

    def test_colours(self):
        assert "\033[32m[PASS]" in good("run", K, "add(1, 2)", "-e", "3", "--color=always")

    def test_a_terminal(self):
        """A slow call is announced there, then erased; results are coloured."""
        if WINDOWS:
            self.skipTest("terminals")
        terminal, ours = open_terminal(self)
        with subprocess.Popen([*COMMAND, "run", K, "wait(2.5)"], stdout=subprocess.PIPE,
                              stderr=ours) as process:
            os.close(ours)
            shown = read_terminal(terminal)
            assert process.stdout.read() == b"result: none\n"
        assert b"calling wait, 1 s" in shown or b"calling wait, 2 s" in shown, shown
        assert shown.endswith(b"\r\033[K"), shown
        terminal, ours = open_terminal(self)
        subprocess.run([*COMMAND, "run", K, "add(1, 2)"], stdout=ours, check=True,
                       env=dict(os.environ, NO_COLOR=""))
        assert os.read(terminal, 1024) == b"\033[1mresult[0]\033[0m: 3\r\n"


run_tests()

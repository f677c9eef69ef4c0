# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import re
import unittest
import xml.etree.ElementTree

from tool import (FILES, ISOLATED, LOAD, RAISED, SUFFIX, USAGE, WINDOWS, bad, good, good_json, run,
                  run_tests, work_folder)

LIBRARIES = {pathlib.Path(f).stem: os.path.abspath(f) for f in FILES}
K, ONLY, OTHER = LIBRARIES["run_kernels"], LIBRARIES["run_one"], LIBRARIES["run_register"]
SHORT = ["--warmup=0", "--repeat=20"]
COLUMNS = ["min", "median", "p90", "p95", "p99", "p999"]


def check_run(row):
    values = [row[c] for c in COLUMNS]
    assert values == sorted(values) and 0 < values[0] and row["mad"] >= 0, row
    assert row["min"] <= row["median_low"] <= row["median"], row
    assert row["median"] <= row["median_high"] <= row["p999"], row
    assert row["samples"] == 20 and row["calls_per_sample"] >= 1, row


TIME, RATE = r" +[\d.]+ (?:ns|us|ms|s)", r" +[\d.]+ [kMGT]?B/s"
VERDICT = r"{} (is [\d.]+x (faster|slower) than|takes [\d.]+x the time of) {} " \
    r"\(95 % CI [\d.]+ to [\d.]+\), (no )?significant( difference)?"

os.chdir(work_folder())


def count_bars(lines, mark):
    return sum(int(count) for line in lines
               for count in re.findall(rf"^(?:{TIME}|) *\|(?:{mark}+ )?(\d+)(?: above)?$", line))


SVG = "{http://www.w3.org/2000/svg}"


class Bench(unittest.TestCase):
    def test_one_library(self):
        report = good_json("bench", ONLY, *SHORT)
        assert report["function"] == "only" and report["comparisons"] == [], report
        assert [r["library"] for r in report["runs"]] == [ONLY, None], report
        for row in report["runs"]:
            check_run(row)
        lines = good("bench", K, "scale(64xf32=rand, 2, &64xf32)", *SHORT).splitlines()
        assert (len(lines) == 4
                and lines[0].split() == ["scale", "minimum", "median", "P99", "bytes/s"]), lines
        for line, name, rate in zip(lines[1:], [K, "(nothing)"], [RATE, ""]):
            assert re.fullmatch(re.escape(name) + TIME * 3 + rate, line), line
        assert re.fullmatch(r"the runtime's share: [\d.]+ \w+ of [\d.]+ \w+ \([\d.]+ %\)",
                            lines[3]), lines
        lines = good("bench", ONLY, "--full", *SHORT).splitlines()
        assert lines[0].split() == [
            "only", "samples", "minimum", "median", "P90", "P95", "P99", "P99.9", "MAD"
        ], lines
        for line, name in zip(lines[1:], [ONLY, "(nothing)"]):
            assert re.fullmatch(rf"{re.escape(name)} +20" + TIME * 7, line), line
        # Two tensors of 256 bytes.
        row = good_json("bench", K, "scale(64xf32=rand, 2, &64xf32)", *SHORT)["runs"][0]
        assert abs(row["bytes_per_second"] -
                   512e9 / row["median"]) < 1e-6 * row["bytes_per_second"], row

    def test_isolated_libraries(self):
        """What a helper process costs: a library beside itself in one."""
        if not ISOLATED:
            self.skipTest("this build has no isolated modules")
        call, other = "add(1, 2)", "isolated:" + K
        report = good_json("bench", K, other, call, *SHORT, env=ISOLATED)
        assert [r["library"] for r in report["runs"]] == [K, other, None], report
        for row in report["runs"]:
            check_run(row)
        # So much that it hardly counts that the first call wakes the helper: 5 ms when it was set.
        helper = report["runs"][1]
        assert helper["calls_per_sample"] * helper["p999"] > 0.2e6, helper
        # Its output is not asked for, as that takes as long as a call.
        env = dict(ISOLATED, ON_CALL="print")
        kernel = LIBRARIES["misbehaving"], "kernel()"
        good("bench", "--isolated", *kernel, *SHORT, env=env)
        err = run("bench", "--isolated=shows_output=1", *kernel, *SHORT, env=env)[2]
        assert err.startswith("written\nprinted\n"), err[:80]
        report = good_json("bench", "--isolated", K, call, *SHORT, env=ISOLATED)
        assert [r["library"] for r in report["runs"]] == [K, None], report

    def test_two_libraries(self):
        report = good_json("bench", ONLY, OTHER, "only()", *SHORT)
        assert [r["library"] for r in report["runs"]] == [ONLY, OTHER, None], report
        comparison, = report["comparisons"]
        assert (comparison["first"], comparison["second"]) == (ONLY, OTHER), comparison
        assert comparison["low"] <= comparison["ratio"] <= comparison["high"], comparison
        assert re.fullmatch(VERDICT.format(re.escape(OTHER), re.escape(ONLY)),
                            comparison["verdict"]), comparison
        lines = good("bench", "--module", ONLY, "--module", OTHER, "-f", "only",
                     *SHORT).splitlines()
        assert (len(lines) == 6 and comparison["verdict"].startswith(OTHER)
                and lines[5].startswith(OTHER)), lines

    def test_too_few_samples(self):
        """They give no verdict."""
        comparison, = good_json("bench", ONLY, OTHER, "only()", "--warmup=0",
                                "--repeat=3")["comparisons"]
        assert (not comparison["significant"] and
                comparison["verdict"].endswith(", with too few samples to say more")), comparison

    def test_an_earlier_result(self):
        """It is unchanged, or has its times scaled until the verdict is certain."""
        old = good_json("bench", ONLY, *SHORT)
        for factor, word in [(1e6, "faster"), (1e-6, "slower")]:
            for key in ("median", "median_low", "median_high"):
                old["runs"][0][key] *= factor
            pathlib.Path("old.json").write_text(json.dumps(old))
            comparison, = good_json("bench", ONLY, "--compare=old.json", *SHORT)["comparisons"]
            assert (comparison["significant"]
                    and f" {word} than old.json " in comparison["verdict"]), comparison
            assert good("bench", ONLY, "--compare=old.json",
                        *SHORT).splitlines()[4].endswith(", significant")
            for key in ("median", "median_low", "median_high"):
                old["runs"][0][key] /= factor
        old["runs"][0]["median_low"], old["runs"][0]["median_high"] = 1e-6, 1e12
        pathlib.Path("old.json").write_text(json.dumps(old))
        comparison, = good_json("bench", ONLY, "--compare=old.json", *SHORT)["comparisons"]
        assert (not comparison["significant"]
                and comparison["verdict"].endswith("no significant difference")), comparison
        # That of one library is compared with the first of two.
        pathlib.Path("old.json").write_text(json.dumps(old))
        assert len(good_json("bench", ONLY, OTHER, "--compare=old.json",
                             *SHORT)["comparisons"]) == 2
        for content in [
                "", "{", "[]", "{}", '{"runs": []}', '{"runs": [{}]}', '{"runs": [{"median": -1}]}',
                '{"runs": 5}'
        ]:
            pathlib.Path("old.json").write_text(content)
            bad(USAGE, "old.json: is not what tvm-ffi bench --json prints", "bench", ONLY,
                "--compare=old.json", *SHORT)
        other = dict(old, function="other")
        pathlib.Path("old.json").write_text(json.dumps(other))
        bad(USAGE, "old.json: is a measurement of a function other than only", "bench", ONLY,
            "--compare=old.json", *SHORT)
        bad(USAGE, "none.json: No such file", "bench", ONLY, "--compare=none.json", *SHORT)

    def test_histograms(self):
        """Each sample is counted once, of each library."""
        lines = good("bench", ONLY, "--histogram", *SHORT).splitlines()
        assert lines[4] == f"# {ONLY}, 20 samples" and count_bars(lines, "#") == 20, lines
        assert max(line.count("#") for line in lines[5:]) == 50, lines
        lines = good("bench", ONLY, OTHER, "only()", "--histogram", *SHORT).splitlines()
        assert lines[6:8] == [f"# {ONLY}, 20 samples", f"= {OTHER}, 20 samples"], lines
        assert count_bars(lines[8::2], "#") == 20 == count_bars(lines[9::2], "="), lines
        assert re.fullmatch(r" +\|\d+ above", lines[-1]), lines
        for libraries, function in [([ONLY], "only"), ([ONLY, OTHER], "only")]:
            for more in [], ["--json"]:
                good("bench", *libraries, "-f", function, "--svg=times.svg", *SHORT, *more)
                root = xml.etree.ElementTree.parse("times.svg").getroot()
                assert root.find(f"{SVG}title").text == "Time of a call of only"
                titles = [bar.text for bar in root.iterfind(f"{SVG}rect/{SVG}title")]
                beyond = [
                    int(n) for n in re.findall(r"20 samples, (\d+) beyond",
                                               pathlib.Path("times.svg").read_text())
                ]
                assert len(beyond) == len(libraries), beyond
                assert sum(int(t.rpartition(": ")[2])
                           for t in titles) + sum(beyond) == 20 * len(libraries), titles
        # characters that names may have
        odd_name = pathlib.Path(("ab&" if WINDOWS else "a<b&\x1b") + SUFFIX)
        odd_name.symlink_to(ONLY)
        good("bench", odd_name, "--svg=times.svg", *SHORT)
        assert any(
            t.text.startswith(str(odd_name).replace("\x1b", r"\x1b") + ": ")
            for t in xml.etree.ElementTree.parse("times.svg").iter(f"{SVG}text"))
        bad(USAGE, "--json prints no --histogram", "bench", ONLY, "--json", "--histogram", *SHORT)
        bad(USAGE, "--svg takes a file", "bench", ONLY, "--svg=-", *SHORT)
        code, out, err = run("bench", ONLY, "--svg=none/times.svg", *SHORT)
        assert ((code, err) == (USAGE, "tvm-ffi: none/times.svg: No such file or directory\n")
                and out), (code, out, err)

    @unittest.skipUnless("LOCPATH" in os.environ, "the build has no locale with a decimal comma")
    def test_a_locale(self):
        """Numbers have a point also after a library chose a locale with a comma."""
        bench = ["bench", LIBRARIES["misbehaving"], "kernel(64xf32=0.5)", *SHORT]
        german = {**os.environ, "LC_ALL": "de_DE.UTF-8", "ON_LOAD": "localize"}
        pathlib.Path("old.json").write_text(json.dumps(good_json(*bench, env=german)))
        shown = good(*bench, "--compare=old.json", "--full", "--histogram", "--svg=times.svg",
                     env=german)
        assert re.search(VERDICT.format(".*", "old.json"), shown), shown
        picture = pathlib.Path("times.svg").read_text()
        for text in shown, re.sub(r">[^<]*<", "><", picture):
            assert re.search(r"\d\.\d", text) and not re.search(r"\d,\d", text), text

    def test_the_number_of_samples(self):
        """As given, or enough to fill the minimum time and at least seven."""
        assert good_json("bench", ONLY, "--warmup=0", "--min_time=0")["runs"][0]["samples"] == 7
        assert good_json("bench", K, "wait(0.001)", "--warmup=0",
                         "--min_time=0.05")["runs"][0]["samples"] >= 7

    def test_failures(self):
        crashing = dict(
            os.environ,
            ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:detect_leaks=0")
        bad(RAISED, "fail: ValueError: on purpose", "bench", K, "fail()", *SHORT)
        for more in [], ["--json"]:
            bad(RAISED, "return_error: ValueError: an error as the result\n", "bench", K,
                "return_error()", *SHORT, *more)
        bad(RAISED, "tvm-ffi: crash: crashed while it was called: ", "bench", K, "crash()", *SHORT,
            env=crashing)
        bad(LOAD, ": crashed while it was loaded: ", "bench", ONLY, LIBRARIES["misbehaving"],
            *SHORT, env=dict(crashing, ON_LOAD="crash"))
        bad(USAGE, "there is no function add; it has only", "bench", K, ONLY, "add(1, 2)", *SHORT)
        bad(USAGE, "say which function; it has add", "bench", K)
        bad(USAGE, "argument 0 (`x`)", "bench", K, "add(x)")
        bad(USAGE, "--repeat must be an integer from 1", "bench", ONLY, "--repeat=0")
        bad(USAGE, "--min_time must be a number", "bench", ONLY, "--min_time=long")
        bad(USAGE, "--module may be given at most twice", "bench",
            *("--module=a", "--module=b", "--module=c"))
        assert run("bench", ONLY, "--no-fork", *SHORT)[0] == 0

    def test_the_last_operand(self):
        """It may be a function, if it is neither a file nor named like one."""
        assert good_json("bench", ONLY, "only", *SHORT)["runs"][1]["library"] is None
        bad(USAGE, "there is no function nobody; it has only", "bench", ONLY, "nobody", *SHORT)
        pathlib.Path("only").mkdir()
        assert len(good_json("bench", ONLY, "only", *SHORT)["runs"]) == 2
        pathlib.Path("only").rmdir()
        pathlib.Path("only").symlink_to(OTHER)
        assert [r["library"]
                for r in good_json("bench", ONLY, "only", *SHORT)["runs"]] == [ONLY, "only", None]
        pathlib.Path("only").unlink()
        for name in "other.so", "./other", "other.so.1":
            bad(LOAD, f"{name}: ", "bench", ONLY, name, *SHORT)
        bad(LOAD, "other: ", "bench", ONLY, "other", "-f", "only", *SHORT)

    def test_names_on_a_terminal(self):
        """They are escaped."""
        if WINDOWS:
            self.skipTest("file names with control characters")
        odd = pathlib.Path("o\x1b[31md.so")
        odd.symlink_to(ONLY)
        lines = good("bench", odd, ONLY, "only()", *SHORT, "--color=never").splitlines()
        assert lines[1].startswith("o\\x1b[31md.so ") and "\x1b" not in "".join(lines), lines
        assert good_json("bench", odd, *SHORT)["runs"][0]["library"] == str(odd)

    def test_libraries_that_cannot_be_loaded(self):
        """As the first one or the second."""
        for missing in ("missing.so", "old.json"):
            bad(LOAD, missing, "bench", missing)
            bad(LOAD, missing, "bench", ONLY, missing, "only()")
        # rather than that K has many functions
        bad(LOAD, "missing.so: No such file", "bench", K, "missing.so")


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""probe judges calls by functions in Python, which use the NumPy of this program's Python.

test_probe_python.py TVM-FFI FAULTS"""
import json
import os
import subprocess
import sys
import tempfile

TOOL, FAULTS = map(os.path.abspath, sys.argv[1:])
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
FUNCTIONS = os.path.join(HERE, "probe_reference.py")
SCALE = "(4x3xf32=rand, 2.5, &4x3xf32)"


def probe(call, function, *options):
    words = [TOOL, "probe", FAULTS, call, f"--against={FUNCTIONS}{function}", "--json", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 5) and done.stderr == "", (words, done)
    found = json.loads(done.stdout)
    return found, {call["name"]: call for call in found["calls"]}


def check_right():
    """A tensor to fill is returned; one to change is changed; a result is returned behind them;
    types that NumPy lacks are float32; what is in lists and maps is passed."""
    found, calls = probe("right" + SCALE, "")
    assert found["failed"] == 0, found
    found, calls = probe("right" + SCALE, ":right", "--only=numbers")
    assert found["failed"] == 0 and found["passed"] > 150, found
    assert calls["dtypes:all:bf16"]["verdict"] == "refused", calls["dtypes:all:bf16"]
    for call, function in (
            ("subtract_last(&4x3xf32=rand)", ""), ("sum_all(4x3xf32=rand)", ""),
            ("copy_all(4x3xbf16=rand, &4x3xbf16)", ""),
            ("copy_all(6xf8e4m3fn=rand, &6xf8e4m3fn)", ""), ("copy_all(f32=1, &f32)", ""),
            ("sums_many([2xf32=rand, 2xf32=rand])", ""),
            ("lists(shape:[2, 3])", ""), ('texts(s:"text")', ""), ("turned(4x3xf64=rand)", "")):
        found, calls = probe(call, function, "--only=given", "--only=extents")
        assert found["failed"] == 0 and calls["given"]["verdict"] == "passed", (call, calls)
    # A sum in the order of memory, and one in pairs.
    found, calls = probe("sum_all(4x3xf32=rand)", "", "--only=lengths")
    assert found["failed"] == 0 and found["passed"] == 130, calls


def check_wrong():
    """Failures are made smaller, and printed."""
    found, calls = probe("lengths" + SCALE, ":right", "--only=lengths:4:*")
    first = next(call for call in found["calls"] if call["verdict"] == "failed")
    assert first["name"] == "lengths:4:17" and first["detail"] == (
        "argument 2: element [16][0] is 0, expected 2.5"), first
    assert "'lengths(17x1xf32=[1]" in first["command"], first


def check_misbehaving():
    """What Python refuses, or never answers, is left out; the next call gets its own answer."""
    _, calls = probe("right" + SCALE, ":odd", "--timeout=2",
                     *(f"--only=lengths:4:{n}" for n in (1, 2, 3, 5, 6)))
    details = {name: (call["verdict"], call["detail"]) for name, call in calls.items()}
    assert details == {
        "lengths:4:1": ("passed", "as the reference"),
        "lengths:4:2": ("left out", "it takes the call, and the reference refuses it: "
                        "RuntimeError: ValueError: two"),
        "lengths:4:3": ("left out", "the reference crashes, or takes too long"),
        "lengths:4:5": ("left out", "the reference refuses it: ReferenceError: Python has ended"),
        "lengths:4:6": ("left out", "the reference refuses it: ReferenceError: an output has "
                        "the shape (1,) instead of (6, 3)"),
    }, details
    _, calls = probe("right" + SCALE, ":refuses", "--only=numbers")
    assert calls["given"]["verdict"] == "failed" and calls["given"]["detail"] == (
        "the reference refuses it: RuntimeError: KeyError: 'none'"), calls["given"]


def check_crashes():
    """A kernel that crashes after Python has answered lets that go on: it is started once."""
    with tempfile.TemporaryDirectory() as folder:
        reference, starts = (os.path.join(folder, name) for name in ("once.py", "starts"))
        with open(reference, "w", encoding="utf-8") as file:
            file.write(f"open({starts!r}, 'a').write('x')\n\n\n"
                       "def page_end(x, factor):\n    return x * factor\n")
        words = [TOOL, "probe", FAULTS, "page_end" + SCALE, f"--against={reference}", "--json",
                 "--only=lengths:4:*"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert json.loads(done.stdout)["failed"] > 30, done
        with open(starts, encoding="utf-8") as file:
            assert file.read() == "x"


def check_errors():
    for against, said in ((FUNCTIONS + ":missing", "there is no function missing"),
                          ("absent.py", "absent.py: FileNotFoundError: ")):
        done = subprocess.run([TOOL, "probe", FAULTS, "right" + SCALE, f"--against={against}"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 4 and said in done.stderr, (against, done)


check_right()
check_wrong()
check_misbehaving()
check_crashes()
check_errors()

# SPDX-License-Identifier: Apache-2.0
"""probe finds each planted fault in the row that is for it, and passes what is right.

test_probe.py TVM-FFI FAULTS"""
import json
import subprocess

from tool import CHECK, COMMAND, FILES, LOAD, OK, RAISED, USAGE, bad, good, run

FAULTS = FILES[0]
X, Y = "4x3xf32=rand", "&4x3xf32"


def form(name):
    return f"{name}({X}, 2.5, {Y})"


def probe(name, *options):
    code, out, err = run("probe", FAULTS, form(name), "--json", *options)
    assert code in (OK, CHECK) and (err == "" or code == CHECK), (name, code, out, err)
    found = json.loads(out)
    assert (code == CHECK) == (found["failed"] > 0), found
    return found


def rows_of(found):
    return {row["name"]: row for row in found["rows"]}


def failures(found):
    return {call["name"]: call["detail"] for call in found["calls"] if call["verdict"] == "failed"}


# ---- What is right passes in every row; what is strict may refuse ----

RIGHT = probe("right")
ROWS = rows_of(RIGHT)
assert RIGHT["failed"] == 0 and RIGHT["left_out"] == 0, failures(RIGHT)
GROUPS = {"layouts", "shapes", "state", "calls"}
assert {row["group"] for row in ROWS.values()} == GROUPS, ROWS
for row in ROWS.values():
    taken = row["group"] in ("layouts", "state") or row["name"] in ("extent-0", "extent-1", "huge", "named")
    assert (row["refused"] == 0) if taken else (row["passed"] == 0), row
STRICT = rows_of(probe("strict"))
assert STRICT["strided"]["refused"] == 3 and STRICT["strided"]["passed"] == 0, STRICT
assert STRICT["offset"]["passed"] == 3 and STRICT["unit"]["passed"] == 2, STRICT

# ---- One fault for each row: the row finds it, and its command line repeats it ----

# Where the fault is not called like its row: the row, and what is said of it.
OTHERS = {
    "unchecked": ("allocator", "crashed"), "references": ("objects", "references to argument 0"),
    "hangs": ("strided", "it took longer than 1 s"), "changes": ("strided", "it changed argument 0, an input"),
    "outside": ("strided", "it wrote outside of argument 2"), "silent": ("strided", "returned -1 without raising"),
    "leaves": ("strided", "ended the program while it was called, with exit code 0"),
}
SAID = {
    "offset": "expected", "misaligned": "expected", "strided": "expected", "transposed": "expected",
    "negative": "crashed", "broadcast": "expected", "unit": "expected", "page-end": "it reached beyond a tensor",
    "page-begin": "it reached before a tensor", "read-only": "it wrote to a read-only tensor", "pinned": "expected",
    "managed": "expected", "view": "expected", "extent-0": "crashed", "extent-1": "crashed",
    "unequal": "it reached beyond a tensor", "more-dims": "expected", "fewer-dims": "crashed", "huge": "cut off",
    "missing": "one argument too few", "extra": "one argument too many", "none": "argument 1 is None",
    "type": "argument 1 is", "dtype": "type", "device": "crashed", "null": "crashed",
    "named": "does not say which argument is wrong: TypeError: no tensor", "repeat": "expected", "threads": "expected",
    "allocator": "crashed", "objects": "1 objects", "descriptors": "descriptors are open", "mappings": "more bytes mapped",
    "rounding": "rounding mode", "locale": "the locale is", "signals": "has another handler",
}
assert set(SAID) == set(ROWS), set(SAID) ^ set(ROWS)

for fault, (row, said) in {**{row.replace("-", "_"): (row, said) for row, said in SAID.items()}, **OTHERS}.items():
    options = ["--only", row] + (["--timeout=1"] if fault == "hangs" else [])
    found = probe(fault, *options)
    wrong = failures(found)
    assert wrong and rows_of(found)[row]["failed"] == len(wrong), (fault, found)
    assert any(said in detail for detail in wrong.values()), (fault, wrong)
    first = next(call for call in found["calls"] if call["verdict"] == "failed")
    words = first["command"].replace("tvm-ffi", "", 1)
    again = subprocess.run(["sh", "-c", " ".join(COMMAND) + words + " --json"], capture_output=True, text=True,
                           check=False)
    assert again.returncode == CHECK, (fault, first, again)
    assert first["name"] in failures(json.loads(again.stdout)), (fault, first, again.stdout)

# SPDX-License-Identifier: Apache-2.0
"""Recordings of a Python program with the reference's package, on the library that the package has
here. The program prints the same with and without.

test_record_python.py TVM-FFI KERNELS [PROGRAM: this test as the program that is recorded]"""
import os
import pathlib
import subprocess
import sys

PROGRAM = "program" in sys.argv[3:]
KERNELS = os.path.abspath(sys.argv[2])


def program():
    """What is recorded: arrays and views of NumPy, containers, an object with fields, a function
    of Python, errors."""
    import numpy
    import tvm_ffi
    from tvm_ffi.dataclasses import py_class

    @py_class("test_record.Pair")
    class Pair(tvm_ffi.Object):
        first: int
        second: tvm_ffi.Object

    kernels = tvm_ffi.load_module(KERNELS)
    whole = numpy.arange(24, dtype="float32").reshape(4, 6)
    kernels.add(whole[:, 1], whole[:, 0], 1)
    print(whole[:, 1])
    tensor = tvm_ffi.from_dlpack(whole)
    values = [
        None, True, 2**60, 0.5, "text", "\N{SNOWMAN}" * 9, b"\0\xff", tvm_ffi.Shape((1, 2)),
        tvm_ffi.dtype("float16"), tvm_ffi.device("cpu:0"), [1, [2.5, None]],
        {"a": tensor, 1: tensor}, Pair(3, tvm_ffi.Array([1]))
    ]
    for value in values:
        result = kernels.echo(value)
        print(type(result).__name__)
    print(kernels.apply(lambda x: kernels.echo(x) + 1, 5))
    for wrong in (whole[:, 1], whole[:, 0], 9), (whole, 1), ():
        try:
            kernels.add(*wrong)
        except Exception as error:  # whatever the kernel raises
            print(type(error).__name__, error)
    try:
        kernels.apply(lambda x: 1 // x, 0)
    except Exception as error:
        print(type(error).__name__, error)


if PROGRAM:
    program()
    sys.exit()

from recording import Recording
from tool import COMMAND, work_folder

os.chdir(work_folder())
command = [sys.executable, os.path.abspath(__file__), COMMAND[-1], KERNELS, "program"]
alone = subprocess.run(command, capture_output=True, text=True, check=False)
assert alone.returncode == 0, alone
recorded = subprocess.run([*COMMAND, "record", "--all", "--", *command], capture_output=True,
                          text=True, check=False)
assert (alone.stdout, alone.stderr) == (recorded.stdout, recorded.stderr), (alone, recorded)
assert recorded.returncode == 0, recorded

recording = Recording("recording")
calls = sorted(recording.calls.values(), key=lambda call: call["call"])
add, *rest = calls
assert set(recording.calls) == set(recording.ends)
y, x = (arg["tensor"] for arg in add["args"][:2])
storage, = add["storages"]
assert (y["offset"], x["offset"], storage["bytes"]) == (4, 0, 80) and y["strides"] == [6], add
assert "flags" in y, y
echoed = [call["args"][0] for call in rest if call["function"] == "echo"]
tensor = {"dtype": [2, 32, 1], "shape": [4, 6], "strides": [6, 1], "byte_offset": 0,
          "device": [1, 0], "storage": 0, "offset": 0, "flags": 0}
assert echoed[:11] == [
    None, True, {"int": str(2**60)}, {"float": "0.5"}, "text", "\N{SNOWMAN}" * 9, {"bytes": "00ff"},
    {"shape": [1, 2], "id": 0}, {"dtype": [2, 16, 1]}, {"device": [1, 0]},
    {"array": [1, {"array": [{"float": "2.5"}, None], "id": 1}], "id": 0}
], echoed
assert echoed[11] == {
    "map": [["a", {"tensor": {"id": 1, **tensor}}], [1, {"ref": 1}]], "id": 0
}, echoed[11]
assert echoed[12] == {
    "object": "test_record.Pair", "fields": {"first": 3, "second": {"array": [1], "id": 1}}, "id": 0
}, echoed[12]
assert echoed[13] == 5, echoed  # by the function in Python, within apply
errors = [end["error"] for end in recording.ends.values() if end["event"] == "error"]
kinds = [error and error["kind"] for error in errors]
assert kinds[:3] == ["ValueError", "TypeError", "TypeError"] and len(kinds) == 4, kinds
assert all("record_call" not in error["backtrace"] for error in errors if error), errors
print(len(calls), "calls")

# SPDX-License-Identifier: Apache-2.0
"""Calls a function for tvm-ffi probe --against=FILE.py:FUNCTION. Each request, and each answer, is
its size and then a value; python.c has the other end."""
import importlib.util
import io
import os
import struct
import sys

requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)  # what the function prints is no answer


def read_number(source, kind="q"):
    return struct.unpack("=" + kind, source.read(8))[0]


def read(source):
    tag = source.read(1)
    if tag in b"NTF":
        return {b"N": None, b"T": True, b"F": False}[tag]
    if tag in b"id":
        return read_number(source, {b"i": "q", b"d": "d"}[tag])
    if tag == b"a":
        return numpy.lib.format.read_array(source, allow_pickle=False)
    size = read_number(source)
    if tag in b"sb":
        data = source.read(size)
        return data.decode(errors="replace") if tag == b"s" else data
    if tag == b"m":
        return {read(source): read(source) for _ in range(size)}
    values = [read(source) for _ in range(size)]
    return tuple(values) if tag == b"t" else values


def write(value, out):
    if isinstance(value, numpy.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        out.write({None: b"N", True: b"T", False: b"F"}[value])
    elif isinstance(value, int):
        out.write(b"i" + struct.pack("=q", value))
    elif isinstance(value, float):
        out.write(b"d" + struct.pack("=d", value))
    elif isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        out.write((b"s" if isinstance(value, str) else b"b") + struct.pack("=q", len(data)) + data)
    elif isinstance(value, (list, tuple)):
        out.write(b"l" + struct.pack("=q", len(value)))
        for item in value:
            write(item, out)
    elif isinstance(value, dict):
        out.write(b"m" + struct.pack("=q", len(value)))
        for key, item in value.items():
            write(key, out)
            write(item, out)
    elif isinstance(value, numpy.ndarray):
        out.write(b"a")
        numpy.lib.format.write_array(out, numpy.ascontiguousarray(value).reshape(value.shape),
                                     allow_pickle=False)
    else:
        raise TypeError(f"a result of type {type(value).__name__} cannot be compared")


def answer(*values):
    out = io.BytesIO()
    write(values, out)
    answers.write(struct.pack("=q", out.tell()) + out.getvalue())
    answers.flush()


class Unfit(Exception):
    """The function has returned, but not what the outputs can be."""


def put(value, place):
    """The value as the function under test is to write it."""
    value = numpy.asarray(value)
    if value.shape != place.shape:
        raise Unfit(f"an output has the shape {value.shape} instead of {place.shape}")
    return value.astype(place.dtype)


def call(inputs, fills, changed):
    result = function(*inputs)
    if not fills:
        return [], [inputs[i] for i in changed], result
    values = list(result) if isinstance(result, tuple) else [result]
    if len(values) not in (len(fills), len(fills) + 1):
        raise Unfit(f"it returned {len(values)} values for {len(fills)} outputs")
    filled = [put(value, place) for value, place in zip(values, fills)]
    return filled, [inputs[i] for i in changed], (values + [None])[len(fills)]


try:
    import numpy
    path, name = sys.argv[1:3]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    numpy.seterr(all="ignore")
    said = b"" if callable(function) else f"there is no function {name}".encode()
except BaseException as reason:
    said = f"{type(reason).__name__}: {reason}".encode()
first = b"T" if not said else b"s" + struct.pack("=q", len(said)) + said
answers.write(struct.pack("=q", len(first)) + first)
answers.flush()
while first == b"T" and (head := requests.read(8)):
    request = io.BytesIO(requests.read(struct.unpack("=q", head)[0]))
    try:
        answer(True, *call(*read(request)))
    except Unfit as reason:
        answer(None, str(reason))
    except BaseException as reason:
        answer(False, f"{type(reason).__name__}: {reason}")

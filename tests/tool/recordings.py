# SPDX-License-Identifier: Apache-2.0
"""Writes recordings by hand, as docs/guide/record_format.md says, for tests of what reads them."""
import json
import math
import pathlib
import struct
import sys

FLOAT32, INT32, UINT8 = (2, 32, 1), (0, 32, 1), (1, 8, 1)
CPU = [1, 0]
MASK = (1 << 64) - 1


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def finish(k):
    k = (k ^ k >> 33) * 0xff51afd7ed558ccd & MASK
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53 & MASK
    return k ^ k >> 33


def murmur(data):
    """MurmurHash3, x64, 128 bits, seed 0, as digits."""
    c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
    h1 = h2 = 0
    whole = len(data) // 16 * 16
    for k1, k2 in struct.iter_unpack("<QQ", data[:whole]):
        h1 = (rotate(h1 ^ rotate(k1 * c1 & MASK, 31) * c2 & MASK, 27) + h2) & MASK
        h1 = (h1 * 5 + 0x52dce729) & MASK
        h2 = (rotate(h2 ^ rotate(k2 * c2 & MASK, 33) * c1 & MASK, 31) + h1) & MASK
        h2 = (h2 * 5 + 0x38495ab5) & MASK
    k1, k2 = struct.unpack("<QQ", data[whole:].ljust(16, b"\0"))
    h2 ^= rotate(k2 * c2 & MASK, 33) * c1 & MASK
    h1 ^= rotate(k1 * c1 & MASK, 31) * c2 & MASK
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    h1, h2 = finish(h1), finish(h2)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    return struct.pack("<QQ", h1, h2).hex()


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
            self.add(event="library", library=i, path=str(library), build_id=None)

    def add(self, **event):
        with open(self.path, "ab") as file:
            file.write(json.dumps(event).encode() + b"\n")

    def data(self, content):
        """A storage's entry, whose bytes are written."""
        name = murmur(content)
        (self.folder / "tensors" / f"{name}.npy").write_bytes(npy(content))
        return {"data": name}

    def storages(self, contents, address=0x1000):
        """Entries of a call: each is bytes, or the reason why they were left out and the size."""
        entries = []
        for content in contents:
            data = self.data(content) if isinstance(content, bytes) else {"left_out": content[0]}
            size = len(content) if isinstance(content, bytes) else content[1]
            entries.append({"device": CPU, "address": hex(address), "bytes": size, **data})
            address += 0x10000
        return entries

    def call(self, function, args, storages=(), library=0, address=0x1000, **more):
        self.number += 1
        self.add(event="call", call=self.number, thread=7, time=1000, library=library,
                 function=function, symbol=f"__tvm_ffi_{function}", args=args,
                 storages=self.storages(storages, address), **more)
        return self.number

    def returned(self, number, result=None, after=(), added=()):
        """`after` are the storages of the call, `added` those of the result."""
        entries = [self.data(content) if isinstance(content, bytes) else {"left_out": content[0]}
                   for content in after]
        self.add(event="return", call=number, thread=7, time=3000, result=result,
                 storages=entries + self.storages(added, 0x900000))

    def raised(self, number, kind, message, after=()):
        self.add(event="error", call=number, thread=7, time=3000, code=-1,
                 error={"kind": kind, "message": message, "backtrace": ""},
                 storages=[self.data(content) for content in after])

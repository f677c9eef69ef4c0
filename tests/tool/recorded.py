# SPDX-License-Identifier: Apache-2.0
"""Writes recordings as the recorder does, for tests of what reads them; their arguments are

    TVM-FFI LIBRARY... [-- LIBTVM_FFI INCLUDE...]"""
import json
import math
import os
import pathlib
import struct
import sys

import tool
from recording import Page, murmur
from tool import FILES, WINDOWS, good, run, work_folder

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


def page_of(recording, *options):
    path = recording.folder.with_suffix(".html")
    good("show", recording.folder, f"--html={path}", *options)
    return Page(path)


def replayed_page(recording, *options, env=None):
    """The exit code, the page, and what is printed."""
    path = recording.folder.with_suffix(".html")
    code, out, _ = run("replay", recording.folder, f"--html={path}", *options, env=env)
    return code, Page(path), out

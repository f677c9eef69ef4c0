# SPDX-License-Identifier: Apache-2.0
"""Writes small libraries of Windows (PE files), for tests that need what no compiler here makes."""
import struct

MACHINES = {"x86-64": (0x8664, 64), "i386": (0x14c, 32), "aarch64": (0xaa64, 64)}
DLL, NX, DYNAMIC_BASE, HIGH_ENTROPY = 0x2000, 0x100, 0x40, 0x20
CODE, CONSTANT, WRITABLE = 0x60000020, 0x40000040, 0xc0000040
SECTION = 0x1000  # the distance of the sections in memory


class Library:
    """A PE file of three sections, of code, constants and writable data. Values are texts or
    bytes."""

    def __init__(self, machine="x86-64", name="made.dll", flags=DLL,
                 traits=NX | DYNAMIC_BASE | HIGH_ENTROPY, code=CODE):
        self.number, self.bits = MACHINES[machine]
        self.name, self.flags, self.traits, self.code = name, flags, traits, code
        self.exports, self.imports, self.delayed = [], {}, {}
        self.contents = {"code": b"\xcc" * 16, "constant": b"", "writable": bytes(16)}

    def function(self, name):
        return self.add(name, "code", 4)

    def data(self, name, content, place="constant"):
        self.contents[place] += content
        return self.add(name, place, len(self.contents[place]) - len(content))

    def add(self, name, place, offset):
        self.exports.append((name, place, offset))
        return self

    def forward(self, name, target):
        self.exports.append((name, None, target))
        return self

    def undefined(self, name, library="tvm_ffi.dll", delayed=False):
        """Import a name, or an ordinal."""
        (self.delayed if delayed else self.imports).setdefault(library, []).append(name)
        return self

    def build(self):
        word = "<Q" if self.bits == 64 else "<I"
        starts = {
            name: SECTION * (i + 1) for i, name in enumerate(["code", "constant", "writable"])
        }
        tables_at = 4 * SECTION
        tables = bytearray(tables_at + 0 * SECTION - tables_at)
        directories = [(0, 0)] * 16

        def put(content):
            """Add to the section of tables; its address."""
            tables.extend(content + bytes(-len(content) % 8))
            return tables_at + len(tables) - len(content) - -len(content) % 8

        def texts(names):
            return [put(name.encode() + b"\0") for name in names]

        def entries(names):
            found = [
                name | 1 << self.bits - 1 if isinstance(name, int) else put(b"\0\0" +
                                                                            name.encode() + b"\0")
                for name in names
            ]
            return put(b"".join(struct.pack(word, entry) for entry in [*found, 0]))

        records = b"".join(
            struct.pack("<5I", entries(names), 0, 0, put(library.encode() + b"\0"), tables_at)
            for library, names in self.imports.items())
        if records:
            directories[1] = put(records + bytes(20)), len(records) + 20
        records = b"".join(
            struct.pack("<8I", 1, put(library.encode() + b"\0"), 0, 0, entries(names), 0, 0, 0)
            for library, names in self.delayed.items())
        if records:
            directories[13] = put(records + bytes(32)), len(records) + 32
        if self.exports:
            names = texts([name for name, _, _ in sorted(self.exports)])
            names_at = put(struct.pack(f"<{len(names)}I", *names))
            ordinals_at = put(struct.pack(f"<{len(names)}H", *range(len(names))))
            name_at = put(self.name.encode() + b"\0")
            # What is forwarded lies in the directory's own range.
            forwarded = b"".join(where.encode() + b"\0" for _, place, where in sorted(self.exports)
                                 if place is None)
            size = 40 + 4 * len(names) + len(forwarded)
            begin = tables_at + len(tables)
            at, addresses = begin + 40 + 4 * len(names), []
            for _, place, where in sorted(self.exports):
                addresses.append(at if place is None else starts[place] + where)
                at += len(where) + 1 if place is None else 0
            put(
                struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, name_at, 1, len(names), len(names), begin +
                            40, names_at, ordinals_at) +
                struct.pack(f"<{len(names)}I", *addresses) + forwarded)
            directories[0] = begin, size

        sections = [(b".text", starts["code"], self.contents["code"], self.code),
                    (b".rdata", starts["constant"], self.contents["constant"], CONSTANT),
                    (b".data", starts["writable"], self.contents["writable"], WRITABLE),
                    (b".tables", tables_at, bytes(tables), CONSTANT)]
        optional = self.optional_header(directories)
        headers = b"MZ\x90".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
        headers += struct.pack("<HHIIIHH", self.number, len(sections), 0, 0, 0, len(optional),
                               self.flags) + optional
        body = b""
        for name, address, content, flags in sections:
            headers += struct.pack("<8sIIIIIIHHI", name, len(content), address, len(content),
                                   0x400 + len(body), 0, 0, 0, 0, flags)
            body += content + bytes(-len(content) % 16)
        return headers.ljust(0x400, b"\0") + body

    def optional_header(self, directories):
        is_64 = self.bits == 64
        header = struct.pack("<HBBIIIII", 0x20b if is_64 else 0x10b, 0, 0, 0, 0, 0, 0, 0)
        header += struct.pack("<Q", 0x180000000) if is_64 else struct.pack("<II", 0, 0x10000000)
        header += struct.pack("<IIHHHHHHIIIIHH", SECTION, 16, 6, 0, 0, 0, 6, 0, 0, 8 * SECTION,
                              0x400, 0, 3, self.traits)
        header += struct.pack("<4Q" if is_64 else "<4I", 0, 0, 0, 0) + struct.pack(
            "<II", 0, len(directories))
        return header + b"".join(struct.pack("<II", *directory) for directory in directories)

    def write(self, path):
        path.write_bytes(self.build())
        return path

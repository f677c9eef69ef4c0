# SPDX-License-Identifier: Apache-2.0
"""Writes small libraries of macOS (Mach-O files), for tests that need what no compiler here
makes."""
import struct

MACHINES = {"x86-64": (0x01000007, 64, "<"), "aarch64": (0x0100000c, 64, "<"), "i386": (7, 32, "<"),
            "powerpc": (18, 32, ">"), "ppc64": (0x01000012, 64, ">")}
OBJECT, PROGRAM, LIBRARY, BUNDLE = 1, 2, 6, 8
TWO_LEVEL, STACK_EXECUTION = 0x80, 0x20000
BASE = 0x4000  # where it is in memory
PLACES = ["code", "constant", "writable"]


def leb(number):
    """A number of 7 bits in each byte."""
    made = b""
    while True:
        number, low = number >> 7, number & 0x7f
        made += bytes([low | (0x80 if number else 0)])
        if not number:
            return made


class Library:
    """A Mach-O file of three sections, of code, constants and writable data."""

    def __init__(self, machine="x86-64", kind=LIBRARY, flags=TWO_LEVEL, signed=True, protection=5,
                 identity="made.dylib"):
        self.cpu, self.bits, self.order = MACHINES[machine]
        self.kind, self.flags, self.signed = kind, flags, signed
        self.protection, self.identity = protection, identity
        self.needed, self.rpaths, self.symbols, self.imports = [], [], [], []
        self.contents = {"code": b"\xcc" * 16, "constant": b"", "writable": bytes(16)}
        self.trie = None  # of exports: None, so that the symbol table has them

    def function(self, name, **kwargs):
        return self.add(name, "code", 4, **kwargs)

    def data(self, name, content, place="constant", **kwargs):
        self.contents[place] += content
        return self.add(name, place, len(self.contents[place]) - len(content), **kwargs)

    def add(self, name, place, offset, hidden=False, local=False, weak=False):
        self.symbols.append(
            (name, place, offset, 0xe | (0x10 if hidden else 0) | (0 if local else 1),
             0x80 if weak else 0))
        return self

    def undefined(self, name, library=None, weak=False):
        if library is not None and library not in self.needed:
            self.needed.append(library)
        number = self.needed.index(library) + 1 if library is not None else 0xfe
        self.imports.append((name, number << 8 | (0x40 if weak else 0)))
        return self

    def with_trie(self):
        """Put the exports into a tree, and not into the symbol table."""
        self.trie = [symbol for symbol in self.symbols if symbol[3] & 0x11 == 1]
        self.symbols = [symbol for symbol in self.symbols if symbol not in self.trie]
        return self

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def text_command(self, command, name, more=b""):
        content = name.encode() + b"\0"
        content += bytes(-(12 + len(more) + len(content)) % 8)
        return self.pack("III", command, 12 + len(more) + len(content),
                         12 + len(more)) + more + content

    def build_trie(self, starts):
        """The root, with an edge to each name: _ is one of their parents."""
        def leaf(name, place, offset, description):
            content = leb(4 if description & 0x80 else 0) + leb(starts[place] - BASE + offset)
            return leb(len(content)) + content + b"\0"

        leaves = [
            leaf(name, place, offset, description)
            for name, place, offset, _, description in self.trie
        ]
        names = [name.encode() + b"\0" for name, *_ in self.trie]
        root = b"\0\1_\0" + leb(5)
        at = len(root) + 2 + sum(len(name) + 5 for name in names)  # offsets of 5 bytes
        inner = b"\0" + bytes([len(names)])
        for name, content in zip(names, leaves):
            inner += name + bytes(
                [at & 0x7f | 0x80, at >> 7 & 0x7f | 0x80, at >> 14 & 0x7f | 0x80, 0x80, 0])
            at += len(content)
        return root + inner + b"".join(leaves)

    def build(self):
        wide = self.bits == 64
        word, header_size = ("Q", 32) if wide else ("I", 28)
        section_size, segment_size = (80, 72) if wide else (68, 56)
        libraries = b"".join(
            self.text_command(0xc, name, self.pack("III", 2, 0x10000, 0x10000))
            for name in self.needed)
        libraries += b"".join(self.text_command(0x8000001c, path) for path in self.rpaths)
        if self.kind == LIBRARY:
            libraries += self.text_command(0xd, self.identity,
                                           self.pack("III", 1, 0x10000, 0x10000))
        commands_size = 2 * segment_size + 3 * section_size + len(
            libraries) + 24 + 16 * (self.trie is not None) + 16 * self.signed
        start = header_size + commands_size
        start += -start % 16
        offsets, body = {}, b""
        for place in PLACES:
            offsets[place] = start + len(body)
            body += self.contents[place] + bytes(-len(self.contents[place]) % 16)
        starts = {place: (0 if self.kind == OBJECT else BASE) + offsets[place] for place in PLACES}
        segments = b""
        for segment, protection, places, at in (("__TEXT", self.protection, PLACES[:2], 0),
                                                ("__DATA", 3, PLACES[2:], 1)):
            size = segment_size + section_size * len(places)
            begin = 0 if at == 0 else offsets["writable"]
            name = b"" if self.kind == OBJECT else segment.encode()
            segments += self.pack(
                "II16s4" + word + "iiII", 0x19 if wide else 1, size, name, BASE + begin, 0x1000,
                begin, offsets["writable"] if at == 0 else len(self.contents["writable"]), 7,
                protection, len(places), 0)
            for place in places:
                flags = 0x80000400 if place == "code" else 0
                segments += self.pack("16s16s2" + word + "7I", b"__" + place.encode(),
                                      segment.encode(), starts[place], len(
                                          self.contents[place]), offsets[place], 4, 0, 0, flags, 0,
                                      0) + bytes(4 if wide else 0)
        strings, table = b"\0", b""
        for name, place, offset, kind, description in self.symbols:
            table += self.pack("IBBH" + word, len(strings), kind,
                               PLACES.index(place) + 1, description, starts[place] + offset)
            strings += b"_" + name.encode() + b"\0"
        for name, description in self.imports:
            table += self.pack("IBBH" + word, len(strings), 1, 0, description, 0)
            strings += b"_" + name.encode() + b"\0"
        count, at = len(self.symbols) + len(self.imports), start + len(body)
        commands = segments + libraries + self.pack("6I", 2, 24, at, count, at + len(table),
                                                    len(strings))
        tail = table + strings
        if self.trie is not None:
            trie = self.build_trie(starts)
            commands += self.pack("4I", 0x80000033, 16, at + len(tail), len(trie))
            tail += trie
        if self.signed:
            commands += self.pack("4I", 0x1d, 16, at + len(tail), 0)
        assert len(commands) == commands_size
        header = self.pack("7I", 0xfeedfacf if wide else 0xfeedface, self.cpu, 0, self.kind, 0,
                           commands_size, self.flags)
        return (header + bytes(4 if wide else 0) + commands).ljust(start, b"\0") + body + tail

    def write(self, path):
        path.write_bytes(self.build())
        return path


def universal(*libraries, is_64=False):
    """A file with libraries for several machines."""
    images = [library.build() for library in libraries]
    form = ">IIQQII" if is_64 else ">IIIII"
    header, at = struct.pack(">II", 0xcafebabf if is_64 else 0xcafebabe, len(images)), 256
    for library, image in zip(libraries, images):
        header += struct.pack(form, library.cpu, 0, at, len(image), 6, *([0] if is_64 else []))
        at += len(image) + -len(image) % 64
    return header.ljust(256, b"\0") + b"".join(image + bytes(-len(image) % 64) for image in images)

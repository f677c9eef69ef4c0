# SPDX-License-Identifier: Apache-2.0
"""Small ELF libraries of any machine, class and byte order, written without a compiler."""
import struct

FUNC, OBJECT, NOTYPE = 2, 1, 0
LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10
MACHINES = {
    "i386": (3, 32, "<"), "powerpc": (20, 32, ">"), "ppc64": (21, 64, ">"), "s390x": (22, 64, ">"),
    "arm": (40, 32, "<"), "x86-64": (62, 64, "<"), "aarch64": (183, 64, "<"),
    "riscv64": (243, 64, "<"), "ppc64le": (21, 64, "<"), "mips": (8, 32, ">"),
    "machine 4711": (4711, 64, "<")
}

DT_NULL, DT_NEEDED, DT_SONAME, DT_TEXTREL, DT_RUNPATH, DT_FLAGS = 0, 1, 14, 22, 29, 30
DT_FLAGS_1 = 0x6ffffffb
DF_1_PIE = 0x08000000


class Library:
    """A shared library to write: its exports, imports and properties."""

    def __init__(self, machine="x86-64", stack="rw", relro=True, now=True, text_relocations=False,
                 needed=(), runpath=None, writable_code=False, soname=None, is_program=False,
                 interpreter=None, notes=(), osabi=0):
        self.machine, self.bits, self.order = MACHINES[machine]
        self.stack, self.relro, self.now = stack, relro, now
        self.text_relocations = text_relocations
        self.needed, self.runpath, self.writable_code = needed, runpath, writable_code
        self.soname, self.is_program = soname, is_program
        self.interpreter, self.notes, self.osabi = interpreter, notes, osabi
        self.symbols, self.constant, self.writable, self.versions = [], b"", b"", {}

    def function(self, name, size=16, binding=GLOBAL):
        self.symbols.append((name, FUNC, binding, "code", 0, size, None))
        return self

    def data(self, name, content, size=None, is_writable=False, binding=GLOBAL):
        part = self.writable if is_writable else self.constant
        self.symbols.append((name, OBJECT, binding, "writable" if is_writable else "constant",
                             len(part), len(content) if size is None else size, None))
        if is_writable:
            self.writable += content
        else:
            self.constant += content
        return self

    def undefined(self, name, version=None, library="libc.so.6", binding=GLOBAL):
        self.symbols.append(
            (name, NOTYPE, binding, None, 0, 0, (library, version) if version else None))
        return self

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def word(self, *values):
        return self.pack(("Q" if self.bits == 64 else "I") * len(values), *values)

    def symbol(self, name, info, section, value, size):
        if self.bits == 64:
            return self.pack("IBBHQQ", name, info, 0, section, value, size)
        return self.pack("IIIBBH", name, value, size, info, 0, section)

    def segment(self, kind, flags, offset, size):
        if self.bits == 64:
            return self.pack("IIQQQQQQ", kind, flags, offset, offset, offset, size, size, 8)
        return self.pack("IIIIIIII", kind, offset, offset, offset, size, size, flags, 8)

    def build(self):
        strings = bytearray(b"\0")

        def text(value):
            strings.extend(value.encode("latin-1") + b"\0")
            return len(strings) - len(value) - 1

        numbers = {"code": 1, "constant": 2, "writable": 3}
        needs = {}
        for *_, need in self.symbols:
            if need and need not in needs:
                needs[need] = len(needs) + 2
        header_size = 64 if self.bits == 64 else 52
        segments = 3 + bool(self.relro) + bool(self.interpreter) + bool(self.notes)
        start = header_size + segments * (56 if self.bits == 64 else 32)
        code_at, constant_at = start, start + 64
        interpreter = (self.interpreter or "").encode() + b"\0"
        interpreter += bytes(-len(interpreter) % 4)
        notes = b"".join(
            self.pack("III", len(name) + 1, 4, 1) + name.encode() + bytes(4 - len(name) % 4) +
            self.pack("I", 21) for name in self.notes)
        interpreter_at = constant_at + len(self.constant)
        constant = self.constant + interpreter + notes
        writable_at = constant_at + len(constant)
        starts = {"code": code_at, "constant": constant_at, "writable": writable_at}
        symbols = self.symbol(0, 0, 0, 0, 0)
        versym = self.pack("H", 0)
        for name, kind, binding, place, offset, size, need in self.symbols:
            symbols += self.symbol(text(name), binding << 4 | kind, numbers.get(place, 0),
                                   starts[place] + offset if place else 0, size)
            versym += self.pack("H", needs[need] if need else 1)
        verneed = b""
        libraries = sorted({needed for needed, _ in needs})
        for i, needed in enumerate(libraries):
            mine = [(version, number) for (library, version), number in needs.items()
                    if library == needed]
            last = i + 1 == len(libraries)
            verneed += self.pack("HHIII", 1, len(mine), text(needed), 16,
                                 0 if last else 16 + 16 * len(mine))
            for k, (version, number) in enumerate(mine):
                verneed += self.pack("IHHII", 0, 0, number, text(version),
                                     0 if k + 1 == len(mine) else 16)
        dynamic = b"".join(self.word(DT_NEEDED, text(name)) for name in self.needed)
        if self.soname:
            dynamic += self.word(DT_SONAME, text(self.soname))
        if self.is_program:
            dynamic += self.word(DT_FLAGS_1, DF_1_PIE)
        if self.runpath:
            dynamic += self.word(DT_RUNPATH, text(self.runpath))
        if self.text_relocations:
            dynamic += self.word(DT_TEXTREL, 0)
        if self.now:
            dynamic += self.word(DT_FLAGS, 8)
        dynamic += self.word(DT_NULL, 0)

        names = (b"\0.text\0.rodata\0.data\0.dynsym\0.dynstr\0.dynamic\0.gnu.version\0"
                 b".gnu.version_r\0.shstrtab\0")
        word = self.bits // 8
        # name, type, flags, content, link, info, entry size
        sections = [(".text", 1, 6, b"\xcc" * 64, 0, 0, 0),
                    (".rodata", 1, 2, constant, 0, 0, 0),
                    (".data", 1, 3, self.writable, 0, 0, 0),
                    (".dynsym", 11, 2, symbols, 5, 1, 24 if word == 8 else 16),
                    (".dynstr", 3, 2, bytes(strings), 0, 0, 0),
                    (".dynamic", 6, 3, dynamic, 5, 0, 2 * word),
                    (".gnu.version", 0x6fffffff, 2, versym, 4, 0, 2),
                    (".gnu.version_r", 0x6ffffffe, 2, verneed, 5, len(libraries), 0),
                    (".shstrtab", 3, 0, names, 0, 0, 0)]
        if not needs:
            sections = [section for section in sections if not section[0].startswith(".gnu")]
        body, headers, offset = b"", bytes(64 if word == 8 else 40), start
        for name, kind, flags, content, link, info, entry in sections:
            if name not in (".text", ".rodata", ".data"):
                pad = -offset % 8
                body, offset = body + bytes(pad), offset + pad
            fields = (offset if flags else 0, offset, len(content), link, info)
            start = names.index(name.encode() + b"\0")
            if word == 8:
                headers += self.pack("IIQQQQIIQQ", start, kind, flags, *fields, 1, entry)
            else:
                headers += self.pack("IIIIIIIIII", start, kind, flags, *fields, 1, entry)
            body, offset = body + content, offset + len(content)
        pad = -offset % 8
        body, offset = body + bytes(pad), offset + pad
        program = self.segment(1, 7 if self.writable_code else 5, 0, offset)
        program += self.segment(2, 6, 0, 0)
        program += self.segment(0x6474e551 if self.stack else 0, 7 if self.stack == "rwx" else 6, 0,
                                0)
        if self.relro:
            program += self.segment(0x6474e552, 4, 0, 0)
        if self.interpreter:
            program += self.segment(3, 4, interpreter_at, len(interpreter))
        if self.notes:
            program += self.segment(4, 4, interpreter_at + len(interpreter), len(notes))
        identity = b"\x7fELF" + bytes([
            2 if word == 8 else 1, 1 if self.order == "<" else 2, 1, self.osabi]) + bytes(8)
        header = identity + self.pack("HHI", 3, self.machine, 1) + self.word(0, header_size, offset)
        header += self.pack("IHHHHHH", 0, header_size, 56 if word == 8 else 32, segments,
                            64 if word == 8 else 40,
                            len(sections) + 1, len(sections))
        return header + program + body + headers

    def write(self, path):
        path.write_bytes(self.build())
        return path


def blob(modules):
    """__tvm_ffi__library_bin of [(kind, payload or None, imports)]."""
    def u64(*values):
        return struct.pack("<%dQ" % len(values), *values)

    bounds, imports, body = [0], [], b""
    for kind, payload, numbers in modules:
        imports += numbers
        bounds.append(len(imports))
        body += u64(len(kind)) + kind
        if payload is not None:
            body += u64(len(payload)) + payload
    body = u64(len(bounds), *bounds) + u64(len(imports), *imports) + body
    return u64(len(body)) + body

# SPDX-License-Identifier: Apache-2.0
"""The reader of ELF files: both classes and byte orders read the same, and each kind of damage is
named."""
import struct
import unittest

from elf import MACHINES, WEAK, Library
from tool import LOAD, bad, good_json, run_tests, work_folder

WORK = work_folder()
FILE = WORK / "lib.so"
SHT_DYNSYM, SHT_DYNAMIC, SHT_STRTAB, VERNEED, VERSYM = 11, 6, 3, 0x6ffffffe, 0x6fffffff


def make(machine):
    library = Library(machine, needed=["liba.so", "libb.so"], runpath="/somewhere",
                      soname="libself.so")
    library.function("__tvm_ffi_second", size=0x12345).function("__tvm_ffi_first", size=7)
    library.data("__tvm_ffi__schema_first", b'{"type_schema":"{\\"type\\":\\"ffi.Function\\"}"}\0')
    library.undefined("memcpy", "GLIBC_2.14", "libc.so.6").undefined("exp", "GLIBC_2.29",
                                                                     "libm.so.6")
    return library.undefined("memset", "GLIBC_2.2.5",
                             "libc.so.6").undefined("TVMFFIAny", binding=WEAK)


class Image:
    """The bytes of a library, with the fields of its headers by name."""

    HEADER = "type machine version entry segments_at sections_at flags size segment_size " \
             "num_segments section_size num_sections names"
    SECTION = "name type flags address offset size link info"

    def __init__(self, machine):
        _, self.bits, self.order = MACHINES[machine]
        self.bytes = bytearray(make(machine).build())
        self.word = "Q" if self.bits == 64 else "I"
        self.header = self.places(self.HEADER, "HHI" + 3 * self.word + "IHHHHHH", 16)

    def places(self, names, form, at):
        """{name: (offset, format)} of a record."""
        places = {}
        for name, kind in zip(names.split(), form):
            places[name] = at, self.order + kind
            at += struct.calcsize(self.order + kind)
        return places

    def section(self, kind):
        """The places of the header of the first section of this type, or of a number below 1."""
        at = self.get(self.header["sections_at"])
        size = 64 if self.bits == 64 else 40
        for i in range(self.get(self.header["num_sections"])):
            places = self.places(self.SECTION, "II" + 4 * self.word + "II", at + i * size)
            if i == kind or kind and self.get(places["type"]) == kind:
                return places
        raise AssertionError(kind)

    def content(self, kind, at, form):
        """A place in the content of a section."""
        return self.get(self.section(kind)["offset"]) + at, self.order + form

    def get(self, place):
        return struct.unpack_from(place[1], self.bytes, place[0])[0]

    def set(self, place, value):
        struct.pack_into(place[1], self.bytes, place[0], value)

    def write(self):
        FILE.write_bytes(self.bytes)
        return FILE


def read(image):
    """What list and check print, without what is different for each machine."""
    listed, checked = good_json("list", "--undefined", image.write()), good_json("check", FILE)
    for name in "machine", "bits", "byte_order", "size":
        listed.pop(name)
    file, *checked["verdicts"] = checked["verdicts"]
    assert file["check"] == "file" and file["said"].startswith("a shared library, ELF"), file
    # What is needed is looked for on this machine alone, which may have another C library.
    checked["verdicts"] = [verdict for verdict in checked["verdicts"]
                           if verdict["check"] != "undefined"
                           and "is for systems with glibc: " not in verdict["said"]]
    return listed, checked


def find_said(read_before, check):
    return [verdict["said"] for verdict in read_before[1]["verdicts"] if verdict["check"] == check]


WANTED = read(Image("x86-64"))


def damage(message, machine, change):
    image = Image(machine)
    change(image)
    bad(LOAD, f"{FILE}: malformed ELF file: {message}", "check", image.write())


def field(name, value):
    return lambda image: image.set(image.header[name], value)


def of_section(kind, name, value):
    return lambda image: image.set(image.section(kind)[name], value)


def in_section(kind, at, form, value):
    return lambda image: image.set(image.content(kind, at, form), value)


def cut(size):
    return lambda image: image.bytes.__delitem__(slice(size, None))


def identity(at, value):
    return lambda image: image.bytes.__setitem__(at, value)


NO_HEADER = "its header is truncated, or its class, byte order or version is unknown"
FAR = 0x7fffffff


class Elf(unittest.TestCase):
    def test_each_class_and_byte_order_is_read(self):
        """Each class and byte order is read the same."""
        assert [(f["name"], f["size"])
                for f in WANTED[0]["functions"]] == [("first", 7), ("second", 0x12345)], WANTED
        assert WANTED[0]["functions"][0]["metadata"].startswith('{"type_schema"'), WANTED
        assert WANTED[0]["needed"] == ["liba.so", "libb.so"
                                       ] and WANTED[0]["undefined"][0]["weak"], WANTED
        assert find_said(WANTED, "system") == ["needs GLIBC_2.29"], WANTED
        assert find_said(WANTED, "needed") == ["a path of the machine it was built on"], WANTED
        orders = set()
        for name in MACHINES:
            same = Image(name)
            orders.add((same.bits, same.order))
            assert read(same) == WANTED, (name, read(same), WANTED)
        assert len(orders) == 4, orders

    def test_numbers_that_do_not_fit_the_header(self):
        """Numbers that do not fit the header are in that of section 0."""
        for name in "x86-64", "powerpc":
            image = Image(name)
            first = image.section(0)
            for field, large, place in ("num_sections", 0,
                                        "size"), ("names", 0xffff, "link"), ("num_segments", 0xffff,
                                                                             "info"):
                image.set(first[place], image.get(image.header[field]))
                image.set(image.header[field], large)
            assert read(image) == WANTED, name

    def test_damage(self):
        """Damage."""
        for name in "x86-64", "ppc64", "i386", "powerpc":
            wide = MACHINES[name][1] == 64
            symbol = 24 if wide else 16
            symbol_section = symbol + (6 if wide else 14)
            for message, change in [
                (NO_HEADER, cut(15)),
                (NO_HEADER, cut((64 if wide else 52) - 1)),
                (NO_HEADER, identity(4, 3)),
                (NO_HEADER, identity(5, 0)),
                (NO_HEADER, identity(6, 2)),
                ("neither a library nor an object file", field("type", 4)),
                ("it is truncated: its program headers extend past the end of the file", cut(100)),
                ("it is truncated: its program headers extend past the end of the file",
                 field("segments_at", FAR)),
                ("it is truncated after ", cut(400)),
                ("it is truncated: its section headers extend past the end of the file",
                 field("sections_at", FAR)),
                ("it is truncated: its section headers extend past the end of the file",
                 field("num_sections", 0xfeff)),
                ("it has no section headers, which are needed to find symbols",
                 field("sections_at", 0)),
                ("its dynamic section extends past the end of the file",
                 of_section(SHT_DYNAMIC, "offset", FAR)),
                ("its dynamic section extends past the end of the file",
                 of_section(SHT_DYNAMIC, "size", FAR)),
                ("a name in the dynamic section is outside its string table",
                 of_section(SHT_DYNAMIC, "link", 1)),
                ("a name in the dynamic section is outside its string table",
                 of_section(SHT_DYNAMIC, "link", 0xffff)),
                ("a name in the dynamic section is outside its string table",
                 in_section(SHT_DYNAMIC, 8 if wide else 4, "I", FAR)),
                ("the versions of its imports extend past their section",
                 of_section(VERNEED, "size", 15)),
                    # vn_aux
                ("the versions of its imports extend past their section",
                 in_section(VERNEED, 8, "I", FAR)),
                    # vn_next
                ("the versions of its imports extend past their section",
                 in_section(VERNEED, 12, "I", FAR)),
                    # vna_next
                ("the versions of its imports extend past their section",
                 in_section(VERNEED, 28, "I", 2**32 - 16)),
                ("its symbol table extends past the end of the file",
                 of_section(SHT_DYNSYM, "size", FAR)),
                ("its symbol table extends past the end of the file",
                 of_section(VERSYM, "offset", FAR)),
                ("the version of a symbol is outside its table", of_section(VERSYM, "size", 2)),
                ("the name of a symbol is outside its string table",
                 of_section(SHT_DYNSYM, "link", 0)),
                ("the name of a symbol is outside its string table",
                 in_section(SHT_DYNSYM, symbol, "I", FAR)),
                ("a symbol is in a section that does not exist",
                 in_section(SHT_DYNSYM, symbol_section, "H", 0xfeff)),
                ("the section index of a symbol is outside its table",
                 in_section(SHT_DYNSYM, symbol_section, "H", 0xffff)),
            ]:
                damage(message, name, change)


run_tests()

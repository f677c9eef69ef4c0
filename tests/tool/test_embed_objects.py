# SPDX-License-Identifier: Apache-2.0
"""Object files for Windows (COFF) and macOS (Mach-O): their bytes, and what compilers for these
systems make of them."""
import pathlib
import struct
import subprocess
import unittest

from foreign import HEADERS, MINGW, ROOT, WINE, ZIG, compile_with, run_windows
from tool import CONTENT, USAGE, bad, good, run_tests, work_folder, write_contents

HERE = pathlib.Path(__file__).parent
WORK = work_folder()
PATHS = write_contents(WORK)
SYMBOLS = {
    "k_" + name.replace("-", "_").replace(".", "_"): content for name, content in CONTENT.items()
}


def text_at(image, offset):
    return image[offset:image.index(b"\0", offset)].decode()


class Coff:
    """A COFF object file: sections by number, symbols by name, relocations of a section."""

    def __init__(self, image):
        self.image = image
        self.machine, count, time, symbols, num_symbols, optional, flags = struct.unpack_from(
            "<HHIIIHH", image)
        assert (time, optional, flags) == (0, 0, 0)
        strings = symbols + 18 * num_symbols
        assert struct.unpack_from("<I", image, strings) == (len(image) - strings,)

        def name_of(field):
            if field.startswith(b"/"):
                return text_at(image, strings + int(field[1:].rstrip(b"\0")))
            first, offset = struct.unpack("<II", field)
            return (text_at(image, strings +
                            offset) if first == 0 and offset else field.rstrip(b"\0").decode())
        self.sections, self.relocations = [None], [None]
        for i in range(count):
            (name, address, base, size, at, relocations_at, lines_at, num_relocations, num_lines,
             flags) = struct.unpack_from("<8sIIIIIIHHI", image, 20 + 40 * i)
            assert (address, base, lines_at, num_lines) == (0, 0, 0, 0)
            self.sections.append((name_of(name), flags, image[at:at + size]))
            self.relocations.append([
                struct.unpack_from("<IIH", image, relocations_at + 10 * k)
                for k in range(num_relocations)
            ])
        self.symbols = {}
        for i in range(num_symbols):
            name, value, section, kind, storage, more = struct.unpack_from(
                "<8sIhHBB", image, symbols + 18 * i)
            assert (kind, more) == (0, 0)
            self.symbols[name_of(name)] = (i, section, value, storage)


class MachO:
    """A Mach-O file of 64 bits: sections by number, symbols by name, bytes at an address."""

    def __init__(self, image):
        self.image, self.sections, self.symbols, self.platforms = image, [None], {}, []
        magic, self.cpu, self.subtype, self.kind, count, size, _, _ = struct.unpack_from(
            "<8I", image)
        assert magic == 0xfeedfacf
        at = 32
        for _ in range(count):
            command, length = struct.unpack_from("<II", image, at)
            if command == 0x19:
                for i in range(struct.unpack_from("<I", image, at + 64)[0]):
                    section, segment, *numbers = struct.unpack_from("<16s16sQQIIIII", image,
                                                                    at + 72 + 80 * i)
                    self.sections.append(
                        (segment.rstrip(b"\0") + b"," + section.rstrip(b"\0"), *numbers))
            elif command == 2:
                table, num_symbols, strings, _ = struct.unpack_from("<4I", image, at + 8)
                for i in range(num_symbols):
                    name, kind, section, _, value = struct.unpack_from(
                        "<IBBHQ", image, table + 16 * i)
                    self.symbols[text_at(image, strings + name)] = (i, kind, section, value)
            elif command == 0x32:
                self.platforms.append(struct.unpack_from("<II", image, at + 8))
            at += length
        assert at == 32 + size

    def bytes(self, address, size):
        for _, start, length, offset, *_ in self.sections[1:]:
            if start <= address < start + length:
                return self.image[offset + address - start:][:size]
        raise AssertionError(address)


COMMAND = ["embed", PATHS[1], "--name=k", "-o", WORK / "no.o"]


def checksum(content):
    total = 0
    for byte in content:
        total = total * 31 % 1000003 + byte
    return total


def check_windows():
    """A program prints what is embedded, and the runtime finds a module embedded in a kernel's
    library."""
    compiler = [MINGW, "-std=c99", *HEADERS]
    expected = "".join(f"{name} {len(content)} {checksum(content)} 0\n"
                       for name, content in CONTENT.items()) + "10001 1\n"
    for form, made in ("coff", WORK / "k.obj"), ("c", WORK / "k.c"):
        good("embed", *PATHS, "--name=k", f"--format={form}",
             "--machine=x86-64" if form == "coff" else "--name=k", "--align=128", "-H",
             WORK / "k.h", "-o", made)
        compile_with(compiler, "-Wall", "-Wextra", "-Werror", f"-I{WORK}", HERE / "embedded.c",
                     made, "-o", WORK / "embedded.exe")
        assert run_windows(WORK, WORK / "embedded.exe") == expected, form
    subprocess.run([ROOT / "tools/amalgamate", WORK / "single"], check=True)
    imports = WORK / "libtvm_ffi.dll.a"
    sample, polynomial = ROOT / "samples/08_embedded_modules", ROOT / "samples/07_custom_module"
    compile_with([MINGW, "-std=c99", "-static-libgcc"], f"-I{WORK}/single", "-shared",
                 "-DTVM_FFI_EXPORTS", WORK / "single/tvm_ffi.c", "-o", WORK / "tvm_ffi.dll",
                 f"-Wl,--out-implib,{imports}")
    compile_with(compiler, f"-I{polynomial}", sample / "host.c", polynomial / "polynomial.c",
                 imports, "-o", WORK / "host.exe")
    for form, made in ("coff", WORK / "modules.obj"), ("c", WORK / "modules.c"):
        good("embed", "--library-bin", HERE / "modules.txt", f"--format={form}",
             *(["--machine=x86-64"] if form == "coff" else []), "-o", made)
        compile_with(compiler, "-Wall", "-Wextra", "-Werror", "-shared", sample / "kernel.c", made,
                     imports, "-o", WORK / "kernel.dll")
        said = run_windows(WORK, WORK / "host.exe", WORK / "kernel.dll")
        assert said == (sample / "expected.txt").read_text(encoding="utf-8"), (form, said)


def check_zig(form, machine, triple):
    """Linkers accept the object, and the table of contents points to the files. The C library would
    take minutes."""
    good("embed", *PATHS, "--name=k", f"--format={form}", f"--machine={machine}", "--export", "-o",
         WORK / "k.o")
    compile_with([*ZIG, "cc", "-target", triple, "-O2", "-fno-sanitize=all", "-nostdlib"],
                 "-shared", WORK / "k.o", *([WORK / "entry.c"] if form == "coff" else []), "-o",
                 WORK / "k.so")
    if form != "macho":
        return
    linked = MachO((WORK / "k.so").read_bytes())
    assert linked.kind == 6
    table = struct.unpack("<12Q", linked.bytes(linked.symbols["_k_files"][3], 96))
    for i, (name, content) in enumerate(CONTENT.items()):
        # The loader adds the library's address, and finds these pointers by bits above.
        title, data, size = table[3 * i] & 0xffffffff, table[3 * i + 1] & 0xffffffff, table[3 * i +
                                                                                            2]
        assert linked.bytes(title, len(name) + 1) == name.encode() + b"\0", name
        assert size == len(content) and linked.bytes(data, size) == content, name


class EmbedObjects(unittest.TestCase):
    def test_their_bytes(self):
        """Their bytes."""
        for machine, number, kind, word, prefix in (("x86-64", 0x8664, 1, "Q",
                                                     ""), ("aarch64", 0xaa64, 14, "Q", ""),
                                                    ("i386", 0x14c, 6, "I", "_")):
            for options, section in ([], ".rdata"), (["--export"], ".rdata"), ([
                    "--section=a long name,é"
            ], "a long name,é"):
                good("embed", *PATHS, "--name=k", "--format=coff", "--machine=" + machine, "-o",
                     WORK / "k.obj", "--align=32", *options)
                made = Coff((WORK / "k.obj").read_bytes())
                assert made.machine == number
                assert [name for name, _, _ in made.sections[1:]
                        ] == [section, ".rdata"] + [".drectve"] * ("--export" in options)
                assert [flags >> 20 & 15
                        for _, flags, _ in made.sections[1:3]] == [6, 4 if word == "Q" else 3]
                assert {flags & ~0xf00000 for _, flags, _ in made.sections[1:3]} == {0x40000040}
                bytes_of, table = made.sections[1][2], made.sections[2][2]
                for name, content in SYMBOLS.items():
                    _, place, value, storage = made.symbols[prefix + name]
                    assert ((place, storage) == (1, 2)
                            and bytes_of[value:value + len(content)] == content
                            and value % 32 == 0), name
                    value = made.symbols[prefix + name + "_size"][2]
                    assert struct.unpack_from("<" + word, bytes_of, value) == (len(content),), name
                assert (made.symbols[prefix + "k_files"][1:] == (2, 0, 2)
                        and made.symbols[section] == (0, 1, 0, 3))
                size = struct.calcsize(word)
                fields = struct.unpack("<12" + word, table)
                assert (fields[2::3] == (10001, 7, 256, 0) and fields[1::3] == (0, 0, 0, 0)
                        and fields[9] == 0)
                assert [text_at(bytes_of, title) for title in fields[0:9:3]] == list(CONTENT)
                assert [at for at, _, _ in made.relocations[2]
                        ] == [i * size for i in (0, 1, 3, 4, 6, 7)]
                assert {kind for _, _, kind in made.relocations[2]} == {kind}
                data = [made.symbols[prefix + name][0] for name in SYMBOLS]
                assert [symbol for _, symbol, _ in made.relocations[2]
                        ] == [0, data[0], 0, data[1], 0, data[2]]
                if "--export" in options:
                    exported = made.sections[3][2].decode().split()
                    assert exported == [
                        f"-export:{name[len(prefix):]},data" for name in made.symbols
                        if not name.startswith(".")
                    ]

        for machine, cpu, oldest in ("x86-64", 0x01000007, 0xa0900), ("aarch64", 0x0100000c,
                                                                      0xb0000):
            for options, section in ([], b"__TEXT,__const"), (["--export"], b"__TEXT,__const"), ([
                    "--section=__DATA,__k"
            ], b"__DATA,__k"):
                good("embed", *PATHS, "--name=k", "--format=macho", "--machine=" + machine, "-o",
                     WORK / "k.o", "--align=32", *options)
                made = MachO((WORK / "k.o").read_bytes())
                assert (made.cpu, made.kind, made.platforms) == (cpu, 1, [(1, oldest)])
                assert [found[0] for found in made.sections[1:]] == [section, b"__DATA,__const"]
                assert ([found[4] for found in made.sections[1:]] == [5, 3]
                        and all(found[3] % 8 == 0 for found in made.sections[1:]))
                expected = 0xf if "--export" in options else 0x1f
                for name, content in SYMBOLS.items():
                    _, kind, place, value = made.symbols["_" + name]
                    assert ((kind, place) == (expected, 1)
                            and made.bytes(value, len(content)) == content and value % 32 == 0)
                    assert made.bytes(made.symbols[f"_{name}_size"][3],
                                      8) == struct.pack("<Q", len(content))
                _, kind, place, value = made.symbols["_k_files"]
                assert (kind, place) == (expected, 2)
                fields = struct.unpack("<12Q", made.bytes(value, 96))
                assert (fields[2::3] == (10001, 7, 256, 0) and fields[1::3] == (0, 0, 0, 0)
                        and fields[9] == 0)
                titles = b"".join(
                    made.bytes(title, 8).split(b"\0")[0] + b" " for title in fields[0:9:3])
                assert titles.decode().split() == list(CONTENT)
                at, count = made.sections[2][5:7]
                relocations = [
                    struct.unpack_from("<II", made.image, at + 8 * i) for i in range(count)
                ]
                assert [at for at, _ in relocations] == [0, 8, 24, 32, 48, 56]
                data = [made.symbols["_" + name][0] | 1 << 27 for name in SYMBOLS]
                assert [bits for _, bits in relocations
                        ] == [place | 3 << 25 for place in (1, data[0], 1, data[1], 1, data[2])]

    def test_without_a_table_there_is_one_section(self):
        """Without a table there is one section. The ending of the output chooses the format."""
        good("embed", "--cubin", PATHS[1], "--name=k", "-o", WORK / "cubin.obj")
        made = Coff((WORK / "cubin.obj").read_bytes())
        assert [name for name, _, _ in made.sections[1:]] == [".rdata"]
        assert (made.sections[1][2] == CONTENT["c.spv"] + b"\0"
                and made.symbols["__tvm_ffi__cubin_k_end"][2] == 7)
        good("embed", "--cubin", PATHS[1], "--name=k", "--format=macho", "--machine=aarch64", "-o",
             WORK / "cubin.o")
        made = MachO((WORK / "cubin.o").read_bytes())
        assert len(
            made.sections) == 2 and made.symbols["___tvm_ffi__cubin_k_end"][1:] == (0x1f, 1, 7)
        good("embed", PATHS[1], "--name=k", "--format=elf", "-o", WORK / "k.obj")
        assert (WORK / "k.obj").read_bytes().startswith(b"\x7fELF")
        for form in "coff", "macho":
            first, second = (good("embed", PATHS[0], "--name=k", f"--format={form}",
                                  "--machine=x86-64", "-o", WORK / "k.o") +
                             (WORK / "k.o").read_bytes().hex() for _ in range(2))
            assert first == second
        for message, *args in [
            ("--machine must be x86-64, aarch64 or i386 for a COFF file, not riscv64",
             "--format=coff", "--machine=riscv64"),
            ("--machine must be x86-64 or aarch64 for a Mach-O file, not i386", "--format=macho",
             "--machine=i386"),
            ("--align must be at most 8192 in a COFF file, not 16384", "--format=coff",
             "--machine=x86-64", "--align=16384"),
            ("--align must be at most 32768 in a Mach-O file, not 65536", "--format=macho",
             "--machine=x86-64", "--align=65536"),
            ("--section must be a section for data", "--format=coff", "--section=.drectve"),
            ("--section must be a name", "--format=coff", "--section="),
                *[("--section must be SEGMENT,SECTION of 1 to 16 bytes each", "--format=macho",
                   "--section=" + wrong) for wrong in ("", ".rodata", ",a", "a,", "a,b,c",
                                                       "a," + "b" * 17, "a" * 17 + ",b")],
        ]:
            bad(USAGE, message, *COMMAND, *args)
        good(*COMMAND, "--format=macho", "--machine=x86-64",
             "--section=" + "a" * 16 + "," + "b" * 16)

    def test_linked_and_run_for_windows(self):
        """Linked and run for Windows."""
        if MINGW and WINE:
            check_windows()
        else:
            print("skipped: there is no x86_64-w64-mingw32-gcc or no wine")

    def test_linked_for_macos_and_windows(self):
        """Linked for macOS and Windows."""
        (WORK / "entry.c").write_text(
            "int __stdcall DllMainCRTStartup(void *dll, unsigned reason, void *reserved);\n"
            "int __stdcall DllMainCRTStartup(void *dll, unsigned reason, void *reserved) { return "
            "1; }\n"
        )

        if ZIG:
            for target in (("macho", "aarch64", "aarch64-macos"), ("macho", "x86-64",
                                                                   "x86_64-macos"),
                           ("coff", "aarch64", "aarch64-windows-gnu"), ("coff", "i386",
                                                                        "x86-windows-gnu")):
                check_zig(*target)
        else:
            print("skipped: PyPI's ziglang is not installed")


run_tests()

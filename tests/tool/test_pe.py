# SPDX-License-Identifier: Apache-2.0
"""Files of Windows are read on every system: list, check and unpack, each kind of damage, and what
MinGW-w64 makes."""
import os
import random
import struct
import unittest

from elf import blob
from foreign import HEADERS, MINGW, ROOT, compile_with
from pe import CODE, DYNAMIC_BASE, NX, SECTION, Library
from tool import (CHECK, LOAD, OK, RUNNER, USAGE, Checker, bad, good, good_json, run, run_tests,
                  work_folder)

WORK = work_folder()
FILE = WORK / "made.dll"
SCHEMA = b'{"type_schema":"{\\"type\\":\\"ffi.Function\\"}"}\0'
# The full profile, which can read JSON, prints signatures.
IS_FULL = os.environ["TVM_FFI_PROFILE"] == "full"
TYPE = "(...) -> Any" if IS_FULL else SCHEMA[:-1].decode()
CLEAN = ["  ok    stack      NX_COMPAT: not executable", "  ok    code       no writable code",
         "  ok    address    chosen at random when it is loaded"]
check, says = Checker(FILE).check, Checker(FILE).says

TREE = blob([(b"_lib", None, [1]), (b"k", b"payload", [])])

KERNEL = "__tvm_ffi_f"


def damage(message, library, change=lambda image: image):
    FILE.write_bytes(change(bytearray(library.build())))
    bad(LOAD, f"{FILE}: malformed PE file: {message}", "check", FILE)


def at(offset, form, *values):
    return lambda image: image[:offset] + struct.pack("<" + form, *values) + image[
        offset + struct.calcsize("<" + form):]


OPTIONAL, FAR = 64 + 24, 0x7fffffff
DIRECTORY = OPTIONAL + 112


def check_compiled():
    compiler = [MINGW, "-std=c99", *HEADERS]
    source, twice = ROOT / "tests/tool/scale.c", ROOT / "tests/tool/twice.c"
    stub = WORK / "stub.c"
    # A library that stands for the runtime, with the names that the kernels import.
    names = set()
    for file in source, twice:
        compile_with(compiler, "-c", file, "-o", WORK / f"{file.stem}.obj")
        listed = good_json("list", WORK / f"{file.stem}.obj")
        assert (listed["object"], listed["format"], listed["machine"]) == (True, "PE",
                                                                           "x86-64"), listed
        names |= {found["name"] for found in listed["undefined"]}
    assert [found["name"]
            for found in good_json("list", WORK / "scale.obj")["functions"]] == ["count", "scale"]
    stub.write_text("".join(f"__declspec(dllexport) void {name}(void) {{}}\n"
                            for name in sorted(names)))
    compile_with([MINGW], "-shared", stub, "-o", WORK / "tvm_ffi.dll")
    compile_with(compiler, "-shared", source, twice, WORK / "tvm_ffi.dll", "-o", WORK / "scale.dll")
    listed = good_json("list", WORK / "scale.dll")
    assert [found["name"] for found in listed["functions"]] == ["count", "scale"], listed
    assert (not IS_FULL
            or listed["functions"][1]["type"] == "(x: Tensor, s: float, y: Tensor) -> None"), listed
    assert "tvm_ffi.dll" in listed["needed"] and not listed["object"], listed
    assert names == {found["name"] for found in listed["undefined"]}, listed
    compile_with(compiler, "-c", source, "-o", WORK / "again.obj")
    code, out, err = run("check", WORK / "scale.obj", WORK / "again.obj")
    assert (code == CHECK
            and "a linker refuses to link both into one library or program" in out), (out, err)
    # A kernel that is not exported, in a library that exports another.
    (WORK / "hidden.c").write_text("__declspec(dllexport) int __tvm_ffi_seen(void) { return 0; }\n"
                                   "int __tvm_ffi_lost(void) { return 0; }\n")
    compile_with([MINGW], "-shared", WORK / "hidden.c", "-o", WORK / "hidden.dll")
    line = "  note  names      __tvm_ffi_lost: is not exported, so nothing finds it"
    assert line in good("check", WORK / "hidden.dll").splitlines()
    compile_with([MINGW], "-s", "-shared", WORK / "hidden.c", "-o", WORK / "hidden.dll")
    assert line not in good("check", WORK / "hidden.dll").splitlines()


class Pe(unittest.TestCase):
    def test_contents(self):
        """Contents."""
        for machine, kind, bits in ("x86-64", "PE32+", 64), ("i386", "PE32", 32), ("aarch64",
                                                                                   "PE32+", 64):
            library = Library(machine).function("__tvm_ffi_scale").function("other").forward(
                "__tvm_ffi_far", "OTHER.__tvm_ffi_f")
            library.data("__tvm_ffi__schema_scale", SCHEMA).data("__tvm_ffi__doctext_scale",
                                                                 b"Scales.\0")
            library.data("__tvm_ffi__library_bin", TREE).data("__tvm_ffi__library_ctx", bytes(8),
                                                              "writable")
            library.undefined("TVMFFIErrorSetRaised").undefined("TVMFFINone").undefined(
                "exp", "msvcrt.dll").undefined(7, "WS2_32.dll")
            library.undefined("Late", "late.dll", delayed=True)
            listed = good_json("list", library.write(FILE))
            assert (listed["format"], listed["machine"], listed["bits"],
                    listed["object"]) == ("PE", machine, bits, False), listed
            assert listed["needed"] == ["tvm_ffi.dll", "msvcrt.dll", "WS2_32.dll",
                                        "late.dll"], listed
            assert [(found["name"], found["type"], found["doc"])
                    for found in listed["functions"]] == [("far", None, None),
                                                          ("scale", TYPE, "Scales.")], listed
            assert [(found["name"], found["library"]) for found in listed["undefined"]] == [
                ("TVMFFIErrorSetRaised", "tvm_ffi.dll"), ("TVMFFINone", None)], listed
            assert [module["kind"] for module in listed["embedded"]["modules"]] == ["_lib",
                                                                                    "k"], listed
            assert good("list",
                        FILE).splitlines()[0].startswith(f"{FILE}  {kind} {machine}  "), machine
            assert good("unpack", FILE, "-x", "k[0]") == "payload"
            bad(USAGE, f"{FILE}: the symbol __tvm_ffi__doctext_scale has no size", "unpack", FILE,
                "-x", "__tvm_ffi__doctext_scale")
            assert check(library) == (CHECK, [
                f"  ok    file       a shared library, {kind} {machine}",
                "  ok    names      2 functions",
                "  note  embedded   __tvm_ffi__library_bin: module 1 is read by "
                "ffi.Module.load_from_bytes.k, which must be registered before the library is "
                "loaded",
                "  ok    embedded   __tvm_ffi__library_bin: 2 modules",
                "  FAIL  imports    TVMFFINone: not in any tvm_ffi.dll of this runtime",
                "  ok    dlpack     exchanges no managed tensors, so any version will do; the one "
                "it was compiled with cannot be determined", *CLEAN
            ]), check(library)
        good("embed", "-", "--name=k", "-o", WORK / "own.o", stdin="x")
        if good_json("list", WORK / "own.o")["format"] != "PE":
            bad(LOAD, f"{FILE}: cannot be loaded: its format is PE32+, that of another system",
                "run", FILE, "scale()")

    def test_verdicts(self):
        """Verdicts."""
        says(Library(flags=0).function(KERNEL),
             "FAIL  file       a program, PE32+ x86-64, which cannot be loaded: link with -shared")
        says(Library().data(KERNEL, b"x"),
             f"FAIL  names      {KERNEL}: has the name of a function, but is data")
        says(
            Library().data("__tvm_ffi__library_ctx", bytes(8)),
            "FAIL  names      __tvm_ffi__library_ctx: must be a writable pointer, where the loader "
            "stores the module")
        malformed = check(Library().data("__tvm_ffi__library_bin", b"\xff" * 8, "writable"))
        assert any(
            line.startswith("  FAIL  embedded   __tvm_ffi__library_bin: malformed: ")
            for line in malformed[1]), malformed
        says(Library().function(KERNEL).undefined("TVMFFIErrorSetRaised"),
             "ok    library    tvm_ffi.dll has everything that it imports")
        says(Library().undefined("TVMFFIErrorSetRaised", "TVM_FFI.DLL"),
             "ok    library    tvm_ffi.dll has everything that it imports")
        says(
            Library().undefined("TVMFFIErrorSetRaised", "mine.dll"),
            "note  library    TVMFFIErrorSetRaised: is imported from mine.dll, but the runtime is "
            "tvm_ffi.dll"
        )
        assert not any("TVMFFINone" in line
                       for line in check(Library().undefined("TVMFFINone", "mine.dll"))[1])
        assert good_json("list", FILE)["undefined"] == []
        says(
            Library().undefined("_ZN3tvm3ffi9ReprPrintERKNS0_3AnyE"),
            "FAIL  imports    _ZN3tvm3ffi9ReprPrintERKNS0_3AnyE: not in any tvm_ffi.dll of this "
            "runtime"
        )
        for library, option in (("libstdc++-6.dll", "-static-libstdc++"),
                                ("libgcc_s_seh-1.dll", "-static-libgcc"),
                                ("libwinpthread-1.dll", "-static")):
            says(
                Library().undefined("f", library),
                f"note  needed     {library}: belongs to the compiler, and other machines may lack "
                f"it: link with {option}")
        says(Library(), "FAIL  system     manylinux is only for Linux files", "--manylinux=2_28")
        says(
            Library(traits=DYNAMIC_BASE | 0x20),
            "note  stack      NX_COMPAT: is missing, so data is executable: link with "
            "-Wl,--nxcompat"
        )
        says(Library(code=CODE | 0x80000000),
             "FAIL  code       a section is both writable and executable")
        says(
            Library(traits=NX),
            "note  address    DYNAMIC_BASE: is missing, so code is at a predictable address: link "
            "with -Wl,--dynamicbase")
        says(
            Library(traits=NX | DYNAMIC_BASE),
            "note  address    HIGH_ENTROPY_VA: is missing, so few addresses are possible: link "
            "with -Wl,--high-entropy-va")
        says(Library("i386", traits=NX | DYNAMIC_BASE),
             "ok    address    chosen at random when it is loaded")
        Library().function(KERNEL).write(WORK / "made")
        assert (
            "  note  file       its name does not end in .dll, without which other runtimes do not "
            "load it") in good("check", WORK / "made").splitlines()

    def test_an_elf_file_with_the_same_function(self):
        """An ELF file with the same function is no clash: the two are for different systems."""
        second = Library().function(KERNEL).write(WORK / "second.dll")
        assert "clashes" in good("check", WORK / "made", second)

    def test_damage(self):
        """Damage."""
        full = Library().function(KERNEL).undefined("f", "a.dll").undefined(1, "a.dll").undefined(
            "g", "b.dll", delayed=True)
        tables = full.build().index(b"__tvm_ffi_f\0")
        for message, change in [
            ("it has no PE header, like MS-DOS programs", at(60, "I", FAR)),
            ("it has no PE header, like", at(64, "I", 0)),
            ("its header is truncated, or of an unknown kind", lambda image: image[:100]),
            ("its header is truncated, or of an unknown kind", at(64 + 6, "H", 0xffff)),
            ("its header is truncated, or of an unknown kind", at(OPTIONAL, "H", 0x107)),
            ("its header is truncated, or of an unknown kind", at(64 + 12, "II", FAR, 1)),
            ("it is truncated after ", lambda image: image[:-32]),
            ("its exports are outside its sections", at(DIRECTORY, "I", FAR)),
            ("the list of libraries that it needs has no end", at(DIRECTORY + 8, "I", SECTION)),
        ]:
            damage(message, full, change)
        image = full.build()
        directory = struct.unpack_from("<II", image, DIRECTORY)
        # where the section of tables is in the file
        table = struct.unpack_from("<I", image, OPTIONAL + 240 + 3 * 40 + 20)[0]
        exports, imports = (table + struct.unpack_from("<I", image, DIRECTORY + 8 * i)[0] -
                            4 * SECTION for i in range(2))
        for message, change in [
            ("its exports are outside its sections", at(exports + 20, "I", FAR)),
            ("its exports are outside its sections", at(exports + 24, "I", FAR)),
            ("an export has no name or no address", at(exports + 32, "I", 0)),
            ("an export has no name or no address", at(exports + 20, "I", 0)),
            ("the list of its imports has no end", at(imports, "I", SECTION)),
            ("the name of a library that it needs is outside the file", at(imports + 12, "I", FAR)),
        ]:
            damage(message, full, change)
        # Each of many records has the list of the first.
        many = Library()
        for i in range(300):
            many.undefined("f", f"{i}.dll")
        image = bytearray(many.build())
        start = table + struct.unpack_from("<I", image, DIRECTORY + 8)[0] - 4 * SECTION
        long_list = len(image)
        image += struct.pack("<2000Q", *[1 << 63] * 2000) + bytes(16)
        struct.pack_into("<III", image, OPTIONAL + 240 + 3 * 40 + 8,
                         *[len(image) - table, 4 * SECTION,
                           len(image) - table])
        for i in range(300):
            struct.pack_into("<I", image, start + 20 * i, 4 * SECTION + long_list - table)
        FILE.write_bytes(image)
        bad(LOAD, f"{FILE}: malformed PE file: it has more imports than would fit into it", "list",
            FILE)

    def test_whatever_a_byte_is_changed(self):
        """Whatever a byte is changed to, the tool says what is wrong, or reads the file."""
        random.seed(1)
        whole = Library().function(KERNEL).data("__tvm_ffi__library_bin", TREE).undefined(
            "f", "a.dll").undefined("g", "b.dll", True).build()
        for _ in range(5 if RUNNER else 150):  # Wine takes long to start
            image = bytearray(whole)
            for _ in range(random.randrange(1, 4)):
                image[random.randrange(60, len(image))] = random.choice(
                    [0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
            FILE.write_bytes(image)
            for words in ["list", "--undefined"], ["check"]:
                code, out, err = run(*words, FILE)
                assert code in (OK, LOAD, CHECK) and err.count("\n") <= 1, (code, err)

    def test_what_a_compiler_makes(self):
        """What a compiler makes."""
        if MINGW:
            check_compiled()
        else:
            print("skipped: there is no x86_64-w64-mingw32-gcc")


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""Files of macOS are read on every system: list, check and unpack, each kind of damage, and what
Zig makes."""
import os
import random
import struct
import unittest

from elf import blob
from foreign import HEADERS, ROOT, ZIG, compile_with
from macho import BUNDLE, MACHINES, OBJECT, PROGRAM, STACK_EXECUTION, Library, universal
from tool import (CHECK, LOAD, OK, RUNNER, Checker, bad, good, good_json, run, run_tests,
                  work_folder)

WORK = work_folder()
FILE = WORK / "made.dylib"
SCHEMA = b'{"type_schema":"{\\"type\\":\\"ffi.Function\\"}"}\0'
# The full profile, which can read JSON, prints signatures.
IS_FULL = os.environ["TVM_FFI_PROFILE"] == "full"
TYPE = "(...) -> Any" if IS_FULL else SCHEMA[:-1].decode()
RUNTIME = "@rpath/libtvm_ffi.dylib"
TREE = blob([(b"_lib", None, [1]), (b"k", b"payload", [])])
check, says = Checker(FILE).check, Checker(FILE).says


def full(machine, **kwargs):
    library = Library(machine, **kwargs).function("__tvm_ffi_scale").function("other").function(
        "__tvm_ffi_lost", hidden=True)
    library.data("__tvm_ffi__schema_scale", SCHEMA).data("__tvm_ffi__doctext_scale", b"Scales.\0")
    library.data("__tvm_ffi__library_bin", TREE).data("__tvm_ffi__library_ctx", bytes(8),
                                                      "writable")
    library.undefined("TVMFFIErrorSetRaised",
                      RUNTIME).undefined("TVMFFINone").undefined("exp",
                                                                 "/usr/lib/libSystem.B.dylib")
    library.rpaths.append("/opt/somewhere")
    return library


KERNEL = "__tvm_ffi_f"


def damage(message, library, change):
    FILE.write_bytes(change(bytearray(library.build())))
    bad(LOAD, f"{FILE}: malformed Mach-O file: {message}", "check", FILE)


def set_at(offset, *values):
    return lambda image: image[:offset] + struct.pack(f"<{len(values)}I", *values) + image[
        offset + 4 * len(values):]


FAR = 0x7fffffff
library = full("x86-64").with_trie()
image = library.build()


class Macho(unittest.TestCase):
    def test_contents(self):
        """Contents."""
        for machine, (_, bits, order) in MACHINES.items():
            for library in full(machine), full(machine).with_trie(), full(machine, kind=BUNDLE):
                listed = good_json("list", library.write(FILE))
                assert (listed["format"], listed["machine"], listed["bits"],
                        listed["object"]) == ("Mach-O", machine, bits, False), listed
                assert listed["byte_order"] == ("little" if order == "<" else "big"), listed
                assert listed["needed"] == [RUNTIME, "/usr/lib/libSystem.B.dylib"], listed
                assert [(found["name"], found["type"], found["doc"])
                        for found in listed["functions"]] == [("scale", TYPE, "Scales.")], listed
                assert [(found["name"], found["library"]) for found in listed["undefined"]] == [
                    ("TVMFFIErrorSetRaised", "libtvm_ffi.dylib"), ("TVMFFINone", None)], listed
                assert [module["kind"]
                        for module in listed["embedded"]["modules"]] == ["_lib", "k"], listed
                assert good("unpack", FILE, "-x", "k[0]") == "payload"
                code, lines = check(library)
                assert (code == CHECK and f"  ok    file       a shared library, Mach-O {machine}"
                        in lines), lines
                for line in (
                        "note  names      __tvm_ffi_lost: is hidden, so nothing finds it",
                        "ok    embedded   __tvm_ffi__library_bin: 2 modules",
                        "ok    stack      not executable",
                        "FAIL  imports    TVMFFINone: not in any libtvm_ffi.dylib of this runtime",
                        "ok    code       no writable code",
                        "note  needed     LC_RPATH: a path of the machine it was built on"):
                    assert "  " + line in lines, (line, lines)
        bad(LOAD, f"{FILE}: cannot be loaded: its format is Mach-O, that of another system", "run",
            FILE, "scale()")

    def test_an_object_file_has_the_symbols_that_only(self):
        """An object file has the symbols that only the linker sees; of a universal file, the part
        for this machine is read."""
        listed = good_json(
            "list",
            Library("aarch64", kind=OBJECT).function("__tvm_ffi_f").data("__tvm_ffi__library_bin",
                                                                         TREE).write(FILE))
        assert (listed["object"] and listed["functions"][0]["name"] == "f"
                and len(listed["embedded"]["modules"]) == 2), listed
        good("embed", "-", "--name=k", "-o", WORK / "k.o", stdin="x")
        own = good_json("list", WORK / "k.o")["machine"]
        for is_64 in False, True:
            FILE.write_bytes(
                universal(
                    Library("powerpc").function("__tvm_ffi_first"),
                    Library("x86-64").function("__tvm_ffi_x"),
                    Library("aarch64").function("__tvm_ffi_arm"), is_64=is_64))
            expected = {"x86-64": "x", "aarch64": "arm"}.get(own, "first")
            assert [found["name"]
                    for found in good_json("list", FILE)["functions"]] == [expected], expected
            FILE.write_bytes(
                universal(Library("powerpc").function("__tvm_ffi_first"),
                          Library("i386"),
                          is_64=is_64))
            assert own == "i386" or good("list", "--names", FILE) == "first\n"

    def test_verdicts(self):
        """Verdicts."""
        says(Library(kind=PROGRAM).function(KERNEL),
             "FAIL  file       a program, Mach-O x86-64, which cannot be loaded: link with -shared")
        says(Library().data(KERNEL, b"x"),
             f"FAIL  names      {KERNEL}: has the name of a function, but is data")
        says(
            Library().data("__tvm_ffi__library_ctx", bytes(8)),
            "FAIL  names      __tvm_ffi__library_ctx: must be a writable pointer, where the loader "
            "stores the module")
        says(Library().function(KERNEL).undefined("TVMFFIErrorSetRaised"),
             "ok    library    libtvm_ffi.dylib has everything that it imports")
        says(Library().undefined("TVMFFINone", weak=True),
             "note  imports    TVMFFINone: not in any libtvm_ffi.dylib of this runtime; it is weak")
        says(
            Library().undefined("TVMFFIErrorSetRaised", "@rpath/libmine.dylib"),
            "note  library    TVMFFIErrorSetRaised: is imported from @rpath/libmine.dylib, but the "
            "runtime is libtvm_ffi.dylib")
        assert not any(
            "TVMFFINone" in line
            for line in check(Library().undefined("TVMFFINone", "@rpath/libmine.dylib"))[1])
        says(
            Library(flags=0).undefined("TVMFFINone",
                                       "@rpath/libmine.dylib"),  # any library may have it
            "FAIL  imports    TVMFFINone: not in any libtvm_ffi.dylib of this runtime")
        says(Library(flags=STACK_EXECUTION),
             "FAIL  stack      MH_ALLOW_STACK_EXECUTION: requests an executable stack")
        says(Library(protection=7), "FAIL  code       a section is both writable and executable")
        says(
            Library("aarch64", signed=False),
            "FAIL  signature  LC_CODE_SIGNATURE: is missing, and macOS on arm64 loads only signed "
            "code: codesign -s - FILE")
        assert not any("signature" in line for line in check(Library(signed=False))[1])
        Library().function(KERNEL).write(WORK / "made")
        assert "its name does not end in .dylib" in good("check", WORK / "made")
        strong, weak = (Library(kind=OBJECT).function(KERNEL, weak=weak).write(WORK / f"{weak}.o")
                        for weak in (False, True))
        code, out, _ = run("check", strong, weak)
        assert code == OK and "a linker keeps one of the two" in out, out

    def test_damage(self):
        """Damage."""
        libraries = 32 + 2 * 72 + 3 * 80
        table = image.index(struct.pack("<II", 2, 24))
        trie = image.index(struct.pack("<II", 0x80000033, 16))
        trie_at = struct.unpack_from("<I", image, trie + 8)[0]
        for message, change in [
            ("its header or its load commands are truncated", lambda image: image[:30]),
            ("its header or its load commands are truncated", lambda image: image[:100]),
            ("its header or its load commands are truncated", set_at(20, FAR)),
            ("neither a library nor an object file", set_at(12, 10)),
            ("a load command is truncated", set_at(36, 7)),
            ("a load command is truncated", set_at(36, FAR)),
            ("its sections extend past their load command", set_at(32 + 64, 1000)),
            ("it is truncated after ", set_at(32 + 72 + 48, FAR)),
            ("the name of a library is outside its load command", set_at(libraries + 8, FAR)),
            ("its symbol table extends past the end of the file", set_at(table + 8, FAR)),
            ("its symbol table extends past the end of the file", set_at(table + 12, FAR)),
            ("its symbol table extends past the end of the file", set_at(table + 20, FAR)),
            ("the name of a symbol is outside its string table", set_at(table + 20, 1)),
            ("its exports extend past the end of the file", set_at(trie + 12, FAR)),
            ("the tree of its exports is damaged", set_at(trie + 12, 1)),
                # a cycle
            ("the tree of its exports is damaged",
             lambda image: image[:trie_at + 4] + b"\0" + image[trie_at + 5:]),
            ("the tree of its exports is damaged",
             lambda image: image[:trie_at] + b"\x7f" + image[trie_at + 1:]),
        ]:
            damage(message, library, change)
        damage("a symbol is in a section that does not exist", full("x86-64"),
               lambda image: image[:struct.unpack_from("<I", image, table + 8)[0] + 5] + b"\x09" +
               image[struct.unpack_from("<I", image, table + 8)[0] + 6:])
        FILE.write_bytes(universal(Library())[:400])
        bad(LOAD, f"{FILE}: malformed Mach-O file: its header or its load commands are truncated",
            "list", FILE)

    def test_whatever_a_byte_is_changed(self):
        """Whatever a byte is changed to, the tool says what is wrong, or reads the file."""
        random.seed(1)
        for whole in full("x86-64").build(), image, full("powerpc").build(), universal(
                Library())[:8]:
            for _ in range(2 if RUNNER else 80):  # Wine takes long to start
                changed = bytearray(whole)
                for _ in range(random.randrange(1, 4)):
                    changed[random.randrange(len(changed))] = random.choice(
                        [0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
                FILE.write_bytes(changed)
                for words in ["list", "--undefined"], ["check"]:
                    code, out, err = run(*words, FILE)
                    assert code in (OK, LOAD, CHECK) and err.count("\n") <= 1, (code, err)

    def test_what_a_compiler_makes(self):
        """What a compiler makes."""
        if ZIG:
            for target, machine in ("aarch64-macos", "aarch64"), ("x86_64-macos", "x86-64"):
                compiler = [
                    *ZIG, "cc", "-target", target, "-std=c99", "-O2", "-fno-sanitize=all", *HEADERS
                ]
                compile_with(compiler, "-shared", "-Wl,-undefined,dynamic_lookup",
                             ROOT / "tests/tool/scale.c", ROOT / "tests/tool/twice.c", "-o",
                             WORK / "scale.dylib")
                listed = good_json("list", WORK / "scale.dylib")
                assert (listed["machine"] == machine
                        and [found["name"]
                             for found in listed["functions"]] == ["count", "scale"]), listed
                assert (not IS_FULL or listed["functions"][1]["type"]
                        == "(x: Tensor, s: float, y: Tensor) -> None"), listed
                assert "TVMFFIErrorSetRaised" in [found["name"]
                                                  for found in listed["undefined"]], listed
                assert "  ok    names      2 functions" in good("check",
                                                                WORK / "scale.dylib").splitlines()
        else:
            print("skipped: PyPI's ziglang is not installed")


run_tests()

# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import re
import unittest

from elf import MACHINES, WEAK, Library, blob
from tool import FILES, LOAD, USAGE, bad, good, good_json, run, run_tests, work_folder

KERNELS, = map(pathlib.Path, FILES)
WORK = work_folder()
SCALE = '{"type_schema":"{\\"type\\":\\"ffi.Function\\",' \
        '\\"named_args\\":{\\"return\\":[{\\"type\\":\\"None\\"}],' \
        '\\"params\\":[{\\"type\\":\\"DLTensor*\\"},{\\"type\\":\\"float\\"}]}}"}'
# The full profile, which can read JSON, prints signatures.
IS_FULL = os.environ["TVM_FFI_PROFILE"] == "full"
TYPE = "(_0: Tensor, _1: float) -> None" if IS_FULL else SCALE
WIDTH = len(TYPE) if IS_FULL else 1
UNKNOWN = "?".ljust(WIDTH)
HINT = ("metadata: compile C++ with -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; in C write "
        "TVM_FFI_C_EXPORT_SCHEMA")
ADD = ("(_0: int, _1: int) -> int" if IS_FULL else \
    '{"type_schema":"{\\"type\\":\\"ffi.Function\\",\\"args\\":[' +
    ",".join(3 * ['{\\"type\\":\\"int\\"}']) + ']}"}')
TREE = blob([(b"_lib", None, [1, 2]), (b"cuda", b"x" * 5000, []), (b"d\x1bemo", b"hi!", [])])


def make(machine):
    library = Library(machine, needed=["libtvm_ffi.so", "libc.so.6"])
    library.function("__tvm_ffi_scale", 48).function("__tvm_ffi_info",
                                                     96).function("__tvm_ffi__metadata_info")
    library.data("__tvm_ffi__schema_scale", SCALE.encode() + b"\0")
    library.data("__tvm_ffi__doctext_scale", b"Scale x by s.\nIn place\x1b.\0")
    library.function("__tvm_ffi__metadata_scale").data("__tvm_ffi__library_bin", TREE)
    library.undefined("TVMFFIErrorSetRaised").undefined("TVMFFINoSuchFunction")
    library.undefined("TVMFFIRuntimeModuleCreate", binding=WEAK).undefined("TVMFFIHandleInitOnce")
    library.undefined("_ZN3tvm3ffi8DeepCopyERKNS0_3AnyE")
    return library.undefined("memcpy", "GLIBC_2.14")


path = make("x86-64").write(WORK / "lib.so")


class List(unittest.TestCase):
    def test_files_for_every_machine(self):
        """Files for every machine."""
        for machine, (_, bits, order) in MACHINES.items():
            path = make(machine).write(WORK / "lib.so")
            size = f"{path.stat().st_size:,}"
            assert good("list", path) == f"""\
{path}  ELF{bits} {machine}  {size} B  needs: libtvm_ffi.so libc.so.6
  info   {UNKNOWN}  [no metadata; --load to ask the library]
  scale  {TYPE}  Scale x by s.
embedded: 3 modules, 5,128 B   _lib -> cuda(4.9 KiB), d\\x1bemo(3 B)
""", (machine, good("list", path))
            listed = good_json("list", path)
            assert listed["machine"] == machine and listed["bits"] == bits, listed
            assert listed["byte_order"] == ("little" if order == "<" else "big"), listed
            assert (listed["needed"] == ["libtvm_ffi.so", "libc.so.6"]
                    and listed["size"] == path.stat().st_size), listed
            assert [(f["name"], f["size"], f["metadata"], f["doc"]) for f in listed["functions"]
                    ] == [("info", 96, None, None),
                          ("scale", 48, SCALE, "Scale x by s.\nIn place\\x1b.")], listed
            assert listed["embedded"]["modules"] == [
                {"kind": "_lib", "size": 0, "content": "", "imports": [1, 2]},
                {"kind": "cuda", "size": 5000, "content": "", "imports": []},
                {"kind": "d\x1bemo", "size": 3, "content": "", "imports": []}], listed
        assert good("list", "--match=sc*",
                    path).splitlines()[1:-1] == [f"  scale  {TYPE}  Scale x by s."]
        assert good("list", "-m", "sc*", "-m", "inf?", "-m", "x", path) == good("list", path)
        assert [line.split()[0] for line in good("list", "--sort=size", path).splitlines()[1:3]
                ] == ["info", "scale"]
        assert good("list", "--match=x", "--bin", "--undefined", path).splitlines()[1:] == [
            "  U TVMFFIErrorSetRaised              since 0.1.0",
            "  U TVMFFIHandleInitOnce              since 0.1.5",
            "  U TVMFFINoSuchFunction              not in any libtvm_ffi.so of this runtime",
            "  U TVMFFIRuntimeModuleCreate         of this runtime only",
            "  U _ZN3tvm3ffi8DeepCopyERKNS0_3AnyE  since 0.1.9, here in tvm_ffi_cxx/libtvm_ffi.so",
            "embedded: 3 modules, 5,128 B   _lib -> cuda(4.9 KiB), d\\x1bemo(3 B)",
            "  [0] _lib  -> [1] [2]", "  [1] cuda  5,000 B", "  [2] d\\x1bemo  3 B"]
        assert {u["name"]: (u["since"], u["here"], u["library"], u["weak"])
                for u in good_json("list", path)["undefined"]} == {
            "TVMFFIErrorSetRaised": ("0.1.0", True, "libtvm_ffi.so", False),
            "TVMFFIHandleInitOnce": ("0.1.5", True, "libtvm_ffi.so", False),
            "TVMFFINoSuchFunction": (None, False, None, False),
            "TVMFFIRuntimeModuleCreate": (None, True, "libtvm_ffi.so", True),
            "_ZN3tvm3ffi8DeepCopyERKNS0_3AnyE": ("0.1.9", True, "tvm_ffi_cxx/libtvm_ffi.so", False)}

    def test_what_list_recognises_in_payloads(self):
        """What list recognises in payloads: CUDA binaries, old and new, PTX, SPIR-V."""
        cubin = bytearray(64)
        cubin[:9] = b"\x7fELF\x02\x01\x01\x33\x08"
        cubin[18], cubin[48], cubin[49] = 190, 4, 90
        old = bytearray(cubin)
        old[8], old[48] = 7, 86
        for payload, content in [(b"fmt" + bytes(cubin), "sm_90"), (bytes(old), "sm_86"),
                                 (b"\x7fELF", ""),
                                 (b".version 8.0\n.target sm_75, debug\n", "PTX sm_75"),
                                 (b".target sm_", "PTX sm_"), (b"\x03\x02\x23\x07", "SPIR-V")]:
            embedded = Library().data("__tvm_ffi__library_bin",
                                      blob([(b"k", payload, [])])).write(WORK / "payload.so")
            got = good_json("list", embedded)["embedded"]["modules"][0]["content"]
            assert got == content, (payload, got)

    def test_a_library_whose_metadata_is_not_a_schema(self):
        """A library whose metadata is not a schema, and whose modules are malformed. A library
        without functions is told how to get some; one with modules, or a pattern, needs none."""
        bare = Library().function("plain").write(WORK / "bare.so")
        assert good("list", bare).splitlines()[1:] == [
            "functions: none; in C define kernels with TVM_FFI_C_EXPORT, in C++ export them with "
            "TVM_FFI_DLL_EXPORT_TYPED_FUNC"
        ]
        assert len(good("list", "--match=x", bare).splitlines()) == 1
        odd = Library().function("__tvm_ffi_f").data("__tvm_ffi__schema_f", b"\x1b[2J what?\0")
        odd.data("__tvm_ffi__library_bin", b"\xff" * 16).write(WORK / "odd.so")
        assert good("list", WORK / "odd.so").splitlines()[1:] == [
            "  f  \\x1b[2J what?", "embedded: malformed: it is longer than its symbol or file"]

    def test_several_files(self):
        """Several files: a JSON list; unreadable ones are reported, and the others are listed."""
        listings = json.loads(good("list", "--json", path, KERNELS))
        assert [entry["path"] for entry in listings] == [str(path), str(KERNELS)]
        code, out, err = run("list", WORK / "missing.so", path)
        assert (code == LOAD and out.startswith(str(path))
                and err == f"tvm-ffi: {WORK}/missing.so: No such file or directory\n")

    def test_letters_may_be_combined(self):
        """Letters may be combined; the rest of a word after a letter with a value is the value."""
        for first in path, WORK / "odd.so":
            bundled = good("list", "-u", "-b", "-m", "[a-f]*", first)
            for words in ["-ub", "-m[a-f]*"], ["-bu", "-m",
                                               "[a-f]*"], ["-ubm[a-f]*"], ["-bum", "[a-f]*"]:
                assert good("list", *words, first) == bundled, (words, bundled)
        bad(USAGE, "-uq is not an option of list", "list", "-uq", path)
        bad(USAGE, "-u=b is not an option of list", "list", "-u=b", path)
        bad(USAGE, "--match needs a value: GLOB", "list", path, "-ubm")

    def test_a_compiled_library(self):
        """A compiled library."""
        lines = good("list", KERNELS).splitlines()
        assert re.fullmatch(
            re.escape(str(KERNELS)) + r"  (ELF(32|64)|PE32\+) \S+  [\d,]+ B(  needs: .*)?",
            lines[0]), lines
        assert lines[1:] == [
            f"  add          {UNKNOWN}  [no metadata; --load to ask the library]",
            f"  counts       {UNKNOWN}  [no metadata; --load to ask the library]",
            f"  prolix       {UNKNOWN}  [no metadata; --load to ask the library]",
            f"  raises       {UNKNOWN}  [no metadata; --load to ask the library]",
            f"  scale        {TYPE}  Scale x by s.",
            f"  undescribed  {UNKNOWN}  [no metadata]",
            HINT], lines

        assert good("list", "--load", KERNELS).splitlines()[1:] == [
            f"  add          {ADD}",
            f"  counts       {UNKNOWN}  [its answer is not a string]",
            f"  prolix       {UNKNOWN}  [its answer is too long]",
            f"  raises       {UNKNOWN}  [ValueError: no metadata today]",
            f"  scale        {TYPE}  Scale x by s.",
            f"  undescribed  {UNKNOWN}  [no metadata]",
            HINT]
        functions = {f["name"]: f for f in good_json("list", "--load", KERNELS)["functions"]}
        assert (functions["scale"]["doc"] == "Scale x by s.\nIn place."
                and functions["scale"]["metadata"] == SCALE)
        assert (functions["raises"]["error"] == "ValueError: no metadata today"
                and functions["raises"]["metadata"] is None)

        foreign = make("s390x").write(WORK / "foreign.so")
        code, out, err = run("list", "--load", foreign)
        assert (code == LOAD and err.startswith(f"tvm-ffi: {foreign}: ")
                and err.count("\n") == 1), (code, err)
        assert out.splitlines()[1:-1] == [  # the contents of the file are printed anyway
            f"  info   {UNKNOWN}  [the library did not answer]", f"  scale  {TYPE}  Scale x by s."
        ], out

    def test_files_that_are_not_libraries(self):
        """Files that are not libraries."""
        for content, message in [
            (b"", "not an ELF, PE or Mach-O file"),
            (b"hello", "not an ELF, PE or Mach-O file"),
            (b"MZ\x90\0\3\0\0\0", "malformed PE file: it has no PE header"),
            (b"\xcf\xfa\xed\xfe\0", "malformed Mach-O file: its header"),
            (b"\xca\xfe\xba\xbe\0\0\0\1", "malformed Mach-O file: its header"),
                # a class of Java
            (b"\xca\xfe\xba\xbe\0\0\0\x34", "not an ELF, PE or Mach-O file"),
            (b"!<arch>\nx", "not an ELF, PE or Mach-O file but an archive"),
            (b"\x7fELF", "malformed ELF file: its header"),
            (path.read_bytes()[:100], "malformed ELF file: "),
            (path.read_bytes()[:-1], "malformed ELF file: ")
        ]:
            (WORK / "wrong").write_bytes(content)
            bad(LOAD, message, "list", WORK / "wrong")
        core = bytearray(path.read_bytes())
        core[16] = 4
        (WORK / "wrong").write_bytes(core)
        bad(LOAD, "neither a library nor an object file", "list", WORK / "wrong")
        stripped = bytearray(path.read_bytes())
        stripped[40:48], stripped[60:64] = bytes(8), bytes(
            4)  # no section headers, as in packed files
        (WORK / "wrong").write_bytes(stripped)
        bad(LOAD, "it has no section headers, which are needed to find symbols", "list",
            WORK / "wrong")
        bad(LOAD, "Is a directory", "list", WORK)
        bad(USAGE, '--sort must be name or size, not "age"', "list", "--sort=age", path)
        bad(USAGE, "--timeout must be a number", "list", "--timeout=soon", path)
        bad(USAGE, "usage: tvm-ffi list", "list")


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""The verdicts of check on real libraries and on generated ones.

test_check.py TVM-FFI EXPORTS CXX-EXPORTS TABLE VERSION... KERNELS SCALE TYPED
[LIBRARY-WITH-CXX-FUNCTIONS]"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import macho
import pe
from elf import UNIQUE, WEAK, Library, blob
from tool import (CHECK, FILES, LOAD, OK, TOOL, USAGE, WINDOWS, bad, good, good_json, run,
                  run_tests, skip, work_folder)

if WINDOWS:
    skip(
        "its libraries are linked by a compiler for Linux; how files are read and judged does not "
        "depend on the system"
    )

EXPORTS, CXX_EXPORTS, *VERSIONS = [pathlib.Path(name) for name in FILES if name.endswith(".txt")]
(TABLE_OF_NAMES,) = [pathlib.Path(name) for name in FILES if name.endswith(".c")]
WITH_CXX = [name for name in FILES if pathlib.Path(name).name == "libtvm_ffi.so"]
LIBRARIES = [
    name for name in FILES if not name.endswith((".txt", ".c")) and name not in WITH_CXX
]
KERNELS, SCALE, TYPED = LIBRARIES
CC = shlex.split(os.environ["CC"])
NM = os.environ.get("NM")
WORK = work_folder()
HAS_GLIBC = re.search(rb"GLIBC_2\.\d", pathlib.Path(TOOL).read_bytes()) is not None
SEEN = set()  # (verdict, check) pairs that occurred


def check(library, *options):
    """The exit code, and the lines with verdicts."""
    path = library.write(WORK / "lib.so")
    code, out, err = run("check", *options, path)
    lines = out.splitlines()
    assert err == "" and lines[0] == str(path), (code, out, err)
    SEEN.update(tuple(line.split()[:2]) for line in lines[1:])
    return code, lines[1:]


def says(library, line, *options):
    """The exit code; the verdicts must contain this line, and the code must agree with them."""
    code, lines = check(library, *options)
    assert "  " + line in lines, (line, lines)
    assert code == (CHECK if any(line.startswith("  FAIL")
                                 for line in lines) else OK), (code, lines)
    return code


LINKED = ["  ok    stack      PT_GNU_STACK: not executable",
          "  ok    code       no text relocations, no writable code",
          "  ok    relro      PT_GNU_RELRO: relocated data is read-only",
          "  ok    binding    DT_FLAGS: bound when it is loaded"]


def read_names(path):
    return [name for line in path.read_text().splitlines() if (name := line.split("#")[0].strip())]


def number(release):
    return tuple(map(int, release.split(".")))


exports = read_names(EXPORTS)

CXX_LIBRARY = "tvm_ffi_cxx/libtvm_ffi.so"
DEFAULT_HAS, CXX_HAS = (f"ok    library    {name} has everything that it imports"
                        for name in ("the default libtvm_ffi.so", CXX_LIBRARY))
FUNCTION = "_ZN3tvm3ffi4json5ParseERKNS0_6StringEPS2_"
SECOND, DATA = "_ZN3tvm3ffi8DeepCopyERKNS0_3AnyE", "_ZTIN3tvm3ffi5ErrorE"
PARSE = "tvm::ffi::json::Parse(String const&, String*)"
LACKED = f"which {CXX_LIBRARY} has and the default libtvm_ffi.so lacks"
SEVERAL = f"{FUNCTION}: is {PARSE}, one of 2 C++ symbols that {CXX_LIBRARY} has and the default " \
    "libtvm_ffi.so lacks"


def needs(library):
    """From the JSON: which library it needs, whether it needs the helper, and the symbols that say
    so."""
    report = good_json("check", library.write(WORK / "lib.so"))
    return report["library"], report["cxx_helper"], [
        named["symbol"] for named in report["cxx_symbols"]
    ]


OLD = "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE"


def clashes(*files):
    """The exit code, and for each file its verdicts on clashes."""
    code, out, err = run("check", *files)
    assert err == "", err
    found = {}
    for line in out.splitlines():
        if not line.startswith("  "):
            found[line] = last = []
            continue
        SEEN.add(tuple(line.split()[:2]))
        if line.split()[1] == "clashes":
            last.append(line)
    assert list(found) == [str(file).replace("\x1b", "\\x1b") for file in files], out
    return code, list(found.values())


def write(name, library):
    return library.write(WORK / name)


APART = "modules keep them apart; one program linked with both, or RTLD_GLOBAL, does not"
TOGETHER = "one library needs the other, and both may use the same one of the two"


def with_context(**more):
    """A library with a function, its metadata, and the variable in which the loader stores its
    module."""
    library = Library(**more).function("__tvm_ffi_f").function("__tvm_ffi__metadata_f")
    return library.data("__tvm_ffi__library_ctx", bytes(8), is_writable=True)


def compile_c(name, text, *options):
    path = WORK / name
    subprocess.run([*CC, "-x", "c", *options, "-", "-o", path], input=text, text=True, check=True)
    return path


EXTENSION = "an extension module of Python, which import loads"
OWN_MACHINE = good_json("list", KERNELS)["machine"]
REFUSED = "a linker refuses to link both into one library or program"
MERGED = "a linker keeps one of the two"

HELP = good("check", "--help").split("\n\nOptions:")[0]
TABLE = {
    name: (looks_at, fails.strip(), notes.strip())
    for name, looks_at, fails, notes in re.findall(
        r"^\| `([a-z]+)` \| ([^|]+) \|([^|]*)\|([^|]*)\|$",
        good("--manual=markdown").partition("\n## check\n")[2], re.M)
}


class Check(unittest.TestCase):
    def test_all(self):
        if good_json("list", KERNELS)["machine"].startswith("mips"):
            skip(
                "compilers for MIPS ask for a stack that can be executed, which is a fault of "
                "every library here")

    def test_a_library_one_without_functions_and_a_program(self):
        """A library, one without functions, and a program."""
        assert check(Library().function("__tvm_ffi_f").function("other")) == (OK, [
            "  ok    file       a shared library, ELF64 x86-64", "  ok    names      1 function",
            "  ok    runtime    nothing is imported from a runtime",
            "  ok    dlpack     exchanges no managed tensors, so any version will do; the one it "
            "was compiled with cannot be determined", *LINKED
        ])
        assert check(Library()) == (OK, [
            "  ok    file       a shared library, ELF64 x86-64",
            "  note  names      no function is exported (__tvm_ffi_NAME)",
            "  ok    runtime    nothing is imported from a runtime", *LINKED])
        assert check(
            Library("powerpc"))[1][0] == "  ok    file       a shared library, ELF32 powerpc"
        assert says(
            Library(is_program=True),
            "FAIL  file       a program, ELF64 x86-64, which cannot be loaded: link with -shared"
        ) == CHECK

    def test_runtimes(self):
        """Runtimes: the lists of the releases."""
        releases = {path.stem: set(read_names(path)) for path in VERSIONS}
        assert len(releases) >= 4, VERSIONS
        for name in exports:
            report = good_json("check", Library().undefined(name).write(WORK / "lib.so"))
            has = [release for release, names in releases.items() if name in names]
            if name.startswith("TVMFFIRuntime"):
                assert report["runtime"] == "own" and not has, (name, report)
            elif name.startswith("TVMFFI"):
                # The first list that has it is that of the release named by check or, if that has
                # no list, the next one.
                assert (has
                        and sorted(has, key=number)[0] == min(
                            (r for r in releases if number(r) >= number(report["runtime"])),
                            key=number)), (name, has, report)
            else:
                assert report["runtime"] == "0.1.0", (name, report)
        for release, names in releases.items():
            assert names <= set(exports), release
            library = Library()
            for name in names:
                library.undefined(name)
            got = good_json("check", library.write(WORK / "lib.so"))
            assert number(got["runtime"]) <= number(release), (release, got)

        library = Library().undefined("TVMFFIErrorCreate").undefined("TVMFFITensorCreateUnsafeView")
        assert says(library,
                    "ok    runtime    TVMFFITensorCreateUnsafeView: needs 0.1.6 or newer") == OK
        library.undefined("TVMFFIBigIntFromByteArray")
        assert says(library,
                    "ok    runtime    TVMFFIBigIntFromByteArray: needs 0.1.15 or newer") == OK
        library = Library().undefined("TVMFFIErrorCreate")
        assert says(library, "ok    runtime    any version will do, from 0.1.0 on") == OK
        library.undefined("TVMFFIBigIntFromByteArray", binding=WEAK)
        assert says(library, "ok    runtime    any version will do, from 0.1.0 on") == OK
        library.undefined("TVMFFINew", binding=WEAK)
        assert says(
            library,
            "note  imports    TVMFFINew: not in any libtvm_ffi.so of this runtime; it is weak"
        ) == OK
        library.undefined("TVMFFIRuntimeNew")
        assert says(
            library,
            "FAIL  imports    TVMFFIRuntimeNew: not in any libtvm_ffi.so of this runtime") == CHECK
        library = Library().undefined("TVMFFIRuntimeModulePack")
        assert says(library,
                    "note  runtime    TVMFFIRuntimeModulePack: only this runtime has it") == OK
        for name in "_ZN3tvm3ffi9ModuleObj3NewEv", "_ZTIN3tvm3ffi3NewE", "TVMFFI\x1b":
            line = "FAIL  imports    " + name.replace(
                "\x1b", "\\x1b") + ": not in any libtvm_ffi.so of this runtime"
            assert says(Library().undefined(name), line) == CHECK
        assert says(
            Library().undefined("TVMFFITensorFromDLPack"),
            "note  dlpack     TVMFFITensorFromDLPack: tensors without a version, of DLPack 0.x"
        ) == OK
        assert says(
            Library().undefined("TVMFFITensorToDLPackVersioned"),
            "note  dlpack     TVMFFITensorToDLPackVersioned: versioned tensors, of DLPack 1.x"
        ) == OK

        for name in ("TVMFFITensorToDLPack", "TVMFFITensorFromDLPackVersioned",
                     "TVMFFIEnvSetDLPackManagedTensorAllocator",
                     "TVMFFIEnvGetDLPackManagedTensorAllocator"):
            old = name == "TVMFFITensorToDLPack"
            says(
                Library().undefined(name),
                f"note  dlpack     {name}: " + ("tensors without a version, of DLPack 0.x"
                                                if old else "versioned tensors, of DLPack 1.x"))
        for name, subject in [
            ("TVMFFIFunctionSetGlobal",
             "global functions, whose names are not in the file: see tvm-ffi registry --lib"),
            ("TVMFFIFunctionSetGlobalFromMethodInfo",
             "global functions, whose names are not in the file: see tvm-ffi registry --lib"),
                *((f"TVMFFITypeRegister{part}",
                   "types, whose keys are not in the file: see tvm-ffi types --lib")
                  for part in ("Metadata", "Field", "Method", "Attr")),
            ("TVMFFIEnvModRegisterSystemLibSymbol",
             "functions of the system library, where the second of the same name replaces the first"
             ),
        ]:
            assert says(Library().undefined(name),
                        f"note  registers  {name}: registers {subject}") == OK
        assert not any("registers" in line
                       for line in check(Library().undefined("TVMFFITypeGetOrAllocIndex"))[1])
        two = Library().undefined("TVMFFITypeRegisterField").undefined("TVMFFITypeRegisterMethod")
        assert sum("registers" in line for line in check(two)[1]) == 1

    def test_which_libtvm_ffi_so(self):
        """Which libtvm_ffi.so."""
        library = Library().undefined("TVMFFIErrorCreate")
        assert says(library, DEFAULT_HAS) == says(library, DEFAULT_HAS, "--runtime=c") == OK
        assert says(library, CXX_HAS, "--runtime=cxx") == OK
        assert needs(library) == needs(Library()) == ("libtvm_ffi.so", False, [])
        for option in [], ["--runtime=c"], ["--runtime=cxx"]:
            assert not any(line.split()[1] == "library"
                           for line in check(Library().undefined("memcpy"), *option)[1][1:])

        library.undefined(FUNCTION)
        assert says(library, f"note  library    {FUNCTION}: is {PARSE}, {LACKED}") == OK
        assert says(library, f"FAIL  library    {FUNCTION}: is {PARSE}, {LACKED}",
                    "--runtime=c") == CHECK
        assert says(library, CXX_HAS, "--runtime=cxx") == OK
        assert says(library, "ok    runtime    any version will do, from 0.1.0 on") == OK
        library.undefined(SECOND)
        assert says(library, "note  library    " + SEVERAL) == OK
        assert says(library, "FAIL  library    " + SEVERAL, "--runtime=c") == CHECK
        assert says(library, f"ok    runtime    {SECOND}: needs 0.1.9 or newer") == OK
        assert needs(library) == (CXX_LIBRARY, False, [FUNCTION, SECOND])
        assert says(Library().undefined(DATA),
                    f"note  library    {DATA}: is typeinfo for tvm::ffi::Error, {LACKED}") == OK

    def test_it_does_not_need_the_library_for_symbols(self):
        """It does not need the library for symbols that it defines, or that are weak."""
        assert needs(Library().function(FUNCTION)) == ("libtvm_ffi.so", False, [])
        library = Library().undefined(FUNCTION, binding=WEAK)
        assert says(library, f"note  imports    {FUNCTION}: is {PARSE}, {LACKED}; it is weak") == OK
        assert says(library, DEFAULT_HAS, "--runtime=c") == OK
        assert needs(library) == ("libtvm_ffi.so", False, [])

    def test_a_symbol_that_the_reference_no_longer(self):
        """A symbol that the reference no longer has."""
        assert says(Library().undefined(OLD),
                    f"note  runtime    {OLD}: the reference has it up to 0.1.12") == OK
        assert needs(Library().undefined(OLD)) == (CXX_LIBRARY, False, [OLD])

    def test_if_neither_library_has_a_name(self):
        """If neither library has a name, neither fits."""
        library = Library().undefined("_ZN3tvm3ffi4json9StringifyERKNS0_3AnyEi").undefined(FUNCTION)
        for option in [], ["--runtime=cxx"]:
            code, lines = check(library, *option)
            assert code == CHECK and sum("FAIL" in line for line in lines) == 1, lines
            assert not any(
                line.startswith(("  ok    library", "  ok    runtime")) for line in lines), lines
        code, out, err = run("check", "--json", WORK / "lib.so")
        report = json.loads(out)
        assert (report["runtime"], report["library"], report["passed"]) == (None, None,
                                                                            False), report

    def test_a_class_derived_from_moduleobj(self):
        """A class derived from ModuleObj, whose methods the helper calls; the library with C++
        functions includes it."""
        for base in [name for name in exports if "ModuleObj" in name]:
            derived = Library().undefined(base)
            line = f"note  library    {base}: is for a class derived from tvm::ffi::ModuleObj, " \
                   "whose methods the default libtvm_ffi.so calls with the help of " \
                   "libtvm_ffi_cxx.so in its folder"
            assert says(derived, line) == says(derived, line, "--runtime=c") == OK
            assert says(derived, CXX_HAS, "--runtime=cxx") == OK
            assert needs(derived) == ("libtvm_ffi.so", True, [])
            assert needs(derived.undefined(FUNCTION)) == (CXX_LIBRARY, False, [FUNCTION])
        assert len([name for name in exports if "ModuleObj" in name]) == 4, exports

    def test_the_table_has_the_names_of_the_list(self):
        """The table has the names of the list, and of the library if that is built, as demanglers
        print them."""
        rows = re.findall(r'^\s*\{"(_Z\w+)", \d+', TABLE_OF_NAMES.read_text(encoding="utf-8"), re.M)
        assert len(rows) == len(set(rows)) > 24, rows
        lists = [exports + read_names(CXX_EXPORTS)]
        for name in WITH_CXX if NM else []:
            done = subprocess.run([NM, "-DP", "--defined-only", name],
                                  check=True,
                                  capture_output=True,
                                  text=True)
            lists.append([line.split()[0] for line in done.stdout.splitlines()])
        for names in lists:
            assert sorted(rows) == sorted(name for name in names
                                          if name.startswith("_Z")), (rows, names)
        for name in rows:
            report = good_json("check", Library().undefined(name).write(WORK / "lib.so"))
            assert [named["symbol"] for named in report["cxx_symbols"]
                    ] == ([] if name in exports else [name]), report
            demangled = (shutil.which("c++filt") and subprocess.run(
                ["c++filt", name], check=True, capture_output=True, text=True).stdout.strip())
            for named in report["cxx_symbols"] if demangled else []:
                first, rest = demangled.split("tvm::ffi::", 1)
                assert named["name"] == first + "tvm::ffi::" + rest.replace("tvm::ffi::", ""), (
                    named, demangled)

    def test_exports(self):
        """Exports."""
        for name, line in [
            ("__tvm_ffi__mine", "__tvm_ffi__mine: begins with __tvm_ffi__, which the ABI reserves"),
            ("__tvm_ffi_", "__tvm_ffi_: is not the name of a function"),
            ("__tvm_ffi_a b", "__tvm_ffi_a b: is not the name of a function"),
            ("__tvm_ffi_\x07", "__tvm_ffi_\\x07: is not the name of a function"),
            ("__tvm_ffi__library_bin", "__tvm_ffi__library_bin: must be data"),
            ("__tvm_ffi__library_ctx",
             "__tvm_ffi__library_ctx: must be a writable pointer, where the loader stores the "
             "module"
             ),
        ]:
            assert says(Library().function(name), "FAIL  names      " + line) == CHECK
        assert says(Library().function("__tvm_ffi_f").function("__tvm_ffi_f"),
                    "FAIL  names      __tvm_ffi_f: is exported twice") == CHECK
        assert says(
            Library().data("__tvm_ffi_f", b"code"),
            "FAIL  names      __tvm_ffi_f: has the name of a function, but is data") == CHECK
        context = "FAIL  names      __tvm_ffi__library_ctx: must be a writable pointer, where " \
            "the loader stores the module"
        assert says(Library().data("__tvm_ffi__library_ctx", bytes(8)), context) == CHECK
        assert says(Library().data("__tvm_ffi__library_ctx", bytes(4), is_writable=True),
                    context) == CHECK
        for machine, size in ("x86-64", 8), ("arm", 4):
            assert check(
                Library(machine).function("__tvm_ffi_f").data("__tvm_ffi__library_ctx", bytes(size),
                                                              is_writable=True))[0] == OK
        for prefix in "metadata", "doc", "schema", "doctext":
            assert says(
                Library().function(f"__tvm_ffi__{prefix}_f"),
                f"note  names      __tvm_ffi__{prefix}_f: describes a function that is not exported"
            ) == OK
            assert check(Library().function("__tvm_ffi_f").function(
                f"__tvm_ffi__{prefix}_f"))[1][0].startswith("  ok ")

        lookup = Library().undefined("TVMFFIEnvModLookupFromImports").function("__tvm_ffi_f")
        line = "note  names      TVMFFIEnvModLookupFromImports: is called, but the module that " \
               "it needs is stored in __tvm_ffi__library_ctx, which is not exported"
        assert says(lookup, line) == OK
        assert not any("LookupFromImports" in line for line in
                       check(lookup.data("__tvm_ffi__library_ctx", bytes(8), is_writable=True))[1])

        runtime = "is part of the library: another runtime in the process does not see its types " \
            "and functions"
        assert says(
            Library().function("TVMFFIObjectDecRef").function("TVMFFIObjectIncRef").function(
                "_ZN3tvm3ffi1fEv"),
            f"note  exports    TVMFFIObjectDecRef: one of 2 functions of a runtime that {runtime}"
        ) == OK
        leaked = Library().function("_ZN3tvm3ffi1fEv", binding=WEAK).data("_ZTIN3tvm3ffi5ErrorE",
                                                                          b"x",
                                                                          binding=WEAK)
        assert says(
            leaked,
            "note  exports    _ZN3tvm3ffi1fEv: one of 1 C++ symbols of tvm::ffi that libraries "
            "with other headers may be bound to: compile with -fvisibility=hidden "
            "-fvisibility-inlines-hidden"
        ) == OK
        assert not any(
            "exports" in line
            for line in check(Library().data("_ZTVN3tvm3ffi5ErrorE", b"x").function("_Z1fv"))[1])

        for content, line in [
            (blob([(b"_lib", None, [])]), "ok    embedded   __tvm_ffi__library_bin: 1 module"),
            (blob([(b"k", b"", [])]),
             "note  embedded   __tvm_ffi__library_bin: module 0 is empty, which other runtimes "
             "refuse"
             ),
            (blob([(b"_lib", None, [1, 2]), (b"k\n", b"x", []), (b"k\n", b"y", [])]),
             "note  embedded   __tvm_ffi__library_bin: module 1 is read by "
             "ffi.Module.load_from_bytes.k\\x0a, which must be registered before the library is "
             "loaded"),
            (blob([]), "FAIL  embedded   __tvm_ffi__library_bin: malformed: it contains no module"),
            (blob([(b"", None, [])]),
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: the kind of a module is empty"),
            (blob([(b"_lib", None, [1])]),
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: an imported module is out of "
             "range"
             ),
            (blob([(b"_lib", None, [1]), (b"k", b"p", [0])]),
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: modules import each other in a "
             "circle"
             ),
            (blob([(b"_lib", None, [0])]),
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: modules import each other in a "
             "circle"
             ),
            (blob([(b"k", None, [])]),
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: the payload of a module is "
             "truncated"
             ),
            (blob([(b"_lib", None, [])])[:-1],
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: it is longer than its symbol or "
             "file"
             ),
            (b"\0" * 7,
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: its length is truncated"),
            (b"\x08" + b"\0" * 7 + b"\xff" * 8,
             "FAIL  embedded   __tvm_ffi__library_bin: malformed: the list of where imports begin "
             "is truncated"),
        ]:
            says(Library().data("__tvm_ffi__library_bin", content), line)
        no_self = blob([(b"k", b"x", [])])
        line = "note  embedded   __tvm_ffi__library_bin: no module is the library itself (_lib), " \
               "so its functions are not found"
        says(Library().data("__tvm_ffi__library_bin", no_self).function("__tvm_ffi_f"), line)
        assert "  " + line not in check(Library().data("__tvm_ffi__library_bin", no_self))[1]
        padded = bytearray(blob([(b"_lib", None, [])]) + b"\0\0\0")
        padded[0] += 3
        says(
            Library().data("__tvm_ffi__library_bin", bytes(padded)),
            "note  embedded   __tvm_ffi__library_bin: 3 bytes after the last module belong to none")
        says(
            Library().data("__tvm_ffi__library_bin", blob([(b"_lib", None, [])]), size=0),
            "note  embedded   __tvm_ffi__library_bin: has no size, so its length cannot be checked "
            "when it is loaded")

    def test_the_system_and_linking(self):
        """The system, and linking."""
        library = Library(needed=["libstdc++.so.6", "libc.so.6"]).undefined("memcpy", "GLIBC_2.14")
        library.undefined("fcntl", "GLIBC_2.28").undefined("old", "GLIBC_2.2.5")
        library.undefined("_ZSt", "GLIBCXX_3.4.29",
                          "libstdc++.so.6").undefined("__cxa", "CXXABI_1.3", "libstdc++.so.6")
        assert says(library, "note  system     fcntl: needs GLIBC_2.28") == OK
        assert says(library, "ok    system     fcntl: needs GLIBC_2.28", "--manylinux=2_34") == OK
        assert says(library, "ok    system     __cxa: needs CXXABI_1.3",
                    "--manylinux=manylinux_2_34") == OK
        assert says(
            library,
            "FAIL  system     _ZSt: needs GLIBCXX_3.4.29; manylinux_2_28 has GLIBCXX_3.4.24",
            "--manylinux=2_28") == CHECK
        assert says(library,
                    "FAIL  system     fcntl: needs GLIBC_2.28; manylinux_2_17 has GLIBC_2.17",
                    "--manylinux=2_17") == CHECK
        says(Library().undefined("x", "GLIBC_PRIVATE").undefined("y", "GLIBC_2.30"),
             "FAIL  system     x: needs GLIBC_PRIVATE; manylinux_2_40 has GLIBC_2.40",
             "--manylinux=2_40")

        for library, line in [
            (Library(stack="rwx"), "FAIL  stack      PT_GNU_STACK: requests an executable stack"),
            (Library(stack=None),
             "FAIL  stack      PT_GNU_STACK: is missing, so the stack is executable"),
            (Library("aarch64", stack=None), "ok    stack      PT_GNU_STACK: not executable"),
            (Library(text_relocations=True),
             "FAIL  code       DT_TEXTREL: code is modified when it is loaded: compile with -fPIC"),
            (Library(writable_code=True),
             "FAIL  code       PT_LOAD: a segment is both writable and executable"),
            (Library(relro=False), "note  relro      PT_GNU_RELRO: is missing: link with -z relro"),
            (Library(now=False),
             "note  binding    DT_FLAGS: bound when called: -z now makes the whole table read-only"
             ),
            (Library().data("_ZGuard", b"x", binding=UNIQUE),
             "note  unloading  _ZGuard: is unique in the process, so glibc never unloads the "
             "library"
             ),
            (Library(needed=["libtvm_ffi.so"]),
             "note  needed     libtvm_ffi.so: loads a runtime by name; without this, the one of "
             "the process is used"),
            (Library(runpath="/home/me/lib"),
             "note  needed     DT_RUNPATH: a path of the machine it was built on"),
        ]:
            says(library, line)
        says(Library(), "ok    system     needs no particular version of glibc or libstdc++",
             "--manylinux=2_28")
        assert not any("needed" in line for line in check(Library(runpath="$ORIGIN"))[1])

    def test_other_c_libraries(self):
        """A library for another C library than glibc, by all that tells it."""
        foreign = "riscv64" if OWN_MACHINE != "riscv64" else "s390x"
        for kind, symbol, options in [
            ("musl", "libc.so", {"needed": ["libc.so"]}),
            ("musl", "libc.so", {"needed": ["libstdc++.so.6", "libc.so"]}),
            ("musl", "libc.so", {"needed": ["libc.so.6", "libc.so"]}),
            ("musl", "libc.musl-x86_64.so.1", {"needed": ["libc.musl-x86_64.so.1"]}),
            ("musl", "/lib/ld-musl-x86_64.so.1", {"interpreter": "/lib/ld-musl-x86_64.so.1"}),
            ("uClibc", "libc.so.0", {"needed": ["libc.so.0"]}),
            ("the Hurd's C library", "libc.so.0.3", {"needed": ["libc.so.0.3"]}),
            ("Android's C library", "Android", {"needed": ["libc.so"], "notes": ["Android"]}),
            ("Android's C library", "Android", {"notes": ["GNU", "Android"]}),
            ("Android's C library", "/system/bin/linker64",
             {"interpreter": "/system/bin/linker64"}),
            ("FreeBSD's C library", "libc.so.7", {"needed": ["libc.so.7"]}),
            ("FreeBSD's C library", "FreeBSD", {"osabi": 9}),
            ("NetBSD's C library", "NetBSD", {"needed": ["libc.so.12"], "notes": ["NetBSD"]}),
            ("NetBSD's C library", "libc.so.12", {"needed": ["libc.so.12"]}),
            ("OpenBSD's C library", "OpenBSD", {"needed": ["libc.so.97.1"], "notes": ["OpenBSD"]}),
            ("another C library", "libc.so.97.1", {"needed": ["libc.so.97.1"]}),
        ]:
            assert says(Library(**options),
                        f"FAIL  needed     {symbol}: is for systems with {kind}; "
                        "manylinux_2_28 has glibc", "--manylinux=2_28") == CHECK
            assert not any("ok    system" in line
                           for line in check(Library(**options), "--manylinux=2_28")[1])
            assert says(Library(foreign, **options),
                        f"note  needed     {symbol}: is for systems with {kind}, not glibc") == OK
        for needed, symbol in [("libc.so", "__errno"), ("libc.so", None)]:
            library = Library(needed=[needed])
            library.undefined(symbol or "close", None if symbol else "LIBC", needed)
            says(library, f"FAIL  needed     {needed}: is for systems with Android's C library; "
                 "manylinux_2_28 has glibc", "--manylinux=2_28")
        # These need glibc, or no C library at all.
        for library in [
                Library(needed=["libc.so.6"]), Library(needed=["libcrypto.so.3"]),
                Library(needed=["libc.software.so"]), Library(notes=["GNU"]), Library(osabi=3),
                Library(interpreter="/lib64/ld-linux-x86-64.so.2"),
                Library(needed=["libm.so.6"]).undefined("cosh", "GLIBC_2.2.5", "libm.so.6"),
                Library()
        ]:
            for options in [[], ["--manylinux=2_28"]]:
                code, lines = check(library, *options)
                said = [line for line in lines if "needed" in line]
                if not HAS_GLIBC and not options:  # which a file for glibc may not be loaded on
                    said = [line for line in said if "is for systems with glibc: " not in line]
                assert code == OK and not said, lines

    def test_this_system_cannot_load_it(self):
        """Its names are not looked for then: those of another C library are missing here."""
        if not HAS_GLIBC:
            self.skipTest("needs a system with glibc")
        library = Library(OWN_MACHINE, needed=["libc.so"])
        library.undefined("__errno_location").undefined("printf")
        says(library, "note  needed     libc.so: is for systems with musl: this one has glibc, and "
             "cannot load it")
        assert not any("undefined" in line for line in check(library)[1])

    def test_a_library_of_musl_gcc(self):
        """What musl-gcc makes."""
        compiler = shutil.which("musl-gcc")
        if compiler is None:
            self.skipTest("musl-gcc is not installed")
        source, made = WORK / "of_musl.c", WORK / "of_musl.so"
        source.write_text("#include <errno.h>\nint __tvm_ffi_f(void) { return errno; }\n")
        # Meson puts the folders of a cross compiler, with its assembler, first.
        subprocess.run([compiler, "-shared", "-fPIC", "-o", made, source], check=True,
                       env={**os.environ, "PATH": os.defpath})
        code, out, err = run("check", "--manylinux=2_28", made)
        assert code == CHECK and err == "", (code, out, err)
        assert "libc.so: is for systems with musl; manylinux_2_28 has glibc" in out, out
        code, out, err = run("run", f"--module={made}", "--function=f")
        # The loader of a tool for another processor looks at no more than that.
        processors = [path.read_bytes()[4:19:14] for path in (made, pathlib.Path(TOOL))]
        if HAS_GLIBC and processors[0] == processors[1]:
            assert code == LOAD and "; it is for another C library: it needs libc.so, and this " \
                "program runs with glibc" in err, (code, err)

    def test_several_files(self):
        """Several files."""
        first, second = write("one.so", with_context()), write("two.so",
                                                               with_context().function("other"))
        assert clashes(
            first,
            second) == (OK, [[], [f"  note  clashes    __tvm_ffi_f: {first} also has it: {APART}"]])
        three = write(
            "three.so",
            Library().function("__tvm_ffi_e").function("__tvm_ffi_f").function("__tvm_ffi_g"))
        four = write(
            "four.so",
            Library().function("__tvm_ffi_e").function("__tvm_ffi_f").undefined("__tvm_ffi_g"))
        assert clashes(three, first, four) == (OK, [
            [], [f"  note  clashes    __tvm_ffi_f: {three} also has it: {APART}"],
            [f"  note  clashes    __tvm_ffi_e: one of 2 that {three} also has: {APART}",
             f"  note  clashes    __tvm_ffi_f: {first} also has it: {APART}"]])
        assert clashes(first, write("other.so",
                                    Library().function("__tvm_ffi_g").function("g"))) == (OK, [[],
                                                                                               []])
        assert clashes(first, write("arm.so",
                                    Library("arm").function("__tvm_ffi_f"))) == (OK, [[], []])
        # One loads the other: by file name, or by soname.
        needing = write("needing.so", with_context(needed=["one.so"]))
        together = f"__tvm_ffi__library_ctx: one of 3 that {first} also has: {TOGETHER}"
        assert clashes(first, needing) == (OK, [[], ["  note  clashes    " + together]])
        assert clashes(needing, first)[1][1] == [
            "  note  clashes    " + together.replace(str(first), str(needing))
        ]
        named = write("named.so", with_context(soname="one.so"))
        assert TOGETHER in clashes(needing, named)[1][1][0]
        assert clashes(needing, write("one.so", with_context(soname="x.so")))[1][1] == [
            f"  note  clashes    __tvm_ffi_f: {needing} also has it: {APART}"]
        # One file under two names.
        (WORK / "link.so").symlink_to(first)
        assert clashes(first, WORK / "link.so") == (OK, [[], []])
        assert clashes(
            write("u1.so",
                  Library().data("_ZGuard", b"x", binding=UNIQUE)),
            write("u2.so",
                  Library().data("_ZGuard", b"x", binding=UNIQUE))
        )[1][1] == [
            f"  note  clashes    _ZGuard: {WORK}/u1.so also has it: unique in the process, so both "
            "libraries use those of the one loaded first"
        ]
        # Control characters in a name are escaped.
        odd = write("o\x1b.so", with_context())
        assert rf"{WORK}/o\x1b.so also has it" in clashes(odd, second)[1][1][0]

    def test_libraries_that_meson_built(self):
        """Libraries that Meson built."""
        assert clashes(SCALE, TYPED)[1][1] == [
            f"  note  clashes    __tvm_ffi_count: one of 2 that {SCALE} also has: {APART}"
        ]
        assert " clashes " not in good("check", KERNELS, KERNELS)
        report = good_json("check", SCALE, TYPED)
        assert [entry["path"] for entry in report] == [SCALE, TYPED], report
        assert [v["symbol"] for v in report[1]["verdicts"]
                if v["check"] == "clashes"] == ["__tvm_ffi_count"], report

    def test_object_files_and_libraries_made_from_them(self):
        """Object files, and libraries made from them: compiled here."""
        strong = compile_c("strong.o",
                           "int __tvm_ffi_f(void) { return 0; }\nvoid *__tvm_ffi__library_ctx;\n",
                           "-c", "-fcommon")
        again = compile_c(
            "again.o", "int __tvm_ffi_f(void) { return 1; }\nvoid *__tvm_ffi__library_ctx = 0;\n",
            "-c")
        weak = compile_c(
            "weak.o", "__attribute__((weak)) int __tvm_ffi_f(void) { return 1; }\nint x;\n", "-c")
        linked = subprocess.run([*CC, "-shared", strong, again, "-o", WORK / "refused.so"],
                                capture_output=True, check=False)
        assert linked.returncode != 0 and b"__tvm_ffi_f" in linked.stderr, linked
        assert clashes(strong, again) == (CHECK, [[], [
            f"  FAIL  clashes    __tvm_ffi_f: {strong} also has it: {REFUSED}",
            f"  note  clashes    __tvm_ffi__library_ctx: {strong} also has it: {MERGED}"]])
        assert clashes(strong, weak, again) == (CHECK, [
            [], [f"  note  clashes    __tvm_ffi_f: {strong} also has it: {MERGED}"],
            [f"  FAIL  clashes    __tvm_ffi_f: {strong} also has it: {REFUSED}",
             f"  note  clashes    __tvm_ffi__library_ctx: {strong} also has it: {MERGED}",
             f"  note  clashes    __tvm_ffi_f: {weak} also has it: {MERGED}"]])
        out = good("check", "--manylinux=2_28", strong)
        assert re.search(r"^  note  file       an object file, ELF\d\d \S+: it is not linked yet$",
                         out, re.M), out
        assert "\n  ok    names      1 function\n" in out, out
        assert "\n  ok    stack      .note.GNU-stack: not executable\n" in out, out
        assert "\n  note  system     versions are chosen when it is linked\n" in out, out
        calls = compile_c("calls.o", f"void {FUNCTION}(void);\nvoid f(void) {{ {FUNCTION}(); }}\n",
                          "-c")
        assert f"\n  note  library    {FUNCTION}: is {PARSE}, {LACKED}\n" in good("check",
                                                                                  calls), calls
        code, out, err = run(
            "check",
            compile_c("stack.o", '.section .note.GNU-stack,"x",%progbits\n', "-xassembler", "-c"))
        assert (code == CHECK and
                "  FAIL  stack      .note.GNU-stack: requests an executable stack\n" in out), out

    def test_more_sections_than_the_16_bit_field(self):
        """More sections than the 16-bit field of a symbol can number."""
        many = "".join(f'.section .t{i},"a",%progbits\n' for i in range(66000))
        out = good("check", compile_c("many.o", many + """.section .data.context,"aw",%progbits
.globl __tvm_ffi__library_ctx
.type __tvm_ffi__library_ctx, %object
__tvm_ffi__library_ctx: .quad 0
.section .note.GNU-stack,"",%progbits
""", "-xassembler", "-c"))
        assert "FAIL" not in out and "library_ctx" not in out, out
        hidden = "int __tvm_ffi_f(void) { return 0; }\n"
        two_hidden = hidden + "int __tvm_ffi_g(void) { return 0; }\n"
        for name, text, options, line in [
            ("h1.o", hidden, ["-c"], "__tvm_ffi_f: is hidden, so nothing finds it"),
            ("h1.so", hidden, ["-shared", "-fPIC"], "__tvm_ffi_f: is hidden, so nothing finds it"),
            ("h2.so", two_hidden, ["-shared", "-fPIC"],
             "__tvm_ffi_[fg]: one of 2 functions that are hidden, so nothing finds them"),
        ]:
            out = good("check", compile_c(name, text, "-fvisibility=hidden", *options))
            assert re.search(f"^  note  names      {line}$", out, re.M), out
        described = "char __tvm_ffi__doctext_f[1] __attribute__((visibility(\"default\")));\n"
        out = good("check", compile_c("h4.o", hidden + described, "-fvisibility=hidden", "-c"))
        assert (
            "\n  note  names      __tvm_ffi__doctext_f: describes a function that is not exported\n"
            in out), out
        out = good("check", compile_c("h3.so", hidden, "-shared", "-fPIC"))
        assert "hidden" not in out and "\n  ok    names      1 function\n" in out, out

    def test_a_program(self):
        """A program; a library whose file name does not have the suffix that loaders expect."""
        code, out, err = run("check", compile_c("program", "int main(void) { return 0; }\n"))
        assert (code == CHECK and re.search(
            "^  FAIL  file       a program, ELF.*, which cannot be loaded: link with -shared$", out,
            re.M)), out
        ending = "  note  file       its name does not end in .so, without which other runtimes " \
            "do not load it\n"
        for name in "libkernels.so.1", "kernels":
            shutil.copyfile(KERNELS, WORK / name)
            assert ending in good("check", WORK / name)
        for name in "kernels.so", "kernels.dylib":
            shutil.copyfile(KERNELS, WORK / name)
            assert ending not in good("check", WORK / name)
        assert ending not in good("check",
                                  Library().function("other").write(WORK / "libother.so.6"))

    def test_compiled_libraries_json_refusals(self):
        """Compiled libraries, JSON, refusals."""
        for path in LIBRARIES:
            report = good_json("check", path)
            assert report["passed"] and report["path"] == path, report
            assert (report["runtime"] is not None
                    and {v["verdict"] for v in report["verdicts"]} <= {"ok", "note"}), report
            assert re.search(r"^  ok    names      \d+ functions$", good("check", path), re.M)
        code, out, err = run("check", *LIBRARIES,
                             Library(stack="rwx").write(WORK / "lib.so"), WORK / "missing.so")
        assert code == LOAD and out.count("FAIL") == 1 and err.count("\n") == 1, (code, out, err)
        code, out, err = run("check", WORK / "lib.so", *LIBRARIES)
        assert code == CHECK and err == "", (code, out, err)

        content = pathlib.Path(KERNELS).read_bytes()
        for written, message in [
            (b"\x7fELF", "malformed ELF file"),
            (b"", "not an ELF, PE or Mach-O file: it is empty"),
            (b"text\n", "not an ELF, PE or Mach-O file\n"),
            (b"MZ\x90\0\3\0\0\0", "malformed PE file: it has no PE header"),
            (b"\xcf\xfa\xed\xfe\x0c\0\0\1", "malformed Mach-O file: its header"),
            (b"!<arch>\n", "not an ELF, PE or Mach-O file but an archive"),
            (content[:-16],
             "malformed ELF file: it is truncated: its section headers extend past the end of the "
             "file"
             ),
        ]:
            (WORK / "wrong").write_bytes(written)
            bad(LOAD, message, "check", WORK / "wrong")
        bad(LOAD, str(WORK), "check", WORK)
        for value in "1", "2_x", "2_3", "3_28", "2_28x", "":
            bad(USAGE, f'--manylinux must be 2_N with N from 5, such as 2_28, not "{value}"',
                "check", "--manylinux=" + value, WORK / "lib.so")

    def test_files_of_other_systems(self):
        """Files of other systems, of which test_pe.py and test_macho.py have more."""
        says(
            pe.Library(traits=pe.DYNAMIC_BASE | pe.HIGH_ENTROPY),
            "note  stack      NX_COMPAT: is missing, so data is executable: link with "
            "-Wl,--nxcompat"
        )
        says(
            pe.Library(traits=pe.NX),
            "note  address    DYNAMIC_BASE: is missing, so code is at a predictable address: link "
            "with -Wl,--dynamicbase")
        says(
            macho.Library("aarch64", signed=False),
            "FAIL  signature  LC_CODE_SIGNATURE: is missing, and macOS on arm64 loads only signed "
            "code: codesign -s - FILE")

    def test_extensions_of_python_and_pytorch(self):
        """Extensions of Python and PyTorch are named."""
        assert says(Library().function("PyInit_module"),
                    f"note  kind       PyInit_module: {EXTENSION}") == OK
        torch = "_ZN5torch7LibraryC1ENS0_4KindESsN3c108optionalINS2_11DispatchKeyEEEPKcj"
        assert says(Library().undefined(torch),
                    f"note  kind       {torch}: registers operators of PyTorch (TORCH_LIBRARY): "
                    "torch.ops.load_library loads it") == OK
        assert not any(line.split()[1] == "kind"
                       for line in check(Library().undefined("PyInit_module"))[1])
        # A name that no library has: none is needed.
        nobody = Library(machine=OWN_MACHINE).undefined("nobody")
        assert says(nobody, "note  undefined  nobody: no library that it needs defines it: unless "
                    "the process does, loading or the first call fails") == OK

    def test_names_that_no_needed_library_has(self):
        """Names that no library has which it needs: as the loader finds these, without loading."""
        folder = WORK / "undefined"
        (folder / "deep").mkdir(parents=True)

        def link(name, text, *options):
            return compile_c(folder / name, text, "-shared", "-fPIC", "-w", *options)

        def undefined(path, **env):
            """The names that are reported, with what is said."""
            report = good_json("check", path, env={**os.environ, **env})
            found = [verdict for verdict in report["verdicts"]
                     if verdict["check"] in ("undefined", "kind")]
            SEEN.update((verdict["verdict"], verdict["check"]) for verdict in found)
            assert report["passed"], report
            return {verdict["symbol"]: verdict["said"] for verdict in found}

        nothing = "no library that it needs defines it: unless the process does, loading or " \
            "the first call fails"
        if undefined(link("plain_c.so", "void *malloc(unsigned long); void *f(void) { return "
                          "malloc(1); }")) != {}:
            return  # the C library of another system is not where the loader would look for it
        python = "int PyList_Size(void *); int f(void *x) { return PyList_Size(x); }"
        self.assertEqual(undefined(link("python.so", python)), {"PyList_Size": nothing})
        self.assertEqual(undefined(link("module.so", python + "void PyInit_module(void) {}")),
                         {"PyInit_module": EXTENSION})

        lonely = link("lonely.so", "void *malloc(unsigned long); int cudaMalloc(void); "
                      "int cuInit(int); int cut(void); int maybe(void) __attribute__((weak));\n"
                      "extern char _ZTI4Base[];\n"
                      "void *f(void) { return cudaMalloc() + cuInit(0) + cut() + (maybe != 0) + "
                      "(char *)malloc(8) + *_ZTI4Base; }")
        self.assertEqual(undefined(lonely), {
            "_ZTI4Base": nothing + "; a class has it in the file that defines its first virtual "
                                   "function",
            "cuInit": nothing + "; CUDA's driver has it: link with -lcuda",
            "cudaMalloc": nothing + "; CUDA's runtime has it: link with -lcudart",
            "cut": nothing,
        })

        link("deep/libundefined_deep.so", "int deep(void) { return 1; }")
        link("libundefined_near.so", "int deep(void); int near(void) { return deep(); }",
             "-Wl,--no-as-needed", f"-L{folder / 'deep'}", "-lundefined_deep",
             "-Wl,-rpath,$ORIGIN/deep")
        user = "int deep(void), near(void); int f(void) { return deep() + near(); }"
        near = ["-Wl,--no-as-needed", f"-L{folder}", f"-Wl,-rpath-link,{folder / 'deep'}",
                "-lundefined_near"]
        # By DT_RUNPATH; by what that library needs; by LD_LIBRARY_PATH; not at all.
        self.assertEqual(undefined(link("user.so", user, *near, "-Wl,-rpath,$ORIGIN")), {})
        plain = link("plain.so", user, *near)
        self.assertEqual(undefined(plain, LD_LIBRARY_PATH=f"/nowhere:{folder}"), {})
        lost = ("no library that was read defines it, but libundefined_near.so was not found or is "
                "larger than 512 MiB")
        self.assertEqual(undefined(plain), {"deep": lost, "near": lost})
        original = link("original.so", user, *near, "-Wl,-rpath,$ORIGINAL")
        self.assertEqual(undefined(original), {"deep": lost, "near": lost})
        # Nothing between two : is the current folder.
        here = os.getcwd()
        os.chdir(folder)
        self.assertEqual(undefined(plain.resolve(), LD_LIBRARY_PATH="/nowhere:"), {})
        os.chdir(here)
        # DT_RPATH holds for those that are needed, too, and DT_RUNPATH does not.
        link("libundefined_near.so", "int deep(void); int near(void) { return deep(); }",
             "-Wl,--no-as-needed", f"-L{folder / 'deep'}", "-lundefined_deep")
        paths = "-Wl,-rpath,$ORIGIN:$ORIGIN/deep"
        old = link("old.so", user, *near, paths, "-Wl,--disable-new-dtags")
        self.assertEqual(undefined(old), {})
        new = link("new.so", user, *near, paths, "-Wl,--enable-new-dtags")
        self.assertEqual(
            undefined(new), {
                "deep": "no library that was read defines it, but libundefined_deep.so was not "
                        "found or is larger than 512 MiB"
            })

        many = link("many.so", "".join(f"int missing_{i}(void);" for i in range(12)) + "int f(void)"
                    "{ return " + " + ".join(f"missing_{i}()" for i in range(12)) + "; }")
        self.assertEqual(len(undefined(many)), 11)
        self.assertEqual(undefined(many)[None], "2 more names that no library has")
        # What is for another machine is not looked for.
        other = "s390x" if OWN_MACHINE != "s390x" else "x86-64"
        self.assertEqual(undefined(write("other.so", Library(other).undefined("nobody"))), {})

    def test_the_help_and_the_page_list_every_check(self):
        """The help and the page list every check, with the same words, and which ones can fail."""
        rows = {
            name: " ".join(text.split()) for name, text in re.findall(
                r"^  ([a-z]+) +(\S.*(?:\n {10,}\S.*)*)", HELP, re.M)
        }
        checks = {check for _, check in SEEN}
        assert list(rows) == list(TABLE) and set(rows) == checks, (list(rows), list(TABLE), checks)
        for name, (looks_at, fails, notes) in TABLE.items():
            row = looks_at + (f". FAIL: {fails}" if fails else "")
            assert rows[name] == row.replace("`", ""), (name, rows[name])
            assert (fails != "") == (("FAIL", name) in SEEN), name
            assert (notes != "") == (("note", name) in SEEN), name
        assert max(map(len, HELP.splitlines())) <= 95, HELP


run_tests()

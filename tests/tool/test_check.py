# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import tempfile

from elf import UNIQUE, WEAK, Library, blob
from tool import CHECK, FILES, LOAD, OK, USAGE, bad, good, good_json, run

EXPORTS, *VERSIONS = [pathlib.Path(name) for name in FILES if name.endswith(".txt")]
LIBRARIES = [name for name in FILES if not name.endswith(".txt")]
WORK = pathlib.Path(tempfile.mkdtemp(prefix="tvm-ffi-check-"))


def check(library, *options):
    """The exit code, and the lines of verdicts."""
    path = library.write(WORK / "lib.so")
    code, out, err = run("check", *options, path)
    lines = out.splitlines()
    assert err == "" and lines[0] == str(path), (code, out, err)
    return code, lines[1:]


def says(library, line, *options):
    """The exit code of a library whose verdicts have this line."""
    code, lines = check(library, *options)
    assert "  " + line in lines, (line, lines)
    assert code == (CHECK if any(one.startswith("  FAIL") for one in lines) else OK), (code, lines)
    return code


LINKED = ["  ok    stack      PT_GNU_STACK: not executable",
          "  ok    code       no text relocations, no writable code",
          "  ok    relro      PT_GNU_RELRO: relocated data is read-only",
          "  ok    binding    DT_FLAGS: bound when it is loaded"]
assert check(Library().function("__tvm_ffi_f").function("other")) == (OK, [
    "  ok    names      1 function", "  ok    runtime    nothing is imported of one", *LINKED])

# ---- Runtimes: the releases' own lists ------------------------------------------------------------


def read_names(path):
    return [name for line in path.read_text().splitlines() if (name := line.split("#")[0].strip())]


def number(release):
    return tuple(map(int, release.split(".")))


releases = {path.stem: set(read_names(path)) for path in VERSIONS}
assert len(releases) >= 4, VERSIONS
exports = read_names(EXPORTS)
for name in exports:
    report = good_json("check", Library().undefined(name).write(WORK / "lib.so"))
    has = [release for release, names in releases.items() if name in names]
    if name.startswith("TVMFFIRuntime"):
        assert report["runtime"] == "own" and not has, (name, report)
    elif name.startswith("TVMFFI"):
        # The oldest that it names has it, of the lists that say so; what lacks it is older.
        assert has and sorted(has, key=number)[0] == min(
            (r for r in releases if number(r) >= number(report["runtime"])), key=number), (name, has, report)
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
assert says(library, "ok    runtime    TVMFFITensorCreateUnsafeView: needs 0.1.6 or newer") == OK
library.undefined("TVMFFIBigIntFromByteArray")
assert says(library, "ok    runtime    TVMFFIBigIntFromByteArray: needs 0.1.15 or newer") == OK
library = Library().undefined("TVMFFIErrorCreate")
assert says(library, "ok    runtime    any will do, from 0.1.0 on") == OK
library.undefined("TVMFFIBigIntFromByteArray", binding=WEAK)
assert says(library, "ok    runtime    any will do, from 0.1.0 on") == OK
library.undefined("TVMFFINew", binding=WEAK)
assert says(library, "note  imports    TVMFFINew: this runtime does not have it; it is weak") == OK
library.undefined("TVMFFIRuntimeNew")
assert says(library, "FAIL  imports    TVMFFIRuntimeNew: this runtime does not have it") == CHECK
library = Library().undefined("TVMFFIRuntimeModulePack")
assert says(library, "note  runtime    TVMFFIRuntimeModulePack: only this runtime has it") == OK
for name in "_ZN3tvm3ffi9ModuleObj3NewEv", "_ZTIN3tvm3ffi3NewE", "TVMFFI\x1b":
    shown = name.replace("\x1b", "\\x1b")
    assert says(Library().undefined(name), f"FAIL  imports    {shown}: this runtime does not have it") == CHECK
assert says(Library().undefined("TVMFFITensorFromDLPack"),
            "note  dlpack     TVMFFITensorFromDLPack: tensors without a version, of DLPack 0.x") == OK
assert says(Library().undefined("TVMFFITensorToDLPackVersioned"),
            "note  dlpack     TVMFFITensorToDLPackVersioned: versioned tensors, of DLPack 1.x") == OK

# ---- Exports --------------------------------------------------------------------------------------

for name, line in [
    ("__tvm_ffi__mine", "__tvm_ffi__mine: begins with what the ABI keeps for itself, __tvm_ffi__"),
    ("__tvm_ffi_", "__tvm_ffi_: is no name of a function"),
    ("__tvm_ffi_a b", "__tvm_ffi_a b: is no name of a function"),
    ("__tvm_ffi_\x07", "__tvm_ffi_\\x07: is no name of a function"),
    ("__tvm_ffi__library_bin", "__tvm_ffi__library_bin: must be data"),
    ("__tvm_ffi__library_ctx",
     "__tvm_ffi__library_ctx: must be a writable pointer, for the loader stores the module there"),
]:
    assert says(Library().function(name), "FAIL  names      " + line) == CHECK
assert says(Library().function("__tvm_ffi_f").function("__tvm_ffi_f"),
            "FAIL  names      __tvm_ffi_f: is exported twice") == CHECK
assert says(Library().data("__tvm_ffi_f", b"code"),
            "FAIL  names      __tvm_ffi_f: is called as a function, but it is data") == CHECK
context = "FAIL  names      __tvm_ffi__library_ctx: must be a writable pointer, for the loader stores the module there"
assert says(Library().data("__tvm_ffi__library_ctx", bytes(8)), context) == CHECK
assert says(Library().data("__tvm_ffi__library_ctx", bytes(4), is_writable=True), context) == CHECK
for machine, size in ("x86-64", 8), ("arm", 4):
    assert check(Library(machine).function("__tvm_ffi_f").data("__tvm_ffi__library_ctx", bytes(size),
                                                               is_writable=True))[0] == OK
for prefix in "metadata", "doc", "schema", "doctext":
    assert says(Library().function(f"__tvm_ffi__{prefix}_f"),
                f"note  names      __tvm_ffi__{prefix}_f: describes a function that is not exported") == OK
    assert check(Library().function("__tvm_ffi_f").function(f"__tvm_ffi__{prefix}_f"))[1][0].startswith("  ok ")

for content, line in [
    (blob([(b"_lib", None, [])]), "ok    embedded   __tvm_ffi__library_bin: 1 module"),
    (blob([(b"k", b"", [])]),
     "note  embedded   __tvm_ffi__library_bin: module 0 is empty, which runtimes other than this one refuse"),
    (blob([]), "FAIL  embedded   __tvm_ffi__library_bin: malformed: it holds no module"),
    (blob([(b"", None, [])]), "FAIL  embedded   __tvm_ffi__library_bin: malformed: the kind of a module is empty"),
    (blob([(b"_lib", None, [1])]),
     "FAIL  embedded   __tvm_ffi__library_bin: malformed: an imported module is out of range"),
    (blob([(b"_lib", None, [1]), (b"k", b"p", [0])]),
     "FAIL  embedded   __tvm_ffi__library_bin: malformed: modules import each other in a circle"),
    (blob([(b"_lib", None, [0])]),
     "FAIL  embedded   __tvm_ffi__library_bin: malformed: modules import each other in a circle"),
    (blob([(b"k", None, [])]),
     "FAIL  embedded   __tvm_ffi__library_bin: malformed: the payload of a module is cut off"),
    (blob([(b"_lib", None, [])])[:-1],
     "FAIL  embedded   __tvm_ffi__library_bin: malformed: it is longer than its symbol or file"),
    (b"\0" * 7, "FAIL  embedded   __tvm_ffi__library_bin: malformed: its length is cut off"),
    (b"\x08" + b"\0" * 7 + b"\xff" * 8,
     "FAIL  embedded   __tvm_ffi__library_bin: malformed: the list of where imports begin is cut off"),
]:
    says(Library().data("__tvm_ffi__library_bin", content), line)
padded = bytearray(blob([(b"_lib", None, [])]) + b"\0\0\0")
padded[0] += 3
says(Library().data("__tvm_ffi__library_bin", bytes(padded)),
     "note  embedded   __tvm_ffi__library_bin: 3 bytes behind the last module are of none")
says(Library().data("__tvm_ffi__library_bin", blob([(b"_lib", None, [])]), size=0),
     "note  embedded   __tvm_ffi__library_bin: has no size, so that its length cannot be checked when it is loaded")

# ---- The system, and linking ------------------------------------------------------------------------

library = Library(needed=["libstdc++.so.6", "libc.so.6"]).undefined("memcpy", "GLIBC_2.14")
library.undefined("fcntl", "GLIBC_2.28").undefined("old", "GLIBC_2.2.5")
library.undefined("_ZSt", "GLIBCXX_3.4.29", "libstdc++.so.6").undefined("__cxa", "CXXABI_1.3", "libstdc++.so.6")
assert says(library, "note  system     fcntl: needs GLIBC_2.28") == OK
assert says(library, "ok    system     fcntl: needs GLIBC_2.28", "--manylinux=2_34") == OK
assert says(library, "ok    system     __cxa: needs CXXABI_1.3", "--manylinux=manylinux_2_34") == OK
assert says(library, "FAIL  system     _ZSt: needs GLIBCXX_3.4.29; manylinux_2_28 has GLIBCXX_3.4.24",
            "--manylinux=2_28") == CHECK
assert says(library, "FAIL  system     fcntl: needs GLIBC_2.28; manylinux_2_17 has GLIBC_2.17",
            "--manylinux=2_17") == CHECK
says(Library().undefined("x", "GLIBC_PRIVATE").undefined("y", "GLIBC_2.30"),
     "FAIL  system     x: needs GLIBC_PRIVATE; manylinux_2_40 has GLIBC_2.40", "--manylinux=2_40")

for library, line in [
    (Library(stack="rwx"), "FAIL  stack      PT_GNU_STACK: asks for a stack that can be executed"),
    (Library(stack=None), "FAIL  stack      PT_GNU_STACK: is missing, so that the stack can be executed"),
    (Library("aarch64", stack=None), "ok    stack      PT_GNU_STACK: not executable"),
    (Library(text_relocations=True),
     "FAIL  code       DT_TEXTREL: code is written to while it is loaded: compile with -fPIC"),
    (Library(writable_code=True), "FAIL  code       PT_LOAD: a segment can be written and executed"),
    (Library(relro=False), "note  relro      PT_GNU_RELRO: is missing: link with -z relro"),
    (Library(now=False), "note  binding    DT_FLAGS: bound when called: -z now makes the whole table read-only"),
    (Library().data("_ZGuard", b"x", binding=UNIQUE),
     "note  unloading  _ZGuard: is unique in the process, for which glibc never unloads the library"),
    (Library(needed=["libtvm_ffi.so"]),
     "note  needed     libtvm_ffi.so: loads a runtime by name; without that, the one of the process serves"),
    (Library(runpath="/home/me/lib"), "note  needed     DT_RUNPATH: a path of the machine it was built on"),
]:
    says(library, line)
assert not any("needed" in line for line in check(Library(runpath="$ORIGIN"))[1])

# ---- Libraries that were compiled, JSON, refusals -----------------------------------------------------

for path in LIBRARIES:
    report = good_json("check", path)
    assert report["passed"] and report["path"] == path, report
    assert report["runtime"] is not None and {v["verdict"] for v in report["verdicts"]} <= {"ok", "note"}, report
    assert re.search(r"^  ok    names      \d functions$", good("check", path), re.M)
code, out, err = run("check", *LIBRARIES, Library(stack="rwx").write(WORK / "lib.so"), WORK / "missing.so")
assert code == LOAD and out.count("FAIL") == 1 and err.count("\n") == 1, (code, out, err)
code, out, err = run("check", WORK / "lib.so", *LIBRARIES)
assert code == CHECK and err == "", (code, out, err)

(WORK / "wrong").write_bytes(b"\x7fELF")
bad(LOAD, "malformed ELF file", "check", WORK / "wrong")
for value in "1", "2_x", "2_3", "3_28", "2_28x", "":
    bad(USAGE, f'--manylinux must be 2_N with N from 5, such as 2_28, not "{value}"', "check",
        "--manylinux=" + value, WORK / "lib.so")

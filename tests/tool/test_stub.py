# SPDX-License-Identifier: Apache-2.0
"""The wrappers that stub writes: compiled, and called on a library of kernels.

test_stub.py TVM-FFI TYPED DEEDS PROGRAMS LIBRARY INCLUDE... -- LANGUAGE=COMPILER...
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

from elf import Library
from tool import FILES, LOAD, USAGE, bad, good, good_json

TYPED, DEEDS, PROGRAMS, LIBRARY, *REST = FILES
PROGRAMS, LIBRARY = pathlib.Path(PROGRAMS), pathlib.Path(LIBRARY)
INCLUDES = ["-I" + folder for folder in REST[:REST.index("--")]]
COMPILERS = REST[REST.index("--") + 1:]

# ---- Outputs and refusals ----
header = good("stub", "--prefix=typed", TYPED)
assert header.startswith("/* Made of tool_typed.so by tvm-ffi stub --lang=c. */\n"), header[:100]
assert good("stub", "--lang=c", "--prefix", "typed", TYPED) == header
assert good("stub", TYPED) == header.replace("typed_", "tool_typed_").replace("TYPED_", "TOOL_TYPED_")
assert "static inline int typed_scale(const typed_library *lib," in header, header
for line in ("Not wrapped: packed, which takes any arguments.",
             "Not wrapped: count, whose types the library does not tell.",
             "For types: compile C++ with -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; in C write TVM_FFI_C_EXPORT_SCHEMA."):
    assert f"\n * {line}\n" in header, header
    assert f"\n  // {line}\n" in good("stub", "--lang=c++", TYPED)
    assert f"\n# {line}\n" in good("stub", "--lang=python", TYPED)
    assert f"\n// {line}\n" in good("stub", "--lang=rust", TYPED)
with tempfile.TemporaryDirectory() as folder:
    written, full = pathlib.Path(folder, "typed.h"), pathlib.Path(folder, "full")
    source = good_json("stub", "--prefix=typed", TYPED, "-o", written)["source"]
    assert source == header == written.read_text(encoding="utf-8")
    full.symlink_to("/dev/full")  # only a regular file is removed after a failure
    bad(USAGE, f"{full}: No space left on device", "stub", TYPED, "-o", full)
    assert full.is_symlink()
assert " * Scale x by s into y.\n" in header and " * It says int.\n * * / ends no" in header, header
# One function has its types in metadata that must be asked for; those of all others are data.
unasked = good("stub", "--no-load", "--prefix=typed", TYPED)
assert "Not wrapped: asked, whose types the library does not tell." in unasked, unasked
assert "typed_asked(" in header and "Not wrapped: asked" not in header, header
assert set(unasked.splitlines()) - set(header.splitlines()) == {" * Not wrapped: asked, whose types the library "
                                                                "does not tell."}, unasked
assert " mine_scale(" in good("stub", "--prefix=mine", TYPED)
told = good_json("stub", "--prefix=typed", TYPED)
assert told["language"] == "c" and told["source"] == header, told
wrappers = {function["name"]: function["wrapper"] for function in told["functions"]}
assert wrappers["load"] == "load_" and wrappers["return"] == "return_" and wrappers["packed"] is None, wrappers
empty = good("stub", "--no-load", DEEDS)
assert "Not wrapped: kernel, whose types the library does not tell." in empty, empty

bad(USAGE, '--lang must be c, c++, python or rust, not "go"', "stub", "--lang=go", TYPED)
bad(USAGE, '--prefix must be a name, not "a-b"', "stub", "--prefix=a-b", TYPED)
bad(USAGE, "usage: tvm-ffi stub", "stub")
bad(USAGE, "--json prints the wrappers: --output must be another file", "stub", "--json", TYPED, "-o", "-")
bad(USAGE, "the empty name: No such file", "stub", TYPED, "-o", "")
bad(LOAD, "nothing.so", "stub", "nothing.so")
with tempfile.TemporaryDirectory() as place:
    none = Library().function("other").write(pathlib.Path(place) / "none.so")
    for language in "c", "c++", "python", "rust":
        bad(LOAD, f"{none}: no functions to wrap: it exports no __tvm_ffi_NAME", "stub", "--lang=" + language, none,
            "-o", f"{place}/out")
    assert os.listdir(place) == ["none.so"], os.listdir(place)


# ---- Compiling the wrappers ----
def run(*command, **kwargs):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **kwargs)
    assert done.returncode == 0 and done.stderr == "", (command, done)
    return done.stdout


def check(folder, language, suffix, compiler, *flags):
    """Write wrappers, compile them with the program that uses them without warnings, and run it."""
    assert good("stub", f"--lang={language}", "--prefix=typed", "-o", folder / f"typed.{suffix}", TYPED) == ""
    source = folder / f"use_stub.{'cc' if suffix == 'hpp' else suffix.replace('h', 'c')}"
    shutil.copyfile(PROGRAMS / source.name, source)
    run(*compiler, source, "-o", folder / "program", *flags)
    assert run(folder / "program", TYPED) == "all called\n"


with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    link = [f"-L{LIBRARY.parent}", "-ltvm_ffi", f"-Wl,-rpath,{LIBRARY.parent}"]
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic-errors", *INCLUDES]
    # The kernels must be linked although no symbol of theirs is referenced.
    rust_link = ["-Wl,--no-as-needed", TYPED, *link, f"-Wl,-rpath,{pathlib.Path(TYPED).parent}"]
    for entry in COMPILERS:
        language, _, command = entry.partition("=")
        compiler = command.split()
        if language == "c":
            check(place, "c", "h", compiler, "-std=c99", *strict, *link)
        elif language == "c++":
            check(place, "c++", "hpp", compiler, "-std=c++17", *strict, *link)
            good("stub", "--prefix=typed", "-o", place / "typed.h", TYPED)
            run(*compiler, "-std=c++17", *strict, "-x", "c++", "-include", place / "typed.h", "-fsyntax-only",
                os.devnull)
        else:
            check(place, "rust", "rs", compiler, "--edition=2021", "-Dwarnings", "-C",
                  "link-args=" + " ".join(rust_link))
        print("checked with", command)

# SPDX-License-Identifier: Apache-2.0
"""The wrappers that stub writes: compiled, and called on a library of kernels.

test_stub.py TVM-FFI TYPED UNTYPED PROGRAMS LIBRARY INCLUDE... -- LANGUAGE=COMPILER...
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from elf import Library
from tool import (FILES, LOAD, OK, RUNNER, SUFFIX, USAGE, WINDOWS, bad, good, good_json, left_out,
                  run_tests)
from tool import run as run_tool

TYPED, UNTYPED, PROGRAMS, LIBRARY, *REST = FILES
PROGRAMS, LIBRARY = pathlib.Path(PROGRAMS), pathlib.Path(LIBRARY)
INCLUDES = ["-I" + folder for folder in REST[:REST.index("--")]]
COMPILERS = REST[REST.index("--") + 1:]

# Names of languages, and of the support code in the wrappers.
NAMES = (
    "None True Some Ok Err Option Result Value Error Any Args args num_args lib out call load "
    "release code result path functions_ module_ Function Module register delete operator template "
    "crate super self type match string main"
).split()


def run(*command, **kwargs):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          **kwargs)
    assert done.returncode == 0 and done.stderr == "", (command, done)
    return done.stdout


def check(folder, language, suffix, compiler, *flags):
    """Write wrappers, compile them with the program that uses them without warnings, and run it."""
    assert good("stub", f"--lang={language}", "--prefix=typed", "-o", folder / f"typed.{suffix}",
                TYPED) == ""
    source = folder / f"use_stub.{'cc' if suffix == 'hpp' else suffix.replace('h', 'c')}"
    shutil.copyfile(PROGRAMS / source.name, source)
    run(*compiler, source, "-o", folder / "program.exe", *flags)
    assert run(*RUNNER, folder / "program.exe", TYPED) == "all called\n"


class Stub(unittest.TestCase):
    def test_outputs_and_refusals(self):
        """Outputs and refusals."""
        header = good("stub", "--prefix=typed", TYPED)
        assert header.startswith(
            f"/* Made of tool_typed{SUFFIX} by tvm-ffi stub --lang=c. */\n"), header[:100]
        assert good("stub", "--lang=c", "--prefix", "typed", TYPED) == header
        assert good("stub", TYPED) == header.replace("typed_",
                                                     "tool_typed_").replace("TYPED_", "TOOL_TYPED_")
        assert "static inline int typed_scale(const typed_library *lib," in header, header
        assert " * packed(...) -> Any\n" in header and "typed: packed" not in header, header
        for line in (
                "Not typed: count, whose types are not in the library.",
                "For types: compile C++ with -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; in C write "
                "TVM_FFI_C_EXPORT_SCHEMA."
        ):
            assert f"\n * {line}\n" in header, header
            assert f"\n  // {line}\n" in good("stub", "--lang=c++", TYPED)
            assert f"\n# {line}\n" in good("stub", "--lang=python", TYPED)
            assert f"\n// {line}\n" in good("stub", "--lang=rust", TYPED)
        with tempfile.TemporaryDirectory() as folder:
            written, full = pathlib.Path(folder, "typed.h"), pathlib.Path(folder, "full")
            source = good_json("stub", "--prefix=typed", TYPED, "-o", written)["source"]
            assert source == header == written.read_text(encoding="utf-8")
            if not left_out("full devices"):
                full.symlink_to("/dev/full")  # only a regular file is removed after a failure
                bad(USAGE, f"{full}: No space left on device", "stub", TYPED, "-o", full)
                assert full.is_symlink()
        assert " * Scale x by s into y.\n" in header, header
        assert " * It says int.\n * * / ends no" in header, header
        # One function has its types in metadata that must be asked for; those of all others are
        # data.
        unasked = good("stub", "--no-load", "--prefix=typed", TYPED)
        assert "Not typed: asked" in unasked and "typed_asked(" in unasked, unasked
        assert "Not typed: asked" not in header and " * asked(_0: int) -> int\n" in header, header
        assert set(unasked.splitlines()) - set(header.splitlines()) == {
            " * asked(...) -> Any",
            "  return tvm_ffi_function_call(lib->asked, args, num_args, out);",
            " * Not typed: asked, whose types are not in the library."
        }, unasked
        assert " mine_scale(" in good("stub", "--prefix=mine", TYPED)
        told = good_json("stub", "--prefix=typed", TYPED)
        assert told["language"] == "c" and told["source"] == header, told
        wrappers = {function["name"]: function["wrapper"] for function in told["functions"]}
        assert (wrappers["load"] == "load_" and wrappers["return"] == "return_"
                and wrappers["packed"] == "packed"), wrappers
        typed = {function["name"] for function in told["functions"] if function["typed"]}
        assert {"scale", "asked"} <= typed and not {"packed", "count"} & typed, typed

        bad(USAGE, '--lang must be c, c++, python or rust, not "go"', "stub", "--lang=go", TYPED)
        bad(USAGE, '--prefix must be a name, not "a-b"', "stub", "--prefix=a-b", TYPED)
        for language, output, accepted, meant in (
            ("c", "x.py", ".c .h .inc (C)", "Python"),
            ("c++", "x.o", ".c .h .inc (C), .cc .cpp .cxx .hh .hpp .hxx .cu .cuh (C++)",
             "an object file"),
            ("python", "x.h", ".py .pyi (Python)", "C"), ("rust", "x.py", ".rs (Rust)", "Python")):
            bad(USAGE, f'--output must end in {accepted} or have no ending, not "{output}", a name '
                f"for {meant}", "stub", f"--lang={language}", TYPED, "-o", output)
        bad(USAGE, "usage: tvm-ffi stub", "stub")
        bad(USAGE, "--json prints the wrappers: --output must be another file", "stub", "--json",
            TYPED, "-o", "-")
        bad(USAGE, "the empty name: No such file", "stub", TYPED, "-o", "")
        bad(LOAD, "nothing.so", "stub", "nothing.so")
        with tempfile.TemporaryDirectory() as place:
            none = Library().function("other").write(pathlib.Path(place) / "none.so")
            odd = Library().function("__tvm_ffi_a.b").write(pathlib.Path(place) / "odd.so")
            mixed = Library().function("__tvm_ffi_a.b").function("__tvm_ffi_c").function(
                "__tvm_ffi__metadata_c")
            mixed = mixed.write(pathlib.Path(place) / "mixed.so")
            calls = {
                "c": "tvm_ffi_function_call(lib->c, args, num_args, out)",
                "c++": "functions_.c(static_cast<Args &&>(args)...)", "python": '_get("c")(*args)',
                "rust": "call(__tvm_ffi_c, args)"
            }
            for language, call in calls.items():
                bad(
                    LOAD,
                    f"{none}: no functions to wrap: it exports no __tvm_ffi_NAME; in C define "
                    "kernels with TVM_FFI_C_EXPORT, in C++ export them with "
                    "TVM_FFI_DLL_EXPORT_TYPED_FUNC", "stub",
                    "--lang=" + language, none, "-o", f"{place}/out")
                bad(LOAD, f"{odd}: no functions to wrap: none has a name that is an identifier",
                    "stub", "--no-load", "--lang=" + language, odd, "-o", f"{place}/out")
                assert sorted(os.listdir(place)) == ["mixed.so", "none.so",
                                                     "odd.so"], os.listdir(place)
                # Without metadata there are wrappers all the same, and a note says so.
                code, out, err = run_tool("stub", "--no-load", "--lang=" + language, mixed)
                assert (code == OK and call in out
                        and "Not wrapped: a.b, which is not an identifier in this language."
                        in out), (language, out)
                assert "Not typed: c, whose types are not in the library." in out, (language, out)
                assert err == f"tvm-ffi: note: {mixed}: no metadata, so the wrappers take any " \
                    "arguments; for types leave out --no-load, or compile C++ with " \
                    "-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; in C write " \
                    "TVM_FFI_C_EXPORT_SCHEMA\n", err
        code, out, err = run_tool("stub", "--lang=python", "--no-load", UNTYPED)
        assert (code, out, err) == run_tool("stub", "--lang=python", UNTYPED), err
        assert code == OK and "def only(*args: Any) -> Any:" in out, out
        assert err == f"tvm-ffi: note: {UNTYPED}: no metadata, so the wrappers take any " \
            "arguments; for types compile C++ with -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; " \
            "in C write TVM_FFI_C_EXPORT_SCHEMA\n", err

    def test_compiling_the_wrappers(self):
        """Compiling the wrappers."""
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            link = [f"-L{LIBRARY.parent}", "-ltvm_ffi", f"-Wl,-rpath,{LIBRARY.parent}"]
            if WINDOWS:  # without the DLLs of the compiler
                link = ["-static", LIBRARY.parent / "libtvm_ffi.dll.a"]
            strict = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic-errors", *INCLUDES]
            # The kernels must be linked although no symbol of theirs is referenced.
            rust_link = [
                "-Wl,--no-as-needed", TYPED, *link, f"-Wl,-rpath,{pathlib.Path(TYPED).parent}"
            ]
            named = Library()
            for name in NAMES:
                named.function(f"__tvm_ffi_{name}")
            named.write(place / "named.so")
            for entry in COMPILERS:
                language, _, command = entry.partition("=")
                compiler = command.split()
                code, _, err = run_tool("stub", "--no-load", f"--lang={language}", "-o",
                                        place / "named", place / "named.so")
                assert code == OK, err
                if language == "c":
                    check(place, "c", "h", compiler, "-std=c99", *strict, *link)
                    run(*compiler, "-std=c99", *strict, "-x", "c", "-include", place / "named",
                        "-fsyntax-only", os.devnull)
                elif language == "c++":
                    check(place, "c++", "hpp", compiler, "-std=c++17", *strict, *link)
                    good("stub", "--prefix=typed", "-o", place / "typed.h", TYPED)
                    for header in "typed.h", "named":
                        run(*compiler, "-std=c++17", *strict, "-x", "c++", "-include",
                            place / header, "-fsyntax-only", os.devnull)
                else:
                    check(place, "rust", "rs", compiler, "--edition=2021", "-Dwarnings", "-C",
                          "link-args=" + " ".join(rust_link))
                    run(*compiler, "--edition=2021", "-Awarnings", "--crate-type=lib",
                        "--emit=metadata", place / "named", "-o", place / "named.rmeta")
                print("checked with", command)


run_tests()

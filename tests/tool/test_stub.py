# SPDX-License-Identifier: Apache-2.0
"""The wrappers that stub writes: compiled, and called on a library of kernels.

test_stub.py TVM-FFI TYPED UNTYPED PROGRAMS LIBRARY INCLUDE... -- LANGUAGE=COMPILER...
"""
import builtins
import importlib.util
import keyword
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

from elf import Library
from tool import (FILES, LOAD, OK, RUNNER, SUFFIX, USAGE, WINDOWS, bad, good, good_json, left_out,
                  run_tests)
from tool import run as run_tool

TYPED, UNTYPED, PROGRAMS, LIBRARY, *REST = FILES
PROGRAMS, LIBRARY = pathlib.Path(PROGRAMS), pathlib.Path(LIBRARY)
LINK = [f"-L{LIBRARY.parent}", "-ltvm_ffi", f"-Wl,-rpath,{LIBRARY.parent}"]
INCLUDES = ["-I" + folder for folder in REST[:REST.index("--")]]
COMPILERS = REST[REST.index("--") + 1:]
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic-errors", *INCLUDES]

# Names of languages, and of the support code in the wrappers.
NAMES = (
    "None True Some Ok Err Option Result Value Error Any Args args num_args lib out call load "
    "release code result path functions_ module_ Function Module register delete operator template "
    "crate super self type match string main"
).split()


# Keywords and names of the prelude of Rust, and of C and C++.
RUST = (
    "as break const continue crate else enum extern false fn for if impl in let loop match mod "
    "move mut pub ref return self Self static struct super trait true type unsafe use where "
    "while async await dyn abstract become box do final macro override priv typeof unsized "
    "virtual yield try gen union auto default raw safe macro_rules Some None Ok Err Option "
    "Result Box String Vec Drop Fn Send Sized ToString Into From Iterator Default Eq Ord drop "
    "std core alloc test i64 u8 f64 str usize c_void CStr CString kernels wrappers support").split()
WORDS_OF_C = (
    "auto case char const double enum extern goto inline int long register restrict short "
    "signed sizeof static struct switch typedef union unsigned void volatile alignas alignof "
    "and asm bitand catch class compl concept const_cast constexpr decltype delete explicit "
    "export friend mutable namespace new noexcept not nullptr operator or private protected "
    "public requires template this throw typeid typename using virtual wchar_t xor char8_t "
    "co_await consteval constinit override final import typeof typeof_unqual _Bool _Complex "
    "_Alignas _Generic errno size_t FILE int64_t uint8_t int32_t memset printf std tvm Library "
    "library load release lib functions_ module_ out result code args path i j A B x").split()


def names_of_headers(compiler):
    """Macros of tvm/ffi/c.h, with those of headers that it includes, and other names that it
    declares."""
    command = [*compiler, "-std=gnu99", *INCLUDES, "-E", "-x", "c", "-"]
    macros = run(*command, "-dM", input="#include <tvm/ffi/c.h>\n")
    macros = re.findall(r"^#define (\w+) ", macros, re.M)
    declared = re.findall(r"\b(?:TVMFFI|tvm_ffi_|k?DL|kTVMFFI)\w+",
                          run(*command, input="#include <tvm/ffi/c.h>\n"))
    private = [name for name in macros if name.startswith("_")]
    ended = [name for name in private if f"{name}_" in macros]
    chosen = sorted({*ended[:4], *private[::20]})
    return [*chosen, *(name for name in macros if name not in private)], declared


def write_named(path, functions, params):
    """C source of a kernel for each function, which returns its number, and of kernels that have
    these parameters: each returns the sum of k times argument k, from 1. Returns the parameters of
    each of the latter."""
    lines, groups, size = ["#include <tvm/ffi/c.h>"], [], 24
    for number, name in enumerate(functions):
        lines.append(f'TVM_FFI_C_EXPORT({name}, "() -> int") {{ return tvm_ffi_args_return(args, '
                     f"tvm_ffi_any_from_int64({number})); }}\n"
                     f'TVM_FFI_C_EXPORT_SCHEMA({name}, TVM_FFI_C_TYPE("int"), "");')
    for at in range(0, len(params), size):
        groups.append(params[at:at + size])
        typed = ' "," '.join(f'TVM_FFI_C_PARAM("{name}", "int")' for name in groups[-1])
        lines.append(f"""TVM_FFI_C_EXPORT(sum_{at}, "(...) -> int") {{
  int64_t sum = 0, value = 0;
  int32_t k;
  for (k = 0; k < args->num_args; ++k) {{
    TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, k, &value));
    sum += (k + 1) * value;
  }}
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(sum));
}}
TVM_FFI_C_EXPORT_SCHEMA(sum_{at}, TVM_FFI_C_TYPE("int"), {typed});""")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {f"sum_{i * size}": group for i, group in enumerate(groups)}


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


def use_c(place, source, calls, compiler):
    (place / "named.h").write_text(source, encoding="utf-8")
    lines = [f"  if (named_{word}({', '.join(['&lib', *args, '&out'])}) != 0 || out != {value}) "
             f'return printf("%s\\n", "{word}");' for word, args, value in calls]
    (place / "use.c").write_text(
        '#include "named.h"\nint main(int argc, char **argv) {\n  named_library lib;\n'
        "  int64_t out = -1;\n  if (argc != 2 || named_load(argv[1], &lib) != 0) return 1;\n"
        + "\n".join(lines) + "\n  named_release(&lib);\n  return 0;\n}\n", encoding="utf-8")
    run(*compiler, "-std=gnu99", *STRICT, place / "use.c", "-o", place / "use", *LINK)
    assert run(place / "use", place / "libnamed.so") == ""


def use_cxx(place, source, calls, compiler):
    (place / "named.hpp").write_text(source, encoding="utf-8")
    lines = [f"  if (lib.{word}({', '.join(args)}) != {value}) return std::puts(\"{word}\");"
             for word, args, value in calls]
    (place / "use.cc").write_text(
        '#include <cstdio>\n#include "named.hpp"\nint main(int, char **argv) {\n'
        "  named::Library lib{tvm::ffi::String(argv[1])};\n" + "\n".join(lines)
        + "\n  return 0;\n}\n", encoding="utf-8")
    run(*compiler, "-std=c++17", *STRICT, place / "use.cc", "-o", place / "use", *LINK)
    assert run(place / "use", place / "libnamed.so") == ""


def use_rust(place, source, calls, compiler):
    (place / "named.rs").write_text(source, encoding="utf-8")
    lines = [f"        assert_eq!(named::{word}({', '.join(args)}).unwrap(), {value}, \"{word}\");"
             for word, args, value in calls]
    (place / "use.rs").write_text("mod named;\n\nfn main() {\n    unsafe {\n" + "\n".join(lines)
                                  + "\n    }\n}\n", encoding="utf-8")
    link = ["-Wl,--no-as-needed", place / "libnamed.so", *LINK, f"-Wl,-rpath,{place}"]
    for edition in "2015", "2018", "2021":
        run(*compiler, f"--edition={edition}", "-Dwarnings", "-C",
            "link-args=" + " ".join(map(str, link)), place / "use.rs", "-o", place / "use")
        assert run(place / "use") == ""


def use_python(place, source, calls, _):
    """With a stand-in for the package, whose functions return their names and arguments."""
    (place / "named.py").write_text(source, encoding="utf-8")
    stand_in = types.ModuleType("tvm_ffi")
    stand_in.load_module = lambda path: types.SimpleNamespace(
        get_function=lambda name: lambda *args: (name, args))
    spec = importlib.util.spec_from_file_location("named", place / "named.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["tvm_ffi"] = stand_in
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["tvm_ffi"]
    called = [vars(module)[word](*args) for word, args, _ in calls]
    assert [list(args) for _, args in called] == [args for _, args, _ in calls], called
    assert len({name for name, _ in called}) == len(calls), called


USERS = {"c": use_c, "c++": use_cxx, "rust": use_rust, "python": use_python}


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
        # tvm_ffi_scale might be a function of the library's headers.
        assert " tvm_ffi__scale(" in good("stub", "--prefix=tvm_ffi", TYPED)
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
            ("c", "x.py", ".c .h .inc (C), .cc .cpp .cxx .hh .hpp .hxx .cu .cuh (C++)", "Python"),
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
                "rust": "call(super::kernels::__tvm_ffi_c, args)"
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
            # On Windows, without the DLLs of the compiler.
            link = ["-static", LIBRARY.parent / "libtvm_ffi.dll.a"] if WINDOWS else LINK
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
                    check(place, "c", "h", compiler, "-std=c99", *STRICT, *link)
                    run(*compiler, "-std=c99", *STRICT, "-x", "c", "-include", place / "named",
                        "-fsyntax-only", os.devnull)
                elif language == "c++":
                    check(place, "c++", "hpp", compiler, "-std=c++17", *STRICT, *link)
                    good("stub", "--prefix=typed", "-o", place / "typed.h", TYPED)
                    for header in "typed.h", "named":
                        run(*compiler, "-std=c++17", *STRICT, "-x", "c++", "-include",
                            place / header, "-fsyntax-only", os.devnull)
                else:
                    check(place, "rust", "rs", compiler, "--edition=2021", "-Dwarnings", "-C",
                          "link-args=" + " ".join(rust_link))
                    run(*compiler, "--edition=2021", "-Awarnings", "--crate-type=lib",
                        "--emit=metadata", place / "named", "-o", place / "named.rmeta")
                print("checked with", command)

    @unittest.skipIf(WINDOWS or not COMPILERS, "it needs compilers of this system")
    def test_all_names(self):
        """Functions and parameters with the names of languages, of the support code and of headers:
        the wrappers compile without a warning, and call the right function."""
        compilers = dict(entry.split("=", 1) for entry in COMPILERS)
        support = pathlib.Path(__file__).parents[2] / "tools/tvm-ffi/stub/stub_runtime.rs"
        support = re.findall(r"\b(?:fn|const|struct|trait|type|union|mod) (\w+)",
                             support.read_text(encoding="utf-8"))
        assert {"NONE", "INT", "FLOAT", "BOOL", "STR", "BYTES", "DEVICE", "POINTER", "Value",
                "Object", "call"} <= set(support), support
        python = [*keyword.kwlist, *getattr(keyword, "softkwlist", ["match", "case", "_", "type"]),
                  *dir(builtins), "tvm_ffi", "ctypes", "annotations", "Any", "Callable", "Mapping",
                  "Sequence", "Union", "Optional", "_get", "_module", "_functions", "_pathlib",
                  "_result", "__file__", "__getattr__", "__all__", "__path__"]
        macros, declared = names_of_headers(compilers["c"].split())
        words = [*RUST, *WORDS_OF_C, *NAMES, *support, *python]
        # Symbols that begin with __tvm_ffi__ are no functions.
        functions = sorted({name for name in [*words, *macros] if not name.startswith("_")})
        params = sorted({*words, *macros, *declared})
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            sums = write_named(place / "named.c", functions, params)
            expected = {name: number for number, name in enumerate(functions)}
            expected.update({name: sum(k * k for k in range(1, len(group) + 1))
                             for name, group in sums.items()})
            run(*compilers["c"].split(), "-std=c99", *INCLUDES, "-shared", "-fPIC",
                place / "named.c", "-o", place / "libnamed.so")
            for language in [*compilers, "python"]:
                told = good_json("stub", f"--lang={language}", place / "libnamed.so")
                words = {function["name"]: function["wrapper"] for function in told["functions"]}
                assert set(words) == set(expected), set(words) ^ set(expected)
                calls = [(words[name], [str(k + 1) for k in range(len(sums.get(name, [])))],
                          value) for name, value in expected.items()]
                USERS[language](place, told["source"], calls,
                                compilers.get(language, "").split())
                print(len(functions), "functions and", len(params), "parameters in", language)


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""The part of tools/test that compiles the public headers with the warnings that users have, by
each compiler it finds."""
import dataclasses
import os
import pathlib
import platform
import re
import shutil

import zig
from steps import NAMED, REPORT, ROOT, execute, part

# Versions that a compiler of users has; PyPI's ziglang brings the newest Clang.
WANTED = {"gcc": (12, 14, 16), "clang": (14, 19)}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
LANGUAGES = {
    "c": ["-std=c99", "-Wstrict-prototypes"],
    "cc": ["-std=c++17", "-Wnon-virtual-dtor", "-Woverloaded-virtual"]
}
LEVELS = (["-O0"], ["-O2"], ["-O3", "-flto"])
INCLUDES = [
    f"-I{ROOT / folder}"
    for folder in ("cpp", "include", "subprojects/dlpack/include", "tests/cuda/include")
]

# Macros warn where they are used.
MACROS = """#include <tvm/ffi/tvm_ffi.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
namespace ffi = tvm::ffi;
TVM_FFI_STATIC_INIT_BLOCK() {}
ffi::Expected<int> Add(ffi::Expected<int> a, ffi::Expected<int> b) {
  TVM_FFI_RETURN_IF_ERROR(a);
  TVM_FFI_ASSIGN_OR_RETURN(int first, a);
  TVM_FFI_ASSIGN_OR_RETURN(int second, b);
  return first + second;
}
ffi::Expected<ffi::Optional<ffi::VisitInterrupt>> Visit(
    ffi::Expected<ffi::Optional<ffi::VisitInterrupt>> visited) {
  TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visited);
  return visited;
}
ffi::Expected<ffi::Any> Mutate(ffi::Expected<ffi::Any> mutated) {
  TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(mutated);
  TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(ffi::String, text, mutated);
  TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(ffi::String, again, mutated);
  return ffi::Any(text == again);
}
"""

# What must not pass with these warnings: else a file that passes says nothing.
FAULTS = {
    "-Wconversion": "unsigned char narrow(int value) { return value; }",
    "-Wshadow": "int shadow(int value) { { int value = 1; (void)value; } return value; }",
    "-Wextra": "int compare(int a, unsigned b) { return a < b; }",
    "-Wpedantic": "int arithmetic(char *a) { return (int)sizeof(void) + *a; }",
}


@dataclasses.dataclass(frozen=True)
class Compiler:
    name: str
    c: tuple
    cc: tuple
    options: tuple = ()
    lto: str = "-flto"


def installed():
    """The versions of gcc and Clang in the search path, in the folders of LLVM, and of PyPI's
    ziglang."""
    folders = [
        *map(pathlib.Path, os.environ["PATH"].split(os.pathsep)),
        *pathlib.Path("/usr/lib").glob("llvm-*/bin")
    ]
    found = {}
    for kind, cxx in ("gcc", "g++"), ("clang", "clang++"):
        for path in (path for folder in folders for path in sorted(folder.glob(f"{kind}*"))):
            match = re.fullmatch(rf"{kind}(|-\d+)", path.name)
            if match and shutil.which(path) and shutil.which(path.with_name(cxx + match[1])):
                version = execute([path, "-dumpfullversion" if kind == "gcc" else "-dumpversion"
                                   ]).stdout.strip()
                # Middle ends warn of functions that are compiled only, so all of the headers' are.
                # gcc warns of -flto alone, and without make: it uses one processor.
                keep = ((("-fkeep-inline-functions", "-fkeep-static-functions"), "-flto=auto")
                        if kind == "gcc" else ())
                found.setdefault((kind, int(version.partition(".")[0])), Compiler(
                    f"{kind} {version}", (path,), (path.with_name(cxx + match[1]),), *keep))
    return found


def write_sources(work):
    """The files to compile: all public headers in C and in C++, macros, and the kernels of
    samples."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    public = {"c": ["include"], "cc": ["include", "cpp"]}
    for suffix, folders in public.items():
        names = [
            path.relative_to(ROOT / folder) for folder in folders
            for path in sorted((ROOT / folder).rglob("*.h"))
        ]
        lines = [f"#include <{name}>\n" for name in names if "detail" not in name.parts]
        (work / f"headers.{suffix}").write_text("".join(lines), encoding="utf-8")
    (work / "macros.cc").write_text(MACROS, encoding="utf-8")
    samples = [
        path for path in sorted(ROOT.glob("samples/*/*.c*"))
        if re.fullmatch(r"\w*kernels?\.c|(?!load_cuda)\w+\.cc", path.name)
    ]
    return [work / "headers.c", work / "headers.cc", work / "macros.cc", *samples]


def compile_all(compiler, level, sources, work):
    """Compile files to libraries; returns what the compiler says."""
    said = ""
    for source in sources:
        language = source.suffix[1:]
        done = execute([
            *getattr(compiler, language), *LANGUAGES[language], *WARNINGS, *compiler.options,
            *(compiler.lto if word == "-flto" else word for word in level),
            *INCLUDES, "-fPIC", "-shared", source, "-o", work / "out.so"
        ])
        said += done.stdout if done.returncode == 0 else f"{source}\n{done.stdout}"
    return said


@part("cc g++ clang compilers make venv", when=NAMED,
      alone="warnings of other versions of the compilers: five have to be installed")
def strict():
    """public headers and samples by every gcc and clang, at -O0, -O2 and -O3 with LTO, with strict
    warnings: none"""
    work = ROOT / "build-strict"
    sources, found = write_sources(work), installed()
    for kind, majors in WANTED.items():
        for major in majors:
            if (kind, major) not in found:
                REPORT.skip(f"{kind} {major}", "is not installed")
    compilers = [found[key] for key in sorted(found)]
    newest = zig.install("the newest Clang")
    if newest:
        version = re.search(r"clang version (\S+)", execute([newest, "cc", "--version"]).stdout)
        # With the headers of libc that the package brings: it does not find all of Debian's.
        target = ("-target", f"{platform.machine()}-linux-gnu")
        compilers.append(
            Compiler(f"clang {version[1] if version else '?'} of {zig.PACKAGE}",
                     (newest, "cc", *target), (newest, "c++", *target)))
    for compiler in compilers:
        for warning, text in FAULTS.items():
            for language in LANGUAGES:
                fault = work / f"fault.{language}"
                fault.write_text(f'{text}\n', encoding="utf-8")
                said = compile_all(compiler, LEVELS[0], [fault], work)
                REPORT.check(f"{compiler.name}: {warning} in {language}", "error" in said, said)
        for level in LEVELS:
            said = compile_all(compiler, level, sources, work)
            REPORT.check(f"{compiler.name}, {' '.join(level)}: {len(sources)} files", said == "",
                         said)

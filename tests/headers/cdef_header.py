#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The header of `tools/amalgamate --cdef`, for other languages: it has nothing but declarations, of
all functions that the library exports, and they are those of the public headers.

    cdef_header.py ROOT

samples/31_other_languages reads it with cffi, LuaJIT, Zig, bindgen and cgo.
"""
import pathlib
import re
import shutil
import sys
import tempfile

from kernel_header import read_structs, run

HEADERS = ["tvm/ffi/c_api.h", "tvm/ffi/extra/c_env_api.h", "tvm/ffi/extra/c_runtime_api.h"]
STANDARD = ["-include", "stddef.h", "-include", "stdint.h"]
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-Werror"]
COMPILERS = {"gcc": STRICT, "clang": STRICT, "tcc": [], "musl-gcc": STRICT,
             "x86_64-w64-mingw32-gcc": STRICT}
# What some of the languages do not read.
FORBIDDEN = r"#|//|\b(?:static|inline|extern|__attribute__|__extension__|__declspec)\b"
PROTOTYPE = re.compile(r"^[a-zA-Z][^;{}=()]*?\b(TVMFFI\w+)\([^;{}]*\);", re.M)


def describe(text):
    """A program that prints all that the header declares: constants, sizes and offsets."""
    constants = re.findall(r"^ *(?:enum \{ )?(\w+) = -?\d+", text, re.M)
    structs = read_structs(text)
    if len(constants) < 100 or len(structs) < 25 or sum(map(len, structs.values())) < 100:
        sys.exit(f"cdef_header.py: found too little in the header: {constants} {structs}")
    lines = [f'printf("{name} %lld\\n", (long long){name});' for name in constants]
    for name, fields in structs.items():
        lines.append(f'printf("{name} %d\\n", (int)sizeof({name}));')
        lines += [
            f'printf("{name}.{field} %d %d\\n", (int)offsetof({name}, {field}), '
            f'(int)sizeof((({name} *)0)->{field}));'
            for field in fields
        ]
    return "#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"


def main():
    root, failures = pathlib.Path(sys.argv[1]), []
    public = "".join(f"#include <{path}>\n" for path in HEADERS)
    include = [f"-I{root}/include", f"-I{root}/subprojects/dlpack/include"]

    def check(holds, what):
        if not holds:
            failures.append(what)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = run(root / "tools/amalgamate", "--cdef", folder)
        check(done.returncode == 0, done.stderr)
        header = folder / "tvm_ffi_cdef.h"
        check([path.name for path in folder.iterdir()] == [header.name],
              "amalgamate --cdef wrote other files, too")
        text = header.read_text(encoding="utf-8")
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        check(not re.search(FORBIDDEN, code),
              f"not a declaration that all take: {re.findall(f'.*(?:{FORBIDDEN}).*', code)}")
        macros = set(re.findall(r"\b(?:TVM_FFI|DLPACK)_\w+", code))
        macros -= set(re.findall(r"enum \{ (\w+) = ", code))
        check(not macros, f"macros are left: {macros}")

        functions = [match[1] for match in PROTOTYPE.finditer(code)]
        exports = re.findall(r"^TVMFFI\w+$",
                             (root / "tests/abi/exports.txt").read_text(encoding="utf-8"), re.M)
        check(sorted(functions) == exports,
              f"declared or exported, but not both: {set(functions) ^ set(exports)}")
        done = run("cc", *include, "-fsyntax-only", "-x", "c", "-",
                   text=public + "\n".join(match[0] for match in PROTOTYPE.finditer(code)))
        check(done.returncode == 0,
              f"a function is declared otherwise than in the headers:\n{done.stderr}")

        program, printed = describe(text), []
        for begin, flags in ("", [*STANDARD, "-include", header]), (public, include):
            done = run("cc", *flags, "-x", "c", "-", "-o", folder / "program", text=begin + program)
            check(done.returncode == 0, done.stderr)
            printed.append(run(folder / "program").stdout if done.returncode == 0 else "")
        for mine, theirs in zip(*(part.splitlines() for part in printed)):
            check(mine == theirs, f"`{mine}` in the header, `{theirs}` in the public ones")

        for compiler, flags in COMPILERS.items():
            if not shutil.which(compiler):
                print(f"{compiler}: skipped, is not installed")
                continue
            done = run(compiler, *flags, *STANDARD, "-c", "-x", "c", header, "-o", folder / "o.o")
            check(done.returncode == 0, f"{compiler}:\n{done.stderr}")
            print(f"{compiler}: compiled")
    print("\n".join(failures) or "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

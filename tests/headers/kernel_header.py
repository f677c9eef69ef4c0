#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The header of `tools/amalgamate --kernel`: its size, its includes, its declarations and its
compilers. Of tvm_ffi_kernel_more.h, which is pasted below it, the declarations and the compilers.

    kernel_header.py ROOT INCLUDE...

Layouts, constants and functions are compared with those of c.h. What helpers do is compared by
test_kernel_header.c.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STRICT = [
    "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wstrict-prototypes",
    "-Wvla", "-Werror"
]
# Compiler, its flags, and whether it makes ELF files.
COMPILERS = [("gcc", STRICT, True), ("clang", STRICT, True), ("tcc", [], True),
             ("musl-gcc", STRICT, True), ("x86_64-w64-mingw32-gcc", STRICT, False)]
# What compilers import by themselves: structs are set and copied by functions of libc that every
# process has.
FREE = {"_GLOBAL_OFFSET_TABLE_", "memcpy", "memmove", "memset"}
# What tvm_ffi_kernel_more.h needs of the standard library, and the fields of its struct that it
# uses.
MORE_FREE = {"free", "malloc", "strlen", "vsnprintf", "__stack_chk_fail"}
MORE_FIELDS = ["deleter", "flags", "dl_tensor"]
LINES = 400


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def read_structs(text):
    """{name: fields} of the structs of the header."""
    structs = {}
    for body, name in re.findall(r"typedef struct(?: \w+)? \{(.*?)\} (\w+);",
                                 re.sub(r"/\*.*?\*/", "", text, flags=re.S), re.S):
        fields = []
        for declaration in re.split(r"[;{}]", body):
            function = re.search(r"\(\*(\w+)\)\(", declaration)
            if function:
                fields.append(function.group(1))
            elif declaration.strip() and not declaration.strip().lower().endswith("union"):
                fields += re.findall(r"(\w+)(?:\[\d+\])?\s*(?:,|$)", declaration.strip())
        structs[name] = fields
    return structs


def describe(text):
    """A program that prints what the header declares: constants, sizes and offsets."""
    constants = re.findall(r"\b(k(?:DL|TVMFFI(?!Detail))\w+) = \d+", text)
    structs = read_structs(text)
    if len(constants) < 30 or len(structs) < 8 or sum(map(len, structs.values())) < 30:
        sys.exit(f"kernel_header.py: found too little in the header: {constants} {structs}")
    structs["DLManagedTensorVersioned"] = MORE_FIELDS
    lines = [f'printf("{name} %d\\n", (int){name});' for name in constants]
    for name, fields in structs.items():
        if name != "TVMFFITypeInfo":  # only its beginning is declared
            lines.append(f'printf("{name} %d\\n", (int)sizeof({name}));')
        lines += [
            f'printf("{name}.{field} %d %d\\n", (int)offsetof({name}, {field}), '
            f'(int)sizeof((({name} *)0)->{field}));'
            for field in fields
        ]
    return "#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(
        lines) + "\nreturn 0;\n}\n"


def main():
    root, *include = sys.argv[1:]
    root, failures = pathlib.Path(root), []

    def check(holds, what):
        if not holds:
            failures.append(what)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([root / "tools/amalgamate", "--kernel", folder], check=True)
        header = folder / "tvm_ffi_kernel.h"
        text = header.read_text(encoding="utf-8")
        for file in header, folder / "kernel.h":
            done = run(root / "tools/amalgamate", "--kernel", file)
            check("FOLDER must be a folder" in done.stderr and str(file) in done.stderr,
                  f"amalgamate: no error that names the file\n{done.stderr}")
        check([path.name for path in folder.iterdir()] == [header.name],
              "amalgamate --kernel wrote other files, too")
        check(text.startswith("/* SPDX-License-Identifier: 0BSD */"),
              "the header does not name its license")
        check(
            len(text.splitlines()) <= LINES,
            f"the header has {len(text.splitlines())} lines, not at most {LINES}")
        check(re.findall(r"#include (.*?)(?: /\*.*)?$", text,
                         re.M) == ["<tvm/ffi/c.h>", "<stddef.h>", "<stdint.h>"],
              "the header includes something else than stdint.h, or stddef.h for tcc, or c.h if "
              "that is there")

        program = describe(text)
        printed = []
        for head, flags in ("tvm_ffi_kernel_more.h", [f"-I{root}/tools/kernel"]), ("tvm/ffi/c.h",
                                                                                   include):
            done = run("cc", *flags, "-O2", "-include", head, "-x", "c", "-", "-o",
                       folder / "program", text=program)
            check(done.returncode == 0, done.stderr)
            printed.append(run(folder / "program").stdout if done.returncode == 0 else "")
        for mine, theirs in zip(*(part.splitlines() for part in printed)):
            check(mine == theirs, f"`{mine}` in the header, `{theirs}` in c.h")

        more = (root / "tools/kernel/tvm_ffi_kernel_more.h").read_text(encoding="utf-8")
        functions = re.findall(
            r"^(?:int|void|const TVMFFITypeInfo \*|TVMFFIStreamHandle) ?TVMFFI\w+\([^;{]*\);",
            text + more, re.M)
        check(len(functions) > 13, f"found too few functions in the header: {functions}")
        done = run("cc", *include, "-fsyntax-only", "-x", "c", "-",
                   text="#include <tvm/ffi/c.h>\n" + "\n".join(functions))
        check(done.returncode == 0,
              f"a function is declared otherwise than in c_api.h:\n{done.stderr}")

        # In one source: the header that is pasted twice, below c.h, and above it.
        kernel = ("TVM_FFI_C_EXPORT(f, \"() -> int\") {"
                  " return tvm_ffi_args_check_count(args, 0); }\n")
        ours, twice = "#include <tvm/ffi/c.h>\n", f"{text}{text}"
        for code, message in (twice + kernel, ""), (ours + twice + kernel, ""), (
                text + kernel + ours, "include tvm/ffi/c.h above tvm_ffi_kernel.h"), (
                    "#define TVM_FFI_LEAN_H_ 1u\n" + text, "put tvm_ffi_kernel.h above"):
            both = run("cc", *STRICT, *include, "-fsyntax-only", "-x", "c", "-", text=code)
            check(message in both.stderr and (both.returncode == 0) == (message == ""),
                  f"`{message or 'no error'}` is expected of both headers in one source, and not\n"
                  + both.stderr)

        readme = (root / "samples/01_load_and_call/kernel.c").read_text(encoding="utf-8").replace(
            "<tvm/ffi/c.h>", '"tvm_ffi_kernel_more.h"')
        sources = {"README's kernel": ([f"-I{root}/tools/kernel"], readme, FREE | MORE_FREE)}
        for name, free, flag in ("kernel_checks.c", FREE, f"-I{folder}"), (
                "kernel_checks_more.c", FREE | MORE_FREE, f"-I{root}/tools/kernel"):
            sources[name] = (["-DWITH_KERNEL_HEADER", "-DNAME=lean", "-DNAME_MORE=lean", flag],
                             (root / "tests/headers" / name).read_text(encoding="utf-8"), free)
        for compiler, flags, is_elf in COMPILERS:
            if not shutil.which(compiler):
                print(f"{compiler}: skipped, is not installed")
                continue
            for source, (options, code, free) in sources.items():
                (folder / "kernel.c").write_text(code, encoding="utf-8")
                for level in "-O0", "-O2":
                    done = run(compiler, *flags, level, *options, "-fPIC", "-c",
                               folder / "kernel.c", "-o", folder / "kernel.o")
                    check(done.returncode == 0, f"{source}: {compiler} {level}:\n{done.stderr}")
                    if not is_elf or done.returncode != 0:
                        continue
                    names = run("nm", "-u", folder / "kernel.o").stdout.split()[1::2]
                    others = [
                        name for name in names if not name.startswith("TVMFFI") and name not in free
                    ]
                    check(names and not others, f"{source}: {compiler} {level} imports {others}")
                    linked = run(compiler, "-nostdlib", "-shared", folder / "kernel.o", "-o",
                                 folder / "kernel.so")
                    check(linked.returncode == 0,
                          f"{source}: {compiler} {level} -nostdlib: {linked.stderr}")
            print(f"{compiler}: compiled")
    print("\n".join(failures) or "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

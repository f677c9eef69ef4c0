#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two versions of the C++ layer in one program, with different layouts of the classes in detail.

    two_layers.py ROOT NM LIBRARY COMPILER...    the compiler with its arguments

The second version is a copy of the headers with another layer name and padding in some classes.
Each version compiles two_layers.cc without optimisation, so that nothing is inlined; the objects
are linked in both orders, because the linker keeps the first of two functions with the same name.
Functions and variables of detail, as nm lists them, must have the layer's tag in their names.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PADDING = "  char padding[256] = {};\n"
# By header: classes that get padding at their beginning, and classes that get it at their end
# (those that are initialised from values in braces).
FRONT = {
    "detail/call.h": ["IndexedReader"],
    "detail/method_def.h": ["MethodExtras"],
    "detail/text.h": ["Text"],
    "detail/traits_base.h": ["ForeignReader", "OwnReader", "Reader"],
    "detail/type_def.h": ["ClassExtras", "FieldExtras"],
    "error.h": ["ThrowSite"],
    "expected.h": ["ErrorToReturn", "UnexpectedBuilder"],
    "extra/stl.h": ["TupleItemReader"],
    "function.h": ["ArgViews", "ClosureObj"],
}
END = {
    "detail/overloads.h": ["Overload"],
    "detail/type_def.h": ["FieldShape"],
    "detail/type_record.h": ["TypeRecord"],
}
TAG = re.compile(r"B(6layer[23]|15layer[23]_noexcept)")
OF_DETAIL = re.compile(r"_ZN[KRO]*3tvm3ffi(10reflection)?6detail")


def replace(text, pattern, replacement):
    text, count = re.subn(pattern, replacement, text, count=1, flags=re.MULTILINE | re.DOTALL)
    if count != 1:
        sys.exit(f"two_layers.py: nothing is like {pattern}")
    return text


def make_second(headers):
    """Copy the headers and change the copy."""
    config = headers / "detail/config.h"
    config.write_text(
        config.read_text(encoding="utf-8").replace('"layer2', '"layer3'), encoding="utf-8")
    for name in {*FRONT, *END}:
        text = (headers / name).read_text(encoding="utf-8")
        for cls in FRONT.get(name, []):
            text = replace(text, rf"^((?:struct|class) [^;{{]*\b{cls}\b(?! *<)[^;{{]*\{{\n)",
                           lambda match: match[1] + PADDING)
        for cls in END.get(name, []):
            text = replace(text, rf"^((?:struct|class) [^;{{]*\b{cls} \{{.*?)(?=^\}};)",
                           lambda match: match[1] + PADDING)
        (headers / name).write_text(text, encoding="utf-8")


def untagged(nm, made):
    lines = subprocess.run([nm, "--defined-only", made], check=True, capture_output=True,
                           text=True).stdout.split("\n")
    names = [line.split()[-1] for line in lines if re.search(r" [uVWvw] ", line)]
    if not any(OF_DETAIL.match(name) for name in names):
        sys.exit(f"two_layers.py: {made.name} has no function of detail")
    return [name for name in names if OF_DETAIL.match(name) and not TAG.search(name)]


def main():
    root, nm, library = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    compiler = sys.argv[4:]
    source = pathlib.Path(__file__).with_suffix(".cc")
    failed = 0
    with tempfile.TemporaryDirectory(dir=".") as folder:
        folder = pathlib.Path(folder).resolve()
        shutil.copytree(root / "cpp/tvm", folder / "cpp/tvm")
        make_second(folder / "cpp/tvm/ffi")
        objects = []
        for version, headers in (1, root / "cpp"), (2, folder / "cpp"):
            objects.append(folder / f"version{version}.o")
            subprocess.run([
                *compiler, "-O0", f"-DVERSION={version}", "-I", headers, "-I", root / "include",
                "-I", root / "subprojects/dlpack/include", "-c", source, "-o", objects[-1]
            ], check=True)
            for name in untagged(nm, objects[-1]):
                print(f"version {version}: {name} has no tag of the layer")
                failed += 1
        for order in objects, objects[::-1]:
            program = folder / "program"
            subprocess.run(
                [*compiler, *order, library, f"-Wl,-rpath,{library.parent}", "-o", program],
                check=True)
            rc = subprocess.run([program], check=False).returncode
            if rc != 0:
                print(
                    f"with the functions of {order[0].name} where both have them: exit status {rc}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

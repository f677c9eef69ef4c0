#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a source, public header or test on disk is missing from the lists of the build, when a
test of C is not named after the source that it tests, or when two files of c/ have static
functions, variables, types or constants of the same name: these are for debuggers, grep and the
single file (tools/amalgamate).

    sources_in_build.py ROOT --sources FILE... --headers FILE... --tests FILE...
                        --cpp FILE...

Without --cpp files (no C++ compiler) the C++ layer is not checked.
"""
import argparse
import collections
import pathlib
import re
import sys

# What may be before a bracket in a declaration without being its name.
NO_NAMES = r"(?!(?:ElfW|__\w+|TVMFFI_\w+)\b)"
# What is declared at file scope begins or ends in the first column, as clang-format has it.
PATTERNS = [
    rf"^(?:\w+ )*static\b[^=;{{]*?\b{NO_NAMES}(\w+)\(",        # functions
    r"^(?:\w+ )*static\b[^;{=(]*?\(\*(?:const )?(\w+)",        # pointers to functions
    r"^(?:\w+ )*static\b[^=;(){]*?\b(\w+)(?:\[[^=;]*?\])*(?: =|;|,)",
    r"^typedef [^;{(]*\b(\w+);",
    r"^typedef [^;{]*\(\*(\w+)\)\(",
    rf"^typedef [^;{{(]*\b{NO_NAMES}(\w+)\(",
    r"^typedef (?:struct|union|enum) [^;]*\} (\w+);",
    r"^(?:typedef |static |const )*(?:struct|union|enum) (\w+) \{",
    r"^\} (\w+)(?:\[.*\])?(?: =|;)",
    r"^[A-Z_]+\((\w+)(?=[,)])",                                # macros that define a function
]
SEVERAL = r"^(?:\w+ )*static\b([^=;(){]*,[^=;(){]*);"
ENUMERATORS = r"^(?:typedef )?enum(?: \w+)? \{([^}]*)\}"


def private_names(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = {name for pattern in PATTERNS for name in re.findall(pattern, text, re.M)}
    for several in re.findall(SEVERAL, text, re.M):
        names |= set(re.findall(r"(\w+)(?:\[[^]]*\])*(?:,|$)", several))
    for body in re.findall(ENUMERATORS, text, re.M):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
    return names


def find_shared_names(root):
    """A line for each name that several files have."""
    owners = collections.defaultdict(list)
    for path in sorted(root.glob("c/**/*.[ch]")):
        for name in private_names(path.read_text(encoding="utf-8")):
            owners[name].append(str(path.relative_to(root)))
    if len(owners) < 1000:
        return [f"only {len(owners)} static names were found in c/"]
    return [f"{name} is static in several files: {' '.join(files)}"
            for name, files in sorted(owners.items()) if len(files) > 1]


# Tests that are not named after a source or header of their folder, and what they test.
OTHERS = {
    "container/find_device": "map_builtins.c", "core/longjmp": "every source with callbacks",
    "module/context_symbol": "library.c", "module/custom": "module.c",
    "module/loader": "load_file.c",
    "platform/damaged_library": "elf_checks.c", "platform/dl_elf": "elf_image.c",
    "platform/dl_none": "none.c",
    "platform/dl_posix": "posix.c", "platform/dl_windows": "windows.c",
    "reflect/builtin_types": "builtin_objects.c", "reflect/init": "constructors.c",
    "runtime/builtins": "the functions of all folders",
    "runtime/deleters": "objects of all folders", "runtime/growth": "memory of all folders",
    "runtime/two_runtimes": "two copies of the runtime",
    "structural/find_access_paths": "error_context.c",
}


def without_source(root):
    """Tests of C that are named after no source, and rows of OTHERS that are of no test."""
    used = set()
    for path in root.glob("tests/c/*/test_*.c"):
        folder, name = path.parent.name, path.stem.removeprefix("test_").removeprefix("oom_")
        stems = [source.stem for source in root.glob(f"c/{folder}/*.[ch]")]
        stems += [row.partition("/")[2] for row in OTHERS if row.startswith(folder + "/")]
        named = [stem for stem in stems if name == stem or name.startswith(stem + "_")]
        used |= {f"{folder}/{stem}" for stem in named}
        if stems and not named:
            yield str(path.relative_to(root))
    yield from sorted(OTHERS.keys() - used)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    for kind in ("sources", "headers", "tests", "cpp"):
        parser.add_argument("--" + kind, nargs="*", default=[])
    args = parser.parse_args()
    root = args.root.resolve()

    listed = {str((root / name).resolve()) for name in args.sources + args.tests}
    listed |= {str(root / "include" / name) for name in args.headers}
    on_disk = {path for path in root.glob("c/**/*.c")
               if path.parent.name != "platform"}  # there, one of several files is selected
    on_disk |= set(root.glob("include/**/*.h"))
    for folder in ("c", "cuda", "faults", "race"):
        on_disk |= set(root.glob(f"tests/{folder}/**/test_*.c"))

    if args.cpp:
        listed |= {str((root / name).resolve()) for name in args.cpp}
        listed |= {str(root / "cpp" / name) for name in args.cpp}
        on_disk |= set(root.glob("cpp/**/*.h"))
        for folder in ("cpp", "cuda"):
            on_disk |= set(root.glob(f"tests/{folder}/test_*.cc"))

    wrong = ["in no list of the build: " + str(path.relative_to(root))
             for path in sorted(on_disk) if str(path) not in listed]
    wrong += find_shared_names(root)
    wrong += [f"not test_<source>.c or test_<source>_<facility>.c, and not in OTHERS: {path}"
              for path in without_source(root)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

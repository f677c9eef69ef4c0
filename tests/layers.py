#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a file uses a layer above its own, and when files need each other in a circle.

    layers.py includes FOLDER  LAYER...    by #include; a layer is a subfolder of FOLDER
    layers.py symbols  ARCHIVE LAYER...    by name: functions and data that the object files of an
                                           archive lack
    layers.py circles  PLACE [--known FILE] [--strip TEXT]
                                           files that need each other, directly or not

    --expect TEXT    succeed only if a complaint ends so, to test this program with a wrong order

The lowest layer comes first. `includes` also fails for a header with the name of one of C, POSIX or
the compiler, which would hide it where the folder is searched first, and for an #if that asks for a
system above the lowest layer, in which there is a file for each. `symbols` needs nm (or the program
in NM), and exits with 77 if there is none. It also fails for a name that is linked between files
but does not begin with tvmffi_.

`circles` prints every circle of files, and fails for one that is not in the FILE of known ones with
a reason, for one of more than five files, and for a known one that is not there any more. PLACE is
an archive or a folder with object files, whose files need each other by name, or a folder with
headers only. Headers need what they include before their declarations; behind these, they include
the bodies of what they declare. TEXT is what the names of the object files begin with, before the
layer.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What the lowest layers read from the highest: the tables of the parts (c/core/builtins.h).
FROM_ABOVE = {"TVMFFIRuntimeParts"}
# The exported functions, the names of ModuleObj in C++, and one that the C library asks for
# (c/platform/posix.c).
EXPORTED = re.compile(r"TVMFFI\w+|_ZN3tvm3ffi9ModuleObj\w+|_ZT[IV]N3tvm3ffi9ModuleObjE")
SKIPPED = 77
MOST_FILES = 5  # of a circle
# In a condition of the preprocessor, whose lines may go on.
SYSTEM = re.compile(
    r"^[ \t]*#[ \t]*(?:el)?if(?:.|\\\n)*?"
    r"(__linux|_WIN(?:32|64)|__APPLE__|__MACH__|__\w*BSD__|__unix|__GLIBC__|"
    r"__ANDROID__|__MINGW|__CYGWIN__|__wasi__|__EMSCRIPTEN__)", re.MULTILINE)
STANDARD = set(
    """aio assert complex cpio ctype dirent dlfcn errno fcntl fenv float fmtmsg fnmatch ftw glob grp
    iconv inttypes iso646 langinfo libgen limits locale math monetary mqueue ndbm netdb nl_types
    poll pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar termios tgmath
    threads time trace uchar ulimit unistd unwind utime utmpx wchar wctype wordexp""".split())


def check_includes(folder, layers):
    root = pathlib.Path(folder)
    unknown = {path.name for path in root.iterdir() if path.is_dir()} ^ set(layers)
    wrong = [f"{name}: no such layer, or not in the list of them" for name in sorted(unknown)]
    files = 0
    for height, layer in enumerate(layers):
        for path in sorted((root / layer).rglob("*.[ch]*")):
            files += 1
            if path.suffix == ".h" and path.stem in STANDARD:
                wrong.append(f"{path.relative_to(root)}: a standard header has this name")
            for included in re.findall(r'^#include "([a-z_]+)/', path.read_text(), re.MULTILINE):
                if included in layers[height + 1:]:
                    wrong.append(
                        f"{path.relative_to(root)}: includes of {included}, which is above {layer}")
            asked = SYSTEM.search(path.read_text()) if height > 0 else None
            if asked:
                wrong.append(
                    f"{path.relative_to(root)}: asks for {asked.group(1)}, which belongs into "
                    f"{layers[0]}"
                )
    return wrong, f"{files} files in {len(layers)} layers", files != 0


def find_nm():
    nm = shutil.which(os.environ.get("NM", "nm"))
    if nm is None:
        print("skipped: there is no nm to read symbols with")
        sys.exit(SKIPPED)
    return nm


def read_symbols(place, nm, strip=""):
    """({symbol: file that defines it}, [(file, symbol that it lacks)]); a file is
    <layer>/<name>.c."""
    place = pathlib.Path(place)
    objects = (sorted(path for path in place.rglob("*")
                      if path.suffix in (".o", ".obj")) if place.is_dir() else [place])
    listing = subprocess.run([nm, "-A", "-g", *objects], capture_output=True, text=True,
                             check=True).stdout
    defined, lacked, file = {}, [], None
    for line in listing.splitlines():
        # <layer>_<name>.c.o, after the name of an archive
        member = re.match(r"(?:.*[/(\[: ])?([\w.-]+\.c)\.(?:o|obj)[)\]]?:", line)
        cells = line[member.end():].split() if member else []
        if member:
            file = member.group(1).removeprefix(strip).replace("_", "/", 1)
        if len(cells) == 2 and cells[0] == "U":
            lacked.append((file, cells[1]))
        elif len(cells) == 3 and cells[2].isidentifier():  # names with a dot are the compiler's own
            defined[cells[2]] = file
    return defined, lacked


def check_symbols(archive, layers):
    height = {layer: i for i, layer in enumerate(layers)}
    defined, lacked = read_symbols(archive, find_nm())
    layer_of = {
        file: file.split("/")[0] for file in {*defined.values(), *(file for file, _ in lacked)}
    }
    wrong = [
        f"{file}: {layer_of[file]} is no layer" for file in sorted(layer_of)
        if layer_of[file] not in height
    ]
    for file, symbol in [] if wrong else sorted(lacked):
        owner = defined.get(symbol, file)  # the C library's count as the file's own
        if height[layer_of[owner]] > height[layer_of[file]] and symbol not in FROM_ABOVE:
            wrong.append(
                f"{file}: uses {symbol} of {owner}, and {layer_of[owner]} is above {layer_of[file]}"
            )
    wrong += [
        f"{file}: {symbol} does not begin with tvmffi_" for symbol, file in sorted(defined.items())
        if not symbol.startswith("tvmffi_") and not EXPORTED.fullmatch(symbol)
    ]
    return wrong, f"{len(defined)} names of {len(layer_of)} files in {len(layers)} layers", len(
        defined) != 0


def needs_by_name(place, strip):
    """{file: files that it needs}, by the names that object files define and lack."""
    defined, lacked = read_symbols(place, find_nm(), strip)
    needs = {file: set() for file in [*defined.values(), *(file for file, _ in lacked)]}
    for file, symbol in lacked:
        if symbol not in FROM_ABOVE:
            needs[file].add(defined.get(symbol, file))
    return needs


def needs_by_include(folder):
    """The same for headers, by what they include before their declarations."""
    root, needs = pathlib.Path(folder), {}
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.h"))
    }
    for name, text in texts.items():
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
        leading = re.match(r"(?:[ \t]*(?:#(?:[^\n]*\\\n)*[^\n]*)?\n)*", text)[0]
        needs[name] = set(re.findall(r'^[ \t]*#[ \t]*include [<"]([^>"]+)', leading,
                                     re.MULTILINE)) & set(texts)
    return needs


def find_circles(needs):
    """The sets of files that all need each other: strongly connected components, by Tarjan's
    algorithm."""
    order, lowest, stack, circles = {}, {}, [], []

    def visit(file):
        order[file] = lowest[file] = len(order)
        stack.append(file)
        for other in sorted(needs[file]):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == order[file]:
            circle = stack[stack.index(file):]
            del stack[stack.index(file):]
            circles.append(sorted(circle))

    sys.setrecursionlimit(10 * len(needs) + 1000)
    for file in sorted(needs):
        if file not in order:
            visit(file)
    return sorted(circle for circle in circles if len(circle) > 1)


def read_known(path):
    """{files of a circle: reason} of lines `FILE FILE...: reason`, which may go on in lines that
    are indented."""
    text = pathlib.Path(path).read_text(encoding="utf-8") if path else ""
    lines = re.sub(r"\n +", " ", text).splitlines()
    known = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    return {tuple(sorted(files.split())): reason.strip() for files, reason in known}


def check_circles(place, known_file, strip):
    known = read_known(known_file)
    headers = os.path.isdir(place) and not any(pathlib.Path(place).rglob("*.o*"))
    needs = needs_by_include(place) if headers else needs_by_name(place, strip)
    circles = find_circles(needs)
    wrong = []
    for circle in circles:
        reason = known.get(tuple(circle))
        print(f"circle of {len(circle)}: {' '.join(circle)}: {reason or 'not known'}")
        if not reason:
            wrong.append(f"a new circle: {' '.join(circle)}")
        if len(circle) > MOST_FILES:
            wrong.append(f"a circle of {len(circle)} files, more than {MOST_FILES}")
    # A build without loading has not all files.
    wrong += [f"no circle any more: {' '.join(files)}" for files in known
              if list(files) not in circles and set(files) <= set(needs)]
    return wrong, f"{len(circles)} circles of {len(needs)} files", len(needs) != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["includes", "symbols", "circles"])
    parser.add_argument("place", metavar="FOLDER|ARCHIVE")
    parser.add_argument("layers", nargs="*", metavar="LAYER")
    parser.add_argument("--known", metavar="FILE")
    parser.add_argument("--strip", metavar="TEXT", default="")
    parser.add_argument("--expect", metavar="TEXT")
    args = parser.parse_args()
    if args.what == "circles":
        wrong, summary, found_any = check_circles(args.place, args.known, args.strip)
    else:
        check = {"includes": check_includes, "symbols": check_symbols}[args.what]
        wrong, summary, found_any = check(args.place, args.layers)
    print(*wrong, summary, sep="\n")
    if args.expect:
        return 0 if any(line.endswith(args.expect) for line in wrong) else 1
    return 1 if wrong or not found_any else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a file uses a layer above its own.

    layers.py includes FOLDER  LAYER...    by #include; a layer is a subfolder of FOLDER
    layers.py symbols  ARCHIVE LAYER...    by name: functions and data that the object files of an archive lack

    --expect TEXT    succeed only if a complaint ends so, to test this program with a wrong order

The lowest layer comes first. `includes` also fails for a header with the name of one of C, POSIX or the compiler, which
would hide it where the folder is searched first, and for an #if that asks for a system above the lowest layer, in which
there is a file for each. `symbols` needs nm (or the program in NM), and exits with 77 if there
is none. It also fails for a name that is linked between files but does not begin with tvmffi_.
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
# The exported functions, the names of ModuleObj in C++, and one that the C library asks for (c/platform/posix.c).
EXPORTED = re.compile(r"TVMFFI\w+|_ZN3tvm3ffi9ModuleObj\w+|_ZT[IV]N3tvm3ffi9ModuleObjE")
SKIPPED = 77
# In a condition of the preprocessor, whose lines may go on.
SYSTEM = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:.|\\\n)*?(__linux|_WIN(?:32|64)|__APPLE__|__MACH__|__\w*BSD__|__unix|__GLIBC__|"
                    r"__ANDROID__|__MINGW|__CYGWIN__|__wasi__|__EMSCRIPTEN__)", re.MULTILINE)
STANDARD = set("""aio assert complex cpio ctype dirent dlfcn errno fcntl fenv float fmtmsg fnmatch ftw glob grp iconv
    inttypes iso646 langinfo libgen limits locale math monetary mqueue ndbm netdb nl_types poll pthread pwd regex sched
    search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string
    strings stropts syslog tar termios tgmath threads time trace uchar ulimit unistd unwind utime utmpx wchar wctype
    wordexp""".split())


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
                    wrong.append(f"{path.relative_to(root)}: includes of {included}, which is above {layer}")
            asked = SYSTEM.search(path.read_text()) if height > 0 else None
            if asked:
                wrong.append(f"{path.relative_to(root)}: asks for {asked.group(1)}, which belongs into {layers[0]}")
    return wrong, f"{files} files in {len(layers)} layers", files != 0


def read_symbols(archive, nm):
    """({symbol: file that defines it}, [(file, symbol that it lacks)]); a file is <layer>/<name>.c."""
    listing = subprocess.run([nm, "-g", archive], capture_output=True, text=True, check=True).stdout
    defined, lacked, file = {}, [], None
    for line in listing.splitlines():
        member = re.fullmatch(r"(?:.*[/(\[])?(\w+\.c)\.(?:o|obj)[)\]]?:", line)  # <layer>_<name>.c.o
        cells = line.split()
        if member:
            file = member.group(1).replace("_", "/", 1)
        elif len(cells) == 2 and cells[0] == "U":
            lacked.append((file, cells[1]))
        elif len(cells) == 3 and cells[2].isidentifier():  # names with a dot are the compiler's own
            defined[cells[2]] = file
    return defined, lacked


def check_symbols(archive, layers):
    nm = shutil.which(os.environ.get("NM", "nm"))
    if nm is None:
        print("skipped: there is no nm to read symbols with")
        sys.exit(SKIPPED)
    height = {layer: i for i, layer in enumerate(layers)}
    defined, lacked = read_symbols(archive, nm)
    layer_of = {file: file.split("/")[0] for file in {*defined.values(), *(file for file, _ in lacked)}}
    wrong = [f"{file}: {layer_of[file]} is no layer" for file in sorted(layer_of) if layer_of[file] not in height]
    for file, symbol in [] if wrong else sorted(lacked):
        owner = defined.get(symbol, file)  # the C library's count as the file's own
        if height[layer_of[owner]] > height[layer_of[file]] and symbol not in FROM_ABOVE:
            wrong.append(f"{file}: uses {symbol} of {owner}, and {layer_of[owner]} is above {layer_of[file]}")
    wrong += [f"{file}: {symbol} does not begin with tvmffi_" for symbol, file in sorted(defined.items())
              if not symbol.startswith("tvmffi_") and not EXPORTED.fullmatch(symbol)]
    return wrong, f"{len(defined)} names of {len(layer_of)} files in {len(layers)} layers", len(defined) != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["includes", "symbols"])
    parser.add_argument("place", metavar="FOLDER|ARCHIVE")
    parser.add_argument("layers", nargs="+", metavar="LAYER")
    parser.add_argument("--expect", metavar="TEXT")
    args = parser.parse_args()
    check = {"includes": check_includes, "symbols": check_symbols}[args.what]
    wrong, summary, found_any = check(args.place, args.layers)
    print(*wrong, summary, sep="\n")
    if args.expect:
        return 0 if any(line.endswith(args.expect) for line in wrong) else 1
    return 1 if wrong or not found_any else 0


if __name__ == "__main__":
    sys.exit(main())

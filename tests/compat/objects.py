# SPDX-License-Identifier: Apache-2.0
"""Object files of packages' sources, for tests that link them.

    import objects
    objects.keep(folder, cxx, flags, include, sources, headers)

A folder keeps its object files until the compiler, the flags, a source or a header of the include
folders changes.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

import package


def run(*command, **options):
    """Run the command and return its output; exit if it fails."""
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}")
    return done.stdout


class Build:
    """Compiles into a folder, with one precompiled header for the common includes."""

    def __init__(self, cxx, flags, include, headers, folder):
        self.folder = folder
        self.command = [*cxx, *flags, *(f"-I{path}" for path in include)]
        self.header = folder / "all.h"
        self.header.write_text("".join(f"#include <{name}>\n" for name in headers),
                               encoding="utf-8")
        clang = "clang" in run(*cxx, "--version")
        self.compiled = folder / ("all.h.pch" if clang else "all.h.gch")
        self.use = ["-include-pch", self.compiled] if clang else ["-include", self.header]

    def compile(self, source, with_header):
        target = self.folder / f"{source.parent.name}_{source.stem}.o"
        run(*self.command, *(self.use if with_header else []), "-c", source, "-o", target)

    def compile_all(self, sources):
        if any(sources.values()):
            run(*self.command, "-x", "c++-header", self.header, "-o", self.compiled)
        # The largest first, so that no long one runs alone at the end.
        ordered = sorted(sources, key=lambda file: -file.stat().st_size)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda source: self.compile(source, sources[source]), ordered))
        self.compiled.unlink(missing_ok=True)


def hash_files(files):
    contents = hashlib.sha256()
    for file in files:
        contents.update(f"{file}\n".encode() + file.read_bytes())
    return contents.hexdigest()


def beside_package(name, cxx):
    """The folder, shared by all builds, for objects compiled with the reference package's headers
    and this compiler."""
    compiler = hashlib.sha256("\n".join([*cxx, run(*cxx, "--version")]).encode()).hexdigest()
    return package.folder() / name / compiler[:16]


def keep(folder, cxx, flags, include, sources, headers=()):
    """Compile the sources into object files in the folder, unless they are up to date there.

    `sources` maps each source to whether it is compiled with the precompiled headers."""
    included = (file for path in include for file in sorted(pathlib.Path(path).rglob("*.h")))
    asked = json.dumps([
        cxx, flags,
        run(*cxx, "--version"),
        hash_files(included),
        hash_files(sorted(sources)), [sources[file] for file in sorted(sources)],
        list(map(str, headers))
    ])
    whole = folder / "whole"
    with package.locked(folder.with_suffix(".lock")):
        if not whole.exists() or whole.read_text(encoding="utf-8") != asked:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            Build(cxx, flags, include, headers, folder).compile_all(sources)
            whole.write_text(asked, encoding="utf-8")

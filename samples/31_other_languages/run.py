#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run an example of this folder by the commands of docs/guide/other_languages.md:
run.py LANGUAGE LIBRARY KERNEL

Ends with 77 after printing the reason where something that the language needs is missing, and fails
for an example of more than thirty lines: comments, imports and closing brackets are not counted.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SAMPLE = pathlib.Path(__file__).resolve().parent
ROOT = SAMPLE.parents[1]
PAGE = ROOT / "docs/guide/other_languages.md"
SKIPPED = 77
LINES = 30
NOT_COUNTED = re.compile(
    r"\s*(//|--|#|\"\"\"|import |use |mod |include!|package |\"\w+\"$|[^\w\"]*$)")
JNA = pathlib.Path("/usr/share/java/jna.jar")

# The example of each heading of the page; what it needs, and where that is.
EXAMPLES = {
    "Python": ("scale.py", ["cffi"], "Debian: python3-cffi, PyPI: cffi"),
    "LuaJIT": ("scale.lua", ["luajit"], "Debian: luajit"),
    "Zig": ("scale.zig", ["zig"], "PyPI: ziglang"),
    "Rust": ("scale.rs", ["rustc", "bindgen"], "Debian: rustc, bindgen"),
    "Java": ("Scale.java", ["javac", JNA], "Debian: default-jdk-headless, libjna-java"),
    "Go": ("scale.go", ["go", "gcc"], "Debian: golang-go, gcc"),
}


def is_there(need, path):
    if need == "cffi":
        return importlib.util.find_spec("cffi") is not None
    return JNA.exists() if need == JNA else shutil.which(need, path=path) is not None


def commands(heading):
    """The lines of code directly below a heading of the page."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^###? {heading}\n\n((?:    .*\n)+)", text, re.M)
    if not found:
        sys.exit(f"{PAGE.name} has no commands below `{heading}`")
    return found[1]


def libclang_for_bindgen():
    """The folder of a libclang that an old bindgen understands, or None to let it choose."""
    version = subprocess.run(["bindgen", "--version"], stdout=subprocess.PIPE, text=True,
                             check=True)
    if tuple(map(int, re.findall(r"\d+", version.stdout)[:2])) >= (0, 62):
        return None
    folders = pathlib.Path("/usr/lib").glob("llvm-*/lib")
    known = [folder for folder in folders if int(folder.parent.name.partition("-")[2]) < 16 and
             list(folder.glob("libclang*.so*"))]
    return max(known, default=None)


def main():
    language, library, kernel = sys.argv[1:]
    example, needs, packages = EXAMPLES[language]
    lines = (SAMPLE / example).read_text(encoding="utf-8").splitlines()
    counted = [line for line in lines if not NOT_COUNTED.match(line)]
    if len(counted) > LINES:
        sys.exit(f"{example} has {len(counted)} lines, more than {LINES}:\n" + "\n".join(counted))

    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        library = pathlib.Path(library).resolve()
        path = f"{work}/bin:{os.environ['PATH']}"
        for program, arguments in ("python3", ""), ("zig", "-m ziglang"):
            if program == "zig" and importlib.util.find_spec("ziglang") is None:
                continue
            wrapper = work / "bin" / program  # this interpreter, whatever its name
            wrapper.parent.mkdir(exist_ok=True)
            wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n',
                               encoding="utf-8")
            wrapper.chmod(0o755)
        missing = [str(need) for need in needs if not is_there(need, path)]
        if missing:
            print(f"skipped: needs {' and '.join(missing)} ({packages})")
            return SKIPPED

        for file in SAMPLE.iterdir():
            shutil.copy(file, work)
        shutil.copy(kernel, work / "kernel.so")
        environment = dict(os.environ, PATH=path, LIBRARY_PATH=str(library.parent),
                           LD_LIBRARY_PATH=str(library.parent),
                           # Caches of compilers: in the build's folder, like the kernel.
                           XDG_CACHE_HOME=str(pathlib.Path(kernel).resolve().parent / "caches"))
        if language == "Rust" and "LIBCLANG_PATH" not in environment:
            folder = libclang_for_bindgen()
            if folder:
                environment["LIBCLANG_PATH"] = str(folder)
        header = commands("The header").replace("../..", str(ROOT))
        done = subprocess.run(["sh", "-ec", header + commands(language)], cwd=work,
                              env=environment, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

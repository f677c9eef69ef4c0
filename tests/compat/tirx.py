#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C++ of apache-tvm-tirx, compiled with our headers.

    tirx.py --runtime libtvm_ffi.so --layer DIR... --work FOLDER [--alone] --cxx g++...

derived_tirx.cc links that package's compiler library and derives from a class of it: by either set
of headers, on either library, it prints the same. And all headers of that package compile with ours
in one source; with --alone, which takes four minutes, or if that fails, each compiles alone.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

import package

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ["tvm_tirx_compiler", "tvm_runtime"]


def compile_with(cxx, include, *arguments):
    """The compiler's errors, or ""."""
    done = subprocess.run([*cxx, "-std=c++17", "-O0", "-w", *(f"-I{path}" for path in include),
                           *map(str, arguments)], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout[-3000:] if done.returncode else ""


def run_program(program, folders):
    done = subprocess.run([program], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=package.environment(LD_LIBRARY_PATH=":".join(map(str, folders))))
    return done.stdout + (f"ended with {done.returncode}\n" if done.returncode else "")


def compare_derived(cxx, tirx, includes, runtimes, work):
    """The problems of derived_tirx.cc, and the number of lines that it prints."""
    came = {}
    for name, include in includes.items():
        program = work / f"derived_tirx_{name}"
        errors = compile_with(cxx, [*include, tirx / "include"], HERE / "derived_tirx.cc", "-o",
                              program, f"-L{tirx / 'lib'}", f"-L{runtimes[0].parent}",
                              *(f"-l{library}" for library in LIBRARIES), "-ltvm_ffi")
        if errors:
            return [f"derived_tirx.cc with the headers of the {name}:\n{errors}"], 0
        for runtime in runtimes:
            came[name, runtime] = run_program(program, [tirx / "lib", runtime.parent])
    wanted = came["package", runtimes[0]]
    return [
        f"derived_tirx.cc with the headers of the {name}, on {runtime}:\n{text}\nwanted:\n{wanted}"
        for (name, runtime), text in came.items() if text != wanted or "ended with" in text
    ], len(wanted.splitlines())


def compile_headers(cxx, tirx, includes, work, alone):
    """The problems of that package's headers, and how many of them compile with ours."""
    folder = tirx / "include"
    headers = sorted(str(path.relative_to(folder)) for path in folder.glob("tvm/**/*.h"))
    together = work / "tirx_headers.cc"
    together.write_text("".join(f"#include <{header}>\n" for header in headers), encoding="utf-8")

    def compile_source(name, source):
        return compile_with(cxx, [*includes[name], folder], "-fsyntax-only", "-x", "c++", source)

    problem = compile_source("layer", together)
    if not alone and not problem:
        return [], len(headers)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        refused = [(header, errors) for header, errors in zip(headers, pool.map(
            lambda header: compile_source("layer", folder / header), headers)) if errors]
    # A header that is not whole by itself is no fault of ours.
    problems = [f"{header}, with our headers:\n{errors}" for header, errors in refused
                if not compile_source("package", folder / header)]
    if problem and not problems and not compile_source("package", together):
        problems = [f"all headers in one source, with ours:\n{problem}"]
    return problems, len(headers) - len(refused)


def main():
    parser = argparse.ArgumentParser()
    for name in ("runtime", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--layer", required=True, nargs="+")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference, tirx = package.require(), package.require_more("tirx") / "tvm_tirx"
    includes = {"package": reference.include, "layer": args.layer}
    runtimes = [pathlib.Path(reference.library).resolve(), args.runtime.resolve()]
    problems, num_lines = compare_derived(args.cxx, tirx, includes, runtimes, args.work)
    more, num_headers = compile_headers(args.cxx, tirx, includes, args.work, args.alone)
    problems += more
    print("\n".join(problems) or f"{num_lines} lines of a program, the same in four ways; "
          f"{num_headers} headers compile")
    if num_lines == 0 or num_headers == 0:
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

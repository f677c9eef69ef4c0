#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same sources, compiled with the package's C++ headers and with our layer, give the same
results.

    headers.py --host PROGRAM --runtime libtvm_ffi.so --kernels kernels.so --layer DIR... --work
    FOLDER --cxx g++...

The calls are those of calls.txt, except for kernels that need headers which the layer lacks
(kernels_objects.cc); the programs names_*.cc print the results of its less common names. Both
builds run on both libraries. In derived.cc either set of headers compiles a library, and either one
a program that derives from its classes and exchanges values with it. A client of modules is no
larger with ours. Each header includes the standard headers that the package's does: sources rely on
them; and streams, which take longest to compile, only where the package's does.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import compare
import package

# Calls whose result must be another one with our layer: its replacement, and the reason.
DIFFERENCES = {
    # Our headers name the first of several wrong arguments; with the package's the choice is the
    # compiler's.
    r"package\.add_int s\"a long.*": (r"#1 (.*) but got `ffi.SmallBytes`",
                                      r"#0 \1 but got `ffi.String`"),
    # Our Any owns its value, and a DLTensor* cannot be owned.
    r"package\.same_any v/.*": (
        r".*", 'RuntimeError "DLTensor* cannot be held in Any as it does not retain ownership, '
        'use Tensor instead"'),
}
# With the package's headers these call C++ functions of the package's library.
NEED_ITS_LIBRARY = {"names_extra", "names_layouts"}
STREAMS = {"iostream", "istream", "ostream", "sstream"}
# It compiles only after any.h, which includes them.
MORE_STREAMS = {"tvm/ffi/rvalue_ref.h"}


def choose_calls():
    """The lines of calls.txt that need no kernel of kernels_objects.cc, directly or through a
    variable."""
    missing, lost, chosen = compare.read_exports("kernels_objects.cc"), set(), []
    for line in (compare.HERE / "calls.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        assigned = re.match(r"([a-z]) = ", line)
        used = set(re.findall(r"\$([a-z])\b", line)) | set(re.findall(r"^drop ([a-z])$", line))
        called = set(re.findall(r"\bpackage\.(\w+)", line))
        is_lost = bool(called & missing or used & lost)
        if assigned:
            (lost.add if is_lost else lost.discard)(assigned.group(1))
        if not is_lost:
            chosen.append(line)
    return chosen


def expect(call, theirs, fired):
    for pattern, (before, after) in DIFFERENCES.items():
        if re.fullmatch(pattern, call):
            fired.add(pattern)
            return re.sub(before, after, theirs, count=1)
    return theirs


def run_program(command, **env):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **env}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        compare.fail(
            f"{command[0]} ended with "
            f"{done.returncode}\n{done.stdout.decode(errors='replace')[-4000:]}"
        )
    return done.stdout.splitlines()


def compare_programs(cxx, includes, runtimes, folder):
    """The problems with the programs names_*.cc, and the number of lines that they print."""
    problems, num_lines = [], 0
    for source in sorted(compare.HERE.glob("names_*.cc")):
        came = {}
        for name, include in includes.items():
            program = folder / name / source.stem
            run_program([
                *cxx, "-std=c++17", "-O0", *(f"-I{path}" for path in include), source, "-o",
                program, f"-L{runtimes[0].parent}", "-ltvm_ffi"
            ])
            bound = name == "package" and source.stem in NEED_ITS_LIBRARY
            for runtime in runtimes[:1] if bound else runtimes:
                came[name, runtime] = run_program([program], LD_LIBRARY_PATH=str(runtime.parent))
        wanted = came["package", runtimes[0]]
        num_lines += len(wanted)
        for (name, runtime), lines in came.items():
            if len(lines) != len(wanted):
                problems.append(
                    f"{source.name}: {len(lines)} lines and not {len(wanted)} with the {name} on "
                    f"{runtime}"
                )
            problems += [
                f"{source.name}: {line}\n  wanted: {want}\n  with the headers of: {name}, on "
                f"{runtime}"
                for line, want in zip(lines, wanted) if line != want
            ]
    return problems, num_lines


def compare_derived(cxx, includes, runtimes, folder):
    """The problems with derived.cc, and the number of its combinations."""
    source, links = compare.HERE / "derived.cc", [f"-L{runtimes[0].parent}", "-ltvm_ffi"]
    came = {}
    for name, include in includes.items():
        compile_it = [*cxx, "-std=c++17", "-O0", *(f"-I{path}" for path in include), source]
        library = folder / name / "libderived.so"
        run_program([*compile_it, "-DLIBRARY", "-fPIC", "-shared", "-o", library, *links])
        run_program([
            *compile_it, "-o", folder / name / "derived", f"-L{library.parent}", "-lderived", *links
        ])
    for program in includes:
        for library in includes:
            for runtime in runtimes:
                came[program, library, runtime] = run_program(
                    [folder / program / "derived"],
                    LD_LIBRARY_PATH=f"{folder / library}:{runtime.parent}")
    wanted = came["package", "package", runtimes[0]]
    return [
        f"derived.cc: {lines}\n  wanted: {wanted}\n  program and library with the headers of: "
        f"{program}, {library}, on {runtime}"
        for (program, library, runtime), lines in came.items() if lines != wanted
    ], len(came)


def compare_sizes(cxx, includes, folder):
    """The problems with the sizes of module_client.cc."""
    problems = []
    for use in ("CALLS", "SEARCHES", "LINKS", "ASKS"):
        sizes = {}
        for name, include in includes.items():
            target = folder / name / f"module_client_{use}.o"
            run_program([
                *cxx, "-std=c++17", "-O2", "-fPIC", f"-D{use}", *(f"-I{path}" for path in include),
                "-c", compare.HERE / "module_client.cc", "-o", target
            ])
            sizes[name] = int(run_program(["size", target])[1].split()[0])
        if sizes["layer"] > sizes["package"]:
            problems.append(f"module_client.cc that {use.lower()} a module: {sizes}")
    return problems


def standard_headers(cxx, include, header):
    """The names of the standard C++ headers that a header includes."""
    rule = subprocess.run([
        *cxx, "-std=c++17", "-M", *(f"-I{path}" for path in include), "-x", "c++", "/dev/null",
        "-include", header
    ], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {
        pathlib.Path(path).name
        for path in rule.split() if re.search(r"/c\+\+/(v?\d+/)?[a-z_]+$", path)
    }


def compare_standard_headers(cxx, includes):
    """The problems with what headers include that both have, and the number of these."""
    problems, num_headers = [], 0
    ours, theirs = (pathlib.Path(includes[name][0]) for name in ("layer", "package"))
    for path in sorted((theirs / "tvm/ffi").rglob("*.h")):
        header = str(path.relative_to(theirs))
        if not (ours / header).is_file() or "cuda" in path.parts:
            continue
        num_headers += 1
        wanted = standard_headers(cxx, includes["package"], header)
        found = standard_headers(cxx, includes["layer"], header)
        if wanted - found:
            problems.append(f"{header} lacks {' '.join(sorted(wanted - found))}")
        if (found - wanted) & STREAMS and header not in MORE_STREAMS:
            problems.append(f"{header} includes {' '.join(sorted((found - wanted) & STREAMS))}")
    return problems, num_headers


def main():
    parser = argparse.ArgumentParser()
    for name in ("host", "runtime", "kernels", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--layer", required=True, nargs="+")
    parser.add_argument("--cxx", required=True, nargs=argparse.REMAINDER)
    args = parser.parse_args()
    reference = package.require()
    folder = args.work / "headers"
    calls = folder / "calls.txt"
    answers = {}
    includes = {"package": reference.include, "layer": args.layer}
    runtimes = [pathlib.Path(reference.library).resolve(), args.runtime.resolve()]
    for name, include in includes.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        libraries = {"c": args.kernels.resolve()}
        for library, sources in compare.SOURCES.items():
            libraries[library] = (folder / name / sources[0]).with_suffix(".so")
            compare.compile_kernels(args.cxx, include, sources[:1], libraries[library])
        calls.write_text("\n".join(choose_calls()) + "\n", encoding="utf-8")
        for runtime in runtimes:
            answers[name, runtime] = compare.run(args.host, runtime, calls, libraries)

    (problems, num_lines), fired = compare_programs(args.cxx, includes, runtimes, folder), set()
    derived, num_derived = compare_derived(args.cxx, includes, runtimes, folder)
    lacking, num_headers = compare_standard_headers(args.cxx, includes)
    problems += derived + compare_sizes(args.cxx, includes, folder) + lacking
    for runtime in runtimes:
        for (call, theirs), (_, ours) in zip(answers["package", runtime], answers["layer",
                                                                                  runtime]):
            wanted = expect(call, theirs, fired)
            if wanted != ours:
                problems.append(
                    f"{call}\n  package's headers: {theirs}\n  our layer: {ours}\n  wanted: "
                    f"{wanted}\n"
                    f"  on {runtime}")
    problems += [
        f"a difference that no call has: {pattern}" for pattern in DIFFERENCES
        if pattern not in fired
    ]
    print("\n".join(problems)
          or f"{len(choose_calls())} calls and {num_lines} lines of programs on two libraries, "
          f"the same by both sets of headers; {num_derived} combinations of a library and a "
          f"program that derives from its classes; standard headers of {num_headers} headers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

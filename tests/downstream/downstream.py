#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library as its users get it: installed into a prefix, and found there by their build systems.

    downstream.py installed --work FOLDER [--kind KIND] [MESON-OPTION...] downstream.py
    make|pkgconfig|cmake|cuda|meson|subproject|prefixes|requests|exported|cmake_inside|
    cmake_fetched|meson_wrapped|conan
                  --work FOLDER [--kind KIND] [--newest]

`installed` runs first: it builds FOLDER/build, installs FOLDER/prefix, compares the files with
installed.txt, uninstalls them, does the same below a DESTDIR, and leaves a prefix and a copy of it
in another place for the other commands. Each of these builds a project of this folder against both
places, with the runtime shared, static and, where the build system supports it, with C++ functions.
The sources and the expected output are those of two samples. KIND says which libraries exist: both
(the default), shared or static. With --newest, CMake, pkgconf and Meson are the newest of PyPI.
"""
import argparse
import fcntl
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
# Program and kernel library, and the sample whose output they must print.
RUNS = {("host", "kernel.so"): "01_load_and_call", ("load", "add_one.so"): "11_cpp_add_one"}
# An environment without the user's settings.
CLEAN = {
    key: value for key, value in os.environ.items()
    if not key.startswith(("PKG_CONFIG", "CMAKE_", "LD_LIBRARY_PATH", "DESTDIR", "MAKE", "MFLAGS"))
}


HELPER = "tvm_ffi_isolated_helper"


def fail(text):
    sys.exit(f"downstream: {text}")


def run(command, cwd=None, refused=False, **env):
    """The output of a command; it must succeed, or fail if `refused`."""
    command = [str(word) for word in command]
    print("$", *(ascii(word)[1:-1] for word in command), flush=True)
    env = {**CLEAN, **{name: str(value) for name, value in env.items()}}
    done = subprocess.run(command, cwd=cwd, env=env, text=True, errors="replace", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if (done.returncode != 0) != refused:
        fail(f"{'not refused' if refused else 'failed'}: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def need(*tools):
    """Skip the test if a tool is missing."""
    for tool in tools:
        if shutil.which(tool) is None:
            print(f"{tool} is not installed")
            sys.exit(77)


def tree(folder):
    """Everything below a folder: {path: contents of a file, or None for a folder}."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


def compare(title, found, expected):
    if found != expected:
        fail("\n".join([title + ":"] + [
            f"  {'missing' if name in expected else 'not expected'}: {name}"
            for name in sorted(set(found) ^ set(expected))
        ] + [
            f"  changed: {name}" for name in sorted(set(found) & set(expected))
            if isinstance(found, dict) and found[name] != expected[name]
        ]))


class Work:
    """The working folder of the tests, and what is in it."""

    def __init__(self, folder, kind, programs=""):
        self.folder, self.kind = folder.resolve(), kind
        # Tests may run at the same time, also one by several programs.
        self.scratch = self.folder / programs
        self.build, self.prefix = self.folder / "build", self.folder / "prefix"
        self.places = {"prefix": self.prefix, "moved": self.folder / "moved/elsewhere"}
        self.runtimes = ["shared", "static"] if kind == "both" else [kind]
        self.with_cxx = "shared" in self.runtimes

    def project(self, name, *parts):
        """A fresh copy of a downstream project, with the sources of the samples."""
        target = self.scratch / "-".join(("project", name) + parts)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(HERE / name, target)
        for host in ("cxx_host.cc", "isolated_host.c"):
            shutil.copy(HERE / host, target)
        for sample, sources in {"01_load_and_call": ["kernel.c", "host.c"],
                                "11_cpp_add_one": ["add_one.cc", "load.cc"]}.items():
            for source in sources:
                shutil.copy(SOURCE / "samples" / sample / source, target)
        return target

    def each(self, name, knows_cxx=True):
        """Yield a project for every place and runtime; then check that none names the unmoved
        prefix."""
        if not self.prefix.exists():
            fail("there is no installed tree: run the test `installed` first")
        for place, prefix in self.places.items():
            with_cxx = self.with_cxx and knows_cxx and place == "moved"
            for runtime in self.runtimes + (["cxx"] if with_cxx else []):
                project = self.project(name, place, runtime)
                yield project, prefix, runtime
                if place == "moved":
                    for path, content in tree(project).items():
                        if content and os.fsencode(self.prefix) in content:
                            fail(
                                f"{path} names the place that the prefix was moved from: {project}")


def quoted(first, clone):
    """The block of docs/linking.md that begins with this line, for a clone of the repository."""
    text = (SOURCE / "docs/linking.md").read_text(encoding="utf-8")
    block = re.search(r"^    " + re.escape(first) + r"\n(?:    .*\n|\n(?=    ))*", text, re.M)
    return re.sub(r"\bTAG\b", "master", re.sub(r"\bURL\b", str(clone), textwrap.dedent(block[0])))


def repository(work):
    """A repository with the files of this one as they are now."""
    if not (SOURCE / ".git").exists():
        print("this is not a clone of the repository")
        sys.exit(77)
    clone = work.folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    for name in run(["git", "-C", SOURCE, "ls-files", "--cached", "--others",
                     "--exclude-standard"]).splitlines():
        if (SOURCE / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, clone / name)
    git = [
        "git", "-C", clone, "-c", "user.name=test", "-c", "user.email=test@invalid", "-c",
        "commit.gpgsign=false"
    ]
    run([*git, "init", "--quiet", "--initial-branch=master"])
    run([*git, "add", "--all", "--force"])
    run([*git, "commit", "--quiet", "--message=as it is"])
    return clone


def check_printed(folder, runs):
    """Run hosts with kernels, and check that they print what the samples of these names do."""
    for (host, kernel), sample in runs.items():
        printed = run([folder / host, kernel])
        if printed != (SOURCE / "samples" / sample / "expected.txt").read_text(encoding="utf-8"):
            fail(f"{folder / host} {kernel} printed:\n{printed}")


def check_linked(host, runtime):
    """Check that a host was linked with the requested runtime, and exports it if it is inside."""
    if ("[libtvm_ffi.so]" in run(["readelf", "-d", host])) != (runtime != "static"):
        fail(f"{host} was not linked with the {runtime} runtime")
    if runtime == "static":
        abi = SOURCE / "tests/abi"
        run([sys.executable, abi / "binary.py", "covers", host, abi / "exports.txt"])


def check_plugin(plugin):
    """Check that a library keeps the runtime that is inside to itself."""
    symbols = run(["readelf", "-W", "--dyn-syms", plugin]).splitlines()
    if any("TVMFFI" in line and "UND" not in line for line in symbols):
        fail(f"{plugin} exports the runtime that is inside")


def check(folder, runtime, runs=RUNS, helper=None):
    """Run the hosts in a folder with its kernels, and check that they use the requested runtime."""
    check_printed(folder, {(host, folder / kernel): sample
                           for (host, kernel), sample in runs.items()})
    for host, _ in runs:
        check_linked(folder / host, runtime)
    if runtime == "cxx" and run([folder / "cxx_host"]) != "hashes agree\n":
        fail(f"{folder / 'cxx_host'} has another hash than the runtime")
    # Built where the library for kernels in processes of their own is. Its archive lies in the
    # program, far from the helper.
    host = folder / "isolated_host"
    if host.exists():
        is_shared = "[libtvm_ffi_isolated.so]" in run(["readelf", "-d", host])
        words = [] if is_shared else [helper]
        if run([host, folder / "kernel.so", *words]) != "in another process\n":
            fail(f"{host} did not load the kernel in another process")


def installed(work, options):
    need("ninja")
    for place in [*work.places.values(), work.folder / "stage"]:
        shutil.rmtree(place, ignore_errors=True)
    setup = [
        "meson", "setup", work.build, SOURCE, f"-Dprefix={work.prefix}", "-Dlibdir=lib",
        "-Ddlpack=fallback", f"-Ddefault_library={work.kind}", "-Dtests=disabled",
        "-Dsamples=disabled", "-Dcuda=disabled",
        f"-Dcxx_exports={'enabled' if work.with_cxx else 'disabled'}", *options
    ]
    run([*setup, "--reconfigure"] if (work.build / "build.ninja").exists() else setup)
    ninja = ["ninja", "-C", work.build]
    run(ninja)

    # Further words on a line name the targets that must be built for the file to exist.
    lines = [
        line.split() for line in (HERE / "installed.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    targets = {"tool": "tools/tvm-ffi", "recorder": "tools/libtvm_ffi_record.so",
               "isolated": "isolated/tvm_ffi_isolated_helper"}
    built = work.runtimes + [name for name, file in targets.items() if (work.build / file).exists()]
    expected = {words[0] for words in lines if set(words[1:]) <= set(built)}
    for neighbour in ("lib/other.txt", "include/dlpack/other.h"):
        (work.prefix / neighbour).parent.mkdir(parents=True)
        (work.prefix / neighbour).write_text("of somebody else\n", encoding="utf-8")
    before = tree(work.prefix)
    run([*ninja, "install"])
    files = {name: content for name, content in tree(work.prefix).items()
             if content is not None and name not in before}
    compare("installed, beside installed.txt", set(files), expected)
    for name, content in files.items():
        if os.fsencode(work.prefix) in content and not name.startswith("bin/"):
            fail(f"{name} names the prefix: it cannot be moved")
    run([*ninja, "uninstall"])
    compare("the prefix, uninstalled again", tree(work.prefix), before)

    stage = work.folder / "stage"
    run([*ninja, "install"], DESTDIR=stage)
    below = tree(stage / work.prefix.relative_to("/"))
    compare("below DESTDIR, beside what the prefix had",
            {name: content for name, content in below.items() if content is not None}, files)
    compare("the prefix, after that", tree(work.prefix), before)
    run([*ninja, "uninstall"])
    if stage.exists():
        fail("uninstalled, yet there is " + ", ".join(tree(stage)) + " below DESTDIR")

    run([*ninja, "install"])
    shutil.copytree(work.prefix, work.places["moved"])


# Characters of a prefix that programs quote, each in its own way. No pkg-config quotes parentheses,
# which a shell needs: docs/linking.md has a command for that.
PREFIXES = ["\u00e9 (b)", "a space"]
# A host for each way to find each runtime: the kernel is that of the sample, and so is what they
# print.
QUOTED_CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(quoted C CXX)
find_package(PkgConfig REQUIRED)
find_package(tvm_ffi CONFIG REQUIRED)
add_library(kernel MODULE kernel.c)
set_target_properties(kernel PROPERTIES PREFIX "" SUFFIX ".so")
target_link_libraries(kernel PRIVATE tvm_ffi::header)
foreach(runtime IN LISTS RUNTIMES)
  set(source host.c)
  set(module tvm_ffi-${runtime})
  if(runtime STREQUAL cxx)
    set(source cxx_host.cc)
  elseif(runtime STREQUAL shared)
    set(module tvm_ffi)
  endif()
  pkg_check_modules(${module} REQUIRED IMPORTED_TARGET ${module})
  add_executable(pc-${runtime} ${source})
  target_link_libraries(pc-${runtime} PRIVATE PkgConfig::${module})
  add_executable(config-${runtime} ${source})
  target_link_libraries(config-${runtime} PRIVATE tvm_ffi::${runtime})
endforeach()
"""
QUOTED_MESON = """\
project('quoted', 'c', 'cpp')
runtimes = get_option('runtimes')
headers = dependency('tvm_ffi').partial_dependency(compile_args: true, includes: true)
shared_module('kernel', 'kernel.c', dependencies: headers, name_prefix: '', name_suffix: 'so',
  override_options: ['b_lundef=false'])
foreach runtime : runtimes
  module = runtime == 'shared' ? 'tvm_ffi' : 'tvm_ffi-' + runtime
  source = runtime == 'cxx' ? 'cxx_host.cc' : 'host.c'
  executable('pc-' + runtime, source, dependencies: dependency(module))
  if runtime != 'cxx'
    executable('config-' + runtime, source,
      dependencies: dependency('tvm_ffi', static: runtime == 'static'))
  endif
endforeach
"""


def check_hosts(folder, kernel):
    """The hosts in a folder, whose names end in that of the runtime, run with a kernel."""
    hosts = [path for path in folder.glob("*-*") if path.is_file()]
    for host in hosts:
        runtime = host.name.rpartition("-")[2]
        if runtime == "cxx":
            if run([host]) != "hashes agree\n":
                fail(f"{host} has another hash than the runtime")
        else:
            check_printed(folder, {(host.name, kernel): RUNS["host", "kernel.so"]})
            check_linked(host, runtime)
    return sorted(host.name for host in hosts)


def pkg_configs():
    """The programs that answer as pkg-config, by version: those in the search path, and those that
    the variable PKG_CONFIGS names."""
    programs = [shutil.which("pkg-config"), shutil.which("pkgconf"),
                *os.environ.get("PKG_CONFIGS", "").split(":")]
    return {run([program, "--version"], PKG_CONFIG_PATH=HERE).split()[-1]: program
            for program in programs if program}


def printed_words(program, *words, **env):
    """The flags that a program prints, split by a shell that reads them as a command (eval)."""
    print("$", program, *words, flush=True)
    flags = subprocess.run([program, *words], env={**CLEAN, **env}, check=True,
                           stdout=subprocess.PIPE).stdout
    if pathlib.Path(program).name != "tvm-ffi-config":
        flags = subprocess.run(["sed", r"s/[()]/\\&/g"], input=flags, check=True,
                               stdout=subprocess.PIPE).stdout
    script = "eval \"printf '%s\\0' $1\""
    done = subprocess.run(["sh", "-c", script, "sh", flags.strip()], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        fail(f"a shell does not read {flags}: {done.stdout}")
    return os.fsdecode(done.stdout).split("\0")[:-1]


def in_odd_prefix(work, project, prefix):
    """Hosts, built in an installed tree that was moved into that prefix."""
    runtimes = work.runtimes + (["cxx"] if work.with_cxx else [])
    pkg = {"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    kernel = project / "kernel.so"
    cc, cxx = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
    # The tool, where it was built.
    if (prefix / "bin/tvm-ffi-config").exists():
        words = printed_words(prefix / "bin/tvm-ffi-config", "--cflags")
        run([*cc.split(), "-shared", "-fPIC", "kernel.c", *words, "-o", kernel], cwd=project)
        if "shared" in work.runtimes:
            for flag in "--ldflags", "--libs":
                words += printed_words(prefix / "bin/tvm-ffi-config", flag)
            run([*cc.split(), "host.c", *words, f"-Wl,-rpath,{prefix}/lib", "-o",
                 "config-shared"], cwd=project)
    for version, program in pkg_configs().items():
        # That of freedesktop.org does not quote the folder of its file.
        option = ["--define-prefix"] if version.startswith("0.") and " " in str(prefix) else []
        words = printed_words(program, *option, "--cflags", "tvm_ffi", **pkg)
        run([*cc.split(), "-shared", "-fPIC", "kernel.c", *words, "-o", kernel], cwd=project)
        for runtime in runtimes:
            module = "tvm_ffi" if runtime == "shared" else f"tvm_ffi-{runtime}"
            words = printed_words(program, *option, "--cflags", "--libs", module, **pkg)
            source = [*cxx.split(), "cxx_host.cc"] if runtime == "cxx" else [*cc.split(), "host.c"]
            rpath = [f"-Wl,-rpath,{prefix}/lib"] if runtime == "shared" else []
            run([*source, *words, *rpath, "-o", f"{version}-{runtime}"], cwd=project)
        words = printed_words(program, *option, "--static", "--libs", "tvm_ffi", **pkg)
        lists = [word.partition("--dynamic-list=")[2] for word in words
                 if "--dynamic-list=" in word]
        if [pathlib.Path(name).is_file() for name in lists] != [True] * ("static" in runtimes):
            fail(f"pkg-config {version} --static: no such file: {lists}")
    # The commands of docs/linking.md; the last one is for any prefix.
    page = (SOURCE / "docs/linking.md").read_text(encoding="utf-8")
    commands = re.findall(r"^((?:    .*\n)?    eval .*)", page, re.M)
    if "static" in runtimes and not run(["pkg-config", "--version"], **pkg).startswith("0."):
        for number, command in enumerate(commands[-1:] if "(" in str(prefix) else commands):
            run(["sh", "-c", command], cwd=project, **pkg)
            (project / "host").rename(project / f"page{number}-static")
    # make alone, with the flags of the documents.
    run([
        "make", "-f", HERE / "make/Makefile", f"PREFIX={prefix}", f"RUNTIME={runtimes[0]}", "host"
    ], cwd=project)
    (project / "host").rename(project / f"make-{runtimes[0]}")
    done = len(check_hosts(project, kernel))
    # CMake reads .pc files, and has a package of its own.
    (project / "CMakeLists.txt").write_text(QUOTED_CMAKE, encoding="utf-8")
    build = project / "build cmake"
    run(["cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DRUNTIMES={';'.join(runtimes)}",
         f"-DCMAKE_PREFIX_PATH={prefix}"], **pkg)
    run(["cmake", "--build", build])
    done += len(check_hosts(build, build / "kernel.so"))
    # Meson does not decode what pkgconf before 2 and that of freedesktop.org make of such letters.
    if not prefix.name.isascii() and run(["pkg-config", "--version"], **pkg)[0] in "01":
        return done
    (project / "meson.build").write_text(QUOTED_MESON, encoding="utf-8")
    (project / "meson_options.txt").write_text("option('runtimes', type: 'array')\n",
                                               encoding="utf-8")
    build = project / "build meson"
    run(["meson", "setup", build, project, f"-Druntimes={','.join(runtimes)}"], **pkg)
    run(["ninja", "-C", build])
    return done + len(check_hosts(build, build / "kernel.so"))


def prefixes(work):
    need("cmake", "make", "meson", "ninja", "pkg-config")
    for number, name in enumerate(PREFIXES):
        prefix = work.scratch / "prefixes" / name
        shutil.rmtree(prefix, ignore_errors=True)
        shutil.copytree(work.prefix, prefix, symlinks=True)
        project = work.project("cmake", f"in {number}")
        print(in_odd_prefix(work, project, prefix), "hosts")


def newest(work):
    """Put the newest programs of PyPI in front of the search path, or skip the test."""
    venv, wanted = work.scratch / "venv", ["cmake", "pkgconf", "meson"]
    work.scratch.mkdir(exist_ok=True)
    with open(work.scratch / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may be installing them
        for command in ([sys.executable, "-m", "venv", venv],
                        [venv / "bin/pip", "--disable-pip-version-check", "--timeout", "20",
                         "install", "--quiet", "--upgrade", *wanted]):
            done = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode != 0:
                print(f"{' '.join(wanted)} cannot be installed: {done.stdout.strip()[-200:]}")
                sys.exit(77)
    for environ in CLEAN, os.environ:
        environ["PATH"] = f"{venv / 'bin'}:{environ['PATH']}"
    print(run(["cmake", "--version"]))


def make(work):
    need("make")
    for project, prefix, runtime in work.each("make", knows_cxx=False):
        run([
            "make", f"PREFIX={prefix}", f"RUNTIME={runtime}",
            "CFLAGS=-std=c99 -Wall -Wextra -Wpedantic -Werror"
        ], cwd=project)
        check(project, runtime)


def pkgconfig(work):
    need("pkg-config")
    for project, prefix, runtime in work.each("pkgconfig"):
        names = {"shared": "tvm_ffi", "static": "tvm_ffi-static", "cxx": "tvm_ffi-cxx"}
        run(["sh", "build.sh", names[runtime]], cwd=project,
            PKG_CONFIG_PATH=prefix / "lib/pkgconfig")
        check(project, runtime, helper=prefix / "lib/tvm_ffi" / HELPER)
        # An unchanged host, in which the path alone asks for another process.
        if runtime != "static" and (prefix / "lib/libtvm_ffi_isolated.so").exists():
            name = f"isolated:{project / 'add_one.so'}"
            check_printed(project, {("load", name): RUNS["load", "add_one.so"]})
        place = run(["pkg-config", "--variable=dlpack_includedir", "tvm_ffi"],
                    PKG_CONFIG_PATH=prefix / "lib/pkgconfig")
        if not pathlib.Path(place.strip(), "dlpack/dlpack.h").exists():
            fail(f"no dlpack.h in {place}")


def cmake_build(project, prefix, *options):
    """Configure and build a project; returns its build folder. The package is found by its prefix
    or, like the reference's, by its own folder."""
    build = project / "build"
    option = f"-DCMAKE_PREFIX_PATH={prefix}"
    if "moved" in prefix.parts:
        option = f"-Dtvm_ffi_ROOT={prefix}/lib/cmake/tvm_ffi"
    run(["cmake", "-G", "Ninja", "-S", project, "-B", build, option, *options])
    run(["cmake", "--build", build])
    return build


# The answers of find_package for each request, one after the other, and of a package whose version
# file is CMake's own.
ASK_CMAKE = """\
cmake_minimum_required(VERSION ${MINIMUM})
project(asks ${LANGUAGES})
include(CMakePackageConfigHelpers)
file(WRITE "${CMAKE_BINARY_DIR}/twin/twin-config.cmake" "")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/twin/twin-config-version.cmake"
  VERSION "${VERSION}" COMPATIBILITY SameMajorVersion)
function(ask package)
  find_package(${package} CONFIG QUIET ${ARGN})
  unset(${package}_DIR CACHE)
  set(targets)
  foreach(name header shared static isolated)
    if(TARGET tvm_ffi::${name})
      list(APPEND targets ${name})
    endif()
  endforeach()
  list(JOIN targets "," targets)
  set(optional "${tvm_ffi_nonsense_FOUND}")
  message("> ${package};${ARGN}|${${package}_FOUND}|${targets}|${optional}|\
${${package}_NOT_FOUND_MESSAGE}|${${package}_CONSIDERED_VERSIONS}")
endfunction()
foreach(request IN LISTS REQUESTS)
  separate_arguments(words UNIX_COMMAND "${request}")
  if(NOT request MATCHES "COMPONENTS")
    ask(twin ${words})
  endif()
  ask(tvm_ffi ${words})
endforeach()
set(CMAKE_SIZEOF_VOID_P 4)
ask(tvm_ffi)
"""


def requests_of(version):
    """Requests and whether each suits this version, in the order in which they are made."""
    major, minor, patch = map(int, version.split("."))
    line, newer = f"{major}.{minor}", f"{major}.{minor}.{patch + 1}"
    older = f"{line}.{patch - 1}" if patch else f"{major}.{minor - 1}.0"
    after, following = f"{major}.{minor + 1}", major + 1
    refused = [
        "COMPONENTS nonsense", "COMPONENTS header nonsense", newer, after, f"{following}",
        f"{older} EXACT", f"{line} EXACT", f"{older}...{older}", f"{older}...<{version}",
        f"{newer}...{after}", f"{line}...{following}", f"{line}...<{following + 1}"
    ]
    accepted = [
        "OPTIONAL_COMPONENTS nonsense", "COMPONENTS header OPTIONAL_COMPONENTS nonsense",
        f"{older} COMPONENTS header", line, older, version, f"{major}", f"{version} EXACT",
        f"{older}...{version}", f"{older}...<{newer}", f"{older}...{after}",
        f"{line}...<{following}"
    ]
    return {**dict.fromkeys(refused, False), **dict.fromkeys(accepted, True)}


# What is said of components that are not there, by the languages of the project and the request, of
# an installation that has the shared library and the archive.
MISSING = {
    ("C", "COMPONENTS cxx"): "this installation has no component cxx; usable here: header, shared, "
                             "static",
    ("C", "COMPONENTS nonsense isolated cxx static"):
        "this installation has no component cxx, isolated, nonsense; usable here: header, shared, "
        "static",
    ("NONE", "COMPONENTS static"): "static needs a project with C or C++; usable here: header, "
                                   "shared",
    ("NONE", "COMPONENTS static cxx"):
        "this installation has no component cxx; static needs a project with C or C++; usable "
        "here: header, shared",
}


def answers_of(work, prefix, wanted, version, languages, minimum="3.19"):
    """What CMake says to requests of a project with these languages and this least version:
    {(package, request): [found, targets, optional, message, versions]}."""
    project = work.scratch / "project-asks"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir(parents=True)
    (project / "CMakeLists.txt").write_text(ASK_CMAKE, encoding="utf-8")
    said = run(["cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
                f"-DVERSION={version}", f"-DREQUESTS={';'.join(wanted)}",
                f"-DLANGUAGES={languages}", f"-DMINIMUM={minimum}",
                "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",  # CMake 4 refuses projects below that
                f"-DCMAKE_PREFIX_PATH={prefix};{project / 'build/twin'}"])
    answers = {}
    for line in re.findall(r"^> (.*)", said, re.M):
        words, *answer = line.split("|")
        package, *request = words.split(";")
        answers[package, " ".join(request)] = [answer[0] in ("1", "TRUE"), *answer[1:]]
    return answers


def requests(work):
    """Versions and components that a project asks for: what Meson and CMake install answers alike,
    and for versions as CMake's own packages do."""
    need("cmake", "ninja")
    version = run([SOURCE / "tools/ci/version.py"]).strip()
    wanted = requests_of(version)
    build, prefix = work.scratch / "build-by-cmake", work.scratch / "prefix-by-cmake"
    shutil.rmtree(build, ignore_errors=True)
    shutil.rmtree(prefix, ignore_errors=True)
    run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, "-DCMAKE_INSTALL_LIBDIR=lib",
         f"-DCMAKE_INSTALL_PREFIX={prefix}"])
    run(["cmake", "--build", build])
    run(["cmake", "--install", build])
    package = ["config.cmake", "config-version.cmake", "functions.cmake"]
    compare("installed by CMake", {name for name, content in tree(prefix).items() if content}, {
        *(name for name in tree(work.prefix) if name.startswith("include/") and name.endswith(".h")
          and not name.endswith("other.h")),
        *(f"lib/cmake/tvm_ffi/tvm_ffi-{name}" for name in package), "lib/libtvm_ffi.so",
        "lib/libtvm_ffi.a", "lib/tvm_ffi/exports.dynlist"
    })
    isolated = ["isolated"] if list(work.prefix.glob("lib/libtvm_ffi_isolated.*")) else []
    places = {work.prefix: [*work.runtimes, *isolated], prefix: ["shared", "static"]}
    if "shared" in work.runtimes:
        # What needs the shared library is there, but that is not.
        partial = work.scratch / "prefix-partial"
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(work.prefix, partial)
        (partial / "lib/libtvm_ffi.so").unlink()
        places[partial] = [name for name in work.runtimes if name == "static"]
    for (place, components), minimum in itertools.product(places.items(), ["3.1", "3.19"]):
        answers = answers_of(work, place, wanted, version, "C", minimum)
        for request, suits in wanted.items():
            found, targets, optional, message, _ = answers["tvm_ffi", request]
            if found != suits or answers.get(("twin", request), [suits])[0] != suits:
                fail(f"find_package(tvm_ffi {request}) of {place}: found is {found}, not {suits}; "
                     f"CMake says {answers.get(('twin', request))}")
            if targets != ("" if not suits and "OPTIONAL" not in request
                           else ",".join(["header", *components])):
                fail(f"find_package(tvm_ffi {request}) of {place} made: {targets}")
            if "nonsense" in request and (optional != "FALSE" or suits == bool(message)):
                fail(f"find_package(tvm_ffi {request}) of {place}: {optional}, {message}")
        if [answers["tvm_ffi", ""][part] for part in (0, -1)] != [False, f"{version} (64bit)"]:
            fail(f"pointers of 4 bytes, {place}: {answers['tvm_ffi', '']}")
        # Without a language that has threads: headers, and a library that needs nothing.
        answers = answers_of(work, place, ["COMPONENTS static", "COMPONENTS header"], version,
                             "NONE", minimum)
        answers.pop(("tvm_ffi", ""))
        if [answer[0] for answer in answers.values()] != [False, True]:
            fail(f"in a project without C: {answers}")
    for (languages, request), message in MISSING.items():
        said = answers_of(work, prefix, [request], version, languages)["tvm_ffi", request][3]
        if said != message:
            fail(f"find_package(tvm_ffi {request}) with {languages}: {said}, not {message}")


# A library that links the runtime as a part of its own project, and installs itself; and a project
# that finds it. Its source is a host whose main function has another name.
LIBRARY_CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(library ${LANGUAGES})
if(BRINGS_RUNTIME)
  set(TVM_FFI_INSTALL ON)
endif()
include(FetchContent)
FetchContent_Declare(tvm_ffi SOURCE_DIR "${TVM_FFI_SOURCE}")
FetchContent_MakeAvailable(tvm_ffi)
set(kind SHARED)
if(RUNTIME STREQUAL static)
  set(kind STATIC)
endif()
add_library(library ${kind} host.c)
set_target_properties(library PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/tvm_ffi_cxx"
  RELEASE_POSTFIX "")
target_compile_definitions(library PRIVATE main=library_main)
target_link_libraries(library ${HOW} tvm_ffi::${RUNTIME})
install(TARGETS library EXPORT library LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
install(EXPORT library NAMESPACE library:: FILE targets.cmake DESTINATION lib/cmake/library)
export(EXPORT library NAMESPACE library:: FILE "${CMAKE_BINARY_DIR}/library-config.cmake")
file(WRITE "${CMAKE_BINARY_DIR}/package/library-config.cmake" "include(CMakeFindDependencyMacro)
find_dependency(tvm_ffi CONFIG)
include(\\${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
")
install(FILES "${CMAKE_BINARY_DIR}/package/library-config.cmake" DESTINATION lib/cmake/library)
"""
USER_CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(library CONFIG REQUIRED)
add_executable(host main.c)
target_link_libraries(host PRIVATE library::library)
add_library(kernel MODULE kernel.c)
set_target_properties(kernel PROPERTIES PREFIX "" SUFFIX ".so")
target_link_libraries(kernel PRIVATE tvm_ffi::header)
"""


def exported(work):
    """Without an installed tree: a project that has this repository as a part of it installs a
    library of its own, for others to find."""
    need("cmake", "ninja")
    libraries = {
        "shared": {"liblibrary.so", "libtvm_ffi.so", "libtvm_ffi_cxx.so"},
        "static": {"liblibrary.a", "libtvm_ffi.a"},
        "cxx": {"liblibrary.so", "tvm_ffi_cxx/libtvm_ffi.so"}
    }
    for runtime, expected in libraries.items():
        project, is_static = work.project("cmake", "library", runtime), runtime == "static"
        build, prefix, moved = project / "build", project / "prefix", project / "moved/here"
        (project / "CMakeLists.txt").write_text(LIBRARY_CMAKE, encoding="utf-8")
        options = {
            "RUNTIME": runtime, "LANGUAGES": "C" if is_static else "C;CXX",
            "HOW": "PRIVATE" if is_static else "PUBLIC",
            "BRINGS_RUNTIME": "OFF" if is_static else "ON", "TVM_FFI_SOURCE": SOURCE,
            "CMAKE_INSTALL_PREFIX": prefix, "CMAKE_INSTALL_LIBDIR": "lib",
            "CMAKE_BUILD_TYPE": "Release", "CMAKE_RELEASE_POSTFIX": "-own"
        }
        run(["cmake", "-G", "Ninja", "-S", project, "-B", build,
             *(f"-D{name}={value}" for name, value in options.items())])
        run(["cmake", "--build", build])
        run(["cmake", "--install", build])
        # Not unless the project asks for it.
        if is_static:
            compare("installed by a project without TVM_FFI_INSTALL",
                    {name for name in tree(prefix) if "tvm" in name}, set())
            run(["cmake", "--install", build, "--component", "tvm_ffi"])
        compare("libraries that were installed",
                {str(path.relative_to(prefix / "lib")) for path in prefix.rglob("lib*")
                 if path.suffix in (".a", ".so")}, expected)
        moved.parent.mkdir()
        prefix.rename(moved)
        shutil.rmtree(build)
        for path in moved.rglob("*.cmake"):
            text = path.read_text(encoding="utf-8")
            if str(project) in text or str(SOURCE) in text:
                fail(f"{path} names a folder of the build")
        (project / "CMakeLists.txt").write_text(USER_CMAKE, encoding="utf-8")
        (project / "main.c").write_text(
            "int library_main(int argc, char **argv);\nint main(int argc, char **argv) "
            "{ return library_main(argc, argv); }\n", encoding="utf-8")
        build = cmake_build(project, moved, f"-DCMAKE_PREFIX_PATH={moved}")
        check_printed(build, {("host", build / "kernel.so"): RUNS["host", "kernel.so"]})
        check_linked(build / "host" if is_static else moved / "lib/liblibrary.so", runtime)


# Mistakes in a project, and CMake's message for each.
REFUSED = {
    "tvm_ffi_configure_target(nothing)": "`nothing` is not a target",
    "tvm_ffi_configure_target(kernel SHARED ON)": "unknown argument `SHARED;ON`",
    "tvm_ffi_configure_target(kernel LINK_SHARED)": "LINK_SHARED has no value",
    "tvm_ffi_configure_target(kernel STUB_INIT ON)": "STUB_INIT needs STUB_DIR",
    "tvm_ffi_configure_target(kernel STUB_PKG name)": "STUB_PKG and STUB_PREFIX need STUB_INIT ON",
    "tvm_ffi_install(kernel TO lib)": "unknown argument `TO;lib`",
    "tvm_ffi_embed_bin_into(kernel BIN kernel.c)": "SYMBOL is missing",
    "tvm_ffi_embed_bin_into(kernel SYMBOL a-b BIN kernel.c)": "not `a-b`",
    "add_tvm_ffi_cubin(cubin kernel.cu)": "expected CUDA and one source, got `kernel.cu`",
    "find_package(tvm_ffi 0.99 CONFIG REQUIRED)": "compatible with requested version \"0.99\"",
    "find_package(tvm_ffi 1.0 CONFIG REQUIRED)": "compatible with requested version \"1.0\"",
    "find_package(tvm_ffi CONFIG REQUIRED COMPONENTS header nonsense)":
        "this installation has no component nonsense; usable here: header, s",
}


def cmake(work):
    need("cmake", "ninja")
    for project, prefix, runtime in work.each("cmake"):
        text = project / "text.txt"
        text.write_text("some text\n", encoding="utf-8")
        build = cmake_build(project, prefix, f"-DRUNTIME={runtime}")
        check(build, runtime, helper=prefix / "lib/tvm_ffi" / HELPER)
        text.write_text("other text\n", encoding="utf-8")
        run(["cmake", "--build", build])
        if run([build / "embedded"]) != "other text\n":
            fail("the program does not carry the file as it is now")
        if runtime == "static":
            check_plugin(build / "libplugin.so")
    project = work.project("cmake", "refused")
    configure = [
        "cmake", "-S", project / "refused", "-B", project / "build",
        f"-DCMAKE_PREFIX_PATH={work.prefix}"
    ]
    refused = dict(REFUSED)
    if "shared" not in work.runtimes:
        refused["tvm_ffi_configure_target(kernel)"] = "no tvm_ffi::shared; say LINK_SHARED OFF"
    for call, message in refused.items():
        said = run([*configure, f"-DCALL={call}"], refused=True)
        if message not in " ".join(said.split()):
            fail(f"{call}: expected `{message}`, got:\n{said}")
    # C alone is enough. The stand-in for the generator of stubs records its arguments.
    stubgen = project / "stubgen"
    stubgen.write_text('#!/bin/sh\necho "$*" > "$1"\n', encoding="utf-8")
    stubgen.chmod(0o755)
    call = ("tvm_ffi_configure_target(kernel LINK_SHARED OFF STUB_DIR stubs STUB_INIT ON STUB_PKG "
            "package)")
    run([*configure, f"-DTVM_FFI_STUBGEN={stubgen}", f"-DCALL={call}"])
    run(["cmake", "--build", project / "build"])
    stubs = project / "refused/stubs"
    if stubs.read_text(
            encoding="utf-8") != (f"{stubs} --dlls {project}/build/libkernel.so --init-lib kernel "
                                  "--init-pypkg package --init-prefix package.\n"):
        fail("tvm-ffi-stubgen was told " + stubs.read_text(encoding="utf-8"))


def cuda(work):
    nvcc = os.environ.get("NVCC", "nvcc")
    need("cmake", "ninja", nvcc)
    project = work.project("cmake", "cuda") / "cuda"
    build = cmake_build(project, work.prefix, f"-DCMAKE_CUDA_COMPILER={nvcc}",
                        "-DCMAKE_CUDA_ARCHITECTURES=90")
    for kind, magic in {"cubin": b"\x7fELF", "fatbin": b"\x50\xed\x55\xba"}.items():
        shown = subprocess.run([build / f"show_{kind}"], check=True, stdout=subprocess.PIPE).stdout
        made = (build / f"CMakeFiles/{kind}.dir/kernel.cu.o").read_bytes()
        if shown != made or not shown.startswith(magic):
            fail(f"the program does not carry the {kind}")


def meson(work):
    need("pkg-config", "ninja")
    for project, prefix, runtime in work.each("meson"):
        run([
            "meson", "setup", project / "build", project, "--wrap-mode=nofallback",
            f"-Druntime={runtime}"
        ], PKG_CONFIG_PATH=prefix / "lib/pkgconfig")
        run(["ninja", "-C", project / "build"])
        check(project / "build", runtime, helper=prefix / "lib/tvm_ffi" / HELPER)


# For builds of all that there is, of which the result counts, not its speed.
QUICK = ["-Doptimization=0", "-Ddebug=false"]


def subproject(work):
    """Without an installed tree: the same project, with this repository in its subprojects
    folder."""
    need("ninja")
    project = work.project("meson", "subproject")
    (project / "subprojects/tvm_ffi").symlink_to(SOURCE)
    run([
        "meson", "setup", project / "build", project, "--wrap-mode=forcefallback",
        "-Dtvm_ffi:dlpack=fallback", "-Dtvm_ffi:cuda=disabled",
        f"-Dtvm_ffi:default_library={work.kind}", f"-Druntime={work.runtimes[0]}", *QUICK
    ])
    # In newer versions of Meson (1.12), `static: true` of the dependency overrides the subproject's
    # default_library of the command line, and a static library alone excludes cxx_exports.
    for runtime in work.runtimes + (["cxx"] if work.with_cxx else []):
        run([
            "meson", "configure", project / "build", f"-Druntime={runtime}",
            f"-Dtvm_ffi:cxx_exports={'enabled' if runtime == 'cxx' else 'disabled'}"
        ])
        run(["ninja", "-C", project / "build"])
        check(project / "build", runtime,
              helper=project / "build/subprojects/tvm_ffi/isolated" / HELPER)


# What a CMake project may set for all its code: the runtime is the same, and compiled without an
# error.
OTHER_SETTINGS = [
    *(f"-DCMAKE_{name}_POSTFIX=-own" for name in ("DEBUG", "OWN", "RELEASE")),
    "-DCMAKE_C_STANDARD=17",
    "-DCMAKE_CXX_STANDARD=20", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_C_VISIBILITY_PRESET=default",
    "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_POSITION_INDEPENDENT_CODE=OFF",
    "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror -Wundef -Wc++-compat -Wdeclaration-after-statement "
    "-fno-exceptions",
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -Wold-style-cast -fno-rtti"
]


def cmake_inside(work):
    """Without an installed tree: the same project, with this repository as a folder of it."""
    need("cmake", "ninja")
    abi = SOURCE / "tests/abi"
    for runtime, configuration in {"shared": "Debug", "static": "Release", "cxx": "Own"}.items():
        project = work.project("cmake", "inside", runtime)
        (project / "text.txt").write_text("some text\n", encoding="utf-8")
        # What the command line cannot set for the runtime alone, as a project does before it adds
        # the runtime.
        settings = project / "settings.cmake"
        settings.write_text("set(CMAKE_SHARED_LIBRARY_PREFIX own)\n"
                            "set(CMAKE_STATIC_LIBRARY_PREFIX own)\n"
                            "set(CMAKE_SHARED_LIBRARY_SUFFIX .own)\n"
                            "set(CMAKE_STATIC_LIBRARY_SUFFIX .archive)\n"
                            "set(CMAKE_LIBRARY_OUTPUT_DIRECTORY_OWN ${CMAKE_CURRENT_BINARY_DIR})\n",
                            encoding="utf-8")
        run(["cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DRUNTIME={runtime}",
             f"-DTVM_FFI_SOURCE={SOURCE}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *OTHER_SETTINGS,
             f"-DCMAKE_BUILD_TYPE={configuration}", f"-DCMAKE_PROJECT_tvm_ffi_INCLUDE={settings}"])
        run(["cmake", "--build", project / "build"])
        check(project / "build", runtime)
        if runtime == "static":
            check_plugin(project / "build/libplugin.so")
        else:
            built = project / "build/tvm_ffi" / ("tvm_ffi_cxx"
                                                 if runtime == "cxx" else "") / "libtvm_ffi.so"
            lists = [abi / "exports.txt"] + ([abi / "exports_cxx.txt"] if runtime == "cxx" else [])
            run([sys.executable, abi / "binary.py", "exports", built, *lists])
            run([sys.executable, abi / "binary.py", "dynamic", built])
    # Meson compiles the same files.
    commands = json.loads((project / "build/compile_commands.json").read_text(encoding="utf-8"))
    listed = json.loads((work.build / "meson-info/intro-targets.json").read_text(encoding="utf-8"))
    (archive,) = [target for target in listed if target["id"].endswith("tvm_ffi@sta")]
    compare("sources that CMake compiles, beside those of Meson",
            {command["file"] for command in commands if command["file"].startswith(f"{SOURCE}/c/")
             and command["file"].endswith(".c")},
            {source for group in archive["target_sources"] for source in group.get("sources", [])})


def cmake_fetched(work):
    """The lines of docs/linking.md, in a project that has a program and no C++."""
    need("cmake", "git")
    project = work.project("cmake", "fetched")
    lines = quoted("include(FetchContent)", repository(work))
    text = ("cmake_minimum_required(VERSION 3.18)\nproject(host C)\nadd_executable(host "
            f"host.c)\n{lines}")
    if len(lines.splitlines()) > 4:
        fail("more than four lines")
    (project / "CMakeLists.txt").write_text(
        text + "add_library(kernel MODULE kernel.c)\nset_target_properties(kernel "
        "PROPERTIES PREFIX \"\")\ntarget_link_libraries(kernel PRIVATE tvm_ffi::header)\n"
        "install(TARGETS host tvm_ffi_shared)\n", encoding="utf-8")
    build, runs = project / "build", {("host", "kernel.so"): RUNS["host", "kernel.so"]}
    run(["cmake", "-S", project, "-B", build])
    run(["cmake", "--build", build])
    check(build, "shared", runs)
    run(["cmake", "--install", build, "--prefix", project / "prefix"])
    compare("installed by the project",
            {name for name, content in tree(project / "prefix").items() if content is not None},
            {"bin/host", "lib/libtvm_ffi.so"})


def meson_wrapped(work):
    """The wrap file of docs/linking.md, and one for an archive as those of WrapDB."""
    need("ninja", "git")
    clone = repository(work)
    for name in ("git", "file"):
        project = work.project("meson", f"wrap-{name}")
        wrap = quoted("[wrap-git]", clone)
        if name == "file":
            archive = project / "tvm_ffi.tar.gz"
            run(["git", "-C", clone, "archive", "--prefix=tvm_ffi-source/", "-o", archive, "HEAD"])
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            wrap = (f"[wrap-file]\ndirectory = tvm_ffi-source\nsource_url = {archive.as_uri()}\n"
                    f"source_filename = {archive.name}\nsource_hash = {digest}\n\n" +
                    wrap[wrap.index("[provide]"):])
        (project / "subprojects/tvm_ffi.wrap").write_text(wrap, encoding="utf-8")
        runtime = "cxx" if name == "git" else "static"
        run([
            "meson", "setup", project / "build", project, "--wrap-mode=forcefallback",
            f"-Druntime={runtime}", *QUICK
        ])
        run(["ninja", "-C", project / "build"])
        (helper,) = project.glob(f"build/subprojects/tvm_ffi*/isolated/{HELPER}")
        check(project / "build", runtime, helper=helper)


def conan(work):
    """The recipe of Conan, without a remote: the same project finds the package of a local
    cache."""
    need("conan", "meson", "cmake", "ninja")
    home = {"CONAN_HOME": work.folder / "conan-home"}
    shutil.rmtree(home["CONAN_HOME"], ignore_errors=True)
    run(["conan", "profile", "detect"], **home)
    version = run([SOURCE / "tools/ci/version.py"]).strip()
    for runtimes in ("static",), ("shared", "cxx"):
        options = {"shared": runtimes[0] == "shared", "cxx_exports": runtimes[0] == "shared"}
        words = [
            word for name, value in options.items() for word in ("-o", f"tvm_ffi/*:{name}={value}")
        ]
        kind = "Debug" if runtimes == ("static",) else "Release"
        words += ["-s", f"build_type={kind}"]
        run([
            "conan", "create", SOURCE / "packaging/conan", "--no-remote", "--test-folder=", *words
        ], **home)
        for runtime in runtimes:
            project = work.project("cmake", "conan", runtime)
            (project / "text.txt").write_text("some text\n", encoding="utf-8")
            run([
                "conan", "install", f"--requires=tvm_ffi/{version}", "--no-remote", "-g",
                "CMakeToolchain", "-g", "CMakeDeps", "--output-folder", project / "conan", *words
            ], cwd=project, **home)
            run([
                "cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
                f"-DRUNTIME={runtime}", f"-DCMAKE_BUILD_TYPE={kind}",
                f"-DCMAKE_TOOLCHAIN_FILE={project / 'conan/conan_toolchain.cmake'}"
            ])
            run(["cmake", "--build", project / "build"])
            helpers = home["CONAN_HOME"].glob(f"p/**/lib/tvm_ffi/{HELPER}")
            check(project / "build", runtime,
                  helper=max(helpers, key=lambda path: path.stat().st_mtime))


def main():
    parser = argparse.ArgumentParser()
    parts = {
        part.__name__: part for part in (installed, make, pkgconfig, cmake, cuda, meson, subproject,
                                         prefixes, requests, exported, cmake_inside, cmake_fetched,
                                         meson_wrapped, conan)
    }
    parser.add_argument("part", choices=parts)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--kind", choices=["both", "shared", "static"], default="both")
    parser.add_argument("--newest", action="store_true")
    args, options = parser.parse_known_args()
    work = Work(args.work, args.kind, "newest" if args.newest else "")
    if args.newest:
        newest(work)
    if args.part == "installed":
        installed(work, options)
    else:
        parts[args.part](work)


if __name__ == "__main__":
    main()

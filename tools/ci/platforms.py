# SPDX-License-Identifier: Apache-2.0
"""The systems and processors that tools/test --platforms builds for, and how their programs are run here."""
import collections
import pathlib
import subprocess

# compiler: the command; family, endian: in Meson's words; runner: the command that runs programs, or []; cpp: whether
# C++ is tested, too; matrix: whether --all has it; slower: how many times as long tests take.
Target = collections.namedtuple("Target", "what compiler family endian runner cpp matrix slower needs")


def emulated(what, triplet, family, endian, processor, cpp=False, matrix=False):
    return Target(what, f"{triplet}-gcc", family, endian, [f"qemu-{processor}", "-L", f"/usr/{triplet}"], cpp, matrix, 6,
                  f"qemu cross-{triplet}" + (f" cross-cpp-{triplet}" if cpp else ""))


TARGETS = {
    "musl": Target("x86-64, musl", "musl-gcc", "x86_64", "little", [], False, True, 1, "musl-gcc"),
    "aarch64": emulated("AArch64, glibc", "aarch64-linux-gnu", "aarch64", "little", "aarch64", cpp=True, matrix=True),
    "armhf": emulated("ARMv7 (32 bits), glibc", "arm-linux-gnueabihf", "arm", "little", "arm"),
    "riscv64": emulated("RISC-V (64 bits), glibc", "riscv64-linux-gnu", "riscv64", "little", "riscv64"),
    "s390x": emulated("s390x (64 bits, big-endian), glibc", "s390x-linux-gnu", "s390x", "big", "s390x", matrix=True),
    "powerpc": emulated("PowerPC (32 bits, big-endian), glibc", "powerpc-linux-gnu", "ppc", "big", "ppc"),
}

# What cmocka's build would find out. All targets have these.
CMOCKA = ["HAVE_MALLOC_H", "HAVE_INTTYPES_H", "HAVE_SIGNAL_H", "HAVE_STRINGS_H", "HAVE_UNISTD_H", "HAVE_STRSIGNAL",
          "HAVE_STRUCT_TIMESPEC", "HAVE_CLOCK_REALTIME", "HAVE_GCC_THREAD_LOCAL_STORAGE", "_GNU_SOURCE"]


def tool(target, name):
    """A program of the target's binutils; musl's are the system's own."""
    return name if target.compiler == "musl-gcc" else target.compiler.removesuffix("gcc") + name


def build_cmocka(target, source, folder):
    """Compile cmocka for a target, with a file for pkg-config."""
    (folder / "pkgconfig").mkdir(parents=True, exist_ok=True)
    subprocess.run([target.compiler, "-O1", "-w", "-fPIC", "-funwind-tables", f"-I{source / 'include'}", *(f"-D{name}" for name in CMOCKA),
                    "-c", source / "src/cmocka.c", "-o", folder / "cmocka.o"], check=True)
    subprocess.run([tool(target, "ar"), "rcs", folder / "libcmocka.a", folder / "cmocka.o"], check=True)
    (folder / "pkgconfig/cmocka.pc").write_text(
        f"Name: cmocka\nDescription: unit tests\nVersion: 1.1.5\nLibs: -L{folder} -lcmocka\n"
        f"Cflags: -I{source / 'include'}\n", encoding="utf-8")


def write_cross_file(target, folder):
    """Meson's description of a target; returns its path."""
    binaries = {"c": target.compiler, "pkgconfig": "pkg-config", **{name: tool(target, name) for name in
                ("ar", "nm", "readelf", "strip")}}
    if target.cpp:
        binaries["cpp"] = tool(target, "g++")
    if target.runner:
        binaries["exe_wrapper"] = target.runner
    properties = {"pkg_config_libdir": str(folder / "pkgconfig"), "needs_exe_wrapper": bool(target.runner)}
    host = {"system": "linux", "cpu_family": target.family, "cpu": target.family, "endian": target.endian}
    path = pathlib.Path(folder, "cross.ini")
    lines = []
    for title, entries in (("binaries", binaries), ("properties", properties), ("host_machine", host)):
        lines.append(f"[{title}]")
        lines += [f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}" for key, value in entries.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path

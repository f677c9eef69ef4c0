# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/test for systems that the compiler of PyPI's ziglang compiles and links for,
with the C libraries that it brings along. Programs are run where a static one needs only an
emulator of the processor."""
import dataclasses
import fcntl
import re
import sys

from porting_tables import name_runner
from ports import amalgamate, run_sample
from steps import NAMED, REPORT, ROOT, build, compiler, execute, part, tool

PACKAGE = "ziglang==0.17.1"
ZIG = ROOT / "build-zig"
LOAD_AND_CALL, SYSTEM_LIBRARY, ADD_ONE = (
    ROOT / "samples" / name for name in ("01_load_and_call", "09_system_library", "11_cpp_add_one"))

# What the linker of macOS adds to every library.
ADDED = {"__dso_handle", "_mh_dylib_header"}


@dataclasses.dataclass(frozen=True)
class Target:
    what: str
    triple: str  # Zig's word for the system
    library: str = "libtvm_ffi.so"
    runner: tuple = ()  # the command that runs static programs
    endian: str = "little"

    @property
    def is_windows(self):
        return self.library.endswith(".dll")

    @property
    def is_macos(self):
        return self.library.endswith(".dylib")


def musl(what, triple, processor, **kwargs):
    """Linux with musl; programs for it are static."""
    return Target(f"{what}, musl: compiled, and static programs are run", triple,
                  runner=(f"qemu-{processor}", ), **kwargs)


TARGETS = {
    "macos_arm64": Target("macOS arm64: compiled and linked, not run", "aarch64-macos",
                          "libtvm_ffi.dylib"),
    "macos_x64": Target("macOS x86-64: compiled and linked, not run", "x86_64-macos",
                        "libtvm_ffi.dylib"),
    "windows_arm64": Target("Windows arm64, MinGW-w64: compiled and linked, not run",
                            "aarch64-windows-gnu", "tvm_ffi.dll"),
    "musl_aarch64": musl("AArch64", "aarch64-linux-musl", "aarch64"),
    "musl_armhf": musl("ARMv7 (32 bits)", "arm-linux-musleabihf", "arm"),
    "musl_riscv64": musl("RISC-V (64 bits)", "riscv64-linux-musl", "riscv64"),
    "musl_s390x": musl("s390x (64 bits, big-endian)", "s390x-linux-musl", "s390x", endian="big"),
}


def install(what="all of it"):
    """The program of Zig, installed from PyPI into a build folder; None after noting the skip of
    what needs it."""
    venv = ZIG / "venv"
    ZIG.mkdir(exist_ok=True)
    with open(ZIG / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another part may be installing it
        for command in ([sys.executable, "-m", "venv", venv], [
                venv / "bin/python", "-m", "pip", "--disable-pip-version-check", "install",
                "--quiet", PACKAGE
        ]):
            done = execute(command)
            if done.returncode != 0:
                REPORT.skip(what, f"{PACKAGE} is not installed: {done.stdout.strip()[-200:]}")
                return None
    return REPORT.run(
        "Zig is found",
        [venv / "bin/python", "-c", "import ziglang; print(ziglang.__path__[0])"]).strip() + "/zig"


def steps(target, work):
    """(what, arguments of Zig) of everything that is compiled in a folder with the single file."""
    c = [
        "cc", "-target", target.triple, "-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic-errors",
        "-Werror", f"-I{work}"
    ]
    cxx = [
        "c++", "-target", target.triple, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Wpedantic",
        "-Werror", "-Icpp", "-Iinclude", "-Isubprojects/dlpack/include"
    ]
    shared = ["-shared", *([] if target.is_windows else ["-fPIC"])]
    runtime, library = work / "tvm_ffi.c", work / target.library
    exporting, kernel_links, host_links = [], [], [library]
    if target.is_windows:
        imports = work / "libtvm_ffi.dll.a"
        exporting, kernel_links, host_links = ["-DTVM_FFI_EXPORTS",
                                               f"-Wl,--out-implib,{imports}"], [imports], [imports]
    elif target.is_macos:
        kernel_links = ["-Wl,-undefined,dynamic_lookup"]
    return [
        ("layouts", [*c, "-Itests/abi", "-c", "tests/abi/layout.c", "-o", work / "layout.o"]),
        ("the library", [*c, *shared, *exporting, runtime, "-o", library]),
        ("a kernel",
         [*c, *shared, LOAD_AND_CALL / "kernel.c", *kernel_links, "-o", work / "kernel.so"]),
        ("a kernel in C++",
         [*cxx, *shared, ADD_ONE / "add_one.cc", *kernel_links, "-o", work / "kernel_cxx.so"]),
        ("a program", [*c, LOAD_AND_CALL / "host.c", *host_links, "-o", work / "host"]),
        ("a program with kernels and the runtime inside", [
            *c, SYSTEM_LIBRARY / "host.c", SYSTEM_LIBRARY / "kernel.c", runtime, "-o",
            work / "inside"
        ]),
    ]


def exports(target, library):
    """The names that a library exports."""
    if target.is_windows:
        command, line = ["llvm_tool", "llvm-readobj", "--coff-exports"], r"^ *Name: (\w+)$"
    elif target.is_macos:
        command, line = ["llvm_tool", "llvm-nm", "--extern-only", "--defined-only"], r" _(\w+)$"
    else:
        command, line = ["llvm_tool", "llvm-nm", "--dynamic", "--extern-only",
                         "--defined-only"], r" (\w+)$"
    printed = REPORT.run(f"exports of {library.name} are read", [*command, library])
    return set(re.findall(line, printed, re.M)) - ADDED


def abi(target):
    """The names that the library must export: there are no modules in C++ on Windows."""
    lines = (ROOT / "tests/abi/exports.txt").read_text(encoding="utf-8").splitlines()
    names = {line.split("#")[0].strip() for line in lines} - {""}
    return {name for name in names if not (target.is_windows and name.startswith("_Z"))}


def check_exports(target, work):
    """Compare the names that the library and its kernels export with those that they should."""
    found = exports(target, work / target.library)
    REPORT.check("the library exports the ABI", found == abi(target),
                 " ".join(sorted(found ^ abi(target))))
    found = exports(target, work / "kernel.so")
    REPORT.check("the kernel exports its function", found == {"__tvm_ffi_scale"},
                 " ".join(sorted(found)))
    found = exports(target, work / "kernel_cxx.so")
    REPORT.check("the kernel in C++ exports its function", "__tvm_ffi_add_one" in found,
                 " ".join(sorted(found)))


def check_isolated(target, folder):
    """Compare what the library of isolated modules exports with the list of its Debian package."""
    symbols = (ROOT / "packaging/debian/libtvm-ffi-isolated.symbols").read_text(encoding="utf-8")
    found = exports(target, folder / "isolated/libtvm_ffi_isolated.dylib")
    REPORT.check("libtvm_ffi_isolated exports its functions",
                 found == set(re.findall(r"^ (\w+)@Base", symbols, re.M)), " ".join(sorted(found)))


def check_recorder(target, library):
    """Compare what the recorder of macOS exports, and whose place its functions take, with what it
    should."""
    found = exports(target, library)
    names = {f"tvm_ffi_record_{name}" for name in ("start", "stop", "flush")}
    REPORT.check("the recorder exports its API", found == names, " ".join(sorted(found ^ names)))
    printed = REPORT.run("what the recorder refers to is read",
                         ["llvm_tool", "llvm-objdump", "--macho", "--bind", library])
    found = set(re.findall(r"^__DATA +__interpose .* _(\w+(?: \(weak_import\))?)$", printed, re.M))
    names = {"dlsym", "TVMFFIEnvModRegisterSystemLibSymbol (weak_import)"}
    REPORT.check("the recorder takes the place of dlsym and of registrations", found == names,
                 printed)


def run_tool(target, program, work):
    """Check what a static tool does with the library of a kernel, which it can read but not
    load."""
    kernel = work / "kernel.so"

    def ask(*words, code=0, says=""):
        done = execute([*target.runner, program, *words])
        REPORT.check(f"tvm-ffi {words[0]}", done.returncode == code
                     and re.search(says, done.stdout), done.stdout)
        return done.stdout

    ask("--version", says=r"^tvm-ffi \d")
    ask("info", "--json", says=f"{target.endian}-endian")
    ask("types", says=r"\bffi\.Function\b")
    ask("registry", says=r"(?m)^ffi\.Array\(")
    ask("list", "--names", kernel, says=r"^scale$")
    ask("check", kernel, says=r"ok +file ")
    ask("stub", "--no-load", kernel, says=r"\bscale\b")
    ask("run", kernel, "scale()", code=4, says=r"cannot be loaded: Dynamic loading not supported$")
    given, taken = work / "given", work / "taken"
    given.write_bytes(bytes(range(256)))
    for machine in "x86-64", "s390x":
        packed = work / f"{machine}.o"
        ask("embed", given, "--name=x", f"--machine={machine}", "-o", packed)
        ask("unpack", packed, "--extract=x_given", "-o", taken)
        REPORT.check("what unpack takes out is what embed put in",
                     taken.read_bytes() == given.read_bytes())
    (work / "wrapped.c").write_text(ask("wrap", "double norm(const float x[n], int n)"),
                                    encoding="utf-8")


def build_all(name, target, zig, env, work):
    """Build library, samples and tool by Meson, and run a static tool where there is an
    emulator."""
    env = {**env, "ZIG": zig}
    options = [
        "--cross-file", ROOT / f"tools/ci/zig-{name}.ini", "-Ddlpack=fallback", "-Dcpp=disabled",
        "-Dcuda=disabled", "-Dtests=disabled", "-Dtools=enabled"
    ]
    if target.is_macos:
        options.append("-Disolated=enabled")
    folder = build(f"zig-{name}", *options, env=env)
    if target.is_macos:
        check_isolated(target, folder)
        check_recorder(target, folder / "tools/libtvm_ffi_record.dylib")
    if target.runner:
        folder = build(f"zig-{name}-static", *options, "-Dsamples=disabled",
                       "-Ddefault_library=static", "-Dc_link_args=-static", env=env)
        run_tool(target, folder / "tools/tvm-ffi", work)
        REPORT.run("what wrap wrote is compiled", [
            zig, "cc", "-target", target.triple, "-std=c99", "-Wall", "-Wextra", "-pedantic-errors",
            "-Werror", f"-I{work}", "-c", work / "wrapped.c", "-o", work / "wrapped.o"
        ], env=env)


def add_target(name, target):
    """Make a part that compiles and links for a system."""
    def run():
        if not compiler("llvm_tool", "llvm-nm") or (target.runner and not tool(target.runner[0])):
            return
        zig = install()
        if zig is None:
            return
        env = {
            variable: str(ZIG / "cache")
            for variable in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
        }
        work = amalgamate(name)
        for what, arguments in steps(target, work):
            REPORT.run(what, [zig, *arguments], env=env)
        system, _, runs = target.what.partition(": ")
        REPORT.describe(system, "clang of " + PACKAGE.replace("==", " "),
                        f"{runs} by {name_runner(target.runner)}" if target.runner else
                        runs.replace("not run", "**not run**"))
        check_exports(target, work)
        build_all(name, target, zig, env, work)
        if target.runner:
            run_sample("the program with kernels inside runs", [*target.runner, work / "inside"],
                       SYSTEM_LIBRARY)
    run.__name__, run.__doc__ = name, target.what
    part("venv llvm meson ninja pkg-config" + (" qemu" if target.runner else ""), when=NAMED)(run)


for target_name, zig_target in TARGETS.items():
    add_target(target_name, zig_target)

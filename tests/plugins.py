#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins in hosts that open them with RTLD_LOCAL, so that no name of the runtime is global.

    plugins.py [--c-only] [--refused] FOLDER SHARED COMPILER...

FOLDER has the libraries and the host of tests/modules, SHARED is libtvm_ffi.so. A plugin has the
shared library, the archive or the single file, of which COMPILER makes two: one that shows the
names of the runtime, and one that hides them. Hosts are a program in C, this Python (ctypes) and
Lua. A kernel's first error is raised, and the host lives. --refused: the runtime was built with
-Dlocal_runtime=false, so that kernels find it only where its names are global.
"""
import argparse
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

RAISED = "ValueError: raised by a kernel"
HOW = ("shared", "archive", "single", "hidden")
ROOT = pathlib.Path(__file__).resolve().parents[1]
KERNELS = ("bound", "bound_now", "bound_lazy", "bound_named", "bound_lacking", "bound_through",
           "bound_cpp")
BY_CTYPES = ("import ctypes, sys\n"
             "for path in sys.argv[1:]:\n"
             "    ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL).test_local_plugin(None)\n"
             "print('alive')")
BY_LUA = "package.loadlib(arg[1], 'test_local_plugin')() print('alive')"


class Tests:

    def __init__(self, folder, shared, compiler, scratch):
        self.folder, self.shared = folder.resolve(), shared.resolve()
        self.compiler, self.scratch = compiler, scratch
        self.host = [str(self.folder / "local_host")]
        self.num_failed = 0

    def path(self, name):
        return str(self.folder / f"{name}.so")

    def plugin(self, how):
        if how in ("single", "hidden"):
            return str(pathlib.Path(self.scratch) / f"{how}.so")
        return self.path(f"local_{how}")

    def compile_single_file(self, *defined):
        subprocess.run([ROOT / "tools/amalgamate", self.scratch], check=True)
        subprocess.run([*self.compiler, "-I.", "-fPIC", *defined, "-c", "tvm_ffi.c",
                        ROOT / "tests/modules/local_plugin.c"], cwd=self.scratch, check=True)
        hidden = ROOT / "tests/modules/local_plugin.map"
        for how in "single", "hidden":
            more = [f"-Wl,--version-script={hidden}"] if how == "hidden" else []
            subprocess.run([*self.compiler, "-shared", "tvm_ffi.o", "local_plugin.o", "-o",
                            f"{how}.so", "-pthread", "-ldl", *more], cwd=self.scratch, check=True)

    def run(self, command, kernels, unload=False):
        """(exit status, lines) of a host."""
        env = {**os.environ, "TEST_KERNELS": ":".join(str(path) for path in kernels),
               "LD_LIBRARY_PATH": str(self.shared.parent)}
        if unload:
            env["TEST_UNLOAD"] = "1"
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def expect(self, what, command, kernels, lines, unload=False):
        """Run a host. A line that begins with * needs to contain the rest of it."""
        status, got = self.run(command, kernels, unload)
        lines = [*lines, "alive"]
        good = status == 0 and len(got) == len(lines) and all(
            wanted[1:] in line if wanted.startswith("*") else wanted == line
            for wanted, line in zip(lines, got))
        print("ok    " if good else "FAILED", what)
        if not good:
            print(f"  status {status}", *got, "  expected:", *lines, sep="\n  ")
            self.num_failed += 1


def test_first_error(tests):
    kernels = [tests.path(name) for name in KERNELS if os.path.exists(tests.path(name))]
    for how in HOW:
        tests.expect(f"first errors, {how}, C", [*tests.host, "call", tests.plugin(how)], kernels,
                     [RAISED] * len(kernels))


def test_all_names(tests):
    """A kernel that uses every name of tests/abi/exports.txt which is not for hosts alone."""
    names = [line for line in (ROOT / "tests/abi/exports.txt").read_text("utf-8").split()
             if re.fullmatch(r"(TVMFFI(?!Runtime)|_Z)\w+", line)]
    source = pathlib.Path(tests.scratch) / "all_names.c"
    source.write_text("".join(f"extern char {name}[];\n" for name in names)
                      + "const void *const used[] = {" + ", ".join(names) + "};\n"
                      "void TVMFFIErrorSetRaisedFromCStr_(const char *kind, const char *message) "
                      '__asm__("TVMFFIErrorSetRaisedFromCStr");\n'
                      "int __tvm_ffi_raise(void) {\n"
                      '  TVMFFIErrorSetRaisedFromCStr_("ValueError", "raised by a kernel");\n'
                      "  return -1;\n}\n", encoding="utf-8")
    subprocess.run([*tests.compiler, "-shared", "-fPIC", source, "-o", source.with_suffix(".so")],
                   check=True)
    for how in HOW:
        tests.expect(f"all {len(names)} names, {how}", [*tests.host, "call", tests.plugin(how)],
                     [source.with_suffix(".so")], [RAISED])


def test_other_hosts(tests):
    lua = shutil.which("lua5.4") or shutil.which("lua")
    for how in HOW:
        kernels = [tests.path("bound"), tests.path("bound_now")]
        tests.expect(f"first errors, {how}, ctypes",
                     [sys.executable, "-c", BY_CTYPES, tests.plugin(how)], kernels, [RAISED] * 2)
        if lua is None:
            print("skipped", f"first errors, {how}, Lua: no lua5.4")
            continue
        script = pathlib.Path(tests.scratch) / "host.lua"
        script.write_text(BY_LUA + "\n", encoding="utf-8")
        tests.expect(f"first errors, {how}, Lua", [lua, str(script), tests.plugin(how)], kernels,
                     [RAISED] * 2)


def test_a_name_that_nobody_has(tests):
    for how in HOW:
        tests.expect(f"a kernel for a later version, {how}",
                     [*tests.host, "call", tests.plugin(how)], [tests.path("bound_newer")],
                     ["*InternalError: Failed to load dynamic shared library"])


def test_a_kernel_that_the_host_has_open(tests):
    for how in HOW:
        tests.expect(f"a kernel that the host has open, {how}",
                     [*tests.host, "local", tests.path("bound_lazy"), "call", tests.plugin(how)],
                     [tests.path("bound_lazy")], [RAISED])


def test_two_plugins(tests):
    """Each has a copy of its own, and is refused the kernel of the other."""
    pairs = [("archive", "hidden"), ("single", "shared"), ("shared", "archive")]
    for first, second in pairs:
        tests.expect(f"one kernel for two plugins, {first} and {second}",
                     [*tests.host, "call", tests.plugin(first), "call", tests.plugin(second)],
                     [tests.path("bound_lazy")],
                     [RAISED, "*it calls another copy of the runtime"])


def test_a_global_copy(tests):
    """With another copy's names global, a kernel would call that one."""
    for how in "archive", "hidden":
        for kernel in "bound", "bound_now", "bound_lazy":
            tests.expect(f"another copy is global, {how}, {kernel}",
                         [*tests.host, "global", str(tests.shared), "call", tests.plugin(how)],
                         [tests.path(kernel)],
                         [f"*it calls another copy of the runtime ({tests.shared} has its TVMFFI"])
    tests.expect("the plugin's own copy is global",
                 [*tests.host, "global", str(tests.shared), "call", tests.plugin("shared")],
                 [tests.path("bound")], [RAISED])


def test_another_copy_describes_again(tests):
    """A copy whose calls the loader binds to the one that was global first, as the package's
    library: what that one has built in stays. Nobody else may describe it again."""
    if b"ffi.reflection.AccessStep" not in tests.shared.read_bytes():
        print("describing again: left out, for this profile has no type with fields")
        return
    source = ROOT / "tests/modules/describes_again.c"
    for name, objects in ("with_a_copy", ["tvm_ffi.o"]), ("without_one", []):
        path = pathlib.Path(tests.scratch) / f"{name}.so"
        subprocess.run([*tests.compiler, "-I.", "-shared", "-fPIC", source, *objects, "-o", path,
                        "-pthread", "-ldl"], cwd=tests.scratch, check=True)
        told = "done" if objects else "refused"
        tests.expect(f"built-ins are described again by a library {name}",
                     [*tests.host, "global", str(tests.shared), "local", str(path)], [],
                     [f"metadata: {told}", f"field: {told}", f"function: {told}",
                      f"function with metadata: {told}", "method: done", "method: done",
                      f"{1 if objects else 2} more methods", "own function: done",
                      "own function: refused"])


def test_no_files(tests):
    """Where no file in memory can be made there is one in /tmp; without either, a refusal."""
    source = pathlib.Path(tests.scratch) / "none.c"
    for name, calls in (("memory", "memfd_create"), ("any", "memfd_create mkostemp mkostemp64")):
        source.write_text("".join(f"int {call}(void);\nint {call}(void) {{ return -1; }}\n"
                                  for call in calls.split()), encoding="utf-8")
        subprocess.run([*tests.compiler, "-shared", "-fPIC", "-w", "-fno-builtin", source, "-o",
                        source.with_name(f"no_{name}.so")], check=True)
    for how in HOW:
        preload = f"LD_PRELOAD={source.with_name('no_memory.so')}"
        tests.expect(f"no file in memory, {how}",
                     ["env", preload, *tests.host, "call", tests.plugin(how)],
                     [tests.path("bound"), tests.path("bound_now")], [RAISED] * 2)
        preload = f"LD_PRELOAD={source.with_name('no_any.so')}"
        tests.expect(f"no file at all, {how}",
                     ["env", preload, *tests.host, "call", tests.plugin(how)],
                     [tests.path("bound"), tests.path("bound_now")],
                     ["*InternalError: Failed to load dynamic shared library",
                      "*open it with RTLD_GLOBAL"])


def test_unloading(tests):
    for how in HOW:
        for kernel in "bound", "bound_now":
            path = tests.path(kernel)
            tests.expect(f"unloading, {how}, {kernel}",
                         [*tests.host, "call", tests.plugin(how), "is", path], [path],
                         [RAISED, "not loaded"], unload=True)
            tests.expect(f"without unloading, {how}, {kernel}",
                         [*tests.host, "call", tests.plugin(how), "is", path], [path],
                         [RAISED, "loaded"])
        status, lines = tests.run([*tests.host, "call", tests.plugin(how), "count", "",
                                   *["call", tests.plugin(how)] * 20, "count", ""],
                                  [tests.path("bound")], unload=True)
        counts = [line for line in lines if line.endswith(" files")]
        good = status == 0 and len(counts) == 2 and counts[0] == counts[1]
        print("ok    " if good else "FAILED", f"nothing is left of unloaded kernels, {how}", counts)
        tests.num_failed += not good


def test_first_use_by_many_threads(tests):
    """They load the same kernels at the same time."""
    kernels = [tests.path("bound"), tests.path("bound_now"), tests.path("bound_lazy")]
    for how in HOW:
        for unload in False, True:
            tests.expect(f"first use by many threads, {how}, {'un' * unload}loaded at the end",
                         [*tests.host, "threads", tests.plugin(how)], kernels,
                         [RAISED] * 8 * len(kernels), unload=unload)


def test_closing_the_plugin(tests):
    """A kernel that stays loaded keeps the copy that it is bound to, for its static objects too."""
    for how in HOW:
        if os.path.exists(tests.path("bound_cpp")):
            tests.expect(f"the plugin is closed before a static Function goes, {how}",
                         [*tests.host, "call", tests.plugin(how), "close", tests.plugin(how)],
                         [tests.path("bound_cpp")], [RAISED])
            tests.expect(f"a kernel with a static Function is unloaded, {how}",
                         [*tests.host, "call", tests.plugin(how), "close", tests.plugin(how)],
                         [tests.path("bound_cpp")], [RAISED], unload=True)
        tests.expect(f"the plugin is closed, {how}",
                     [*tests.host, "call", tests.plugin(how), "close", tests.plugin(how),
                      "call", tests.plugin(how)], [tests.path("bound")], [RAISED] * 2)


def test_orders_of_hosts(tests):
    """What a host has opened before and closes after does not matter, also when threads meet at the
    first use, and for a static Function of a kernel."""
    names = ["bound_cpp", "bound_lazy"] if os.path.exists(tests.path("bound_cpp")) else ["bound"]
    kernels = [tests.path(name) for name in names]
    shared = str(tests.shared)
    for how in HOW:
        plugin = tests.plugin(how)
        for word, count in ("call", len(kernels)), ("threads", 8 * len(kernels)):
            use, close = [word, plugin], ["close", plugin]
            orders = {
                "the plugin alone": [*use, *close],
                "the kernels first": [*(part for path in kernels for part in ("local", path)), *use,
                                      *close],
                "the runtime first, locally": ["local", shared, *use, *close, "close", shared],
                "the runtime closed before the plugin": ["local", shared, *use, "close", shared,
                                                         *close],
                "the plugin twice": [*use, *close, *use, *close],
            }
            if how == "shared":
                orders["the runtime first, globally"] = ["global", shared, *use, *close]
            for order, words in orders.items():
                for unload in False, True:
                    tests.expect(f"{order}, {how}, {word}, {'un' * unload}loaded at the end",
                                 [*tests.host, *words], kernels,
                                 [RAISED] * (count * words.count(word)), unload=unload)


def test_refusal(tests):
    """Without -Dlocal_runtime, kernels that need a runtime which is not global."""
    for how in HOW:
        tests.expect(f"not global, {how}", [*tests.host, "call", tests.plugin(how)],
                     [tests.path("bound"), tests.path("bound_now")],
                     ["*InternalError: Failed to load dynamic shared library",
                      "*this build of it gives libraries no other way to find it: open it with "
                      "RTLD_GLOBAL"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--c-only", action="store_true")
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tests = Tests(args.folder, args.shared, args.compiler, scratch)
        if args.refused:
            tests.compile_single_file("-DTVM_FFI_LOCAL_RUNTIME=0")
            test_refusal(tests)
            test_a_global_copy(tests)
            print(tests.num_failed, "failed")
            return 1 if tests.num_failed else 0
        tests.compile_single_file()
        for test in (test_first_error, test_all_names, test_a_name_that_nobody_has,
                     test_two_plugins, test_a_kernel_that_the_host_has_open, test_a_global_copy,
                     test_another_copy_describes_again,
                     test_unloading, test_first_use_by_many_threads, test_closing_the_plugin,
                     test_orders_of_hosts):
            test(tests)
        if args.c_only:
            print("the other hosts: left out, as asked")
        elif args.shared.read_bytes()[4] != struct.calcsize("P") // 4:  # EI_CLASS
            print("the other hosts: left out, for their addresses have another size")
        else:
            test_no_files(tests)
            test_other_hosts(tests)
    print(tests.num_failed, "failed")
    return 1 if tests.num_failed else 0


if __name__ == "__main__":
    sys.exit(main())

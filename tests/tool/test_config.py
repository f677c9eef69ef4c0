# SPDX-License-Identifier: Apache-2.0
"""tvm-ffi-config of an installation that was moved, and compilers run with the flags that it
prints.

test_config.py TVM-FFI BUILD MESON KERNEL.cc KERNEL.cu [COMPILER...]: a C++ compiler, and nvcc by
that name"""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from tool import FILES, USAGE, bad, good, install, run_tests, work_folder

BUILD, MESON, *KERNELS = FILES[:4]
COMPILERS = FILES[4:]
# All flags, in the order of the output.
ORDER = [
    "includedir", "dlpack-includedir", "cmakedir", "libdir", "libfiles", "sourcedir",
    "cython-lib-path", "cxxflags", "cflags", "libs", "ldflags", "cxx-libdir"
]


def ask(program, *flags, code=0):
    """The output of the program, which must find the library installed with it, not the one in the
    build folder."""
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([program, *flags], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == code, (flags, done)
    assert (done.stdout == "") == (code != 0) and (done.stderr == "") == (code == 0), (flags, done)
    return done.stdout if code == 0 else done.stderr


FOLDER = work_folder().resolve()
PREFIX, OPTIONS = install(MESON, BUILD, FOLDER)
PROGRAM = PREFIX / OPTIONS["bindir"] / "tvm-ffi-config"
INCLUDE, LIBRARIES = PREFIX / OPTIONS["includedir"], PREFIX / OPTIONS["libdir"]
LIBRARY = pathlib.Path(ask(PROGRAM, "--libfiles").strip())


class Config(unittest.TestCase):
    def test_not_installed(self):
        for flag in "--libs", "--json":
            bad(USAGE, " is not installed: it is not in a folder", "config", flag)
        usage = good("config")
        assert all(f"--{flag} " in usage for flag in ORDER), usage

    def test_flags(self):
        assert ask(PROGRAM) == good("config")
        lines = ask(PROGRAM, "--ldflags", "--cxxflags", "--libdir", "--includedir").splitlines()
        dlpack = ask(PROGRAM, "--dlpack-includedir").strip()
        assert lines == [
            str(INCLUDE),
            str(LIBRARIES), f"-I{INCLUDE} -I{dlpack} -std=c++17", f"-L{LIBRARIES}"
        ], lines
        assert ask(PROGRAM, "--cflags") == f"-I{INCLUDE} -I{dlpack}\n"
        assert (pathlib.Path(dlpack) / "dlpack/dlpack.h").is_file(), dlpack
        assert LIBRARY.parent == LIBRARIES and LIBRARY.is_file(), LIBRARY
        # As `tvm-ffi config`, and through a link in another folder.
        assert ask(PREFIX / OPTIONS["bindir"] / "tvm-ffi", "config",
                   "--cflags") == ask(PROGRAM, "--cflags")
        (FOLDER / "tvm-ffi-config").symlink_to(PROGRAM)
        assert ask(FOLDER / "tvm-ffi-config", "--libdir") == f"{LIBRARIES}\n"
        answers = json.loads(ask(PROGRAM, "--json", "--libdir", "--includedir"))
        assert list(answers) == ["includedir", "libdir"], answers

    def test_all_flags(self):
        """Without flags it prints all of them, with the same answers; null where the flag alone is
        refused."""
        answers = json.loads(ask(PROGRAM, "--json"))
        assert list(answers) == ORDER, answers
        for flag, answer in answers.items():
            if answer is None:
                assert f"config: --{flag}: " in ask(PROGRAM, f"--{flag}", code=USAGE)
                assert f"config: --{flag}: " in ask(PROGRAM, f"--{flag}", "--json", code=USAGE)
            else:
                assert ask(PROGRAM, f"--{flag}") == answer + "\n", (flag, answer)
        assert answers["sourcedir"] is None and answers["includedir"] == str(INCLUDE), answers

    def test_refusals(self):
        for flag in "sourcedir", "cython-lib-path":
            assert f"--{flag}: " in ask(PROGRAM, f"--{flag}", "--libdir", code=USAGE)
        assert "--nonsense is not an option" in ask(PROGRAM, "--nonsense", code=USAGE)

    def test_the_package_for_cmake(self):
        if (LIBRARIES / "cmake/tvm_ffi").is_dir():
            assert ask(PROGRAM, "--cmakedir") == f"{LIBRARIES}/cmake/tvm_ffi\n"
        else:
            assert "no package for CMake" in ask(PROGRAM, "--cmakedir", code=USAGE)

    def test_the_library_with_cxx_functions(self):
        info = json.loads(ask(PREFIX / OPTIONS["bindir"] / "tvm-ffi", "info", "--json"))
        with_cxx = LIBRARIES / "tvm_ffi_cxx/libtvm_ffi.so"
        if with_cxx.is_file():
            assert ask(PROGRAM, "--cxx-libdir") == f"{with_cxx.parent}\n"
            assert info["cxx_functions"] == f"not in the library, but in {with_cxx}", info
        else:
            assert f"no library with the C++ functions in {with_cxx.parent}" in ask(
                PROGRAM, "--cxx-libdir", code=USAGE)
            assert info["cxx_functions"] == "not in the library", info

    def test_compilers(self):
        if LIBRARY.suffix == ".a":
            assert "pkg-config" in ask(PROGRAM, "--libs", code=USAGE)
            return
        assert ask(PROGRAM, "--libs") == "-ltvm_ffi\n"
        for compiler in COMPILERS:
            is_cuda = pathlib.Path(compiler).name == "nvcc"
            kernel = FOLDER / ("kernel_cuda.so" if is_cuda else "kernel.so")
            # The command of the guide, split into words by a shell.
            flags = ("-Xcompiler -fPIC,-fvisibility=hidden"
                     if is_cuda else "-fPIC -fvisibility=hidden")
            subprocess.run(
                f"'{compiler}' -shared -O3 '{KERNELS[is_cuda]}' -o '{kernel}' {flags} "
                f"$({PROGRAM} --cxxflags) $({PROGRAM} --ldflags) $({PROGRAM} --libs)", shell=True,
                check=True)
            assert kernel.is_file(), kernel

    def test_odd_folders(self):
        """Shells (eval) and make read the flags of a folder with any characters as one word
        each."""
        prefix = FOLDER / "a (b) $c 'd' \"e\" `f` \\g;&|<>*?[]~#!{h,i}%^=,\u00e9"
        shutil.copytree(PREFIX, prefix, symlinks=True)
        program = prefix / OPTIONS["bindir"] / "tvm-ffi-config"
        include, dlpack, libraries = ask(program, "--includedir", "--dlpack-includedir",
                                         "--libdir").splitlines()
        assert include == str(prefix / OPTIONS["includedir"]), include
        flags = " ".join(ask(program, "--cflags", "--ldflags").splitlines())
        (FOLDER / "flags").write_text(flags, encoding="utf-8")
        (FOLDER / "Makefile").write_text("all:\n\t@printf '%s\\0' $(shell cat flags)\n",
                                         encoding="utf-8")
        readers = [[shell, "-c", "eval \"printf '%s\\0' $(cat flags)\""]
                   for shell in ("sh", "bash")] + [["make", "-s"]]
        for command in readers:
            if command[0] == "sh" or shutil.which(command[0]):
                done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True,
                                      check=False)
                assert done.stdout.split("\0") == [
                    f"-I{include}", f"-I{dlpack}", f"-L{libraries}", ""
                ], (command, flags, done)

    def test_without_the_library(self):
        if LIBRARY.suffix == ".a":
            self.skipTest("the library is an archive")
        (LIBRARIES / LIBRARY.name).rename(FOLDER / LIBRARY.name)
        done = subprocess.run([PROGRAM, "--libs"], capture_output=True, text=True, check=False,
                              env={"LD_LIBRARY_PATH": str(FOLDER)})
        assert (done.returncode == USAGE
                and f"is not installed: there is no {LIBRARY}" in done.stderr), done


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""tvm-ffi-config of an installation that was moved, and compilers run with the flags that it
prints.

test_config.py TVM-FFI BUILD MESON KERNEL.cc KERNEL.cu [COMPILER...]: a C++ compiler, and nvcc by
that name"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from tool import FILES, USAGE, bad, good, install

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


def main(folder):
    for flag in "--libs", "--json":
        bad(USAGE, " is not installed: it is not in a folder", "config", flag)
    usage = good("config")
    assert all(f"--{flag} " in usage for flag in ORDER), usage

    prefix, options = install(MESON, BUILD, folder)
    program = prefix / options["bindir"] / "tvm-ffi-config"
    assert ask(program) == usage
    include, libraries = prefix / options["includedir"], prefix / options["libdir"]
    lines = ask(program, "--ldflags", "--cxxflags", "--libdir", "--includedir").splitlines()
    dlpack = ask(program, "--dlpack-includedir").strip()
    assert lines == [
        str(include),
        str(libraries), f"-I{include} -I{dlpack} -std=c++17", f"-L{libraries}"
    ], lines
    assert ask(program, "--cflags") == f"-I{include} -I{dlpack}\n"
    assert (pathlib.Path(dlpack) / "dlpack/dlpack.h").is_file(), dlpack
    library = pathlib.Path(ask(program, "--libfiles").strip())
    assert library.parent == libraries and library.is_file(), library
    # As `tvm-ffi config`, and through a link in another folder.
    assert ask(prefix / options["bindir"] / "tvm-ffi", "config",
               "--cflags") == ask(program, "--cflags")
    (folder / "tvm-ffi-config").symlink_to(program)
    assert ask(folder / "tvm-ffi-config", "--libdir") == f"{libraries}\n"
    answers = json.loads(ask(program, "--json", "--libdir", "--includedir"))
    assert list(answers) == ["includedir", "libdir"], answers

    # Without flags it prints all of them, with the same answers; null where the flag alone is
    # refused.
    answers = json.loads(ask(program, "--json"))
    assert list(answers) == ORDER, answers
    for flag, answer in answers.items():
        if answer is None:
            assert f"config: --{flag}: " in ask(program, f"--{flag}", code=USAGE)
            assert f"config: --{flag}: " in ask(program, f"--{flag}", "--json", code=USAGE)
        else:
            assert ask(program, f"--{flag}") == answer + "\n", (flag, answer)
    assert answers["sourcedir"] is None and answers["includedir"] == str(include), answers

    for flag in "sourcedir", "cython-lib-path":
        assert f"--{flag}: " in ask(program, f"--{flag}", "--libdir", code=USAGE)
    assert "--nonsense is not an option" in ask(program, "--nonsense", code=USAGE)
    if (libraries / "cmake/tvm_ffi").is_dir():
        assert ask(program, "--cmakedir") == f"{libraries}/cmake/tvm_ffi\n"
    else:
        assert "no package for CMake" in ask(program, "--cmakedir", code=USAGE)

    info = json.loads(ask(prefix / options["bindir"] / "tvm-ffi", "info", "--json"))
    with_cxx = libraries / "tvm_ffi_cxx/libtvm_ffi.so"
    if with_cxx.is_file():
        assert ask(program, "--cxx-libdir") == f"{with_cxx.parent}\n"
        assert info["cxx_functions"] == f"not in the library, but in {with_cxx}", info
    else:
        assert f"no library with the C++ functions in {with_cxx.parent}" in ask(
            program, "--cxx-libdir", code=USAGE)
        assert info["cxx_functions"] == "not in the library", info

    if library.suffix == ".a":
        assert "pkg-config" in ask(program, "--libs", code=USAGE)
        return
    assert ask(program, "--libs") == "-ltvm_ffi\n"
    for compiler in COMPILERS:
        is_cuda = pathlib.Path(compiler).name == "nvcc"
        kernel = folder / ("kernel_cuda.so" if is_cuda else "kernel.so")
        # The command of the guide, split into words by a shell.
        flags = "-Xcompiler -fPIC,-fvisibility=hidden" if is_cuda else "-fPIC -fvisibility=hidden"
        subprocess.run(
            f"'{compiler}' -shared -O3 '{KERNELS[is_cuda]}' -o '{kernel}' {flags} $({program} "
            "--cxxflags) "
            f"$({program} --ldflags) $({program} --libs)", shell=True, check=True)
        assert kernel.is_file(), kernel

    (libraries / library.name).rename(folder / library.name)
    done = subprocess.run([program, "--libs"], capture_output=True, text=True, check=False,
                          env={"LD_LIBRARY_PATH": str(folder)})
    assert (done.returncode == USAGE
            and f"is not installed: there is no {library}" in done.stderr), done


with tempfile.TemporaryDirectory() as place:
    sys.exit(main(pathlib.Path(place).resolve()))

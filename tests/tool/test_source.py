# SPDX-License-Identifier: Apache-2.0
"""Sources, object files and archives in the place of a library.

test_source.py TVM-FFI [NVCC]"""
import os
import pathlib
import shlex
import shutil
import subprocess
import threading
import time
import unittest

from tool import (FILES, LOAD, OK, USAGE, WINDOWS, bad, good, good_json, run, run_tests, skip,
                  work_folder)

if WINDOWS:
    skip("test_source_windows.py is for Windows")

WORK = work_folder()
CACHE = WORK / "cache/tvm-ffi"
os.environ["XDG_CACHE_HOME"] = str(WORK / "cache")
CC = os.environ["CC"]

KERNEL = """#include <tvm/ffi/c.h>
#include "number.h"
TVM_FFI_C_EXPORT(get, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(NUMBER));
}
"""


def write(path, text):
    path = WORK / path
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def libraries():
    return sorted(CACHE.glob("*.so"))


def logged(compiler):
    """A script that runs the compiler, and a function that tells how often it ran."""
    log = WORK / "log"
    log.write_text("", encoding="utf-8")
    script = write("bin/compiler", f'#!/bin/sh\necho x >> {log}\nexec {compiler} "$@"\n')
    script.chmod(0o755)
    return script, lambda: log.read_text(encoding="utf-8").count("x")


os.environ["CC"], count = map(lambda value: value if callable(value) else str(value), logged(CC))
number = write("number.h", "#define NUMBER 7\n")
kernel = write("kernel.c", KERNEL)


class Source(unittest.TestCase):
    def test_compiled_once_in_each_command_as_long(self):
        """Compiled once, in each command, as long as nothing changes."""
        assert good("run", kernel) == good("run", kernel,
                                           "get()") == "result[0]: 7\n" and count() == 1
        assert good("list", kernel).startswith(f"{kernel}  ELF") and "  get  " in good(
            "list", kernel)
        assert good_json("list", kernel)["path"] == str(kernel)
        checked = good("check", kernel)
        assert (checked.startswith(f"{kernel}\n  ok    file ")
                and "does not end in .so" not in checked), checked
        assert str(kernel) in good("bench", kernel, kernel, "--min_time=0.01", "--warmup=0")
        assert good_json("run", kernel)["outputs"][0]["value"] == 7
        assert good("run", f"--module={kernel}", "--function=get") == "result[0]: 7\n"
        assert good("run", kernel, "--no-fork") == "result[0]: 7\n"
        assert count() == 1 and len(libraries()) == 1

    def test_an_included_file_changes(self):
        """An included file changes, and changes back; so do the flags, the text, the compiler."""
        write("number.h", "#define NUMBER 8\n")
        assert good("run", kernel) == "result[0]: 8\n" and count() == 2
        write("number.h", "#define NUMBER 7\n")
        assert good("run", kernel) == "result[0]: 7\n" and count() == 2 and len(libraries()) == 2
        write("kernel.c", KERNEL.replace("NUMBER)", "NUMBER + 1)"))
        assert good("run", kernel) == "result[0]: 8\n" and count() == 3
        write("kernel.c", KERNEL.replace("NUMBER)", "NUMBER + EXTRA)"))
        assert good("run", kernel, "--cflags=-DEXTRA=10") == "result[0]: 17\n"
        assert good("run", kernel, "--cflags=-DNONE", "--cflags",
                    "-DEXTRA='2 + 3'   -DMORE") == "result[0]: 12\n"
        assert good("run", kernel, "--cflags=-DEXTRA=10") == "result[0]: 17\n" and count() == 5

    def test_a_header_that_the_compiler_finds_earlier(self):
        """A header that the compiler finds earlier than before is that of another command line."""
        write("first/number.h", "#define NUMBER 30\n")
        write("kernel.c", KERNEL.replace('"number.h"', "<number.h>"))
        assert good("run", kernel, f"--cflags=-I{WORK / 'first'} -I{WORK}") == "result[0]: 30\n"
        assert good("run", kernel, f"--cflags=-I{WORK}") == "result[0]: 7\n"

    def test_a_header_that_appears_earlier_on_the_path(self):
        """A header that appears where the compiler looks before the place where it found one."""
        for folder in "near", "far":
            (WORK / folder).mkdir()
        flags = f"--cflags=-I{WORK / 'near'} -isystem {WORK / 'far'}"
        write("far/shade.h", "#include <deep/shade.h>\n")
        write("far/deep/shade.h", '#include "value.h"\n')
        write("far/value.h", "#define VALUE 40\n")
        source = write("shaded.c", KERNEL.replace('"number.h"', "<shade.h>").replace(
            "NUMBER", "VALUE"))
        expected, before = 40, count()
        for path in (None, "far/deep/value.h", "near/deep/shade.h", "near/shade.h", "far/later.h",
                     "tvm/other.h"):
            if path is not None and path not in ("far/later.h", "tvm/other.h"):
                expected += 1
            if path is not None:
                write(path, f"#define VALUE {expected}\n")
            for _ in range(2):
                self.assertEqual(good("run", source, flags), f"result[0]: {expected}\n", path)
        # Nothing could have been found in far/later.h; a folder `tvm` beside the source could.
        self.assertEqual(count() - before, 5)

    def test_a_header_that_appears_beside_one_with_a_relative_path(self):
        """Compilers leave the "./" of folders out when they name the files that they read."""
        write("sub/outer.h", '#include "inner.h"\n')
        write("late/inner.h", "#define NUMBER 50\n")
        write("relative.c", KERNEL.replace("number.h", "sub/outer.h"))
        before = os.getcwd()
        os.chdir(WORK)
        self.addCleanup(os.chdir, before)
        command = "run", "relative.c", "--cflags=-I./late"
        self.assertEqual(good(*command), "result[0]: 50\n")
        write("sub/inner.h", "#define NUMBER 51\n")
        self.assertEqual(good(*command), "result[0]: 51\n")

    def test_folders_that_machines_share(self):
        """Machines with a folder in common: names of files that are being made, -march=native."""
        seen = WORK / "outputs"
        script = write("bin/shows", f'#!/bin/sh\nfor i; do echo "$i" >> {seen}; done\n'
                       f'exec {CC} "$@"\n')
        script.chmod(0o755)
        env = {**os.environ, "CC": str(script)}
        preload = WORK / "named.so"
        subprocess.run([*shlex.split(CC), "-shared", "-fPIC", "-x", "c", "-", "-o", preload],
                       input="#include <string.h>\n#include <sys/utsname.h>\n"
                       "int uname(struct utsname *out) {\n"
                       "  memset(out, 0, sizeof *out);\n"
                       '  strcpy(out->nodename, "other/node");\n  return 0;\n}\n',
                       text=True, check=True)
        other = {**env, "LD_PRELOAD": str(preload)}
        source = write("shared.c", KERNEL.replace("NUMBER", "5"))
        made = []
        for where, flags in ((env, "-DA"), (other, "-DB")):
            seen.write_text("", encoding="utf-8")
            self.assertEqual(good("run", source, f"--cflags={flags}", env=where),
                             "result[0]: 5\n")
            made += [pathlib.Path(word).name for word in seen.read_text("utf-8").splitlines()
                     if word.startswith(str(CACHE)) and word.endswith(".so")]
        self.assertEqual(len(made), 2, made)
        self.assertIn("." + os.uname().nodename.replace("/", "_") + "-", made[0])
        self.assertRegex(made[1], r"^[0-9a-f]{16}\.other_node-\d+-[0-9a-f]+\.so$")
        kept = {flags: [len(libraries())] for flags in ("-march=native", "-DC")}
        for flags, counts in kept.items():
            if run("run", source, f"--cflags={flags}", env=env)[0] != OK:
                continue  # the compiler does not know -march=native
            counts[0] = len(libraries())
            self.assertEqual(good("run", source, f"--cflags={flags}", env=other),
                             "result[0]: 5\n")
            counts.append(len(libraries()))
            self.assertEqual(counts[1] - counts[0], int(flags == "-march=native"), flags)

    def test_another_version_of_the_compiler(self):
        """Another version of the compiler, under the same name."""
        before = count()
        with open(WORK / "bin/compiler", "a", encoding="utf-8") as script:
            script.write("# another\n")
        assert good("run", kernel,
                    f"--cflags=-I{WORK}") == "result[0]: 7\n" and count() == before + 1
        # The same for a compiler that another program runs, such as ccache.
        behind = {**os.environ, "CC": f"env {os.environ['CC']}"}
        for version in 1, 2:
            with open(WORK / "bin/compiler", "a", encoding="utf-8") as script:
                script.write(f"# {version}\n")
            assert (good("run", kernel, f"--cflags=-I{WORK}", env=behind) == "result[0]: 7\n"
                    and count() == before + 1 + version)

    def test_what_was_not_used_for_a_month(self):
        """What was not used for a month is removed when something is compiled, and nothing else."""
        old, used = libraries()[:2]
        others = [
            write(CACHE / name, "of another program")
            for name in ("libaddon.so", "0123456789abcdef0.so", "0123456789abcdef")
        ]
        for path in CACHE.iterdir():
            os.utime(path, (time.time() - 40 * 24 * 3600,) * 2)
        os.utime(used)
        write("kernel.c", KERNEL.replace("NUMBER", "99"))
        assert good("run",
                    kernel) == "result[0]: 99\n" and used in libraries() and old not in libraries()
        for path in others:
            path.unlink()
        assert len(libraries()) == 2 and len(list(CACHE.iterdir())) == 3, list(CACHE.iterdir())

    def test_a_damaged_list_is_not_trusted(self):
        """A damaged list is not trusted, an unreadable library made again."""
        for damage in "", "/no/such/file\n", "\n\n":
            for path in CACHE.glob("*.files"):
                path.write_text(damage, encoding="utf-8")
            assert good("run", kernel) == "result[0]: 99\n"
        for path in libraries():
            path.unlink()
        assert good("run", kernel) == "result[0]: 99\n"

    def test_names_with_blanks(self):
        """Names with blanks, and one that begins like an option; beside the current folder."""
        write("a b/number.h", "#define NUMBER 11\n")
        assert good("run", write("a b/k $x.c", KERNEL)) == "result[0]: 11\n"
        write("a b/number.h", "#define NUMBER 12\n")
        assert good("run", WORK / "a b/k $x.c") == "result[0]: 12\n"
        here = os.getcwd()
        os.chdir(WORK)
        write("-k.c", KERNEL)
        assert good("run", "--", "-k.c") == good("run", "./-k.c") == "result[0]: 7\n"
        os.chdir(here)

    def test_processes_that_compile_the_same_source(self):
        """Processes that compile the same source at the same time."""
        write("kernel.c", KERNEL + "/* together */\n")
        results = []
        threads = [
            threading.Thread(target=lambda: results.append(run("run", kernel))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [(OK, "result[0]: 7\n", "")] * 4, results
        assert not [path
                    for path in CACHE.iterdir() if path.suffix == ".d" or "." in path.stem], list(
                        CACHE.iterdir())

    def test_object_files_and_archives(self):
        """Object files and archives."""
        os.environ["CC"] = CC
        include = [flag for folder in ("include", "subprojects/dlpack/include")
                   for flag in ("-I", str(pathlib.Path(__file__).resolve().parents[2] / folder))]
        write("kernel.c", KERNEL)
        subprocess.run([*shlex.split(CC), *include, "-fPIC", "-c", kernel, "-o", WORK / "kernel.o"],
                       check=True)
        subprocess.run(["ar", "rc", WORK / "libkernel.a", WORK / "kernel.o"], check=True)
        for name in "kernel.o", "libkernel.a":
            assert good("run", WORK / name, "get()") == "result[0]: 7\n", name
        assert "object" in good("list", WORK / "kernel.o").splitlines()[0]
        assert "  get  " in good("list", WORK / "libkernel.a")
        assert "an object file" in good("check", WORK / "kernel.o")

    def test_messages_of_the_compiler_are_shown_unchanged(self):
        """Messages of the compiler are shown unchanged and once, warnings too."""
        write("kernel.c", KERNEL.replace("  return", "  int unused;\n  return"))
        code, out, err = run("run", kernel, "--cflags=-Wall")
        assert ((code, out) == (OK, "result[0]: 7\n") and "unused" in err
                and "tvm-ffi:" not in err), (code, out, err)
        assert good("run", kernel, "--cflags=-Wall") == "result[0]: 7\n"
        write("kernel.c", "int x = ;\n")
        output = WORK / "none.so"
        said = subprocess.run([*shlex.split(CC), "-shared", "-fPIC", kernel, "-o", output],
                              capture_output=True,
                              text=True,
                              check=False,
                              stdin=subprocess.DEVNULL).stderr
        for command in ["run", kernel], ["bench", kernel], ["list", kernel], ["check", kernel]:
            code, out, err = run(*command)
            assert code == LOAD and out == "", (command, code, out)
            assert err == f"{said}tvm-ffi: {kernel}: {shlex.split(CC)[0]} ended with exit code " \
                "1\n", (
                err, said)
        bad(LOAD, "none.c: No such file", "run", WORK / "none.c")
        bad(LOAD, "cannot run no-such-compiler", "run", kernel,
            env={**os.environ, "CC": "no-such-compiler"})
        bad(LOAD,
            "set XDG_CACHE_HOME or HOME",
            "run",
            kernel,
            env={
                key: value
                for key, value in os.environ.items() if key not in ("XDG_CACHE_HOME", "HOME")
            })
        write("file", "")
        bad(LOAD, "Not a directory", "run", kernel,
            env={**os.environ, "XDG_CACHE_HOME": str(WORK / "file")})

    def test_libraries_in_a_read_only_folder_are_used(self):
        """Libraries in a read-only folder are used; a new one is refused."""
        if os.geteuid() != 0:
            write("kernel.c", KERNEL)
            assert good("run", kernel) == "result[0]: 7\n"
            CACHE.chmod(0o500)
            assert good("run", kernel) == "result[0]: 7\n"
            bad(LOAD, f"{CACHE}: Permission denied; compiled libraries are kept in XDG_CACHE_HOME",
                "run", kernel, "--cflags=-O1")
            CACHE.chmod(0o700)
        bad(USAGE, "--cflags", "stub", kernel, "--cflags=-O0")
        killer = write("bin/killer", "#!/bin/sh\nkill -9 $$\n")
        killer.chmod(0o755)
        bad(LOAD, "was ended by signal 9", "run", kernel, env={**os.environ, "CC": str(killer)})

    def test_a_compiler_that_succeeds_without_making_a_library(self):
        """A compiler that succeeds without making a library; its standard input is empty."""
        nothing = write("bin/nothing", "#!/bin/sh\ncat\n")
        nothing.chmod(0o755)
        bad(LOAD, "No such file", "run", kernel, env={**os.environ, "CC": str(nothing)})

    def test_without_xdg_cache_home_the_folder_is_below_home(self):
        """Without XDG_CACHE_HOME the folder is below HOME; a relative one is ignored."""
        write("kernel.c", KERNEL)
        for place in {}, {"XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": "relative"}:
            home = work_folder()
            env = {key: value for key, value in os.environ.items() if key != "XDG_CACHE_HOME"}
            assert good("run", kernel, env={**env, **place, "HOME": str(home)}) == "result[0]: 7\n"
            assert len(list((home / ".cache/tvm-ffi").glob("*.so"))) == 1, place
            assert (home / ".cache/tvm-ffi").stat().st_mode & 0o77 == 0

    def test_other_compilers(self):
        """Other compilers: C++ with the headers of the C++ layer, tcc, nvcc."""
        if shutil.which("c++"):
            write("kernel.cc", """#include <tvm/ffi/function.h>
int64_t twice(int64_t x) { return 2 * x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, twice);
""")
            for suffix in ".cc", ".cpp":
                path = shutil.copy(WORK / "kernel.cc", WORK / f"copy{suffix}")
                assert good("run",
                            path,
                            "twice(21)",
                            env={
                                **os.environ, "CXX": "c++ -DTVM_FFI_LEAN -O0"
                            }) == "result[0]: 42\n"
        if shutil.which("tcc"):
            write("number.h", "#define NUMBER 7\n")
            # Libraries of tcc ask for an executable stack: glibc 2.41 and newer want this variable.
            env = {**os.environ, "CC": "tcc", "GLIBC_TUNABLES": "glibc.rtld.execstack=2"}
            assert good("run", kernel, env=env) == "result[0]: 7\n"
            write("number.h", "#define NUMBER 8\n")
            assert good("run", kernel, env=env) == "result[0]: 8\n"
        for nvcc in FILES:
            env = {**os.environ, "NVCC": nvcc}
            write("number.h", "#define NUMBER 8\n")
            assert good("run", write("kernel.cu", KERNEL), env=env) == "result[0]: 8\n"
            write("number.h", "#define NUMBER 9\n")
            assert good("run", WORK / "kernel.cu", env=env) == "result[0]: 9\n"


run_tests()

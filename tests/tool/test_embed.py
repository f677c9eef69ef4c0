# SPDX-License-Identifier: Apache-2.0
import itertools
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import time
import unittest

from elf import Library, blob
from tool import (COMMAND, CONTENT, FILES, LOAD, USAGE, WINDOWS, bad, good, good_json, need,
                  run, run_tests, skip, work_folder, write_contents)

# Names of standard output.
STDOUT = ["-"] + [name for name in ["/dev/stdout"] if os.path.exists(name)]
if WINDOWS:
    skip("its objects and programs are for Linux; test_embed_objects.py has those for Windows")

HERE = pathlib.Path(__file__).parent
CC = shlex.split(os.environ["CC"])
WORK = work_folder()
PATHS = write_contents(WORK)
random.seed(1)


def checksum(content):
    total = 0
    for byte in content:
        total = total * 31 % 1000003 + byte
    return total


SAID = "".join(f"{name} {len(content)} {checksum(content)} 0\n"
               for name, content in CONTENT.items()) + "10001 1\n"


def compile(*args):
    done = subprocess.run([*CC, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", (args, done.stderr)


STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

COMPILERS = [CC, *([name] for name in ("gcc", "clang") if shutil.which(name))]
ODD = [
    b'q"uote.bin', b"back\\slash", b"li\nne", b"*&*", b"tri??>graph??(", b"no\377utf",
    "déjà".encode(), b"%s%n", b" two  blanks", b"$dollar", b"#hash:colon", b"end\\", b"\x7f\x01"
]
odd = WORK / "odd"
odd.mkdir()
for name in ODD:
    (odd / os.fsdecode(name)).write_bytes(name)
(odd / "says.c").write_text("""#include "k.h"
#include <stdio.h>
int main(void) {
  const k_file *file;
  for (file = k_files; file->name != NULL; ++file) {
    printf("%s", file->name);
    putchar('\\0');
    fwrite(file->data, 1, file->size, stdout);
    putchar('\\0');
  }
  return 0;
}
""")

RULED = [name for name in ODD if b"\n" not in name and not name.endswith(b"\\")]


def snapshot(folder):
    return {
        path.name: (os.readlink(path) if path.is_symlink() else path.read_bytes())
        for path in folder.iterdir() if path.is_symlink() or path.is_file()
    }


place = WORK / "place"
place.mkdir()
(place / "in.bin").write_bytes(b"input")
(place / "list.txt").write_text("k in.bin\n")
(place / "old.c").write_text("old")
(place / "link.bin").symlink_to("in.bin")
os.link(place / "in.bin", place / "hard.bin")
(place / "new-link.c").symlink_to("new.c")
(place / "folder").mkdir()
before = snapshot(place)
P = str(place)

KNOWN = {
    "x86-64": (62, 64, "<", 1), "aarch64": (183, 64, "<", 257), "i386": (3, 32, "<", 1),
    "arm": (40, 32, "<", 2), "riscv64": (243, 64, "<", 2), "riscv32": (243, 32, "<", 1),
    "ppc64le": (21, 64, "<", 38), "ppc64": (21, 64, ">", 38), "powerpc": (20, 32, ">", 1),
    "s390x": (22, 64, ">", 22), "loongarch64": (258, 64, "<", 2)
}

LIST = r'''# comment
_lib -> 2 1 # the order counts

cuda a-b.bin
"de mo\x07\"\\" "c.spv" -> 3
cuda 0
'''
TREE = blob([(b"_lib", None, [2, 1]), (b"cuda", CONTENT["a-b.bin"], []),
             (b'de mo\x07"\\', CONTENT["c.spv"], [3]), (b"cuda", CONTENT["0"], [])])

HOST, EXPECTED, *CARRIERS = FILES


class Embed(unittest.TestCase):
    def test_files_with_a_table_of_contents(self):
        """Files with a table of contents: compiled, linked, run."""
        for form in "c", "string", "incbin", "obj":
            for options in [], ["--export"]:
                written = WORK / ("blob.o" if form == "obj" else "blob.c")
                command = [
                    "embed", "--format=" + form, "--name=k", "--align=128", "-o", written, *options
                ]
                good(*command, "-H", WORK / "k.h", *PATHS)
                first = written.read_bytes()
                good(*command, "-H", WORK / "k.h", *PATHS)
                assert written.read_bytes() == first, form
                made = WORK / "blob.o"
                if form != "obj":
                    compile(*STRICT, "-fPIC", "-c", written, "-o", made)
                compile(*STRICT, "-I", WORK, HERE / "embedded.c", made, "-o", WORK / "embedded")
                assert subprocess.run([WORK / "embedded"], capture_output=True, text=True,
                                      check=True).stdout == SAID, form
                for name, content in CONTENT.items():
                    symbol = "k_" + name.replace("-", "_").replace(".", "_")
                    good("unpack", made, "--extract=" + symbol, "-o", WORK / "back")
                    assert (WORK / "back").read_bytes() == content, (form, name)
                # Symbols in a shared library are exported or not as wanted; the stack is not
                # executable.
                compile("-shared", made, "-Wl,-z,relro", "-o", WORK / "blob.so")
                code, out, err = run("unpack", WORK / "blob.so", "--extract=k_0", "-o",
                                     WORK / "back")
                assert (code, err) == ((0, "") if options else
                                       (USAGE, f"tvm-ffi: {WORK}/blob.so: no symbol k_0\n")), (form,
                                                                                               err)
                assert "  ok    stack      PT_GNU_STACK: not executable" in good(
                    "check", WORK / "blob.so").splitlines()

    def test_string_literals(self):
        """All bytes, in sequences that escapes or trigraphs would change, in rows of every length:
        compiled as C99 and as C23 without a warning, read in C and in C++, aligned."""
        every = bytes(range(256))
        awkward = b"".join([
            every, every[::-1],
            b"".join(bytes([byte, digit]) for byte in every for digit in b"079a"),
            b"".join(b"??" + bytes([last]) for last in b"=/'()!<>-?\"\\"), b"\\" * 7, b'"' * 7,
            b"\0" * 65 + b"0", b"\x01\x002\x0034\x007\x008\x129", b"%s%n\\x41\\u00e9\r\n\x1a\x7f",
            "\u00e9\u2028".encode()])
        contents = {f"n{size}": (awkward * 7)[size % 3:size % 3 + size] for size in (
            1, 2, 63, 64, 65, 4031, 4032, 4033, 8064, 8065, 3 * 4032 + 64)}
        contents.update(awkward=awkward, random=random.randbytes(50000), zeros=bytes(9000))
        folder = WORK / "strings"
        folder.mkdir()
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        good("embed", "--format=string", "--name=k", "--align=256", "-o", folder / "k.c", "-H",
             folder / "k.h", *[folder / name for name in contents])
        lines = (folder / "k.c").read_text(encoding="ascii").split("\n")
        assert max(map(len, lines)) < 270 and "??" not in "".join(lines)
        # C99 guarantees 4095 characters in a literal.
        longest = 0
        for row in re.findall(r'(?:"(?:[^"\\]|\\.)*"\n?)+', "\n".join(lines)):
            longest = max(longest, len(re.findall(r'\\[0-7]{1,3}|\\.|[^"\\\n]', row)))
        assert longest == 4032, longest
        use = "".join(f"fwrite(k_{name}, 1, sizeof k_{name}, stdout); "
                      f"misplaced |= (size_t)(const void *)&k_{name}[0] % 256;\n"
                      for name in contents)
        (folder / "use.c").write_text(f"""#include "k.h"
#include <stdio.h>
static const unsigned char *const constant = k_awkward;
int main(void) {{
  size_t misplaced = 0;
  const k_file *file;
  {use}
  for (file = k_files; file->name != NULL; ++file) fwrite(file->data, 1, file->size, stdout);
  return misplaced != 0 || constant != k_files[11].data || k_n65_size != 65;
}}
""", encoding="utf-8")
        for compiler, standard in itertools.product(COMPILERS, ("c99", "gnu11", "c2x")):
            flags = ["-Wall", "-Wextra", "-Wpedantic", "-Woverlength-strings", "-Wconversion",
                     "-Wtrigraphs", "-Werror", f"-std={standard}", "-I", folder]
            for source in "k", "use":
                subprocess.run([*compiler, *flags, "-c", folder / f"{source}.c", "-o",
                                folder / f"{source}.o"], check=True)
            uses = [folder / "use.o"]
            cxx = {"gcc": "g++", "clang": "clang++"}.get(compiler[-1], "c++")
            if shutil.which(cxx):
                subprocess.run([cxx, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic",
                                "-Werror", "-c", folder / "use.c", "-o", folder / "cxx.o"],
                               check=True)
                uses.append(folder / "cxx.o")
                done = subprocess.run([cxx, "-x", "c++", "-fsyntax-only", folder / "k.c"],
                                      capture_output=True, text=True, check=False)
                assert "--format=string is C: compile it as C" in done.stderr, done
            for made in uses:
                subprocess.run([*compiler, made, folder / "k.o", "-o", folder / "use"], check=True)
                said = subprocess.run([folder / "use"], capture_output=True, check=True).stdout
                assert said == 2 * b"".join(contents.values()), (compiler, standard, made)
            for name, content in contents.items():
                good("unpack", folder / "k.o", "-x", f"k_{name}", "-o", folder / "back")
                assert (folder / "back").read_bytes() == content, name

    def test_without_a_header(self):
        """Without a header, C declares the symbols in the file; the prefix is made of the output's
        name."""
        good("embed", *PATHS, "-o", WORK / "my-blob.c")
        text = (WORK / "my-blob.c").read_text()
        assert ("\nmy_blob_PLACE const unsigned char my_blob_c_spv[7] = "
                "{\n3,2,35,7,34,92,63\n};\n") in text, text
        assert '    {"c.spv", my_blob_c_spv, 7},\n' in text
        assert "__attribute__((aligned(64)))" in text
        compile(*STRICT, "-c", WORK / "my-blob.c", "-o", WORK / "my.o")
        assert good("embed", PATHS[1],
                    "--name=x").startswith("/* Written by tvm-ffi embed. */\n#if defined(__GNUC__)")
        c23 = good("embed", PATHS[1], "--format=c23", "--section=.lrodata")
        assert (f'const unsigned char embedded_c_spv[7] = {{\n#embed '
                f'"{PATHS[1].resolve()}"\n}};\n') in c23, c23
        assert 'section(".lrodata")' in c23

    def test_the_rule_for_make_names_the_files(self):
        """The rule for make names the files that were read, escaped."""
        (WORK / "a b#$.bin").write_bytes(b"x")
        good("embed", WORK / "a b#$.bin", PATHS[1], "-o", WORK / "out.c", "--depfile", WORK / "d")
        assert (WORK / "d").read_text() == f"{WORK}/out.c: {WORK}/a\\ b\\#$$.bin {PATHS[1]}\n"

        made = good_json("embed", *PATHS, "-o", WORK / "k.o", "-H", WORK / "k.h", "--depfile",
                         WORK / "d")
        assert made == {
            "output": f"{WORK}/k.o", "header": f"{WORK}/k.h", "depfile": f"{WORK}/d",
            "size": (WORK / "k.o").stat().st_size,
            "symbols": [{"name": "k_a_b_bin", "size": 10001,
                         "file": "a-b.bin"}, {"name": "k_c_spv", "size": 7, "file": "c.spv"},
                        {"name": "k_0", "size": 256, "file": "0"}]
        }

    def test_with_any_file_names(self):
        """With any file names, the sources compile, the rules are right, and the table of contents
        has the names."""
        for form in "c", "string", "incbin", "obj":
            written = odd / ("odd.o" if form == "obj" else "odd.c")
            good("embed", "--format=" + form, "--name=k", "-H", odd / "k.h", "-o", written,
                 *[odd / os.fsdecode(name) for name in ODD])
            for compiler in COMPILERS if form != "obj" else COMPILERS[:1]:
                if form != "obj":
                    done = subprocess.run([
                        *compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic-errors", "-Werror",
                        "-c", written, "-o", odd / "odd.o"
                    ],
                                          capture_output=True,
                                          text=True,
                                          errors="replace",
                                          check=False)
                    assert done.returncode == 0 and done.stderr == "", (compiler, form, done.stderr)
                compile(*STRICT, "-I", odd, odd / "says.c", odd / "odd.o", "-o", odd / "says")
                said = subprocess.run([odd / "says"], capture_output=True, check=True).stdout
                assert said == b"".join(name + b"\0" + name + b"\0"
                                        for name in ODD), (compiler, form, said)
        assert b"??" not in (odd / "odd.c").read_bytes()

    def test_make_can_read_the_rules(self):
        """make can read the rules; so can ninja, for the names that it can read."""
        for name in RULED:
            place = pathlib.Path(os.fsdecode(name))
            done = subprocess.run(
                [*COMMAND, "embed", place, "--name=k", "-o", "out.c", "--depfile", "rule.d"],
                cwd=odd,
                check=True)
            if shutil.which("make"):
                done = subprocess.run(["make", "-rRnd", "-f", "rule.d", "out.c"],
                                      cwd=odd,
                                      capture_output=True,
                                      check=False,
                                      env={
                                          **os.environ, "LC_ALL": "C"
                                      })
                assert done.returncode == 0 and b"target file '" + name + b"'" in done.stdout, (
                    name, done)
            if shutil.which("ninja") and re.fullmatch(rb"[\w %$#:.\\\x80-\xff]*[\w \x80-\xff]",
                                                      name):
                (odd / "build.ninja").write_text(
                    "rule r\n command = touch out.c\n depfile = rule.d\n deps = gcc\nbuild out.c: "
                    "r\n"
                )
                (odd / "out.c").unlink()
                subprocess.run(["ninja", "-C", odd], capture_output=True, check=True)
                done = subprocess.run(["ninja", "-C", odd, "-t", "deps", "out.c"],
                                      capture_output=True,
                                      check=True)
                assert b"\n    " + name + b"\n" in done.stdout, (name, done)
        for name in "a\nb", "a;b", "a|b", "a=b", "end\\", "blank ":
            (odd / name).write_bytes(b"x")
            bad(USAGE, "--depfile: no rule can have a file whose name", "embed", odd / name, "-o",
                odd / "x.c", "--depfile", odd / "x.d")
            assert not (odd / "x.c").exists()

    def test_section_names_that_compilers_and_assemblers_take_unquoted(self):
        """Section names that compilers and assemblers take unquoted."""
        for section in ".lrodata.k", "0", "-a_$+/b", ".", "k":
            for form in "c", "string", "incbin":
                for compiler in COMPILERS:
                    good("embed", "--format=" + form, "--name=k", "--section=" + section, PATHS[1],
                         "-o", WORK / "in.c")
                    done = subprocess.run([
                        *compiler, "-std=c99", "-pedantic-errors", "-c", WORK / "in.c", "-o",
                        WORK / "in.o"
                    ],
                                          capture_output=True,
                                          text=True,
                                          check=False)
                    assert done.returncode == 0 and done.stderr == "", (compiler, section,
                                                                        done.stderr)
                    assert section.encode() + b"\0" in (WORK / "in.o").read_bytes(), (compiler,
                                                                                      section)
                    good("unpack", WORK / "in.o", "-x", "k_c_spv", "-o", WORK / "back")
                    assert (WORK / "back").read_bytes() == CONTENT["c.spv"], (compiler, section)
        good("embed", "--name=k", "--section=a b\n\"é", PATHS[1], "-o", WORK / "in.o")
        assert b"\0" + "a b\n\"é".encode() + b"\0" in (WORK / "in.o").read_bytes()
        compile(WORK / "in.o", "-shared", "-o", WORK / "in.so")
        for section in "", 'a",#', "a b", "a\\nb", "a;b", "a,b", "é", "a\nb", "a#b":
            for form in "c", "string", "c23", "incbin":
                bad(USAGE, "--section must be a name of letters, digits and . _ $ + / -", "embed",
                    PATHS[1], "--format=" + form, "--section=" + section)
        for form in "c", "string", "incbin", "obj":
            for section in ".symtab", ".note.GNU-stack", ".rela.text":
                bad(USAGE, "--section must be a section for data", "embed", PATHS[1],
                    "--format=" + form, "--section=" + section)
        bad(USAGE, "--section must be a name, not", "embed", PATHS[1], "--format=obj", "--section=")

    def test_a_list_of_modules_so_long(self):
        """A list of modules so long that its header does not fit in one string literal of the
        assembler."""
        (WORK / "many.txt").write_text("_lib -> " + " ".join(map(str, range(1, 300))) + "\n" +
                                       "a-long-kind-of-module c.spv\n" * 299)
        good("embed", "--library-bin", WORK / "many.txt", "--format=raw", "-o", WORK / "many.bin")
        for compiler in COMPILERS:
            good("embed", "--library-bin", WORK / "many.txt", "--format=incbin", "-o",
                 WORK / "many.c")
            subprocess.run([
                *compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-O2",
                "-shared", "-fPIC", WORK / "many.c", "-o", WORK / "many.so"
            ],
                           check=True)
            good("unpack", WORK / "many.so", "-x", "__tvm_ffi__library_bin", "-o", WORK / "back")
            assert (WORK / "back").read_bytes() == (WORK / "many.bin").read_bytes(), compiler

    def test_outputs_are_written_whole_or_not_at_all(self):
        """Outputs are written whole or not at all, and never over an input."""
        for message, *args in [
            (f"--output would overwrite {P}/in.bin, which is embedded", "in.bin", "-o", "in.bin"),
            ("--output would overwrite ", "in.bin", "-o", "link.bin"),
            ("--output would overwrite ", "link.bin", "-o", "in.bin"),
            ("--output would overwrite ", "in.bin", "-o", "hard.bin"),
            ("--output would overwrite ", "in.bin", "-o", "folder/../in.bin"),
            ("--header would overwrite ", "in.bin", "-o", "x.c", "-H", "in.bin"),
            ("--depfile would overwrite ", "in.bin", "-o", "x.c", "--depfile", "in.bin"),
            ("--output would overwrite ", "--library-bin", "list.txt", "-o", "list.txt"),
            ("--output would overwrite ", "--library-bin", "list.txt", "-o", "in.bin"),
            ("--output and --header are the same file: ", "in.bin", "-o", "x.c", "-H", "x.c"),
            ("--output and --header are the same file: ", "in.bin", "-o", "x.c", "-H",
             "folder/../x.c"),
            ("--output and --header are the same file: ", "in.bin", "-o", "new.c", "-H",
             "new-link.c"),
            ("--output and --depfile are the same file: ", "in.bin", "-o", "old.c", "--depfile",
             "old.c"),
            ("--header and --depfile are the same file: ", "in.bin", "-o", "x.c", "-H", "x.h",
             "--depfile", "x.h"),
            (f"{P}/no/x.h: No such file", "in.bin", "-o", "x.c", "-H", "no/x.h"),
            (f"{P}/no/x.h: No such file", "in.bin", "-o", "old.c", "-H", "no/x.h"),
            (f"{P}/folder: Is a directory", "in.bin", "-o", "old.c", "-H", "folder"),
            (f"{P}/no/d: No such file", "in.bin", "-o", "old.c", "-H", "x.h", "--depfile", "no/d"),
            ("/dev/full: No space left", "in.bin", "-o", "old.c", "-H", "/dev/full"),
        ]:
            args = [arg if arg.startswith("-") else place / arg for arg in args]
            bad(USAGE, message, "embed", "--name=k", *args)
            assert snapshot(place) == before, (args, snapshot(place))

    def test_the_name_of_the_output(self):
        """It tells the form, and is refused if it is a name for something else."""
        sources = ".c .h .inc (C), .cc .cpp .cxx .hh .hpp .hxx .cu .cuh (C++)"
        objects = ".o .obj (an object file)"
        for name, options, accepted, meant in (
            ("x.S", [], f"{sources}, {objects}", ", a name for assembler source"),
            ("x.s", ["--format=incbin"], sources, ", a name for assembler source"),
            ("x.o", ["--format=c"], sources, ", a name for an object file"),
            ("x.py", ["--format=c23"], sources, ", a name for Python"),
            ("x.a", ["--format=obj"], objects, ", a name for a library"),
            ("x.c", ["--format=elf"], objects, ", a name for C"), ("x.txt", [],
                                                                   f"{sources}, {objects}", "")):
            code, out, err = run("embed", PATHS[0], *options, "-o", WORK / name)
            assert (code, out) == (USAGE, "") and not (WORK / name).exists()
            assert err == (f"tvm-ffi: --output must end in {accepted} or have no ending, not "
                           f'"{WORK}/{name}"{meant}\n'), err
        bad(USAGE, f'--header must end in {sources} or have no ending, not "{WORK}/x.o", a name '
            "for an object file", "embed", PATHS[0], "-o", WORK / "x.c", "-H", WORK / "x.o")
        for name, options, begin in (("x.C", [], b"/* Written"), ("x", [], b"/* Written"),
                                     ("x.txt", ["--format=c"], b"/* Written"),
                                     ("x.OBJ", [], b"\x64\x86"), ("x.bin", ["--format=elf"],
                                                                  b"\x7fELF"),
                                     ("x.O", ["--format=elf"], b"\x7fELF"),
                                     ("x.O", [], b"" if WINDOWS else b"\x7fELF")):
            good("embed", PATHS[0], "--name=k", *options, "-o", WORK / name)
            assert (WORK / name).read_bytes().startswith(begin), name

    def test_a_signal_leaves_no_partial_file(self):
        """A signal leaves no partial file, and a size limit is an error. The header is a pipe
        without a reader, so it waits."""
        os.mkfifo(place / "waits")
        for ending in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
            with subprocess.Popen([
                    *COMMAND, "embed", "--name=k", place / "in.bin", "-o", place / "x.c", "-H",
                    place / "waits"
            ], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as done:
                while not any(name.startswith(".tvm-ffi-") for name in os.listdir(place)):
                    assert done.poll() is None, done
                    time.sleep(0.01)
                done.send_signal(ending)
            assert done.returncode == -ending and snapshot(place) == before, (ending, done,
                                                                              snapshot(place))
        (place / "waits").unlink()

    def test_the_limit_leaves_room_for_the_counters(self):
        """The limit leaves room for the counters that a coverage build writes when it exits."""
        (WORK / "large").write_bytes(bytes(1 << 18))
        limited = subprocess.run(
            [*COMMAND, "embed", "--name=k", WORK / "large", "-o", place / "x.c"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18)))
        assert (limited.returncode,
                limited.stderr) == (USAGE, f"tvm-ffi: {P}/x.c: File too large\n"), limited
        assert snapshot(place) == before, snapshot(place)
        good("embed", "--name=k", place / "in.bin", "-o", "/dev/null", "-H", "/dev/null")

    def test_an_existing_file_keeps_its_mode(self):
        """An existing file keeps its mode, a new one gets the umask's; symbolic links stay, hard
        links keep the old content."""
        (place / "old.c").chmod(0o640)
        os.link(place / "old.c", place / "was.c")
        (place / "old-link.c").symlink_to(place / "old.c")
        mask = os.umask(0o027)
        written = good("embed", "--name=k", place / "in.bin")
        for output, mode in ("old-link.c", 0o640), ("new-link.c", 0o640), ("fresh.c",
                                                                           0o640), ("old.c", 0o640):
            good("embed", "--name=k", place / "in.bin", "-o", place / output)
            assert ((place / output).read_text() == written
                    and (place / output).stat().st_mode & 0o777 == mode), output
        os.umask(mask)
        assert ((place / "old-link.c").is_symlink() and (place / "new-link.c").is_symlink()
                and (place / "new.c").is_file())
        assert (place / "was.c").read_text() == "old"
        assert not [name for name in os.listdir(place) if name.startswith(".")], os.listdir(place)
        if os.geteuid() != 0:
            (place / "old.c").chmod(0o440)
            bad(USAGE, f"{P}/old.c: Permission denied", "embed", "--name=k", place / "in.bin", "-o",
                place / "old.c")
        # Pipes are written in place.
        os.mkfifo(place / "pipe")
        reader = subprocess.Popen(["cat", place / "pipe"], stdout=subprocess.PIPE, text=True)
        good("embed", "--name=k", place / "in.bin", "-o", place / "pipe", "-H", place / "pipe.h")
        assert '#include "pipe.h"' in reader.communicate()[0] and (place / "pipe").is_fifo()

    def test_stdout_under_another_name(self):
        """stdout under another name is written in place."""
        need(self, "/dev/stdout")
        written = good("embed", "--name=k", place / "in.bin")
        assert good("embed", "--name=k", place / "in.bin", "-o", "/dev/stdout") == written
        with open(place / "all", "wb") as file:
            file.write(b"before\n")
            file.flush()
            subprocess.run([*COMMAND, "embed", "--name=k", place / "in.bin", "-o", "/dev/stdout"],
                           stdout=file, check=True)
        assert (place / "all").read_text() == "before\n" + written

    def test_stdin_has_no_path_that_a_compiler_could(self):
        """stdin has no path that a compiler could read, so the bytes are in the source."""
        assert '.byte 97,98,99\\n"' in good("embed",
                                            "-",
                                            "--format=incbin",
                                            "--name=k",
                                            stdin="abc")

    def test_json_and_the_output_cannot_both_go(self):
        """JSON and the output cannot both go to stdout."""
        for args in ["-H", place / "x.h"], *(["-o", name] for name in STDOUT):
            bad(USAGE, "--json prints on stdout what was written: --output must be a file", "embed",
                "--json", "--name=k", place / "in.bin", *args)
        bad(USAGE, "--json prints on stdout what was written: --header must be a file", "embed",
            "--json", place / "in.bin", "-o", place / "x.c", "-H", "-")
        bad(USAGE, "--output and --header are the same file: -", "embed", place / "in.bin", "-H",
            "-")
        bad(USAGE, "--depfile needs --output", "embed", place / "in.bin", "--depfile", place / "d")
        assert not (place / "x.h").exists() and not (place / "x.c").exists()

    def test_for_tvm_ffi_embed_cubin(self):
        """For TVM_FFI_EMBED_CUBIN: two symbols, before and after the bytes."""
        for form in "obj", "incbin":
            good("embed", "--cubin", "--name=mine", "--format=" + form, PATHS[0], "-o",
                 WORK / ("cubin.c" if form == "incbin" else "cubin.o"))
            if form == "incbin":
                compile(*STRICT, "-c", WORK / "cubin.c", "-o", WORK / "cubin.o")
            (WORK / "user.c").write_text(
                "extern const char __tvm_ffi__cubin_mine[], __tvm_ffi__cubin_mine_end[];\n"
                "int main(void) { return *__tvm_ffi__cubin_mine_end != 0 ||\n"
                "  __tvm_ffi__cubin_mine_end - __tvm_ffi__cubin_mine != 10001; }\n")
            compile(WORK / "user.c", WORK / "cubin.o", "-o", WORK / "user")
            assert subprocess.run([WORK / "user"], check=False).returncode == 0, form

    def test_object_files_for_other_machines(self):
        """Object files for other machines."""
        for machine, (number, bits, order, relocation) in KNOWN.items():
            made = WORK / "other.o"
            good("embed", *PATHS, "--name=k", "--machine=" + machine, "-o", made)
            listed = good_json("list", made)
            assert (listed["machine"], listed["bits"], listed["object"]) == (machine, bits,
                                                                             True), listed
            assert listed["byte_order"] == ("little" if order == "<" else "big"), listed
            for name, content in CONTENT.items():
                good("unpack", made, "-x", "k_" + name.replace("-", "_").replace(".", "_"), "-o",
                     WORK / "back")
                assert (WORK / "back").read_bytes() == content, (machine, name)
            word = "Q" if bits == 64 else "I"
            good("unpack", made, "-x", "k_a_b_bin_size", "-o", WORK / "back")
            assert (WORK / "back").read_bytes() == struct.pack(order + word, 10001), machine
            good("unpack", made, "-x", "k_files", "-o", WORK / "back")
            table = struct.unpack(order + 12 * word, (WORK / "back").read_bytes())
            assert table[2::3] == (10001, 7, 256, 0) and table[1::3] == (0, 0, 0, 0), (machine,
                                                                                       table)
            # Parse its relocations: they point to the fields of the table, in order.
            image = made.read_bytes()
            offset, = struct.unpack_from(order + word, image, 40 if bits == 64 else 32)
            entry = offset + 3 * (64 if bits == 64 else 40)
            offset, size = struct.unpack_from(order + 2 * word, image,
                                              entry + (24 if bits == 64 else 16))
            has_addend = struct.unpack_from(order + "I", image, entry + 4) == (4,)
            assert has_addend == (machine not in ("i386", "arm")), machine
            fields = struct.unpack_from(order + size // (bits // 8) * word, image, offset)
            step = 3 if has_addend else 2
            assert [f // (bits // 8) for f in fields[0::step]] == [0, 1, 3, 4, 6,
                                                                   7], (machine, fields)
            kinds = {f & (0xffffffff if bits == 64 else 0xff) for f in fields[1::step]}
            assert kinds == {relocation}, (machine, kinds)
        (WORK / "one.txt").write_text("k c.spv\n")
        made = good_json("embed", "--library-bin", WORK / "one.txt", "-o", WORK / "other.o")
        assert made["modules"] == [{
            "kind": "k", "size": 7, "content": "SPIR-V", "imports": [], "file": str(PATHS[1])
        }], made
        assert made["symbols"] == [{
            "name": "__tvm_ffi__library_bin", "size": len(blob([(b"k", CONTENT["c.spv"], [])])),
            "file": None
        }], made
        good("embed", "--library-bin", WORK / "one.txt", "--machine=4711:32:be", "-o",
             WORK / "other.o")
        for name, number in ("x86-64", "62:64:le"), ("arm", "40:32:le"), ("s390x", "22:64:be"):
            base, other = (good("embed", "--format=obj", f"--machine={machine}", PATHS[0],
                                "--name=k", "-o", WORK / "by.o") +
                           (WORK / "by.o").read_bytes().hex() for machine in (name, number))
            assert base == other, (name, number)
        assert good_json("list", WORK / "other.o")["machine"] == "machine 4711"
        assert good_json("list", WORK / "other.o")["embedded"]["modules"] == [
            {"kind": "k", "size": 7, "content": "SPIR-V", "imports": []}]
        bad(USAGE, "needs a relocation that is not known for 4711:64:le", "embed", PATHS[0],
            "--machine=4711:64:le", "-o", WORK / "other.o")

    def test_trees_of_modules(self):
        """Trees of modules."""
        (WORK / "list.txt").write_text(LIST)
        good("embed", "--library-bin", WORK / "list.txt", "--format=raw", "-o", WORK / "tree.bin")
        assert (WORK / "tree.bin").read_bytes() == TREE
        good("embed", "--library-bin", WORK / "list.txt", "-o", WORK / "tree.o", "--depfile",
             WORK / "d")
        assert (WORK / "d").read_text() == " ".join(
            map(str, [f"{WORK}/tree.o:", WORK / "list.txt", *PATHS])) + "\n"
        made = {
            "raw": WORK / "tree.bin",
            "obj": WORK / "tree.o",
            "library": Library("s390x").data("__tvm_ffi__library_bin", TREE).write(WORK / "tree.so")
        }
        for form in "c", "string", "incbin":
            good("embed", "--library-bin", WORK / "list.txt", "--format=" + form, "-o",
                 WORK / "tree.c")
            made[form] = WORK / f"tree-{form}.so"
            compile(*STRICT, "-fvisibility=hidden", "-fPIC", "-shared", WORK / "tree.c", "-o",
                    made[form])
        for form, path in made.items():
            folder = WORK / ("of-" + form)
            names = ["1-cuda.bin", "2-de_mo___.bin", "3-cuda.bin"]
            assert good("unpack", path, "-o", folder).splitlines() == [
                f"{folder}/{name}" for name in [*names, "modules.txt"]
            ]
            for output in "", "-":
                bad(USAGE, f'--output must be a folder without --extract, not "{output}"', "unpack",
                    path, "-o", output)
            unpacked = good_json("unpack", path, "-o", folder)
            assert list(unpacked) == ["folder", "list", "modules"], unpacked
            assert (unpacked["folder"], unpacked["list"]) == (str(folder), "modules.txt"), unpacked
            assert [(module["kind"], module["file"], module["size"], module["imports"])
                    for module in unpacked["modules"]] == [("_lib", None, 0, [2, 1]),
                                                           ("cuda", names[0], 10001, []),
                                                           ('de mo\x07"\\', names[1], 7, [3]),
                                                           ("cuda", names[2], 256, [])], unpacked
            assert [(folder / name).read_bytes()
                    for name in names] == [CONTENT["a-b.bin"], CONTENT["c.spv"], CONTENT["0"]]
            assert good("embed", "--library-bin", "--format=raw", folder / "modules.txt", "-o",
                        WORK / "again") == ""
            assert (WORK / "again").read_bytes() == TREE, form
            for module, content in ("cuda[0]", "a-b.bin"), ("cuda[1]", "0"), ('de mo\x07"\\[0]',
                                                                              "c.spv"), ("[2]",
                                                                                         "c.spv"):
                good("unpack", path, "--extract", module, "-o", WORK / "back")
                assert (WORK / "back").read_bytes() == CONTENT[content], (form, module)
            assert good_json("unpack", path, "-x", "cuda[1]", "-o", WORK / "back") == {
                "output": str(WORK / "back"), "size": 256, "module": "cuda[1]"}
            if form != "raw":
                assert good_json("unpack", path, "-x", "__tvm_ffi__library_bin", "-o",
                                 WORK / "back") == {
                                     "output": str(WORK / "back"),
                                     "size": len(TREE),
                                     "symbol": "__tvm_ffi__library_bin"
                                 }
                good("unpack", path, "--extract=__tvm_ffi__library_bin", "-o", WORK / "back")
                assert (WORK / "back").read_bytes() == TREE, form
        c23 = good("embed", "--library-bin", "--format=c23", WORK / "one.txt")
        numbers = ",".join(str(byte) for byte in blob([(b"k", CONTENT["c.spv"], [])])[:-7])
        assert c23.replace(
            "\n", "").endswith("{" + numbers + f",#embed \"{PATHS[1].resolve()}\"" + "};"
                               "#undef tvm_ffi_embed_PLACE#undef tvm_ffi_embed_SEEN"), c23

        for folder in range(8): # trees by chance
            count = random.randrange(1, 6)
            tree = [(random.choice([b"_lib", b"k",
                                    bytes([random.randrange(1, 256), 32, 0, 35])]),
                     random.sample(range(i + 1, count), random.randrange(count - i)))
                    for i in range(count)]
            tree = blob(
                [(kind, None if kind == b"_lib" else random.randbytes(random.randrange(1, 99)),
                  imports) for kind, imports in tree])
            (WORK / "tree.bin").write_bytes(tree)
            good("unpack", WORK / "tree.bin", "-o", WORK / str(folder + 1))
            good("embed", "--library-bin", "--format=raw", WORK / str(folder + 1) / "modules.txt",
                 "-o", WORK / "again")
            assert (WORK / "again").read_bytes() == tree, tree

    def test_loading_by_the_runtime(self):
        """Loading by the runtime."""
        for carrier in CARRIERS:
            done = subprocess.run([HOST, carrier], capture_output=True, text=True, check=False)
            assert done.returncode == 0, (carrier, done)
            assert done.stdout.splitlines() == pathlib.Path(EXPECTED).read_text().splitlines(), (
                carrier, done.stdout)
            good("unpack", carrier, "--extract=polynomial[0]", "-o", WORK / "back")
            assert (WORK / "back").read_bytes() == (
                HERE / "../../samples/08_embedded_modules/curves.poly").read_bytes()

    def test_refusals(self):
        """Refusals."""
        (WORK / "empty").write_bytes(b"")
        for message, *args in [
            (f"{WORK}/missing: No such file", WORK / "missing"),
            (f"{WORK}/empty is empty", WORK / "empty"),
            ("would both be the symbol k_c_spv", PATHS[1], PATHS[1], "--name=k"),
            ('--name must be an identifier of C, not "a-b"', PATHS[1], "--name=a-b"),
            ('--name must be a name that is not a keyword of C or C++, not "int"', "--library-bin",
             PATHS[1], "--name=int"),
            ('--name must be a name that is not a keyword of C or C++, not "xor_eq"',
             "--library-bin", PATHS[1], "--name=xor_eq"),
            ('no identifier can be made from "2.c": give --name', PATHS[1], "-o", WORK / "2.c"),
            ('--format must be c, string, c23, incbin, obj, elf, coff, macho or raw, not "d"',
             PATHS[1],
             "--format=d"),
            ("--format=raw is only for --library-bin", PATHS[1], "--format=raw"),
            ("--cubin needs --format=obj or incbin", PATHS[1], "--cubin"),
            ("--cubin takes one file", *PATHS, "--cubin", "--format=obj"),
            ("--library-bin takes one file", *PATHS, "--library-bin"),
            ("--machine is only for --format=obj", PATHS[1], "--machine=arm"),
            ("--align must be a power of 2, not 48", PATHS[1], "--align=48"),
            ("--align must be an integer from 1", PATHS[1], "--align=0"),
                *((f"--{name} is not for --format=raw, which has no symbol", WORK / "one.txt",
                   "--library-bin", "--format=raw", given)
                  for name, given in (("header", "-Hx.h"), ("name", "--name=k"),
                                      ("align", "--align=8"), ("section", "--section=a"),
                                      ("export", "--export"))),
                *(('--header must be a name without " and \\, ?? and control characters', PATHS[1],
                   "-H", WORK / name) for name in ('a".h', "a\\b.h", "a??(b.h", "a\nb.h")),
            ('a file of --format=c23 must be a name without " and', odd / 'q"uote.bin',
             "--format=c23"),
            ('--machine must be a name', PATHS[1], "--format=obj", "--machine=pdp11"),
            ('--machine must be a name', PATHS[1], "--format=obj", "--machine=70000:64:le"),
            (f"{WORK}/no/where.c: No such file", PATHS[1], "-o", WORK / "no/where.c"),
        ]:
            bad(USAGE, message, "embed", *args)
        for line, message in [
            ("", "no module is listed"),
            ("k", ":1: a module needs a file, unless it is _lib"),
            ("_lib\nk missing", f"/list.txt:2: {WORK}/missing: No such file"),
            ("k empty", ":1: "),
            ("_lib c.spv", ":1: _lib has no file"),
            ("k c.spv 1", ":1: the file can only be followed by ->"),
            ("k c.spv ->", ":1: no number follows ->"),
            ("k c.spv -> x", ":1: -> must be followed by numbers of modules"),
            ("k c.spv -> -1", ":1: -> must be followed by numbers"),
            ("_lib -> 99999999999999999999", ":1: -> must be followed by numbers"),
            ("_lib -> 1",
             "/list.txt:1: module 1 is imported, but the list has only modules 0 to 0"),
            ("_lib -> 1\n# a line without a module\nk c.spv -> 2 1",
             ":3: module 2 is imported, but the list has only modules 0 to 1"),
            ("_lib -> 0", "/list.txt:1: modules import each other in a circle"),
            ("_lib -> 1 2\nk c.spv -> 2\n\nk c.spv -> 3\nk c.spv -> 2",
             "/list.txt:5: modules import each other in a circle"),
            ("-> 0", ":1: a line must begin with the kind of a module"),
            ('"" c.spv', ":1: a line must begin with the kind of a module"),
            ('"k c.spv', ":1: a quoted word does not end"),
            ('"k"x c.spv', ":1: a space must follow a quoted word"),
            (r'"k\n" c.spv', ":1: after \\ in a quoted word"),
            ("#\n\nk c\0spv", ":3: a list cannot contain NUL bytes"),
        ]:
            (WORK / "list.txt").write_text(line)
            bad(USAGE, message, "embed", "--library-bin", WORK / "list.txt")

        library = Library("s390x").data("__tvm_ffi__library_bin", TREE).write(WORK / "tree.so")
        bad(USAGE,
            "no module cuda[2]; it has _lib -> de mo\\x07\"\\(SPIR-V, 7 B), cuda(9.8 KiB), ...",
            "unpack", library, "-x", "cuda[2]")
        for module in "cuda[", "cuda[x]", "cuda[0", "[4]", "vulkan[0]", "cuda[-1]":
            bad(USAGE, f"{library}: no module {module}; it has", "unpack", library,
                "--extract=" + module)
        bad(USAGE, "_lib[0] is the library itself and has no bytes", "unpack", library,
            "--extract=_lib[0]")
        bad(USAGE, f"{library}: no symbol nothing", "unpack", library, "--extract=nothing")
        for name, clash in ("files", "k_files"), ("file", "k_file"), ("SEEN",
                                                                      "k_SEEN"), ("PLACE",
                                                                                  "k_PLACE"):
            (WORK / name).write_bytes(b"x")
            bad(USAGE, f"the table of contents and {WORK}/{name} would both be the symbol {clash}",
                "embed", "--name=k", WORK / name)
        (WORK / "0.size").write_bytes(b"x")
        for first, second in ("0", "0.size"), ("0.size", "0"):
            bad(USAGE, f"{WORK}/{first} and {WORK}/{second} would both be the symbol k_0_size",
                "embed", "--name=k", WORK / first, WORK / second)
        for output in STDOUT:
            bad(USAGE, "--json prints on stdout what was written: --output must be a file",
                "unpack", library, "--json", "-x", "cuda[0]", "-o", output)
        bad(USAGE, "--json prints on stdout what was written", "unpack", library, "--json", "-x",
            "cuda[0]")
        image = library.read_bytes()
        bad(USAGE, f"--output would overwrite {library}, which is unpacked", "unpack", library,
            "-x", "cuda[0]", "-o", library)
        (WORK / "of-itself").mkdir()
        library.rename(WORK / "of-itself/modules.txt")
        bad(USAGE, "--output would overwrite ", "unpack", WORK / "of-itself/modules.txt", "-o",
            WORK / "of-itself")
        assert os.listdir(WORK / "of-itself") == ["modules.txt"]
        (WORK / "of-itself/modules.txt").rename(library)
        assert library.read_bytes() == image
        (WORK / "of-itself/2-de_mo___.bin").mkdir()
        bad(USAGE, "/2-de_mo___.bin: Is a directory", "unpack", library, "-o", WORK / "of-itself")
        assert os.listdir(WORK / "of-itself") == ["2-de_mo___.bin"]
        bad(LOAD, "not an ELF, PE or Mach-O file", "unpack", PATHS[0])
        bad(LOAD, "no embedded modules: it has no __tvm_ffi__library_bin", "unpack",
            Library().write(WORK / "lib.so"))
        Library().data("__tvm_ffi__library_bin", TREE[:-1]).write(WORK / "lib.so")
        bad(LOAD, "malformed __tvm_ffi__library_bin: it is longer than its symbol or file",
            "unpack", WORK / "lib.so")
        bad(USAGE, "/c.spv/x", "unpack", library, "-o", PATHS[1] / "x")


run_tests()

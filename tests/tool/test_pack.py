# SPDX-License-Identifier: Apache-2.0
"""Recordings in one file, and which libraries of a recording are loaded.

test_pack.py ARGUMENTS: see recorded.py"""
import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import unittest
import unittest.mock
import warnings
import zipfile

import tool
from recorded import (BUILD, KERNELS, TEMPORARY, WORK, X, Y, ZERO, Recording, build_id,
                      new_recording, replayed_page, run, scale, verdicts)
from recording import murmur
from tool import LOAD, OK, SLOWER, USAGE, WINDOWS, bad, good, run_tests

# A library that loads modules of its own kind, and tells whether it did.
LOADING = """\
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
static int has_loaded;
TVM_FFI_DLL_EXPORT int __tvm_ffi_has_loaded(void *self, const TVMFFIAny *args, int32_t num,
                                            TVMFFIAny *result) {
  (void)self, (void)args, (void)num;
  result->type_index = kTVMFFIInt;
  result->v_int64 = has_loaded;
  return 0;
}
static int load(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  TVMFFIByteArray name = {"ffi.SystemLib", 13};
  TVMFFIObjectHandle make;
  TVMFFIAny prefix;
  (void)self, (void)args, (void)num;
  has_loaded = 1;
  memset(&prefix, 0, sizeof prefix);
  prefix.type_index = kTVMFFIRawStr;
  prefix.v_c_str = "mine_";
  if (TVMFFIFunctionGetGlobal(&name, &make) != 0) return -1;
  return TVMFFIFunctionCall(make, &prefix, 1, result);
}
__attribute__((constructor)) static void enter(void) {
  static const char kName[] = "ffi.Module.load_from_bytes.mine.Executable";
  TVMFFIByteArray name = {kName, sizeof kName - 1};
  TVMFFIObjectHandle loader;
  if (TVMFFIFunctionCreate(NULL, load, NULL, &loader) != 0 ||
      TVMFFIFunctionSetGlobal(&name, loader, 0) != 0) {
    abort();
  }
  TVMFFIObjectDecRef(loader);
}
"""


class Pack(unittest.TestCase):
    """A recording in one file."""

    def pack(self, r, code=OK):
        path = r.folder.with_suffix(".zip")
        got, out, err = run("show", r.folder, f"--pack={path}")
        self.assertEqual((got, out), (code, ""), err)
        return path, err

    @unittest.skipIf(WINDOWS, "libraries there have no build id")
    def test_libraries(self):
        """The library and those it needs are in it, and are loaded only if the user says so."""
        folder = WORK / "moved away"
        folder.mkdir()
        shutil.copy(KERNELS, folder / "kernels.so")
        r = new_recording(folder / "kernels.so")
        scale(r)
        (r.folder / "notes.txt").write_text("not of the recording")
        path, err = self.pack(r)
        self.assertEqual(err, "")
        with zipfile.ZipFile(path) as file:
            self.assertIsNone(file.testzip())
            self.assertEqual(sorted(file.namelist()), sorted([
                "version", "calls.jsonl", f"libraries/{build_id(KERNELS)}/kernels.so",
                *(f"tensors/{murmur(data)}.npy" for data in (X, Y, ZERO))]))
        shutil.rmtree(r.folder)
        self.assertIn("scale(4xf32, float, 4xf32)", good("show", path, "--calls"))
        self.assertEqual(verdicts(OK, path)["same"], 1)
        (folder / "kernels.so").unlink()
        bad(LOAD, "is not loaded: there is no such file; --lib names the library to load, and "
            "replay --trust loads those that are in the archive", "replay", path)
        found = verdicts(OK, path, "--trust")
        self.assertEqual((found["same"], found["libraries"][0]["called"]), (
            1, f"{path}: libraries/{build_id(KERNELS)}/kernels.so"))
        self.assertEqual(verdicts(OK, path, "--trust", "--in-order")["same"], 1)
        bad(USAGE, "--emit refers to files of a folder", "replay", path, "--emit=c")
        bad(USAGE, "is a file of the recording", "show", path, f"--html={path}")
        r = new_recording()
        scale(r)
        bad(USAGE, "--trust is for a recording in one file", "replay", r.folder, "--trust")
        self.assertEqual(list(TEMPORARY.glob("tvm-ffi-recording-*")), [])

    def make_needing(self, folder, name, *options, soname=True):
        """A recording of one call of a kernel in `folder` that needs the library `name` in `lib`
        there."""
        (folder / "lib").mkdir(parents=True)
        (folder / "needed.c").write_text("int get_needed(void) { return 42; }\n")
        (folder / "kernel.c").write_text(textwrap.dedent("""\
            #include <tvm/ffi/c_api.h>
            int get_needed(void);
            TVM_FFI_DLL_EXPORT int __tvm_ffi_get(void *self, const TVMFFIAny *args, int32_t num,
                                                 TVMFFIAny *result) {
              (void)self, (void)args, (void)num;
              result->type_index = kTVMFFIInt;
              result->v_int64 = get_needed();
              return 0;
            }
            """))
        compiler = ["cc", "-shared", "-fPIC", "-Wl,--build-id"]
        subprocess.run([*compiler, "-o", folder / "lib" / name, folder / "needed.c",
                        *([f"-Wl,-soname,{name}"] if soname else [])], check=True)
        self.compile_kernel(folder, folder / "kernel.so", *options, name=name)
        r = new_recording(folder / "kernel.so")
        r.returned(r.call("get", []), 42)
        return r

    @staticmethod
    def compile_kernel(folder, out, *options, name):
        subprocess.run(["cc", "-shared", "-fPIC", "-Wl,--build-id", "-o", out, folder / "kernel.c",
                        *(f"-I{path}" for path in BUILD[1:]), f"-L{folder}/lib", f"-l:{name}",
                        *options], check=True)

    @staticmethod
    def packed_libraries(path):
        with zipfile.ZipFile(path) as file:
            return [name.split("/")[2] for name in file.namelist() if "libraries" in name]

    @unittest.skipUnless(BUILD and sys.platform == "linux" and not WINDOWS,
                         "programs are not built here")
    def test_needed_libraries(self):
        """Where the loader finds them, also those whose names begin as the runtime's does."""
        for name, options, variable in (
                ("libneeded.so", ["-Wl,-rpath,$ORIGIN/lib"], ""),
                ("libtvm_ffi_mydep.so", ["-Wl,-rpath,$ORIGIN/lib"], ""),
                ("libneeded.so", [], WORK / "needed" / "lib")):
            with self.subTest(name=name, variable=variable):
                folder = WORK / "needed"
                r = self.make_needing(folder, name, *options)
                with unittest.mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": str(variable)}):
                    path, err = self.pack(r)
                self.assertEqual((err, self.packed_libraries(path)), ("", [name, "kernel.so"]))
                shutil.rmtree(folder)
                self.assertEqual(verdicts(OK, path, "--trust")["same"], 1)

    @unittest.skipUnless(BUILD and sys.platform == "linux" and not WINDOWS,
                         "programs are not built here")
    def test_a_module_that_only_others_load(self):
        """The kernels of its library are called all the same."""
        folder = WORK / "others"
        folder.mkdir()
        (folder / "data").write_text("of another runtime")
        (folder / "modules.txt").write_text("other.Executable data -> 1\n_lib\n")
        good("embed", "--library-bin", folder / "modules.txt", "-o", folder / "modules.c")
        r = self.make_needing(folder, "libneeded.so", "-Wl,-rpath,$ORIGIN/lib",
                              folder / "modules.c")
        self.assertIn("{other.Executable} but a loader of that name is not registered",
                      run("run", folder / "kernel.so", "get()")[2])
        r.returned(r.call("get", []), 42)
        note = (f"tvm-ffi: note: {folder / 'kernel.so'} has a module of the kind other.Executable, "
                "which this runtime cannot load: it is empty here\n")
        for words in ([], ["--in-order"]):
            code, out, err = run("replay", r.folder, *words)
            self.assertEqual((code, err), (OK, note))
            self.assertIn("[PASS] 1 get: result max|err|=0", out)
        for words in (["--bench", "1"], ["--lib", folder / "lib" / "none.so", "--against",
                                         folder / "kernel.so"]):
            if "--against" in words:
                self.compile_kernel(folder, words[1], "-Wl,-rpath,$ORIGIN", name="libneeded.so")
            code, out, err = run("replay", r.folder, *words)
            self.assertEqual((code, err), (OK, note), words)
        code, out, err = run("probe", r.folder, "1", "--skip=extra")  # it counts no arguments
        self.assertEqual((code, err), (OK, note), out)

    @unittest.skipUnless(BUILD and sys.platform == "linux" and not WINDOWS,
                         "programs are not built here")
    def test_a_module_that_the_library_loads(self):
        """Its constructor registers the loader, and ends the process where there is one; a module
        of another kind is empty all the same."""
        folder = WORK / "loads"
        folder.mkdir()
        (folder / "data").write_text("payload")
        (folder / "kernel.c").write_text(LOADING)
        for kinds in (["mine.Executable"], ["mine.Executable", "other.Executable"]):
            with self.subTest(kinds=kinds):
                (folder / "modules.txt").write_text("".join([
                    *(f"{kind} data -> {i}\n" for i, kind in enumerate(kinds, 1)), "_lib\n"]))
                good("embed", "--library-bin", folder / "modules.txt", "-o",
                     folder / "modules.c")
                subprocess.run(["cc", "-shared", "-fPIC", "-Wl,--build-id", "-o",
                                folder / "loading.so", folder / "kernel.c",
                                folder / "modules.c", *(f"-I{name}" for name in BUILD[1:])],
                               check=True)
                r = new_recording(folder / "loading.so")
                r.returned(r.call("has_loaded", []), 1)
                for words in ([], ["--in-order"], ["--against", folder / "loading.so"]):
                    code, out, err = run("replay", r.folder, *words)
                    self.assertEqual((code, err.count("note:"), "[PASS] 1 has_loaded" in out), (
                        OK, len(kinds) - 1, True), (words, out, err))

    @unittest.skipUnless(BUILD and sys.platform == "linux" and not WINDOWS,
                         "programs are not built here")
    def test_needed_libraries_that_are_not_found(self):
        """By the packing, or by the loader from the archive: it is said when the file is
        written."""
        r = self.make_needing(WORK / "lacking", "libneeded.so")
        path, err = self.pack(r)
        self.assertIn(f"note: libneeded.so, which {WORK / 'lacking/kernel.so'} needs, is not "
                      "packed: it was not found\n", err)
        self.assertEqual(self.packed_libraries(path), ["kernel.so"])
        r = self.make_needing(WORK / "nameless", "libneeded.so", "-Wl,-rpath,$ORIGIN/lib",
                              soname=False)
        path, err = self.pack(r)
        self.assertIn("libneeded.so is packed, but --trust does not find it: it has no DT_SONAME, "
                      "which -Wl,-soname,libneeded.so gives it\n", err)
        self.assertEqual(self.packed_libraries(path), ["libneeded.so", "kernel.so"])
        shutil.rmtree(WORK / "nameless")
        self.assertEqual(run("replay", path, "--trust")[0], LOAD)

    @unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
    def test_libraries_that_are_others(self):
        """What is not the recorded library is not packed, and not loaded from an archive."""
        r = new_recording()
        scale(r)
        r.path.write_text(r.path.read_text().replace(str(build_id(KERNELS)), "00ff"))
        path, err = self.pack(r)
        self.assertIn("is not packed: its build id is" if not WINDOWS else "is not packed", err)
        with zipfile.ZipFile(path, "a") as file:
            self.assertFalse([name for name in file.namelist() if "libraries" in name])
            file.write(KERNELS, f"libraries/00ff/{os.path.basename(KERNELS)}")
        code, _, err = run("replay", path, "--trust")
        self.assertEqual(code, LOAD)
        self.assertIn("is not loaded: its build id is" if not WINDOWS else "is not loaded", err)
        self.assertIn(f"libraries/00ff/{os.path.basename(KERNELS)}, from the archive, is not used",
                      err)

    @unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
    def test_libraries_of_many_calls(self):
        """A library in the archive is read once, not for each call."""
        r = new_recording()
        for _ in range(3):
            scale(r)
        r.path.write_text(r.path.read_text().replace(str(build_id(KERNELS)), "00ff"))
        path, _ = self.pack(r)
        with zipfile.ZipFile(path, "a") as file:
            file.write(KERNELS, f"libraries/00ff/{os.path.basename(KERNELS)}")
        code, _, err = run("replay", path, "--trust")
        self.assertEqual((code, err.count("from the archive, is not used")), (LOAD, 1), err)

    @unittest.skipIf(WINDOWS, "events of the console there come from a thread of its own")
    def test_a_signal(self):
        """What was unpacked is removed, too, if a signal ends the tool: here while it waits for
        somebody to read what it writes."""
        r = new_recording()
        scale(r)
        path, _ = self.pack(r)
        folder, waiting = WORK / "unpacked here", WORK / "unread.html"
        folder.mkdir()
        os.mkfifo(waiting)
        with subprocess.Popen([*tool.COMMAND, "show", path, f"--html={waiting}"],
                              env={**os.environ, "TMPDIR": str(folder)}) as process:
            try:
                for _ in range(SLOWER * 2000):
                    if list(folder.glob("*/version")):
                        break
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=SLOWER * 20)
            finally:
                process.kill()
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(os.listdir(folder), [])

    def test_damaged_archives(self):
        """Archives that are no recordings write nothing outside of their folder."""
        r = new_recording()
        scale(r)
        whole = self.pack(r)[0].read_bytes()
        path = WORK / "damaged.zip"
        begin = whole.index(b"calls.jsonl")
        for content, told in (
                (b"", "it is no zip archive, or cut off"), (b"not a zip", "it is no zip archive"),
                (whole[:begin + 99], "it is no zip archive, or cut off"),
                (whole.replace(b'"event":"process"', b'"event":"Process"', 1).replace(
                    b'"event": "process"', b'"event": "Process"', 1), "the checksum of a file"),
                (whole.replace(b"tvm-ffi recording 1", b"tvm-ffi recording 9"), "the checksum")):
            path.write_bytes(content)
            bad(USAGE, told, "show", path)
        for i in range(0, len(whole), len(whole) // 60):
            path.write_bytes(whole[:i])
            code, _, err = run("show", path)
            self.assertTrue(code == USAGE and err or code == OK, (i, code, err))
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("version", "tvm-ffi recording 1\n")
            file.writestr("tensors/", "")  # zip -r has folders, too
            file.writestr("calls.jsonl", r.path.read_bytes().splitlines(True)[0])
        good("show", path)
        path.write_bytes(whole[:-10])
        bad(USAGE, "it is no zip archive, or cut off", "show", path)
        for option in "--json", "--calls", "--html=x.html", "--match=f":
            bad(USAGE, "--pack writes the whole recording, and cannot be combined with "
                f"{option.split('=')[0]}", "show", r.folder, "--pack=x.zip", option)
        for name in (*(["libraries/00ff/CON", "libraries/00ff/com1.dll"] if WINDOWS else []),
                     "calls.a\nb.jsonl", "../escaped", "/escaped", "tensors/../escaped.npy",
                     "calls.\\x.jsonl",
                     "libraries/00ff/../../escaped", "libraries/00ff/a/b", "libraries/xyz/b",
                     "calls./../../escaped.jsonl", "tensors/short.npy", "next/x"):
            with zipfile.ZipFile(path, "w") as file:
                file.writestr("version", "tvm-ffi recording 1\n")
                file.writestr(name, "x")
            bad(USAGE, "is no file of a recording", "show", path)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("version", "tvm-ffi recording 1\n" * 99)
        bad(USAGE, "its files are compressed or encrypted", "show", path)
        with zipfile.ZipFile(path, "w") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(2):
                file.writestr("version", "tvm-ffi recording 1\n")
        bad(USAGE, "version is twice in the archive", "show", path)
        # What is wrong in a file of the archive is said of that, and not of what it is unpacked to.
        for name, content, words in (
                ("version", b"another", ["show"]), ("calls.jsonl", b"no JSON\n", ["show"]),
                (f"tensors/{murmur(X)}.npy", b"no array", ["replay"]),
                ("calls.jsonl", r.path.read_bytes() + b"{", ["show"])):
            with self.subTest(name), zipfile.ZipFile(io.BytesIO(whole)) as source, \
                    zipfile.ZipFile(path, "w") as file:
                for entry in source.namelist():
                    file.writestr(entry, content if entry == name else source.read(entry))
            _, out, err = run(words[0], path, *words[1:])
            self.assertIn(f"{path}: {name}:", out + err)
            self.assertNotIn("tvm-ffi-recording-", out + err)
        self.assertFalse(list(WORK.rglob("escaped*")))
        self.assertFalse(os.path.exists("/escaped"))


@unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
class Builds(unittest.TestCase):
    """Another build than the recorded one is told first, and with the verdict."""

    def test_told(self):
        r = new_recording()
        scale(r)
        lines = r.path.read_text("utf-8").replace(build_id(KERNELS), "00ff")
        code, out, err = run("replay", r.folder, "--lib", KERNELS)
        self.assertEqual((code, err), (OK, ""))
        self.assertTrue(out.endswith("1 of 1 call is the same as recorded\n"), out)
        self.assertEqual(verdicts(OK, r.folder)["libraries"], [
            {"recorded": KERNELS, "recorded_build_id": build_id(KERNELS), "called": KERNELS,
             "called_build_id": build_id(KERNELS), "build": "recorded"}])
        r.path.write_text(lines, "utf-8")
        code, out, err = run("replay", r.folder, "--lib", KERNELS)
        self.assertEqual(code, OK, err)
        self.assertEqual(err, f"tvm-ffi: note: {KERNELS} is another build than the recorded one: "
                         f"its build id is {build_id(KERNELS)}, and 00ff was recorded\n")
        self.assertTrue(out.endswith("1 of 1 call is the same as recorded; called in another "
                                     "build of run_kernels.so\n"), out)
        found = verdicts(OK, r.folder, "--lib", KERNELS)["libraries"]
        self.assertEqual([library["build"] for library in found], ["other"])
        self.assertIn(f"with {KERNELS} (another build)",
                      replayed_page(r, "--lib", KERNELS)[1].text)
        r.path.write_text(lines.replace('"00ff"', "null"), "utf-8")
        found = verdicts(OK, r.folder, "--lib", KERNELS)["libraries"]
        self.assertEqual([library["build"] for library in found], ["unknown"])
        bad(LOAD, "text.so: not an ELF", "replay", r.folder, "--lib", self.make_text())

    @staticmethod
    def make_text():
        path = WORK / "text.so"
        path.write_text("no library")
        return path


# Gives a name to files, one after the other.
CHANGING = """
import itertools, os, sys
path, *files = sys.argv[1:]
spare = os.path.join(os.path.dirname(path), "spare")
for file in itertools.cycle(files):
    os.link(file, spare, follow_symlinks=False)
    os.rename(spare, path)
    if os.path.lexists(spare):  # both were the same file already
        os.unlink(spare)
"""
CHANGING_FOLDER = """
import os, sys
path, away, elsewhere = sys.argv[1:]
while True:
    os.rename(path, away)
    os.symlink(elsewhere, path)
    os.unlink(path)
    os.rename(away, path)
"""
PLANTED = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void plant(void) {
  FILE *file = fopen(getenv("PLANTED"), "w");
  if (file != NULL) fclose(file);
}
"""


@unittest.skipIf(WINDOWS, "libraries of Windows have no build ids")
class Stranger(unittest.TestCase):
    """What a stranger's recording names is not run."""

    def setUp(self):
        self.folder = WORK / f"stranger{id(self)}"
        self.folder.mkdir()
        self.planted = self.folder / "planted"
        self.source = self.folder / "plant.c"
        self.source.write_text(PLANTED)
        self.evil = self.folder / "evil.so"
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC",
                        "-Wl,--build-id=sha1", self.source, "-o", self.evil], check=True)
        self.before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, self.before)

    def refused(self, path, why, code=LOAD, given=None, folder=None, **more):
        """Neither replay nor probe, nor what they do besides, loads the library."""
        r = new_recording()
        if folder is not None:
            r = Recording(folder, [])
        r.path.write_text(r.path.read_text(encoding="utf-8").split("\n")[0] + "\n", "utf-8")
        r.add(event="library", library=0, path=str(path), build_id=given)
        scale(r)
        for words in (["replay", r.folder], ["replay", r.folder, "--bench"],
                      ["replay", r.folder, "--against", KERNELS], ["probe", r.folder, "1"]):
            got, out, err = run(*words, env={**os.environ, "PLANTED": str(self.planted)}, **more)
            self.assertFalse(self.planted.exists(), words)
            self.assertEqual(got, code, (words, out, err))
            self.assertIn(why, err, words)
            self.assertIn("--lib", err, words)
        for language in "c", "python":
            program = good("replay", r.folder, f"--emit={language}")
            self.assertNotIn(f'"{path}"', program)
            self.assertNotIn("[LIBRARY]", program)
        return r

    def test_planted(self):
        """The library that is planted here runs when it is loaded."""
        r = new_recording(self.evil)
        r.call("f", [])
        run("replay", r.folder, env={**os.environ, "PLANTED": str(self.planted)})
        self.assertTrue(self.planted.exists())

    def test_sources(self):
        """A recording never makes the tool compile, whatever is allowed on the command line."""
        for name in "plant.c", "plant.cc", "plant.o", "plant.a":
            source = self.folder / name
            if name.endswith((".c", ".cc")):
                source.write_text(PLANTED)
            else:
                shutil.copy(self.evil, source)
            given = build_id(source) or "00ff"
            self.refused(source, "it is a source, an object file or an archive", given=given)

    def test_relative(self):
        for path in "evil.so", "./evil.so", f"../{self.folder.name}/evil.so":
            self.refused(path, "it is a relative path", given=build_id(self.evil))
        for proc in "/proc", "//proc", "/./proc", "/usr/../proc", "/var/run/../proc":
            self.refused(f"{proc}/self/cwd/evil.so", "a path below /proc",
                         given=build_id(self.evil))
        self.refused("-", "it is a relative path", given=build_id(self.evil))
        tokens = self.folder / "$LIB"
        tokens.mkdir()
        shutil.copy(self.evil, tokens)
        self.refused(tokens / "evil.so", "it contains $", given=build_id(self.evil))

    def test_build_ids(self):
        self.refused(self.evil, "no build id was recorded for it", given=None)
        self.refused(self.evil, f"its build id is {build_id(self.evil)}, and 00ff was recorded",
                     given="00ff")
        self.refused(self.source.with_suffix(".txt"), "there is no such file", given="00ff")
        none = self.folder / "none.so"
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC",
                        "-Wl,--build-id=none", self.source, "-o", none], check=True)
        self.refused(none, "it has no build id", given=build_id(self.evil))
        text = self.folder / "text.so"
        text.write_text("#!/bin/sh")
        self.refused(text, "it has no build id", given="00ff")
        os.mkfifo(self.folder / "fifo.so")
        self.refused(self.folder / "fifo.so", "it is not a regular file", given="00ff")

    def test_inside(self):
        """A library that comes with the recording is not loaded, whatever its build id."""
        folder = self.folder / "recording"
        inside = folder / "lib" / "evil.so"
        inside.parent.mkdir(parents=True)
        shutil.copy(self.evil, inside)
        self.refused(inside, "it is in the folder of the recording", given=build_id(inside),
                     folder=folder)

    def test_functions_of_the_runtime(self):
        """A recording names functions of the library, and none that the runtime registers: those
        load files."""
        r = new_recording()
        for name in "ffi.ModuleLoadFromFile", "ffi.Module.load_from_file.so":
            r.call(name, [str(self.evil), *(["so"] if "from_file.so" in name else [])])
        for words in (["replay", r.folder, "1"], ["replay", r.folder, "2"],
                      ["replay", r.folder, "1", "--bench"], ["replay", r.folder, "1", "--no-fork"],
                      ["replay", r.folder, "1", "--against", KERNELS], ["probe", r.folder, "1"],
                      ["replay", r.folder, "1", "--lib", KERNELS]):
            code, _, err = run(*words, env={**os.environ, "PLANTED": str(self.planted)})
            self.assertFalse(self.planted.exists(), words)
            self.assertEqual((code, "there is no function ffi.Module" in err), (USAGE, True), err)

    def unread(self, r, why):
        for words in (["show", r.folder, "--call=1"], ["replay", r.folder],
                      ["show", r.folder, f"--html={self.folder}/page.html"]):
            code, _, err = run(*words)
            self.assertEqual((code, why in err), (USAGE, True), err)

    def test_no_files(self):
        """A FIFO would never end, and a link leads elsewhere: only regular files are read."""
        r = new_recording()
        scale(r)
        data = next((r.folder / "tensors").iterdir())
        for path in r.folder / "version", r.path, data:
            kept = path.read_bytes()
            path.unlink()
            os.mkfifo(path)
            self.unread(r, "is not a regular file")
            path.unlink()
            elsewhere = self.folder / "elsewhere"
            elsewhere.write_bytes(kept)
            path.symlink_to(elsewhere)
            self.unread(r, "is a symbolic link")
            path.unlink()
            path.write_bytes(kept)
        self.assertEqual(verdicts(OK, r.folder)["same"], 1)
        (r.folder / "tensors").rename(self.folder / "tensors")
        (r.folder / "tensors").symlink_to(self.folder / "tensors")
        self.unread(r, "tensors: a recording has no symbolic links")

    def test_files_that_change(self):
        """Another file may have the name when the tool opens it: a FIFO is not waited for, and a
        link not followed."""
        r, other = new_recording(), new_recording()
        scale(r)
        other.returned(other.call("secret", []), None)
        archive = r.folder.with_suffix(".zip")
        self.assertEqual(run("show", r.folder, f"--pack={archive}")[0], OK)
        data = next((r.folder / "tensors").iterdir())
        for path, kinds, words in (
                (r.path, ("file", "fifo", "link"), ["show", r.folder]),
                (data, ("file", "fifo"), ["show", r.folder, "--call=1"]),
                (archive, ("file", "fifo"), ["show", archive])):
            made = {kind: self.folder / f"a {kind}" for kind in kinds}
            os.link(path, made["file"])
            os.mkfifo(made["fifo"])
            if "link" in made:
                made["link"].symlink_to(other.path)
            with self.subTest(file=path.name), subprocess.Popen(
                    [sys.executable, "-c", CHANGING, path, *made.values()]) as changing:
                try:
                    for _ in range(60):
                        done = subprocess.run(
                            [*tool.COMMAND, *map(str, words)], capture_output=True, text=True,
                            check=False, timeout=SLOWER * 20)
                        self.assertNotIn("secret", done.stdout)
                        if done.returncode != OK:
                            self.assertRegex(done.stderr, "is not a regular file|"
                                             "is a symbolic link|Not a directory")
                finally:
                    changing.kill()
            path.unlink()
            made.pop("file").rename(path)
            for name in made.values():
                name.unlink()

    def test_a_folder_that_changes(self):
        """A link to another folder may have the name when the contents are read: it is not
        followed."""
        r = new_recording()
        scale(r)
        inside, away, elsewhere = r.folder / "tensors", self.folder / "away", self.folder / "else"
        elsewhere.mkdir()
        for file in inside.iterdir():
            (elsewhere / file.name).write_bytes(bytes(len(file.read_bytes())))
        with subprocess.Popen([sys.executable, "-c", CHANGING_FOLDER, inside, away,
                               elsewhere]) as changing:
            try:
                seen = [run("show", r.folder, "--call=1")[2] for _ in range(60)]
            finally:
                changing.kill()
        self.assertNotIn("damaged", "".join(seen))
        self.assertRegex("".join(seen), "symbolic link")


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/tool.md and of the reference of commands print what the pages show.

test_tool_page.py TVM-FFI PAGE... LIBSCALE NORMALIZE.c SCALE.c INCLUDE..."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import pe  # noqa: E402
from tool import FILES, ISOLATED, OK, TOOL, WINDOWS, good, run_tests, skip
from tutorials import make_pattern, read_commands  # noqa: E402

if WINDOWS:
    skip("the commands of the pages are those of a shell of Linux")

PAGES = {
    path: pathlib.Path(path).read_text(encoding="utf-8") for path in FILES if path.endswith(".md")
}
GUIDE = next(iter(PAGES.values()))
LIBRARY, NORMALIZE, SCALE, *INCLUDES = map(pathlib.Path, FILES[len(PAGES):])


def environment_of(folder):
    """The environment of commands: nothing is installed, and another program says where the headers
    are."""
    programs = pathlib.Path(folder) / "programs"
    programs.mkdir()
    (programs / "pkg-config").write_text(
        f"#!/bin/sh\necho {' '.join(f'-I{name}' for name in INCLUDES)}\n", encoding="utf-8")
    (programs / "pkg-config").chmod(0o755)
    return {
        **(ISOLATED or os.environ), "XDG_CACHE_HOME": f"{folder}/cache",
        "PATH": f"{programs}:{pathlib.Path(TOOL).resolve().parent}:{os.environ['PATH']}"
    }


subcommands = re.findall(r"^  (\S+) +\S", good("--help"), re.MULTILINE)


class Page(unittest.TestCase):
    def test_the_commands_of_the_pages_print(self):
        """The commands of each page, which begin in a new folder, print what it says."""
        for path, page in PAGES.items():
            commands = [
                command for command in read_commands(page.splitlines())
                if ISOLATED or "isolated" not in command[0]
            ]
            assert commands, f"{path} has no commands"
            with tempfile.TemporaryDirectory() as folder:
                shutil.copyfile(LIBRARY, pathlib.Path(folder) / "libscale.so")
                pe.Library().function("__tvm_ffi_add_one").undefined(
                    "TVMFFIErrorSetRaised").undefined("f", "libstdc++-6.dll").write(
                        pathlib.Path(folder) / "kernel.dll")
                for source in NORMALIZE, SCALE:
                    shutil.copy(source, folder)
                environment = environment_of(folder)
                for command, expected in commands:
                    done = subprocess.run(["sh", "-c", command],
                                          cwd=folder,
                                          capture_output=True,
                                          text=True,
                                          check=False,
                                          env=environment)
                    assert done.returncode == 0 and done.stderr == "", (path, command, done)
                    assert make_pattern(expected).fullmatch(done.stdout), (
                        f"{command} prints\n{done.stdout}not what {path} says")

    def test_the_examples_in_the_commands_help_can(self):
        """The examples in the commands' help can be run."""
        examples = [
            line.strip() for command in subcommands
            for line in good(command, "--help").splitlines()
            if line.startswith("  tvm-ffi ") and (ISOLATED or "isolated" not in line)
        ]
        assert {line.split()[1]
                for line in examples} >= {"list", "run", "bench", "registry", "types",
                                          "stub"}, examples
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libscale.so", "old/libscale.so"):
                (pathlib.Path(folder) / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(LIBRARY, pathlib.Path(folder) / name)
            shutil.copy(SCALE, folder)
            (pathlib.Path(folder) / "cblas.h").write_text(
                "double cblas_dasum(int n, const double *x, int incx);\n", encoding="utf-8")
            environment = {**environment_of(folder), "CPATH": folder}
            good("run", LIBRARY, "scale(4xf32=1, 2, &4xf32)", f"--output=@{folder}/x.npy")
            for command in examples:
                done = subprocess.run(["sh", "-c", command],
                                      cwd=folder,
                                      capture_output=True,
                                      text=True,
                                      check=False,
                                      env=environment)
                assert done.returncode == OK and done.stderr == "", (command, done)

    def test_every_command_that_exists_has_a_row(self):
        """Every command that exists has a row in the table."""
        rows = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", GUIDE,
                                                             re.MULTILINE))))
        assert set(subcommands) <= rows, set(subcommands) - rows


run_tests()

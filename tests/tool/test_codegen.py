# SPDX-License-Identifier: Apache-2.0
"""The files and commands of docs/codegen.md: the files compile, the commands print what the page
shows.

test_codegen.py TVM-FFI PAGE LIBTVM_FFI PKG-CONFIG-FOLDER

A file is a fenced block that begins with its name: ```c add.c. The compiler is $CC."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
from tool import FILES, TOOL, run_tests
from tutorials import make_pattern, read_commands  # noqa: E402

PAGE, LIBRARY, PKG_CONFIG = (pathlib.Path(file).resolve() for file in FILES)
STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror"

if shutil.which("pkg-config") is None:
    print("pkg-config is not installed")
    sys.exit(77)


class Codegen(unittest.TestCase):
    def test_the_files_of_the_page_compile(self):
        """The files of the page compile, and its commands print what it says."""
        page = PAGE.read_text(encoding="utf-8")
        files = re.findall(r"^```c (\S+)\n(.*?)^```$", page, re.M | re.S)
        commands = read_commands(page.splitlines())
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            for name, text in files:
                (place / name).write_text(text, encoding="utf-8")
                # A file that no command compiles is not tested.
                assert any(re.search(rf"\bcc .*\b{re.escape(name)}\b", command)
                           for command, _ in commands), name
            programs = place / "bin"
            programs.mkdir()
            # $CC may be `cc` or `ccache cc`, which must not find this program again.
            (programs / "cc").write_text(
                f'#!/bin/sh\nexport PATH="{os.environ["PATH"]}"\nexec {os.environ["CC"]} {STRICT} '
                '"$@"\n',
                encoding="utf-8")
            (programs / "cc").chmod(0o755)
            environment = {
                **os.environ,
                "PATH": f"{programs}:{pathlib.Path(TOOL).parent}:{os.environ['PATH']}",
                "PKG_CONFIG_PATH": str(PKG_CONFIG),
                "LD_LIBRARY_PATH": str(LIBRARY.parent),
            }
            for command, expected in commands:
                done = subprocess.run(["sh", "-c", command], cwd=place, env=environment,
                                      capture_output=True, text=True, check=False)
                assert done.returncode == 0 and done.stderr == "", (command, done)
                assert make_pattern(expected).fullmatch(
                    done.stdout), f"{command} prints\n{done.stdout}not what the page says"
        assert files and len(commands) >= 6, (files, commands)


run_tests()

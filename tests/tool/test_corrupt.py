# SPDX-License-Identifier: Apache-2.0
"""Libraries with changed bytes, or truncated: they are read, or refused with one line."""
import os
import pathlib
import random
import shlex
import subprocess
import unittest

from elf import Library, blob
from tool import CHECK, FILES, LOAD, OK, USAGE, WINDOWS, run, run_tests, skip, work_folder

if WINDOWS:
    skip(
        "how damaged files are read does not depend on the system, and Wine would start a thousand "
        "programs"
    )

WORK = work_folder()
WRONG, RIGHT = WORK / "lib.so", WORK / "right.so"
ROUNDS = 25
random.seed(2025)


def attempt(content):
    """Let every command read these bytes; returns the exit codes."""
    seen = set()
    WRONG.write_bytes(content)
    for command, codes in (["list", "--bin", "--undefined"], (OK, LOAD)), \
            (["check", "--json"], (OK, LOAD, CHECK)), \
            (["check", RIGHT], (OK, LOAD, CHECK)), \
            (["unpack", "--output", WORK / "unpacked"], (OK, LOAD)), \
            (["unpack", "--extract=k[0]", "--output", WORK / "one"], (OK, USAGE, LOAD)):
        code, out, err = run(*command, WRONG)
        assert (code in codes
                and err.count("\n") == (code in (LOAD, USAGE))), (command, code, out, err)
        assert err == "" or err.startswith("tvm-ffi: ") and str(WRONG) in err, err
        assert "\x1b" not in out + err
        seen.add(code)
    return seen


def small(machine):
    library = Library(machine, needed=["libc.so.6"
                                       ]).function("__tvm_ffi_f").undefined("memcpy", "GLIBC_2.14")
    library.data("__tvm_ffi__schema_f", b'{"type_schema":"{}"}\0').undefined("TVMFFIObjectDecRef")
    return library.data("__tvm_ffi__library_bin",
                        blob([(b"_lib", None, [1]), (b"k", b"payload", [])])).build()


class Corrupt(unittest.TestCase):
    def test_bytes_that_are_changed(self):
        """Bytes that are changed, and files that are cut."""
        compiled = WORK / "origin.o"
        subprocess.run(
            [*shlex.split(os.environ["CC"]), "-x", "c", "-c", "-", "-o", compiled],
            text=True,
            check=True,
            input=
            "int __tvm_ffi_f(void) { return 0; }\nstatic int g; int *__tvm_ffi__library_ctx = &g;\n"
        )
        for origin in [*map(pathlib.Path, FILES), compiled, "x86-64", "powerpc"]:
            content = origin.read_bytes() if isinstance(origin, pathlib.Path) else small(origin)
            RIGHT.write_bytes(content)
            seen = attempt(content)
            for _ in range(ROUNDS):
                damaged = bytearray(content)
                # Mostly in the headers and at both ends, where offsets and counts are.
                place = random.choice(
                    [range(64), range(64, 512),
                     range(len(content)),
                     range(-1200, 0)])
                for _ in range(random.choice([1, 1, 4])):
                    damaged[random.choice(place) % len(damaged)] = random.choice(
                        [0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
                seen |= attempt(bytes(damaged))
            for _ in range(ROUNDS // 2):
                seen |= attempt(content[:random.randrange(len(content))])
            assert {OK, LOAD} <= seen, (origin, seen)


run_tests()

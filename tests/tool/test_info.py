# SPDX-License-Identifier: Apache-2.0
"""test_info.py TVM-FFI [LIBRARY-WITH-CXX-FUNCTIONS]"""
import os
import pathlib
import re
import subprocess
import unittest

from tool import COMMAND, FILES, USAGE, WINDOWS, bad, good, good_json, run, run_tests

os.environ.pop("LD_LIBRARY_PATH", None)


class Info(unittest.TestCase):
    def test_of_two_libraries_with_this_name_it_must(self):
        """Of two libraries with this name it must use the one that the program was linked with."""
        out = good("info")
        assert re.match(
            r"ABI version +0\.1\.16\nheaders +0\.1\.16\nDLPack version +1\.\d+\nprofile "
            r"+(core|full)\n",
            out), out

        info = good_json("info")
        assert len(out.splitlines()) == len(info), (out, info)
        assert info["abi_version"] == "0.1.16" and info["types"] >= 29, info
        assert info["global_functions"] > 10 and info["pointer_bits"] in (32, 64), info
        # The paths of the library and of the helper beside it.
        library = pathlib.Path(info["library"])
        if not WINDOWS:  # where it begins with the drive of the emulator
            assert library.is_file() and b"\x7fELF" == library.read_bytes()[:4], info
        assert library.name == ("tvm_ffi.dll" if WINDOWS else "libtvm_ffi.so"), info
        helper = library.parent / "libtvm_ffi_cxx.so"
        assert (info["cxx_helper"] == str(helper)
                if helper.exists() else "cannot be called" in info["cxx_helper"]), info
        assert info["cxx_functions"] == "not in the library", info
        for other in map(pathlib.Path, FILES):
            with_cxx = good_json("info", env={**os.environ, "LD_LIBRARY_PATH": str(other.parent)})
            assert with_cxx["library"] == str(other.resolve()), with_cxx
            assert with_cxx["cxx_functions"] == with_cxx["cxx_helper"] == "in the library", with_cxx
        if not WINDOWS:
            # A library that the loader found by a relative path.
            relative = good_json("info",
                                 env={
                                     **os.environ, "LD_LIBRARY_PATH":
                                     os.path.relpath(library.parent)
                                 })
            assert relative["library"] == str(library), relative
        assert f"profile={info['profile']} " in info["build_options"], info
        assert re.match(r"(gcc|clang) \d+\.\d+\.\d+$", info["compiler"]), info
        assert re.search(r", (little|big)-endian$", info["system"]), info

    def test_lines_end_as_on_all_systems(self):
        """Lines end as on all systems."""
        assert subprocess.run([*COMMAND, "--version"], stdout=subprocess.PIPE,
                              check=True).stdout == b"tvm-ffi 0.1.16\n"
        assert "  info " in good("--help") and good("info",
                                                    "--help").startswith("usage: tvm-ffi info")

    def test_commands_and_options_that_do_not_exist(self):
        """Commands and options that do not exist."""
        bad(USAGE, "nonsense is not a command; tvm-ffi --help lists them", "nonsense")
        for wrong, meant in ("lst", "list"), ("chekc", "check"), ("Run", "run"), ("embedd",
                                                                                  "embed"):
            bad(USAGE, f"{wrong} is not a command; did you mean {meant}?", wrong)
        bad(USAGE, "is not a command; tvm-ffi --help lists them", "x" * 1000)
        bad(USAGE, "--nonsense is not an option of info; see tvm-ffi info --help", "info",
            "--nonsense")
        bad(USAGE, "--clor is not an option of info; did you mean --color?", "info", "--clor=auto")
        bad(USAGE, "--inputs is not an option of run; did you mean --input?", "run", "--inputs",
            "1")
        bad(USAGE, "--json takes no value", "info", "--json=yes")
        bad(USAGE, "--color needs a value: auto|always|never", "info", "--color")
        bad(USAGE, '--color must be auto, always or never, not "red"', "info", "--color=red")
        bad(USAGE, "info: one operand too many: x; usage: tvm-ffi info [OPTION...]\n", "info", "x")
        code, out, err = run()
        assert code == USAGE and out == "" and err.startswith("usage: tvm-ffi COMMAND"), (code, out,
                                                                                          err)


run_tests()

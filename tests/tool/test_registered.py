# SPDX-License-Identifier: Apache-2.0
"""The commands types and registry, on the runtime and on libraries.

test_registered.py TVM-FFI REGISTERS"""
import unittest

from tool import FILES, LOAD, TOOL, WINDOWS, bad, good, good_json, run_tests

REGISTERS, = FILES


class Registered(unittest.TestCase):
    def test_functions(self):
        """Functions."""
        functions = good("registry").splitlines()
        assert functions == sorted(functions) and len(functions) >= 100, functions
        assert "ffi.ArrayContains(_0: Array, _1: Any) -> bool" in functions, functions
        assert ("ffi.Array(...) -> Any" in functions
                and not any("?" in line for line in functions)), functions
        assert not any("test.tool" in line for line in functions), functions
        assert good("registry", "--match=ffi.json.*", "-m", "ffi.Map") == """\
ffi.Map(...) -> Any
ffi.json.Parse(_0: str) -> Any
ffi.json.Stringify(_0: Any, _1: Optional[int]) -> str
"""
        assert good("registry", "--match=nothing") == ""
        assert good("registry", "--lib", REGISTERS, "--match=test.*") == """\
test.tool.area(width: int, _1: int) -> int
test.tool.un\\x1b[31mknown  ?
"""
        area, unknown = good_json("registry", "--lib", REGISTERS, "--match=test.*")
        assert (area["name"] == "test.tool.area"
                and area["signature"] == "(width: int, _1: int) -> int"), area
        assert "type_schema" in area["metadata"], area
        assert unknown == {"name": "test.tool.un\x1b[31mknown", "signature": None,
                           "metadata": "no schema"}, unknown
        assert len(good_json("registry")) == len(functions)

    def test_types(self):
        """Types."""
        types = good("types")
        assert "\n     70  ffi.Tensor < ffi.Object\n" in types, types
        assert "\n         imports_: Array[Any]  at 24, 8 B\n" in types, types
        assert good("types", "--lib", REGISTERS, "--match=test.*").split("\n", 1)[1] == """\
         A box.
         Its second line \\x1b[31mis not red.
         width: int  at 24, 8 B  writable  keyword-only
           From left to right.
         un\\x1bknown: ?  at 32, 8 B
         area(_0: test.tool.Box) -> int
"""
        [box] = good_json("types", "--lib", REGISTERS, "--match=test.*")
        assert box["key"] == "test.tool.Box" and box["parent"] == "ffi.Object" and box[
            "index"] >= 128, box
        assert box["size"] == 40 and box["structural"] == "tree" and not box["has_creator"], box
        width, unknown = box["fields"]
        assert (width["type"] == "int" and width["offset"] == 24
                and width["flags"] == ["writable", "keyword-only"]), width
        assert (unknown["name"] == "un\x1bknown" and unknown["type"] is None
                and unknown["flags"] == []), unknown
        assert box["methods"][0]["signature"] == "(_0: test.tool.Box) -> int", box
        everything = good_json("types")
        assert [entry["index"] for entry in everything] == sorted(entry["index"]
                                                                  for entry in everything)
        assert len(everything) == types.count(" < ") + sum(entry["parent"] is None
                                                           for entry in everything), types

    def test_libraries_that_cannot_be_loaded(self):
        """Libraries that cannot be loaded; test_supervise.py has more."""
        for command in "types", "registry":
            bad(LOAD, "nothing.so: No such file or directory", command, "--lib", "nothing.so")
            if not WINDOWS:  # which loads programs, too
                bad(LOAD, f"{TOOL}: cannot be loaded: it is a program; link a library with -shared",
                    command, "--lib", TOOL)
            bad(LOAD, "nothing.so: No such file or directory", command, "--lib", REGISTERS, "--lib",
                "nothing.so")


run_tests()

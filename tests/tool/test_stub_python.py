# SPDX-License-Identifier: Apache-2.0
"""The Python module that stub writes, with the reference's package.

package.py run test_stub_python.py TVM-FFI TYPED"""
import importlib.util
import pathlib
import shutil
import typing
import unittest

import numpy
import tvm_ffi

from tool import FILES, good, run_tests, work_folder

[TYPED] = FILES


def load(path):
    spec = importlib.util.spec_from_file_location("typed_stub", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FOLDER = work_folder()
shutil.copyfile(TYPED, FOLDER / pathlib.Path(TYPED).name)  # the module looks for it beside itself
assert good("stub", "--lang=python", "-o", FOLDER / "typed.py", TYPED) == ""
typed = load(FOLDER / "typed.py")


class StubPython(unittest.TestCase):
    def test_calls(self):
        x, y = numpy.arange(1, 5, dtype="float32"), numpy.zeros(4, "float32")
        typed.scale(tvm_ffi.from_dlpack(x), 2.5, y=tvm_ffi.from_dlpack(y))
        assert y.tolist() == [2.5, 5, 7.5, 10], y
        device = tvm_ffi.device("cuda", 1)
        shown = typed.show(True, -3, 2.5, tvm_ffi.dtype("float32"), device, "word", b"12345", None)
        assert shown == "1 -3 2.5 2/32 2:1 word 5 null", shown
        assert typed.same_array([1, 2, 3])[2] == 3 and typed.same_map({"a": 0.5})["a"] == 0.5
        assert typed.count_none(None, None, "text", print, None) == 3
        # missing arguments are passed as None
        assert typed.count_args(1) == typed.count_args(1, 2) == 5
        assert typed.count_given(1, 2) == 2 and typed.same_optional_union("x") == "x"
        assert (typed.load_(9) == 9 and typed.return_("x") == "x"
                and typed.same_optional_int(None) is None)
        assert typed.packed() == 0 and typed.packed(1, "x", None) == 3
        try:
            typed.scale(1, 2, 3)
        except TypeError:
            pass
        else:
            raise AssertionError("no TypeError")

    def test_annotations(self):
        """They have the types of the schema, and all names in them are defined."""
        names = [
            name for name, value in vars(typed).items()
            if callable(value) and getattr(value, "__module__", "") == "typed_stub"
        ]
        hints = {name: typing.get_type_hints(getattr(typed, name)) for name in names}
        assert len(hints) == 30, sorted(hints)
        assert hints["scale"] == {
            "x": tvm_ffi.Tensor, "s": float, "y": tvm_ffi.Tensor, "return": type(None)
        }, hints
        assert hints["same_optional_int"] == {
            "arg0": typing.Optional[int], "return": typing.Optional[int]
        }, hints
        assert hints["same_union"]["return"] == typing.Union[int, str], hints
        assert typed.scale.__doc__ == "Scale x by s into y.", typed.scale.__doc__
        assert ('text""", ' in typed.lies.__doc__
                and "\\ neither." in typed.lies.__doc__), typed.lies.__doc__

    def test_another_library(self):
        """The module loads it from another path."""
        assert typed.load(TYPED).get_function("same_int")(7) == typed.same_int(7) == 7


run_tests()

# SPDX-License-Identifier: Apache-2.0
"""The Python module that stub writes, with the reference's package.

package.py run test_stub_python.py TVM-FFI TYPED LIBRARY..."""
import builtins
import importlib.util
import json
import keyword
import os
import pathlib
import shutil
import subprocess
import sys
import typing
import unittest

import numpy
import tvm_ffi

from elf import Library
from tool import FILES, OK, good, run, run_tests, work_folder

sys.path.insert(1, str(pathlib.Path(__file__).parents[1] / "compat"))
import package

TYPED, *LIBRARIES = FILES


def load(path):
    spec = importlib.util.spec_from_file_location("typed_stub", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def schema(kind, *args, **others):
    """A type as metadata has it."""
    return {"type": kind, **({"args": list(args)} if args else {}), **others}


def write_odd(path):
    """A library without code: functions with every type as a parameter and as the result, nested,
    and with parameters of any name."""
    plain = [schema(name) for name in (
        "Any", "None", "bool", "int", "float", "void*", "DataType", "Device", "ffi.String",
        "ffi.Bytes", "DLTensor*", "ffi.Tensor", "ffi.Shape", "ffi.Module", "ffi.Function",
        "ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict", "Tuple", "Variant",
        "ffi.Object", "my.own.Class")]
    kinds = list(plain)
    for kind in plain:
        kinds += [schema("ffi.Array", kind), schema("ffi.List", kind),
                  schema("ffi.Dict", kind, kind), schema("ffi.Map", schema("ffi.String"), kind),
                  schema("Tuple", kind, kind),
                  schema("Variant", kind, schema("int")), schema("ffi.Function", kind, kind, kind),
                  schema("Optional", kind)]
    kinds += [schema("Optional", kind) for kind in kinds if kind["type"] != "Optional"]
    functions = {f"f{i}": (kind, [kind, kind]) for i, kind in enumerate(kinds)}
    names = {*keyword.kwlist, *dir(builtins), "_", "match", "type", "tvm_ffi", "ctypes", "Any",
             "Callable", "Mapping", "Sequence", "Union", "Optional", "annotations", "load", "path",
             "_get", "_module", "_functions", "_pathlib", "_result", "__file__", "__all__"}
    functions.update((name, (schema("int"), [schema("int", name=name)])) for name in sorted(names)
                     if not name.startswith("_"))
    functions["all_names"] = (schema("float"), [schema("float", name=name)
                                                for name in sorted(names)])
    functions["left_out"] = (schema("int"), [
        schema("Optional", schema("int"), name=f"x{i}", default=None) for i in range(3)])
    library = Library()
    for name, (result, params) in functions.items():
        text = json.dumps({"type_schema": json.dumps(
            {"type": "ffi.Function", "named_args": {"return": [result], "params": params}})})
        library.function(f"__tvm_ffi_{name}").function(f"__tvm_ffi__metadata_{name}")
        library.data(f"__tvm_ffi__schema_{name}", text.encode() + b"\0")
        library.data(f"__tvm_ffi__doctext_{name}", b'Says \\N{x} and """.\0')
    library.write(path)
    return len(functions)


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

    def test_mypy(self):
        """mypy --strict has nothing to say of the modules for several libraries."""
        try:
            mypy = package.require_more("mypy")
        except SystemExit:
            self.skipTest("mypy cannot be installed")
        count = write_odd(FOLDER / "odd.so")
        for number, library in enumerate([TYPED, FOLDER / "odd.so", *LIBRARIES]):
            written = FOLDER / f"m{number}_{pathlib.Path(library).stem}.py"
            code, _, err = run("stub", "--lang=python", "--no-load", library, "-o", written)
            assert code == OK or "no functions to wrap" in err, err
        odd = (FOLDER / "m1_odd.py").read_text(encoding="utf-8")
        assert odd.count("\ndef ") == count + 2 and "Not typed" not in odd, odd
        modules = sorted(FOLDER.glob("m*_*.py"))
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={FOLDER}/cache", *modules],
            cwd=FOLDER, env={**os.environ, "PYTHONPATH": str(mypy)}, capture_output=True, text=True,
            check=False)
        assert done.returncode == 0 and done.stdout.startswith("Success: no issues found in "), done
        # It sees the types.
        (FOLDER / "use.py").write_text("import typed\n\nx: str = typed.same_int('1')\n",
                                       encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "mypy", f"--cache-dir={FOLDER}/cache", "use.py"], cwd=FOLDER,
            env={**os.environ, "PYTHONPATH": str(mypy)}, capture_output=True, text=True,
            check=False)
        assert "[assignment]" in done.stdout and "[arg-type]" in done.stdout, done
        odd = load(FOLDER / "m1_odd.py")
        assert len([name for name in vars(odd) if callable(vars(odd)[name])]) > count
        print(f"mypy --strict: silent about {len(modules)} modules")

    def test_another_library(self):
        """The module loads it from another path."""
        assert typed.load(TYPED).get_function("same_int")(7) == typed.same_int(7) == 7


run_tests()

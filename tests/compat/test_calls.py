# SPDX-License-Identifier: Apache-2.0
"""kernels_calls.c: functions, containers, modules and streams."""
import ctypes

import numpy as np
import tvm_ffi
from kernels import Case, kernels


class Functions(Case):
    def test_callbacks(self):
        self.check("call", (lambda: 5, 5), (lambda *args: len(args), 1, 2, 2),
                   (lambda x: x + "!", "a long enough text", "a long enough text!"),
                   (lambda x: None, 1, None))
        x = np.arange(3, dtype=np.float32)
        self.assertEqual(kernels.call(lambda t: float(np.from_dlpack(t).sum()), x), 3.0)
        self.check("sum_calls", (lambda i: i * i, 4, 14), (lambda i: True, 3, 3))
        self.check_raises("sum_calls",
                          (str, 1, TypeError, "Cannot convert from type `ffi.SmallStr` to `int`"))
        self.check("call_opt", (lambda: 1, 1))
        self.check_raises("call_opt",
                          (None, TypeError, "Cannot convert from type `None` to `ffi.Function`"))
        self.assertEqual(kernels.call(kernels.call, kernels.call, kernels.count, 1, 2), 2)

    def test_globals(self):
        self.assertEqual(tvm_ffi.get_global_func("compat.twice")(21), 42)
        self.check("call_global", ("compat.twice", 4, 8), ("ffi.MapSize", {"a": 1}, 1))
        self.check_raises(
            "call_global", ("compat.none", ValueError, "Function compat.none not found"),
            ("compat.twice", "x", TypeError, "Mismatched type on argument #0 when calling: "
             "`twice(0: int) -> int`. Expected `int` but got `ffi.SmallStr`"))
        self.check("find_global", ("compat.none", None))
        self.check_raises("find_global", (None, ValueError, "`name` must not be NULL"))
        self.assertEqual(kernels.find_global("compat.twice")(1), 2)
        self.assertEqual(kernels.get_global("compat.twice")(2), 4)
        self.check_raises("get_global",
                          ("compat.none", ValueError, "Function compat.none not found"))
        tvm_ffi.register_global_func("compat.python", lambda x: x * 3)
        self.check("call_global", ("compat.python", 5, 15))

    def test_registering(self):
        self.check("register_twice", ("compat.new", False, None), ("compat.new", True, None))
        self.assertEqual(tvm_ffi.get_global_func("compat.new")(5), 10)
        with self.assertRaises(RuntimeError) as caught:
            kernels.register_twice("compat.new", False)
        self.assertIn("compat.new", str(caught.exception))
        tvm_ffi.remove_global_func("compat.new")

    def test_contexts(self):
        counter, other = kernels.make_counter(5), kernels.make_counter(-1)
        self.assertEqual([counter(), counter(), other(), counter()], [5, 6, -1, 7])
        with self.assertRaises(TypeError) as caught:
            counter(1)
        self.assertEqual(
            str(caught.exception),
            "Mismatched number of arguments when calling: `count_up() -> int`. "
            "Expected 0 but got 1 arguments")


class Containers(Case):
    def test_arrays(self):
        made = kernels.make_array(1, "a long enough text", None, [2])
        self.assertIs(type(made), tvm_ffi.Array)
        self.assertEqual([made[0], made[1], made[2], list(made[3])],
                         [1, "a long enough text", None, [2]])
        self.assertEqual(len(kernels.make_array()), 0)
        self.check("array_item", ([1, "two"], 1, "two"))
        self.check_raises("array_item", ([1], 1, IndexError, "Index 1 out of bounds 1"),
                          ([1], -1, IndexError, "Index -1 out of bounds 1"))
        self.check("array_sum", ([1, 2.5, True], 4.5), (tvm_ffi.List([1, 2]), 3.0), ([], 0.0))
        self.check_raises("array_sum",
                          ([1, None], TypeError, "Cannot convert from type `None` to `float`"))
        np.testing.assert_array_equal(np.from_dlpack(kernels.make_array(np.arange(3))[0]),
                                      [0, 1, 2])

    def test_lists(self):
        made = kernels.make_list(1, "two")
        self.assertIs(type(made), tvm_ffi.List)
        self.check("list_append", (made, 3.0, None))
        self.assertEqual(list(made), [1, "two", 3.0])

    def test_maps(self):
        made = kernels.make_map("a", 1, "a long enough text", "b", 3, None)
        self.assertIs(type(made), tvm_ffi.Map)
        self.assertEqual(dict(made.items()), {"a": 1, "a long enough text": "b", 3: None})
        self.check("map_item", ({"a": "x"}, "a", "x"), ({"a": "x", "b": 1}, "c", 2),
                   (tvm_ffi.Dict({1: 2}), 1, 2))
        self.check("map_get", ({"a": "x"}, "a", "x"))
        self.check_raises("map_get", ({"a": "x"}, "b", KeyError, "key is not in Map"))


class Surroundings(Case):
    def test_modules(self):
        path = kernels.path
        self.check("call_module", (path, "count", 1, 2, 3, 3))
        self.check_raises("call_module",
                          (path, "none", AttributeError, "Module has no function `none`"),
                          ("file.compat", "f", RuntimeError, "cannot load file.compat yet"))
        self.assertTrue(kernels.module_of(path, "count").implements_function("count"))
        self.check_raises("module_of",
                          (path, "none", AttributeError, "Module has no function `none`"))
        self.check("has_function", (kernels.module, "count", True), (kernels.module, "none", False))
        self.assertTrue(kernels.module.implements_function("count"))
        self.assertEqual(kernels.module.kind, "library")
        self.assertIsNotNone(
            tvm_ffi.get_global_func("ffi.Module.load_from_bytes.compat", allow_missing=True))

    def test_streams(self):
        x = np.zeros(1)
        self.assertEqual(kernels.get_stream(x).value, None)
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu:0"), 0x40):
            self.assertEqual(kernels.get_stream(x).value, 0x40)
            self.assertEqual(kernels.read_stream(x).value, 0x40)
            self.assertEqual(kernels.call_on("cpu", 0x50, kernels.get_stream, x).value, 0x50)
            self.check_raises("call_on", ("cpu", 0x50, lambda: int("x"), ValueError,
                                          "invalid literal for int() with base 10: 'x'"))
            self.assertEqual(kernels.get_stream(x).value, 0x40)
        self.assertEqual(kernels.get_stream(x).value, None)

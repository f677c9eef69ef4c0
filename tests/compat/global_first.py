# SPDX-License-Identifier: Apache-2.0
"""Our library with RTLD_GLOBAL first, then the package: its library calls ours from then on.

    global_first.py LIBRARY KERNELS     run by the package's Python, with its own libtvm_ffi.so
"""
import ctypes
import sys
import unittest

LIBRARY, KERNELS = sys.argv[1:]
OURS = ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)

import numpy as np
import tvm_ffi


class GlobalFirst(unittest.TestCase):

    def test_calls_go_to_our_library(self):
        names = "TVMFFIFunctionCall", "TVMFFITypeRegisterField", "TVMFFIErrorSetRaised"
        process = ctypes.CDLL(None)
        for name in names:
            addresses = {ctypes.cast(getattr(library, name), ctypes.c_void_p).value
                         for library in (OURS, process)}
            self.assertEqual(len(addresses), 1, name)
        theirs = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi())
        self.assertFalse(hasattr(theirs, "TVMFFIRuntimeShutdown"), "the package's own library")

    def test_values(self):
        self.assertEqual(list(tvm_ffi.convert([1, 2.5, "text" * 9])), [1, 2.5, "text" * 9])
        self.assertEqual(dict(tvm_ffi.convert({"a": 1, 2: "b"})), {"a": 1, 2: "b"})
        array = np.arange(6.0).reshape(2, 3)
        self.assertTrue((np.from_dlpack(tvm_ffi.from_dlpack(array)) == array).all())

    def test_functions_and_errors(self):

        def fail(text):
            raise KeyError(text)

        tvm_ffi.register_global_func("compat.fail", fail)
        with self.assertRaisesRegex(KeyError, "from Python"):
            tvm_ffi.get_global_func("compat.fail")("from Python")

    def test_a_kernel(self):
        module = tvm_ffi.load_module(KERNELS)
        self.assertEqual(module.read_int64(7), 7)
        with self.assertRaisesRegex(TypeError, "Mismatched type on argument #0"):
            module.read_int64(None)

    def test_types(self):
        path = tvm_ffi.access_path.AccessPath.root().attr("x").array_item(1)
        self.assertEqual([step.key for step in path.to_steps()], ["x", 1])
        self.assertTrue(tvm_ffi.structural_equal([1, {"a": 2}], [1, {"a": 2}]))
        self.assertFalse(tvm_ffi.structural_equal([1, {"a": 2}], [1, {"a": 3}]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

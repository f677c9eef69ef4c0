# SPDX-License-Identifier: Apache-2.0
"""Python with the reference's package on our library, unchanged: its kernels run in a process of
their own because of the name that they are loaded by.

    python_host.py FOLDER     of the kernels
"""
import sys
import unittest

import numpy as np
import tvm_ffi

FOLDER = sys.argv[1]


class Isolated(unittest.TestCase):

    def test_crashes(self):
        module = tvm_ffi.load_module(f"isolated:{FOLDER}/isolated_bad.so")
        for name, said in (("crash", "crashed: SIGSEGV"), ("end_with_abort", "the last words"),
                           ("end_with_exit", "ended with exit code 3")):
            for _ in range(3):
                with self.assertRaisesRegex(Exception, said):
                    getattr(module, name)()
                self.assertEqual(module.fine(), 42)

    def test_options(self):
        module = tvm_ffi.load_module(f"isolated,timeout=0.2:{FOLDER}/isolated_bad.so")
        with self.assertRaisesRegex(Exception, "took longer than 0.2 s"):
            module.loop()
        self.assertEqual(module.fine(), 42)
        with self.assertRaisesRegex(ValueError, "`timeout=x` is not an option"):
            tvm_ffi.load_module(f"isolated,timeout=x:{FOLDER}/isolated_bad.so")

    def test_values(self):
        same = tvm_ffi.load_module(f"isolated:{FOLDER}/isolated_good.so").same
        self.assertEqual(list(same([1, "text", 2.5])), [1, "text", 2.5])
        array = np.arange(6.0).reshape(2, 3)
        self.assertTrue((np.from_dlpack(same(tvm_ffi.from_dlpack(array))) == array).all())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

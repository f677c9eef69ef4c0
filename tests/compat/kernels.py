# SPDX-License-Identifier: Apache-2.0
"""The Python package with a library of kernels: the tests in test_*.py.

    kernels.py LIBRARY HEADERS      runs them all; run by the package's Python, with its own
                                    libtvm_ffi.so and with ours

HEADERS is include/tvm/ffi: each helper of c/*.h must be used by a file here, and each kernel must
be called by a test.
"""
import ctypes
import pathlib
import re
import sys
import unittest

import tvm_ffi

HERE = pathlib.Path(__file__).resolve().parent


class Kernels:
    """The functions of a module; records which ones were used."""

    def __init__(self, path):
        self.path, self.asked, self.asked_globals = path, set(), set()
        self.module = tvm_ffi.load_module(path)
        # Whether the package runs on our library; a few results differ, see differences.txt.
        self.ours = hasattr(ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi()), "TVMFFIRuntimeShutdown")

    def __getattr__(self, name):
        self.asked.add(name)
        return getattr(self.module, name)

    def names(self):
        """The names that the sources export."""
        text = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("kernels_*.c"))
        plain = re.findall(r"^(?:TVM_FFI_C_EXPORT|MAKER|RAISER)\((\w+),", text, re.M)
        return (set(plain)
                | {"read_" + name for name in re.findall(r"^(?:TEXT_)?READER\((\w+),", text, re.M)}
                | {"check_" + name for name in re.findall(r"^CHECK_SAME\((\w+)\)", text, re.M)})


kernels = Kernels(sys.argv[1])


class Case(unittest.TestCase):
    """Checks calls against tables."""

    def check(self, name, *rows):
        """Each row: arguments..., result. Types matter: 1, 1.0 and True are three results."""
        for *args, expected in rows:
            with self.subTest(kernel=name, args=args):
                result = getattr(kernels, name)(*args)
                self.assertEqual(result, expected)
                if isinstance(expected, (bool, int, float)):
                    self.assertIs(type(result), type(expected))

    def check_raises(self, name, *rows):
        """Each row: arguments..., exception class, the whole message."""
        for *args, kind, message in rows:
            with self.subTest(kernel=name, args=args):
                with self.assertRaises(Exception) as caught:
                    getattr(kernels, name)(*args)
                self.assertIs(type(caught.exception), kind)
                self.assertEqual(caught.exception.args[0], message)

    def check_type_errors(self, name, signature, expected, *rows):
        """Each row: one argument, and the name of its type in the message."""
        for argument, got in rows:
            self.check_raises(name, (argument, TypeError,
                f"Mismatched type on argument #0 when calling: `{name}{signature}`. "
                f"Expected `{expected}` but got `{got}`"))


class Coverage(unittest.TestCase):
    """Runs after the others: unittest sorts by the names of modules, then of classes."""

    def test_every_kernel_is_called(self):
        self.assertGreater(len(kernels.names()), 100)
        self.assertEqual(sorted(kernels.names() - kernels.asked), [])

    def test_every_global_is_called(self):
        names = {
            name for name in tvm_ffi.registry.list_global_func_names() if name.startswith("ffi.")
        }
        # of the kernels
        names -= {f"ffi.Module.load_from_{source}.compat" for source in ("bytes", "file")}
        self.assertGreater(len(names), 80)
        self.assertEqual(sorted(names - kernels.asked_globals), [])

    def test_every_helper_is_used(self):
        # Those of devices have tests of their own, which need no Python: tests/cuda, tests/devices.
        left_out = {"cuda.h", "hip.h", "opencl.h", "device_plugin.h"}
        headers = [
            path for path in pathlib.Path(sys.argv[2], "c").glob("*.h") if path.name not in left_out
        ]
        text = "".join(path.read_text(encoding="utf-8") for path in headers)
        helpers = set(re.findall(r"\b(tvm_ffi_\w+)\(", text)) | set(
            re.findall(r"#define (TVM_FFI_C_\w+)", text))
        helpers = {
            name for name in helpers if "detail" not in name.lower() and not name.endswith("_H_")
        }
        used = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.c"))
        # Names that macros of these files compose.
        for pattern, prefix in ((r"READER\((\w+),", "tvm_ffi_args_read_"),
                                (r"CONVERT\((\w+),", "tvm_ffi_any_read_"), (r"CHECK_SAME\((\w+)\)",
                                                                            "tvm_ffi_args_check_")):
            used += "".join(f" {prefix}{name}" for name in re.findall(pattern, used))
        # A single case of a dispatch is used through the groups that contain it; PRINTF is used in
        # the headers.
        indirectly = {name for name in helpers if name.startswith("TVM_FFI_C_CASE_")
                      } | {"TVM_FFI_C_PRINTF"}
        self.assertGreater(len(helpers), 150)
        unused = {name for name in helpers - indirectly if not re.search(rf"\b{name}\b", used)}
        self.assertEqual(sorted(unused), [])


def main():
    suite = unittest.TestSuite()
    for path in sorted(HERE.glob("test_*.py")):
        suite.addTests(unittest.defaultTestLoader.loadTestsFromName(path.stem))
    suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(Coverage))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    print(*(f"skipped {test.id()}: {reason}" for test, reason in result.skipped), sep="\n")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    # the tests must import this instance of the module
    sys.modules["kernels"] = sys.modules["__main__"]
    sys.exit(main())

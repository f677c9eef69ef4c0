# SPDX-License-Identifier: Apache-2.0
"""The kernels that wrap --abi=memref writes: of wrap_memref.c, and of what MLIR compiles if it is
installed.

test_wrap_memref.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import shutil
import subprocess
import unittest

from compilers import (COMPILERS, FOLDER, PLACE, check_abi_calls, check_default_strides,
                       each_compiler, make_library, raises)
from tool import USAGE, WINDOWS, good, run, run_tests

MEMREF = "--abi=memref"
SCALE = "void scale(const double x[2][3], double a, double y[2][3])"
ANY = "scale_any = void scale(const double x[n][m], double a, double y[n][m])"
APART = ("scale_apart = void scale(const double x[2][3], double a, "
         "double restrict y[2][3] align 16)")
STRIDED = ("scale_strided = void scale(const double x[2:row][3:column] strides any, double a, "
           "double y[2][3])")
STEPS = "scale_steps = void scale(const double x[2:row][3:column], double a, double y[2:s][3:t])"
DOT = "float dot(const float x[n:s], const float y[n])"
TELL = ("tell = int tell(const float x[n:s][m][k], int64_t y[7], bool is_same[], bool is_asked, "
        "int64_t first)")


def check_scale_and_dot(compiler, kernels):
    """Kernels of a library do what they should, and refuse what they should."""
    check_abi_calls(compiler, kernels, with_column=True)
    assert good("run", "--leak-check", kernels,
                "dot(3xf32=1 2 3, 3xf32=1 10 100)") == "result[0]: 321.0\n"
    assert good("run", "--leak-check", kernels, "dot(0xf32, 0xf32)").startswith("result[0]: 0.0\n")
    raises("ValueError: Mismatched shape on argument #1", kernels, "dot(3xf32, 2xf32)")


FUNCTIONS = [FOLDER / "wrap_memref.c"]

PASSES = ["scf-to-cf", "memref-to-llvm", "arith-to-llvm", "func-to-llvm", "cf-to-llvm"]
PROGRAMS = ["mlir-opt-15", "mlir-translate-15", "llc-15"]


class WrapMemref(unittest.TestCase):
    def test_refusals(self):
        code, out, err = run("wrap", MEMREF, "void f(double *w[4])")
        assert (code, out) == (USAGE, "") and err.startswith(
            "tvm-ffi: SPEC:16: `w` is a work array, and --abi=memref has none\n  void f("), err
        code, out, err = run("wrap", MEMREF, "void f(double x[n:s] strides blas)")
        assert (code, out) == (USAGE, "") and err.startswith(
            "tvm-ffi: SPEC:15: `x` has strides as BLAS takes them, and --abi=memref has none: "
            "write `strides any`\n"), err
        assert "wrap_memref_2" not in good("wrap", MEMREF, DOT)

    def test_outputs_are_arguments(self):
        for compiler, lean in each_compiler():
            kernels = make_library(compiler, "kernels", FUNCTIONS,
                                   [SCALE, STRIDED, STEPS, APART, ANY, DOT, TELL], MEMREF, *lean)
            check_scale_and_dot(compiler, kernels)
            check_default_strides(kernels)
            shown = good("run", kernels, "tell(4x2x3xf32=1, &7xi64, &bool, true, 5)")
            assert shown == (
                "result[0]: 7\narg[1]: 7xi64=5 4 2 3 6 3 1\narg[2]: bool=1\n"), shown
            assert good("run", kernels, "tell(1x1x1xf32=1, &7xi64, &bool=1, false, 0)").endswith(
                "=0 1 1 1 1 1 1\narg[2]: bool=0\n")

    def test_outputs_are_returned(self):
        """And a result is an error code."""
        for compiler, lean in each_compiler():
            kernels = make_library(compiler, "returned", FUNCTIONS, [SCALE, TELL], MEMREF,
                                   "--outputs=return", *lean)
            assert good(
                "run", "--leak-check", kernels,
                "scale(2x3xf64=1 2 3 4 5 6, 10.0)") == "result[0]: 2x3xf64=[10 21 32][40 51 62]\n"
            assert good("run", "--leak-check", kernels, "tell(4x2x3xf32=1, true, 0)") == (
                "result[0]: 7\nresult[1]: 7xi64=0 4 2 3 6 3 1\nresult[2]: bool=1\n")
            kernels = make_library(compiler, "codes", FUNCTIONS, [TELL], MEMREF, "--errors=nonzero",
                                   *lean)
            raises("RuntimeError: `tell` failed: expected it to return 0 but got 7", kernels,
                   "tell(4x2x3xf32=1, &7xi64, &bool, true, 5)")

    def test_small_integers(self):
        """MLIR's index has 32 bits on some machines: there larger extents and strides are refused,
        and not cut."""
        (PLACE / "narrow.h").write_text("#include <stdint.h>\n#define intptr_t int32_t\n",
                                        encoding="utf-8")
        (PLACE / "narrow.c").write_text(
            '#include "narrow.h"\nint _mlir_ciface_first(void *x);\n'
            "int _mlir_ciface_first(void *x) { return x != 0; }\n", encoding="utf-8")
        for compiler in COMPILERS.values():
            kernels = make_library(compiler, "of_32_bits", [PLACE / "narrow.c"],
                                   ["int first(const float x[n:s] strides any)"], MEMREF,
                                   f"--include={PLACE}/narrow.h")
            assert good("run", kernels, "first(2xf32=1)") == "result[0]: 1\n"
            raises(
                "ValueError: Argument #0 of `first(0: const float x[n:s] strides any) -> int` must "
                "have an extent and a stride of 32 bits, but has 2147483648 and 1 in dimension 0\n",
                kernels, "first(2147483648xf32.reserved)")

    def test_compiled_code(self):
        """What MLIR compiles."""
        missing = [name for name in PROGRAMS if shutil.which(name) is None]
        if missing:
            print(f"skipped: MLIR 15 has no {missing[0]} here")
        else:
            code = (FOLDER / "wrap_memref.mlir").read_bytes()
            target = ["-mtriple=x86_64-w64-windows-gnu"] if WINDOWS else []
            for command in ([
                    PROGRAMS[0], *(f"--convert-{name}" for name in PASSES),
                    "--reconcile-unrealized-casts"
            ], [PROGRAMS[1], "--mlir-to-llvmir"
                ], [PROGRAMS[2], "-O2", "-filetype=obj", "-relocation-model=pic", *target]):
                code = subprocess.run(command, input=code, capture_output=True, check=True).stdout
            (PLACE / "compiled.o").write_bytes(code)
            for compiler in COMPILERS.values():
                check_scale_and_dot(
                    compiler,
                    make_library(compiler, "of_mlir", [PLACE / "compiled.o"],
                                 [SCALE, STRIDED, APART, ANY, DOT], MEMREF))
            print("checked with MLIR 15")


run_tests()

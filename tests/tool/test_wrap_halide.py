# SPDX-License-Identifier: Apache-2.0
"""The kernels that wrap --abi=halide writes: of wrap_halide.c, and of what Halide compiles if it is
installed.

test_wrap_halide.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import subprocess
import unittest

from compilers import (COMPILERS, FOLDER, PLACE, check_abi_calls, check_default_strides,
                       each_compiler, find_generator, make_library, raises)
from tool import USAGE, good, run, run_tests

HALIDE = "--abi=halide"
SCALE = "int scale(const double x[2][3], double a, double y[2][3])"
ANY = "scale_any = int scale(const double x[n][m], double a, double y[n][m])"
APART = ("scale_apart = int scale(const double x[2][3], double a, "
         "double restrict y[2][3] align 16)")
STRIDED = ("scale_strided = int scale(const double x[2:row][3:column] strides any, double a, "
           "double y[2][3])")
STEPS = "scale_steps = int scale(const double x[2:row][3:column], double a, double y[2:s][3:t])"
FLOAT = "of_float = int scale(const double x[n][m], double a, float y[n][m])"
FILL = "int fill(double y[n][m], int64_t n, int64_t m)"
TELLS = [
    "bools = int tell(const bool x[k][n:s][m], int32_t y[10])",
    "bytes = int tell(const uint8_t x[], int32_t y[4])",
    "numbers = int tell(const double x[n], int32_t y[6])",
    "pairs = int tell(const float x[n][m], int32_t y[8])"
]

FUNCTIONS = [FOLDER / "wrap_halide.c"]

COMPILE = """
import importlib.metadata
import halide
i, j = halide.Var("i"), halide.Var("j")
x, a = halide.ImageParam(halide.Float(64), 2, "x"), halide.Param(halide.Float(64), "a")
x.dim(0).set_stride(halide.Expr())
scale = halide.Func("scale")
scale[j, i] = a * x[j, i] + halide.f64(j)
target = halide.get_host_target()
scale.compile_to_object("scale.o", [x, a], "scale", target)
scale.compile_to_header("scale.h", [x, a], "scale", target)
print(importlib.metadata.version("halide"))
"""


class WrapHalide(unittest.TestCase):
    def test_refusals(self):
        for spec, column, message in [
            ("void f(double x[n])", 6,
             "with --abi=halide `f` must return int, its error code, not `void`"),
            ("int f(double *w[4])", 15, "`w` is a work array, and --abi=halide has none"),
            ("int f(double x[n:s] strides blas)", 14,
             "`x` has strides as BLAS takes them, and --abi=halide has none: write `strides any`")
        ]:
            code, out, err = run("wrap", HALIDE, spec)
            assert ((code, out) == (USAGE, "")
                    and err.startswith(f"tvm-ffi: SPEC:{column}: {message}\n  {spec}\n")), err

    def test_outputs_are_arguments(self):
        for compiler, lean in each_compiler():
            kernels = make_library(compiler, "kernels", FUNCTIONS,
                                   [SCALE, STRIDED, STEPS, APART, ANY, FLOAT, *TELLS], HALIDE,
                                   *lean)
            check_abi_calls(compiler, kernels, with_column=True)
            check_default_strides(kernels)
            for call, printed in {
                    "bools(2x3x4xbool=1, &10xi32)": "10xi32=1 1 3 1 4 1 3 4 2 12",
                    "bytes(u8=1, &4xi32)": "4xi32=1 8 0 1",
                    "numbers(5xf64=1, &6xi32)": "6xi32=2 64 1 1 5 1",
                    "numbers(0xf64, &6xi32)": "6xi32=2 64 1 1 0 1",
            }.items():
                assert f"arg[1]: {printed}\n" in good("run", kernels, call), call
            raises("RuntimeError: `scale` failed: expected it to return 0 but got -5", kernels,
                   "scale(2x3xf64, -1.0, &2x3xf64)")
            raises("RuntimeError: Halide: Buffer y is of the type 2:32x1, not 2:64x1\n", kernels,
                   "of_float(2x3xf64, 1.0, &2x3xf32)")
            raises(
                "ValueError: Argument #0 of `pairs(0: const float x[n][m], 1: int32_t y[8]) -> "
                "void` must have an extent and a stride of 32 bits, but has 2147483648 and 1 in "
                "dimension 0\n", kernels,
                "pairs(2147483648x0xf32, &8xi32)")

    def test_outputs_are_returned(self):
        for compiler, lean in each_compiler():
            kernels = make_library(compiler, "returned", FUNCTIONS, [SCALE, FLOAT, FILL], HALIDE,
                                   "--outputs=return", *lean)
            assert good(
                "run", "--leak-check", kernels,
                "scale(2x3xf64=1 2 3 4 5 6, 10.0)") == "result[0]: 2x3xf64=[10 21 32][40 51 62]\n"
            raises("RuntimeError: Halide: Buffer y is of the type 2:32x1, not 2:64x1\n",
                   "--leak-check", kernels, "of_float(2x3xf64, 1.0)")
            raises("RuntimeError: `scale` failed: expected it to return 0 but got -5",
                   "--leak-check", kernels, "scale(2x3xf64, -1.0)")
            assert good("run", "--leak-check", kernels, "fill(2, 0)") == "result[0]: 2x0xf64=\n"
            raises(
                "ValueError: Halide has 32 bits for an extent and a stride, but a result has "
                "2147483648 and 1 in dimension 0\n", "--leak-check", kernels, "fill(2147483648, 0)")

    def test_compiled_code(self):
        """What Halide compiles, with any strides of the input."""
        python = find_generator("halide")
        if python is not None:
            done = subprocess.run([python, "-c", COMPILE], cwd=PLACE, capture_output=True,
                                  text=True, check=True)
            objects = [PLACE / "scale.o", "-lpthread", "-ldl", "-lm"]
            for compiler in COMPILERS.values():
                kernels = make_library([*compiler, "-isystem", PLACE], "of_halide", objects,
                                       [SCALE, STRIDED, APART, ANY, FLOAT], HALIDE,
                                       "--include=<scale.h>")
                check_abi_calls(compiler, kernels, with_column=True)
                raises(
                    "RuntimeError: Halide: Output buffer scale has type float64 but type of the "
                    "buffer passed in is float32\n", kernels, "of_float(2x3xf64, 1.0, &2x3xf32)")
                kernels = make_library(
                    compiler, "sizes", objects,
                    ["int scale(const double x[k][l], double a, double y[n][m])"], HALIDE)
                raises(
                    "RuntimeError: Halide: Input buffer x is accessed at 2, which is beyond the "
                    "max (1) in dimension 0\n", kernels, "scale(2x2xf64, 1.0, &2x3xf64)")
            print("checked with Halide", done.stdout.strip())


run_tests()

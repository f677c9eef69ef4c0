# SPDX-License-Identifier: Apache-2.0
"""The kernels that wrap --abi=casadi writes: of wrap_casadi.c, and of what CasADi generates if it
is installed.

test_wrap_casadi.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import subprocess
import unittest

from compilers import (COMPILERS, FOLDER, PLACE, check_abi_calls, check_default_strides,
                       each_compiler, find_generator, make_library, raises)
from tool import USAGE, good, run, run_tests

CASADI = "--abi=casadi"
SCALE = "int scale(const double x[2][3], double a, double y[2][3])"
SPECS = [
    SCALE, "scale_strided = int scale(const double x[2:row][3:column] strides any, double a, "
    "double y[2][3])",
    "scale_steps = int scale(const double x[2:row][3:column], double a, double y[2:s][3:t])",
    "scale_apart = int scale(const double x[2][3], double a, double restrict y[2][3] align 16)",
    "int transpose(const double m[n][n], double t[n, n])",
    "int sum(const double row[3], const double column[3], double s[])", "int solve(double which[])",
    "int busy(void)"
]
RETURNS = [
    SCALE, "flat = int sum(const double row[1, n], const double column[n][1], double s[1][1])",
    "by_columns = int scale(const double x[2:1][3:2], double a, double y[2][3])"
]

FUNCTIONS = [FOLDER / "wrap_casadi.c"]

GENERATE = """
import casadi
x, A = casadi.MX.sym("x", 3), casadi.MX.sym("A", 2, 3)
f = casadi.Function("f", [x, A], [casadi.mtimes(A, x), casadi.sumsqr(x)], ["x", "A"], ["y", "s"])
v = casadi.SX.sym("v", 3)
g = casadi.Function("g", [v], [casadi.jacobian(v**2, v)], ["v"], ["J"])
code = casadi.CodeGenerator("generated.c", {"with_header": True})
code.add(f)
code.add(g)
code.generate()
print(casadi.__version__)
"""


class WrapCasadi(unittest.TestCase):
    def test_refusals(self):
        for spec, column, message in [
            ("void f(double a)", 6,
             "with --abi=casadi `f` must return int, its error code, not `void`"),
            ("int f(int n, double x[n])", 11,
             "`n` is of the type `int`, but CasADi functions take double or float"),
            ("int f(double a, float b)", 23,
             "`b` is of the type `float`, and another matrix of `double`: the functions of a file "
             "have one casadi_real"),
            ("int f(double *w[4])", 15, "`w` is a work array, and --abi=casadi has none"),
            ("int f(double x[2][2][2])", 14,
             "`x` has 3 dimensions, but CasADi matrices have up to 2"),
            ("int f(double x[n:s] strides blas)", 14,
             "`x` has strides as BLAS takes them, and --abi=casadi has none: write `strides any`")
        ]:
            code, out, err = run("wrap", CASADI, spec)
            assert (
                (code, out) == (USAGE, "") and err
                == f"tvm-ffi: SPEC:{column}: {message}\n  {spec}\n  {' ' * (column - 1)}^\n"), err
        assert "`x` is of the type `float`, and another" in run("wrap", CASADI, SCALE,
                                                                "int f(float x[1])")[2]
        assert "--abi must be plain" in run("wrap", "--abi=Casadi", SCALE)[2]

    def test_outputs_are_arguments(self):
        for compiler, lean in each_compiler():
            kernels = make_library(compiler, "matrices", FUNCTIONS, SPECS, CASADI, *lean)
            check_abi_calls(compiler, kernels)
            check_default_strides(kernels)
            for call, printed in {
                    "transpose(3x3xf64=1 9 2 9 9 9 9 9 3, "
                    "&3x3xf64=8)": "arg[1]: 3x3xf64=[1 0 0][0 0 0][2 0 3]",
                    "sum(3xf64=1 2 4, 3xf64=100 200 400, &f64)": "arg[2]: f64=607",
                    "solve(&f64)": "arg[0]: f64=7",
            }.items():
                assert good("run", "--leak-check", kernels, call) == f"{printed}\n", call
            raises("RuntimeError: `scale` failed: expected it to return 0 but got 5", kernels,
                   "scale(2x3xf64, -1.0, &2x3xf64)")
            raises(
                "RuntimeError: `busy` failed: expected its checkout to return a memory but got -1",
                kernels, "busy()")
            raises(
                "ValueError: Argument #0 of `transpose(0: const double m[n][n], 1: double t[n, n]) "
                "-> void` must be a matrix of 3x3, but has shape [2, "
                "2]", kernels, "transpose(2x2xf64, &2x2xf64)")

    def test_outputs_are_returned(self):
        """Vectors are matrices, and a tensor has the order of CasADi."""
        for compiler, lean in each_compiler():
            kernels = make_library(compiler, "matrices_returned", FUNCTIONS, RETURNS, CASADI,
                                   "--outputs=return", *lean)
            for call, printed in {
                    "scale(2x3xf64=1 2 3 4 5 6, 10.0)": "result[0]: 2x3xf64=[10 21 32][40 51 62]",
                    "flat(1x3xf64=1 2 4, 3x1xf64=100 200 400)": "result[0]: 1x1xf64=[607]",
            }.items():
                assert good("run", "--leak-check", kernels, call) == printed + "\n", call
            raises("must have stride 1 in dimension 0, but has 3", kernels,
                   "by_columns(2x3xf64, 1.0)")

    def test_other_specs(self):
        """They are not those of the function."""
        compiler = next(iter(COMPILERS.values()))
        for number, (spec, call, message) in enumerate([
            ("int scale(const double x[2][3], double y[2][3])", "scale(2x3xf64, &2x3xf64)",
             "TypeError: `scale` has 2 inputs, but its kernel has 1"),
            ("int sum(const double row[3], const double column[3])", "sum(3xf64, 3xf64)",
             "TypeError: `sum` has 1 outputs, but its kernel has 0"),
            ("int sum(const double column[3], const double row[3], double s[])",
             "sum(3xf64, 3xf64, &f64)",
             "TypeError: Input 0 of `sum` is named `row`, but `column` in its kernel"),
            ("int solve(double who[])", "solve(&f64)",
             "TypeError: Output 0 of `solve` is named `which`, but `who` in its kernel"),
            ("int scale(const double x[3][2], double a, double y[2][3])",
             "scale(3x2xf64, 1.0, &2x3xf64)",
             "ValueError: Argument #0 of `scale(0: const double x[3][2], 1: double a, 2: double "
             "y[2][3]) -> void` must be a matrix of 2x3, but has shape [3, 2]"),
            ("int scale(double x, double a, double y[2][3])", "scale(1.0, 1.0, &2x3xf64)",
             "ValueError: Argument #0 of `scale(0: double x, 1: double a, 2: double y[2][3]) -> "
             "void` must be a matrix of 2x3, but has shape []")
        ]):
            raises(message, make_library(compiler, f"drift{number}", FUNCTIONS, [spec], CASADI),
                   call)
        kernels = make_library(compiler, "wrong_result", FUNCTIONS,
                               ["int transpose(const double m[3][3], double t[4])"], CASADI,
                               "--outputs=return")
        raises("ValueError: `t` of `transpose` must be a matrix of 3x3, but has shape [4]", kernels,
               "transpose(3x3xf64)")

    def test_other_types(self):
        """Another casadi_real and casadi_int."""
        compiler = next(iter(COMPILERS.values()))
        kernels = make_library([*compiler, "-Dcasadi_real=float", "-Dcasadi_int=int"],
                               "matrices_of_float", FUNCTIONS,
                               [spec.replace("double", "float") for spec in SPECS], CASADI)
        assert good("run", kernels, "scale(2x3xf32=1 2 3 4 5 6, 10.0, &2x3xf32)"
                    ) == "arg[2]: 2x3xf32=[10 21 32][40 51 62]\n"

    def test_generated_code(self):
        """What CasADi generates, without the flags that it does not care for."""
        python = find_generator("casadi")
        if python is not None:
            done = subprocess.run([python, "-c", GENERATE], cwd=PLACE, capture_output=True,
                                  text=True, check=True)
            specs = [
                "int f(const double x[3], const double A[2][3], double y[2], double s[])",
                "int g(const double v[n], double J[n][n])"
            ]
            for compiler in COMPILERS.values():
                subprocess.run([*compiler, "-fPIC", "-c", "generated.c"], cwd=PLACE, check=True)
                kernels = make_library([*compiler, f"-I{PLACE}"], "generated_kernels",
                                       [PLACE / "generated.o", "-lm"], specs, CASADI,
                                       "--include=generated.h")
                assert good("run", kernels, "f(3xf64=1 2 3, 2x3xf64=1 2 3 4 5 6, &2xf64, &f64)"
                            ) == "arg[2]: 2xf64=14 32\narg[3]: f64=14\n"
                assert good(
                    "run", kernels,
                    "g(3xf64=1 2 3, &3x3xf64=9)") == "arg[1]: 3x3xf64=[2 0 0][0 4 0][0 0 6]\n"
                raises("must be a matrix of 3x1, but has shape [2]", kernels, "g(2xf64, &2x2xf64)")
            print("checked with CasADi", done.stdout.strip())


run_tests()

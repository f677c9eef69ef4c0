# SPDX-License-Identifier: Apache-2.0
"""The kernels that wrap writes: their text, what compilers say of them, and calls, good and bad.

test_wrap.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import itertools
import re
import shutil
import subprocess
import sys
import unittest

from compilers import (COMPILERS, FOLDER, HEADERS, LINK, PLACE, STRICT, call_with_program,
                       each_compiler, make_library, raises)
from tool import RUNNER, USAGE, WINDOWS, bad, good, good_json, left_out, run, run_tests

SOFTMAX = "softmax = void softmax_f32(float y[n][m], const float x[n][m], int n, int m)"

# As in BLAS: the lowest address of a vector, and a leading dimension of columns or of rows.
VECTORS = "const double x[n:incx] strides blas, int incx, "
BLAS = [
    "dot = double blas_dot(int n, " + VECTORS + "const double y[n:incy] strides blas, int incy)",
    "axpy = void blas_axpy(int n, double a, " + VECTORS +
    "double y[n:incy] strides blas, int incy)",
    "gemv = void blas_gemv(int m, int n, const double a[m:1][n:ld] strides blas, int ld, " +
    VECTORS + "double y[m:incy] strides blas, int incy)",
    "rows = void blas_gemv_t(int n, int m, const double a[m:ld][n] strides blas, int ld, " +
    VECTORS + "double y[m:incy] strides blas, int incy)",
]
STEPS = [
    "double sum_steps(const double x[n:s], int n, ptrdiff_t s)",
    "sum_any = double sum_steps(const double x[n:s] strides any, int n, ptrdiff_t s)",
    "number = void number_steps(double x[n:s], int n, ptrdiff_t s)",
    "number_any = void number_steps(double x[n:s] strides any, int n, ptrdiff_t s)",
    "first = double sum_steps(const double x[n:s][m:t] strides any, int n, ptrdiff_t s)",
    "write = void number_steps(double x[n:s][m:t] strides any, int n, ptrdiff_t s)",
    "cube = void number_steps(double x[n:s][m:t][k:r] strides any, int n, ptrdiff_t s)",
    "cube_positive = void number_steps(double x[n:s][m:t][k:r], int n, ptrdiff_t s)",
]

EXPECTED = (FOLDER / "wrap_expected.txt").read_text(encoding="utf-8")
HEADERS_OF = {
    "int next(int x)": [], SOFTMAX: ["stdarg.h", "stdio.h", "stdlib.h"],
    "void f(const char *s)": ["stdarg.h", "stdio.h", "stdlib.h", "string.h"],
    "void g(float x[n], float *w[n], int n)": ["stdarg.h", "stdio.h", "stdlib.h"]
}

CALLBACK = "a function as a parameter is written `int (*name)(int x, void *data)`"
WRONG = [
    ("", 1, "expected a type, but the text ends"),
    ("void", 5, "expected the name of the function, but the text ends"),
    ("void f", 7, "expected `(` and the parameters, but the text ends"),
    ("void f(float y[n], flot x)", 20,
     "`flot` is not a known type, such as float, double, bool, int, int8_t, uint64_t or size_t"),
    ("void f(float *y)", 15,
     "`y` has no shape: write `float y[n]` for a tensor, `float *y[n]` for a work array, `in float "
     "*y` for a number that the function reads, `out` for one that it writes, `inout` for both"),
    ("void f(const float *y)", 21,
     "`y` has no shape: write `const float y[n]` for a tensor, `float *y[n]` for a work array, `in "
     "const float *y` for a number that the function reads"),
    ("void f(float y[n)", 17, "expected `]`, `,` or `:` and a stride"),
    ("void f(float y[0])", 16, "an extent of 0 leaves no elements"),
    ("void f(float y[-1])", 16, "expected an extent: a name or a number"),
    ("void f(float y[0x10])", 16, "expected a decimal number"),
    ("void f(float y[n:])", 18, "expected a stride: a name or a number"),
    ("void f(float y[N=m])", 18, "expected a decimal number"),
    ("void f(float y[N=4x])", 18, "expected a decimal number"),
    ("void f(float y[N=0])", 16, "an extent of 0 leaves no elements"),
    ("void f(float y[N=4][N=5])", 21, "`N` is 4 earlier"),
    ("void f(float y[n=4], int n)", 16,
     "`n` is a constant here, and has the name of a parameter, an extent or a stride"),
    ("void f(float y[n], float *w[n=4])", 29,
     "`n` is a constant here, and has the name of a parameter, an extent or a stride"),
    ("void f(float y[][n])", 15, "a tensor without dimensions has only one []"),
    ("void f(float y[99999999999999999999])", 16, "the number is larger than 2^63 - 1"),
    ("void f(float y[4294967296][4294967296])", 28, "`y` has too many elements"),
    ("void f(float y[n], int y)", 24, "`y` is the name of an earlier parameter"),
    ("void f(float y[n], float n)", 26, "`n` is an extent or a stride, and must be an integer"),
    ("void f(float y[n] align 24)", 25, "an alignment is a power of two up to 1048576"),
    ("void f(float y[n] align 2097152)", 25, "an alignment is a power of two up to 1048576"),
    ("void f(float y[n] align n)", 25, "expected a decimal number"),
    ("void f(float y[n] inplace)", 26, "expected the name of a tensor"),
    ("void f(float y[n] inplace y)", 27, "`y` is not another tensor that is passed"),
    ("void f(float y[n] inplace n, int n)", 27, "`n` is not another tensor that is passed"),
    ("void f(const float y[n] inplace x, const float x[n])", 33,
     "`y` and `x` are only read, and may be the same memory anyway"),
    ("void f(float y[n] inplace x inplace z)", 29, "`inplace` is given twice"),
    ("void f(float y[n] align 16 inplace x align 16)", 38, "`align` is given twice"),
    ("void f(const float x[n:s] strides any strides blas)", 39,
     "`strides` is given twice"),
    ("void f(float y[n:s] strides positive align 8 strides positive)", 46,
     "`strides` is given twice"),
    ("void f(const float x[static])", 28, "expected an extent: a name or a number"),
    ("void f(const float x[const static restrict])", 43, "expected an extent: a name or a number"),
    ("void f(float *w[static])", 23, "expected an extent: a name or a number"),
    ("void f(const float x[static static 4])", 29, "`static` is not supported: leave it out"),
    ("void f(const float x[volatile 4])", 22,
     "`volatile` is not supported: wrap a function without it"),
    ("void f(const float x[4][static 4])", 25,
     "expected an extent: a name or a number, but `static` is a keyword of C"),
    ("void f(restrict int n)", 21, "`restrict` is for pointers: leave it out"),
    ("__restrict int f(int n)", 16, "`restrict` is for pointers: leave it out"),
    ("void f(float *w[4] align 16)", 20, "expected `,` or `)`"),
    ("void f(restrict float restrict y[n])", 23, "`restrict` does not fit the type before it"),
    ("void f(float *w[n])", 17, "no argument determines `n`, an extent of `w`"),
    ("void f(float *w[4:2])", 19,
     "`w` is allocated by the kernel and contiguous: it has no strides"),
    ("void f(const float *w[4])", 21, "`w` is a work array, which cannot be const"),
    ("void f(const char *s[4])", 21, "there are no tensors of `const char *`"),
    ("void f(unsigned float x)", 8, "`unsigned float` is not a type of elements or of numbers"),
    ("void f(const)", 8, "`const` is not a type of elements or of numbers"),
    ("void f(const x)", 14,
     "`x` is not a known type, such as float, double, bool, int, int8_t, uint64_t or size_t"),
    ("void f(const __bf17 x)", 14,
     "`__bf17` is not a known type, such as float, double, bool, int, int8_t, uint64_t or size_t"),
    ("int f(const char *s, ...)", 22,
     "`...` is not supported: a kernel passes the arguments that its SPEC has. Wrap a function "
     "without it"),
    ("void f(int (*)(int))", 12, CALLBACK),
    ("int f(int g(float *x, int n), int n)", 12, CALLBACK),
    ("void f(int (*g", 12, CALLBACK),
    *((spec, spec.index("__attr") + 1,
       "`__attribute__` is not supported: leave `__attribute__((...))` out")
      for spec in ("void f(float __attribute__((aligned(16))) x)",
                   "void f(__attribute__((aligned(16))) float x[n])",
                   "void f(float *__attribute__((aligned(16))) x)",
                   "void f(float x[n] __attribute__((unused)))",
                   "void f(float *w[4] __attribute__((unused)))",
                   "void f(int n __attribute__((unused)))",
                   "__attribute__((pure)) int f(int n)", "int __attribute__((pure)) f(int n)",
                   "extern int f(int n) __attribute__((pure));")),
    ("__declspec(dllimport) int f(int n)", 1,
     "`__declspec` is not supported: leave `__declspec(...)` out"),
    ("static __inline int f(int n)", 1, "`static` is not supported: leave it out"),
    ("__inline__ int f(int n)", 1, "`__inline__` is not supported: leave it out"),
    ("void f(const float (x)[4])", 20, "write `x` without parentheses"),
    ("void f(const float (x[4]))", 20, "write `x` without parentheses"),
    ("void f(float *(x), int n)", 15, "write `x` without parentheses"),
    ("void f(int (n))", 12, "write `n` without parentheses"),
    ("void f(int (n)(int))", 12, CALLBACK), ("void f(int (n[4])(int))", 12, CALLBACK),
    ("void f(int (int))", 12, CALLBACK), ("void f(int (n", 12, CALLBACK),
    ("void f(float (*x)[3])", 14,
     "a pointer to an array is not supported: write `x[n][m]` for a tensor"),
    ("void f(float **x)", 15,
     "a pointer to a pointer is not supported: a tensor has its elements in one array"),
    ("void f(float *GGML_RESTRICT s)", 29,
     "expected `,`, `)` or a shape after `GGML_RESTRICT`, but met `s`: of a macro write what it "
     "stands for, such as restrict, or nothing"),
    ("void f(int n UNUSED)", 14,
     "expected `,`, `)` or a shape after `n`, but met `UNUSED`: of a macro write what it stands "
     "for, such as restrict, or nothing"),
    ("static int f(int n)", 1, "`static` is not supported: leave it out"),
    ("f = inline int f(int n)", 5, "`inline` is not supported: leave it out"),
    ("void f(extern int n)", 8, "`extern` is not supported: it stands before the result only"),
    ("void f(register int n)", 8, "`register` is not supported: leave it out"),
    ("void f(volatile float x[n])", 8, "`volatile` is not supported: wrap a function without it"),
    ("void f(struct point p)", 8,
     "`struct` is not supported: write its fields, as in `struct point {double x;}`, or a pointer "
     "to it"),
    ("void f(union word w)", 8,
     "`union` is not supported: a kernel takes tensors, numbers, text and addresses; that of a "
     "union is a void *"),
    ("void f(int _Complex z)", 8, "`int _Complex` is not a type of elements or of numbers"),
    *((f"void f(int {word})", 12,
       f"expected a name for the parameter, but `{word}` is a keyword of C++")
      for word in ("this", "new", "class", "template", "and", "wchar_t")),
    *((f"void f(int {word})", 12,
       f"expected a name for the parameter, but `{word}` is a keyword of C")
      for word in ("sizeof", "_Generic", "nullptr")),
    ("void f(float x[n] strides any)", 14, "`x` has no stride, such as s in `x[n:s]`"),
    ("void f(float x[] strides any)", 14, "`x` has no stride, such as s in `x[n:s]`"),
    ("void f(float x[n:s] strides none)", 29, "expected positive, any or blas"),
    ("void f(float x[n:s] strides)", 28, "expected positive, any or blas"),
    *((f"void f({shape}{strides})", column,
       "a stride of 0 repeats an element, which an output cannot")
      for shape, column in (("float x[n:0]", 18), ("double x[m:1][n:0]", 24))
      for strides in ("", " strides positive", " strides any", " strides blas")),
    *((f"void f(const float x[n:0]{strides})", 24,
       "a stride of 0 repeats an element: it needs `strides any` after the shape")
      for strides in ("", " strides positive")),
    ("void f(const float x[n:0] strides blas)", 24,
     "BLAS takes no stride of 0: write `strides any` in its place"),
    ("void f(const float x[n:0][m:1] strides blas)", 24,
     "BLAS takes no stride of 0: write `strides any` in its place"),
    ("void f(float x[n:s][m:t] strides blas)", 14,
     "a matrix of BLAS has a stride of 1 in one dimension: write `x[n:ld][m:1]` or "
     "`x[n:1][m:ld]`"),
    ("void f(float x[k:s][n][m] strides blas)", 14,
     "`x` has 3 dimensions, but BLAS has vectors and matrices"),
    ("void f(float x[n:s] align 16 strides blas)", 14,
     "`x` begins at its last element if its increment is negative: BLAS has no alignment"),
    ("void f(long long long x)", 18, "`long` does not fit the type before it"),
    ("void f(void x)", 13, "expected a type other than void"),
    ("void f(int)", 11, "expected a name for the parameter"),
    ("void f(int for)", 12, "expected a name for the parameter, but `for` is a keyword of C"),
    ("void f(int x", 13, "expected `,` or `)`, but the text ends"),
    ("void f(int x) {", 15, "expected the end, or // and a description"),
    ("float *f(int x)", 8, "the result must not be a pointer to `float`"),
    ("void _f(int x)", 6,
     "a kernel's name must not begin with _; put another one before it: `name = void _f(...)`"),
    ("float\t\u00e9", 7, "expected the name of the function"),
]


CALLS_WITH_STRIDES = {
    # In the layout [::-1] the numbers are those that NumPy shows: the memory is 1 2 3 here.
    "dot(3xf64[::-1]=3 2 1, 3xf64=1 10 100)": "result[0]: 123.0",
    "dot(3xf64[::-1]=1 2 3, 3xf64=1 10 100)": "result[0]: 321.0",
    "dot(5xf64[::-2]=1 2 3, 3xf64[::-1]=1 10 100)": "result[0]: 321.0",
    "dot(3xf64.byte_offset(16)[::-1]=1 2 3, 3xf64[::-1].dltensor=1 10 100)": "result[0]: 321.0",
    "dot(1xf64.strides(0)=5, 1xf64.strides(-7)=2)": "result[0]: 10.0",
    "dot(0xf64.strides(0), 0xf64.strides(-7))": "result[0]: 0.0",
    "axpy(2.0, 3xf64[::-1]=1 2 3, &5xf64[::-2]=10 20 30)": "arg[2]: 3xf64=12 24 36",
    "gemv(2x3xf64.order(F)=1 2 3 4 5 6, 3xf64[::-1]=1 10 100, &2xf64[::-1]=0)":
        "arg[2]: 2xf64=321 654",
    "gemv(4x3xf64.order(F)[:2]=1 2 3 4 5 6, 3xf64=1 10 100, &2xf64=0)": "arg[2]: 2xf64=321 654",
    "gemv(2x1xf64.strides(1, -9)=3 4, 1xf64=2, &2xf64=0)": "arg[2]: 2xf64=6 8",
    "rows(2x3xf64=1 2 3 4 5 6, 3xf64[::-1]=1 10 100, &2xf64[::-1]=0)": "arg[2]: 2xf64=321 654",
    "rows(2x4xf64[:, 1:]=1 2 3 4 5 6, 3xf64=1 10 100, &2xf64=0)": "arg[2]: 2xf64=321 654",
    "rows(1x3xf64.strides(-7, 1)=1 2 3, 3xf64=1, &1xf64.strides(0)=0)": "arg[2]: 1xf64=6",
    "rows(2x0xf64.strides(0, 0), 0xf64, &2xf64=7)": "arg[2]: 2xf64=0 0",
    "sum_steps(5xf64[::2]=1 2 3)": "result[0]: 6.0",
    "sum_steps(1xf64.strides(0)=5)": "result[0]: 5.0",
    "sum_steps(0xf64.strides(-3))": "result[0]: 0.0",
    "sum_any(3xf64[::-1]=1 2 3)": "result[0]: 6.0",
    "sum_any(3xf64.strides(0)=5)": "result[0]: 15.0",
    "number(&1xf64.strides(-4)=7)": "arg[0]: 1xf64=0",
    "number_any(&3xf64[::-1]=7)": "arg[0]: 3xf64=0 1 2",
    # Rows that overlap, as windows do, are read; rows that interleave are written, too.
    "first(3x2xf64.strides(1, 1)=1)": "result[0]: 3.0",
    "write(&2x3xf64.strides(3, 2)=7)": "arg[0]: 2x3xf64=[0 7 7][1 7 7]",
    "write(&2x3xf64.strides(-1, 5)[:, ::-1]=7)": "arg[0]: 2x3xf64=[0 7 7][1 7 7]",
    # Three dimensions: transposed, sliced, reversed, padded, of an extent of 1, without elements.
    **{f"{name}(&2x2x2xf64{layout}=7)": "arg[0]: 2x2x2xf64=[[0 7][7 7]][[1 7][7 7]]"
       for name, layout in itertools.chain(
           itertools.product(("cube", "cube_positive"), (
               "", ".strides(1, 2, 4)", ".strides(2, 4, 1)", ".strides(90, 7, 3)",
               ".strides(4, 6, 1)")),
           itertools.product(["cube"], (".strides(-4, 2, -1)", ".strides(1, -90, 5)")))},
    "cube(&2x4x6xf64[:, 1:3, ::3]=7)": "arg[0]: 2x2x2xf64=[[0 7][7 7]][[1 7][7 7]]",
    "cube(&2x1x3xf64.strides(3, 1, 2)=7)": "arg[0]: 2x1x3xf64=[[0 7 7]][[1 7 7]]",
    "cube(&2x3x1xf64.strides(3, 1, 0)=7)": "arg[0]: 2x3x1xf64=[[0][7][7]][[1][7][7]]",
    "cube(&0x2x2xf64.strides(1, 1, 1))": "arg[0]: 0x2x2xf64=",
}
REFUSED_STRIDES = {
    "dot(3xf64.strides(0)=1, 3xf64=1)":
        "ValueError: Argument #0 of `dot(0: const double x[n:incx] strides blas, 1: const double "
        "y[n:incy] strides blas) -> double` must have a stride other than 0 in dimension 0, but "
        "has 0",
    "axpy(2.0, 3xf64, &3xf64.strides(0)=1)": "a stride other than 0 in dimension 0, but has 0",
    "gemv(2x3xf64.order(F)[:, ::-1]=1, 3xf64=1, &2xf64=0)":
        "must have a stride of 2 or more in dimension 1, but has -2",
    "gemv(2x3xf64.strides(1, 1)=1, 3xf64=1, &2xf64=0)":
        "must have a stride of 2 or more in dimension 1, but has 1",
    "gemv(2x3xf64=1, 3xf64=1, &2xf64=0)": "must have stride 1 in dimension 0, but has 3",
    "rows(2x3xf64[::-1]=1, 3xf64=1, &2xf64=0)":
        "must have a stride of 3 or more in dimension 0, but has -3",
    "rows(2x3xf64.strides(2, 1)=1, 3xf64=1, &2xf64=0)":
        "must have a stride of 3 or more in dimension 0, but has 2",
    "rows(2x3xf64.strides(0, 1)=1, 3xf64=1, &2xf64=0)":
        "must have a stride of 3 or more in dimension 0, but has 0",
    "rows(2x3xf64[:, ::-1]=1, 3xf64=1, &2xf64=0)": "must have stride 1 in dimension 1, but has -1",
    "sum_steps(3xf64[::-1]=1)":
        "ValueError: Argument #0 of `sum_steps(0: const double x[n:s]) -> double` must have a "
        "stride above 0 in dimension 0, but has -1",
    "sum_steps(3xf64.strides(0)=1)": "must have a stride above 0 in dimension 0, but has 0",
    "number(&3xf64[::-1]=1)": "must have a stride above 0 in dimension 0, but has -1",
    "number(&3xf64.strides(0)=1)": "must have a stride above 0 in dimension 0, but has 0",
    "number_any(&3xf64.strides(0)=1)":
        "ValueError: Argument #0 of `number_any(0: double x[n:s] strides any) -> void` must have "
        "an address for each element, but has strides [0] of shape [3]",
    "write(&3x2xf64.strides(1, 1)=1)":
        "must have an address for each element, but has strides [1, 1] of shape [3, 2]",
    "write(&2x3xf64.strides(4, -2)=1)":
        "must have an address for each element, but has strides [4, -2] of shape [2, 3]",
    # 1 + 2 = 3, and 4 + 6 = 2 * 5, although each two dimensions are apart. In others two share.
    **{f"{name}(&{shape}xf64.strides({strides})=1)":
       "must have an address for each element, each stride beyond the reach of all smaller ones, "
       f"but has strides [{strides}] of shape [{shape.replace('x', ', ')}]"
       for name, shape, strides in (
           ("cube", "2x2x2", "1, 2, 3"), ("cube_positive", "2x2x2", "1, 2, 3"),
           ("cube", "2x2x2", "-3, 1, 2"), ("cube", "2x3x2", "4, 5, 6"),
           ("cube", "2x2x2", "0, 2, 1"), ("cube_positive", "3x2x2", "1, 10, 2"),
           # These are apart, but no slice of a contiguous tensor has such strides.
           ("cube", "2x2x2", "4, 6, 9"))},
}
# The functions of wrap_functions.h by those of BLAS.
CBLAS = """#include <cblas.h>
#include "wrap_functions.h"
double blas_dot(int n, const double *x, int incx, const double *y, int incy) {
  return cblas_ddot(n, x, incx, y, incy);
}
void blas_axpy(int n, double a, const double *x, int incx, double *y, int incy) {
  cblas_daxpy(n, a, x, incx, y, incy);
}
void blas_gemv(int m, int n, const double *a, int ld, const double *x, int incx, double *y,
               int incy) {
  cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, 1, a, ld, x, incx, 0, y, incy);
}
void blas_gemv_t(int m, int n, const double *a, int ld, const double *x, int incx, double *y,
                 int incy) {
  cblas_dgemv(CblasColMajor, CblasTrans, m, n, 1, a, ld, x, incx, 0, y, incy);
}
"""


def compile_list(compiler, name, specs, *options):
    """Make a library of these specs."""
    return make_library(compiler, name, [FOLDER / "wrap_functions.c"], specs,
                        "--include=<wrap_functions.h>", *options)


def compile_kernels(compiler, name, *options):
    """Make a library of the specs of a file."""
    return make_library(compiler, name, [FOLDER / "wrap_functions.c"],
                        [f"@{FOLDER}/wrap_{name}.txt"], "--include=<wrap_functions.h>", *options)


# The header, the spec, what changes in the header, and what compilers of C99 say, and of C11 if
# that differs.
DRIFTS = {
    "the type of an integer": ("typedef int32_t number; void f(float *y, number n);",
                               "void f(float y[n], int32_t n)", ("int32_t", "int64_t"),
                               "conflicting types for"),
    "the type of elements": ("typedef float real; void f(real *y, int n);",
                             "void f(float y[n], int n)", ("float",
                                                           "double"), "conflicting types for"),
    "const": ("void f(const float *x);", "void f(const float x[4])", ("const ", ""),
              "conflicting types for"),
    "the result": ("int f(int n);", "int f(int n)", ("int f", "long f"), "conflicting types for"),
    "another parameter": ("void f(int n);", "void f(int n)", ("n)", "n, int m)"),
                          "conflicting types for"),
    "an extent in an array": ("#define N 3\nvoid f(float y[2][N]);", "void f(float y[2][3])",
                              ("N 3", "N 4"), "conflicting types for"),
    "the first extent": ("#define N 3\nvoid f(float y[N][2]);", "void f(float y[N=3][2])", ("N 3",
                                                                                            "N 4"),
                         "wrap_f_y_needs_N_3", "`N` in the shape of `y` is not 3 as the spec says"),
    "an extent behind a pointer": ("enum { kWidth = 3 }; void f(const float *x, int n);",
                                   "g = void f(const float x[n, kWidth=3], int n)", ("= 3", "= 1"),
                                   "wrap_g_x_needs_kWidth_3",
                                   "`kWidth` in the shape of `x` is not 3 as the spec says"),
    "a stride": ("#define ROW (2 | 1)\nvoid f(const float *x, int n);",
                 "void f(const float x[n:ROW=3], int n)", ("2 |", "4 |"), "wrap_f_x_needs_ROW_3",
                 "`ROW` in the shape of `x` is not 3 as the spec says"),
    "the size of a work array": ("#define WORK 12\nvoid f(const float *x, double *w);",
                                 "void f(const float x[4], double *w[WORK=12])", ("12", "13"),
                                 "wrap_f_w_needs_WORK_12",
                                 "`WORK` in the shape of `w` is not 12 as the spec says"),
    "the size of elements": ("/* An 8-bit processor's compiler: */\nvoid f(const double *x);",
                             "void f(const double x[4])", ("/* An", "#define double float\n/* An"),
                             "wrap_f_x_needs_64_bits",
                             "an element of `x`, of type double, does not have 64 bits"),
    "the name of the function": ("void f(int n);", "void f(int n)", ("void f", "void f_v2"),
                                 "undeclared"),
}
CHECKERS = [[*found, "-Wpedantic", "-Werror", "-fsyntax-only"] for found in COMPILERS.values()]


def write_parts():
    """Names of files in PLACE that can be parts of one source: two of each kind that the tool
    writes, the header for emitted kernels, and a source of the user's."""
    specs = ["{}add = void add_fixed(float y[2][3], const float x[2][3], float a)",
             "{}mirror = void mirror(float restrict y[n], const float x[restrict n], int n)",
             "{}greet = const char *greet(const char *name)"]
    matrix = "(const double x[2][3], double a, double y[2][3])"
    for prefix, options in ("", []), ("lean_", ["--lean"]):
        first, *others = [spec.format(prefix) for spec in specs]
        good("wrap", first, "-o", PLACE / f"{prefix}a.c", *options)
        good("wrap", *others, "-o", PLACE / f"{prefix}b.c", *options)
    written = {}
    for abi in "casadi", "memref", "halide":
        written[abi + ".c"] = [f"{abi} = int f_{abi}{matrix}", f"--abi={abi}"]
        of_float = matrix.replace("double", "float")
        written[abi + "_again.c"] = [f"{abi}_again = int g_{abi}{of_float}", f"--abi={abi}",
                                     "--outputs=return"]
    for name, words in written.items():
        good("wrap", *words, "-o", PLACE / name)
    (PLACE / "bytes").write_bytes(b"bytes??/")
    for name, options in {"blob_a.c": [], "blob_b.c": ["--align=128", "--export"],
                          "blob_c.c": ["--format=incbin"],
                          "blob_d.c": ["-H", PLACE / "blob_d.h"],
                          "blob_e.c": ["--format=string"],
                          "blob_f.c": ["--format=string", "-H", PLACE / "blob_f.h"]}.items():
        if not (WINDOWS and "--format=incbin" in options):
            good("embed", PLACE / "bytes", "-o", PLACE / name, *options)
            written[name] = options
    library = compile_kernels(next(iter(COMPILERS.values())), "specs")
    for name in "stub_a", "stub_b":
        good("stub", f"--prefix={name}", library, "-o", PLACE / f"{name}.h")
    subprocess.run([sys.executable, FOLDER.parents[1] / "tools/amalgamate", "--kernel", PLACE],
                   check=True)
    (PLACE / "tvm_ffi_kernel.h").replace(PLACE / "kernel.h")
    # As Halide's headers have its types.
    (PLACE / "halide_user.h").write_text("""#ifndef HALIDE_HALIDERUNTIME_H
#define HALIDE_HALIDERUNTIME_H
#include <stdint.h>
struct halide_type_t { uint8_t code, bits; uint16_t lanes; };
typedef struct halide_dimension_t { int32_t min, extent, stride; uint32_t flags; }
    halide_dimension_t;
typedef struct halide_buffer_t {
  uint64_t device;
  const struct halide_device_interface_t *device_interface;
  uint8_t *host;
  uint64_t flags;
  struct halide_type_t type;
  int32_t dimensions;
  halide_dimension_t *dim;
  void *padding;
} halide_buffer_t;
typedef void (*halide_error_handler_t)(void *, const char *);
extern halide_error_handler_t halide_set_error_handler(halide_error_handler_t handler);
int f_halide(struct halide_buffer_t *_x_buffer, double _a, struct halide_buffer_t *_y_buffer);
#endif
""", encoding="utf-8")
    (PLACE / "user.c").write_text("""#include <tvm/ffi/c.h>
TVM_FFI_C_EXPORT(user, "() -> int") { return tvm_ffi_args_check_count(args, 0); }
""", encoding="utf-8")
    # Halide's header is between the two files that need its types, in both orders.
    names = list(written)
    names.insert(names.index("halide_again.c"), "halide_user.h")
    return ["a.c", "b.c", "lean_a.c", "lean_b.c", "kernel.h", "stub_a.h", "stub_b.h",
            "blob_d.h", "blob_f.h", *names]


def check_unit(compiler, names, includes, message=None, flags=STRICT, language="c"):
    """Compile one source of these files, without a warning, or with that error."""
    unit = "".join(f'#include "{name}"\n' for name in names)
    done = subprocess.run([*compiler, *flags, *includes, f"-I{PLACE}", "-fsyntax-only", "-x",
                           language, "-"], input=unit, capture_output=True, text=True, check=False)
    assert (done.returncode == 0 if message is None else message in done.stderr), (names, done)


def macros_of(compiler, unit):
    """Names of the macros at the end of a source."""
    done = subprocess.run([*compiler, "-std=c99", *HEADERS, "-dM", "-E", "-x", "c", "-"],
                          input=unit, capture_output=True, text=True, check=True)
    return set(re.findall(r"^#define (\w+)", done.stdout, re.M))


class Wrap(unittest.TestCase):
    def test_the_text(self):
        assert good("wrap", SOFTMAX + " // Softmax of each row.") == EXPECTED
        assert good("wrap", SOFTMAX, "--doc=Softmax of each row.") == EXPECTED
        assert good("wrap", "@-",
                    stdin=f"\n# a comment\n  {SOFTMAX};  // Softmax of each row.  \r\n") == EXPECTED
        assert good("wrap", SOFTMAX + "//", "-o", PLACE / "softmax.c") == ""
        assert (PLACE / "softmax.c").read_text(encoding="utf-8") == EXPECTED.replace(
            'TVM_FFI_C_EXPORT_DOC(softmax, "Softmax of each row.");\n', "")
        told = good_json("wrap", SOFTMAX, "void f(int x)")
        assert told["kernels"] == [{"name": "softmax", "function": "softmax_f32"},
                                   {"name": "f", "function": "f"}], told
        assert told["source"] == good("wrap", SOFTMAX, "void f(int x)")
        # -I is the name that --include had first, -include that of compilers. The file is here, or
        # beside the output.
        (PLACE / "softmax.h").write_text("/* declares softmax_f32 */\n", encoding="utf-8")
        for name in "--include", "-include", "-I":
            included = good("wrap", SOFTMAX, name, PLACE / "softmax.h", "--include=<math.h>")
            assert (f'#include <tvm/ffi/c.h>\n\n#include "{PLACE}/softmax.h"\n#include '
                    '<math.h>\n\n/*') in included, included
        good("wrap", SOFTMAX, "--include=softmax.h", "-o", PLACE / "softmax.c")
        assert '#include "softmax.h"\n' in (PLACE / "softmax.c").read_text(encoding="utf-8")
        (PLACE / "softmax.c").unlink()
        for form in ["-o", PLACE / "softmax.c"], ["--json"], []:
            bad(
                USAGE,
                "--include: there is no file nothing.h; write <nothing.h> if the compiler finds it "
                "elsewhere",
                "wrap", SOFTMAX, f"--include={PLACE}/softmax.h", "--include=nothing.h", *form)
        assert not (PLACE / "softmax.c").exists()
        bad(USAGE, f"--include: there is no file {PLACE}/nothing.h\n", "wrap", SOFTMAX,
            f"--include={PLACE}/nothing.h")
        bad(USAGE, "-includes is not an option of wrap", "wrap", SOFTMAX, "-includes", "softmax.h")
        assert " -I" not in good("wrap", "--help")

    def test_the_header_for_kernels(self):
        """With --lean, what the kernel needs of it is copied."""
        lean = good("wrap", SOFTMAX, "--lean")
        assert "tvm_ffi_args_read_bool" not in lean and len(lean.splitlines()) < 710, lean
        for spec, headers in HEADERS_OF.items():
            included = set(re.findall("#include (.*)", good("wrap", spec,
                                                            "--lean"))) - {
                                                                "<limits.h>", "<tvm/ffi/c.h>"
                                                            }
            assert included == {
                f"<{name}>"
                for name in ["stdbool.h", "stddef.h", "stdint.h", *headers]
            }, (spec, included)
        assert lean.endswith(good("wrap", SOFTMAX).partition("\n\n")[2]), lean

    def test_in_one_source(self):
        """All files that the tool and tools/amalgamate write can be parts of one source (a unity
        build), in any order, beside a source of the user's, whose headers come first."""
        parts, free = write_parts(), ["kernel.h", "lean_a.c", "lean_b.c"]
        both = [name for name in parts if name not in free]
        orders = {"ours": ["user.c", *both, *free],
                  "ours, reversed": ["user.c", *free, *both[::-1]],
                  "lean": free, "lean, reversed": [free[0], *free[:0:-1]]}
        for compiler, (order, names) in itertools.product(COMPILERS.values(), orders.items()):
            includes = [] if order.startswith("lean") else HEADERS
            check_unit(compiler, names, includes)
        for first in "lean_a.c", "kernel.h":
            check_unit(compiler, [first, "user.c"], HEADERS,
                       "include tvm/ffi/c.h above tvm_ffi_kernel.h and above")
        check_unit(compiler, ["lean_a.c", "kernel.h"], [], "put tvm_ffi_kernel.h above what")
        # Files of another version: their text may differ, and lean ones have to be of one.
        other = (PLACE / "a.c").read_text(encoding="utf-8")
        check = "TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));"
        assert check in other, other
        (PLACE / "a.c").write_text(other.replace(check, "/* not in an earlier version */"),
                                   encoding="utf-8")
        check_unit(compiler, ["user.c", "a.c", "b.c"], HEADERS)
        other = (PLACE / "lean_a.c").read_text(encoding="utf-8")
        (PLACE / "lean_a.c").write_text(re.sub(r"TVM_FFI_LEAN_H_ (!= |)0x\w+",
                                               r"TVM_FFI_LEAN_H_ \g<1>0x1u", other),
                                        encoding="utf-8")
        check_unit(compiler, ["lean_a.c", "lean_b.c"], [], "different versions of tvm-ffi wrap")
        # What is for C++, too.
        for_both = ["user.c", "blob_a.c", "blob_b.c", "stub_a.h", "blob_d.c", "stub_b.h",
                    "blob_f.h"]
        for compiler, names in itertools.product(("g++", "clang++"), (for_both, for_both[::-1])):
            if shutil.which(compiler) and not RUNNER:
                check_unit([compiler], names, HEADERS,
                           flags=["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"],
                           language="c++")

    def test_a_unity_build(self):
        """Two files of kernels as one source: both work, and macros of their helpers end."""
        write_parts()
        standard = "#include <limits.h>\n#include <stdlib.h>\n#include <tvm/ffi/c.h>\n"
        for compiler in COMPILERS.values():
            for names in ["a.c", "b.c"], ["b.c", "a.c"], ["user.c", "lean_a.c", "lean_b.c"], [
                    "lean_b.c", "lean_a.c"]:
                (PLACE / "unity.c").write_text("".join(f'#include "{name}"\n' for name in names),
                                               encoding="utf-8")
                subprocess.run([*compiler, *STRICT, *HEADERS, "-shared", "-fPIC", PLACE / "unity.c",
                                FOLDER / "wrap_functions.c", *(LINK if WINDOWS else []), "-o",
                                PLACE / "unity.so"], check=True)
                lean = "lean_" if "lean_a.c" in names else ""
                shown = good("run", PLACE / "unity.so",
                             f"{lean}add(&2x3xf32, 2x3xf32=1 2 3 4 5 6, 0.5)")
                assert shown == "arg[0]: 2x3xf32=[1.5 2.5 3.5][4.5 5.5 6.5]\n", shown
                shown = good("run", PLACE / "unity.so", f"{lean}mirror(&3xf32, 3xf32=1 2 4)")
                assert shown == "arg[0]: 3xf32=5 4 5\n", shown
            for name in "a.c", "b.c", "casadi.c", "memref.c", "halide.c", "blob_a.c", "blob_e.c":
                left = macros_of(compiler, standard + f'#include "{PLACE}/{name}"\n')
                left -= macros_of(compiler, standard)
                assert all(re.fullmatch("TVM_FFI_HAS_wrap_memref\\w*", macro)
                           for macro in left), (name, left)
                assert bool(left) == (name == "memref.c"), (name, left)
            self.check_macros_of_lean_files(compiler)

    def check_macros_of_lean_files(self, compiler):
        """What they leave begins with TVM_FFI_, or is what the kernel headers define."""
        headers = "".join(path.read_text(encoding="utf-8") for path in
                          (FOLDER.parents[1] / "tools/kernel").glob("tvm_ffi_kernel*.h"))
        shared = set(re.findall(r"^#define (\w+)", headers, re.M))
        standard = "".join(f"#include <{name}.h>\n" for name in (
            "limits", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string"))
        before = macros_of(compiler, standard)
        for abi in "plain", "casadi", "memref", "halide":
            spec = f"{abi} = int f(const double restrict x[2][3], double y[2:s][3:t] strides any)"
            good("wrap", spec, f"--abi={abi}", "--lean", "-o", PLACE / "macros.c")
            left = macros_of(compiler, f'{standard}#include "{PLACE}/macros.c"\n') - before
            guards = {macro for macro in left if macro.startswith("TVM_FFI_")}
            assert guards & shared and left - guards < shared, (abi, left - shared)
            text = (PLACE / "macros.c").read_text(encoding="utf-8")
            assert all(f"#ifndef {macro}\n#define {macro}" in text
                       for macro in guards - shared), (abi, guards - shared)

    def test_refusals(self):
        """They tell the column, and show the text with a caret below."""
        for spec, column, message in WRONG:
            code, out, err = run("wrap", spec)
            shown = spec.replace("\t", " ")
            assert ((code, out) == (USAGE, "") and err
                    == f"tvm-ffi: SPEC:{column}: {message}\n  {shown}\n  {' ' * (column - 1)}^\n"
                    ), (spec, err)
        assert run("wrap", SOFTMAX, "--errors=nonzero")[2].startswith(
            "tvm-ffi: SPEC:16: with --errors=nonzero `softmax_f32` must return an integer, not "
            "`void`\n  softmax = ")
        assert run("wrap", "int iota(int y[n][m], int n)", "--outputs=return")[2].startswith(
            "tvm-ffi: SPEC:19: no argument determines `m`, an extent of `y`\n")
        assert run(
            "wrap", "void f(int x)",
            "int f(int y)")[2].startswith("tvm-ffi: SPEC:5: `f` is the kernel of an earlier spec\n")
        assert run("wrap", "int f(float y[n] inplace x, const float x[n])",
                   "--outputs=return")[2].startswith(
                       "tvm-ffi: SPEC:26: `y` is allocated by the kernel, "
                       "and is never in the place of `x`\n")
        advice = "call it from a function of another name, and wrap that"
        for name, reason in {
                "wrap_read_text": "begins with `wrap_`, as the functions that kernels use",
                "wrap_bytes": "begins with `wrap_`, as the functions that kernels use",
                "tvm_ffi_args_raise": "begins with `tvm_ffi_`, as the functions that kernels use",
                **{word: "is a variable of kernels" for word in ("args", "code", "returned")}
        }.items():
            for abi in "plain", "casadi", "halide":
                assert run("wrap", f"k = int {name}(const double x[n])", f"--abi={abi}") == (
                    USAGE, "", f"tvm-ffi: SPEC:9: `{name}` {reason}: {advice}\n  k = int {name}("
                    f"const double x[n])\n          ^\n"), (name, abi)
            # The function in MLIR's object file has a prefix, _mlir_ciface_.
            assert f"_mlir_ciface_{name}(" in good("wrap", f"k = int {name}(const double x[n])",
                                                   "--abi=memref")
        # The words behind a shape may be names, and the error of a call shows them.
        shown = good(
            "wrap",
            "void f(float align[restrict n] inplace inplace align 64, const float inplace[n])")
        assert ("(0: float restrict align[n] align 64 inplace inplace, 1: const float inplace[n])"
                in shown), shown
        (PLACE / "bad.txt").write_text("void f(int x)\n\nvoid g(\x1b[0m)\n", encoding="utf-8")
        code, out, err = run("wrap", f"@{PLACE}/bad.txt")
        assert err == (f"tvm-ffi: {PLACE}/bad.txt:3:8: expected a type\n  void g(\\x1b[0m)\n  "
                       f"{' ' * 7}^\n"), err
        (PLACE / "zero.txt").write_bytes(b"void f(int x) // one\0two\n")
        assert run("wrap", f"@{PLACE}/zero.txt") == (
            USAGE, "", f"tvm-ffi: {PLACE}/zero.txt:1:21: a description cannot contain a NUL\n"
            f"  void f(int x) // one\\x00two\n  {' ' * 20}^\n")
        (PLACE / "empty.txt").write_text("# nothing\n", encoding="utf-8")
        bad(USAGE, "no spec: the files have none", "wrap", f"@{PLACE}/empty.txt")
        bad(USAGE,
            "--doc describes one kernel: with several, write // and the text after each spec",
            "wrap", "void f(int x)", "void g(int x)", "--doc=x")
        bad(USAGE, "nothing.txt: No such file", "wrap", "@nothing.txt")
        bad(USAGE, "--json prints the kernels: --output must be another file", "wrap", SOFTMAX,
            "--json", "-o", "-")
        bad(USAGE, f'--output must end in .c .h .inc (C) or have no ending, not "{PLACE}/x.o", a '
            "name for an object file", "wrap", SOFTMAX, "-o", PLACE / "x.o")
        bad(USAGE, "--outputs must be arguments or return", "wrap", SOFTMAX, "--outputs=both")

    def test_words_that_change_nothing(self):
        """As they stand in headers."""
        plain = good("wrap", "void f(float restrict y[4], const float restrict x[n], void *p, "
                     "const char *s, int n)")
        for spec in (
                "extern void f(float __restrict y[static 4], const float x[restrict n], void *p, "
                "const char *s, int n)",
                'f = extern "C" void f(float y[static __restrict__ 4], const float __restrict__ '
                "x[n], void *const p, const char *const __restrict s, const int n)",
                "extern void f(float y[__restrict 4], __restrict__ float const x[n], "
                "void *restrict p, char const *s, int n)",
                "void f(float y[restrict static 4], const float x[const restrict n], void *p, "
                "const char *s, int n)",
                "void f(float y[static const restrict const 4], const float restrict x[const n], "
                "void *p, const char *s, int n)"):
            assert good("wrap", spec) == plain, spec
        for spec in "void f(float y[const 4])", "void f(float y[static const 4])", (
                "void f(float y[const static 4])"):
            assert good("wrap", spec) == good("wrap", "void f(float y[4])"), spec
        # `[const]` is a pointer, as `[]` is.
        assert good("wrap", "void f(float y[const])") == good("wrap", "void f(float y[])")

    def test_strides(self):
        """Above 0, any, or as in BLAS."""
        for compiler, lean in each_compiler():
            kernels = compile_list(compiler, "blas", [*BLAS, *STEPS], *lean)
            for call, printed in CALLS_WITH_STRIDES.items():
                shown = good("run", "--leak-check", kernels, call).splitlines()
                assert printed in shown, (call, shown)
            for call, message in REFUSED_STRIDES.items():
                raises(message + "\n", kernels, call)

    def test_probe_of_blas(self):
        """In all layouts and shapes kernels give the same numbers; only elements that are repeated
        are refused."""
        if left_out("probe"):
            return
        compiler = next(iter(COMPILERS.values()))
        libraries = [compile_list(compiler, "blas", BLAS)]
        (PLACE / "cblas.c").write_text(CBLAS, encoding="utf-8")
        done = subprocess.run([
            *compiler, f"-I{FOLDER}", "-shared", "-fPIC", PLACE / "cblas.c", "-lblas", "-o",
            PLACE / "cblas.so"
        ], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            libraries.append(
                make_library(compiler, "of_cblas", [PLACE / "cblas.c", "-lblas"], BLAS))
            print("checked with the BLAS of the system")
        else:
            print("skipped: no <cblas.h> and -lblas, as libblas-dev has them:", done.stderr)
        for library, (call, refused) in itertools.product(
                libraries,
            {
                "dot(5xf64=rand, 5xf64=rand)": [],
                "axpy(2.5, 5xf64=rand, &5xf64=rand)": [],
                "rows(4x3xf64=rand, 3xf64=rand, &4xf64=0)":
                    ["strided:0", "strided:all", "transposed:0", "negative:0", "negative:all"],
            }.items()):
            told = good_json("probe", "--only=layouts", "--only=shapes", library, call)
            layouts = {row["name"] for row in told["rows"] if row["group"] == "layouts"}
            verdicts = {entry["name"]: entry["verdict"] for entry in told["calls"]
                        if entry["name"].split(":")[0] in layouts}
            assert told["failed"] == 0 and verdicts["negative:1"] == "passed", told
            assert [name for name, verdict in verdicts.items() if verdict == "refused" and
                    not re.match("broadcast|misaligned:.:byte", name)] == refused, verdicts

    def test_outputs_are_arguments(self):
        for compiler, lean in each_compiler():
            kernels = compile_kernels(compiler, "specs", *lean)
            printed = call_with_program(compiler, "use_wrap", kernels)
            assert printed == (FOLDER / "wrap_calls.txt").read_text(encoding="utf-8"), printed
            for call, printed in {
                    "scale_columns(&1x2xf32, 1x2xf32=3 4, 2xf32=10 100)": "arg[0]: 1x2xf32=[30 "
                                                                          "400]",
                    "scale_columns_vla(&2x2xf32, 2x2xf32=1 2 3 4)": "arg[0]: 2x2xf32=[1 4][3 8]",
                    "add(&2x3xf32, 2x3xf32=1 2 3 4 5 6, 0.5)": "arg[0]: 2x3xf32=[1.5 2.5 3.5][4.5 "
                                                               "5.5 6.5]",
                    "dot(3xf64=1 2 3, 3xf64=1 10 100)": "result[0]: 321.0",
                    "sort(&1500xi64, 1500xi64=2)": "arg[0]: 1500xi64=2 2 2 ... 2 2 2",
                    "sort(&4xi64, 4xi64=4 1 3 2)": "arg[0]: 4xi64=1 2 3 4\nresult[0]: 0",
                    "mirror(&3xf32, 3xf32=1 2 4)": "arg[0]: 3xf32=5 4 5",
                    "count_true(4xbool=1 0 1 1)": "result[0]: 3",
                    "largest(false)": "result[0]: 9223372036854775807",
                    "largest(true)": "result[0]: 18446744073709551615",
                    'greet("you")': 'result[0]: "hello, you"',
                    'greet("")': "result: none",
                    "same(none)": "result[0]: void*",
                    "describe(-128, 4294967295, 0.5, 1e300, true, 7, "
                    "-9)": 'result[0]: "-128 4294967295 0.5 1e+300 1 7 -9"',
            }.items():
                shown = good("run", kernels, call)
                assert set(printed.splitlines()) <= set(shown.splitlines()), (call, shown)
            scale = ("`scale_columns(0: float y[n][m], 1: const float x[n][m], "
                     "2: const float s[m]) -> void`")
            raises(
                f"TypeError: Mismatched number of arguments when calling: {scale}. Expected 3 but "
                "got 2 arguments", kernels, "scale_columns(&1x2xf32, 1x2xf32)")
            raises(
                f"TypeError: Mismatched type on argument #2 when calling: {scale}. Expected "
                "`DLTensor*` but got `None`", kernels, "scale_columns(&1x2xf32, 1x2xf32, none)")
            raises(
                f"TypeError: Mismatched dtype on argument #1 when calling: {scale}. Expected "
                "`float32` but got `float64`", kernels, "scale_columns(&1x2xf32, 1x2xf64, 2xf32)")
            raises(
                f"ValueError: Mismatched ndim on argument #2 when calling: {scale}. Expected 1 but "
                "got 2",
                kernels, "scale_columns(&1x2xf32, 1x2xf32, 1x2xf32)")
            raises(
                f"ValueError: Mismatched shape on argument #1 when calling: {scale}. Expected size "
                "1 in dimension 0 but got [2, "
                "2]", kernels, "scale_columns(&1x2xf32, 2x2xf32, 2xf32)")
            raises(
                f"ValueError: Mismatched shape on argument #2 when calling: {scale}. Expected size "
                "2 in dimension 0 but got [3]", kernels, "scale_columns(&1x2xf32, 1x2xf32, 3xf32)")
            raises(
                "`add(0: float y[2][3], 1: const float x[2][3], 2: float a) -> void`. Expected "
                "size 3 in dimension 1 but got [2, 4]", kernels, "add(&2x4xf32, 2x4xf32, 1)")
            raises("Expected `float` but got `ffi.SmallStr`", kernels,
                   "add(&2x3xf32, 2x3xf32, s:\"1\")")
            raises(
                "ValueError: Mismatched value on argument #0 when calling: `describe(0: int8_t a,",
                kernels, "describe(128, 1, 1, 1, true, 7, 8)")
            raises("Expected 0 to 4294967295 but got -1", kernels,
                   "describe(1, -1, 1, 1, true, 7, 8)")
            raises("`greet(0: const char *name) -> const char *`. Expected `str` but got `int`",
                   kernels, "greet(i:1)")
            for number, text in {
                    "3.4028235e38": "3.40282e+38", "-3.4028235677973362e38": "-3.40282e+38",
                    "inf": "inf", "-inf": "-inf", "nan": "nan", "1e-320": "0",
                    "16777217": "1.67772e+07"
            }.items():
                shown = good("run", kernels, f"describe(1, 2, {number}, 0, true, 7, 8)")
                assert shown == f'result[0]: "1 2 {text} 0 1 7 8"\n', (number, shown)
            for number, text in {"1e300": "1e+300", "-1e300": "-1e+300", "1e39": "1e+39",
                                 "3.4028235677973366e38": "3.40282357e+38"}.items():
                raises("ValueError: Argument #2 of `describe(0: int8_t a, 1: unsigned int b, 2: "
                       "float c, 3: double d, 4: bool e, 5: size_t f, 6: int64_t args) -> const "
                       f"char *` must be a number that fits float, at most 3.4028235e+38, but is "
                       f"{text}\n", kernels, f"describe(1, 2, {number}, 0, true, 7, 8)")
            for text, size in {r"a\0b": 1, r"you and me\0": 10, r"\0you": 0}.items():
                raises(
                    "ValueError: Argument #0 of `greet(0: const char *name) -> const char *` must "
                    f"be text without a NUL character, but has one after {size} bytes\n", kernels,
                    f'greet("{text}")')

    def test_outputs_are_returned(self):
        """And a result is an error code."""
        for compiler, lean in each_compiler():
            kernels = compile_kernels(compiler, "returns", "--outputs=return", "--errors=nonzero",
                                      *lean)
            for call, printed in {
                    "check_positive(3xi32=1 2 3)": "result: none",
                    "powers(2.0, 4)": "result[0]: 4xf64=1 2 4 8\nresult[1]: f64=15",
                    "powers(2.0, 0)": "result[0]: 0xf64=\nresult[1]: f64=0",
                    "sort(4xi64=4 1 3 2)": "result[0]: 4xi64=1 2 3 4",
                    "count(3, 2000)": "result[0]: 3xf64=1 2 3",
                    "widen(3xf32=1 2 3)": "result[0]: 3xf64=1 2 3",
            }.items():
                shown = good("run", "--leak-check", kernels, call)
                assert shown == printed + "\n", (call, shown)
            raises("RuntimeError: `check_positive` failed: expected it to return 0 but got 3",
                   kernels, "check_positive(3xi32=1 2 0)")
            raises("RuntimeError: `powers` failed: expected it to return 0 but got 7", kernels,
                   "powers(0.0, 4)")
            raises("ValueError: Shape [-1] has a negative extent", kernels, "powers(2.0, -1)")
            raises("ValueError: `work`, a work array of shape [-1], has a negative extent or too "
                   "many elements\n", "--leak-check", kernels, "count(3, -1)")
            raises(
                "`powers(0: double base, 1: int n) -> (double y[n], double sum[])`. Expected "
                "-2147483648 to 2147483647 but got 2147483648", kernels, "powers(2.0, 2147483648)")

    def test_other_compilers(self):
        """With --lean, compilers need no more than C99."""
        # tcc has no parameters `y[n][m]`.
        specs = (FOLDER / "wrap_specs.txt").read_text(encoding="utf-8").splitlines()
        good("wrap", "@-", "--lean", "-o", PLACE / "lean.c",
             stdin="\n".join(line for line in specs if "_vla(" not in line))
        # here, on Linux
        others = {"tcc": [], "musl-gcc": STRICT, "x86_64-w64-mingw32-gcc": STRICT
                  } if not RUNNER else {}
        for compiler, options in others.items():
            if shutil.which(compiler):
                subprocess.run([compiler, *options, "-c", PLACE / "lean.c", "-o", PLACE / "lean.o"],
                               check=True)
                print("compiled with", compiler)

    def test_limits_of_other_systems(self):
        """An extent may be any number of an unsigned type of 32 bits, and those of an int of one of
        64 bits."""
        for name, bits in ("unsigned long", 32), ("size_t", 64), ("uintptr_t", 64):
            for compiler in [*COMPILERS.values(), ["x86_64-w64-mingw32-gcc"]]:
                if shutil.which(compiler[0]) is None or RUNNER:
                    continue
                shown = good("wrap", f"void f(float x[n], {name} n)", "--lean")
                assert f'wrap_check_extent(args, 0, "n", n, WRAP_MAX({name}))' in shown, shown
                shown = shown.replace(name + " n", "my_type n").replace(f"({name})n", "(my_type)n")
                shown = shown.replace(f"WRAP_MAX({name})", "WRAP_MAX(my_type)")
                for small, limit in ("uint32_t", "UINT32_MAX"), (name, f"sizeof({name}) == 8 ? "
                                                                 "INT64_MAX : UINT32_MAX"):
                    above, undefined, below = shown.partition("#undef WRAP_MAX\n")
                    assert undefined, shown
                    (PLACE / "limit.c").write_text(
                        f"#include <stddef.h>\n#include <stdint.h>\ntypedef {small} my_type;\n"
                        f"{above}\nextern char limit[WRAP_MAX(my_type) == ({limit}) ? 1 : -1];\n"
                        f"{undefined}{below}", encoding="utf-8")
                    subprocess.run([*compiler, *STRICT, "-c", PLACE / "limit.c", "-o",
                                    PLACE / "limit.o"], check=True)

    def test_strides_that_overflow(self):
        """Extents of a tensor without elements have any product: nothing is undefined."""
        for compiler in COMPILERS.values():
            kernels = compile_list([*compiler, "-fsanitize=undefined",
                                    "-fsanitize-undefined-trap-on-error"], "products",
                                   ["f = double sum_steps(const double x[k][m][n:s], int k, "
                                    "ptrdiff_t s)"])
            assert good("run", kernels, "f(0x4294967296x4294967296xf64)").startswith("result[0]: 0")

    def test_metadata(self):
        """For list, stub and Python."""
        compiler = next(iter(COMPILERS.values()))
        kernels = compile_kernels(compiler, "specs")
        listed = good("list", kernels)
        for line in (
                "  scale_columns      (y: Tensor, x: Tensor, s: Tensor) -> None  Scale each column "
                "of x.",
                '  add                (y: Tensor, x: Tensor, a: float) -> None  "x" + a, \\ ?? or '
                'not?',
                "  greet              (name: str) -> Optional[str]",
                "  describe           (a: int, b: int, c: float, d: float, e: bool, f: int, args: "
                "int) -> Optional[str]"):
            assert re.sub(" +", " ", line) in re.sub(" +", " ", listed), listed
        returns = compile_kernels(compiler, "returns", "--outputs=return", "--errors=nonzero")
        returned = re.sub(" +", " ", good("list", returns))
        assert "powers (base: float, n: int) -> Tuple[Tensor, Tensor]" in returned, returned
        assert ("def scale_columns(y: tvm_ffi.Tensor, x: tvm_ffi.Tensor, s: tvm_ffi.Tensor) -> "
                "None:") in good(
            "stub", "--lang=python", kernels)

    def test_a_spec_unlike_the_declaration(self):
        """It does not compile."""
        for spec in (
                "void scale_columns(double y[n][m], const float x[n][m], const float s[m], int n, "
                "int m)",
                "void scale_columns(float y[n][m], const float x[n][m], const float s[m], int n, "
                "long m)",
                "void scale_columns(float y[n][m], float x[n][m], const float s[m], int n, int m)",
                "int scale_columns(float y[n][m], const float x[n][m], const float s[m], int n, "
                "int m)",
                "void add_fixed(float y[2][4], const float x[2][3], float a)",
                "void add_fixed(float y[2, 3], const float x[2][3], float a)",
                "void scale_columns_vla(int n, int m, float y[n, m], const float x[n][m])"):
            good("wrap", spec, "--include=<wrap_functions.h>", "-o", PLACE / "drift.c")
            for compiler in COMPILERS.values():
                done = subprocess.run(
                    [*compiler, *STRICT, *HEADERS, "-fsyntax-only", PLACE / "drift.c"],
                    capture_output=True, text=True, check=False)
                assert done.returncode != 0 and "conflicting types for" in done.stderr, (spec, done)

    def test_a_header_that_changes(self):
        """What changes below a spec does not compile either."""
        if shutil.which("tcc") and not RUNNER:
            CHECKERS.append(["tcc", "-c", "-o", PLACE / "drift.o"])
        for what, (header, spec, change, *messages) in DRIFTS.items():
            (PLACE / "drift.h").write_text(header + "\n", encoding="utf-8")
            good("wrap", spec, "--include", PLACE / "drift.h", "-o", PLACE / "drift.c", "--lean")
            for is_changed in False, True:
                (PLACE / "drift.h").write_text(
                    (header.replace(*change) if is_changed else header) + "\n", encoding="utf-8")
                for checker, (standard, message) in itertools.product(CHECKERS, zip(("c99", "c11"),
                                                                                    messages)):
                    done = subprocess.run([*checker, f"-std={standard}", PLACE / "drift.c"],
                                          capture_output=True, text=True, check=False)
                    assert (done.returncode != 0) == is_changed, (what, done)
                    assert not is_changed or checker[0] == "tcc" or message in done.stderr, (what,
                                                                                             done)
        # A long has 32 bits on Windows, and 64 on Linux.
        if shutil.which("x86_64-w64-mingw32-gcc"):
            (PLACE / "drift.h").write_text("void f(const long *x);\n", encoding="utf-8")
            good("wrap", "void f(const int64_t x[4])", "--include", PLACE / "drift.h", "-o",
                 PLACE / "drift.c", "--lean")
            done = subprocess.run(
                ["x86_64-w64-mingw32-gcc", "-c", PLACE / "drift.c", "-o", PLACE / "drift.o"],
                capture_output=True, text=True, check=False)
            assert done.returncode != 0 and "conflicting types for" in done.stderr, done

    def test_the_cost_in_bytes(self):
        """Compared with checks written by hand."""
        size = shutil.which("size")
        if size is not None:
            good("wrap", "void nothing(float y[n][m], const float x[n][m], int n, int m)", "-o",
                 PLACE / "nothing.c")
            # -Os shows what the source costs; by -O2 the compiler also chooses what to inline. GCC
            # 16 inlines more, as wrap_check_extent once per extent: the ratio is 1.09, and 1.01 by
            # GCC 12.
            for compiler, level in itertools.product(COMPILERS.values(), ("-Os", "-O2")):
                macros = subprocess.run([*compiler, "-dM", "-E", "-x", "c", "-"], input="",
                                        capture_output=True, text=True, check=True).stdout
                gcc = re.search(r"define __GNUC__ (\d+)", macros)
                is_new_gcc = gcc is not None and int(gcc[1]) >= 16 and "__clang__" not in macros
                limit = 1.12 if level == "-O2" and is_new_gcc else 1.05
                bytes_of = {}
                for kind, source in ("wrapped", PLACE / "nothing.c"), ("by hand",
                                                                       FOLDER / "wrap_by_hand.c"):
                    subprocess.run([
                        *compiler, *STRICT, *HEADERS, level, "-fPIC", "-c", source, "-o",
                        PLACE / "nothing.o"
                    ], check=True)
                    done = subprocess.run([size, PLACE / "nothing.o"], capture_output=True,
                                          text=True, check=True)
                    bytes_of[kind] = int(done.stdout.splitlines()[1].split()[3])
                assert bytes_of["wrapped"] <= limit * bytes_of["by hand"], (compiler, level,
                                                                            bytes_of)
                print(compiler, level, bytes_of)


run_tests()

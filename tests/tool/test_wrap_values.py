# SPDX-License-Identifier: Apache-2.0
"""Kernels that wrap writes for what plain functions take and return besides tensors: numbers by
address and as results, enumerations, characters, constants, errors.

test_wrap_values.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import unittest

from compilers import PLACE, each_compiler, make_library, raises
from tool import USAGE, good, run, run_tests

# A library as its header and its source, and a line for each function.
HEADER = """#ifndef VALUES_H
#define VALUES_H
#include <stddef.h>
#include <stdint.h>
typedef uint64_t word;
typedef unsigned short narrow;
enum color { kRed = 1, kBlue, kNone = -5 };
typedef enum { kFirst, kSecond } place;
word next_word(word x);
size_t all_bits(void);
unsigned long long halves(unsigned long long x, word *low);
narrow next_narrow(narrow x);
int is_blue(enum color c);
enum color other(enum color c);
int number_of(place p);
char upper(char c);
double fortran_dot_(const int *n, const double *x, const double *y);
void split(double x, double *whole, double *rest);
void step(int *x, const int *by);
void last(int n, _Bool *is_odd, char *digit, float *half);
int scaled(int x, int factor, const char **unused, int (*call)(void *, int), unsigned flags);
void fill(double *y, int n, double with);
int check(int x);
const char *check_text(int code, int x);
int found(int x);
int read_count(int x);
int *find(int *p);
#endif
"""
SOURCE = """#include "values.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
word next_word(word x) { return x + 1; }
size_t all_bits(void) { return (size_t)-1; }
unsigned long long halves(unsigned long long x, word *low) {
  *low = x << 32;
  return x >> 32;
}
narrow next_narrow(narrow x) { return (narrow)(x + 1); }
int is_blue(enum color c) { return c == kBlue; }
enum color other(enum color c) { return c == kRed ? kNone : kRed; }
int number_of(place p) { return (int)p; }
char upper(char c) { return (char)toupper((unsigned char)c); }
double fortran_dot_(const int *n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < *n; ++i) sum += x[i] * y[i];
  return sum;
}
void split(double x, double *whole, double *rest) {
  *whole = (double)(long)x;
  *rest = x - *whole;
}
void step(int *x, const int *by) { *x += *by; }
void last(int n, _Bool *is_odd, char *digit, float *half) {
  *is_odd = n % 2 != 0;
  *digit = (char)('0' + n % 10);
  *half = (float)n / 2;
}
int scaled(int x, int factor, const char **unused, int (*call)(void *, int), unsigned flags) {
  return unused == NULL && call == NULL ? x * factor + (int)flags : -1;
}
void fill(double *y, int n, double with) {
  for (int i = 0; i < n; ++i) y[i] = with;
}
int check(int x) { return x > 0 ? 0 : x - 7; }
const char *check_text(int code, int x) { return code == -7 ? "zero" : x < -2 ? NULL : "below"; }
int found(int x) { return x % 2; }
int read_count(int x) {
  if (x >= 0) return x;
  errno = ENOENT;
  return -1;
}
int *find(int *p) { return p; }
"""
SPECS = [
    "uint64_t next_word(uint64_t x)",
    "size_t all_bits(void)",
    "unsigned long long halves(unsigned long long x, out uint64_t *low)",
    "unsigned short next_narrow(unsigned short x)",
    "int is_blue(enum color {kRed = 1, kBlue, kNone = -5} c)",
    "enum color other(enum color c)",
    "int number_of(enum {kFirst, kSecond} p as place)",
    "char upper(char c)",
    "dot = double fortran_dot_(in const int *n, const double x[n], const double y[n])",
    "void split(double x, out double *whole, out double *rest)",
    "void step(inout int *x, in const int *by)",
    "void last(int n, out bool *is_odd, out char *digit, out float *half)",
    "int scaled(int x, int factor = -3, const char **unused = NULL, int (*call)(void *, int) = "
    "NULL, unsigned flags = (1 | 4))",
    "void fill(out double y[n], int n, double with)",
    "int check(int x) error=nonzero error_text=check_text(return, x)",
    "code = int check(int x) error=nonzero",
    "int found(int x) error=zero",
    "int read_count(int x) error=negative:errno",
    "negative = int read_count(int x) error=negative",
    "find = void *find(void *p as int *) error=null as int *",
]
CALLS = {
    "next_word(1)": "2",
    "next_word(9223372036854775807)": "9223372036854775808",
    "all_bits()": "18446744073709551615",
    "next_narrow(65534)": "65535",
    'is_blue("kBlue")': "1", "is_blue(2)": "1", 'is_blue("kNone")': "0", "is_blue(77)": "0",
    "other(1)": "-5", 'number_of("kSecond")': "1",
    'upper("x")': '"X"',
    "dot(3xf64=1 2 3, 3xf64=1 10 100)": "321.0",
    "step(40, 2)": "42",
    "scaled(5)": "-10",
    "fill(3, 2.5)": "3xf64=2.5 2.5 2.5",
    "halves(4294967301)": "[1, 21474836480]",
    "halves(9223372036854775807)": "[2147483647, 18446744069414584320]",
    "split(2.75)": "[2.0, 0.75]", "last(27)": '[true, "7", 13.5]',
    "found(3)": "1", "read_count(7)": "7",
}
REFUSED = {
    "next_word(-1)": "ValueError: Argument #0 of `next_word(0: uint64_t x) -> uint64_t` must be "
                     "from 0 to 18446744073709551615, but is -1",
    "next_narrow(65536)": "Expected 0 to 65535 but got 65536",
    'is_blue("kGreen")': "ValueError: Argument #0 of `is_blue(0: enum color c) -> int` must be a "
                         "number or a name such as `kRed`, but is `kGreen`",
    'is_blue("kBlu")': "a name such as `kRed`, but is `kBlu`",
    "is_blue(4294967296)": "Expected -2147483648 to 2147483647 but got 4294967296",
    'upper("xy")': "must be a text of one byte, but has 2",
    'upper("")': "must be a text of one byte, but has 0",
    "dot(3xf64, 2xf64)": "Expected size 3 in dimension 0 but got [2]",
    "step(2147483648, 1)": "Expected -2147483648 to 2147483647 but got 2147483648",
    "check(0)": "RuntimeError: `check` failed: zero",
    "check(-1)": "RuntimeError: `check` failed: below",
    "check(-3)": "RuntimeError: `check` failed: it has no text for the error",
    "code(0)": "RuntimeError: `check` failed: expected it to return 0 but got -7",
    "found(2)": "RuntimeError: `found` failed: it returned 0",
    "read_count(-1)": "RuntimeError: `read_count` failed: No such file or directory",
    "negative(-1)": "RuntimeError: `read_count` failed: it returned -1",
    "find(none)": "RuntimeError: `find` failed: it returned NULL",
}
WRONG = [
    ("void f(in int n)", 15,
     "`in`, `out` and `inout` are for the address of a number, such as `int *n`"),
    ("void f(out const int *n)", 23,
     "`n` is const: the function cannot write it, so it is `in`"),
    ("void f(in float x[n])", 17, "`x` is `in`: write const for a tensor that is read"),
    ("void f(out float *x[4])", 19,
     "`out` with a shape is a tensor that the kernel makes: write `out float x[n]`"),
    ("void f(out int *n, const float x[n])", 17,
     "`n` is an extent or a stride, and must be an integer that is known before the call"),
    ("void f(int n = 3, const float x[n])", 12,
     "`n` is an extent or a stride, and must be an integer, not a constant: write it in the shape"),
    ("void f(int n =)", 15, "expected a constant, such as -1, NULL or (A | B)"),
    ('void f(int n = "a")', 16, "expected a constant, such as -1, NULL or (A | B)"),
    ("void f(enum c)", 14, "expected a name for the parameter"),
    ("void f(enum {A, B = 5000000000} c)", 17, "`B` does not fit int"),
    ("void f(enum {A B} c)", 16, "expected `,` or `}`"),
    ("void f(enum {A} c[3])", 18, "there are no tensors of enumerations: write int"),
    ("void f(enum color c)", 19, "a header has to declare this: give it with --include=FILE"),
    ("int f(int x) error=nonzero error_text=g(x)", 39,
     "a header has to declare this: give it with --include=FILE"),
    ("int f(int x) error=nonzero error_text=g(y)", 41,
     "expected the name of a parameter, or return"),
    ("int f(int x) error_text=g(x)", 25, "error_text=g(...) needs error="),
    ("int f(int x) error=odd", 20, "expected nonzero, zero, negative or null"),
    ("int f(int x) error=negative:code", 29, "expected errno"),
    ("int f(int x) error=zero error=zero", 25, "`error` is given twice"),
    ("unsigned f(int x) error=negative", 10,
     "with error=negative `f` must return a signed integer, not `unsigned int`"),
    ("int f(int x) error=null", 5, "with error=null `f` must return an address or text, not `int`"),
    ("void f(int x) error=nonzero", 6, "with error=nonzero `f` must return an integer, not `void`"),
]


class WrapValues(unittest.TestCase):
    def test_numbers_and_errors(self):
        """Integers of any width, by address and as results; enumerations; what a call raises."""
        (PLACE / "values.h").write_text(HEADER, encoding="utf-8")
        (PLACE / "values.c").write_text(SOURCE, encoding="utf-8")
        for compiler, lean in each_compiler():
            library = make_library(compiler, "of_values", [PLACE / "values.c"], SPECS,
                                   f"--include={PLACE}/values.h", *lean)
            for call, printed in CALLS.items():
                shown = good("run", "--leak-check", library, call)
                assert shown.splitlines() == [f"result[0]: {printed}"], (call, shown)
            for call, message in REFUSED.items():
                raises(message + "\n", "--leak-check", library, call)

    def test_refusals(self):
        """They tell the column, and show the text with a caret below."""
        for spec, column, message in WRONG:
            code, out, err = run("wrap", spec)
            assert ((code, out) == (USAGE, "") and
                    err == f"tvm-ffi: SPEC:{column}: {message}\n  {spec}\n  {' ' * (column - 1)}^\n"
                    ), (spec, err)
        for abi in "casadi", "memref", "halide":
            for spec, column in {"int f(in double *x)": 18, "int f(char c)": 12,
                                 "int f(int n = 3)": 11, "int f(enum {A} c)": 16}.items():
                assert run("wrap", f"--abi={abi}", spec)[2].startswith(
                    f"tvm-ffi: SPEC:{column}: this is for plain functions, and --abi={abi} has "
                    f"none\n"), (abi, spec, run("wrap", f"--abi={abi}", spec))


run_tests()

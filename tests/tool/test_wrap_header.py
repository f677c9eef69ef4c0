# SPDX-License-Identifier: Apache-2.0
"""wrap reads headers: what it sees in them, its table, lines, proposals, and calls of kernels.

test_wrap_header.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import os
import re
import subprocess
import time
import unittest

from compilers import COMPILERS, HEADERS, LINK, PLACE, STRICT, each_compiler, raises
from tool import SLOWER, USAGE, WINDOWS, bad, good, good_json, run, run_tests, skip

HEADER = """\
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdarg.h>
#include <limits.h>
#include <float.h>
#define API __attribute__((visibility("default")))
#define REAL float
typedef REAL real;
typedef real scalars;
typedef enum { kSmall = 1, kLarge } size_kind;
struct opaque;
typedef struct { int a; } plain;
#if CHAR_BIT == 8 && FLT_MANT_DIG == 24 && defined(UINT64_MAX)
/* ---- Vectors ----
 * The dot product
 * of two vectors.
 *
 * More text. */
API real dot(const scalars *restrict x, int n, const scalars *y);
#endif
/** Multiplies each element "by" a number. */
API void scale(real *x, size_t num_x, real by);
/* A comment that belongs to nothing. */

int kind_of(const size_kind kind, bool flag, uint8_t small, const char *name);
double norm(const double x[3]);
double trace(const double x[2][2]);
void pairs(double (*x)[2], int n); /* the sum of each pair */
struct opaque *make(void);
void drop(const struct opaque *o);
plain by_value(plain p);
typedef struct { float *data; } other;
other by_other(int x);
struct point { double x, y; };
void turn(struct point *p);
int print(const char *format, ...);
int print_list(const char *format, va_list values);
void each(const float *x, int n, void (*call)(float x, void *data), void *data);
void plain_call(void (*call)(int x));
long double wide(long double x);
double narrow(long double x);
int new_names(int this, int new);
void unnamed(const float *, int);
int *numbers(void);
int many(int n, const char **names);
int shaky(volatile int *x);
static inline int inline_one(int x) { return x + 1; }
uint64_t large(uint64_t x);
#define large(x) (x).is_a_macro
void halve(const int *n, double *half, float *y, int *info);
enum color { RED, GREEN = -3 };
enum color next(size_kind kind, enum color c, char uplo);
void negate(float _Complex *z, int n);
long double *no_tensor(long double *x);
"""

TABLE = """\
dot         needs a line: a shape for x, y
scale       needs a line: a shape for x
kind_of     as it is
norm        as it is
trace       as it is
pairs       needs a line: a shape for x
make        as it is; unknown: who ends its result
drop        as it is
by_value    as it is
by_other    refused: returns a structure by value
turn        as it is
print       refused: variadic
print_list  refused: `values` is a va_list
each        needs a line: a shape for x; a value for call
plain_call  refused: `call` is a callback without data
wide        refused: returns `long double`, which no kernel returns
narrow      as it is
new_names   as it is
unnamed     needs a line: a shape for arg1
numbers     needs a line: a type for its result
many        needs a line: a type for names
shaky       refused: `x` is a pointer to volatile
inline_one  as it is
large       as it is
halve       needs a line: a shape for n, half, y, info
next        as it is
negate      needs a line: a shape for z
no_tensor   as it is
28 functions: 13 as they are, 0 with a line, 9 need a line, 6 refused
"""

SOURCE = """\
#include "t.h"
float dot(const float *restrict x, int n, const float *y) {
  float sum = 0;
  int i;
  for (i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
void scale(float *x, size_t num_x, float by) {
  size_t i;
  for (i = 0; i < num_x; ++i) x[i] *= by;
}
int kind_of(size_kind kind, bool flag, uint8_t small, const char *name) {
  return kind == kLarge ? 1000 * flag + small + (name[0] == 'a') : -1;
}
double norm(const double x[3]) {
  return x[0] + x[1] + x[2];
}
double trace(const double x[2][2]) {
  return x[0][0] + x[1][1];
}
void pairs(double (*x)[2], int n) {
  int i;
  for (i = 0; i < n; ++i) x[i][0] += x[i][1];
}
struct opaque { int value; };
static struct opaque made = {0};
struct opaque *make(void) {
  return &made;
}
void drop(const struct opaque *o) {
  (void)o;
}
void each(const float *x, int n, void (*call)(float x, void *data), void *data) {
  int i;
  for (i = 0; i < n; ++i) call(x[i], data);
}
plain by_value(plain p) {
  p.a += 1;
  return p;
}
void turn(struct point *p) {
  const double x = p->x;
  p->x = -p->y;
  p->y = x;
}
int new_names(int this, int new) {
  return this - new;
}
int many(int n, const char **names) {
  return names == NULL ? n : 0;
}
void unnamed(const float *x, int n) {
  (void)x, (void)n;
}
int *numbers(void) {
  static int kept[2];
  return kept;
}
uint64_t (large)(uint64_t x) {
  return x;
}
double narrow(long double x) {
  return (double)x / 2;
}
void halve(const int *n, double *half, float *y, int *info) {
  *half = *n / 2.0;
  y[0] = y[1] = y[2] = 7;
  *info = *n % 2;
}
enum color next(size_kind kind, enum color c, char uplo) {
  return kind == kLarge && uplo == 'U' ? c : RED;
}
void negate(float _Complex *z, int n) {
  int i;
  for (i = 0; i < n; ++i) z[i] = -z[i];
}
long double *no_tensor(long double *x) {
  (void)x;
  return NULL;
}
"""

LINES = """\
# What t.h does not say.
dot(x[n], \\
    y[n])
s?ale(x[num_x])
pair*(x[n])
unnamed(arg1[arg2])
halve(in n, out half, out y[3], out info)
negate(z[n])
many(names = NULL)
first = const void *numbers() // Where the numbers are.
"""


def read(*options):
    return run("wrap", "--header", "t.h", f"--cflags=-I{PLACE}", *options)


def wrapped(*options):
    return good("wrap", "--header", "t.h", f"--cflags=-I{PLACE}", *options)


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (PLACE / "t.h").write_text(HEADER, encoding="utf-8")
        (PLACE / "t.c").write_text(SOURCE, encoding="utf-8")
        (PLACE / "t.wrap").write_text(LINES, encoding="utf-8")

    def test_the_table(self):
        assert wrapped("--list") == TABLE
        told = good_json("wrap", "--header", PLACE / "t.h", "--list")["functions"]
        assert told[0] == {"name": "dot", "wrapped": "needs a line",
                           "reason": "a shape for x, y", "unknown": None}, told
        assert told[2] == {"name": "kind_of", "wrapped": "as it is", "reason": None,
                           "unknown": None}, told

    def test_without_headers_of_clang(self):
        """libclang alone, as Debian's package installs it."""
        assert wrapped("--cflags=-nobuiltininc", "--list") == TABLE

    def test_what_flags_change(self):
        assert wrapped("--cflags", "-DREAL2 -UREAL -D 'API='", "--list") == TABLE

    def test_lines(self):
        shown = wrapped(f"@{PLACE}/t.wrap", "--match=[!w]*", "--list")
        for row in ("dot         with a line", "scale       with a line", "pairs       with a line",
                    "unnamed     with a line", "numbers     with a line",
                    "print       refused: variadic"):
            assert row + "\n" in shown, shown

    def test_alternatives(self):
        """A line with alternatives is a line for each letter of a set, or each in the name."""
        (PLACE / "alternatives.h").write_text(
            "void s_scale(int n, void *x); void d_scale(int n, void *x);\n"
            "void copy(int n, const void *x); void copy_work(int n, const void *x, float *work);\n"
            "void put(char c, int n);\n", encoding="utf-8")

        def make(*lines):
            return run("wrap", f"--header={PLACE}/alternatives.h", *lines)
        code, out, err = make("[sd]_scale(x[n] dtype=<float32|float64>)",
                              "copy<|_work>(x[n]<|, *work[2*n]>) // a<b|c>",
                              "put(c = 'L', n = (1<<2|16>>1))")
        assert code == 0, err
        for text in ("TVM_FFI_C_FLOAT32",
                     "TVM_FFI_C_FLOAT64", "(copy_work)((int)n, (const void *)x.data, work)",
                     "(put)('L', (1<<2|16>>1))"):
            assert text in out, (text, out)
        for line, column, message in (
            ("s_scale(x[n] dtype=<float32|float64>)", 20,
             "alternatives belong to those of the name, or to the letters of a set there, as in "
             "`cblas_[cz]copy(x[n] dtype=complex<64|128>)`"),
            ("[s-t]_scale(x[n] dtype=<float32|float64>)", 24, "alternatives belong to"),
            ("[sd]_scale(x[n] dtype=<float32|float64|float16>)", 23,
             "expected 2 alternatives, as the name has, not 3"),
            ("copy<|_work>(x[n]<|, *work[n]|>)", 18,
             "expected 2 alternatives, as the name has, not 3"),
            ("copy<|_works>(x[n])", 1,
             "no function matches `copy_works`; did you mean `copy_work`?")):
            code, out, err = make(line)
            assert (code, out) == (USAGE, ""), (code, out)
            assert err.startswith(f"tvm-ffi: SPEC:{column}: {message}"), err

    def test_wrong_lines(self):
        for line, column, message in (
            ("dto(x[n])", 1, "no function matches `dto`; did you mean `dot`?"),
            ("xyz*(x[n])", 1, "no function matches `xyz*`"),
            ("dot(x[n], yy[n])", 11,
             "`dot` has no parameter `yy`; did you mean `y`? It has x, n, y"),
            ("dot(x[n], x[n])", 11, "`x` is here twice"),
            ("dot(x[n], y[n]", 15, "expected `,` or `)`"),
            ("dot(x[n],)", 10,
             "expected the name of a parameter and what the header does not say of it"),
            ("dot", 4, "expected `(` and what the header does not say of the parameters"),
            ("a = d?t(x[n], y[n])", 5,
             "a name for the kernel needs the name of one function, not the pattern `d?t`"),
            ("drop(unknown[n])", 6, "`drop` has no parameter `unknown`: it has o"),
            ("make(unknown)", 6, "`make` has no parameter `unknown`: it has none"),
            ("drop(o[n])", 1,
             "`o` of `drop` is `const struct opaque *`, without a type for elements: write it "
             "before the name, as in `float o[n]`")):
            code, out, err = read(line)
            assert (code, out) == (USAGE, ""), (code, out)
            assert err.startswith(f"tvm-ffi: SPEC:{column}: {message}\n  {line}\n"), err
        (PLACE / "bad.wrap").write_text(
            "# lines\n\nscale(x[num_x], \\\n  by)\nscale(num_x, y[num_y])\n", encoding="utf-8")
        code, _, err = read(f"@{PLACE}/bad.wrap")
        assert code == USAGE and err.startswith(
            f"tvm-ffi: {PLACE}/bad.wrap:5:14: `scale` has no parameter `y`; did you mean `x`? It "
            "has x, num_x, by\n"
        ), err
        code, _, err = read("scale(x[num_x] strides any)")
        assert (code, err.splitlines()[0]) == (
            USAGE, "tvm-ffi: SPEC (scale):18: `x` has no stride, such as s in `x[n:s]`"), err

    def test_wrong_options(self):
        bad(USAGE, "tvm-ffi: --header: 'nothing.h' file not found\n", "wrap", "--header=nothing.h")
        (PLACE / "bad.h").write_text("int f(int x);\nint g(unknown x);\n", encoding="utf-8")
        bad(USAGE, "bad.h:2:7: error: unknown type name 'unknown'\n", "wrap",
            f"--header={PLACE}/bad.h")
        bad(USAGE, "--match: no function matches `skale`; did you mean `scale`?\n", "wrap",
            f"--header={PLACE}/t.h", "--match=skale")
        bad(USAGE, "`print` cannot be wrapped: variadic\n", "wrap", f"--header={PLACE}/t.h",
            "--match=print")
        bad(USAGE, "`dot` cannot be wrapped: a line must say a shape for x, y\n", "wrap",
            f"--header={PLACE}/t.h", "dot()")
        bad(USAGE, "--libclang: cannot load nothing.so: ", "wrap", f"--header={PLACE}/t.h",
            "--libclang=nothing.so")
        bad(USAGE, "--header is for functions that are called as written: not with --abi=halide\n",
            "wrap", f"--header={PLACE}/t.h", "--abi=halide")
        for option in ("--match=x", "--list", "--suggest", "--cflags=-I.", "--libclang=x"):
            bad(USAGE, f"{option.partition('=')[0]} needs --header\n", "wrap", "int f(int x)",
                option)
        bad(USAGE, "usage: tvm-ffi wrap [OPTION...] SPEC...|@FILE, or with --header FILE\n", "wrap")

    def test_proposals(self):
        (PLACE / "s.h").write_text(
            "void a(const float *x, int n);\nvoid b(int len, double *out, const double *in);\n"
            "float c(const float *x, int incx, const float *y, int inc_y, int n);\n"
            "void d(unsigned char *dst, unsigned long dstCapacity, const unsigned char *src,\n"
            "       unsigned long srcSize);\n"
            "void e(float *x);\nvoid f(float *x, int k, float *y, int n, int count);\n"
            "int g(int n);\nvoid h(const double *x, long n, double *mean, double *deviation);\n"
            "void i(void *dst, unsigned long dstCapacity, const void *src, unsigned long srcSize,\n"
            "       void *other);\n", encoding="utf-8")
        assert good("wrap", f"--header={PLACE}/s.h", "--suggest") == """\
a(x[n])
# b needs a shape for out, in
c(x[n:incx] strides blas, y[n:inc_y] strides blas)
d(dst[dstCapacity], src[srcSize])
# e needs a shape for x
# f needs a shape for x, y
# h needs a shape for x, mean, deviation
i(uint8_t dst[dstCapacity], uint8_t src[srcSize])
"""

    def test_no_proposals_that_overflow(self):
        """Prototypes of bzip2, libwebp, liblzma, stdio and zlib, and of MPI."""
        (PLACE / "u.h").write_text(
            "int bz(char *dest, unsigned *destLen, char *source, unsigned sourceLen, int small);\n"
            "int webp(const unsigned char *data, unsigned long data_size, int *width,\n"
            "         int *tall);\n"
            "int lzma(const unsigned char *in, unsigned long *in_pos, unsigned long in_size,\n"
            "         unsigned char *out, unsigned long *out_pos, unsigned long out_size);\n"
            "unsigned long rd(void *ptr, unsigned long size, unsigned long n);\n"
            "void mpi(void *buf, int count, int type);\n"
            "void two(const float *x, int n, float *y);\n"
            "void both(const float *x, float *y, int n);\nvoid first(int n, float *x);\n"
            "unsigned long crc(unsigned long crc, const unsigned char *buf, unsigned len);\n",
            encoding="utf-8")
        assert good("wrap", f"--header={PLACE}/u.h", "--suggest") == """\
# bz needs a shape for dest, destLen, source
# webp needs a shape for data, width, tall
# lzma needs a shape for in, in_pos, out, out_pos
# two needs a shape for x, y
# both needs a shape for x, y
first(x[n])
crc(buf[len])
"""

    def test_types_of_lines(self):
        """A tensor is a void * to the compiler, so the tool compares the types."""
        path = PLACE / "types.h"
        path.write_text(
            "struct pt { double x, y; };\ndouble sum(const double *x, int n);\n"
            "void isum(const int *x, int *out, int n);\nvoid ld(long double *x, int n);\n"
            "int kk(const double ***x, char **y, int n);\nvoid arr(double (*x)[2], int n);\n"
            "int by(unsigned char *b, char *c, const char *t, void *v, struct pt *p, int n);\n"
            "void ll(long long *x, int n);\nvoid num(int k, float f);\n"
            "void ext(int n, double x[n]);\n",
            encoding="utf-8")
        for line, column, message in (
            ("sum(float x[n])", 5, "`x` of `sum` is `const double *` in the header: a line cannot "
             "make it `float`"),
            ("sum(void x[n])", 5, "`x` of `sum` is `const double *` in the header: a line cannot "
             "make it `void`"),
            ("isum(x[n], int8_t out[n])", 12, "`out` of `isum` is `int *` in the header: a line "
             "cannot make it `int8_t`"),
            ("isum(x[n], out int64_t *out)", 12, "`out` of `isum` is `int *` in the header: a line "
             "cannot make it `int64_t`"),
            ("ld(double x[n])", 4, "`x` of `ld` is `long double *` in the header: a line cannot "
             "make it `double`"),
            ("kk(double x[n], y = NULL)", 4, "`x` of `kk` is `const double ***` in the header: a "
             "line cannot make it `double`"),
            ("arr(double x[n])", 5, "`x` of `arr` is `double (*)[2]` in the header: a line cannot "
             "make it `double`"),
            ("num(int64_t k)", 5, "`k` of `num` is `int` in the header: a line cannot make it "
             "`int64_t`"),
            ("num(double f)", 5, "`f` of `num` is `float` in the header: a line cannot make it "
             "`double`"),
            ("float sum(x[n])", 1, "`sum` returns `double` in the header: a line cannot make it "
             "`float`")):
            code, out, err = run("wrap", f"--header={path}", line)
            assert (code, out) == (USAGE, ""), (line, code, out)
            assert err.startswith(f"tvm-ffi: SPEC:{column}: {message}\n  {line}\n"), err
        for line in ("sum(double x[n])", "isum(int32_t x[n], out int32_t *out)", "ext(x[n])",
                     "kk(void *x, void *y)", "num(bool k)", "num(int8_t k)", "ll(int64_t x[n])",
                     "by(float b[n], float c[n], float t[n], float v[n], float p[n][2])",
                     "total = sum(x[n])", "total=double sum(x[n])"):
            code, out, err = run("wrap", f"--header={path}", line)
            assert code == 0 and "_EXPORT(" in out, (line, err)

    def test_names_that_are_words(self):
        (PLACE / "words.h").write_text("int both(int *out, const int *in);\n", encoding="utf-8")
        shown = good("wrap", f"--header={PLACE}/words.h", "both(out out, in in)")
        assert "(out_: " not in shown and "both" in shown

    def test_the_data_of_a_callback(self):
        path = PLACE / "data.h"
        path.write_text(
            "int alias(void *ctx, int (*f)(void *, int), void *opt);\n"
            "int only(int (*f)(const void *a, const void *b, void *data), void *data);\n"
            "int open(int (*f)(void *a, void *b), void *data);\n"
            "struct s { int *p; };\nint by(void (*f)(struct s x, void *data), void *data);\n",
            encoding="utf-8")
        assert "NULL for f" in good("wrap", f"--header={path}", "--list", "--match=by")
        code, _, err = run("wrap", f"--header={path}", "alias(f)")
        assert code == USAGE and err.startswith(
            "tvm-ffi: SPEC:1: `f` of `alias` may be given `opt` or another `void *`: the line must "
            "name the one that it is given, as in `f, opt`\n"), err
        for line in ("alias(f, opt)", "alias(f, ctx)", "alias(f, ctx = NULL)", "only(f)"):
            code, out, err = run("wrap", f"--header={path}", line)
            assert code == 0 and "_EXPORT(" in out, (line, err)
        code, _, err = run("wrap", f"--header={path}", "open(f)")
        assert code == USAGE and "one of which is its data, and returns a number" in err, err

    def test_who_ends_a_handle(self):
        path = PLACE / "ends.h"
        path.write_text(
            "typedef struct ob ob;\nob *ob_new(int x);\nint ob_out(ob **o);\nint ob_end(ob *o);\n"
            "void obFree(ob *o);\nint ob_append(ob *o);\nint destroy(ob *o);\n"
            "void ob_close_all(ob *a, ob *b);\n",
            encoding="utf-8")
        unknown = {row["name"]: row["unknown"] for row in
                   good_json("wrap", f"--header={path}", "--list")["functions"]}
        assert unknown == {
            "ob_new": "who ends its result", "ob_out": None, "ob_end": "whether it ends `o`",
            "obFree": "whether it ends `o`", "ob_append": None, "destroy": "whether it ends `o`",
            "ob_close_all": None
        }, unknown
        for line in ("ob_new() free=ob_end", "ob_out(out o free=ob_end) error=nonzero"):
            rows = {row["name"]: row["unknown"] for row in good_json(
                "wrap", f"--header={path}", "--list", line)["functions"]}
            assert rows["ob_end"] is None and rows["obFree"] is not None, rows
            # The call of ob_end closes the handle, as if the line `ob_end(o closes)` were there.
            given = run("wrap", f"--header={path}", line)[1]
            assert given == run("wrap", f"--header={path}", line, "ob_end(o closes)")[1], line
            assert "o_place" in given and "wrap_close(o)" in given, given

    def test_what_is_kept_and_taken(self):
        path = PLACE / "keeps.h"
        path.write_text(
            "typedef struct ob ob;\nob *ob_over(const double *x, const ob *o, int n);\n"
            "int ob_fill(ob *o, const double *x, int n);\nint ob_add(ob *o, ob *item);\n",
            encoding="utf-8")
        given = good("wrap", f"--header={path}", "ob_over(x[n]) of=x of=o", "ob_fill(o of=x, x[n])",
                     "ob_add(o alone, item takes) error=negative")
        for text in ("wrap_keep_tensor(args, 0, &handle_needs)",
                     "wrap_keep(&handle_needs, o, true, false)",
                     "wrap_keep_tensor_with(args, 1, o)", "item_ended = !(returned < 0);",
                     "wrap_check_alone(args, 0, o)"):
            assert text in given, (text, given)

    def test_enumerations_without_a_name(self):
        path = PLACE / "unnamed.h"
        path.write_text("static inline int kind(enum { FIRST, SECOND = 5 } e) { return (int)e; }\n",
                        encoding="utf-8")
        assert "kind  as it is\n" in good("wrap", f"--header={path}", "--list",
                                          "--cflags=-Wno-visibility")
        good("wrap", f"--header={path}", "-o", PLACE / "unnamed.c")
        subprocess.run([
            *next(iter(COMPILERS.values())), *HEADERS, "-w", "-shared", "-fPIC",
            PLACE / "unnamed.c", *(LINK if WINDOWS else []), "-o", PLACE / "unnamed.so"
        ], check=True)
        assert good("run", PLACE / "unnamed.so", 'kind("SECOND")') == "result[0]: 5\n"

    def test_structures_callbacks_and_names(self):
        """A line may give fields of a structure that has others than numbers; functions of the
        caller's get enumerations and texts; a kernel's name does not begin with _."""
        path = PLACE / "more.h"
        path.write_text(
            "#include <stddef.h>\ntypedef struct { int id; void *more; double x[2]; } item;\n"
            "enum color { RED, GREEN = -3 };\nenum size { SMALL, LARGE };\n"
            "static inline int id_of(item i, int id) { return i.id + id + (i.more != NULL); }\n"
            "static inline item made(int id) { item i = {id, NULL, {0, 0}}; return i; }\n"
            "static inline int each(enum size (*f)(enum color c, const char *name, enum size s,\n"
            "                                      void *data), void *data) {\n"
            "  return (int)f(GREEN, \"text\", LARGE, data);\n}\n"
            "static inline int told(int (*f)(const char *name, void *data), void *data) {\n"
            "  return f(\"told\", data);\n}\n"
            "static inline int __twice(int x) { return 2 * x; }\n"
            "static inline int _once(int x) { return x; }\n"
            "static inline int once(int x) { return x + 100; }\n"
            "static inline int _1st(int x) { return x; }\n",
            encoding="utf-8")
        shown = good("wrap", f"--header={path}", "--list")
        for row in ("id_of    refused: `i` is a structure by value",
                    "made     refused: returns a structure by value",
                    "each     needs a line: a value for f", "__twice  as it is",
                    "_once    refused: a kernel's name must not begin with _; put another one "
                    "before it: `name = int _once(...)`", "once     as it is",
                    "_1st     refused: a kernel's name must not begin with _"):
            assert row in shown, shown
        code, _, err = run("wrap", f"--header={path}", "id_of(int i)")
        assert code == USAGE and "`i` is a structure by value" in err, err
        lines = ["id_of(struct {int id;} i)", "struct {int id;} made()", "each(f)", "told(f)",
                 "first = _once()"]
        for compiler in COMPILERS.values():
            library = PLACE / "more.so"
            code, _, err = run("wrap", f"--header={path}", *lines, "-o", PLACE / "more.c")
            assert code == 0, err
            subprocess.run([
                *compiler, *STRICT, *HEADERS, "-shared", "-fPIC", PLACE / "more.c",
                *(LINK if WINDOWS else []), "-o", library
            ], check=True)
            for call, result in (('id_of({"id": 4}, 30)', "34"), ("made(5)", '{"id": 5}'),
                                 ("twice(4)", "8"), ("first(7)", "7"), ("once(7)", "107")):
                assert good("run", library, call) == f"result[0]: {result}\n", call
            raises("The function that is called must return a number from 0 to 4294967295, but "
                   "has returned -3\n", library, "each(fn:echo)")
            raises("Cannot convert from type `ffi.SmallStr` to `int`\n", library,
                   "told(fn:echo)")

    def test_lean_has_no_handles(self):
        path = PLACE / "ob.h"
        path.write_text("typedef struct ob ob;\nob *ob_new(int x);\nvoid ob_end(ob *o);\n",
                        encoding="utf-8")
        for line in "ob_new() free=ob_end", "ob_end(o closes)":
            bad_line = run("wrap", "--lean", f"--header={path}", line)
            assert bad_line[0] == USAGE and (
                "this needs the library's headers: leave --lean out\n" in bad_line[2]), bad_line

    def test_comments_of_latin_1(self):
        path = PLACE / "latin.h"
        path.write_bytes(b"/* Der gr\xf6\xdfte, le d\xc3\xa9but. */\nstatic inline int "
                         b"largest(int x) { return x; }\n")
        # Newer compilers warn of the header, and older ones have no such warning.
        unwarned = ["-Wno-unknown-warning-option", "-Wno-invalid-utf8"]
        for compiler, options in each_compiler():
            good("wrap", f"--header={path}", "-o", PLACE / "latin.c", *options)
            subprocess.run([
                *compiler, *STRICT, *unwarned, *([] if options else HEADERS), "-shared", "-fPIC",
                PLACE / "latin.c", *(LINK if WINDOWS else []), "-o", PLACE / "latin.so"
            ], check=True)
            shown = good("list", PLACE / "latin.so")
            assert "Der gr\u00f6\u00dfte, le d\u00e9but." in shown, shown

    def test_calls(self):
        note = "tvm-ffi: note: {} of 28 functions are left out; --list says why, as for "
        notes = {
            False: note.format(6) + "`by_other`: returns a structure by value\n",
            True: note.format(8) +
                  "`by_value`: this needs the library's headers: leave --lean out\n"
        }
        for compiler, options in each_compiler():
            kernels, library = PLACE / "h.c", PLACE / "h.so"
            is_lean = "--lean" in options  # such files have no functions of the caller's
            code, out, err = read(f"@{PLACE}/t.wrap", "-o", kernels, *options,
                                  *([] if is_lean else ["each(x[n], call)", "turn(inout p)"]))
            assert (code, out, err) == (0, "", notes[is_lean]), err
            subprocess.run([
                *compiler, *STRICT, *([] if options else HEADERS), f"-I{PLACE}", "-shared", "-fPIC",
                kernels, PLACE / "t.c", *(LINK if WINDOWS else []), "-o", library
            ], check=True)
            for call, result in (
                ("dot(3xf32=1 2 3, 3xf32=4 5 6)", "32.0"), ('kind_of(2, true, 7, "a")', "1008"),
                ("norm(3xf64=1 2 3)", "6.0"), ("trace(2x2xf64=1 2 3 4)", "5.0"),
                ("new_names(5, 3)", "2"), ("inline_one(41)", "42"), ("narrow(3)", "1.5"),
                ('next("kLarge", "GREEN", "U")', "-3"), ("many(6)", "6"), ("large(12)", "12")):
                shown = good("run", library, call)
                assert shown == f"result[0]: {result}\n", (call, shown)
            assert good("run", library, "scale(&2xf32=1 2, 3.0)") == "arg[0]: 2xf32=3 6\n"
            assert good("run", library, "pairs(&2x2xf64=1 2 3 4)") == "arg[0]: 2x2xf64=[3 2][7 4]\n"
            assert good("run", library, "halve(5)") == (
                "result[0]: 2.5\nresult[1]: 3xf32=7 7 7\nresult[2]: 1\n")
            raises("TypeError: Mismatched dtype on argument #0", library, "negate(&2x2xf32=1)")
            if not is_lean:
                assert good("run", library, "each(3xf32=1 2 3, fn:echo)") == "result: none\n"
                raises("TypeError: ", library, "each(3xf32=1 2 3, 5)")
                assert good("run", library, 'by_value({"a": 4})') == 'result[0]: {"a": 5}\n'
                shown = good("run", library, 'turn({"x": 1.0, "y": 2.0})')
                assert shown == 'result[0]: {"x": -2, "y": 1}\n', shown
            assert good("run", library, "make()").startswith("result[0]: ")
            raises("ValueError: Mismatched ndim on argument #0", library, "norm(1x3xf64=1 2 3)")
            listed = re.sub(" +", " ", good("list", library))
            for text in ("dot (x: Tensor, y: Tensor) -> float Vectors The dot product of two "
                         "vectors.\n", "new_names (this_: int, new_: int) -> int\n",
                         'Multiplies each element "by" a number.', "Where the numbers are."):
                assert text in listed, listed
            assert "belongs" not in listed and "sum of each" not in listed, listed

    def test_the_time(self):
        """5,000 lines take two seconds at most."""
        path = PLACE / "long.h"
        path.write_text("".join(
            f"/* Number {i}. */\nint f{i}(const float *x, int n,\n  double by,\n  char c);\n"
            for i in range(1250)), encoding="utf-8")
        begin = time.monotonic()
        shown = good("wrap", f"--header={path}", "--list")
        took = time.monotonic() - begin
        assert shown.endswith("\n1250 functions: 0 as they are, 0 with a line, 1250 need a line, "
                              "0 refused\n"), shown[-100:]
        assert took < SLOWER * 2, took

    def test_the_time_of_many(self):
        """40,000 functions take four times as long as 10,000, and a bit: no square of it."""
        took = {}
        for count in (10000, 40000):
            path = PLACE / "many.h"
            path.write_text("".join(f"int f{i}(int n);\n" for i in range(count)), encoding="utf-8")
            before = os.times().children_user
            shown = good("wrap", f"--header={path}", "--list")
            took[count] = os.times().children_user - before
            assert f"\n{count} functions: {count} as they are" in shown
        assert took[40000] < 8 * took[10000] + SLOWER, took


def has_libclang():
    (PLACE / "probe.h").write_text("int f(int x);\n", encoding="utf-8")
    code, _, err = run("wrap", f"--header={PLACE}/probe.h", "--list")
    if code != 0 and "needs libclang" in err:
        return False
    assert code == 0, err
    return True


if not has_libclang():
    skip("libclang is not installed")
run_tests()

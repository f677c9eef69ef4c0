# SPDX-License-Identifier: Apache-2.0
"""Kernels that wrap writes for what plain functions take and return besides tensors: numbers by
address and as results, enumerations, characters, constants, errors, handles, bytes, complex numbers
and those of 16 bits.

test_wrap_values.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import os
import pathlib
import subprocess
import unittest
import zlib

from compilers import (COMPILERS, HEADERS, LIBRARY, LINK, PLACE, STRICT, each_compiler,
                       make_library, raises)
from tool import RUNNER, TOOL, USAGE, WINDOWS, good, run, run_tests

# A library as its header and its source, and a line for each function.
HEADER = """#ifndef VALUES_H
#define VALUES_H
#include <stddef.h>
#include <stdint.h>
typedef uint64_t word;
typedef unsigned short narrow;
enum color { kRed = 1, kBlue, kNone = -5 };
__extension__ enum bits { kLow = 1, kHigh = 0x80000000 };
typedef enum { kFirst, kSecond } place;
word next_word(word x);
size_t all_bits(void);
unsigned long long halves(unsigned long long x, word *low);
narrow next_narrow(narrow x);
int is_blue(enum color c);
enum color other(enum color c);
int number_of(place p);
enum bits both_bits(enum bits b);
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
enum bits both_bits(enum bits b) { return (enum bits)(b | kLow); }
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
const char *check_text(int code, int x) {
  if (x == -9) return "d\\351j\\303\\240 vu \\300 \\342\\202";
  return code == -7 ? "zero" : x < -2 ? NULL : "below";
}
int found(int x) { return x % 2; }
int read_count(int x) {
  if (x >= 0 || x == -7) return x;
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
    "unsigned both_bits(enum bits {kLow = 1, kHigh = 2147483648} b) as enum bits",
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
    'both_bits("kHigh")': "2147483649", "both_bits(4294967294)": "4294967295",
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
    "both_bits(-1)": "Expected 0 to 4294967295 but got -1",
    "check(-9)": "RuntimeError: `check` failed: d?j\u00e0 vu ? ??",
    "read_count(-7)": "RuntimeError: `read_count` failed: it has left no number in errno",
    "negative(-1)": "RuntimeError: `read_count` failed: it returned -1",
    "find(none)": "RuntimeError: `find` failed: it returned NULL",
}
# Handles, each with a count of those that are open, and a program that uses them.
SHELF_HEADER = """#ifndef SHELF_H
#define SHELF_H
#include <stdint.h>
typedef struct shelf shelf;
typedef struct book book;
int shelf_open(int size, shelf **out);
const char *shelf_error(const shelf *s);
int shelf_close(shelf *s);
book *shelf_book(shelf *s, int n);
void book_free(book *b);
int book_end(book *b);
int shelf_join(shelf *a, shelf *b);
void shelf_visit(shelf *s, void (*f)(void *d), void *d);
void shelf_late(void);
void shelf_late_in(void (*f)(void *d), void *d);
const book *shelf_first(const shelf *s);
int book_number(const book *b, const struct shelf *s, const char *title);
int count_open(void);
uint64_t next_word(uint64_t x);
#endif
"""
SHELF_SOURCE = """#include <stdlib.h>
#include <string.h>
#include "shelf.h"
struct book { int number; };
struct shelf { int size; book first; };
static int num_open;
int shelf_open(int size, shelf **out) {
  *out = NULL;
  if (size == -1) return 1;
  *out = calloc(1, sizeof **out);
  (*out)->size = size;
  ++num_open;
  return size < 0 ? 2 : 0;
}
const char *shelf_error(const shelf *s) {
  return s->size < 0 ? "a small shelf" : "a full shelf";
}
int shelf_close(shelf *s) {
  --num_open;
  free(s);
  return 0;
}
book *shelf_book(shelf *s, int n) {
  book *b = n < s->size ? malloc(sizeof *b) : NULL;
  if (b == NULL) return NULL;
  ++num_open;
  b->number = n;
  return b;
}
void book_free(book *b) {
  if (b != NULL) --num_open;
  free(b);
}
int book_end(book *b) {
  const int before = num_open;
  book_free(b);
  return before;
}
int shelf_join(shelf *a, shelf *b) {
  b->size += a->size;
  shelf_close(a);
  return b->size;
}
static void (*late)(void *d);
static void *late_data;
void shelf_visit(shelf *s, void (*f)(void *d), void *d) {
  f(d);
  if (s->size > 0) late = f, late_data = d;
}
void shelf_late(void) { late(late_data); }
void shelf_late_in(void (*f)(void *d), void *d) {
  f(d);
  late(late_data);
}
const book *shelf_first(const shelf *s) { return &s->first; }
int book_number(const book *b, const struct shelf *s, const char *title) {
  return b->number + (s != NULL ? 100 * s->size : 0) + (title != NULL ? (int)strlen(title) : 0);
}
int count_open(void) { return num_open; }
uint64_t next_word(uint64_t x) { return x + 1; }
"""
HANDLE = "a handle is `thing *x`, or `out thing **x` if the function makes it"
SHELF_SPECS = [
    "open = int shelf_open(int size, out shelf **out free=shelf_close) error=nonzero "
    "error_text=shelf_error(out)",
    "pair = int shelf_open(int size, out shelf **out free=shelf_close)",
    "shelf_close = int shelf_close(shelf *s closes) error=nonzero",
    "book = book *shelf_book(shelf *s, int n) error=null error_text=shelf_error(s) "
    "free=book_free of=s",
    "first = const book *shelf_first(const shelf *s) of=s",
    "number = int book_number(const book *b, const struct shelf *s optional, const char *title "
    "optional)",
    "book_free = void book_free(book *b closes optional)",
    "book_end = int book_end(book *b closes)",
    "join = int shelf_join(shelf *a closes, shelf *b)",
    "join_first = int shelf_join(shelf *a closes optional, shelf *b closes)",
    "visit = void shelf_visit(shelf *s, void (*f)(void *d), void *d)",
    "late = void shelf_late(void)",
    "late_in = void shelf_late_in(void (*f)(void *d), void *d)",
    "int count_open(void)",
    "uint64_t next_word(uint64_t x)",
]
SHELF_PROGRAM = r"""#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>
static TVMFFIObjectHandle module;
/* Calls a function, and prints its error. */
static TVMFFIAny call(const char *name, TVMFFIAny a, TVMFFIAny b, TVMFFIAny c, int count) {
  const TVMFFIAny args[3] = {a, b, c};
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIObjectHandle function = NULL;
  char text[512];
  if (tvm_ffi_module_get_function(module, name, &function) != 0 ||
      tvm_ffi_function_call(function, args, count, &result) != 0) {
    tvm_ffi_error_format_raised(text, sizeof text);
    printf("%s\n", text);
  }
  tvm_ffi_object_release(function);
  return result;
}
static const TVMFFIAny none = {0};
#define CALL0(name) call(name, none, none, none, 0)
#define CALL1(name, a) call(name, a, none, none, 1)
#define CALL2(name, a, b) call(name, a, b, none, 2)
#define INT(number) tvm_ffi_any_from_int64(number)
static void count(const char *when) {
  printf("%s: %d open\n", when, (int)CALL0("count_open").v_int64);
}
/* Calls a function with an integer of three words, of which those that its sign tells are left out,
 * and prints the words of the result. */
static void call_with_words(uint64_t low, uint64_t middle, uint64_t high) {
  const uint64_t words[3] = {low, middle, high};
  TVMFFIByteArray bytes = {(const char *)words, sizeof words};
  TVMFFIAny number, next;
  size_t i;
  if (TVMFFIBigIntFromByteArray(&bytes, &number) != 0) return;
  next = CALL1("next_word", number);
  if (!tvm_ffi_any_is_none(&next)) {
    bytes = TVMFFIBigIntGetContentByteArray(&next);
    printf("%s:", tvm_ffi_any_get_type_name(&next));
    for (i = 0; i < bytes.size / sizeof *words; ++i) {
      uint64_t word;
      memcpy(&word, bytes.data + i * sizeof word, sizeof word);
      printf(" %016llx", (unsigned long long)word);
    }
    printf("\n");
  }
  tvm_ffi_any_clear(&number);
  tvm_ffi_any_clear(&next);
}
/* Closes the handle that it has. */
static int close_it(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  *result = none;
  printf("called with %d\n", (int)num_args);
  if (!tvm_ffi_any_is_none(self)) CALL1("shelf_close", *(TVMFFIAny *)self);
  return 0;
}
int main(int argc, char **argv) {
  TVMFFIObjectHandle closer = NULL, caller = NULL;
  TVMFFIAny shelf, book, first, pair, nothing = none;
  if (argc < 2 || tvm_ffi_module_load(argv[1], &module) != 0) return 1;
  if (argc > 2) { /* a handle of one library for another one */
    shelf = CALL1("open", INT(3));
    if (tvm_ffi_module_load(argv[2], &module) != 0) return 1;
    CALL1("shelf_close", shelf);
    tvm_ffi_any_clear(&shelf);
    return 0;
  }
  CALL1("open", INT(-1));
  CALL1("open", INT(-2));
  count("after failures");
  shelf = CALL1("open", INT(3));
  printf("%s\n", tvm_ffi_any_get_type_name(&shelf));
  CALL2("book", shelf, INT(3));
  book = CALL2("book", shelf, INT(2));
  printf("number %d\n", (int)call("number", book, none, none, 3).v_int64);
  printf("number %d\n",
         (int)call("number", book, shelf, tvm_ffi_any_view_string("abcd"), 3).v_int64);
  call("number", shelf, none, none, 3);
  call("number", none, none, none, 3);
  CALL1("shelf_close", shelf);
  count("with both");
  CALL1("book_free", book);
  call("number", book, none, none, 3);
  CALL1("book_free", book);
  CALL1("book_free", none);
  tvm_ffi_any_clear(&book);
  count("without the book");
  CALL1("shelf_close", shelf);
  CALL1("shelf_close", shelf);
  CALL2("book", shelf, INT(1));
  tvm_ffi_any_clear(&shelf);
  count("closed");
  shelf = CALL1("open", INT(3));
  book = CALL2("book", shelf, INT(1));
  first = CALL1("first", shelf);
  tvm_ffi_any_clear(&shelf);
  count("kept by the book");
  tvm_ffi_any_clear(&book);
  count("kept by what it has");
  printf("number %d\n", (int)call("number", first, none, none, 3).v_int64);
  tvm_ffi_any_clear(&first);
  count("let go");
  pair = CALL1("pair", INT(-2));
  printf("%d items\n", (int)tvm_ffi_array_get_size(pair.v_obj));
  count("in an array");
  tvm_ffi_any_clear(&pair);
  count("at the end");
  shelf = CALL1("open", INT(3));
  book = CALL2("book", shelf, INT(1));
  tvm_ffi_any_clear(&shelf);
  printf("ended with %d open\n", (int)CALL1("book_end", book).v_int64);
  count("after the book");
  tvm_ffi_any_clear(&book);
  shelf = CALL1("open", INT(3));
  CALL2("join", shelf, shelf);
  CALL2("join_first", shelf, shelf);
  count("not ended");
  pair = CALL1("open", INT(4));
  printf("together %d\n", (int)CALL2("join", shelf, pair).v_int64);
  tvm_ffi_any_clear(&pair);
  tvm_ffi_any_clear(&shelf);
  count("joined");
  shelf = CALL1("open", INT(3));
  if (TVMFFIFunctionCreate(&shelf, close_it, NULL, &closer) != 0 ||
      TVMFFIFunctionCreate(&nothing, close_it, NULL, &caller) != 0) {
    return 1;
  }
  CALL2("visit", shelf, tvm_ffi_any_view_object(closer));
  CALL0("late");
  CALL1("late_in", tvm_ffi_any_view_object(caller));
  CALL1("shelf_close", shelf);
  tvm_ffi_any_clear(&shelf);
  tvm_ffi_object_release(closer);
  tvm_ffi_object_release(caller);
  count("called");
  call_with_words(INT64_MAX, 0, 0);
  call_with_words(UINT64_C(1) << 63, 0, 0);
  call_with_words(UINT64_MAX, 0, 0);
  call_with_words(0, 1, 0);
  call_with_words(5, UINT64_C(1) << 63, 1);
  call_with_words(INT64_MAX, UINT64_MAX, UINT64_MAX);
  tvm_ffi_object_release(module);
  return 0;
}
"""
SHELF_PRINTED = """RuntimeError: `shelf_open` failed: it has no text for the error
RuntimeError: `shelf_open` failed: a small shelf
after failures: 0 open
c.shelf
RuntimeError: `shelf_book` failed: a full shelf
number 2
number 306
TypeError: Mismatched type on argument #0 when calling: `number(0: const book *b, 1: const struct \
shelf *s optional, 2: const char *title optional) -> int`. Expected `c.book` but got `c.shelf`
TypeError: Mismatched type on argument #0 when calling: `number(0: const book *b, 1: const struct \
shelf *s optional, 2: const char *title optional) -> int`. Expected `c.book` but got `None`
ValueError: Argument #0 of `shelf_close(0: shelf *s) -> void` must have no open handle or \
call that needs it, but has 1
with both: 2 open
ValueError: Argument #0 of `number(0: const book *b, 1: const struct shelf *s optional, 2: const \
char *title optional) -> int` must be open, but is closed
ValueError: Argument #0 of `book_free(0: book *b optional) -> void` must be open, but is closed
without the book: 1 open
ValueError: Argument #0 of `shelf_close(0: shelf *s) -> void` must be open, but is closed
ValueError: Argument #0 of `book(0: shelf *s, 1: int n) -> book *` must be open, but is closed
closed: 0 open
kept by the book: 2 open
kept by what it has: 1 open
number 0
let go: 0 open
2 items
in an array: 1 open
at the end: 0 open
ended with 2 open
after the book: 0 open
ValueError: Argument #0 of `join(0: shelf *a, 1: shelf *b) -> int` must be another handle than \
argument #1: the call ends it
ValueError: Argument #0 of `join_first(0: shelf *a optional, 1: shelf *b) -> int` must be another \
handle than argument #1: the call ends it
not ended: 1 open
together 7
joined: 0 open
called with 0
ValueError: Argument #0 of `shelf_close(0: shelf *s) -> void` must have no open handle or call \
that needs it, but has 1
called with 0
RuntimeError: The library has called a function that it was given with other data, or after the \
call that gave it
called: 0 open
ffi.BigInt: 8000000000000000 0000000000000000
ffi.BigInt: 8000000000000001 0000000000000000
int: 0000000000000000
ValueError: Argument #0 of `next_word(0: uint64_t x) -> uint64_t` must be from 0 to \\
18446744073709551615, but is larger
ValueError: Argument #0 of `next_word(0: uint64_t x) -> uint64_t` must be from 0 to \\
18446744073709551615, but is larger
ValueError: Argument #0 of `next_word(0: uint64_t x) -> uint64_t` must be from 0 to \\
18446744073709551615, but is smaller
"""
# Handles that the library takes, and what else handles keep alive: tensors, several handles.
POT_HEADER = """#ifndef POT_H
#define POT_H
typedef struct pot pot;
typedef struct lid lid;
pot *pot_new(int room);
void pot_free(pot *p);
lid *lid_new(int number);
void lid_free(lid *l);
int pot_put(pot *p, lid *l);
void pot_give(pot *p, const lid *l);
int pot_both(lid *l, pot *p, void (*f)(void *d), void *d);
int pot_count(const pot *p);
int lid_number(const lid *l);
lid *lid_over(const double *x, int n);
lid *lid_next(lid *l);
lid *pot_lid(pot *p, int i);
void lid_set(lid *l, const double *x, int n);
void lid_change(lid *l);
double pot_lids(const pot *p);
pot *pot_over(const double *x, const double *y, int n);
int pot_fill(pot *p, const double *x, int n);
double pot_sum(const pot *p);
pot *pot_beside(const pot *a, const pot *b);
void pot_join(pot *p, const pot *other);
lid *lid_in(pot *p, const double *x, int n);
int lid_hold(lid *l);
int count_open(void);
#endif
"""
POT_SOURCE = """#include <stdlib.h>
#include "pot.h"
struct lid { int number; const double *x; };
struct pot { int room, num_lids, n; lid *lids[9]; const double *x, *y; };
static int num_open;
pot *pot_new(int room) {
  pot *p = calloc(1, sizeof *p);
  p->room = room;
  ++num_open;
  return p;
}
void pot_free(pot *p) {
  for (int i = 0; i < p->num_lids; ++i) lid_free(p->lids[i]);
  --num_open;
  free(p);
}
lid *lid_new(int number) {
  lid *l = calloc(1, sizeof *l);
  l->number = number;
  ++num_open;
  return l;
}
void lid_free(lid *l) {
  --num_open;
  free(l);
}
int pot_put(pot *p, lid *l) {
  if (p->num_lids == p->room || l == NULL) return 0;
  p->lids[p->num_lids++] = l;
  return 1;
}
void pot_give(pot *p, const lid *l) { pot_put(p, (lid *)l); }
int pot_both(lid *l, pot *p, void (*f)(void *d), void *d) {
  f(d);
  return pot_put(p, l);
}
int pot_count(const pot *p) { return p->num_lids; }
int lid_number(const lid *l) { return l->number; }
lid *lid_over(const double *x, int n) {
  lid *l = lid_new(n);
  l->x = x;
  return l;
}
lid *lid_next(lid *l) { return lid_new(l->number + 1); }
lid *pot_lid(pot *p, int i) { return p->lids[i]; }
void lid_set(lid *l, const double *x, int n) {
  l->x = x;
  l->number = n;
}
void lid_change(lid *l) { ++l->number; }
double pot_lids(const pot *p) {
  double sum = 0;
  for (int i = 0; i < p->num_lids; ++i) sum += p->lids[i]->x != NULL ? p->lids[i]->x[0] : 0;
  return sum;
}
pot *pot_over(const double *x, const double *y, int n) {
  pot *p = n == 3 ? NULL : pot_new(0);
  if (p != NULL) p->x = x, p->y = y, p->n = n;
  return p;
}
int pot_fill(pot *p, const double *x, int n) {
  if (n == 3) return -1;
  p->x = x;
  p->y = NULL;
  p->n = n;
  return 0;
}
double pot_sum(const pot *p) {
  double sum = 0;
  for (int i = 0; i < p->n; ++i) sum += p->x[i] + (p->y != NULL ? p->y[i] : 0);
  return sum;
}
pot *pot_beside(const pot *a, const pot *b) { return pot_new(a->room + b->room); }
void pot_join(pot *p, const pot *other) { p->room += other->room; }
lid *lid_in(pot *p, const double *x, int n) { return p != NULL ? lid_over(x, n) : NULL; }
static lid *held;
int lid_hold(lid *l) {
  held = l;
  return 1;
}
int count_open(void) { return num_open; }
"""
POT_SPECS = [
    "pot = pot *pot_new(int room) free=pot_free",
    "lid = lid *lid_new(int number) free=lid_free",
    "pot_free = void pot_free(pot *p closes)",
    "lid_free = void lid_free(lid *l closes)",
    "put = int pot_put(pot *p, lid *l takes) error=zero",
    "give = void pot_give(pot *p, const lid *l takes optional)",
    "both = int pot_both(lid *l takes, pot *p, void (*f)(void *d), void *d) error=zero",
    "int pot_count(const pot *p)",
    "int lid_number(const lid *l)",
    "lid_over = lid *lid_over(const double x[n], int n) free=lid_free of=x error=null",
    "lid_next = lid *lid_next(lid *l) free=lid_free of=l",
    "part = lid *pot_lid(pot *p, int i) of=p",
    "lid_set = void lid_set(lid *l of=x, const double x[n], int n)",
    "lid_change = void lid_change(lid *l alone)",
    "double pot_lids(const pot *p)",
    "over = pot *pot_over(const double x[n], const double y[n], int n) free=pot_free of=x of=y "
    "error=null",
    "fill = int pot_fill(pot *p of=x, const double x[n], int n) error=nonzero",
    "fill_none = int pot_fill(pot *p optional of=x, const double x[n] , int n) error=nonzero",
    "double pot_sum(const pot *p)",
    "beside = pot *pot_beside(const pot *a, const pot *b) free=pot_free of=a of=b",
    "join = void pot_join(pot *p of=other, const pot *other)",
    "lid_in = lid *lid_in(pot *p, const double x[n], int n) free=lid_free of=p of=x",
    "hold = int lid_hold(lid *l takes) error=zero",
    "int count_open(void)",
]
POT_PROGRAM = r"""#include <stdio.h>
#include <tvm/ffi/c.h>
static TVMFFIObjectHandle module;
static TVMFFIAny call(const char *name, int count, TVMFFIAny a, TVMFFIAny b) {
  const TVMFFIAny args[2] = {a, b};
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIObjectHandle function = NULL;
  char text[512];
  if (tvm_ffi_module_get_function(module, name, &function) != 0 ||
      tvm_ffi_function_call(function, args, count, &result) != 0) {
    tvm_ffi_error_format_raised(text, sizeof text);
    printf("%s\n", text);
  }
  tvm_ffi_object_release(function);
  return result;
}
static const TVMFFIAny none = {0};
#define CALL1(name, a) call(name, 1, a, none)
#define CALL2(name, a, b) call(name, 2, a, b)
#define INT(number) tvm_ffi_any_from_int64(number)
static void count(const char *when) {
  printf("%s: %d open\n", when, (int)call("count_open", 0, none, none).v_int64);
}
static double memory[2][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}};
static void release(void *context, DLTensor *tensor) {
  double *const data = tensor->data;
  data[0] = -1; /* as if other data were there */
  printf("%s is released\n", (const char *)context);
}
static DLTensor describe(int k, int64_t *n) {
  DLTensor tensor = {0};
  tensor.data = memory[k];
  tensor.device = tvm_ffi_device_make(kDLCPU, 0);
  tensor.dtype = TVM_FFI_C_FLOAT64;
  tensor.ndim = 1;
  tensor.shape = n;
  return tensor;
}
static TVMFFIAny make(const char *name, int k, int64_t n) {
  DLTensor tensor = describe(k, &n);
  TVMFFIObjectHandle made = NULL;
  if (tvm_ffi_tensor_create_around(&tensor, release, (void *)(uintptr_t)name, &made) != 0) {
    return none;
  }
  return tvm_ffi_any_take_object(made);
}
static void sum(TVMFFIAny pot) {
  printf("sum %g\n", CALL1("pot_sum", pot).v_float64);
}
/* A function that fails. */
static int fail(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args;
  *result = none;
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "no lid");
}
int main(int argc, char **argv) {
  TVMFFIAny pot, other, lid, x, y, third;
  TVMFFIObjectHandle failing = NULL;
  DLTensor plain;
  int64_t n = 2;
  int i;
  if (argc < 2 || tvm_ffi_module_load(argv[1], &module) != 0 ||
      TVMFFIFunctionCreate(NULL, fail, NULL, &failing) != 0) {
    return 1;
  }
  pot = CALL1("pot", INT(1));
  lid = CALL1("lid", INT(7));
  printf("put %d\n", (int)CALL2("put", pot, lid).v_int64);
  CALL1("lid_number", lid);
  CALL2("put", pot, lid);
  tvm_ffi_any_clear(&lid);
  count("put");
  lid = CALL1("lid", INT(8));
  CALL2("put", pot, lid);
  printf("number %d\n", (int)CALL1("lid_number", lid).v_int64);
  tvm_ffi_any_clear(&lid);
  count("without room");
  CALL2("give", pot, none);
  CALL1("pot_free", pot);
  tvm_ffi_any_clear(&pot);
  count("at the end");
  pot = CALL1("pot", INT(2));
  lid = CALL1("lid", INT(9));
  {
    const TVMFFIAny args[3] = {lid, pot, tvm_ffi_any_view_object(failing)};
    TVMFFIAny result = none;
    TVMFFIObjectHandle both = NULL;
    char text[128];
    if (tvm_ffi_module_get_function(module, "both", &both) == 0 &&
        tvm_ffi_function_call(both, args, 3, &result) != 0) {
      tvm_ffi_error_format_raised(text, sizeof text);
      printf("%s\n", text);
    }
    tvm_ffi_object_release(both);
  }
  printf("has %d\n", (int)CALL1("pot_count", pot).v_int64);
  tvm_ffi_any_clear(&lid);
  tvm_ffi_any_clear(&pot);
  count("taken by a call with an error");
  x = make("x", 0, 2);
  y = make("y", 1, 2);
  pot = CALL2("over", x, y);
  tvm_ffi_any_clear(&x);
  tvm_ffi_any_clear(&y);
  sum(pot);
  x = make("z", 0, 3);
  memory[0][0] = 1;
  CALL2("over", x, x);
  tvm_ffi_any_clear(&x);
  tvm_ffi_any_clear(&pot);
  count("without tensors");
  memory[0][0] = 1, memory[1][0] = 10;
  pot = CALL1("pot", INT(2));
  x = make("x", 0, 2);
  CALL2("fill", pot, x);
  CALL2("fill", pot, x);
  tvm_ffi_any_clear(&x);
  sum(pot);
  y = make("y", 1, 2);
  CALL2("fill_none", pot, y);
  tvm_ffi_any_clear(&y);
  sum(pot);
  plain = describe(0, &n);
  CALL2("fill", pot, tvm_ffi_any_view_tensor(&plain));
  CALL1("pot_free", pot);
  count("filled");
  tvm_ffi_any_clear(&pot);
  pot = CALL1("pot", INT(2));
  other = CALL1("pot", INT(3));
  third = CALL2("beside", pot, other);
  CALL1("pot_free", pot);
  CALL1("pot_free", other);
  CALL2("join", third, third);
  for (i = 0; i < 3; ++i) CALL2("join", third, pot);
  CALL1("pot_free", third);
  CALL1("pot_free", pot);
  CALL1("pot_free", other);
  count("beside");
  tvm_ffi_any_clear(&third);
  tvm_ffi_any_clear(&pot);
  tvm_ffi_any_clear(&other);
  pot = CALL1("pot", INT(2));
  other = CALL1("pot", INT(3));
  CALL2("join", pot, other);
  tvm_ffi_any_clear(&other);
  count("joined");
  tvm_ffi_any_clear(&pot);
  count("ended");
  pot = CALL1("pot", INT(2));
  memory[0][0] = 1;
  x = make("x", 0, 2);
  lid = CALL1("lid_over", x);
  tvm_ffi_any_clear(&x);
  CALL2("put", pot, lid);
  tvm_ffi_any_clear(&lid);
  printf("lids %g\n", CALL1("pot_lids", pot).v_float64);
  lid = CALL2("part", pot, INT(0));
  CALL1("lid_free", lid);
  CALL2("put", pot, lid);
  y = make("y", 1, 2);
  memory[1][0] = 10;
  CALL2("lid_set", lid, y);
  tvm_ffi_any_clear(&y);
  other = CALL2("part", pot, INT(0));
  CALL1("lid_change", lid);
  tvm_ffi_any_clear(&other);
  CALL1("lid_change", lid);
  tvm_ffi_any_clear(&lid);
  printf("lids %g\n", CALL1("pot_lids", pot).v_float64);
  tvm_ffi_any_clear(&pot);
  count("with parts");
  lid = CALL1("lid", INT(0));
  for (i = 0; i < 300000; ++i) {
    other = CALL1("lid_next", lid);
    tvm_ffi_any_clear(&lid);
    lid = other;
  }
  count("in a chain");
  tvm_ffi_any_clear(&lid);
  count("without the chain");
  pot = CALL1("pot", INT(2));
  other = CALL1("pot", INT(3));
  CALL2("join", pot, other);
  CALL2("join", other, pot);
  tvm_ffi_any_clear(&pot);
  tvm_ffi_any_clear(&other);
  count("not in a circle");
  pot = CALL1("pot", INT(3));
  memory[0][0] = 1;
  x = make("x", 0, 2);
  lid = CALL2("lid_in", pot, x);
  tvm_ffi_any_clear(&x);
  CALL2("put", pot, lid);
  tvm_ffi_any_clear(&lid);
  printf("lids %g\n", CALL1("pot_lids", pot).v_float64);
  tvm_ffi_any_clear(&pot);
  count("with two needs");
  x = make("for good", 0, 2);
  memory[0][0] = 1;
  lid = CALL1("lid_over", x);
  tvm_ffi_any_clear(&x);
  CALL1("hold", lid);
  tvm_ffi_any_clear(&lid);
  printf("held %g\n", memory[0][0]);
  tvm_ffi_object_release(failing);
  tvm_ffi_object_release(module);
  return 0;
}
"""
POT_PRINTED = """put 1
ValueError: Argument #0 of `lid_number(0: const lid *l) -> int` must be open, but is closed
ValueError: Argument #1 of `put(0: pot *p, 1: lid *l) -> int` must be open, but is closed
put: 2 open
RuntimeError: `pot_put` failed: it returned 0
number 8
without room: 2 open
at the end: 0 open
ValueError: no lid
has 1
taken by a call with an error: 0 open
sum 33
RuntimeError: `pot_over` failed: it returned NULL
z is released
y is released
x is released
without tensors: 0 open
sum 3
sum 30
TypeError: Argument #1 of `fill(0: pot *p, 1: const double x[n]) -> void` must be a Tensor, which \
can be kept alive, but is memory of the caller's for one call (in Python, tvm_ffi.from_dlpack \
makes a Tensor)
y is released
x is released
filled: 0 open
ValueError: Argument #0 of `pot_free(0: pot *p) -> void` must have no open handle or call that \
needs it, but has 1
ValueError: Argument #0 of `pot_free(0: pot *p) -> void` must have no open handle or call that \
needs it, but has 1
beside: 0 open
joined: 2 open
ended: 0 open
lids 1
ValueError: Argument #0 of `lid_free(0: lid *l) -> void` must own what it has, but is a part of \
another handle
ValueError: Argument #1 of `put(0: pot *p, 1: lid *l) -> int` must own what it has, but is a part \
of another handle
ValueError: Argument #0 of `lid_change(0: lid *l) -> void` must be the only open handle of what it \
is a part of
lids 10
y is released
x is released
with parts: 0 open
in a chain: 300001 open
without the chain: 0 open
ValueError: Argument #1 of `join(0: pot *p, 1: const pot *other) -> void` must not need the handle \
that is to need it
not in a circle: 0 open
lids 1
x is released
with two needs: 0 open
held 1
"""
# Threads that use a kernel for the first time together, each with handles of its own, and end one
# handle together.
RACE_SOURCE = """#include <stdlib.h>
typedef struct ob { int number; } ob;
static ob *ob_new(int number) {
  ob *o = malloc(sizeof *o);
  if (o != NULL) o->number = number;
  return o;
}
static int ob_number(const ob *o) { return o->number; }
static int ob_end(ob *o) {
  const int number = o->number;
  free(o);
  return number;
}
static void ob_set(ob *o, const double *x, int n) {
  (void)o, (void)x, (void)n;
}
"""
RACE_SPECS = ["ob *ob_new(int number)", "int ob_number(const ob *o)", "int ob_end(ob *o closes)",
              "set = void ob_set(ob *o of=x, const double x[n], int n)"]
RACE_OTHERS = ["set_again = void ob_set(ob *o of=x, const double x[n], int n)"]
RACE_PROGRAM = r"""#include <pthread.h>
#include <stdio.h>
#include <tvm/ffi/c.h>
enum { kNumThreads = 4, kNumTensors = 500 };
static TVMFFIObjectHandle create, get, end, set[2];
static TVMFFIAny together;
static int num_released;
static void release(void *context, DLTensor *tensor) {
  (void)context, (void)tensor;
  (void)__atomic_add_fetch(&num_released, 1, __ATOMIC_ACQ_REL);
}
/* Lets the handle of all threads keep a new tensor, by a kernel of one of two files. */
static int keep(double *data, int file) {
  int64_t n = 1;
  DLTensor tensor = {0};
  TVMFFIObjectHandle made = NULL;
  TVMFFIAny args[2], result = tvm_ffi_any_none();
  int code;
  tensor.data = data;
  tensor.device = tvm_ffi_device_make(kDLCPU, 0);
  tensor.dtype = TVM_FFI_C_FLOAT64;
  tensor.ndim = 1;
  tensor.shape = &n;
  if (tvm_ffi_tensor_create_around(&tensor, release, NULL, &made) != 0) return -1;
  args[0] = together;
  args[1] = tvm_ffi_any_view_object(made);
  code = tvm_ffi_function_call(set[file], args, 2, &result);
  tvm_ffi_object_release(made);
  return code;
}
static pthread_barrier_t ready;
static void *use(void *place) {
  double data[kNumTensors];
  int *num_ended = place, k;
  const TVMFFIAny number = tvm_ffi_any_from_int64(7);
  TVMFFIAny made = tvm_ffi_any_none(), found = tvm_ffi_any_none();
  pthread_barrier_wait(&ready);
  if (tvm_ffi_function_call(create, &number, 1, &made) != 0 ||
      tvm_ffi_function_call(get, &made, 1, &found) != 0 || found.v_int64 != 7 ||
      tvm_ffi_function_call(end, &made, 1, &found) != 0) {
    return NULL;
  }
  tvm_ffi_any_clear(&made);
  pthread_barrier_wait(&ready);
  for (k = 0; k < kNumTensors; ++k) {
    if (keep(&data[k], k % 2) != 0) return NULL;
  }
  pthread_barrier_wait(&ready);
  *num_ended = 1 + (tvm_ffi_function_call(end, &together, 1, &found) == 0);
  return NULL;
}
int main(int argc, char **argv) {
  TVMFFIObjectHandle module = NULL;
  const TVMFFIAny number = tvm_ffi_any_from_int64(3);
  pthread_t threads[kNumThreads];
  int results[kNumThreads] = {0}, k, sum = 0;
  if (argc < 2 || tvm_ffi_module_load(argv[1], &module) != 0 ||
      tvm_ffi_module_get_function(module, "ob_new", &create) != 0 ||
      tvm_ffi_module_get_function(module, "ob_number", &get) != 0 ||
      tvm_ffi_module_get_function(module, "ob_end", &end) != 0 ||
      tvm_ffi_module_get_function(module, "set", &set[0]) != 0 ||
      tvm_ffi_module_get_function(module, "set_again", &set[1]) != 0 ||
      pthread_barrier_init(&ready, NULL, kNumThreads + 1) != 0) {
    return 1;
  }
  for (k = 0; k < kNumThreads; ++k) {
    if (pthread_create(&threads[k], NULL, use, &results[k]) != 0) return 1;
  }
  pthread_barrier_wait(&ready);
  if (tvm_ffi_function_call(create, &number, 1, &together) != 0) return 1;
  pthread_barrier_wait(&ready);
  pthread_barrier_wait(&ready);
  for (k = 0; k < kNumThreads; ++k) {
    pthread_join(threads[k], NULL);
    sum += results[k];
  }
  printf("%d\n", sum - kNumThreads); /* how many have ended it */
  printf("%d of %d\n", num_released, kNumThreads * kNumTensors);
  return 0;
}
"""
SHELF_OTHER = """TypeError: Mismatched type on argument #0 when calling: `shelf_close(0: shelf *s) \
-> void`. Expected `other.shelf` but got `c.shelf`
"""
# Bytes, complex numbers, numbers of 16 bits: a library as before, and calls of each kernel.
BYTES_HEADER = """#ifndef BYTES_H
#define BYTES_H
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
typedef unsigned char octet;
struct why { int number; };
int count_zeros(const char *s, size_t n);
unsigned sum_octets(const octet *p, int n);
int first_two(const void *p);
int join(char *out, int capacity, const char *a, const char *b);
void spell(char *out, size_t n, int letters);
int pack(octet *out, unsigned long *size, const void *in, size_t n);
void count_up(void *out, int n, int *written);
void leave(void *out, int n);
void leave_tensor(double *out, int n);
int tell(char *why);
int tell_ends(const void *in, size_t n);
int tell_work(double *work, int n);
int tell_made(unsigned char *made, int n);
const char *text_at(const void *p);
const char *text_in(struct why why);
int tell_struct(struct why *why);
char *make_text(int n);
void free_text(char *text);
int count_texts(void);
double _Complex conjugate(double _Complex z);
float _Complex twice(float _Complex z);
void sum(int n, const void *x, const void *factor, void *out);
float first_bf16(const uint16_t *x, int n);
void add_complex(float _Complex *y, const float _Complex *x, int n);
#endif
"""
BYTES_SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"
int count_zeros(const char *s, size_t n) {
  int count = 0;
  for (size_t i = 0; i < n; ++i) count += s[i] == 0;
  return count;
}
unsigned sum_octets(const octet *p, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}
int first_two(const void *p) { return ((const octet *)p)[0] * 256 + ((const octet *)p)[1]; }
int join(char *out, int capacity, const char *a, const char *b) {
  return snprintf(out, (size_t)capacity, "%s-%s", a, b);
}
void spell(char *out, size_t n, int letters) {
  for (size_t i = 0; i < n; ++i) out[i] = (int)i < letters ? 'z' : 0;
}
int pack(octet *out, unsigned long *size, const void *in, size_t n) {
  if (*size < n) return 7;
  memcpy(out, in, n);
  *size = n;
  return 0;
}
void count_up(void *out, int n, int *written) {
  for (int i = 0; i < n; ++i) ((octet *)out)[i] = (octet)i;
  *written = n > 3 ? n - 1 : n + 1;
}
void leave(void *out, int n) {
  if (out == NULL) abort();
  (void)n;
}
void leave_tensor(double *out, int n) { leave(out, n); }
int tell(char *why) {
  strcpy(why, "no such device");
  return -1;
}
int tell_ends(const void *in, size_t n) { return in != NULL && n > 0 ? -2 : 0; }
int tell_work(double *work, int n) {
  memset(work, 0, (size_t)n * sizeof *work);
  memcpy(work, "at work", 8);
  return -1;
}
int tell_made(unsigned char *made, int n) {
  memset(made, 'm', (size_t)n);
  made[n - 1] = 0;
  return -1;
}
const char *text_at(const void *p) { return p; }
const char *text_in(struct why why) { return why.number == 7 ? "seven" : "another"; }
int tell_struct(struct why *why) {
  why->number = 7;
  return -1;
}
static int num_texts;
char *make_text(int n) {
  char *text = n < 0 ? NULL : calloc((size_t)n + 1, 1);
  if (text == NULL) return NULL;
  ++num_texts;
  return memset(text, 'x', (size_t)n);
}
void free_text(char *text) {
  --num_texts;
  free(text);
}
int count_texts(void) { return num_texts; }
double _Complex conjugate(double _Complex z) { return conj(z); }
float _Complex twice(float _Complex z) { return z + z; }
void sum(int n, const void *x, const void *factor, void *out) {
  const double _Complex *from = x;
  double _Complex *to = out;
  *to = 0;
  for (int i = 0; i < n; ++i) *to += from[i];
  *to *= *(const double _Complex *)factor;
}
float first_bf16(const uint16_t *x, int n) {
  const uint32_t bits = n > 0 ? (uint32_t)x[0] << 16 : 0;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
void add_complex(float _Complex *y, const float _Complex *x, int n) {
  for (int i = 0; i < n; ++i) y[i] += x[i];
}
"""
BYTES_SPECS = [
    "int count_zeros(const char s[n], size_t n)",
    "unsigned sum_octets(const unsigned char p[n] bytes, int n)",
    "int first_two(const void *p[2])",
    "int join(out char *joined[capacity] size=return, int capacity, const char *a, const char *b)",
    "void spell(out char letters[n] size=text, size_t n, int letters_)",
    "int pack(out unsigned char packed[size] bytes, inout unsigned long *size, const void in[n], "
    "size_t n) error=nonzero",
    "into = int pack(unsigned char packed[size], inout unsigned long *size, const void in[n], "
    "size_t n) error=nonzero",
    "void count_up(out void *up[n] size=written, int n, out int *written)",
    "whole = void count_up(out void up[n], int n, out int *written)",
    "void leave(out void left[n], int n)",
    "void leave_tensor(out double left[n], int n)",
    "int tell(out char why[256] size=text) error=nonzero error_text=text_at(why)",
    "ends = int tell_ends(const void in[n], size_t n) error=negative error_text=text_at(in)",
    "work = int tell_work(double *w[n], int n) error=nonzero error_text=text_at(w)",
    "made = int tell_made(out uint8_t m[n], int n) error=nonzero error_text=text_at(m)",
    "why = int tell_struct(out struct why {int number;} *w) error=nonzero error_text=text_in(w)",
    "char *make_text(int n) free=free_text",
    "int count_texts(void)",
    "double _Complex conjugate(double _Complex z)",
    "float _Complex twice(_Complex float z)",
    "void sum(int n, const void x[n] dtype=complex128, in const void *factor dtype=complex128, out "
    "void *total dtype=complex128)",
    "float first_bf16(const uint16_t x[n] dtype=bfloat16, int n)",
    "void add_complex(float _Complex y[n], const float _Complex x[n], int n)",
]
BYTES_CALLS = {
    "leave_tensor(9)": "9xf64=0 0 0 0 0 0 0 0 0",
    "leave(20)": 'b"' + 20 * r"\x00" + '"',
    r'count_zeros(s:"a\0b\0")': "2", "count_zeros(x:@BYTES)": "1", 'count_zeros("")': "0",
    "sum_octets(x:@BYTES)": "512", 'first_two("AB")': "16706",
    'join(8, "ab", "cd")': 'b"ab-cd"',
    "spell(5, 3)": '"zzz"', "pack(300, x:@BYTES)": r'b"\x00\xff\x01\xff\x01"',
    'pack(0, "")': 'b""', "count_up(4)": r'b"\x00\x01\x02"',
    "whole(4)": r'[b"\x00\x01\x02\x03", 3]',
    "make_text(5)": '"xxxxx"', "make_text(-1)": "none", "count_texts()": "0",
    "conjugate([1, 2.5])": "[1.0, -2.5]", "conjugate(7)": "[7.0, -0.0]",
    "twice([1, -2])": "[2.0, -4.0]",
    "sum(2xc128=3, [0, 1])": "[-6.0, 6.0]",
    "first_bf16(2xbf16=1.5)": "1.5",
}
BYTES_REFUSED = {
    'first_two("ABC")': "ValueError: Argument #0 of `first_two(0: const void p[2]) -> int` must "
                        "have 2 bytes, but has 3",
    "count_zeros(i:3)": "Expected `bytes` but got `int`",
    "count_zeros(4xu8)": "Expected `bytes` but got `ffi.Tensor`",
    'join(4, "ab", "cd")': "ValueError: `joined` has room for 4 bytes, but the function tells a "
                           "size of 5",
    "join(-1, s:a, s:b)": "ValueError: `joined` must have room for 0 bytes or more, but has an "
                          "extent of -1",
    "work(-1)": "ValueError: `w`, a work array of shape [-1], has a negative extent or too many "
                "elements",
    "count_up(2)": "`up` has room for 2 bytes, but the function tells a size of 3",
    "spell(3, 3)": "`letters` has room for 3 bytes, but the text has no end there",
    'pack(2, "abc")': "RuntimeError: `pack` failed: expected it to return 0 but got 7",
    "tell()": "RuntimeError: `tell` failed: no such device",
    'ends("the end")': "RuntimeError: `tell_ends` failed: the end",
    "work(4)": "RuntimeError: `tell_work` failed: at work",
    "made(4)": "RuntimeError: `tell_made` failed: mmm",
    "why()": "RuntimeError: `tell_struct` failed: seven",
    "conjugate([1, 2, 3])": "must be a complex number, which is an array of two numbers",
    'conjugate([1, "2"])': "must be a complex number, which is an array of two numbers",
    'conjugate("1")': "Expected `Array<Any>` but got `ffi.SmallStr`",
    "twice([1e39, 0])": "must have numbers that fit float, at most 3.4028235e+38",
    "twice([0, -1e39])": "must have numbers that fit float, at most 3.4028235e+38",
    "first_bf16(2xu16)": "Expected `bfloat16` but got `uint16`",
    "sum(2xf64, 1)": "Expected `complex128` but got `float64`",
}
# Functions that the caller passes: those that the tool has.
CALLBACK_HEADER = """#include <stddef.h>
#include <stdint.h>
double integrate(double (*f)(double x, void *data), double a, double b, int n, void *data);
int walk(int n, signed char (*f)(void *, signed char), void *data);
size_t meet(void (*f)(void *, size_t, const char *, _Bool, char, const void *), size_t x,
            void *data);
float both(float (*f)(float, void *), _Bool (*g)(void *, _Bool), float x, void *of_f, void *of_g);
int call_null(int (*f)(int, void *), void *data);
uint64_t large(uint64_t (*f)(uint64_t, void *), uint64_t x, void *data);
int elsewhere(int (*f)(int, void *), void *data);
"""
CALLBACK_SOURCE = """#include "callback.h"
#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#endif
uint64_t large(uint64_t (*f)(uint64_t, void *), uint64_t x, void *data) { return f(x + 1, data); }
struct call { int (*f)(int, void *); void *data; int result; };
int call_null(int (*f)(int, void *), void *data) { return data != NULL ? f(1, NULL) : 0; }
#ifdef _WIN32
static DWORD WINAPI start(void *data) {
#else
static void *start(void *data) {
#endif
  struct call *call = data;
  call->result = call->f(1, call->data);
  return 0;
}
int elsewhere(int (*f)(int, void *), void *data) {
  struct call call = {f, data, 0};
#ifdef _WIN32
  HANDLE thread = CreateThread(NULL, 0, start, &call, 0, NULL);
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
#else
  pthread_t thread;
  if (pthread_create(&thread, NULL, start, &call) == 0) pthread_join(thread, NULL);
#endif
  return call.result;
}
double integrate(double (*f)(double x, void *data), double a, double b, int n, void *data) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += f(a + (b - a) * (i + 0.5) / n, data);
  return sum * (b - a) / n;
}
int walk(int n, signed char (*f)(void *, signed char), void *data) {
  int i = 0;
  while (i < n && f(data, (signed char)i) != 3) ++i;
  return i;
}
size_t meet(void (*f)(void *, size_t, const char *, _Bool, char, const void *), size_t x,
            void *data) {
  f(data, x, "text", 1, 'c', NULL);
  return x;
}
float both(float (*f)(float, void *), _Bool (*g)(void *, _Bool), float x, void *of_f, void *of_g) {
  return f(x, of_f) + (float)g(of_g, 1);
}
"""
CALLBACK_SPECS = [
    "double integrate(double (*f)(double x, void *data), double a, double b, int n, void *data)",
    "int walk(int n, signed char (*f)(void *data, signed char i) fail=3, void *data)",
    "size_t meet(void (*f)(void *d, size_t, const char *, bool, char, const void *), size_t x, "
    "void *d)",
    "int call_null(int (*f)(int, void *data), void *data)",
    "uint64_t large(uint64_t (*f)(uint64_t, void *data), uint64_t x, void *data)",
    "int elsewhere(int (*f)(int, void *data), void *data)",
    "float both(float (*f)(float, void *of_f), bool (*g)(void *of_g, bool), float x, void *of_f, "
    "void *of_g)",
]
CALLBACK_CALLS = {
    "integrate(fn:echo, 0, 2, 10)": "2.0",
    "walk(9, fn:echo)": "3", "walk(2, fn:echo)": "2",
    "meet(fn:ffi.Array, 7)": "7",
    "large(fn:echo, 7)": "8", "large(fn:echo, 9223372036854775807)": "9223372036854775808",
    "both(fn:echo, fn:echo, 1.5)": "2.5",
}
CALLBACK_REFUSED = {
    "integrate(fn:ffi.Array, 0, 2, 10)": "TypeError: Cannot convert from type `ffi.Array` to "
                                         "`float`",
    "large(fn:ffi.Array, 1)": "TypeError: Cannot convert from type `ffi.Array` to `int`",
    "call_null(fn:echo)": "RuntimeError: The library has called a function that it was given with "
                          "other data, or after the call that gave it",
    "elsewhere(fn:echo)": "RuntimeError: The library has called a function that it was given in "
                          "another thread",
    "integrate(3, 0, 2, 10)": "Expected `ffi.Function` but got `int`",
    "integrate(fn:ffi.ArraySize, 0, 2, 10)": "Expected `ffi.Array` but got `float`",
    "walk(2, fn:ffi.Array)": "TypeError: Cannot convert from type `ffi.Array` to `int`",
    "both(fn:ffi.Array, fn:ffi.Array, 1)": "Cannot convert from type `ffi.Array` to `float`",
    "both(fn:echo, fn:ffi.Array, 1)": "Cannot convert from type `ffi.Array` to `bool`",
}
# Structures.
STRUCT_HEADER = """#ifndef STRUCT_H
#define STRUCT_H
#include <stdint.h>
struct point { double x, y; };
typedef struct { int id; uint64_t big; char c; _Bool on; float f; void *more; } item;
double norm(struct point p);
void move(struct point *p, const struct point *by);
item after(const item *i);
void init(item *i, int id);
int same(struct point a, struct point *out);
#endif
"""
STRUCT_SOURCE = """#include "struct.h"
double norm(struct point p) { return p.x * p.x + p.y * p.y; }
void move(struct point *p, const struct point *by) {
  p->x += by->x;
  p->y += by->y;
}
item after(const item *i) {
  item next = *i;
  ++next.id;
  ++next.big;
  ++next.c;
  next.on = !next.on && next.more == 0;
  next.f *= 2;
  return next;
}
void init(item *i, int id) {
  const item made = {id, UINT64_MAX, 'c', 1, 0.5f, 0};
  *i = made;
}
int same(struct point a, struct point *out) {
  *out = a;
  return a.x < 0 ? -1 : 5;
}
"""
POINT = "struct point {double x; double y;}"
ITEM = "struct {int id; uint64_t big; char c; bool on; float f;}"
STRUCT_SPECS = [
    f"double norm({POINT} p)",
    f"void move(inout {POINT} *p, in const {POINT} *by)",
    f"after = {ITEM} after(in const {ITEM} *i as item) as item",
    f"void init(out {ITEM} *i as item, int id)",
    f"int same({POINT} a, out {POINT} *out) error=negative",
    "div = struct {int quot; int rem;} div(int a, int b) as div_t",
]
STRUCT_CALLS = {
    "norm({x: 3, y: 4.0})": "25.0",
    "move({x: 1.5, y: 2.5}, {y: 20.0, x: 10.0})": '{"x": 11.5, "y": 22.5}',
    'after({id: 7, big: 9223372036854775807, c: "a", on: false, f: 1.25})':
        '{"id": 8, "big": 9223372036854775808, "c": "b", "on": True, "f": 2.5}',
    "init(3)": '{"id": 3, "big": 18446744073709551615, "c": "c", "on": True, "f": 0.5}',
    "same({x: 1.5, y: 2.5})": '[5, {"x": 1.5, "y": 2.5}]',
    "div(17, 5)": '{"quot": 3, "rem": 2}',
}
STRUCT_REFUSED = {
    "norm({x: 3})": "ValueError: Argument #0 of `norm(0: struct point {double x; double y;} p) -> "
                    "double` must have the field `y`",
    "norm({x: 3, y: 4, z: 5})": "must have 2 fields, but has 3",
    'norm({x: 3, y: "a"})': "TypeError: Mismatched type on argument #1 when calling: `norm.p(0: "
                            "double x, 1: double y)`. Expected `float` but got `ffi.SmallStr`",
    "norm(i:3)": "Expected `Map<Any, Any>` but got `int`",
    'after({id: 3000000000, big: 9, c: "a", on: false, f: 1.5})':
        "Expected -2147483648 to 2147483647 but got 3000000000",
    'after({id: 7, big: 9, c: "a long text", on: false, f: 1.5})':
        "must be a text of one byte, but has 11",
    "same({x: -1, y: 2})": "RuntimeError: `same` failed: it returned -1",
}
# A library of the system, if it is there.
ZLIB = [
    "compress = int compress(out unsigned char *dest[size] bytes, inout unsigned long *size, const "
    "unsigned char source[n] bytes, unsigned long n) error=nonzero error_text=zError(return)",
    "expand = int uncompress(out unsigned char *dest[size] bytes, inout unsigned long *size, const "
    "unsigned char source[n] bytes, unsigned long n) error=nonzero error_text=zError(return)",
    "unsigned long crc32(unsigned long crc, const unsigned char buf[n] bytes, unsigned n)",
]
CBLAS = [
    "dotc = void cblas_zdotc_sub(int n, const void x[n:incx] dtype=complex128 strides blas, int "
    "incx, const void y[n:incy] dtype=complex128 strides blas, int incy, out void *dot "
    "dtype=complex128)",
    "axpy = void cblas_caxpy(int n, in const void *alpha dtype=complex64, const void x[n:incx] "
    "dtype=complex64 strides blas, int incx, void y[n:incy] dtype=complex64 strides blas, int "
    "incy)",
    "gemm = void cblas_dgemm(enum CBLAS_ORDER {CblasRowMajor = 101, CblasColMajor} order, enum "
    "CBLAS_TRANSPOSE {CblasNoTrans = 111} ta, enum CBLAS_TRANSPOSE {CblasNoTrans = 111} tb, int m, "
    "int n, int k, double alpha, const double a[m:lda][k:1] strides blas, int lda, const double "
    "b[k:ldb][n:1] strides blas, int ldb, double beta, double c[m:ldc][n:1] strides blas, int ldc)",
]
LAPACK = [
    "gesv = void dgesv_(in const int *n, in const int *m, double a[n:1][n:lda] strides blas, in "
    "const int *lda, out int pivots[n], double b[n:1][m:ldb] strides blas, in const int *ldb, out "
    "int *info)"
]
SQLITE = [
    "open = int sqlite3_open(const char *filename, out sqlite3 **db free=sqlite3_close) "
    "error=nonzero error_text=sqlite3_errmsg(db)",
    "int sqlite3_complete(const char *sql)",
    "const char *sqlite3_errstr(int code)",
]
# Extents that are expressions of others.
EXTENT_HEADER = """#include <stddef.h>
static inline double packed(int n, const double *a) {
  double sum = 0;
  for (int i = 0; i < n * (n + 1) / 2; ++i) sum += a[i];
  return sum;
}
static inline void half(double *y, const double *x, int n) {
  for (int i = 0; i < n / 2 + 1; ++i) y[i] = x[2 * i < n ? 2 * i : 0];
}
static inline void both(const float *x, int n, int by, float *out) {
  for (int i = 0; i < n * by; ++i) out[i] = x[i % n];
}
static inline size_t last(const void *p, size_t n) {
  return ((const unsigned char *)p)[2 * n - 1];
}
static inline double work(double *w, long n) { return w[3 * n - 1] = 7; }
static inline double larger(int m, int n, const double *x, int ld, double *s) {
  *s = x[(m > n ? m - 1 : n - 1) * ld + 1];
  return ld;
}
static inline double least(const double *x, int m, int n, int k) {
  const int count = k > 0 && n / k < m ? n / k : m;
  return x[count - 1];
}
"""
EXTENT_SPECS = [
    "double packed(int n, const double a[n*(n+1)/2])",
    "void half(double y[n / 2 + 1], const double x[n], int n)",
    "void both(const float x[n], int n, int by, out float out[n*by])",
    "size_t last(const void p[2*n], size_t n)",
    "double work(double *w[n+n*2], long n)",
    "double larger(int m, int n, const double x[max(m, n)+1-1:ld][2], int ld, double s[min(m,n)])",
    "double least(const double x[min(m,n/k)], int m, int n, int k)",
]
EXTENT_CALLS = {
    "packed(3, 6xf64=1 2 3 4 5 6)": "result[0]: 21.0", "packed(1, 1xf64=5)": "result[0]: 5.0",
    "half(&3xf64, 5xf64=1 2 3 4 5)": "arg[0]: 3xf64=1 3 5",
    "both(2xf32=1 2, 3)": "result[0]: 6xf32=1 2 1 2 1 2",
    'last("abcd", 2)': "result[0]: 100", "work(1000)": "result[0]: 7.0",
    "larger(1, 3, 3x2xf64=1 2 3 4 5 6, &1xf64)": "result[0]: 2.0\narg[3]: 1xf64=6",
    "larger(2, 1, 2x3xf64[:, :2]=1 2 3 4, &1xf64)": "result[0]: 3.0\narg[3]: 1xf64=4",
    "least(2xf64=4 5, 3, 5, 2)": "result[0]: 5.0",
}
EXTENT_REFUSED = {
    "packed(3, 5xf64)": "ValueError: Mismatched shape on argument #1 when calling: "
                        "`packed(0: int n, 1: const double a[n*(n+1)/2]) -> double`. Expected "
                        "size 6 in dimension 0 but got [5]",
    "half(&2xf64, 5xf64)": "Expected size 3 in dimension 0 but got [2]",
    'last("abc", 2)': "must have 4 bytes, but has 3",
    'last("", 9223372036854775807)': "must have 9223372036854775807 bytes, but has 0",
    "both(2xf32, -1)": "Shape [-2] has a negative extent",
    "larger(1, 3, 2x2xf64, &1xf64)": "Expected size 3 in dimension 0 but got [2, 2]",
    "larger(2, 3, 3x2xf64, &3xf64)": "Expected size 2 in dimension 0 but got [3]",
    "larger(-2, -1, 0x2xf64, &1xf64)": "Expected size -1 in dimension 0 but got [0, 2]",
    "least(3xf64, 3, 5, 0)": "Expected size 9223372036854775807 in dimension 0 but got [3]",
    "work(9223372036854775807)": "`w`, a work array of shape [9223372036854775807]",
}
WRONG = [
    ("void f(const float x[n+m], int n)", 24, "no argument determines `m`, an extent of `x`"),
    ("void f(const float x[n+], int n)", 24, "expected an extent: a name or a number"),
    ("void f(const float x[(n+1], int n)", 26, "expected `)` or an operator: + - * /"),
    ("void f(const float x[n][n+1:2], int n)", 25,
     "the stride before an extent that is an expression must be written, as in `x[n:s][m+1]`"),
    ("void f(const float x[max(n)], int n)", 27, "expected `,`: min and max have two values"),
    ("void f(const float x[min(n,2], int n)", 29, "expected `)` or an operator: + - * /"),
    ("void f(const float x[min(n,)], int n)", 28, "expected an extent: a name or a number"),
    ("void f(char c = 'ab')", 17, "expected a constant, such as -1, NULL or (A | B)"),
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
    ("void f(enum {A, B = 5000000000} c)", 17, "`B` fits neither int nor unsigned int"),
    ("void f(enum {A B} c)", 16, "expected `,` or `}`"),
    ("void f(enum {A} c[3])", 18, "there are no tensors of enumerations: write int"),
    ("void f(enum color c)", 19, "a header has to declare this: give it with --include=FILE"),
    ("int f(int x) error=nonzero error_text=g(x)", 39,
     "a header has to declare this: give it with --include=FILE"),
    ("int f(int x) error=nonzero error_text=g(y)", 41,
     "expected the name of a parameter, or return"),
    ("void *f(int x) error=null error_text=g(return)", 38,
     "g(return) would get NULL, which `f` returns if it fails"),
    ("int f(int (*h)(void *d), void *d) error=nonzero error_text=g(h)", 60,
     "g(...) cannot get `h`, which belongs to a function of the caller's"),
    ("int f(int (*h)(void *d), void *d) error=nonzero error_text=g(d)", 60,
     "g(...) cannot get `d`, which belongs to a function of the caller's"),
    ("int f(int x) error_text=g(x)", 25, "error_text=g(...) needs error="),
    ("int f(int x) error=odd", 20, "expected nonzero, zero, negative or null"),
    ("int f(int x) error=negative:code", 29, "expected errno"),
    ("int f(int x) error=zero error=zero", 25, "`error` is given twice"),
    ("void f(in thing *x)", 18, HANDLE),
    ("void f(thing **x)", 16, HANDLE),
    ("void f(out thing *x)", 19, HANDLE),
    ("void f(thing *x)", 15, "a header has to declare this: give it with --include=FILE"),
    ("thing *f(int n) of=n", 20, "`n` is not another handle, a tensor or a text that is passed"),
    ("thing *f(thing *x) of=y", 23, "`y` is not another handle, a tensor or a text that is passed"),
    ("void f(thing *x of=x)", 20, "`x` is not another handle, a tensor or a text that is passed"),
    ("thing *f(thing *x, thing *y) of=x of=y", 38,
     "a new handle without free= is a part of one handle only"),
    ("void f(thing *x closes takes)", 29, "expected one of closes, ends, takes and alone"),
    ("void f(thing *x alone alone)", 28, "expected one of closes, ends, takes and alone"),
    ("int f(thing *x closes) error=nonzero error_text=g(x)", 49,
     "g(...) would get `x` after the call has ended it; write `ends` if it stays open after an "
     "error"),
    ("void f(thing *x alone, void (*g)(void *d), void *d)", 15,
     "`x` is alone, but `g` could make a handle that needs it"),
    ("thing *f(thing *x takes) of=x", 29, "`x` is closed by the call, and cannot be kept"),
    ("void f(thing *x closes of=y, thing *y)", 27,
     "`x` is closed by the call, and keeps nothing alive"),
    ("thing *f(thing *x) of=x free=g free=h", 36, "expected `free` once"),
    ("thing *f(thing *x) free", 24, "expected `=`, but the text ends"),
    ("void f(char s[n])", 13, "`s` has bytes: write `const char s[n]` for those that the function "
     "reads, `out char s[n]` for those that it writes"),
    ("void f(const char s[n][2])", 19, "`s` has bytes: it has one extent, and nothing else"),
    ("void f(const char s[n] align 8)", 19, "`s` has bytes: it has one extent, and nothing else"),
    ("void f(const int x[n] bytes)", 18, "`x` has elements of `int`, which are not bytes"),
    ("void f(out char s[n] size=m)", 19, "no argument determines `n`, an extent of `s`"),
    ("void f(out char s[n] size=m, int n)", 27, "`m` is not an `out` or `inout` integer"),
    ("void f(out char s[n] size=return, int n)", 27, "`f` returns no integer"),
    ("void f(out float s[n] size=return, int n)", 18,
     "`s` is a tensor: a size is for `out` bytes"),
    ("void f(const void x[n] dtype=int8)", 30,
     "expected float16, bfloat16, float32, float64, complex64 or complex128"),
    ("void f(_Float16 x)", 17, "a `_Float16` is an element of a tensor only"),
    ("__bf16 f(int x)", 8, "a `__bf16` is an element of a tensor only"),
    ("const char *f(int x) free=g of=x", 32, "text is copied, and keeps nothing alive"),
    ("void f(int n, void (*g)(int))", 22,
     "`g` has no `void *` to tell which function of the caller's it is: one of its parameters must "
     "have the name of a `void *` of `f`, such as data in `(*g)(int x, void *data), void *data`"),
    ("void f(void (*g)(void *a), void *b)", 15,
     "`g` has no `void *` to tell which function of the caller's it is: one of its parameters must "
     "have the name of a `void *` of `f`, such as data in `(*g)(int x, void *data), void *data`"),
    ("void f(void (*g)(void *d), void (*h)(void *d), void *d)", 35,
     "`d` is the data of an earlier function"),
    ("void f(const char *(*g)(void *d), void *d)", 22,
     "`g` is called by the function: it returns nothing, a number or a bool"),
    ("void f(void (*g)(void *d, const float x[3]), void *d)", 39,
     "`x` is a parameter of `g`, which the function calls: it must be a number, text or an "
     "address"),
    ("void f(void (*g)(void *d, void (*h)(void *d)), void *d)", 32,
     "a function of a function is not supported"),
    ("void f(int (*g)(void *d) fail=x, void *d)", 31, "expected a decimal number"),
    ("void f(int (*g)(void *d) fail=2147483648, void *d)", 31,
     "`g` returns `int`, which cannot be 2147483648"),
    ("void f(void (*g)(void *d) fail=1, void *d)", 32, "`g` returns `void`, which cannot be 1"),
    ("void f(size_t (*g)(void *d) fail=-1, void *d)", 34,
     "`g` returns `size_t`, which cannot be -1"),
    ("void f(struct {int a;} p)", 24,
     "the structure has no name: write `struct name {...}` or `as name` at the end"),
    ("void f(struct p {int a; int a;} p)", 29, "`a` is the name of an earlier field"),
    ("void f(struct p {const char *a;} p)", 30, "`a` is a field, which must be a number"),
    ("void f(struct p {int a[3];} p)", 22, "`a` is a field, which must be a number"),
    ("void f(struct p {int a} p)", 23, "expected `;`"),
    ("void f(struct p {} p)", 18, "expected a type"),
    ("void f(struct p {int a;} *p)", 27,
     "`p` has no shape: write `in const struct p *p` for a structure that the function reads, "
     "`out` for one that it writes, `inout` for both"),
    ("void f(struct p {int a;} p[3])", 27, "there are no tensors of `struct`"),
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

    def test_other_constants(self):
        """An enumeration of a SPEC has the constants of the header, or it does not compile."""
        (PLACE / "values.h").write_text(HEADER, encoding="utf-8")
        good("wrap", "int is_blue(enum color {kRed = 1, kBlue = 7} c)",
             f"--include={PLACE}/values.h", "-o", PLACE / "other.c")
        for compiler in COMPILERS.values():
            done = subprocess.run(
                [*compiler, *STRICT, *HEADERS, "-fsyntax-only", PLACE / "other.c"],
                capture_output=True, text=True, check=False)
            assert "wrap_is_blue_c_is_another_kBlue" in done.stderr, done
            assert "another_kRed" not in done.stderr, done
        # A file of one kernel, whose helpers the compiler sees through.
        good("wrap", "int is_blue(enum color {kRed = 1, kBlue} c)", f"--include={PLACE}/values.h",
             "-o", PLACE / "one.c")
        for compiler in COMPILERS.values():
            subprocess.run([*compiler, *STRICT, *HEADERS, "-O2", "-c", PLACE / "one.c", "-o",
                            PLACE / "one.o"], check=True)

    def test_handles(self):
        """Objects of their types, which end what they have once, and keep what it needs."""
        (PLACE / "shelf.h").write_text(SHELF_HEADER, encoding="utf-8")
        (PLACE / "shelf.c").write_text(SHELF_SOURCE, encoding="utf-8")
        (PLACE / "use_shelf.c").write_text(SHELF_PROGRAM, encoding="utf-8")
        place = [] if WINDOWS else [f"-Wl,-rpath,{LIBRARY.parent}"]
        program = PLACE / ("use_shelf.exe" if WINDOWS else "use_shelf")
        for compiler in COMPILERS.values():
            library = make_library(compiler, "of_shelf", [PLACE / "shelf.c"], SHELF_SPECS,
                                   f"--include={PLACE}/shelf.h")
            subprocess.run([*compiler, *STRICT, *HEADERS, PLACE / "use_shelf.c", "-o", program,
                            *LINK, *place], check=True)
            done = subprocess.run([*RUNNER, program, library], capture_output=True, text=True,
                                  check=True)
            listed = good("list", library)
            assert "(b: ffi.Object, s: Optional[ffi.Object], title: Optional[str]) -> int" in (
                listed), listed
            expected = SHELF_PRINTED.replace("\\\n", "")
            assert done.stdout == expected, done.stdout
        first = next(iter(COMPILERS.values()))
        other = make_library(first, "of_other", [PLACE / "shelf.c"], SHELF_SPECS,
                             f"--include={PLACE}/shelf.h", "--namespace=other")
        assert good("run", other, "open(3)") == "result[0]: other.shelf\n"
        done = subprocess.run([*RUNNER, program, library, other], capture_output=True, text=True,
                              check=True)
        assert done.stdout == SHELF_OTHER, done.stdout
        assert run("wrap", "int f(int x)", "--namespace=a.b")[2] == (
            "tvm-ffi: --namespace must be a name of letters, digits and _, but is `a.b`\n")
        assert run("wrap", "--lean", "void f(thing *x)", "--include=<thing.h>")[2].startswith(
            "tvm-ffi: SPEC:15: this needs the library's headers: leave --lean out\n")

    def test_ownership(self):
        """What the library takes is closed unless that fails; tensors are kept with a handle."""
        (PLACE / "pot.h").write_text(POT_HEADER, encoding="utf-8")
        (PLACE / "pot.c").write_text(POT_SOURCE, encoding="utf-8")
        (PLACE / "use_pot.c").write_text(POT_PROGRAM, encoding="utf-8")
        place = [] if WINDOWS else [f"-Wl,-rpath,{LIBRARY.parent}"]
        program = PLACE / ("use_pot.exe" if WINDOWS else "use_pot")
        for compiler in COMPILERS.values():
            library = make_library(compiler, "of_pot", [PLACE / "pot.c"], POT_SPECS,
                                   f"--include={PLACE}/pot.h")
            subprocess.run([*compiler, *STRICT, *HEADERS, PLACE / "use_pot.c", "-o", program,
                            *LINK, *place], check=True)
            done = subprocess.run([*RUNNER, program, library], capture_output=True, text=True,
                                  check=True)
            assert done.stdout == POT_PRINTED, done.stdout

    def test_threads(self):
        """ThreadSanitizer finds nothing in first calls, nor in calls that end one handle."""
        if WINDOWS or b"__asan_init" in pathlib.Path(TOOL).read_bytes():
            self.skipTest("ThreadSanitizer needs Linux, and a runtime without another sanitizer")
        (PLACE / "race.h").write_text(RACE_SOURCE, encoding="utf-8")
        (PLACE / "use_race.c").write_text(RACE_PROGRAM, encoding="utf-8")
        good("wrap", *RACE_SPECS, f"--include={PLACE}/race.h", "-o", PLACE / "race.c")
        good("wrap", *RACE_OTHERS, f"--include={PLACE}/race.h", "-o", PLACE / "race_2.c")
        program, library = PLACE / "use_race", PLACE / "race.so"
        for compiler in COMPILERS.values():
            words = [*compiler, "-g", "-fsanitize=thread", *HEADERS]
            made = subprocess.run([*words, "-shared", "-fPIC", PLACE / "race.c", PLACE / "race_2.c",
                                   "-o", library], capture_output=True, text=True, check=False)
            linked = subprocess.run(
                [*words, "-pthread", PLACE / "use_race.c", "-o", program, *LINK,
                 f"-Wl,-rpath,{LIBRARY.parent}"], capture_output=True, text=True, check=False)
            if "-fsanitize" in made.stderr + linked.stderr or "tsan" in linked.stderr:
                print("skipped:", *compiler, "has no ThreadSanitizer")
                continue
            assert made.returncode == linked.returncode == 0, (made.stderr, linked.stderr)
            done = subprocess.run([*RUNNER, program, library], capture_output=True, text=True,
                                  check=False)
            if "FATAL: ThreadSanitizer" in done.stderr:
                print("skipped:", done.stderr.splitlines()[0])
                continue
            assert (done.stdout, done.stderr, done.returncode) == (
                "1\n2000 of 2000\n", "", 0), (done.stdout, done.stderr)

    def test_bytes_and_complex_numbers(self):
        """Text and bytes with a length, buffers, complex numbers, other dtypes than that of C."""
        (PLACE / "bytes.h").write_text(BYTES_HEADER, encoding="utf-8")
        (PLACE / "bytes.c").write_text(BYTES_SOURCE, encoding="utf-8")
        (PLACE / "bytes.bin").write_bytes(b"\x00\xff\x01\xff\x01")
        for compiler in COMPILERS.values():
            library = make_library(compiler, "of_bytes", [PLACE / "bytes.c"], BYTES_SPECS,
                                   f"--include={PLACE}/bytes.h")
            # glibc fills memory that it gives, so that what nobody has written is seen.
            filled = dict(os.environ, MALLOC_PERTURB_="165")
            for call, printed in BYTES_CALLS.items():
                shown = good("run", "--leak-check", library,
                             call.replace("BYTES", str(PLACE / "bytes.bin")), env=filled)
                expected = "result: none" if printed == "none" else f"result[0]: {printed}"
                assert shown == expected + "\n", (call, shown)
            shown = good("run", library, "add_complex(&2xc64=1, 2xc64=2)")
            assert shown == "arg[0]: 2xc64=[3 3][3 3]\n", shown
            shown = good("run", library, 'into(&4xu8, "abc")')
            assert shown == "result[0]: 3\narg[0]: 4xui8=97 98 99 0\n", shown
            for call, message in BYTES_REFUSED.items():
                raises(message + "\n", library, call)

    def test_numbers_of_16_bits(self):
        """Where the compiler has them; ISO C does not, so -Wpedantic warns of each."""
        flags = [flag for flag in STRICT if flag != "-Wpedantic"]
        for kind, dtype in ("_Float16", "f16"), ("__bf16", "bf16"):
            (PLACE / "half.c").write_text(
                f"void copy({kind} *y, const {kind} *x, int n);\n"
                f"void copy({kind} *y, const {kind} *x, int n) {{\n"
                "  while (n-- > 0) y[n] = x[n];\n}\n", encoding="utf-8")
            good("wrap", f"void copy({kind} y[n], const {kind} x[n], int n)", "-o",
                 PLACE / "half_kernels.c")
            for compiler in COMPILERS.values():
                done = subprocess.run(
                    [*compiler, *flags, *HEADERS, "-shared", "-fPIC", PLACE / "half.c",
                     PLACE / "half_kernels.c", *(LINK if WINDOWS else []), "-o",
                     PLACE / "half.so"], capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    assert kind in done.stderr, done
                    print(f"skipped: {compiler} has no {kind}")
                    continue
                shown = good("run", PLACE / "half.so", f"copy(&3x{dtype}, 3x{dtype}=1 2 3.5)")
                assert shown == f"arg[0]: 3x{dtype}=1 2 3.5\n", shown
                raises("Expected `" + {"f16": "float16", "bf16": "bfloat16"}[dtype] +
                       "` but got `uint16`\n", PLACE / "half.so", f"copy(&3x{dtype}, 3xu16)")

    def test_callbacks(self):
        """The caller's functions are called, and their errors come out of the kernel."""
        (PLACE / "callback.h").write_text(CALLBACK_HEADER, encoding="utf-8")
        (PLACE / "callback.c").write_text(CALLBACK_SOURCE, encoding="utf-8")
        for compiler in COMPILERS.values():
            library = make_library(compiler, "of_callback", [PLACE / "callback.c"], CALLBACK_SPECS,
                                   f"--include={PLACE}/callback.h")
            for call, printed in CALLBACK_CALLS.items():
                shown = good("run", "--leak-check", library, call)
                assert shown == f"result[0]: {printed}\n", (call, shown)
            for call, message in CALLBACK_REFUSED.items():
                raises(message + "\n", "--leak-check", library, call)

    def test_structures(self):
        """By value and by address, as Maps."""
        (PLACE / "struct.h").write_text(STRUCT_HEADER, encoding="utf-8")
        (PLACE / "struct.c").write_text(STRUCT_SOURCE, encoding="utf-8")
        for compiler in COMPILERS.values():
            library = make_library(compiler, "of_struct", [PLACE / "struct.c"], STRUCT_SPECS,
                                   f"--include={PLACE}/struct.h", "--include=<stdlib.h>")
            for call, printed in STRUCT_CALLS.items():
                shown = good("run", "--leak-check", library, call)
                assert shown == f"result[0]: {printed}\n", (call, shown)
            for call, message in STRUCT_REFUSED.items():
                raises(message + "\n", "--leak-check", library, call)
            good("wrap", "double norm(struct point {float x; double y;} p)",
                 f"--include={PLACE}/struct.h", "-o", PLACE / "drift.c")
            done = subprocess.run(
                [*compiler, *STRICT, *HEADERS, "-fsyntax-only", PLACE / "drift.c"],
                capture_output=True, text=True, check=False)
            assert "wrap_norm_p_x_has_another_size" in done.stderr, done

    def test_in_one_source(self):
        """Files of all these kinds can be parts of one source, in any order."""
        kinds = {"values": (HEADER, SPECS), "shelf": (SHELF_HEADER, SHELF_SPECS[:1]),
                 "shelf_again": (SHELF_HEADER, SHELF_SPECS[2:6]),
                 "struct": (STRUCT_HEADER, STRUCT_SPECS[:-1]),
                 "bytes": (BYTES_HEADER, BYTES_SPECS), "callback": (CALLBACK_HEADER,
                                                                    CALLBACK_SPECS)}
        for kind, (header, specs) in kinds.items():
            (PLACE / f"{kind}.h").write_text(header, encoding="utf-8")
            good("wrap", *specs, f"--include={PLACE}/{kind}.h", "-o", PLACE / f"part_{kind}.c")
        for compiler in COMPILERS.values():
            for names in list(kinds), list(kinds)[::-1]:
                unit = "".join(f'#include "part_{kind}.c"\n' for kind in names)
                subprocess.run([*compiler, *STRICT, *HEADERS, f"-I{PLACE}", "-fsyntax-only", "-x",
                                "c", "-"], input=unit, text=True, check=True)

    def test_extents_of_others(self):
        """An extent may be an expression, which is compared when all arguments are read."""
        (PLACE / "extent.h").write_text(EXTENT_HEADER, encoding="utf-8")
        for compiler in COMPILERS.values():
            library = make_library(compiler, "of_extent", [], EXTENT_SPECS,
                                   f"--include={PLACE}/extent.h")
            for call, printed in EXTENT_CALLS.items():
                shown = good("run", "--leak-check", library, call)
                assert shown == printed + "\n", (call, shown)
            for call, message in EXTENT_REFUSED.items():
                raises(message, "--leak-check", library, call)
        assert "with --abi=halide an extent is a name or a number" in run(
            "wrap", "--abi=halide", "int f(const float x[n+1], const float y[n])")[2]

    def make_of_system(self, name, header, link, specs):
        """A library of these functions of the system; None, after telling, if it has none."""
        compiler = next(iter(COMPILERS.values()))
        found = subprocess.run([*compiler, "-x", "c", "-", link, "-o", PLACE / "found"],
                               input=f"#include <{header}>\nint main(void) {{ return 0; }}",
                               capture_output=True, text=True, check=False)
        if found.returncode != 0:
            print(f"skipped: no <{header}> and {link}")
            return None
        includes = [] if header == "stdio.h" else [f"--include=<{header}>"]
        return make_library(compiler, f"of_{name}", [link], specs, *includes)

    def test_sqlite(self):
        library = self.make_of_system("sqlite", "sqlite3.h", "-lsqlite3", SQLITE)
        if library is not None:
            assert good("run", "--leak-check", library, 'open(":memory:")') == (
                "result[0]: c.sqlite3\n")
            assert good("run", library, 'sqlite3_complete("select 1;")') == "result[0]: 1\n"
            assert good("run", library, "sqlite3_errstr(7)") == 'result[0]: "out of memory"\n'
            raises("RuntimeError: `sqlite3_open` failed: unable to open database file\n", library,
                   'open("/nothing/there")')

    def test_zlib(self):
        library = self.make_of_system("zlib", "zlib.h", "-lz", ZLIB)
        if library is not None:
            text = b"to be or not to be " * 50
            (PLACE / "packed").write_bytes(zlib.compress(text))
            (PLACE / "text").write_bytes(text)
            assert good("run", library, f"expand(1000, x:@{PLACE}/packed)") == (
                f'result[0]: b"{text.decode()}"\n')
            good("run", library, f"compress(1000, x:@{PLACE}/text)")
            raises("RuntimeError: `compress` failed: buffer error\n", library,
                   f"compress(9, x:@{PLACE}/text)")
            assert good("run", library, f"crc32(0, x:@{PLACE}/text)") == (
                f"result[0]: {zlib.crc32(text)}\n")

    def test_blas_and_lapack(self):
        library = self.make_of_system("blas", "cblas.h", "-lblas", CBLAS)
        if library is not None:
            assert good("run", library, "dotc(2xc128=1, 2xc128=2)") == "result[0]: [8.0, 0.0]\n"
            assert good("run", library, "axpy([0, 2], 2xc64=1, &2xc64=1)") == (
                "arg[2]: 2xc64=[-1 3][-1 3]\n")
            assert good("run", library, 'gemm("CblasRowMajor", "CblasNoTrans", 111, 1.0, 2x3xf64=1 '
                        '2 3 4 5 6, 3x2xf64=1, 0.0, &2x2xf64)') == "arg[7]: 2x2xf64=[6 6][15 15]\n"
        library = self.make_of_system("lapack", "stdio.h", "-llapack", LAPACK)
        if library is not None:
            shown = good("run", library, "gesv(&2x2xf64.order(F)=2 1 1 3, &2x1xf64.order(F)=3 5)")
            assert shown == ("result[0]: 2xi32=1 2\nresult[1]: 0\narg[0]: 2x2xf64=[2 1][0.5 2.5]\n"
                             "arg[1]: 2x1xf64=[0.8][1.4]\n"), shown

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

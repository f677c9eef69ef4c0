# SPDX-License-Identifier: Apache-2.0
"""What a library keeps the address of: texts, bytes, tensors and handles, which a handle keeps, and
what a later call puts in their place.

test_wrap_kept.py TVM-FFI FOLDER LIBRARY INCLUDE...
"""
import subprocess
import unittest

from compilers import COMPILERS, HEADERS, LIBRARY, LINK, PLACE
from tool import RUNNER, SANITIZED, USAGE, WINDOWS, good, run, run_tests

HEADER = """#include <stdlib.h>
#include <string.h>
typedef struct box box;
struct box {
  const char *name, *label;
  const double *x, *y;
  const box *other;
  int n, size;
  box *parts;
};
static inline box *box_new(const char *name) {
  box *b = name != NULL && *name == '!' ? NULL : calloc(3, sizeof *b);
  if (b != NULL) b->name = name, b->parts = b + 1;
  return b;
}
static inline void box_free(box *b) { free(b); }
static inline const char *box_name(const box *b) { return b->name; }
static inline int box_rename(box *b, const char *name) {
  if (name != NULL && *name == '!') return -1;
  b->name = name;
  return 0;
}
static inline int box_fill(box *b, const double *x, int n) {
  if (n == 3) return -1;
  b->x = x;
  b->n = n;
  return 0;
}
static inline void box_use(box *b, const double *x, int n) { (void)b, (void)x, (void)n; }
static inline void box_pair(box *b, const double *x, const double *y, int n) {
  b->x = x;
  b->y = y;
  b->n = n;
}
static inline const char *box_trade(box *b, const char *name) {
  const char *former = b->name;
  b->name = name;
  return former;
}
static inline void box_mark(box *b, const char *label, int size) {
  b->label = label;
  b->size = size;
}
static inline void box_two(box *a, box *b, const char *name) { a->name = b->name = name; }
static inline box *box_part(box *b, int i) { return &b->parts[i]; }
static inline void box_join(box *b, const box *other) {
  if (b != NULL) b->other = other;
}
static inline double box_sum(const box *b) {
  double sum = b->other != NULL ? box_sum(b->other) : 0;
  for (int i = 0; i < b->n; ++i) sum += b->x[i];
  for (int i = 0; i < b->n && b->y != NULL; ++i) sum += b->y[i];
  for (int i = 0; i < b->size; ++i) sum += b->label[i];
  return sum;
}
/* After this many allocations of kernels there is no memory. */
static int num_spare = -1;
static inline void box_spare(int n) { num_spare = n; }
static inline void *box_allocate(size_t n, size_t size) {
  if (num_spare == 0) return NULL;
  if (num_spare > 0) --num_spare;
  return calloc(n, size);
}
#define calloc box_allocate
"""
SPECS = [
    "create = box *box_new(const char *name optional) free=box_free of=name",
    "close = void box_free(box *b closes)",
    "name = const char *box_name(const box *b)",
    "rename = int box_rename(box *b of=name instead, const char *name optional) error=nonzero",
    "add_name = int box_rename(box *b of=name, const char *name) error=nonzero",
    "fill = int box_fill(box *b of=x instead, const double x[n], int n) error=nonzero",
    "pair = void box_pair(box *b of=x instead of=y instead, const double x[n], const double y[n], "
    "int n)",
    "trade = const char *box_trade(box *b of=name instead, const char *name)",
    "spare = void box_spare(int n)",
    "use = void box_use(box *b of=x, const double x[n], int n)",
    "mark = void box_mark(box *b of=label instead, const char label[size], int size)",
    "join = void box_join(box *b optional of=other instead, const box *other optional)",
    "sum = double box_sum(const box *b)",
    "two = void box_two(box *a of=name instead, box *b of=name, const char *name)",
    "part = box *box_part(box *b, int i) of=b",
]
PROGRAM = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>
static TVMFFIObjectHandle module;
static int num_released;
static TVMFFIAny none;
static TVMFFIAny call(const char *name, TVMFFIAny a, TVMFFIAny b) {
  const TVMFFIAny args[2] = {a, b};
  const int count = strchr("cns", *name) != NULL ? 1 : 2; /* create, close, name, spare, sum */
  TVMFFIAny result = none;
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
static void show_text(const char *what, TVMFFIAny name) {
  TVMFFIByteArray text = {NULL, 0};
  (void)tvm_ffi_any_try_string(&name, &text);
  printf("%s: %.*s\n", what, (int)text.size, text.size > 0 ? text.data : "");
  tvm_ffi_any_clear(&name);
}
static void show_name(const char *what, TVMFFIAny box) { show_text(what, call("name", box, none)); }
/* Calls with a text whose memory is gone afterwards, as a String, or as the bytes of C. */
static TVMFFIAny with_text(const char *name, TVMFFIAny box, const char *text, int is_string) {
  char *copy = malloc(strlen(text) + 1);
  TVMFFIAny argument = none, result;
  strcpy(copy, text);
  if (!is_string) argument = tvm_ffi_any_view_string(copy);
  if (is_string && tvm_ffi_string_create(copy, &argument) != 0) abort();
  result = *name == 'c' ? call(name, argument, none) : call(name, box, argument);
  if (is_string) tvm_ffi_any_clear(&argument);
  memset(copy, 'x', strlen(text));
  free(copy);
  return result;
}
static void release(void *context, DLTensor *tensor) {
  (void)context;
  free(tensor->data);
  ++num_released;
}
/* A tensor of n elements. */
static TVMFFIObjectHandle make_tensor(int64_t n) {
  DLTensor tensor;
  TVMFFIObjectHandle made = NULL;
  int64_t i;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = malloc((size_t)n * sizeof(double));
  for (i = 0; i < n; ++i) ((double *)tensor.data)[i] = (double)n;
  tensor.device = tvm_ffi_device_make(kDLCPU, 0);
  tensor.dtype = TVM_FFI_C_FLOAT64;
  tensor.ndim = 1;
  tensor.shape = &n;
  if (tvm_ffi_tensor_create_around(&tensor, release, NULL, &made) != 0) abort();
  return made;
}
/* Calls with a tensor that nobody else has. */
static void with_tensor(const char *name, TVMFFIAny box, int64_t n) {
  const TVMFFIObjectHandle made = make_tensor(n);
  call(name, box, tvm_ffi_any_view_object(made));
  tvm_ffi_object_release(made);
}
static void show_sum(const char *what, TVMFFIAny box) {
  printf("%s: sum %.0f, %d released\n", what, call("sum", box, none).v_float64, num_released);
}
static void call_3(const char *name, TVMFFIAny a, TVMFFIAny b, TVMFFIAny c) {
  const TVMFFIAny args[3] = {a, b, c};
  TVMFFIAny result = none;
  TVMFFIObjectHandle function = NULL;
  char text[512];
  if (tvm_ffi_module_get_function(module, name, &function) != 0 ||
      tvm_ffi_function_call(function, args, 3, &result) != 0) {
    tvm_ffi_error_format_raised(text, sizeof text);
    printf("%s\n", text);
  }
  tvm_ffi_object_release(function);
}
static void two(TVMFFIAny box, TVMFFIAny other, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  call_3("two", box, other, tvm_ffi_any_view_string(copy));
  free(copy);
}
/* Calls with two tensors, of which the second one cannot be kept if it `is_borrowed`. */
static void pair(TVMFFIAny box, int64_t n, int is_borrowed) {
  const TVMFFIObjectHandle x = make_tensor(n), y = make_tensor(n);
  call_3("pair", box, tvm_ffi_any_view_object(x),
         is_borrowed ? tvm_ffi_any_view_tensor(TVMFFITensorGetDLTensorPtr(y))
                     : tvm_ffi_any_view_object(y));
  tvm_ffi_object_release(x);
  tvm_ffi_object_release(y);
}
/* A call changes nothing until there is memory for all of it. */
static void rename_without_memory(TVMFFIAny box, const char *text, int is_string) {
  int i;
  for (i = 0; i < 5; ++i) {
    call("spare", tvm_ffi_any_from_int64(i), none);
    with_text("rename", box, text, is_string);
    call("spare", tvm_ffi_any_from_int64(-1), none);
    show_name("with memory or not", box);
  }
}
int main(int argc, char **argv) {
  TVMFFIAny box, other, part;
  int i;
  none = tvm_ffi_any_none();
  if (argc < 2 || tvm_ffi_module_load(argv[1], &module) != 0) return 1;
  for (i = 0; i < 2; ++i) {
    box = with_text("create", none, "short", i);
    show_name("made", box);
    with_text("rename", box, "a text that is longer than seven bytes", i);
    show_name("renamed", box);
    with_text("rename", box, "!", i);
    show_name("not renamed", box);
    with_text("add_name", box, "added", i);
    show_name("added", box);
    with_text("rename", box, "", i);
    show_name("empty", box);
    call("rename", box, none);
    show_name("none", box);
    other = call("create", none, none);
    rename_without_memory(other, "another text", i);
    tvm_ffi_any_clear(&other);
    with_text("trade", box, "first", i);
    with_text("rename", box, "!", i);
    show_text("traded", with_text("trade", box, "second", i));
    show_name("for", box);
    with_text("create", none, "!", i);
    call("close", box, none);
    tvm_ffi_any_clear(&box);
  }
  box = call("create", none, none);
  for (i = 0; i < 100; ++i) with_tensor("fill", box, 2);
  show_sum("filled", box);
  with_tensor("fill", box, 3);
  show_sum("failed", box);
  with_tensor("fill", box, 4);
  show_sum("again", box);
  with_tensor("use", box, 2);
  show_sum("used", box);
  with_text("mark", box, "\001\002", 0);
  with_text("mark", box, "\003", 1);
  show_sum("marked", box);
  other = call("create", none, none);
  with_tensor("fill", other, 1);
  call("join", box, other);
  call("close", other, none);
  call("join", other, box);
  tvm_ffi_any_clear(&other);
  show_sum("joined", box);
  call("join", none, box);
  call("join", box, none);
  show_sum("alone", box);
  tvm_ffi_any_clear(&box);
  printf("%d released\n", num_released);
  box = call("create", none, none);
  other = call("create", none, none);
  two(box, other, "a text of two boxes");
  tvm_ffi_any_clear(&other);
  show_name("two", box);
  other = call("part", box, tvm_ffi_any_from_int64(0));
  part = call("part", box, tvm_ffi_any_from_int64(1));
  with_tensor("fill", other, 2);
  with_tensor("fill", part, 4);
  with_tensor("fill", part, 5);
  show_sum("first", other);
  show_sum("second", part);
  tvm_ffi_any_clear(&other);
  tvm_ffi_any_clear(&part);
  tvm_ffi_any_clear(&box);
  box = call("create", none, none);
  pair(box, 2, 0);
  show_sum("pair", box);
  pair(box, 3, 1);
  show_sum("refused", box);
  pair(box, 3, 0);
  show_sum("another", box);
  tvm_ffi_any_clear(&box);
  printf("%d released\n", num_released);
  tvm_ffi_object_release(module);
  return 0;
}
"""
TEXTS = """made: short
renamed: a text that is longer than seven bytes
RuntimeError: `box_rename` failed: expected it to return 0 but got -1
not renamed: a text that is longer than seven bytes
added: added
empty: 
none: 
""" + "MemoryError: out of memory\nwith memory or not: \n" * 4 + """with memory or not: another text
RuntimeError: `box_rename` failed: expected it to return 0 but got -1
traded: first
for: second
"""
PRINTED = TEXTS * 2 + """filled: sum 4, 99 released
RuntimeError: `box_fill` failed: expected it to return 0 but got -1
failed: sum 4, 99 released
again: sum 16, 101 released
used: sum 16, 101 released
marked: sum 19, 101 released
ValueError: Argument #0 of `close(0: box *b) -> void` must have no open handle or call that needs \
it, but has 1
ValueError: Argument #1 of `join(0: box *b optional, 1: const box *other optional) -> void` must \
not need the handle that is to need it
joined: sum 20, 101 released
alone: sum 19, 102 released
104 released
two: a text of two boxes
first: sum 4, 105 released
second: sum 25, 105 released
pair: sum 8, 107 released
TypeError: Argument #2 of `pair(0: box *b, 1: const double x[n], 2: const double y[n]) -> void` \
must be a Tensor, which can be kept alive, but is memory of the caller's for one call (in Python, \
tvm_ffi.from_dlpack makes a Tensor)
refused: sum 8, 109 released
another: sum 18, 111 released
113 released
"""


class Kept(unittest.TestCase):
    def test_calls(self):
        """AddressSanitizer finds nothing: what the library has is there, and goes with it."""
        if WINDOWS or SANITIZED or RUNNER:
            self.skipTest("AddressSanitizer is needed, and a runtime without it")
        (PLACE / "box.h").write_text(HEADER, encoding="utf-8")
        (PLACE / "use_box.c").write_text(PROGRAM, encoding="utf-8")
        good("wrap", *SPECS, f"--include={PLACE}/box.h", "-o", PLACE / "box.c")
        program, library = PLACE / "use_box", PLACE / "box.so"
        for compiler in COMPILERS.values():
            words = [*compiler, "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address", *HEADERS]
            made = subprocess.run(
                [*words, "-shared", "-fPIC", PLACE / "box.c", "-o", library],
                capture_output=True, text=True, check=False)
            linked = subprocess.run(
                [*words, PLACE / "use_box.c", "-o", program, *LINK,
                 f"-Wl,-rpath,{LIBRARY.parent}"], capture_output=True, text=True, check=False)
            if "-fsanitize" in made.stderr + linked.stderr or "asan" in linked.stderr:
                print("skipped:", *compiler, "has no AddressSanitizer")
                continue
            assert made.returncode == linked.returncode == 0, (made.stderr, linked.stderr)
            done = subprocess.run([program, library], capture_output=True, text=True, check=False)
            assert (done.stdout, done.returncode) == (PRINTED, 0), (done.stdout, done.stderr)

    def test_wrong_words(self):
        for text, column, message in (
            ("thing *f(const double x[n], int n) of=x instead", 41, "expected"),
            ("void f(thing *x of=s instead, const char *s, int (*check)(void *d), void *d)", 20,
             "`s` has `instead`, but `check` could call the function again with `x`"),
            ("const char *f(thing *x of=y instead, thing *y, out thing **z)", 27,
             "`y` has `instead`, but a new handle may have what is replaced"),
            ("thing *f(thing *x of=y instead, thing *y) of=x", 22,
             "`y` has `instead`, but a new handle may have what is replaced"),
            ("void f(thing *x instead)", 17, "expected `,`, `)` or a shape after `x`"),
            ("void f(thing *x of=n, int n)", 20,
             "`n` is not another handle, a tensor or a text that is passed"),
            ("void f(thing *x of=s, out char s[4] size=text)", 20,
             "`s` is not another handle, a tensor or a text that is passed")):
            code, out, err = run("wrap", text, "--include=<stdio.h>")
            assert (code, out) == (USAGE, ""), (code, out)
            assert err.startswith(f"tvm-ffi: SPEC:{column}: {message}"), err


run_tests()

/* SPDX-License-Identifier: Apache-2.0 */
/* The text of backtraces, made from scripted stacks; test_error_backtrace.c tests the walkers. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <dlfcn.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/error.h"
#include "support/check.h"

/* The scripted stack; it ends with a frame whose pc is 0. */
static const TVMFFIRuntimeFrame *stack;
static int num_visited;

static void walk_stack(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  int i;
  (void)context;
  for (i = 0; stack[i].pc != 0; ++i) {
    ++num_visited;
    if (visitor(visitor_context, &stack[i]) != 0) return;
  }
}

FIXTURE(reset) {
  num_visited = 0;
  (void)TVMFFIRuntimeSetStackWalker(walk_stack, NULL);
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  return unsetenv("TVM_TRACEBACK_LIMIT");
}

static void check_text(const TVMFFIByteArray *text, const char *expected) {
  assert_string_equal(text->data, expected);
  assert_int_equal(text->size, strlen(expected));
}

static const TVMFFIRuntimeFrame kThree[] = {
    {1, "a", "a.c", 1}, {2, "b", "b.c", 2}, {3, "c", "c.c", 3}, {0, NULL, NULL, 0}};

TEST(test_innermost_first) {
  stack = kThree;
  check_text(TVMFFIBacktrace(NULL, 0, NULL, 0),
             "  File \"a.c\", line 1, in a\n  File \"b.c\", line 2, in b\n"
             "  File \"c.c\", line 3, in c\n");
}

TEST(test_a_named_place_stands_for_two_frames) {
  stack = kThree;
  check_text(TVMFFIBacktrace("here.c", -7, "here", 0),
             "  File \"here.c\", line -7, in here\n  File \"c.c\", line 3, in c\n");
}

TEST(test_frames_without_file_or_symbol) {
  static const TVMFFIRuntimeFrame kFrames[] = {{1, "main", NULL, 5},      {2, "0x0123", NULL, 0},
                                               {3, "<unknown>", NULL, 0}, {4, NULL, NULL, 0},
                                               {0xabc, NULL, "f.c", 6},   {0, NULL, NULL, 0}};
  stack = kFrames;
  check_text(
      TVMFFIBacktrace(NULL, 0, NULL, 0),
      sizeof(void *) == 8
          ? "  File \"<unknown>\", line 0, in main\n"
            "  File \"f.c\", line 6, in 0x0000000000000abc\n"
          : "  File \"<unknown>\", line 0, in main\n  File \"f.c\", line 6, in 0x00000abc\n");
}

TEST(test_boundaries) {
  static const char kBoundaries[][32] = {"TVMFFIFunctionCall", "slot_tp_call",
                                         "object_is_not_callable", "_PyEval", "PyObject_Call"};
  TVMFFIRuntimeFrame frames[] = {
      {1, "a", "a.c", 1}, {2, NULL, "b.c", 2}, {3, "c", "c.c", 3}, {0, NULL, NULL, 0}};
  size_t i;
  stack = frames;
  for (i = 0; i < sizeof kBoundaries / sizeof kBoundaries[0]; ++i) {
    frames[1].symbol = kBoundaries[i];
    check_text(TVMFFIBacktrace(NULL, 0, NULL, 0), "  File \"a.c\", line 1, in a\n");
    assert_non_null(strstr(TVMFFIBacktrace(NULL, 0, NULL, 1)->data, kBoundaries[i]));
    assert_non_null(strstr(TVMFFIBacktrace(NULL, 0, NULL, 1)->data, "c.c"));
  }
  frames[1].symbol = "myPyObject"; /* only a symbol that starts with the name counts */
  assert_non_null(strstr(TVMFFIBacktrace(NULL, 0, NULL, 0)->data, "c.c"));
  frames[0].symbol = "PyObject_Call"; /* a boundary counts even in a frame that is skipped */
  check_text(TVMFFIBacktrace("here.c", 7, "here", 0), "  File \"here.c\", line 7, in here\n");
}

TEST(test_what_is_left_out) {
  static const TVMFFIRuntimeFrame kFrames[] = {
      {1, "tvm::ffi::Function::CallPacked", NULL, 0},
      {2, "tvm::ffi::detail::X", NULL, 0},
      {3, "tvm::ffi::details::X", NULL, 0},
      {4, "TVMFFIBacktrace", NULL, 0},
      {5, "TVMFFIErrorSetRaisedFromCStrParts", NULL, 0},
      {6, "__libc_start_main", NULL, 0},
      {7, "ffi_call_unix64", NULL, 0},
      {8, "f", "/x/include/tvm/ffi/error.h", 1},
      {9, "f", "include/tvm/ffi/function_detail.h", 1},
      {10, "f", "include/tvm/ffi/function_details.h", 1},
      {11, "f", "include/tvm/ffi/function.h", 1},
      {12, "f", "include/tvm/ffi/any.h", 1},
      {13, "f", "/usr/include/c++/12/bits/std_function.h", 1},
      {14, "my_ffi_call_", "include/tvm/ffi/tensor.h", 2},
      {0, NULL, NULL, 0}};
  stack = kFrames;
  check_text(TVMFFIBacktrace(NULL, 0, NULL, 0),
             "  File \"include/tvm/ffi/tensor.h\", line 2, in my_ffi_call_\n");
  stack = &kFrames[14];
  check_text(TVMFFIBacktrace("a.c", 1, "tvm::ffi::detail::X", 0), "");
  check_text(TVMFFIBacktrace("include/tvm/ffi/any.h", 1, "f", 0), "");
}

static void check_limit(const char *limit, const char *expected) {
  assert_int_equal(setenv("TVM_TRACEBACK_LIMIT", limit, 1), 0);
  check_text(TVMFFIBacktrace(NULL, 0, NULL, 0), expected);
}

TEST(test_the_number_of_lines_is_limited) {
  static const char kAll[] =
      "  File \"a.c\", line 1, in a\n  File \"b.c\", line 2, in b\n  File \"c.c\", line 3, in c\n";
  static const char *const kMalformed[] = {
      "", " 1", "1 ", "-1", "+1", "1x", "x", "2147483648", "99999999999999999999"};
  size_t i;
  stack = kThree;
  check_limit("0", "");
  check_limit("1", "  File \"a.c\", line 1, in a\n");
  check_limit("0000000000002", "  File \"a.c\", line 1, in a\n  File \"b.c\", line 2, in b\n");
  check_limit("2147483647", kAll);
  for (i = 0; i < sizeof kMalformed / sizeof kMalformed[0]; ++i) check_limit(kMalformed[i], kAll);
  assert_int_equal(setenv("TVM_TRACEBACK_LIMIT", "0", 1), 0);
  num_visited = 0;
  check_text(TVMFFIBacktrace("here.c", 7, "here", 0), "  File \"here.c\", line 7, in here\n");
  assert_int_equal(num_visited, 1); /* the walk stops at the boundary */
}

TEST(test_512_lines_unless_told) {
  enum { kFrames = 600 };
  static TVMFFIRuntimeFrame frames[kFrames + 1];
  int i;
  for (i = 0; i < kFrames; ++i) frames[i] = kThree[0];
  stack = frames;
  assert_int_equal(TVMFFIBacktrace(NULL, 0, NULL, 0)->size,
                   512 * strlen("  File \"a.c\", line 1, in a\n"));
}

TEST(test_cpp_names_are_demangled) {
  static const TVMFFIRuntimeFrame kFrames[] = {
      {1, "_ZN2my6kernelEi", NULL, 0}, {2, "_Znonsense", NULL, 0}, {0, NULL, NULL, 0}};
  const char *preload = getenv("LD_PRELOAD");
  if (preload != NULL && strstr(preload, "vgpreload") != NULL) {
    print_message("valgrind reports libraries that stay loaded\n");
    skip();
  }
  if (dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_GLOBAL) == NULL) {
    print_message("there is no libstdc++\n");
    skip();
  }
  stack = kFrames;
  check_text(TVMFFIBacktrace(NULL, 0, NULL, 0),
             "  File \"<unknown>\", line 0, in my::kernel(int)\n"
             "  File \"<unknown>\", line 0, in _Znonsense\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_innermost_first, reset),
      cmocka_unit_test_setup(test_a_named_place_stands_for_two_frames, reset),
      cmocka_unit_test_setup(test_frames_without_file_or_symbol, reset),
      cmocka_unit_test_setup(test_boundaries, reset),
      cmocka_unit_test_setup(test_what_is_left_out, reset),
      cmocka_unit_test_setup(test_the_number_of_lines_is_limited, reset),
      cmocka_unit_test_setup(test_512_lines_unless_told, reset),
      cmocka_unit_test_setup(test_cpp_names_are_demangled, reset),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}

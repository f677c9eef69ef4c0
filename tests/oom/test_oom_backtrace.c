/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backtrace.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "support/check.h"
#include "support/oom.h"

/* Walks enough frames for the text's memory to grow several times. */
static void walk_many(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  static const TVMFFIRuntimeFrame kFrame = {1, "function", "file.c", 7};
  int i;
  (void)context;
  for (i = 0; i < 100; ++i) {
    if (visitor(visitor_context, &kFrame) != 0) return;
  }
}

static const char kLine[] = "  File \"file.c\", line 7, in function\n";

static int setup(void **state) {
  (void)state;
  (void)TVMFFIRuntimeShutdown(); /* clears this thread's record and its text */
  return TVMFFIRuntimeSetStackWalker(walk_many, NULL);
}

static void test_the_text_is_whole_or_empty(void **state) {
  long n;
  (void)state;
  for (n = 0;; ++n) {
    const TVMFFIByteArray *text;
    size_t allocations = oom_allocations();
    check_ok(setup(NULL));
    oom_fail_after(n);
    text = TVMFFIBacktrace(NULL, 0, NULL, 0);
    oom_fail_after(-1);
    assert_non_null(text);
    check_not_raised();
    if (text->size != 0) {
      assert_int_equal(oom_allocations(), allocations + (size_t)n); /* no allocation failed */
      assert_int_equal(text->size, 100 * strlen(kLine));
      assert_int_equal(strlen(text->data), text->size);
      break;
    }
    assert_string_equal(text->data, "");
  }
  assert_in_range(n, 3, 10);
}

static void test_the_next_one_is_as_usual(void **state) {
  (void)state;
  assert_int_equal(TVMFFIBacktrace("file.c", 7, "function", 0)->size, strlen(kLine));
  oom_fail_after(0);
  assert_int_equal(TVMFFIBacktrace(NULL, 0, NULL, 0)->size, 0);
  assert_string_equal(TVMFFIBacktrace("file.c", 7, "function", 0)->data, kLine);
}

/* Without memory for its backtrace, an error is raised without one. */
static void test_raising_with_backtraces(void **state) {
  TVMFFIObjectHandle error;
  (void)state;
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  oom_fail_after(1); /* the allocation of the record succeeds, that of its text fails */
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  TVMFFIErrorMoveFromRaised(&error);
  assert_string_equal(TVMFFIErrorGetCellPtr(error)->kind.data, "ValueError");
  assert_string_equal(TVMFFIErrorGetCellPtr(error)->backtrace.data, "");
  TVMFFIObjectDecRef(error);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(oom_live_blocks(), 0);
}

/* Shows one frame where the error is raised, then others where a function returns it. */
static void walk_alternately(void *context, TVMFFIRuntimeFrameVisitor visitor,
                             void *visitor_context) {
  static const TVMFFIRuntimeFrame kFrame = {1, "raises", "file.c", 7};
  int *num_walks = context;
  if (++*num_walks % 2 == 0) {
    walk_many(NULL, visitor, visitor_context);
  } else {
    (void)visitor(visitor_context, &kFrame);
  }
}

/* Without memory for more frames, a backtrace stays as it was. */
static void test_backtraces_go_on_or_do_not(void **state) {
  static const char kFirst[] = "  File \"file.c\", line 7, in raises\n";
  size_t whole = strlen(kFirst) + 96 * strlen(kLine), size = 0;
  bool was_cut = false;
  TVMFFIAny name, result;
  TVMFFIObjectHandle error;
  long n;
  (void)state;
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  if (!tvmffi_backtrace_is_continued()) skip();
  name.type_index = kTVMFFIRawStr;
  name.v_c_str = "no function";
  for (n = 0; size != whole; ++n) {
    int num_walks = 0;
    check_ok(TVMFFIRuntimeShutdown());
    check_ok(TVMFFIRuntimeSetStackWalker(walk_alternately, &num_walks));
    (void)TVMFFIRuntimeSetBacktraceEnabled(1);
    check_fails(call_global("ffi.GetGlobalFuncMetadata", &name, 1, &result), "RuntimeError", NULL);
    num_walks = 0;
    oom_fail_after(n);
    assert_int_equal(call_global("ffi.GetGlobalFuncMetadata", &name, 1, &result), -1);
    oom_fail_after(-1);
    TVMFFIErrorMoveFromRaised(&error);
    size = TVMFFIErrorGetCellPtr(error)->backtrace.size;
    if (strcmp(TVMFFIErrorGetCellPtr(error)->kind.data, "MemoryError") != 0) {
      assert_true(size == strlen(kFirst) || size == whole);
      was_cut |= size != whole;
    }
    TVMFFIObjectDecRef(error);
  }
  assert_true(was_cut);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(oom_live_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_the_text_is_whole_or_empty, setup),
      cmocka_unit_test_setup(test_the_next_one_is_as_usual, setup),
      cmocka_unit_test_setup(test_raising_with_backtraces, setup),
      cmocka_unit_test_setup(test_backtraces_go_on_or_do_not, setup),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

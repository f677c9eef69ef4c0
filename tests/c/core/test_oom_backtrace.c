/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_the_text_is_whole_or_empty, setup),
      cmocka_unit_test_setup(test_the_next_one_is_as_usual, setup),
      cmocka_unit_test_setup(test_raising_with_backtraces, setup),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

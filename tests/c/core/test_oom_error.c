/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/error.h"

#include "c/module_support.h"
#include "support/oom.h"

/* Raising returns no code: it failed if the slot has an error of another kind. */
static int raise_text(void *kind) {
  TVMFFIObjectHandle error;
  TVMFFIErrorSetRaisedFromCStr(kind, "message");
  TVMFFIErrorMoveFromRaised(&error);
  if (strcmp(TVMFFIErrorGetCellPtr(error)->kind.data, kind) == 0) {
    TVMFFIObjectDecRef(error);
    return 0;
  }
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return -1;
}

static int raise_long_format(void *kind) {
  char text[3000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  (void)tvmffi_fail(kind, "%s", text);
  if (oom_live_blocks() == 0) return -1;
  TVMFFIErrorSetRaised(NULL);
  return 0;
}

TEST(test_L_9_out_of_memory_is_a_static_error) {
  static char kind[] = "ValueError";
  assert_int_equal(oom_check(raise_text, NULL, NULL, kind, 0), 1);
  assert_int_equal(oom_check(raise_long_format, NULL, NULL, kind, 0), 2); /* the text, the error */
}

static size_t said_size;

static void note_size(void *text, TVMFFIRuntimeLogLevel level, const char *said) {
  (void)level;
  said_size = strlen(said);
  assert_memory_equal(text, said, said_size);
}

/* Characters of three bytes: a cut in the middle of one is not UTF-8. */
TEST(test_long_warnings_are_cut_between_characters) {
  char text[900 + 1];
  size_t i, offset;
  for (offset = 0; offset < 3; ++offset) {
    memset(text, 'x', offset);
    for (i = offset; i + 3 < sizeof text; i += 3) memcpy(text + i, "\xe2\x82\xac", 3);
    text[i] = '\0';
    check_ok(TVMFFIRuntimeSetLogHook(note_size, text));
    oom_fail_after(0);
    tvmffi_log_warning("%s", text);
    oom_fail_after(-1);
    assert_in_range(said_size, 500, 511);
    assert_int_equal(said_size % 3, offset);
    tvmffi_log_warning("%s", text);
    assert_int_equal(said_size, strlen(text));
  }
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

static void check_said(void *expected, TVMFFIRuntimeLogLevel level, const char *said) {
  (void)level;
  assert_string_equal(said, expected);
}

/* Without memory for the escapes. */
TEST(test_warnings_are_utf8) {
  static char question[] = "caf?, ca\xc3\xa9";
  check_ok(TVMFFIRuntimeSetLogHook(check_said, question));
  oom_fail_after(0);
  tvmffi_log_warning("%s", "caf\xe9, ca\xc3\xa9");
  oom_fail_after(-1);
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

TEST(test_L_9_saying_so_allocates_nothing) {
  size_t allocations;
  (void)tvmffi_fail("ValueError", "older");
  assert_int_equal(oom_live_blocks(), 1);
  allocations = oom_allocations();
  tvmffi_error_raise_memory();
  assert_int_equal(oom_allocations(), allocations);
  assert_int_equal(oom_live_blocks(), 0); /* the older error was released */
  check_raised("MemoryError", "out of memory");
}

TEST(test_raising_is_one_allocation) {
  const char *parts[] = {"a", "b", "c"};
  size_t allocations = oom_allocations();
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  assert_int_equal(oom_allocations(), allocations + 1);
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 3);
  assert_int_equal(oom_allocations(), allocations + 2);
  (void)tvmffi_fail("ValueError", "%d", 1);
  assert_int_equal(oom_allocations(), allocations + 3);
  check_raised("ValueError", "1");
}

/* The only function that raises nothing without memory: the caller has to report it. */
static void test_F_15_creating_errors(void **state) {
  TVMFFIByteArray text = check_bytes("text");
  TVMFFIObjectHandle cause, error = (void *)state;
  probe context;
  probe_init(&context);
  check_ok(TVMFFIErrorCreate(&text, &text, &text, &cause));
  (void)tvmffi_fail("ValueError", "older");
  oom_fail_after(0);
  assert_int_equal(
      TVMFFIErrorCreateWithCauseAndExtraContext(&text, &text, &text, cause, &context, &error), -1);
  check_raised("ValueError", "older");
  assert_ptr_equal(error, state);
  assert_int_equal(check_use_count(cause), 1);
  assert_int_equal(check_use_count(&context), 1);
  TVMFFIObjectDecRef(cause);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_the_backtrace_stays) {
  TVMFFIByteArray text = check_bytes("kept"), more = check_bytes(", more");
  TVMFFIObjectHandle error;
  const TVMFFIErrorCell *cell;
  int32_t mode;
  check_ok(TVMFFIErrorCreate(NULL, NULL, &text, &error));
  cell = TVMFFIErrorGetCellPtr(error);
  for (mode = kTVMFFIBacktraceUpdateModeReplace; mode <= kTVMFFIBacktraceUpdateModeAppend; ++mode) {
    oom_fail_after(0);
    cell->update_backtrace(error, &more, mode);
    assert_string_equal(cell->backtrace.data, "kept");
    assert_int_equal(cell->backtrace.size, 4);
    check_not_raised();
  }
  cell->update_backtrace(error, &more, kTVMFFIBacktraceUpdateModeAppend);
  assert_string_equal(cell->backtrace.data, "kept, more");
  TVMFFIObjectDecRef(error);
  assert_int_equal(oom_live_blocks(), 0);
}

/* ---- Backtraces ---- */

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

FIXTURE(setup) {
  (void)TVMFFIRuntimeShutdown(); /* clears this thread's record and its text */
  return TVMFFIRuntimeSetStackWalker(walk_many, NULL);
}

TEST(test_the_text_is_whole_or_empty) {
  long n;
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

TEST(test_the_next_one_is_as_usual) {
  assert_int_equal(TVMFFIBacktrace("file.c", 7, "function", 0)->size, strlen(kLine));
  oom_fail_after(0);
  assert_int_equal(TVMFFIBacktrace(NULL, 0, NULL, 0)->size, 0);
  assert_string_equal(TVMFFIBacktrace("file.c", 7, "function", 0)->data, kLine);
}

/* Without memory for its backtrace, an error is raised without one. */
TEST(test_raising_with_backtraces) {
  TVMFFIObjectHandle error;
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

RUN_OOM_TESTS({
    cmocka_unit_test(test_L_9_out_of_memory_is_a_static_error),
    cmocka_unit_test(test_long_warnings_are_cut_between_characters),
    cmocka_unit_test(test_warnings_are_utf8),
    cmocka_unit_test(test_L_9_saying_so_allocates_nothing),
    cmocka_unit_test(test_raising_is_one_allocation),
    cmocka_unit_test(test_F_15_creating_errors),
    cmocka_unit_test(test_the_backtrace_stays),
    cmocka_unit_test_setup(test_the_text_is_whole_or_empty, setup),
    cmocka_unit_test_setup(test_the_next_one_is_as_usual, setup),
    cmocka_unit_test_setup(test_raising_with_backtraces, setup),
})

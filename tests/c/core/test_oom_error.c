/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/probe.h"

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

static void test_L_9_out_of_memory_is_a_static_error(void **state) {
  static char kind[] = "ValueError";
  (void)state;
  assert_int_equal(oom_check(raise_text, NULL, NULL, kind, 0), 1);
  assert_int_equal(oom_check(raise_long_format, NULL, NULL, kind, 0), 1);
}

static void test_L_9_saying_so_allocates_nothing(void **state) {
  size_t allocations;
  (void)state;
  (void)tvmffi_fail("ValueError", "older");
  assert_int_equal(oom_live_blocks(), 1);
  allocations = oom_allocations();
  tvmffi_error_raise_memory();
  assert_int_equal(oom_allocations(), allocations);
  assert_int_equal(oom_live_blocks(), 0); /* the older error was released */
  check_raised("MemoryError", "out of memory");
}

static void test_raising_is_one_allocation(void **state) {
  const char *parts[] = {"a", "b", "c"};
  size_t allocations = oom_allocations();
  (void)state;
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

static void test_the_backtrace_stays(void **state) {
  TVMFFIByteArray text = check_bytes("kept"), more = check_bytes(", more");
  TVMFFIObjectHandle error;
  const TVMFFIErrorCell *cell;
  int32_t mode;
  (void)state;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_L_9_out_of_memory_is_a_static_error),
      cmocka_unit_test(test_L_9_saying_so_allocates_nothing),
      cmocka_unit_test(test_raising_is_one_allocation),
      cmocka_unit_test(test_F_15_creating_errors),
      cmocka_unit_test(test_the_backtrace_stays),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

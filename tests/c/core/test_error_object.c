/* SPDX-License-Identifier: Apache-2.0 */
/* Error objects: the second half of the tests of core/error.c. */
#include "core/error.h"
#include "core/object.h"
#include "support/check.h"

static TVMFFIObjectHandle new_error(const char *kind, const char *message, const char *backtrace) {
  TVMFFIByteArray k = check_bytes(kind), m = check_bytes(message), b = check_bytes(backtrace);
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreate(&k, &m, &b, &error));
  return error;
}

static void check_backtrace(TVMFFIObjectHandle error, const char *text) {
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  assert_string_equal(cell->backtrace.data, text);
  assert_int_equal(cell->backtrace.size, strlen(text));
}

static void update(TVMFFIObjectHandle error, const char *text, int32_t mode) {
  TVMFFIByteArray bytes = check_bytes(text);
  TVMFFIErrorGetCellPtr(error)->update_backtrace(error, &bytes, mode);
}

TEST(test_texts_are_copied) {
  char kind[] = "ValueError", message[] = "a\0b", backtrace[] = "trace";
  TVMFFIByteArray k = check_bytes(kind), m = check_bytes(message), b = check_bytes(backtrace);
  const TVMFFIErrorCell *cell;
  TVMFFIObjectHandle error;
  m.size = 3;
  check_ok(TVMFFIErrorCreate(&k, &m, &b, &error));
  memset(kind, '?', sizeof kind);
  memset(message, '?', sizeof message);
  memset(backtrace, '?', sizeof backtrace);
  cell = TVMFFIErrorGetCellPtr(error);
  assert_string_equal(cell->kind.data, "ValueError");
  assert_int_equal(cell->kind.size, 10);
  assert_int_equal(cell->message.size, 3);
  assert_memory_equal(cell->message.data, "a\0b", 4);
  check_backtrace(error, "trace");
  assert_null(cell->cause_chain);
  assert_null(cell->extra_context);
  assert_int_equal(TVMFFIObjectGetTypeIndex(error), kTVMFFIError);
  assert_int_equal(check_use_count(error), 1);
  check_not_raised();
  TVMFFIObjectDecRef(error);
}

static void check_no_texts(TVMFFIObjectHandle error) {
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  assert_string_equal(cell->kind.data, "");
  assert_string_equal(cell->message.data, "");
  check_backtrace(error, "");
  TVMFFIObjectDecRef(error);
}

TEST(test_L_9_null_texts_count_as_empty) {
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  check_no_texts(error);
}

TEST(test_F_19_no_data_when_size_is_zero) {
  static const TVMFFIByteArray kNothing = {NULL, 0};
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreate(&kNothing, &kNothing, &kNothing, &error));
  TVMFFIErrorGetCellPtr(error)->update_backtrace(error, &kNothing, 0);
  TVMFFIErrorGetCellPtr(error)->update_backtrace(error, &kNothing, 1);
  check_no_texts(error);
}

static void test_refusals(void **state) {
  static const TVMFFIByteArray kNoData = {NULL, 1}, kText = {"text", 4};
  TVMFFIObjectHandle error = (void *)state;
  probe p;
  probe_init(&p);
  check_fails_with(TVMFFIErrorCreate(&kText, &kText, &kText, NULL), "ValueError", "`out`");
  check_fails_with(TVMFFIErrorCreate(&kNoData, &kText, &kText, &error), "ValueError", "`kind`");
  check_fails_with(TVMFFIErrorCreate(&kText, &kNoData, &kText, &error), "ValueError", "`message`");
  check_fails_with(TVMFFIErrorCreate(&kText, &kText, &kNoData, &error), "ValueError",
                   "`backtrace`");
  check_fails_with(
      TVMFFIErrorCreateWithCauseAndExtraContext(&kText, &kText, &kText, &p, NULL, &error),
      "TypeError", "`cause_chain`");
  assert_ptr_equal(error, state);
  assert_int_equal(check_use_count(&p), 1);
}

/* The only failure that raises nothing: the caller has to report that memory ran out. */
static void test_texts_that_cannot_be(void **state) {
  static const TVMFFIByteArray kEndless = {"", SIZE_MAX}, kHalf = {"", SIZE_MAX / 2};
  TVMFFIObjectHandle error = (void *)state;
  assert_int_equal(TVMFFIErrorCreate(&kEndless, NULL, NULL, &error), -1);
  assert_int_equal(TVMFFIErrorCreate(&kHalf, &kHalf, NULL, &error), -1);
  assert_int_equal(TVMFFIErrorCreate(&kHalf, NULL, &kEndless, &error), -1);
  check_not_raised();
  assert_ptr_equal(error, state);
}

TEST(test_cause_and_context_are_shared) {
  TVMFFIObjectHandle cause = new_error("KeyError", "cause", ""), error;
  probe context;
  probe_init(&context);
  check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, cause, &context, &error));
  assert_ptr_equal(TVMFFIErrorGetCellPtr(error)->cause_chain, cause);
  assert_ptr_equal(TVMFFIErrorGetCellPtr(error)->extra_context, &context);
  assert_int_equal(check_use_count(cause), 2);
  assert_int_equal(check_use_count(&context), 2);
  TVMFFIObjectDecRef(error);
  assert_int_equal(check_use_count(cause), 1);
  assert_int_equal(check_use_count(&context), 1);
  TVMFFIObjectDecRef(cause);
}

TEST(test_updating_the_backtrace) {
  TVMFFIObjectHandle error = new_error("ValueError", "message", "1\n");
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  update(error, "2\n", kTVMFFIBacktraceUpdateModeAppend);
  check_backtrace(error, "1\n2\n");
  update(error, "3\n", 77); /* any other mode but 0 appends */
  check_backtrace(error, "1\n2\n3\n");
  update(error, "4\n", kTVMFFIBacktraceUpdateModeReplace);
  check_backtrace(error, "4\n");
  cell->update_backtrace(error, &cell->backtrace, kTVMFFIBacktraceUpdateModeAppend);
  check_backtrace(error, "4\n4\n");
  cell->update_backtrace(error, NULL, kTVMFFIBacktraceUpdateModeAppend);
  check_backtrace(error, "4\n4\n");
  cell->update_backtrace(error, NULL, kTVMFFIBacktraceUpdateModeReplace);
  check_backtrace(error, "");
  assert_string_equal(cell->message.data, "message");
  TVMFFIObjectDecRef(error);
}

TEST(test_L_17f_replaced_texts_live_as_long_as_the_error) {
  TVMFFIObjectHandle error = new_error("ValueError", "message", "first");
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  const char *first = cell->backtrace.data, *second, *third;
  update(error, "second", kTVMFFIBacktraceUpdateModeReplace);
  second = cell->backtrace.data;
  update(error, "", kTVMFFIBacktraceUpdateModeReplace);
  third = cell->backtrace.data;
  update(error, "fourth", kTVMFFIBacktraceUpdateModeAppend);
  assert_string_equal(first, "first");
  assert_string_equal(second, "second");
  assert_string_equal(third, "");
  check_backtrace(error, "fourth");
  TVMFFIObjectDecRef(error);
}

/* What a reader finds that loaded the size before an update, and the data after it. */
TEST(test_shorter_backtraces_have_room_for_the_longest) {
  TVMFFIObjectHandle error = new_error("ValueError", "message", "a long text");
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  static const char kPadded[] = "short\0\0\0\0\0\0";
  update(error, "short", kTVMFFIBacktraceUpdateModeReplace);
  assert_memory_equal(cell->backtrace.data, kPadded, sizeof "a long text");
  update(error, "short", kTVMFFIBacktraceUpdateModeReplace);
  assert_memory_equal(cell->backtrace.data, kPadded, sizeof "a long text");
  check_backtrace(error, "short");
  TVMFFIObjectDecRef(error);
}

TEST(test_updates_that_cannot_be) {
  static const TVMFFIByteArray kNoData = {NULL, 3}, kEndless = {"", SIZE_MAX};
  TVMFFIObjectHandle error = new_error("ValueError", "message", "kept");
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  cell->update_backtrace(error, &kNoData, kTVMFFIBacktraceUpdateModeAppend);
  check_backtrace(error, "kept");
  cell->update_backtrace(error, &kEndless, kTVMFFIBacktraceUpdateModeAppend);
  check_backtrace(error, "kept");
  check_not_raised();
  TVMFFIObjectDecRef(error);
}

TEST(test_errors_of_this_library_are_known) {
  TVMFFIObjectHandle error = new_error("ValueError", "message", "");
  probe foreign;
  probe_init(&foreign);
  foreign.header.type_index = kTVMFFIError;
  assert_true(tvmffi_error_is_own(error));
  assert_false(tvmffi_error_is_own(&foreign.header));
  TVMFFIObjectDecRef(error);
  tvmffi_error_raise_memory();
  TVMFFIErrorMoveFromRaised(&error);
  assert_true(tvmffi_error_is_own(error));
  TVMFFIObjectDecRef(error);
}

RUN_TESTS({
    cmocka_unit_test(test_texts_are_copied),
    cmocka_unit_test(test_L_9_null_texts_count_as_empty),
    cmocka_unit_test(test_F_19_no_data_when_size_is_zero),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_texts_that_cannot_be),
    cmocka_unit_test(test_cause_and_context_are_shared),
    cmocka_unit_test(test_updating_the_backtrace),
    cmocka_unit_test(test_L_17f_replaced_texts_live_as_long_as_the_error),
    cmocka_unit_test(test_shorter_backtraces_have_room_for_the_longest),
    cmocka_unit_test(test_updates_that_cannot_be),
    cmocka_unit_test(test_errors_of_this_library_are_known),
})

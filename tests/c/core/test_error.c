/* SPDX-License-Identifier: Apache-2.0 */
/* Raising errors, and the slot of each thread; test_error_object.c tests the objects. */
#include "core/error.h"

#include <tvm/ffi/c/error.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <wchar.h>

#include "core/object.h"
#include "support/check.h"
#include "support/thread.h"

static TVMFFIObjectHandle take(void) {
  TVMFFIObjectHandle error;
  TVMFFIErrorMoveFromRaised(&error);
  return error;
}

static void test_an_empty_slot(void **state) {
  TVMFFIObjectHandle error = (void *)state;
  TVMFFIErrorMoveFromRaised(&error);
  assert_null(error);
  TVMFFIErrorMoveFromRaised(NULL);
  TVMFFIErrorSetRaised(NULL);
  assert_false(tvmffi_error_is_raised());
}

/* Code that takes the slot's object reads it as an Error. */
TEST(test_only_errors_are_raised) {
  probe p;
  probe_init(&p);
  TVMFFIErrorSetRaised(&p);
  check_raised("TypeError", "TVMFFIErrorSetRaised: expected `ffi.Error` but got `ffi.Object`");
  assert_int_equal(check_use_count(&p), 1);
}

TEST(test_the_slot_shares) {
  probe first, second;
  probe_init(&first);
  probe_init(&second);
  first.header.type_index = second.header.type_index = kTVMFFIError;
  TVMFFIErrorSetRaised(&first);
  assert_int_equal(check_use_count(&first), 2);
  assert_true(tvmffi_error_is_raised());
  TVMFFIErrorSetRaised(&first);
  assert_int_equal(check_use_count(&first), 2);
  TVMFFIErrorSetRaised(&second);
  assert_int_equal(check_use_count(&first), 1);
  TVMFFIErrorMoveFromRaised(NULL); /* a NULL output leaves the slot as it is */
  assert_ptr_equal(take(), &second);
  assert_int_equal(check_use_count(&second), 2);
  assert_null(take());
  TVMFFIErrorSetRaised(&first);
  TVMFFIErrorSetRaised(NULL);
  assert_int_equal(check_use_count(&first), 1);
  assert_int_equal(first.strong_deletes + second.strong_deletes, 0);
}

/* The deleter of an error's context raises too; the error being raised must win. */
static void raise_too(void *unused) {
  (void)unused;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "of a deleter");
}

static void raise_one_whose_deleter_raises(void) {
  TVMFFIObjectHandle context, error;
  check_ok(TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, raise_too, &context));
  check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, NULL, context, &error));
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  TVMFFIObjectDecRef(context);
}

TEST(test_deleters_that_raise) {
  raise_one_whose_deleter_raises();
  TVMFFIErrorSetRaisedFromCStr("ValueError", "asked for");
  check_raised("ValueError", "asked for");
  raise_one_whose_deleter_raises();
  TVMFFIErrorSetRaised(NULL);
  check_not_raised();
}

static void look_for_an_error(void *seen) {
  *(int *)seen = tvmffi_error_is_raised();
  TVMFFIErrorSetRaisedFromCStr("KeyError", "of another thread");
}

TEST(test_each_thread_has_a_slot) {
  int seen = -1;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "of this thread");
  thread_run(look_for_an_error, &seen, 0);
  assert_int_equal(seen, 0);
  check_raised("ValueError", "of this thread");
}

TEST(test_success_does_not_clear) {
  TVMFFIObjectHandle error;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "old");
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  TVMFFIObjectDecRef(error);
  check_raised("ValueError", "old");
}

TEST(test_L_9_null_texts_count_as_empty) {
  TVMFFIErrorSetRaisedFromCStr(NULL, NULL);
  check_raised("", "");
  TVMFFIErrorSetRaisedFromCStr("TypeError", NULL);
  check_raised("TypeError", "");
  TVMFFIErrorSetRaisedFromCStr(NULL, "message");
  check_raised("", "message");
  TVMFFIErrorSetRaisedFromCStrParts(NULL, NULL, 2);
  check_raised("", "");
}

TEST(test_messages_in_parts) {
  const char *parts[] = {"a", NULL, "", "%s", "bcd"};
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 5);
  check_raised("ValueError", "a%sbcd");
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 1);
  check_raised("ValueError", "a");
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 0);
  check_raised("ValueError", "");
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", NULL, -1);
  check_raised("ValueError", "");
}

TEST(test_parts_that_are_too_long_together) {
  enum { kParts = 65, kPartSize = 1 << 26 };
  const char *parts[kParts];
  char *part;
  int i;
  if (SIZE_MAX / kPartSize > kParts) {
    print_message("sizes have more than 32 bits here\n");
    skip();
  }
  part = malloc((size_t)kPartSize + 1);
  assert_non_null(part);
  memset(part, 'x', kPartSize);
  part[kPartSize] = '\0';
  for (i = 0; i < kParts; ++i) parts[i] = part;
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, kParts);
  check_raised("MemoryError", NULL);
  free(part);
}

TEST(test_formatted_messages_of_all_lengths) {
  static const size_t kLengths[] = {0, 1, 400, 510, 511, 512, 513, 5000};
  char text[5001];
  size_t i;
  for (i = 0; i < sizeof kLengths / sizeof kLengths[0]; ++i) {
    TVMFFIErrorCell *cell;
    TVMFFIObjectHandle error;
    memset(text, 'x', kLengths[i]);
    text[kLengths[i]] = '\0';
    assert_int_equal(tvmffi_fail("ValueError", "%s", text), -1);
    error = take();
    cell = TVMFFIErrorGetCellPtr(error);
    assert_int_equal(cell->message.size, kLengths[i]);
    assert_string_equal(cell->message.data, text);
    assert_string_equal(cell->kind.data, "ValueError");
    TVMFFIObjectDecRef(error);
  }
}

/* The texts of the new error may belong to the error that it replaces. */
TEST(test_raising_with_texts_of_the_raised_error) {
  TVMFFIErrorCell *cell;
  TVMFFIObjectHandle error;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "inner");
  error = take();
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error); /* now only the slot holds it */
  cell = TVMFFIErrorGetCellPtr(error);
  tvmffi_error_raisef(cell->kind.data, "outer: %s", cell->message.data);
  check_raised("KeyError", "outer: inner");
}

TEST(test_L_9_out_of_memory_is_a_static_error) {
  static const TVMFFIByteArray kText = {"text", 4};
  TVMFFIObjectHandle first, second;
  TVMFFIErrorCell *cell;
  assert_int_equal(tvmffi_fail_memory(), -1);
  first = take();
  cell = TVMFFIErrorGetCellPtr(first);
  assert_int_equal(TVMFFIObjectGetTypeIndex(first), kTVMFFIError);
  assert_string_equal(cell->kind.data, "MemoryError");
  assert_int_equal(cell->kind.size, strlen("MemoryError"));
  assert_string_equal(cell->message.data, "out of memory");
  assert_int_equal(cell->message.size, strlen("out of memory"));
  cell->update_backtrace(first, &kText, kTVMFFIBacktraceUpdateModeAppend);
  assert_string_equal(cell->backtrace.data, "");
  assert_null(cell->cause_chain);
  assert_null(cell->extra_context);
  tvmffi_error_raise_memory();
  second = take();
  assert_ptr_equal(second, first);
  assert_int_equal(check_use_count(first), 3); /* the library keeps one, which it never releases */
  TVMFFIObjectDecRef(first);
  TVMFFIObjectDecRef(second);
  tvmffi_error_raise_memory(); /* it can be raised again */
  check_raised("MemoryError", "out of memory");
}

static int require_two(const void *first, const void *second) {
  TVMFFI_REQUIRE(first);
  TVMFFI_REQUIRE(second);
  return 0;
}

static void test_missing_arguments_are_named(void **state) {
  (void)state;
  check_fails(require_two(state, NULL), "ValueError",
              "require_two: argument `second` must not be NULL");
  check_fails_with(require_two(NULL, NULL), "ValueError", "`first`");
  check_ok(require_two(state, state));
  check_not_raised();
}

TEST(test_a_format_that_the_c_library_refuses) {
  static const wchar_t kNoCharacter[] = {(wchar_t)0x7fffffff, 0};
  if (sizeof(wchar_t) < sizeof(int32_t)) skip(); /* MinGW's writes a half of a pair, too */
  tvmffi_error_raisef("ValueError", "%ls", kNoCharacter);
  check_raised("MemoryError", NULL);
}

/* Names of files in another encoding, say: a message that is not UTF-8 is no str in Python. */
TEST(test_formatted_messages_are_utf8) {
  char name[1001];
  TVMFFIObjectHandle error;
  TVMFFIByteArray message;
  tvmffi_error_raisef("ValueError", "no file `%s`", "caf\xe9_\xc3\xa9.so");
  check_raised("ValueError", "no file `caf\\xe9_\xc3\xa9.so`");
  memset(name, '\xe9', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  tvmffi_error_raisef("ValueError", "%s", name);
  error = take();
  message = tvm_ffi_error_get_message(error);
  assert_int_equal(message.size, 4000);
  assert_memory_equal(message.data, "\\xe9\\xe9\\xe9", 12);
  assert_memory_equal(message.data + 3992, "\\xe9\\xe9", 9);
  TVMFFIObjectDecRef(error);
}

/* What others raise is passed on as it is. */
TEST(test_messages_of_others_stay_as_they_are) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "caf\xe9");
  check_raised("ValueError", "caf\xe9");
}

static void check_taken(size_t capacity, const char *expected, size_t size) {
  char text[64];
  memset(text, '#', sizeof text);
  assert_int_equal(TVMFFIRuntimeErrorTake(text, capacity), size);
  assert_string_equal(text, expected);
  assert_int_equal(text[capacity], '#');
  check_not_raised();
}

TEST(test_taking_a_text) {
  check_taken(63, "(no error)", 10);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "n is 3");
  check_taken(63, "ValueError: n is 3", 18);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "n is 3");
  check_taken(19, "ValueError: n is 3", 18);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "n is 3");
  check_taken(18, "ValueError: n is ", 18);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "n is 3");
  check_taken(5, "Valu", 18);
  TVMFFIErrorSetRaisedFromCStr(NULL, NULL);
  check_taken(63, ": ", 2);
  tvmffi_error_raise_memory();
  check_taken(63, "MemoryError: out of memory", 26);
}

/* By the function, and by the one of the helpers in C. */
TEST(test_texts_are_cut_between_characters) {
  static const char kMessage[] = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  static const char kWhole[] = "K: \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  static const size_t kKept[] = {0, 1, 2, 3, 3, 5, 5, 5, 8, 8, 8, 8, 12};
  char text[64];
  size_t capacity;
  for (capacity = 1; capacity <= sizeof kWhole; ++capacity) {
    const size_t kept = kKept[capacity - 1];
    TVMFFIErrorSetRaisedFromCStr("K", kMessage);
    (void)snprintf(text, sizeof text, "%.*s", (int)kept, kWhole);
    check_taken(capacity, text, sizeof kWhole - 1);
    TVMFFIErrorSetRaisedFromCStr("K", kMessage);
    assert_int_equal(tvm_ffi_error_format_raised(text, capacity), sizeof kWhole - 1);
    assert_int_equal(strlen(text), kept);
    assert_memory_equal(text, kWhole, kept);
  }
}

TEST(test_measuring_a_text) {
  char text[1] = {'#'};
  TVMFFIErrorSetRaisedFromCStr("ValueError", "n is 3");
  assert_int_equal(TVMFFIRuntimeErrorTake(text, 0), 18);
  assert_int_equal(TVMFFIRuntimeErrorTake(NULL, 100), 18);
  assert_int_equal(text[0], '#');
  check_taken(63, "ValueError: n is 3", 18);
}

/* A text is that of tvm_ffi_error_format, with as many causes. */
TEST(test_taking_causes) {
  char text[512], expected[512];
  TVMFFIObjectHandle error;
  size_t size;
  int depth;
  for (depth = 0; depth < 20; ++depth) {
    int i;
    TVMFFIErrorSetRaisedFromCStr("KeyError", "first");
    for (i = 0; i < depth; ++i) (void)tvm_ffi_error_wrap("ValueError", "%d", i);
    error = take();
    size = tvm_ffi_error_format(error, expected, sizeof expected);
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
    assert_int_equal(TVMFFIRuntimeErrorTake(text, sizeof text), size);
    assert_string_equal(text, expected);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_an_empty_slot),
    cmocka_unit_test(test_only_errors_are_raised),
    cmocka_unit_test(test_the_slot_shares),
    cmocka_unit_test(test_deleters_that_raise),
    cmocka_unit_test(test_each_thread_has_a_slot),
    cmocka_unit_test(test_success_does_not_clear),
    cmocka_unit_test(test_L_9_null_texts_count_as_empty),
    cmocka_unit_test(test_messages_in_parts),
    cmocka_unit_test(test_parts_that_are_too_long_together),
    cmocka_unit_test(test_formatted_messages_of_all_lengths),
    cmocka_unit_test(test_a_format_that_the_c_library_refuses),
    cmocka_unit_test(test_formatted_messages_are_utf8),
    cmocka_unit_test(test_messages_of_others_stay_as_they_are),
    cmocka_unit_test(test_raising_with_texts_of_the_raised_error),
    cmocka_unit_test(test_L_9_out_of_memory_is_a_static_error),
    cmocka_unit_test(test_missing_arguments_are_named),
    cmocka_unit_test(test_taking_a_text),
    cmocka_unit_test(test_texts_are_cut_between_characters),
    cmocka_unit_test(test_measuring_a_text),
    cmocka_unit_test(test_taking_causes),
})

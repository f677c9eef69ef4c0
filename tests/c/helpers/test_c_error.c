/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/error.h>

#include "support/check.h"

TEST(test_kinds_and_formats) {
  check_fails(tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "%d of %s", 3, "five"), "ValueError",
              "3 of five");
  assert_int_equal(tvm_ffi_error_raise("AnyWord", "%s", ""), -1);
  check_raised("AnyWord", "");
  assert_int_equal(TVM_FFI_C_RAISE(TVM_FFI_C_KEY_ERROR, "no arguments"), -1);
  check_raised("KeyError", "no arguments");
  assert_int_equal(tvm_ffi_error_raise_memory(), -1);
  check_raised("MemoryError", NULL);
}

/* Short messages are formatted on the stack, longer ones elsewhere; the result is the same. */
TEST(test_messages_of_every_length) {
  char text[1200];
  int size;
  memset(text, 'x', sizeof text);
  for (size = 250; size < 1200; size += size < 260 ? 1 : 300) {
    text[size] = '\0';
    check_fails(tvm_ffi_error_raise("E", "%s", text), "E", text);
    check_fails(TVM_FFI_C_RAISE("E", "%s", text), "E", text);
    check_fails(tvm_ffi_error_wrap("E", "%s", text), "E", text);
    text[size] = 'x';
  }
}

static int raise_here(int *line) {
  *line = __LINE__ + 1;
  return TVM_FFI_C_RAISE(TVM_FFI_C_RUNTIME_ERROR, "here");
}

TEST(test_the_backtrace_begins_with_the_place) {
  char expected[64];
  TVMFFIObjectHandle error;
  int line = 0;
  assert_int_equal(raise_here(&line), -1);
  error = tvm_ffi_error_take();
  snprintf(expected, sizeof expected, "test_c_error.c\", line %d, in raise_here\n", line);
  assert_non_null(strstr(tvm_ffi_error_get_backtrace(error).data, expected));
  assert_null(tvm_ffi_error_get_cause(error));
  assert_null(tvm_ffi_error_get_context(error));
  TVMFFIObjectDecRef(error);
}

static int check_positive(int n) {
  TVM_FFI_C_CHECK(n > 0, TVM_FFI_C_VALUE_ERROR, "n is %d", n);
  return 0;
}

static int try_code(int code) {
  TVM_FFI_C_TRY(code);
  return 7;
}

TEST(test_macros_that_return) {
  assert_int_equal(check_positive(1), 0);
  check_fails(check_positive(-1), "ValueError", "n is -1");
  assert_int_equal(try_code(0), 7);
  assert_int_equal(try_code(-1), -1);
  assert_int_equal(try_code(-2), -2); /* codes of callees are passed on unchanged */
}

TEST(test_a_cause) {
  TVMFFIObjectHandle error, cause;
  char buffer[100];
  tvm_ffi_error_raise("First", "one");
  tvm_ffi_error_wrap("Second", "two %d", 2);
  assert_int_equal(tvm_ffi_error_wrap("Third", "three"), -1);
  error = tvm_ffi_error_take();
  cause = tvm_ffi_error_get_cause(error);
  assert_string_equal(tvm_ffi_error_get_kind(cause).data, "Second");
  assert_int_equal(check_use_count(cause), 1);
  assert_int_equal(tvm_ffi_error_format(error, buffer, sizeof buffer), 57);
  assert_string_equal(buffer, "Third: three\ncaused by Second: two 2\ncaused by First: one");
  TVMFFIObjectDecRef(error);
  check_fails(tvm_ffi_error_wrap("Alone", "nothing was raised"), "Alone", "nothing was raised");
}

TEST(test_formatting_into_a_buffer) {
  TVMFFIObjectHandle error;
  char buffer[32];
  size_t capacity;
  tvm_ffi_error_raise("Kind", "message");
  error = tvm_ffi_error_take();
  for (capacity = 0; capacity < sizeof buffer; ++capacity) {
    memset(buffer, '#', sizeof buffer);
    assert_int_equal(tvm_ffi_error_format(error, buffer, capacity), 13);
    if (capacity != 0) {
      assert_int_equal(strlen(buffer), capacity < 14 ? capacity - 1 : 13);
      assert_memory_equal(buffer, "Kind: message", strlen(buffer));
    }
    assert_int_equal(buffer[capacity], '#');
  }
  assert_int_equal(tvm_ffi_error_format(error, NULL, 0), 13);
  TVMFFIObjectDecRef(error);
  assert_int_equal(tvm_ffi_error_format(NULL, buffer, sizeof buffer), 10);
  assert_string_equal(buffer, "(no error)");
}

TEST(test_taking_an_error_into_a_buffer) {
  TVMFFIObjectHandle error;
  char buffer[32];
  memset(buffer, '#', sizeof buffer);
  tvm_ffi_error_raise("Kind", "message");
  assert_int_equal(tvm_ffi_error_format_raised(buffer, sizeof buffer), 13);
  assert_string_equal(buffer, "Kind: message");
  check_not_raised();
  assert_int_equal(tvm_ffi_error_format_raised(buffer, sizeof buffer), 10);
  assert_string_equal(buffer, "(no error)");

  tvm_ffi_error_raise("Kind", "message");
  error = tvm_ffi_error_take();
  assert_int_equal(tvm_ffi_error_raise_prepared(error), -1);
  assert_int_equal(tvm_ffi_error_format_raised(buffer, 8), 13);
  assert_string_equal(buffer, "Kind: m");
  assert_int_equal(check_use_count(error), 1); /* it was released */
  assert_int_equal(tvm_ffi_error_raise_prepared(error), -1);
  assert_int_equal(tvm_ffi_error_format_raised(NULL, 0), 13);
  check_not_raised();
  TVMFFIObjectDecRef(error);
}

static const char *contents(FILE *file) {
  static char buffer[2000];
  rewind(file);
  buffer[fread(buffer, 1, sizeof buffer - 1, file)] = '\0';
  return buffer;
}

TEST(test_printing) {
  TVMFFIByteArray kind = check_bytes("Kind"), message = check_bytes("message"), lines;
  TVMFFIObjectHandle error;
  FILE *file = tmpfile();
  char text[700];
  assert_non_null(file);
  tvm_ffi_error_raise("Kind", "message");
  tvm_ffi_error_print_raised(file);
  check_not_raised();
  tvm_ffi_error_print_raised(file);
  assert_string_equal(contents(file), "Kind: message\n(no error)\n");
  fclose(file);

  file = tmpfile();
  assert_non_null(file);
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  tvm_ffi_error_raise("Kind", "%s", text);
  tvm_ffi_error_print_raised(file);
  assert_int_equal(strlen(contents(file)), 6 + 699 + 1);
  fclose(file);

  file = tmpfile(); /* prints the most recent call last; adds a missing newline at the end */
  assert_non_null(file);
  lines = check_bytes("inner\nouter\nmain");
  check_ok(TVMFFIErrorCreate(&kind, &message, &lines, &error));
  tvm_ffi_error_print_backtrace(error, file);
  assert_string_equal(contents(file), "main\nouter\ninner\n");
  TVMFFIObjectDecRef(error);
  fclose(file);
}

TEST(test_asking_for_a_kind) {
  TVMFFIObjectHandle error;
  tvm_ffi_error_raise("ValueError", "x");
  error = tvm_ffi_error_take();
  assert_true(tvm_ffi_error_is(error, TVM_FFI_C_VALUE_ERROR));
  assert_false(tvm_ffi_error_is(error, "ValueErro"));
  assert_false(tvm_ffi_error_is(error, "ValueErrors"));
  TVMFFIObjectDecRef(error);
  assert_false(tvm_ffi_error_is(NULL, "ValueError"));
  assert_null(tvm_ffi_error_take());
}

TEST(test_L_13_a_failure_has_an_error) {
  TVMFFIObjectHandle error;
  assert_int_equal(tvm_ffi_error_ensure(0), 0);
  check_not_raised();
  assert_int_equal(tvm_ffi_error_ensure(-1), -1);
  check_raised("InternalError", "callee returned -1 without setting an error");
  assert_int_equal(tvm_ffi_error_ensure(-2), -1); /* F-14: old frontends may fail with -2 */
  check_raised("InternalError", "callee returned -2 without setting an error");
  tvm_ffi_error_raise("Kind", "kept");
  assert_int_equal(tvm_ffi_error_ensure(5), 5);
  error = tvm_ffi_error_take();
  assert_string_equal(tvm_ffi_error_get_message(error).data, "kept");
  assert_int_equal(check_use_count(error), 1);
  TVMFFIObjectDecRef(error);
}

RUN_TESTS({
    cmocka_unit_test(test_kinds_and_formats),
    cmocka_unit_test(test_messages_of_every_length),
    cmocka_unit_test(test_the_backtrace_begins_with_the_place),
    cmocka_unit_test(test_macros_that_return),
    cmocka_unit_test(test_a_cause),
    cmocka_unit_test(test_formatting_into_a_buffer),
    cmocka_unit_test(test_taking_an_error_into_a_buffer),
    cmocka_unit_test(test_printing),
    cmocka_unit_test(test_asking_for_a_kind),
    cmocka_unit_test(test_L_13_a_failure_has_an_error),
})

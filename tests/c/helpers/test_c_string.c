/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/string.h>

#include "support/check.h"

TEST(test_comparing) {
  TVMFFIByteArray text = {"abc\0d", 5};
  assert_false(tvm_ffi_string_equal(text, "abc"));
  text.size = 3;
  assert_true(tvm_ffi_string_equal(text, "abc"));
  assert_false(tvm_ffi_string_equal(text, "abcd"));
  assert_false(tvm_ffi_string_equal(text, "ab"));
  assert_false(tvm_ffi_string_equal(text, "abd"));
  text = tvm_ffi_string_get_bytes(NULL);
  assert_true(text.data == NULL && tvm_ffi_string_equal(text, ""));
  text = tvm_ffi_string_get_bytes("four");
  assert_int_equal(text.size, 4);
}

static void check_value(TVMFFIAny *any, int32_t type_index, const char *data, size_t size) {
  TVMFFIByteArray text = {NULL, 0};
  assert_int_equal(any->type_index, type_index);
  assert_true(tvm_ffi_any_try_string(any, &text) || tvm_ffi_any_try_bytes(any, &text));
  assert_int_equal(text.size, size);
  assert_memory_equal(text.data, data, size);
  assert_int_equal(text.data[size], 0);
  tvm_ffi_any_clear(any);
}

TEST(test_making_text) {
  TVMFFIAny any;
  check_ok(tvm_ffi_string_create("1234567", &any));
  check_value(&any, kTVMFFISmallStr, "1234567", 7);
  check_ok(tvm_ffi_string_create("12345678", &any));
  check_value(&any, kTVMFFIStr, "12345678", 8);
  check_ok(tvm_ffi_string_create(NULL, &any));
  check_value(&any, kTVMFFISmallStr, "", 0);
  check_ok(tvm_ffi_string_create_sized("a\0b", 3, &any));
  check_value(&any, kTVMFFISmallStr, "a\0b", 3);
  check_ok(tvm_ffi_string_create_sized(NULL, 0, &any)); /* F-19 */
  check_value(&any, kTVMFFISmallStr, "", 0);
}

TEST(test_making_bytes) {
  TVMFFIAny any;
  check_ok(tvm_ffi_bytes_create("\xff\0", 2, &any));
  check_value(&any, kTVMFFISmallBytes, "\xff\0", 2);
  check_ok(tvm_ffi_bytes_create("0123456789", 10, &any));
  check_value(&any, kTVMFFIBytes, "0123456789", 10);
  check_ok(tvm_ffi_bytes_create(NULL, 0, &any));
  check_value(&any, kTVMFFISmallBytes, "", 0);
}

TEST(test_formatting) {
  char expected[301];
  TVMFFIAny any;
  check_ok(tvm_ffi_string_create_formatted(&any, "%d-%s", 12, "x"));
  check_value(&any, kTVMFFISmallStr, "12-x", 4);
  memset(expected, ' ', 299);
  expected[299] = '7', expected[300] = '\0';
  check_ok(tvm_ffi_string_create_formatted(&any, "%300d", 7));
  check_value(&any, kTVMFFIStr, expected, 300);
}

RUN_TESTS({
    cmocka_unit_test(test_comparing),
    cmocka_unit_test(test_making_text),
    cmocka_unit_test(test_making_bytes),
    cmocka_unit_test(test_formatting),
})

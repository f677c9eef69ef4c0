/* SPDX-License-Identifier: Apache-2.0 */
#include "c/dtype_table.h"

static void check_printed(DLDataType dtype, const char *expected) {
  TVMFFIAny out;
  TVMFFIByteArray *bytes;
  memset(&out, 0xA5, sizeof out);
  check_ok(TVMFFIDataTypeToString(&dtype, &out));
  assert_int_equal(out.type_index, kTVMFFIStr); /* a heap String, even if short */
  assert_int_equal(out.zero_padding, 0);
  bytes = TVMFFIBytesGetByteArrayPtr(out.v_obj);
  assert_string_equal(bytes->data, expected);
  assert_int_equal(bytes->size, strlen(expected));
  check_release(&out);
}

static void check_numbers(uint8_t code, uint8_t bits, uint16_t lanes, const char *expected) {
  DLDataType dtype;
  dtype.code = code;
  dtype.bits = bits;
  dtype.lanes = lanes;
  check_printed(dtype, expected);
}

static void check_refused(uint8_t code, const char *kind, const char *message) {
  DLDataType dtype = {0, 32, 1};
  TVMFFIAny out, before;
  memset(&out, 0xA5, sizeof out);
  before = out;
  dtype.code = code;
  check_fails(TVMFFIDataTypeToString(&dtype, &out), kind, message);
  assert_memory_equal(&out, &before, sizeof out);
}

TEST(test_table) {
  size_t i;
  for (i = 0; i < NUM_ROWS(kDTypes); ++i) {
    check_printed(kDTypes[i].dtype,
                  kDTypes[i].printed != NULL ? kDTypes[i].printed : kDTypes[i].text);
  }
}

TEST(test_F_2_bool) {
  check_numbers(kDLBool, 8, 1, "bool");
  check_numbers(kDLBool, 8, 0, "bool");
  check_numbers(kDLBool, 255, 32768, "bool255xvscalex32768");
}

TEST(test_lanes_that_are_not_shown) {
  check_numbers(kDLFloat, 32, 0, "float32");
  check_numbers(kDLFloat, 32, 1, "float32");
}

TEST(test_scalable_lanes_times_one) {
  check_numbers(kDLInt, 32, 65535, "int32xvscalex1");
}

TEST(test_bits_of_formats_are_not_shown) {
  check_numbers(7, 4, 1, "float8_e3m4");
  check_numbers(9, 0, 32767, "float8_e4m3b11fnuzx32767");
  check_numbers(9, 8, 32768, "float8_e4m3b11fnuzxvscalex32768"); /* the longest text of all */
  check_numbers(kDLFloat, 0, 1, "float0");
}

TEST(test_L_1e_handles_show_neither_bits_nor_lanes) {
  check_numbers(kDLOpaqueHandle, 32, 1, "handle");
  check_numbers(kDLOpaqueHandle, 0, 1, "handle");
  check_numbers(kDLOpaqueHandle, 64, 0, "handle");
  check_numbers(kDLOpaqueHandle, 0, 0, "");
}

TEST(test_L_1f_complex) {
  check_numbers(kDLComplex, 64, 1, "complex64");
  check_numbers(kDLComplex, 255, 32768, "complex255xvscalex32768");
}

TEST(test_unknown_codes) {
  check_refused(18, "ValueError", "DLDataType contains unknown type_code=18");
  check_refused(128, "ValueError", "DLDataType contains unknown type_code=128");
}

TEST(test_custom_types) {
  size_t i;
  check_refused(150, "ValueError", "Function dtype.get_custom_type_name not found");
  register_customs();
  for (i = 0; i < NUM_ROWS(kCustomDTypes); ++i) {
    check_printed(kCustomDTypes[i].dtype, kCustomDTypes[i].printed != NULL
                                              ? kCustomDTypes[i].printed
                                              : kCustomDTypes[i].text);
  }
  custom_name = tvmffi_any_raw_str("");
  check_numbers(150, 8, 32768, "custom[]xvscalex32768");
  custom_name = tvmffi_any_raw_str("a name that is longer than any of the built-in names");
  check_numbers(150, 8, 2, "custom[a name that is longer than any of the built-in names]x2");
}

TEST(test_custom_callback_gives_something_else) {
  register_customs();
  custom_name = tvmffi_any_int(1);
  check_refused(150, "TypeError", "Cannot convert from type `int` to `str`");
  register_failing_customs();
  check_refused(150, "KeyError", "no such type");
}

TEST(test_refused_arguments) {
  DLDataType dtype = {kDLInt, 8, 1};
  TVMFFIAny out;
  check_fails_with(TVMFFIDataTypeToString(NULL, &out), "ValueError", "`dtype`");
  check_fails_with(TVMFFIDataTypeToString(&dtype, NULL), "ValueError", "`out`");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_F_2_bool),
      cmocka_unit_test(test_lanes_that_are_not_shown),
      cmocka_unit_test(test_scalable_lanes_times_one),
      cmocka_unit_test(test_bits_of_formats_are_not_shown),
      cmocka_unit_test(test_L_1e_handles_show_neither_bits_nor_lanes),
      cmocka_unit_test(test_L_1f_complex),
      cmocka_unit_test(test_unknown_codes),
      cmocka_unit_test(test_custom_types),
      cmocka_unit_test(test_custom_callback_gives_something_else),
      cmocka_unit_test(test_refused_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

#include "c/dtype_table.h"

TEST(test_F_4_table) {
  size_t i;
  for (i = 0; i < NUM_ROWS(kDTypes); ++i) check_parse(&kDTypes[i]);
}

TEST(test_refused) {
  static const char *const kRefused[] = {"int256",
                                         "int4294967296",
                                         "float32x0",
                                         "float32x",
                                         "float32x65536",
                                         "float32xvscalex",
                                         "float8_e4m3fn_x4",
                                         "float8_e4m3fnxvscalex2",
                                         "float8_foo",
                                         "float8_",
                                         "float4_e2m1fn_2",
                                         "float4_e2m1fn__x2",
                                         "bfl",
                                         "bf",
                                         "Int32",
                                         " int32",
                                         "int32 ",
                                         "int-5",
                                         "x4",
                                         "i",
                                         "u",
                                         "f",
                                         "b",
                                         "fp16",
                                         "half",
                                         "str",
                                         "int32x4x2",
                                         "int32xx4",
                                         "int32x+4",
                                         "custom",
                                         "customX",
                                         "custom[",
                                         "float8_e4m3f",
                                         "float8_e4m3fnuzz",
                                         "float6_e2m3fn_",
                                         "fp8",
                                         "void1",
                                         "bool_",
                                         "float32x 4",
                                         "float8_e4m3fn_",
                                         "h",
                                         "handle-1",
                                         "c",
                                         "complexx",
                                         "n\xff"};
  size_t i;
  for (i = 0; i < NUM_ROWS(kRefused); ++i) check_parse_fails(kRefused[i], NULL);
}

TEST(test_messages_show_short_names_written_out) {
  check_parse_fails("f32xx",
                    "Invalid lanes specification in dtype 'float32xx'. "
                    "Lanes must be a positive integer.");
  check_parse_fails("fp8_foo", "unknown float8 type `float8_foo`");
  check_parse_fails("float6_", "unknown float6 type `float6_`");
  check_parse_fails("f4_e2m1fn__x2", "unknown dtype `float4_e2m1fn__x2`");
  check_parse_fails("fp16", "unknown dtype `fp16`");
  check_parse_fails("i256", "Bits value 256 is out of range for uint8_t in dtype 'int256'");
  check_parse_fails("u32x65536",
                    "Lanes value 65536 is out of range for uint16_t in dtype "
                    "'uint32x65536'");
  check_parse_fails("bf16x",
                    "Invalid lanes specification in dtype 'bfloat16x'. "
                    "Lanes must be a positive integer.");
  check_parse_fails("customX", "expected opening brace after 'custom' type incustomX");
  check_parse_fails("custom[a", "expected closing brace after 'custom' type incustom[a");
}

TEST(test_custom_types) {
  DLDataType dtype;
  char text[128];
  size_t i;
  check_parse_fails("custom[foo]32", "Function dtype.get_custom_type_code not found");
  register_customs();
  for (i = 0; i < NUM_ROWS(kCustomDTypes); ++i) {
    check_parse(&kCustomDTypes[i]);
    assert_string_equal(custom_argument, "foo");
  }
  check_ok(parse("custom[]", &dtype));
  assert_string_equal(custom_argument, "");
  check_ok(parse("custom[a[b]", &dtype));
  assert_string_equal(custom_argument, "a[b");
  for (i = 60; i < 70; ++i) { /* sizes around that of the parser's own buffer */
    memcpy(text, "custom[", 7);
    memset(text + 7, 'n', i);
    memcpy(text + 7 + i, "]8", 3);
    check_ok(parse(text, &dtype));
    assert_int_equal(strlen(custom_argument), i);
    assert_int_equal(dtype.bits, 8);
  }
  check_parse_fails("custom[foo]0", NULL);
  check_parse_fails("custom[foo]x", NULL);
  custom_code = tvmffi_any_int(300);
  check_ok(parse("custom[big]32", &dtype));
  assert_int_equal(dtype.code, 44);
}

TEST(test_custom_callback_gives_something_else) {
  DLDataType dtype;
  register_customs();
  custom_code = tvmffi_any_raw_str("a string on the heap");
  check_fails(parse("custom[foo]", &dtype), "TypeError",
              "Cannot convert from type `ffi.String` to `int`");
  custom_code = tvmffi_any_none();
  check_fails(parse("custom[foo]", &dtype), "TypeError",
              "Cannot convert from type `None` to `int`");
  register_failing_customs();
  check_fails(parse("custom[foo]", &dtype), "KeyError", "no such type");
}

TEST(test_shutdown_forgets_the_callback) {
  DLDataType dtype;
  register_customs();
  check_ok(parse("custom[foo]", &dtype));
  check_ok(TVMFFIRuntimeShutdown());
  check_parse_fails("custom[foo]", "Function dtype.get_custom_type_code not found");
}

TEST(test_text_with_nul) {
  static const char kText[] = "int32\0x4", kCustom[] = "custom[a\0b]";
  TVMFFIByteArray bytes;
  DLDataType dtype;
  register_customs();
  bytes.data = kText;
  bytes.size = sizeof kText - 1;
  check_fails(TVMFFIDataTypeFromString(&bytes, &dtype), "ValueError", NULL);
  bytes.data = kCustom;
  bytes.size = sizeof kCustom - 1;
  check_fails(TVMFFIDataTypeFromString(&bytes, &dtype), "ValueError", NULL);
}

TEST(test_absurdly_long_text) {
  const size_t size = (size_t)1 << 20;
  TVMFFIByteArray bytes;
  DLDataType dtype;
  char *text = malloc(size);
  memset(text, '9', size);
  bytes.data = text;
  bytes.size = size;
  memcpy(text, "int", 3);
  check_fails(TVMFFIDataTypeFromString(&bytes, &dtype), "ValueError", NULL);
  memset(text + 3, '0', size - 3);
  text[size - 1] = '8';
  check_ok(TVMFFIDataTypeFromString(&bytes, &dtype));
  assert_int_equal(dtype.bits, 8);
  free(text);
}

TEST(test_refused_arguments) {
  TVMFFIByteArray nothing = {NULL, 0}, no_data = {NULL, 3};
  DLDataType dtype;
  check_fails_with(TVMFFIDataTypeFromString(NULL, &dtype), "ValueError", "`str`");
  check_fails_with(TVMFFIDataTypeFromString(&nothing, NULL), "ValueError", "`out`");
  check_fails_with(TVMFFIDataTypeFromString(&no_data, &dtype), "ValueError", "`str->data`");
  check_ok(TVMFFIDataTypeFromString(&nothing, &dtype));
  assert_int_equal(dtype.code, kDLOpaqueHandle);
  assert_int_equal(dtype.lanes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_F_4_table),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_messages_show_short_names_written_out),
      cmocka_unit_test(test_custom_types),
      cmocka_unit_test(test_custom_callback_gives_something_else),
      cmocka_unit_test(test_shutdown_forgets_the_callback),
      cmocka_unit_test(test_text_with_nul),
      cmocka_unit_test(test_absurdly_long_text),
      cmocka_unit_test(test_refused_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}

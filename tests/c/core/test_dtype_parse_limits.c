/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing stops at the end of the text, and refuses numbers that do not fit. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "c/dtype_table.h"

/* Puts the text at the end of a page that is followed by an inaccessible page. */
TEST(test_F_1_parser_never_reads_past_the_end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), i, size;
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(pages != MAP_FAILED);
  assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  for (i = 0; i < NUM_ROWS(kDTypes) + NUM_ROWS(kCustomDTypes); ++i) {
    const char *text =
        i < NUM_ROWS(kDTypes) ? kDTypes[i].text : kCustomDTypes[i - NUM_ROWS(kDTypes)].text;
    for (size = 0; size <= strlen(text); ++size) {
      char *block = malloc(size != 0 ? size : 1);
      TVMFFIByteArray bytes;
      DLDataType at_page, at_block;
      int rc;
      bytes.size = size;
      bytes.data = memcpy(pages + page - size, text, size);
      rc = TVMFFIDataTypeFromString(&bytes, &at_page);
      bytes.data = memcpy(block, text, size);
      assert_int_equal(TVMFFIDataTypeFromString(&bytes, &at_block), rc);
      if (rc == 0) assert_memory_equal(&at_page, &at_block, sizeof at_page);
      free(block);
    }
  }
  assert_int_equal(munmap(pages, 2 * page), 0);
  TVMFFIErrorSetRaised(NULL);
}

TEST(test_F_2_bool) {
  const dtype_row row = {"bool", {kDLBool, 8, 1}, NULL};
  check_parse(&row);
}

TEST(test_F_3_no_width_is_rounded) {
  const dtype_row rows[] = {{"uint1", {kDLUInt, 1, 1}, NULL}, {"int4", {kDLInt, 4, 1}, NULL}};
  check_parse(&rows[0]);
  check_parse(&rows[1]);
}

TEST(test_L_1a_numbers_do_not_wrap) {
  check_parse_fails("int18446744073709551648",
                    "Integer value in dtype string '18446744073709551648' is out of range for "
                    "uint32_t");
  check_parse_fails("int4294967296",
                    "Integer value in dtype string '4294967296' is out of range for "
                    "uint32_t");
  check_parse_fails("int32x18446744073709551620", NULL);
  check_parse_fails("float8_e4m3x4294967297", NULL);
  check_parse_fails("int32xvscalex340282366920938463463374607431768211460", NULL);
}

TEST(test_L_1b_scalable_lanes_need_a_number) {
  check_parse_fails("int32xvscale",
                    "Invalid lanes specification in dtype 'int32xvscale'. "
                    "Lanes must be a positive integer.");
  check_parse_fails("float32xvscale", NULL);
  check_parse_fails("float32xvscale4", NULL);
  check_parse_fails("float32xvscalex0", NULL);
}

TEST(test_L_1c_lanes_have_15_bits) {
  check_parse_fails("int32x40000",
                    "Lanes value 40000 is out of range for int16_t in dtype "
                    "'int32x40000'");
  check_parse_fails("int32x32768", NULL);
  check_parse_fails("float32x65535", NULL);
  check_parse_fails("float8_e4m3fnx32768", NULL);
  check_parse_fails("int32xvscalex32769", NULL);
  check_parse_fails("int32xvscalex65535", NULL);
}

TEST(test_L_1d_no_bits) {
  check_parse_fails("int0",
                    "Invalid bits specification in dtype 'int0'. "
                    "Bits must be a positive integer.");
  check_parse_fails("float0", NULL);
  check_parse_fails("u00", NULL);
  check_parse_fails("bool0x4", NULL);
  check_parse_fails("bfloat0", NULL);
  check_parse_fails("handle0", NULL);
  check_parse_fails("complex0", NULL);
}

TEST(test_L_1e_handles_keep_their_bits) {
  const dtype_row row = {"handle32", {kDLOpaqueHandle, 32, 1}, NULL};
  check_parse(&row);
}

TEST(test_L_1f_complex) {
  const dtype_row row = {"complex128x2", {kDLComplex, 128, 2}, NULL};
  check_parse(&row);
  check_parse_fails("complex256",
                    "Bits value 256 is out of range for uint8_t in dtype 'complex256'");
}

TEST(test_L_1g_custom_names_end_at_the_end) {
  TVMFFIByteArray bytes = check_bytes("custom[ab]");
  DLDataType dtype;
  for (bytes.size = 6; bytes.size < 10; ++bytes.size) { /* the closing bracket is past the end */
    check_fails_with(TVMFFIDataTypeFromString(&bytes, &dtype), "ValueError", "'custom' type in");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_F_1_parser_never_reads_past_the_end),
      cmocka_unit_test(test_F_2_bool),
      cmocka_unit_test(test_F_3_no_width_is_rounded),
      cmocka_unit_test(test_L_1a_numbers_do_not_wrap),
      cmocka_unit_test(test_L_1b_scalable_lanes_need_a_number),
      cmocka_unit_test(test_L_1c_lanes_have_15_bits),
      cmocka_unit_test(test_L_1d_no_bits),
      cmocka_unit_test(test_L_1e_handles_keep_their_bits),
      cmocka_unit_test(test_L_1f_complex),
      cmocka_unit_test(test_L_1g_custom_names_end_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges are of allocated memory of just their size, for a sanitizer to see reads outside. */

#include "support/check.h"

#include "base/text.h"
#include "file/binary_file.h"

static byte_range make_range(const char *bytes, size_t size, bool is_big_endian) {
  byte_range range = {NULL, 0, false};
  unsigned char *copy = tool_alloc(size);
  memcpy(copy, bytes, size);
  range.data = copy;
  range.size = size;
  range.is_big_endian = is_big_endian;
  return range;
}

static void free_range(byte_range *range) {
  free((void *)range->data);
}

static void check_numbers(bool is_big_endian, uint16_t half, uint32_t word, uint64_t number,
                          uint64_t three) {
  byte_range range =
      make_range("\xff\x01\x02\x81\x04\x05\x86\x11\x12\x13\x14\x15\x16\x17\x98\x21\x22\x23", 18,
                 is_big_endian);
  byte_cursor cursor = byte_cursor_start(&range, 0);
  assert_int_equal(byte_cursor_u8(&cursor), 0xff);
  assert_int_equal(byte_cursor_u16(&cursor), half);
  assert_int_equal(byte_cursor_u32(&cursor), word);
  assert_int_equal(byte_cursor_u64(&cursor), number);
  assert_int_equal(byte_cursor_number(&cursor, 3), three);
  assert_false(cursor.is_past_end);
  free_range(&range);
}

TEST(test_numbers) {
  check_numbers(false, 0x0201, 0x86050481, UINT64_C(0x9817161514131211), 0x232221);
  check_numbers(true, 0x0102, 0x81040586, UINT64_C(0x1112131415161798), 0x212223);
}

TEST(test_past_end) {
  byte_range range = make_range("\1\2\3\4\5", 5, false);
  byte_cursor cursor = byte_cursor_start(&range, 2);
  assert_int_equal(byte_cursor_u32(&cursor), 0);
  assert_true(cursor.is_past_end);
  assert_int_equal(byte_cursor_u8(&cursor), 0); /* though it has three more */
  cursor = byte_cursor_start(&range, 5);
  assert_false(cursor.is_past_end);
  assert_int_equal(byte_cursor_u8(&cursor), 0);
  assert_true(cursor.is_past_end);
  assert_true(byte_cursor_start(&range, 6).is_past_end);
  assert_true(byte_cursor_start(&range, UINT64_MAX).is_past_end);
  cursor = byte_cursor_start(&range, 1);
  byte_cursor_skip(&cursor, UINT64_MAX);
  assert_true(cursor.is_past_end);
  free_range(&range);
}

TEST(test_slices) {
  byte_range range = make_range("\1\2\3\4\5", 5, true), part = {NULL, 0, false};
  byte_cursor cursor;
  assert_false(byte_range_slice(&range, 0, 6, &part));
  assert_false(byte_range_slice(&range, 4, 2, &part));
  assert_false(byte_range_slice(&range, 6, 0, &part));
  assert_false(byte_range_slice(&range, UINT64_MAX, 2, &part));
  assert_false(byte_range_slice(&range, 2, UINT64_MAX, &part));
  assert_null(part.data);
  assert_true(byte_range_slice(&range, 5, 0, &part));
  assert_int_equal(part.size, 0);
  assert_true(byte_range_slice(&range, 1, 3, &part));
  cursor = byte_cursor_start(&part, 0);
  assert_int_equal(byte_cursor_u16(&cursor), 0x0203); /* in the order of the whole */
  assert_int_equal(byte_cursor_u16(&cursor), 0);      /* the fourth byte is not in the part */
  assert_true(cursor.is_past_end);
  free_range(&range);
}

TEST(test_texts) {
  byte_range range = make_range("ab\0c", 4, false);
  assert_string_equal(byte_range_text(&range, 0), "ab");
  assert_string_equal(byte_range_text(&range, 1), "b");
  assert_string_equal(byte_range_text(&range, 2), "");
  assert_null(byte_range_text(&range, 3)); /* has no end */
  assert_null(byte_range_text(&range, 4));
  assert_null(byte_range_text(&range, UINT64_MAX));
  free_range(&range);
}

/* What a file does not have is a range of nothing. */
TEST(test_empty) {
  byte_range range = {NULL, 0, false}, part;
  byte_cursor cursor = byte_cursor_start(&range, 0);
  assert_false(cursor.is_past_end);
  assert_int_equal(byte_cursor_u64(&cursor), 0);
  assert_true(cursor.is_past_end);
  assert_null(byte_range_text(&range, 0));
  assert_true(byte_range_slice(&range, 0, 0, &part));
  assert_false(byte_range_slice(&range, 0, 1, &part));
}

RUN_TESTS({
    cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_past_end),
    cmocka_unit_test(test_slices),
    cmocka_unit_test(test_texts),
    cmocka_unit_test(test_empty),
})

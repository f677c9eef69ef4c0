/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "support/check.h"

TEST(test_starts_with_nothing) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  assert_null(buf.data);
  assert_int_equal(buf.size, 0);
  assert_false(buf.failed);
  tvmffi_buf_clear(&buf);
  assert_null(buf.data);
  tvmffi_buf_fini(&buf);
}

TEST(test_appending) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  tvmffi_buf_append(&buf, "a\0b", 3);
  assert_int_equal(buf.size, 3);
  assert_memory_equal(buf.data, "a\0b", 4);
  tvmffi_buf_append_text(&buf, "cd");
  tvmffi_buf_append_text(&buf, "");
  tvmffi_buf_appendf(&buf, "%s=%d", "e", 7);
  assert_int_equal(buf.size, 8);
  assert_memory_equal(buf.data, "a\0bcde=7", 9);
  assert_false(buf.failed);
  tvmffi_buf_fini(&buf);
}

/* Appends byte by byte through every capacity, then in pieces of many sizes. */
TEST(test_growing) {
  static const char kDigits[] = "0123456789";
  tvmffi_buf bytes = TVMFFI_BUF_INIT;
  size_t i, size;
  for (i = 0; i < 5000; ++i) {
    tvmffi_buf_append(&bytes, &kDigits[i % 10], 1);
    assert_int_equal(bytes.size, i + 1);
    assert_int_equal(bytes.data[i], kDigits[i % 10]);
    assert_int_equal(bytes.data[i + 1], '\0');
  }
  for (size = 0; size < 1100; size += 7) {
    tvmffi_buf whole = TVMFFI_BUF_INIT, formatted = TVMFFI_BUF_INIT;
    tvmffi_buf_append_text(&whole, "x");
    tvmffi_buf_append(&whole, bytes.data, size);
    tvmffi_buf_append_text(&formatted, "x");
    tvmffi_buf_appendf(&formatted, "%.*s", (int)size, bytes.data);
    assert_int_equal(whole.size, size + 1);
    assert_memory_equal(whole.data + 1, bytes.data, size);
    assert_int_equal(formatted.size, size + 1);
    assert_memory_equal(formatted.data, whole.data, size + 2);
    tvmffi_buf_fini(&whole);
    tvmffi_buf_fini(&formatted);
  }
  for (i = 0; i < bytes.size; ++i) assert_int_equal(bytes.data[i], kDigits[i % 10]);
  tvmffi_buf_fini(&bytes);
}

TEST(test_F_19_append_of_nothing) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  tvmffi_buf_append(&buf, NULL, 0);
  assert_string_equal(buf.data, "");
  assert_int_equal(buf.size, 0);
  tvmffi_buf_append_text(&buf, "a");
  tvmffi_buf_append(&buf, NULL, 0);
  assert_string_equal(buf.data, "a");
  tvmffi_buf_fini(&buf);
}

TEST(test_clear_keeps_the_memory) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  const char *data;
  tvmffi_buf_append_text(&buf, "first");
  data = buf.data;
  tvmffi_buf_clear(&buf);
  assert_int_equal(buf.size, 0);
  assert_string_equal(buf.data, "");
  tvmffi_buf_append_text(&buf, "2nd");
  assert_ptr_equal(buf.data, data);
  assert_string_equal(buf.data, "2nd");
  tvmffi_buf_fini(&buf);
}

TEST(test_fini_leaves_an_empty_one) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  tvmffi_buf_append_text(&buf, "text");
  tvmffi_buf_fini(&buf);
  assert_null(buf.data);
  tvmffi_buf_append_text(&buf, "again");
  assert_string_equal(buf.data, "again");
  tvmffi_buf_fini(&buf);
}

TEST(test_a_failure_is_remembered) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  tvmffi_buf_append_text(&buf, "kept");
  tvmffi_buf_append(&buf, "", SIZE_MAX); /* the size cannot exist, so nothing is read */
  assert_true(buf.failed);
  tvmffi_buf_append_text(&buf, "lost");
  tvmffi_buf_appendf(&buf, "%s", "lost");
  assert_true(buf.failed);
  assert_string_equal(buf.data, "kept");
  assert_int_equal(buf.size, 4);
  tvmffi_buf_clear(&buf);
  assert_false(buf.failed);
  tvmffi_buf_append_text(&buf, "new");
  assert_string_equal(buf.data, "new");
  tvmffi_buf_fini(&buf);
}

TEST(test_sizes_that_overflow) {
  static const size_t kSizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4, SIZE_MAX - 5};
  size_t i;
  for (i = 0; i < sizeof kSizes / sizeof kSizes[0]; ++i) {
    tvmffi_buf buf = TVMFFI_BUF_INIT;
    tvmffi_buf_append_text(&buf, "12345");
    tvmffi_buf_append(&buf, "", kSizes[i]);
    assert_true(buf.failed);
    tvmffi_buf_fini(&buf);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_starts_with_nothing),
    cmocka_unit_test(test_appending),
    cmocka_unit_test(test_growing),
    cmocka_unit_test(test_F_19_append_of_nothing),
    cmocka_unit_test(test_clear_keeps_the_memory),
    cmocka_unit_test(test_fini_leaves_an_empty_one),
    cmocka_unit_test(test_a_failure_is_remembered),
    cmocka_unit_test(test_sizes_that_overflow),
})

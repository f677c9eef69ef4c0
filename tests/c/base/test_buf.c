/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/utf8.h"

#include "support/check.h"
#include "support/valid.h"

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

/* A precision that is negative would show all of a text, up to a NUL that need not be there. */
TEST(test_sizes_of_shown_texts) {
  const size_t huge = (size_t)INT_MAX + 1;
  assert_int_equal(tvmffi_shown_size(0), 0);
  assert_int_equal(tvmffi_shown_size(40000), 40000);
  assert_int_equal(tvmffi_shown_size(huge), INT_MAX / 4);
  assert_int_equal(tvmffi_shown_size(SIZE_MAX), INT_MAX / 4);
}

/* Appends byte by byte through every capacity, then in pieces of many sizes. */
TEST(test_growing) {
  static const char kDigits[] = "0123456789";
  tvmffi_buf bytes = TVMFFI_BUF_INIT;
  size_t i, size;
  for (i = 0; i < 5000; ++i) {
    tvmffi_buf_append(&bytes, &kDigits[i % 10], 1);
    assert_true(buf_is_valid(&bytes));
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

/* ---- UTF-8 ---- */

/* A code point as UTF-8 of a given length, be it the right one or not. */
static size_t encode(unsigned code, size_t length, char *out) {
  static const unsigned char kFirst[] = {0, 0, 0xc0, 0xe0, 0xf0};
  size_t i;
  for (i = length - 1; i > 0; --i, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)(kFirst[length] | code);
  return length;
}

static bool is_valid(const char *text) {
  return tvmffi_utf8_is_valid(text, strlen(text));
}

TEST(test_all_characters) {
  char text[5];
  unsigned code;
  for (code = 0; code < 0x110000; ++code) {
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    size_t longer, cut;
    (void)encode(code, length, text);
    if (tvmffi_utf8_is_valid(text, length) == is_surrogate) fail_msg("U+%04X", code);
    for (cut = 1; cut < length; ++cut) {
      if (tvmffi_utf8_is_valid(text, cut)) fail_msg("U+%04X, %zu bytes of it", code, cut);
    }
    for (longer = length + 1; longer <= 4; ++longer) { /* than it need be */
      if (tvmffi_utf8_is_valid(text, encode(code, longer, text))) {
        fail_msg("U+%04X in %zu bytes", code, longer);
      }
    }
  }
}

TEST(test_what_is_no_character) {
  static const char *const kInvalid[] = {
      "\x80",
      "a\xbf",
      "\xc3",
      "\xc3z",
      "\xc3\xc3",
      "\xe2\x82",
      "\xe2\x82z",
      "\xf0\x9f\x98",
      "\xf4\x90\x80\x80",
      "\xf5\x80\x80\x80",
      "\xf8\x88\x80\x80\x80",
      "\xff",
  };
  size_t i;
  for (i = 0; i < sizeof kInvalid / sizeof *kInvalid; ++i) assert_false(is_valid(kInvalid[i]));
  assert_true(is_valid(""));
  assert_true(is_valid("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"));
  assert_true(tvmffi_utf8_is_valid("a\0b", 3));
}

TEST(test_escapes) {
  static const struct {
    const char *text, *escaped;
  } kCases[] = {
      {"", ""},
      {"a\xc3\xa9\\", "a\xc3\xa9\\"},
      {"caf\xe9.so", "caf\\xe9.so"},
      {"\xc0\xaf", "\\xc0\\xaf"},
      {"\xe2\x82\xac\xe2\x82", "\xe2\x82\xac\\xe2\\x82"},
      {"\xed\xa0\x80!", "\\xed\\xa0\\x80!"},
      {"\xff\xc3\xa9\xff", "\\xff\xc3\xa9\\xff"},
  };
  size_t i;
  for (i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    tvmffi_buf buf = TVMFFI_BUF_INIT;
    tvmffi_buf_append_text(&buf, kCases[i].text);
    tvmffi_buf_escape_invalid(&buf);
    assert_false(buf.failed);
    assert_string_equal(buf.data, kCases[i].escaped);
    assert_int_equal(buf.size, strlen(kCases[i].escaped));
    tvmffi_buf_fini(&buf);
  }
}

TEST(test_cutting) {
  static const char kText[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
  static const size_t kWhole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  size_t i;
  for (i = 0; i < sizeof kText; ++i) assert_int_equal(tvmffi_utf8_cut(kText, i), kWhole[i]);
  assert_int_equal(tvmffi_utf8_cut("\x80\x80\x80\x80\x80", 5), 5); /* no characters anyway */
  assert_int_equal(tvmffi_utf8_cut("\x80\x80", 2), 2);
}

/* ---- Reasons ---- */

TEST(test_a_reason_made_of_the_one_before) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  char name[5001];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  assert_string_equal(reason.to_set.text, "");
  reason.to_set.set(&reason.to_set, "%s is missing", name);
  reason.to_set.set(&reason.to_set, "%s; for the %dnd time", reason.to_set.text, 2);
  assert_int_equal(strlen(reason.to_set.text), 5000 + strlen(" is missing; for the 2nd time"));
  assert_memory_equal(reason.to_set.text, name, 5000);
  assert_string_equal(reason.to_set.text + 5000, " is missing; for the 2nd time");
  reason.to_set.set(&reason.to_set, "short");
  assert_string_equal(reason.to_set.text, "short");
  tvmffi_buf_fini(&reason.buf);
}

RUN_TESTS({
    cmocka_unit_test(test_starts_with_nothing),
    cmocka_unit_test(test_appending),
    cmocka_unit_test(test_sizes_of_shown_texts),
    cmocka_unit_test(test_growing),
    cmocka_unit_test(test_F_19_append_of_nothing),
    cmocka_unit_test(test_clear_keeps_the_memory),
    cmocka_unit_test(test_fini_leaves_an_empty_one),
    cmocka_unit_test(test_a_failure_is_remembered),
    cmocka_unit_test(test_sizes_that_overflow),
    cmocka_unit_test(test_all_characters),
    cmocka_unit_test(test_what_is_no_character),
    cmocka_unit_test(test_escapes),
    cmocka_unit_test(test_cutting),
    cmocka_unit_test(test_a_reason_made_of_the_one_before),
})

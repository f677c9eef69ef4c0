/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "core/bigint.h"
#include "support/check.h"

#define MAX INT64_MAX
#define MIN INT64_MIN

static TVMFFIByteArray words_of(const int64_t *words, size_t count) {
  TVMFFIByteArray bytes;
  bytes.data = (const char *)words;
  bytes.size = count * sizeof *words;
  return bytes;
}

/* Input words, least significant first, and the canonical words of the same number. */
static const struct {
  int64_t input[4];
  size_t num_input;
  int64_t out[4];
  size_t num_out; /* 1: the value is an Int */
} kCases[] = {
    {{0}, 0, {0}, 1},
    {{7}, 1, {7}, 1},
    {{MIN}, 1, {MIN}, 1},
    {{7, 0}, 2, {7}, 1},
    {{-7, -1}, 2, {-7}, 1},
    {{MAX, 0, 0, 0}, 4, {MAX}, 1},
    {{MIN, -1, -1, -1}, 4, {MIN}, 1},
    {{MIN, 0}, 2, {MIN, 0}, 2},   /* 2^63 */
    {{MAX, -1}, 2, {MAX, -1}, 2}, /* -2^63 - 1 */
    {{0, 1}, 2, {0, 1}, 2},       /* 2^64 */
    {{0, -1}, 2, {0, -1}, 2},     /* -2^64 */
    {{MIN, 0, 0, 0}, 4, {MIN, 0}, 2},
    {{5, MIN, 0}, 3, {5, MIN, 0}, 3}, /* the 0 keeps it positive */
    {{5, MAX, -1, -1}, 4, {5, MAX, -1}, 3},
    {{0, 0, 0, 1}, 4, {0, 0, 0, 1}, 4},
    {{-1, -1, -1, 0}, 4, {-1, -1, -1, 0}, 4},
};

TEST(test_canonical_form) {
  size_t i;
  for (i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
    TVMFFIByteArray input = words_of(kCases[i].input, kCases[i].num_input), content;
    TVMFFIAny out;
    memset(&out, 0xA5, sizeof out);
    check_ok(TVMFFIBigIntFromByteArray(&input, &out));
    assert_int_equal(out.type_index, kCases[i].num_out == 1 ? kTVMFFIInt : kTVMFFIBigInt);
    assert_int_equal(out.zero_padding, 0);
    content = TVMFFIBigIntGetContentByteArray(&out);
    assert_int_equal(content.size, 8 * kCases[i].num_out);
    assert_memory_equal(content.data, kCases[i].out, content.size);
    check_release(&out);
  }
}

TEST(test_layout) {
  const int64_t words[2] = {0, 1};
  TVMFFIByteArray input = words_of(words, 2);
  TVMFFIAny out;
  check_ok(TVMFFIBigIntFromByteArray(&input, &out));
  assert_int_equal(out.v_obj->type_index, kTVMFFIBigInt);
  assert_int_equal(check_use_count(out.v_obj), 1);
  assert_int_equal(*(size_t *)TVMFFIObjectGetBodyPtr(out.v_obj), 2);
#if UINTPTR_MAX > UINT32_MAX
  assert_ptr_equal(TVMFFIBigIntGetContentByteArray(&out).data, (char *)out.v_obj + 32);
#endif
  check_release(&out);
}

TEST(test_F_18_large_unsigned_numbers_do_not_wrap) {
  const uint64_t words[2] = {UINT64_MAX, 0};
  TVMFFIByteArray input;
  TVMFFIAny out;
  input.data = (const char *)words;
  input.size = sizeof words;
  check_ok(TVMFFIBigIntFromByteArray(&input, &out));
  assert_int_equal(out.type_index, kTVMFFIBigInt);
  assert_memory_equal(TVMFFIBigIntGetContentByteArray(&out).data, words, sizeof words);
  check_release(&out);
}

TEST(test_any_alignment) {
  char block[1 + 2 * sizeof(int64_t)];
  const int64_t words[2] = {3, 9};
  TVMFFIByteArray input;
  TVMFFIAny out;
  memcpy(block + 1, words, sizeof words);
  input.data = block + 1;
  input.size = sizeof words;
  check_ok(TVMFFIBigIntFromByteArray(&input, &out));
  assert_memory_equal(TVMFFIBigIntGetContentByteArray(&out).data, words, sizeof words);
  check_release(&out);
}

TEST(test_the_output_may_hold_the_input) {
  TVMFFIAny value = tvmffi_any_int(-42);
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(&value);
  assert_ptr_equal(content.data, &value.v_int64);
  check_ok(TVMFFIBigIntFromByteArray(&content, &value));
  assert_int_equal(value.type_index, kTVMFFIInt);
  assert_int_equal(value.v_int64, -42);
}

/* The output is None after a failure as well. */
static void check_refused(const TVMFFIByteArray *input, const char *message) {
  TVMFFIAny out, none = tvmffi_any_none();
  memset(&out, 0xA5, sizeof out);
  check_fails_with(TVMFFIBigIntFromByteArray(input, &out), "ValueError", message);
  assert_memory_equal(&out, &none, sizeof out);
}

TEST(test_refusals) {
  TVMFFIByteArray no_data = {NULL, 8}, nothing = {NULL, 0}, part = {"123456789", 9};
  TVMFFIAny out;
  check_refused(NULL, "`input`");
  check_refused(&no_data, "`input->data`");
  check_refused(&part, "BigInt content must contain whole 64-bit words");
  check_fails_with(TVMFFIBigIntFromByteArray(&part, NULL), "ValueError", "out");
  check_ok(TVMFFIBigIntFromByteArray(&nothing, &out));
  assert_int_equal(out.type_index, kTVMFFIInt);
  assert_int_equal(out.v_int64, 0);
}

static void check_no_content(const TVMFFIAny *value, const char *message) {
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(value);
  check_raised_with("TypeError", message);
  assert_null(content.data);
  assert_int_equal(content.size, 0);
}

TEST(test_content_of_other_types) {
  TVMFFIAny value = tvmffi_any_bool(1);
  check_no_content(NULL, "but got `NULL`");
  check_no_content(&value, "but got `bool`");
  value = tvmffi_any_raw_str("1");
  check_no_content(&value, "expected `int` or `ffi.BigInt` but got `const char*`");
  value = tvmffi_any_ptr(kTVMFFIBigInt, NULL);
  check_no_content(&value, NULL);
}

/* ---- Decimal digits ---- */

static int read_text(const char *text, TVMFFIAny *out) {
  TVMFFIByteArray bytes = check_bytes(text);
  return tvmffi_bigint_from_decimal(&bytes, out);
}

static TVMFFIAny number(const char *text) {
  TVMFFIAny value;
  check_ok(read_text(text, &value));
  return value;
}

static void check_again(const char *text, const char *expected) {
  TVMFFIAny value = number(text);
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  check_ok(tvmffi_bigint_append_decimal(&buf, &value));
  assert_false(buf.failed);
  assert_int_equal(buf.size, strlen(expected));
  assert_memory_equal(buf.data, expected, buf.size);
  tvmffi_buf_fini(&buf);
  check_release(&value);
}

TEST(test_texts) {
  static const char *const texts[] = {
      "0",
      "1",
      "-1",
      "999999999",
      "1000000000",
      "9223372036854775807",
      "9223372036854775808",
      "-9223372036854775808",
      "-9223372036854775809",
      "18446744073709551615",
      "18446744073709551616",
      "-18446744073709551616",
      "340282366920938463463374607431768211456",
      "-340282366920938463463374607431768211456",
      "1000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"};
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) check_again(texts[i], texts[i]);
  check_again("+12", "12");
  check_again("-0", "0");
  check_again("000000000000000000000000000000000000000000000000001", "1");
}

/* Tries every length, because the number of words is estimated from the number of digits. */
TEST(test_many_nines) {
  char text[402];
  size_t size;
  text[0] = '-';
  for (size = 1; size <= 400; ++size) {
    memset(text + 1, '9', size);
    text[size + 1] = '\0';
    check_again(text, text);
    check_again(text + 1, text + 1);
  }
}

TEST(test_small_ones_are_ints) {
  TVMFFIAny value = number("9223372036854775807");
  assert_int_equal(value.type_index, kTVMFFIInt);
  assert_true(value.v_int64 == INT64_MAX);
  value = number("-9223372036854775808");
  assert_int_equal(value.type_index, kTVMFFIInt);
  assert_true(value.v_int64 == INT64_MIN);
  value = number("9223372036854775808");
  assert_int_equal(value.type_index, kTVMFFIBigInt);
  check_release(&value);
}

TEST(test_what_is_none) {
  static const char *const texts[] = {"",   "-",   "+",   "--1", "1 ",
                                      " 1", "1e5", "0x1", "1.0", "\xd9\xa1"};
  TVMFFIAny value;
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    check_fails(read_text(texts[i], &value), "ValueError", "Invalid decimal string for ffi.BigInt");
  }
}

/* The texts are in ascending order. */
TEST(test_comparison) {
  static const char *const texts[] = {"-340282366920938463463374607431768211456",
                                      "-18446744073709551617",
                                      "-18446744073709551616",
                                      "-9223372036854775809",
                                      "-9223372036854775808",
                                      "-1",
                                      "0",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "340282366920938463463374607431768211455",
                                      "340282366920938463463374607431768211456"};
  enum { kCount = sizeof texts / sizeof *texts };
  TVMFFIAny values[kCount];
  int i, j;
  for (i = 0; i < kCount; ++i) values[i] = number(texts[i]);
  for (i = 0; i < kCount; ++i) {
    for (j = 0; j < kCount; ++j) {
      assert_int_equal(tvmffi_bigint_compare(&values[i], &values[j]), (i > j) - (i < j));
    }
  }
  for (i = 0; i < kCount; ++i) check_release(&values[i]);
}

RUN_TESTS({
    cmocka_unit_test(test_canonical_form),
    cmocka_unit_test(test_layout),
    cmocka_unit_test(test_F_18_large_unsigned_numbers_do_not_wrap),
    cmocka_unit_test(test_any_alignment),
    cmocka_unit_test(test_the_output_may_hold_the_input),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_content_of_other_types),
    cmocka_unit_test(test_texts),
    cmocka_unit_test(test_many_nines),
    cmocka_unit_test(test_small_ones_are_ints),
    cmocka_unit_test(test_what_is_none),
    cmocka_unit_test(test_comparison),
})

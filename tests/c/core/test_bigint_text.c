/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "core/bigint.h"
#include "support/check.h"

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

static void test_texts(void **state) {
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
  (void)state;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) check_again(texts[i], texts[i]);
  check_again("+12", "12");
  check_again("-0", "0");
  check_again("000000000000000000000000000000000000000000000000001", "1");
}

/* Tries every length, because the number of words is estimated from the number of digits. */
static void test_many_nines(void **state) {
  char text[402];
  size_t size;
  (void)state;
  text[0] = '-';
  for (size = 1; size <= 400; ++size) {
    memset(text + 1, '9', size);
    text[size + 1] = '\0';
    check_again(text, text);
    check_again(text + 1, text + 1);
  }
}

static void test_small_ones_are_ints(void **state) {
  TVMFFIAny value = number("9223372036854775807");
  (void)state;
  assert_int_equal(value.type_index, kTVMFFIInt);
  assert_true(value.v_int64 == INT64_MAX);
  value = number("-9223372036854775808");
  assert_int_equal(value.type_index, kTVMFFIInt);
  assert_true(value.v_int64 == INT64_MIN);
  value = number("9223372036854775808");
  assert_int_equal(value.type_index, kTVMFFIBigInt);
  check_release(&value);
}

static void test_what_is_none(void **state) {
  static const char *const texts[] = {"",   "-",   "+",   "--1", "1 ",
                                      " 1", "1e5", "0x1", "1.0", "\xd9\xa1"};
  TVMFFIAny value;
  size_t i;
  (void)state;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    check_fails(read_text(texts[i], &value), "ValueError", "Invalid decimal string for ffi.BigInt");
  }
}

/* The texts are in ascending order. */
static void test_comparison(void **state) {
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
  (void)state;
  for (i = 0; i < kCount; ++i) values[i] = number(texts[i]);
  for (i = 0; i < kCount; ++i) {
    for (j = 0; j < kCount; ++j) {
      assert_int_equal(tvmffi_bigint_compare(&values[i], &values[j]), (i > j) - (i < j));
    }
  }
  for (i = 0; i < kCount; ++i) check_release(&values[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_many_nines),
      cmocka_unit_test(test_small_ones_are_ints),
      cmocka_unit_test(test_what_is_none),
      cmocka_unit_test(test_comparison),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, compared with the C library, which is correct in the locale "C". */
#include <float.h>
#include <locale.h>
#include <math.h>

#include "core/any.h"
#include "json/json.h"
#include "support/check.h"

/* Returns the number of bytes read, or -1 if the text is refused. */
static int read(const char *text, TVMFFIAny *out) {
  const char *cursor = text;
  if (!tvmffi_json_read_number(&cursor, text + strlen(text), out)) {
    assert_ptr_equal(cursor, text);
    return -1;
  }
  return (int)(cursor - text);
}

static void check_int(const char *text, int64_t expected) {
  TVMFFIAny value;
  assert_int_equal(read(text, &value), strlen(text));
  assert_int_equal(value.type_index, kTVMFFIInt);
  assert_true(value.v_int64 == expected);
}

static void check_float(const char *text, double expected) {
  TVMFFIAny value;
  assert_int_equal(read(text, &value), strlen(text));
  if (value.type_index != kTVMFFIFloat || value.v_float64 != expected) print_error("%s\n", text);
  assert_int_equal(value.type_index, kTVMFFIFloat);
  assert_memory_equal(&value.v_float64, &expected, sizeof expected);
}

TEST(test_ints) {
  TVMFFIAny value;
  check_int("0", 0);
  check_int("-0", 0);
  check_int("+1", 1);
  check_int("-007", -7);
  check_int("9223372036854775807", INT64_MAX);
  check_int("-9223372036854775808", INT64_MIN);
  check_int("000000000000000000000000000012", 12);
  check_float("9223372036854775808", 9223372036854775808.0);
  check_float("-9223372036854775809", -9223372036854775808.0);
  check_float("100000000000000000000", 1e20);
  assert_int_equal(read("12,", &value), 2);
  assert_int_equal(read("1_0", &value), 1);
}

TEST(test_floats) {
  char text[1200];
  check_float("-0.0", -0.0);
  check_float(".5", 0.5);
  check_float("5.", 5);
  check_float("+.5e+1", 5);
  check_float("1E-3", 0.001);
  check_float("0e999999999999999999999", 0);
  check_float("1.7976931348623157e308", DBL_MAX);
  check_float("2.2250738585072014e-308", DBL_MIN);
  check_float("4.9406564584124654e-324", 4.9406564584124654e-324);
  check_float("-1e-310", -1e-310);
  check_float("9007199254740993.0", 9007199254740992.0); /* exactly half way: rounded to even */
  check_float("9007199254740993.00000000000000000001", 9007199254740994.0);
  /* One of many digits decides the rounding; a large exponent compensates many zeros. */
  memset(text, '0', sizeof text);
  memcpy(text, "9007199254740993.", 17);
  memcpy(text + 1100, "1", 2);
  check_float(text, 9007199254740994.0);
  memcpy(text + 1100, "0", 2);
  check_float(text, 9007199254740992.0);
  text[0] = '1';
  memset(text + 1, '0', 1000);
  memcpy(text + 1001, "e-1000", 7);
  check_float(text, 1);
  memcpy(text, "0.", 2);
  memcpy(text + 1001, "5e1000", 7);
  check_float(text, 5);
}

TEST(test_what_is_no_number) {
  static const char *const kTexts[] = {".",
                                       "+",
                                       "-",
                                       "--1",
                                       "1e",
                                       "1e+",
                                       ".e1",
                                       "1.5.2",
                                       "1-2",
                                       "1+",
                                       "1e5.5",
                                       "1e1e1",
                                       "e5",
                                       "Inf",
                                       "1e400",
                                       "-1e400",
                                       "x",
                                       "1e-400",
                                       "1e99999999999999999999",
                                       "1e-99999999999999999999",
                                       "1.7976931348623159e308",
                                       "2e-324"};
  TVMFFIAny value;
  size_t i;
  for (i = 0; i < sizeof kTexts / sizeof *kTexts; ++i)
    assert_int_equal(read(kTexts[i], &value), -1);
}

static void check_written(double value) {
  char text[kTvmffiJsonMaxNumber + 1] = "", expected[64];
  size_t size = tvmffi_json_write_float(value, text);
  bool is_integer = value < 1e17 && value > -1e17 && (double)(int64_t)value == value;
  assert_true(size < kTvmffiJsonMaxNumber);
  text[size] = '\0';
  (void)snprintf(expected, sizeof expected, is_integer ? "%.1f" : "%.17g", value);
  assert_string_equal(text, expected);
  check_float(text, value);
}

/* Reads the value printed with various numbers of digits, up to more than a float has. */
static void check_read(double value) {
  char text[64];
  int digits;
  for (digits = 0; digits < 22; digits += 3) {
    (void)snprintf(text, sizeof text, "%.*e", digits, value);
    if (strtod(text, NULL) <= DBL_MAX) check_float(text, strtod(text, NULL));
  }
}

static uint64_t next_random(void) {
  static uint64_t random = UINT64_C(88172645463325252);
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return random;
}

TEST(test_many) {
  static const double kValues[] = {0.0,
                                   -0.0,
                                   1,
                                   -1.5,
                                   0.1,
                                   1e15,
                                   9007199254740991.0,
                                   9007199254740992.0,
                                   1e16,
                                   1e17,
                                   12345678901234567.0,
                                   0.0001,
                                   0.00012345,
                                   1e-5,
                                   123456789.125,
                                   9.5367431640625e-07,
                                   0.99999999999999989,
                                   9.9999999999999982,
                                   DBL_MAX,
                                   DBL_MIN,
                                   5e-324};
  size_t i;
  int exponent;
  for (i = 0; i < sizeof kValues / sizeof *kValues; ++i) check_written(kValues[i]);
  for (i = 0; i < 20000; ++i) {
    uint64_t bits = next_random() & (UINT64_MAX >> 1);
    double value, fraction = (double)(next_random() >> 11) / 9007199254740992.0;
    memcpy(&value, &bits, sizeof value);
    check_written(-fraction);
    check_written((double)(next_random() % 1000000) / 1000);
    if (!(value <= DBL_MAX)) continue;
    check_written(value);
    check_read(value);
  }
  for (exponent = -323; exponent <= 308; ++exponent) { /* every power of ten and its neighbours */
    char text[16];
    uint64_t bits;
    double value;
    (void)snprintf(text, sizeof text, "1e%d", exponent);
    value = strtod(text, NULL);
    memcpy(&bits, &value, sizeof bits);
    for (--bits, i = 0; i < 3; ++bits, ++i) {
      memcpy(&value, &bits, sizeof value);
      check_written(value);
      check_read(value);
    }
  }
}

TEST(test_what_is_no_float) {
  char text[kTvmffiJsonMaxNumber];
  assert_int_equal(tvmffi_json_write_float(HUGE_VAL - HUGE_VAL, text), 3);
  assert_memory_equal(text, "NaN", 3);
  assert_int_equal(tvmffi_json_write_float(HUGE_VAL, text), 8);
  assert_memory_equal(text, "Infinity", 8);
  assert_int_equal(tvmffi_json_write_float(-HUGE_VAL, text), 9);
  assert_memory_equal(text, "-Infinity", 9);
}

/* In a locale with a decimal comma, which the C library's functions use too. */
TEST(test_a_locale) {
  static const char *const kNames[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
  char text[kTvmffiJsonMaxNumber];
  double value = 1;
  size_t i = 0;
  while (i < 4 && setlocale(LC_NUMERIC, kNames[i]) == NULL) ++i;
  if (i == 4) skip();
  check_float("9007199254740993.00000000000000000001", 9007199254740994.0);
  check_float("1.0000000000000001110223024625157", 1.0000000000000002);
  for (i = 0; i < 2000; ++i, value *= 1.01) {
    size_t size = tvmffi_json_write_float(value, text);
    const char *cursor = text;
    TVMFFIAny again;
    assert_null(memchr(text, ',', size));
    assert_true(tvmffi_json_read_number(&cursor, text + size, &again));
    assert_true(again.v_float64 == value);
  }
  (void)setlocale(LC_NUMERIC, "C");
}

RUN_TESTS({
    cmocka_unit_test(test_ints),
    cmocka_unit_test(test_floats),
    cmocka_unit_test(test_what_is_no_number),
    cmocka_unit_test(test_many),
    cmocka_unit_test(test_what_is_no_float),
    cmocka_unit_test(test_a_locale),
})

/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes every code of every format, and checks how values between two codes are rounded. */
#include <math.h>

#include "support/check.h"

#include "value/number.h"

static const small_float *find(int code, int bits) {
  DLDataType dtype;
  const small_float *format;
  dtype.code = (uint8_t)code;
  dtype.bits = (uint8_t)bits;
  dtype.lanes = 1;
  format = small_float_find(dtype);
  assert_non_null(format);
  return format;
}

static const struct {
  int code, bits;
} kAll[] = {{kDLFloat, 16}, {kDLBfloat, 16}, {7, 8},  {8, 8},  {9, 8},  {10, 8}, {11, 8},
            {12, 8},        {13, 8},         {14, 8}, {15, 6}, {16, 6}, {17, 4}};

TEST(test_every_code_reads_back) {
  size_t i;
  for (i = 0; i < sizeof kAll / sizeof *kAll; ++i) {
    const small_float *format = find(kAll[i].code, kAll[i].bits);
    uint32_t bits;
    for (bits = 0; bits < (uint32_t)1 << format->bits; ++bits) {
      double value = small_float_decode(format, bits);
      if (isnan(value)) {
        assert_true(isnan(small_float_decode(format, small_float_encode(format, value))));
      } else {
        assert_int_equal(small_float_encode(format, value), bits);
      }
    }
  }
}

/* Round to nearest, ties to even. */
TEST(test_rounding) {
  size_t i;
  for (i = 0; i < sizeof kAll / sizeof *kAll; ++i) {
    const small_float *format = find(kAll[i].code, kAll[i].bits);
    uint32_t sign = format->kind == kSmallExponent ? 0 : (uint32_t)1 << (format->bits - 1), bits;
    for (bits = 0; bits + 1 < (uint32_t)1 << (format->bits - (sign != 0)); ++bits) {
      double low = small_float_decode(format, bits), high = small_float_decode(format, bits + 1);
      double middle = (low + high) / 2;
      if (isnan(high) || isinf(high)) break;
      assert_int_equal(small_float_encode(format, middle), bits + (bits & 1));
      assert_int_equal(small_float_encode(format, nextafter(middle, low)), bits);
      assert_int_equal(small_float_encode(format, nextafter(middle, high)), bits + 1);
      if (sign != 0 && bits != 0) {
        assert_int_equal(small_float_encode(format, -middle), sign | (bits + (bits & 1)));
      }
    }
  }
}

/* Values listed in the descriptions of the formats. */
TEST(test_known_values) {
  assert_true(small_float_decode(find(kDLFloat, 16), 0x3c00) == 1);
  assert_true(small_float_decode(find(kDLFloat, 16), 0x7bff) == 65504);
  assert_true(small_float_decode(find(kDLFloat, 16), 1) == ldexp(1, -24));
  assert_true(isinf(small_float_decode(find(kDLFloat, 16), 0xfc00)));
  assert_true(small_float_decode(find(kDLBfloat, 16), 0x4049) == 3.140625);
  assert_true(small_float_decode(find(7, 8), 0x6f) == 15.5);
  assert_true(small_float_decode(find(8, 8), 0x77) == 240);
  assert_true(small_float_decode(find(9, 8), 0x7f) == 30);
  assert_true(small_float_decode(find(10, 8), 0x7e) == 448);
  assert_true(isnan(small_float_decode(find(10, 8), 0x7f)));
  assert_true(small_float_decode(find(11, 8), 0x7f) == 240);
  assert_true(isnan(small_float_decode(find(11, 8), 0x80)));
  assert_true(small_float_decode(find(12, 8), 0x7b) == 57344);
  assert_true(small_float_decode(find(13, 8), 0x7f) == 57344);
  assert_true(small_float_decode(find(14, 8), 0) == ldexp(1, -127));
  assert_true(small_float_decode(find(14, 8), 254) == ldexp(1, 127));
  assert_true(small_float_decode(find(15, 6), 0x1f) == 7.5);
  assert_true(small_float_decode(find(16, 6), 0x1f) == 28);
  assert_true(small_float_decode(find(17, 4), 7) == 6);
}

TEST(test_too_large) {
  assert_int_equal(small_float_encode(find(kDLFloat, 16), 65519), 0x7bff);
  assert_int_equal(small_float_encode(find(kDLFloat, 16), 65520), 0x7c00);
  assert_int_equal(small_float_encode(find(kDLFloat, 16), -1e300), 0xfc00);
  assert_int_equal(small_float_encode(find(10, 8), 464), 0x7e);
  assert_int_equal(small_float_encode(find(10, 8), 465), 0x7f);
  assert_int_equal(small_float_encode(find(10, 8), -HUGE_VAL), 0xff);
  assert_int_equal(small_float_encode(find(11, 8), 1e9), 0x80);
  assert_int_equal(small_float_encode(find(11, 8), -1e-9), 0);
  assert_int_equal(small_float_encode(find(17, 4), 1e9), 7);
  assert_int_equal(small_float_encode(find(17, 4), -HUGE_VAL), 15);
  assert_int_equal(small_float_encode(find(14, 8), 0), 255);
  assert_int_equal(small_float_encode(find(14, 8), -1), 255);
  assert_int_equal(small_float_encode(find(14, 8), 1e300), 255);
  assert_int_equal(small_float_encode(find(14, 8), 1e-300), 0);
}

RUN_TESTS({
    cmocka_unit_test(test_every_code_reads_back),
    cmocka_unit_test(test_rounding),
    cmocka_unit_test(test_known_values),
    cmocka_unit_test(test_too_large),
})

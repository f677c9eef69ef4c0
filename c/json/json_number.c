/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers from and to text. A float is multiplied by a power of ten in 64 bits, with a known error
 * bound. In the rare cases where the error could change the rounding, the C library does the
 * conversion. Its decimal point depends on the locale, so strtod is given a text without one, and
 * the one that snprintf writes is skipped.
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/utf8.h"
#include "core/any.h"
#include "json/json.h"

/* ---- Times a power of ten ---- */

/* bits * 2^exponent, normalised: the highest bit is set. */
typedef struct {
  uint64_t bits;
  int exponent;
} scaled;

/* A power from 10^-352 to 10^351 is the product of a small one and a large one. */
enum { kNumSmall = 16, kNumLarge = 44, kMinPower = -352, kMaxPower = 351 };

/* The high bits of 10^0, 10^1, ...; these are exact. */
static const uint64_t kSmallPowers[kNumSmall] = {
    UINT64_C(0x8000000000000000), UINT64_C(0xa000000000000000), UINT64_C(0xc800000000000000),
    UINT64_C(0xfa00000000000000), UINT64_C(0x9c40000000000000), UINT64_C(0xc350000000000000),
    UINT64_C(0xf424000000000000), UINT64_C(0x9896800000000000), UINT64_C(0xbebc200000000000),
    UINT64_C(0xee6b280000000000), UINT64_C(0x9502f90000000000), UINT64_C(0xba43b74000000000),
    UINT64_C(0xe8d4a51000000000), UINT64_C(0x9184e72a00000000), UINT64_C(0xb5e620f480000000),
    UINT64_C(0xe35fa931a0000000)};

/* The high bits of 10^-352, 10^-336, ..., rounded to nearest. */
static const uint64_t kLargePowers[kNumLarge] = {
    UINT64_C(0xcd42a11346f34f7d), UINT64_C(0xe3e27a444d8d98b8), UINT64_C(0xfd00b897478238d1),
    UINT64_C(0x8c71dcd9ba0b4926), UINT64_C(0x9becce62836ac577), UINT64_C(0xad1c8eab5ee43b67),
    UINT64_C(0xc0314325637a193a), UINT64_C(0xd5605fcdcf32e1d7), UINT64_C(0xece53cec4a314ebe),
    UINT64_C(0x8380dea93da4bc60), UINT64_C(0x91ff83775423cc06), UINT64_C(0xa21727db38cb0030),
    UINT64_C(0xb3f4e093db73a093), UINT64_C(0xc7caba6e7c5382c9), UINT64_C(0xddd0467c64bce4a1),
    UINT64_C(0xf64335bcf065d37d), UINT64_C(0x88b402f7fd75539b), UINT64_C(0x97c560ba6b0919a6),
    UINT64_C(0xa87fea27a539e9a5), UINT64_C(0xbb127c53b17ec159), UINT64_C(0xcfb11ead453994ba),
    UINT64_C(0xe69594bec44de15b), UINT64_C(0x8000000000000000), UINT64_C(0x8e1bc9bf04000000),
    UINT64_C(0x9dc5ada82b70b59e), UINT64_C(0xaf298d050e4395d7), UINT64_C(0xc2781f49ffcfa6d5),
    UINT64_C(0xd7e77a8f87daf7fc), UINT64_C(0xefb3ab16c59b14a3), UINT64_C(0x850fadc09923329e),
    UINT64_C(0x93ba47c980e98ce0), UINT64_C(0xa402b9c5a8d3a6e7), UINT64_C(0xb616a12b7fe617aa),
    UINT64_C(0xca28a291859bbf93), UINT64_C(0xe070f78d3927556b), UINT64_C(0xf92e0c3537826146),
    UINT64_C(0x8a5296ffe33cc930), UINT64_C(0x9991a6f3d6bf1766), UINT64_C(0xaa7eebfb9df9de8e),
    UINT64_C(0xbd49d14aa79dbc82), UINT64_C(0xd226fc195c6a2f8c), UINT64_C(0xe950df20247c83fd),
    UINT64_C(0x81842f29f2cce376), UINT64_C(0x8fcac257558ee4e6)};

/* floor(log2(10^power)), for the powers in the tables. */
static int floor_log2(int power) {
  /* fixed point; kBias avoids shifting negatives */
  enum { kLog2Of10 = 217706, kBits = 16, kBias = 2000 };
  return ((power * kLog2Of10 + (kBias << kBits)) >> kBits) - kBias;
}

/*
 * x times the power of ten with the given high bits. The error that x had stays; truncation loses
 * less than 1, and rounded power_bits are off by up to half a unit. Normalisation may double all of
 * this.
 */
static void multiply_scaled(scaled *x, uint64_t power_bits, int power) {
  x->bits = tvmffi_multiply_high(x->bits, power_bits);
  x->exponent += floor_log2(power) + 1;
  if (x->bits >> 63 == 0) {
    x->bits <<= 1;
    --x->exponent;
  }
}

/*
 * mantissa * 10^power, for a mantissa above 0 and powers from kMinPower to kMaxPower. The bits are
 * less than 2 * (2 * 1 + 1 + 0.5) too small, and less than 2 * 0.5 too large.
 */
enum { kMaxLoss = 7 };

static scaled scale(uint64_t mantissa, int power) {
  unsigned large = (unsigned)(power - kMinPower) / kNumSmall,
           small = (unsigned)(power - kMinPower) % kNumSmall;
  int zeros = tvmffi_leading_zeros(mantissa);
  scaled x;
  x.bits = mantissa << zeros;
  x.exponent = -zeros;
  if (small != 0) multiply_scaled(&x, kSmallPowers[small], (int)small);
  if (power < 0 || power >= kNumSmall) multiply_scaled(&x, kLargePowers[large], power - (int)small);
  return x;
}

/* Whether the error could put the dropped bits on the wrong side of one half. */
static bool is_near_half(uint64_t dropped, uint64_t half) {
  return half - dropped <= kMaxLoss;
}

/* ---- Reading ---- */

enum { kMantissaBits = 52, kMaxDigits = 800, kMaxExponent = 100000 };

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* False when more digits are needed to round, or the result may not be a normal number. */
static bool make_float(uint64_t mantissa, int64_t exponent, double *out) {
  enum { kDropped = 63 - kMantissaBits, kBias = 1023 + kMantissaBits, kMaxBiased = 2046 };
  uint64_t dropped, kept;
  scaled x;
  int biased;
  if (exponent < kMinPower || exponent > kMaxPower) return false;
  x = scale(mantissa, (int)exponent);
  dropped = x.bits & ((1u << kDropped) - 1);
  biased = x.exponent + kDropped + kBias;
  if (is_near_half(dropped, 1u << (kDropped - 1))) return false;
  if (biased < 1 || biased >= kMaxBiased) return false;
  kept = (x.bits >> kDropped) + (dropped >> (kDropped - 1)); /* a carry increments the exponent */
  *out = from_bits(((uint64_t)(biased - 1) << kMantissaBits) + kept);
  return true;
}

/*
 * The same for any number of digits, which may contain a point; exponent is that of the last digit.
 * The first kMaxDigits are copied, and one more digit tells whether the rest are all 0. False when
 * out of range.
 */
TVMFFI_COLD static bool make_long_float(const char *digits, const char *end, int64_t exponent,
                                        double *out) {
  char text[kMaxDigits + kTvmffiJsonMaxNumber];
  size_t num = 0;
  char rest = '0';
  for (; digits < end; ++digits) {
    if (*digits == '.' || (*digits == '0' && num == 0)) continue;
    if (num < kMaxDigits) {
      text[num++] = *digits;
    } else {
      if (*digits != '0') rest = '1';
      ++exponent;
    }
  }
  if (num == kMaxDigits) {
    text[num++] = rest;
    --exponent;
  }
  if (exponent < -kMaxExponent || exponent > kMaxExponent) return false;
  text[num++] = 'e';
  num += tvmffi_json_write_int(exponent, text + num);
  text[num] = '\0';
  *out = strtod(text, NULL);
  return *out != 0 && *out <= DBL_MAX;
}

static const char *skip_zeros(const char *p, const char *end) {
  while (p < end && *p == '0') ++p;
  return p;
}

/* Appends digits to a number. Overflow is not reported. */
static const char *read_digits(const char *p, const char *end, uint64_t *number) {
  uint64_t value = *number;
  for (; p < end && tvmffi_is_digit(*p); ++p) value = 10 * value + (uint64_t)(*p - '0');
  *number = value;
  return p;
}

/* Reads what follows the e. The exponent is capped: no text has enough digits to offset more. */
static const char *read_exponent(const char *p, const char *end, int64_t *out) {
  const int64_t kEnough = INT64_MAX / 100;
  bool is_negative = p < end && *p == '-';
  const char *first;
  int64_t value = 0;
  if (p < end && (*p == '-' || *p == '+')) ++p;
  for (first = p; p < end && tvmffi_is_digit(*p); ++p) {
    if (value < kEnough) value = 10 * value + (*p - '0');
  }
  *out += is_negative ? -value : value;
  return p == first ? NULL : p;
}

bool tvmffi_json_read_number(const char **cursor, const char *end, TVMFFIAny *out) {
  enum { kSafeDigits = 19 };
  const char *p = *cursor, *digits, *first, *digits_end;
  bool is_negative = *p == '-', is_float = false;
  uint64_t mantissa = 0;
  ptrdiff_t num_digits, num_significant;
  int64_t exponent = 0;
  double value = 0;
  if (*p == '-' || *p == '+') ++p;
  digits = p;
  first = skip_zeros(p, end);
  p = read_digits(first, end, &mantissa);
  num_significant = p - first;
  num_digits = p - digits;
  if (p < end && *p == '.') {
    const char *fraction = ++p;
    first = num_significant == 0 ? skip_zeros(p, end) : p;
    p = read_digits(first, end, &mantissa);
    num_significant += p - first;
    num_digits += p - fraction;
    exponent = fraction - p;
    is_float = true;
  }
  if (num_digits == 0) return false;
  digits_end = p;
  if (p < end && (*p == 'e' || *p == 'E')) {
    p = read_exponent(p + 1, end, &exponent);
    if (p == NULL) return false;
    is_float = true;
  }
  if (p < end && (*p == '.' || *p == '-' || *p == '+' || *p == 'e' || *p == 'E')) return false;
  if (!is_float && num_significant <= kSafeDigits &&
      mantissa <= (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
    *out = tvmffi_any_int((int64_t)(is_negative ? 0 - mantissa : mantissa));
  } else {
    if (num_significant != 0 &&
        !(num_significant <= kSafeDigits && make_float(mantissa, exponent, &value)) &&
        !make_long_float(digits, digits_end, exponent, &value)) {
      return false;
    }
    *out = tvmffi_any_float(is_negative ? -value : value);
  }
  *cursor = p;
  return true;
}

/* ---- Writing ---- */

enum { kNumDigits = 17 };

/* Writes right-aligned and returns the first digit. */
static char *write_digits(uint64_t value, char *end) {
  const uint64_t kTenth = UINT64_C(0xcccccccccccccccd); /* 2^67 / 10, rounded up */
  do {
    uint64_t tenth = tvmffi_multiply_high(value, kTenth) >> 3; /* faster than dividing by 10 */
    *--end = (char)('0' + (value - 10 * tenth));
    value = tenth;
  } while (value != 0);
  return end;
}

size_t tvmffi_json_write_int(int64_t value, char *out) {
  char digits[20], *first;
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  size_t size;
  first = write_digits(magnitude, digits + sizeof digits);
  size = (size_t)(digits + sizeof digits - first);
  if (value < 0) *out = '-';
  memcpy(out + (value < 0), first, size);
  return size + (value < 0);
}

/* floor(log10(2^power)), for the exponents of floats. */
static int floor_log10(int power) {
  enum { kLog10Of2 = 315653, kBits = 20, kBias = 400 };
  return ((power * kLog10Of2 + (kBias << kBits)) >> kBits) - kBias;
}

/*
 * The 17 digits of a float above 0, and the exponent of the first digit. False when the digits that
 * follow would decide the rounding.
 */
static bool make_digits(double value, char digits[kNumDigits], int *out_exponent) {
  const uint64_t kLeast = UINT64_C(10000000000000000); /* the least number of 17 digits */
  uint64_t bits, mantissa, number = 0;
  int exponent, biased, power;
  memcpy(&bits, &value, sizeof bits);
  biased = (int)(bits >> kMantissaBits);
  mantissa = bits & ((UINT64_C(1) << kMantissaBits) - 1);
  if (biased == 0) return false; /* subnormal: it has fewer significant digits */
  mantissa |= UINT64_C(1) << kMantissaBits;
  exponent = floor_log10(biased - 1023); /* too small by one at most */
  for (power = kNumDigits - 1 - exponent;; --power) {
    scaled x = scale(mantissa, power);
    int shift = -(x.exponent + biased - 1023 - kMantissaBits);
    uint64_t dropped = x.bits & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    number = (x.bits >> shift) + (dropped >= half);
    if (number >= 10 * kLeast) continue;
    if (is_near_half(dropped, half)) return false;
    break;
  }
  *out_exponent = kNumDigits - 1 - power;
  (void)write_digits(number, digits + kNumDigits);
  return true;
}

/* The same by the C library: a digit, the locale's point, 16 digits, an exponent like e-300. */
TVMFFI_COLD static void print_digits(double value, char digits[kNumDigits], int *out_exponent) {
  char text[64], *e, *p;
  (void)snprintf(text, sizeof text, "%.16e", value);
  e = strrchr(text, 'e');
  digits[0] = text[0];
  memcpy(digits + 1, e - (kNumDigits - 1), kNumDigits - 1);
  for (*out_exponent = 0, p = e + 2; *p != '\0'; ++p) *out_exponent = 10 * *out_exponent + *p - '0';
  if (e[1] == '-') *out_exponent = -*out_exponent;
}

size_t tvmffi_json_write_float(double value, char *out) {
  const double kIntegers = 9007199254740992.0; /* up to 2^53 every integer is a float */
  char digits[kNumDigits], *p = out;
  int exponent, num = kNumDigits;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) {
    memcpy(out, "NaN", 3);
    return 3;
  }
  if (bits >> 63 != 0) {
    *p++ = '-';
    value = -value;
  }
  if (value > DBL_MAX) {
    memcpy(p, "Infinity", 8);
    return (size_t)(p + 8 - out);
  }
  if (value < kIntegers && (double)(int64_t)value == value) {
    p += tvmffi_json_write_int((int64_t)value, p);
    memcpy(p, ".0", 2);
    return (size_t)(p + 2 - out);
  }
  if (!make_digits(value, digits, &exponent)) print_digits(value, digits, &exponent);
  while (num > 1 && digits[num - 1] == '0') --num;
  if (exponent < 0 && exponent >= -4) {
    memcpy(p, "0.000", 5);
    p += 1 - exponent;
    memcpy(p, digits, (size_t)num);
    return (size_t)(p + num - out);
  }
  if (exponent >= 0 && exponent < kNumDigits) {
    int whole = exponent + 1;
    memcpy(p, digits, (size_t)whole);
    p += whole;
    *p++ = '.';
    if (num <= whole) { /* without a fraction it would read back as an int */
      *p++ = '0';
      return (size_t)(p - out);
    }
    memcpy(p, digits + whole, (size_t)(num - whole));
    return (size_t)(p + num - whole - out);
  }
  *p++ = digits[0];
  if (num > 1) {
    *p++ = '.';
    memcpy(p, digits + 1, (size_t)(num - 1));
    p += num - 1;
  }
  *p++ = 'e';
  *p++ = exponent < 0 ? '-' : '+';
  if (exponent < 0) exponent = -exponent;
  if (exponent < 10) *p++ = '0';
  p += tvmffi_json_write_int(exponent, p);
  return (size_t)(p - out);
}

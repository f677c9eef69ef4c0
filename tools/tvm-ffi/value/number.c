/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "value/number.h"

/* ---- Names of data types ---- */

/* IREE's letters before the number of bits. The first entry of a code is the one used for
 * writing. */
static const struct {
  const char *prefix;
  uint8_t code;
} kPrefixes[] = {
    {"i", kDLInt},   {"si", kDLInt},    {"ui", kDLUInt},   {"u", kDLUInt},
    {"f", kDLFloat}, {"bf", kDLBfloat}, {"c", kDLComplex},
};

/* Parses "32" or "32x4", but not "8e4m3". */
static bool read_bits(const char *given, DLDataType *out) {
  char *end;
  long bits = isdigit((unsigned char)*given) ? strtol(given, &end, 10) : 0, lanes = 1;
  if (bits < 1 || bits > 255) return false;
  if (*end == 'x' && isdigit((unsigned char)end[1])) lanes = strtol(end + 1, &end, 10);
  if (*end != '\0' || lanes < 1 || lanes > INT16_MAX) return false;
  out->bits = (uint8_t)bits;
  out->lanes = (uint16_t)lanes;
  return true;
}

static bool parse(const char *name, DLDataType *out) {
  if (tvm_ffi_dtype_parse(name, out) == 0 && out->lanes != 0 && out->bits != 0) return true;
  TVMFFIErrorSetRaised(NULL);
  return false;
}

bool dtype_read(const char *name, size_t size, DLDataType *out) {
  char lower[kDtypeTextSize], longer[kDtypeTextSize + 8];
  size_t i;
  if (size == 0 || size >= sizeof lower) return false;
  for (i = 0; i < size; ++i) lower[i] = (char)tolower((unsigned char)name[i]);
  lower[size] = '\0';
  for (i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
    size_t length = strlen(kPrefixes[i].prefix);
    if (strncmp(lower, kPrefixes[i].prefix, length) == 0 && read_bits(lower + length, out)) {
      out->code = kPrefixes[i].code;
      if (i == 0 && out->bits == 1) { /* i1 is MLIR's bool, one byte in memory */
        out->code = kDLBool;
        out->bits = 8;
      }
      return true;
    }
  }
  if (lower[0] == 'f' && isdigit((unsigned char)lower[1]) && lower[2] == 'e') {
    snprintf(longer, sizeof longer, "float%c_%s", lower[1], lower + 2); /* f8e4m3fn */
    return parse(longer, out);
  }
  return parse(lower, out);
}

char *dtype_write(DLDataType dtype, char *buffer) {
  size_t i;
  int size = 0;
  if (dtype.code == kDLBool && dtype.bits == 8) {
    size = snprintf(buffer, kDtypeTextSize, "bool");
  } else {
    for (i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
      if (kPrefixes[i].code != dtype.code || (dtype.code == kDLInt && dtype.bits == 1)) continue;
      size = snprintf(buffer, kDtypeTextSize, "%s%d", kPrefixes[i].prefix, (int)dtype.bits);
      break;
    }
  }
  if (size > 0) {
    if (dtype.lanes != 1) {
      snprintf(buffer + size, kDtypeTextSize - (size_t)size, "x%d", (int)dtype.lanes);
    }
    return buffer;
  }
  tvm_ffi_dtype_print(dtype, buffer, kDtypeTextSize);
  if (strncmp(buffer, "float", 5) == 0 && strchr(buffer, '_') != NULL) { /* float8_e4m3fn */
    char *rest = strchr(buffer, '_') + 1;
    buffer[1] = buffer[5];
    memmove(buffer + 2, rest, strlen(rest) + 1);
  }
  return buffer;
}

/* ---- Names of devices ---- */

enum { kMostDeviceTypes = 64 }; /* more than there are */

void device_list(text_buf *out) {
  int32_t type;
  for (type = 1; type < kMostDeviceTypes; ++type) {
    const char *name = tvm_ffi_device_get_type_name(type);
    if (name != NULL) text_add(out, "%s%s", type > 1 ? ", " : "", name);
  }
}

/* ---- Small floating-point formats ---- */

/* DLPack has the codes from 7 on since version 1.1. */
static const small_float kFormats[] = {
    {kDLFloat, 16, 5, 10, 15, kSmallIeee}, {kDLBfloat, 16, 8, 7, 127, kSmallIeee},
    {7, 8, 3, 4, 3, kSmallIeee},           {8, 8, 4, 3, 7, kSmallIeee},
    {9, 8, 4, 3, 11, kSmallFnuz},          {10, 8, 4, 3, 7, kSmallFinite},
    {11, 8, 4, 3, 8, kSmallFnuz},          {12, 8, 5, 2, 15, kSmallIeee},
    {13, 8, 5, 2, 16, kSmallFnuz},         {14, 8, 8, 0, 127, kSmallExponent},
    {15, 6, 2, 3, 1, kSmallSaturate},      {16, 6, 3, 2, 3, kSmallSaturate},
    {17, 4, 2, 1, 1, kSmallSaturate},
};

const small_float *small_float_find(DLDataType dtype) {
  size_t i;
  for (i = 0; i < sizeof kFormats / sizeof *kFormats; ++i) {
    if (kFormats[i].code == dtype.code && kFormats[i].bits == dtype.bits) return &kFormats[i];
  }
  return NULL;
}

static uint32_t get_sign_bit(const small_float *f) {
  return f->kind == kSmallExponent ? 0 : (uint32_t)1 << (f->bits - 1);
}

/* All bits of the exponent set, none of the mantissa. */
static uint32_t get_exponent_mask(const small_float *f) {
  return (((uint32_t)1 << f->exponent) - 1) << f->mantissa;
}

/* The bits of NaN, or of the largest number if the format has no NaN. */
static uint32_t get_nan(const small_float *f) {
  switch (f->kind) {
    case kSmallIeee:
      return get_exponent_mask(f) | (uint32_t)1 << (f->mantissa - 1);
    case kSmallFnuz:
      return get_sign_bit(f);
    default:
      return get_exponent_mask(f) | (((uint32_t)1 << f->mantissa) - 1);
  }
}

static uint32_t get_largest(const small_float *f) {
  switch (f->kind) {
    case kSmallIeee:
      return get_exponent_mask(f) - 1;
    case kSmallFinite:
    case kSmallExponent:
      return get_nan(f) - 1;
    default:
      return get_exponent_mask(f) | (((uint32_t)1 << f->mantissa) - 1);
  }
}

double small_float_decode(const small_float *f, uint32_t bits) {
  uint32_t sign = bits & get_sign_bit(f), magnitude = bits & ~get_sign_bit(f);
  uint32_t exponent = magnitude >> f->mantissa;
  uint32_t mantissa = magnitude & (((uint32_t)1 << f->mantissa) - 1);
  double value;
  if (f->kind == kSmallFnuz ? bits == get_nan(f) : magnitude > get_largest(f)) {
    bool infinite = f->kind == kSmallIeee && mantissa == 0;
    value = infinite ? HUGE_VAL : (double)NAN;
  } else if (f->kind == kSmallExponent) {
    value = ldexp(1, (int)bits - f->bias);
  } else if (exponent == 0) {
    value = ldexp(mantissa, 1 - f->bias - f->mantissa);
  } else {
    value = ldexp(mantissa + ((uint32_t)1 << f->mantissa), (int)exponent - f->bias - f->mantissa);
  }
  return sign != 0 ? -value : value;
}

/* Rounds to the nearest power of two, ties to the even code. */
static uint32_t encode_exponent(const small_float *f, double value) {
  int exponent;
  double part;
  if (!(value > 0) || isinf(value)) return get_nan(f);
  part = frexp(value, &exponent); /* 0.5 <= part < 1 */
  exponent += f->bias - 1;
  if (part > 0.75 || (part == 0.75 && exponent % 2 != 0)) ++exponent;
  if (exponent < 0) return 0;
  return exponent > (int)get_largest(f) ? get_nan(f) : (uint32_t)exponent;
}

uint32_t small_float_encode(const small_float *f, double value) {
  uint32_t sign = signbit(value) ? get_sign_bit(f) : 0, code;
  int exponent, lowest = 1 - f->bias;
  if (f->kind == kSmallExponent) return encode_exponent(f, value);
  if (isnan(value)) return f->kind == kSmallFnuz ? get_nan(f) : sign | get_nan(f);
  code = get_largest(f) + 1;
  if (!isinf(value)) {
    frexp(value, &exponent);
    --exponent;
    if (value == 0 || exponent < lowest) exponent = lowest;
    if (exponent <= f->bias + 1) { /* otherwise it is too large, and the sum could overflow */
      /* A mantissa that rounds up to a power of two carries into the exponent. */
      code = (uint32_t)rint(ldexp(fabs(value), f->mantissa - exponent)) +
             ((uint32_t)(exponent - lowest) << f->mantissa);
    }
  }
  if (code > get_largest(f)) {
    code = f->kind == kSmallIeee       ? get_exponent_mask(f)
           : f->kind == kSmallSaturate ? get_largest(f)
                                       : get_nan(f);
  }
  if (f->kind == kSmallFnuz && (code == 0 || code == get_nan(f))) return code;
  return sign | code;
}

/* ---- Elements of tensors ---- */

static bool is_integer(DLDataType dtype) {
  return dtype.code == kDLInt || dtype.code == kDLUInt || dtype.code == kDLBool;
}

/* The bits of one number; a complex element is two. */
static unsigned get_bits(DLDataType dtype) {
  return dtype.code == kDLComplex ? dtype.bits / 2u : dtype.bits;
}

bool numbers_known(DLDataType dtype) {
  unsigned bits = get_bits(dtype);
  if (dtype.lanes == 0 || dtype.lanes > INT16_MAX) return false;
  if (dtype.code == kDLFloat || dtype.code == kDLComplex) {
    if (bits == 32 || bits == 64) return true;
  }
  if (dtype.code == kDLBool) return bits == 8;
  if (is_integer(dtype)) {
    return bits == 64 || bits == 32 || bits == 16 || (bits >= 1 && bits <= 8);
  }
  return small_float_find(dtype) != NULL;
}

size_t numbers_per_element(DLDataType dtype) {
  return (size_t)dtype.lanes * (dtype.code == kDLComplex ? 2 : 1);
}

/* ---- Bits: whole bytes in native byte order, smaller numbers from the lowest bit ---- */

static uint64_t get_raw(unsigned bits, const void *data, size_t i) {
  const unsigned char *bytes = data;
  uint64_t raw = 0;
  unsigned k;
  if (bits == 64) {
    memcpy(&raw, bytes + 8 * i, 8);
  } else if (bits == 32) {
    uint32_t word;
    memcpy(&word, bytes + 4 * i, 4);
    raw = word;
  } else if (bits == 16) {
    uint16_t word;
    memcpy(&word, bytes + 2 * i, 2);
    raw = word;
  } else if (bits == 8) {
    raw = bytes[i];
  } else {
    for (k = 0; k < bits; ++k) {
      size_t bit_index = i * bits + k;
      raw |= (uint64_t)((bytes[bit_index / 8] >> (bit_index % 8)) & 1) << k;
    }
  }
  return raw;
}

static void set_raw(unsigned bits, void *data, size_t i, uint64_t raw) {
  unsigned char *bytes = data;
  unsigned k;
  if (bits == 64) {
    memcpy(bytes + 8 * i, &raw, 8);
  } else if (bits == 32) {
    uint32_t word = (uint32_t)raw;
    memcpy(bytes + 4 * i, &word, 4);
  } else if (bits == 16) {
    uint16_t word = (uint16_t)raw;
    memcpy(bytes + 2 * i, &word, 2);
  } else if (bits == 8) {
    bytes[i] = (unsigned char)raw;
  } else {
    for (k = 0; k < bits; ++k) {
      size_t bit_index = i * bits + k;
      unsigned bit = 1u << (bit_index % 8);
      bytes[bit_index / 8] = (unsigned char)((raw >> k & 1) != 0 ? bytes[bit_index / 8] | bit
                                                                 : bytes[bit_index / 8] & ~bit);
    }
  }
}

static double raw_to_real(DLDataType dtype, uint64_t raw) {
  unsigned bits = get_bits(dtype);
  double wide;
  float narrow;
  uint32_t word = (uint32_t)raw;
  if (bits == 64) {
    memcpy(&wide, &raw, sizeof wide);
    return wide;
  }
  if (bits == 32) {
    memcpy(&narrow, &word, sizeof narrow);
    return (double)narrow;
  }
  return small_float_decode(small_float_find(dtype), word);
}

/* Rounds from a double; a float32 uses `narrow`, converted directly from the text, so as not to
 * round twice. */
static uint64_t real_to_raw(DLDataType dtype, double wide, float narrow) {
  unsigned bits = get_bits(dtype);
  uint64_t raw;
  uint32_t word;
  if (bits == 64) {
    memcpy(&raw, &wide, sizeof raw);
    return raw;
  }
  if (bits == 32) {
    memcpy(&word, &narrow, sizeof word);
    return word;
  }
  return small_float_encode(small_float_find(dtype), wide);
}

/* ---- Numbers ---- */

number number_get(DLDataType dtype, const void *data, size_t i) {
  unsigned bits = get_bits(dtype);
  number out;
  out.u = get_raw(bits, data, i);
  out.i = (int64_t)out.u;
  if (!is_integer(dtype)) {
    out.kind = kNumberReal;
    out.real = raw_to_real(dtype, out.u);
  } else if (dtype.code == kDLInt) {
    uint64_t sign = (uint64_t)1 << (bits - 1);
    out.kind = kNumberInt;
    out.i = (int64_t)((out.u ^ sign) - sign);
    out.real = (double)out.i;
  } else {
    out.kind = kNumberUInt;
    out.real = (double)out.u;
  }
  return out;
}

/* The bits of the i-th number as an integer, in the order of the numbers. */
static int64_t get_rank(const void *data, size_t width, size_t i) {
  uint64_t bits = 0, sign;
  uint8_t byte;
  uint16_t half;
  uint32_t single;
  if (width == 8) memcpy(&byte, (const char *)data + i, 1), bits = byte;
  if (width == 16) memcpy(&half, (const char *)data + 2 * i, 2), bits = half;
  if (width == 32) memcpy(&single, (const char *)data + 4 * i, 4), bits = single;
  if (width == 64) memcpy(&bits, (const char *)data + 8 * i, 8);
  sign = UINT64_C(1) << (width - 1);
  return (bits & sign) != 0 ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

bool number_count_steps(DLDataType dtype, const void *a, const void *b, size_t i, uint64_t *out) {
  const size_t width = dtype.code == kDLComplex ? dtype.bits / 2u : dtype.bits;
  const number x = number_get(dtype, a, i), y = number_get(dtype, b, i);
  const small_float *format = small_float_find(dtype);
  int64_t first, second;
  if (x.kind != kNumberReal || isnan(x.real) || isnan(y.real)) return false;
  if ((width != 8 && width != 16 && width != 32 && width != 64) ||
      (format != NULL && format->kind == kSmallExponent)) { /* that one has no sign */
    return false;
  }
  first = get_rank(a, width, i);
  second = get_rank(b, width, i);
  *out = first > second ? (uint64_t)first - (uint64_t)second : (uint64_t)second - (uint64_t)first;
  return true;
}

static const char *not_fitting(DLDataType dtype) {
  static char message[kDtypeTextSize + 16];
  char name[kDtypeTextSize];
  dtype.lanes = 1;
  snprintf(message, sizeof message, "does not fit %s", dtype_write(dtype, name));
  return message;
}

int number_base(const char *word) {
  if (*word == '+' || *word == '-') ++word;
  return word[0] == '0' && (word[1] == 'x' || word[1] == 'X') ? 16 : 10;
}

static const char *set_integer(DLDataType dtype, void *data, size_t i, const char *word) {
  unsigned bits = get_bits(dtype);
  uint64_t raw;
  char *end;
  errno = 0;
  if (dtype.code == kDLBool && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)) {
    raw = *word == 't';
  } else if (dtype.code == kDLInt || *word == '-') {
    long long value = strtoll(word, &end, number_base(word));
    long long high = (long long)(((uint64_t)1 << (bits - 1)) - 1);
    if (end == word || *end != '\0') return "is not an integer";
    if (dtype.code != kDLInt && value < 0) return not_fitting(dtype);
    if (errno == ERANGE || value > high || value < -high - 1) return not_fitting(dtype);
    raw = (uint64_t)value;
  } else {
    unsigned long long value = strtoull(word, &end, number_base(word));
    unsigned long long high = dtype.code == kDLBool ? 1 : UINT64_MAX >> (64 - bits);
    if (end == word || *end != '\0') return "is not an integer";
    if (errno == ERANGE || value > high) return not_fitting(dtype);
    raw = value;
  }
  set_raw(bits, data, i, raw);
  return NULL;
}

const char *number_set(DLDataType dtype, void *data, size_t i, const char *word) {
  double wide;
  char *end;
  if (is_integer(dtype)) return set_integer(dtype, data, i, word);
  wide = text_read_real(word, &end);
  if (end == word || *end != '\0') return "is not a number";
  set_raw(get_bits(dtype), data, i, real_to_raw(dtype, wide, text_read_real32(word)));
  return NULL;
}

void number_set_real(DLDataType dtype, void *data, size_t i, double value) {
  uint64_t raw =
      is_integer(dtype) ? (uint64_t)(int64_t)value : real_to_raw(dtype, value, (float)value);
  set_raw(get_bits(dtype), data, i, raw);
}

void number_copy(DLDataType dtype, void *data, size_t source, size_t dest) {
  unsigned bits = get_bits(dtype);
  set_raw(bits, data, dest, get_raw(bits, data, source));
}

/* Prints six digits if they give the exact value; otherwise the fewest digits that read back as the
 * same number, without an exponent where printf writes none. */
static void write_real(text_buf *out, DLDataType dtype, double value) {
  const char *six_digits = REAL_G(6, value);
  int precision;
  uint64_t raw = real_to_raw(dtype, value, (float)value);
  if (isnan(value)) {
    text_add(out, "nan");
    return;
  }
  if (text_read_real(six_digits, NULL) == value) {
    text_add(out, "%s", six_digits);
    return;
  }
  for (precision = 1; precision < 17; ++precision) {
    const char *digits = REAL_G(precision, value);
    if (real_to_raw(dtype, text_read_real(digits, NULL), text_read_real32(digits)) == raw) break;
  }
  value = precision < 6 ? text_read_real(REAL_G(precision, value), NULL) : value;
  text_add(out, "%s", REAL_G(precision < 6 ? 6 : precision, value));
}

void number_write(text_buf *out, DLDataType dtype, const void *data, size_t i) {
  number value = number_get(dtype, data, i);
  if (value.kind == kNumberReal) {
    write_real(out, dtype, value.real);
  } else if (value.kind == kNumberInt) {
    text_add(out, "%" PRId64, value.i);
  } else {
    text_add(out, "%" PRIu64, value.u);
  }
}

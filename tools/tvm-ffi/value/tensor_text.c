/* SPDX-License-Identifier: Apache-2.0 */
#include "value/tensor_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/dtype_text.h"
#include "value/small_float.h"

static bool is_integer(DLDataType dtype) {
  return dtype.code == kDLInt || dtype.code == kDLUInt || dtype.code == kDLBool;
}

/* Bits of a number: half of a complex one. */
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

/* ---- Bits: of whole bytes in the order of the machine, of fewer from the lowest bit on ---------
 */

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
      size_t at = i * bits + k;
      raw |= (uint64_t)((bytes[at / 8] >> (at % 8)) & 1) << k;
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
      size_t at = i * bits + k;
      unsigned bit = 1u << (at % 8);
      bytes[at / 8] =
          (unsigned char)((raw >> k & 1) != 0 ? bytes[at / 8] | bit : bytes[at / 8] & ~bit);
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

/* Rounded from a double, or for float32 from the text itself, which is not to be rounded twice. */
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

/* ---- Numbers -----------------------------------------------------------------------------------
 */

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
    if (end == word || *end != '\0') return "is no integer";
    if (dtype.code != kDLInt && value < 0) return not_fitting(dtype);
    if (errno == ERANGE || value > high || value < -high - 1) return not_fitting(dtype);
    raw = (uint64_t)value;
  } else {
    unsigned long long value = strtoull(word, &end, number_base(word));
    unsigned long long high = dtype.code == kDLBool ? 1 : UINT64_MAX >> (64 - bits);
    if (end == word || *end != '\0') return "is no integer";
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
  wide = strtod(word, &end);
  if (end == word || *end != '\0') return "is no number";
  set_raw(get_bits(dtype), data, i, real_to_raw(dtype, wide, strtof(word, NULL)));
  return NULL;
}

void number_set_real(DLDataType dtype, void *data, size_t i, double value) {
  uint64_t raw =
      is_integer(dtype) ? (uint64_t)(int64_t)value : real_to_raw(dtype, value, (float)value);
  set_raw(get_bits(dtype), data, i, raw);
}

void number_copy(DLDataType dtype, void *data, size_t from, size_t to) {
  unsigned bits = get_bits(dtype);
  set_raw(bits, data, to, get_raw(bits, data, from));
}

/* The very value if six digits are enough for it; else as few as read as the same number, which %g
 * then writes without an exponent if it can. */
static void write_real(text *to, DLDataType dtype, double value) {
  char digits[40];
  int precision;
  uint64_t raw = real_to_raw(dtype, value, (float)value);
  if (isnan(value)) {
    text_add(to, "nan");
    return;
  }
  snprintf(digits, sizeof digits, "%g", value);
  if (strtod(digits, NULL) == value) {
    text_add(to, "%s", digits);
    return;
  }
  for (precision = 1; precision < 17; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (real_to_raw(dtype, strtod(digits, NULL), strtof(digits, NULL)) == raw) break;
  }
  if (precision < 6) {
    text_add(to, "%g", strtod(digits, NULL));
  } else {
    text_add(to, "%.*g", precision, value);
  }
}

void number_write(text *to, DLDataType dtype, const void *data, size_t i) {
  number value = number_get(dtype, data, i);
  if (value.kind == kNumberReal) {
    write_real(to, dtype, value.real);
  } else if (value.kind == kNumberInt) {
    text_add(to, "%" PRId64, value.i);
  } else {
    text_add(to, "%" PRIu64, value.u);
  }
}

/* ---- Tensors -----------------------------------------------------------------------------------
 */

void tensor_type_write(text *to, DLDataType dtype, const int64_t *shape, int32_t ndim) {
  char name[kDtypeTextSize];
  int32_t i;
  for (i = 0; i < ndim; ++i) text_add(to, "%" PRId64 "x", shape[i]);
  text_add(to, "%s", dtype_write(dtype, name));
}

/* How many of the dimensions, lanes as the last of them, begin anew at this number. */
static int32_t count_borders(const int64_t *extents, int32_t ndim, size_t i) {
  int32_t borders = 0;
  size_t block = 1;
  while (borders < ndim) {
    block *= (size_t)extents[ndim - 1 - borders];
    if (block == 0 || i % block != 0) break;
    ++borders;
  }
  return borders;
}

static void repeat(text *to, const char *what, int32_t count) {
  while (count-- > 0) text_add(to, "%s", what);
}

/* As IREE writes them: one dimension bare, of more every row but not the whole in brackets. */
static void write_numbers(text *to, DLDataType dtype, const int64_t *extents, int32_t ndim,
                          const void *data, size_t count, size_t max_numbers) {
  size_t i;
  for (i = 0; i < count; ++i) {
    int32_t borders = count_borders(extents, ndim, i);
    if (borders >= ndim) borders = ndim - 1;
    if (i > 0) repeat(to, "]", borders);
    if (i == max_numbers) {
      text_add(to, "...");
      return;
    }
    if (ndim > 1 && (i == 0 || borders > 0)) {
      repeat(to, "[", i == 0 ? ndim - 1 : borders);
    } else if (i > 0) {
      text_add(to, " ");
    }
    number_write(to, dtype, data, i);
  }
  if (count > 0) repeat(to, "]", ndim - 1);
}

void tensor_write(text *to, DLDataType dtype, const int64_t *shape, int32_t ndim, const void *data,
                  size_t max_elements) {
  size_t per_element = numbers_per_element(dtype), count = per_element;
  int64_t *extents = tool_alloc(((size_t)ndim + 1) * sizeof *extents);
  int32_t i;
  for (i = 0; i < ndim; ++i) {
    extents[i] = shape[i];
    count *= (size_t)shape[i];
  }
  tensor_type_write(to, dtype, shape, ndim);
  text_add(to, "=");
  if (per_element > 1) extents[ndim++] = (int64_t)per_element;
  write_numbers(to, dtype, extents, ndim, data, count,
                max_elements > SIZE_MAX / per_element ? SIZE_MAX : max_elements * per_element);
  free(extents);
}

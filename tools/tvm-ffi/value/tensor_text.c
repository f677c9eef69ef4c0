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

void number_copy(DLDataType dtype, void *data, size_t source, size_t dest) {
  unsigned bits = get_bits(dtype);
  set_raw(bits, data, dest, get_raw(bits, data, source));
}

/* Prints six digits if they give the exact value; otherwise the fewest digits that read back as the
 * same number, without an exponent if %g permits. */
static void write_real(text *out, DLDataType dtype, double value) {
  char digits[40];
  int precision;
  uint64_t raw = real_to_raw(dtype, value, (float)value);
  if (isnan(value)) {
    text_add(out, "nan");
    return;
  }
  snprintf(digits, sizeof digits, "%g", value);
  if (strtod(digits, NULL) == value) {
    text_add(out, "%s", digits);
    return;
  }
  for (precision = 1; precision < 17; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (real_to_raw(dtype, strtod(digits, NULL), strtof(digits, NULL)) == raw) break;
  }
  if (precision < 6) {
    text_add(out, "%g", strtod(digits, NULL));
  } else {
    text_add(out, "%.*g", precision, value);
  }
}

void number_write(text *out, DLDataType dtype, const void *data, size_t i) {
  number value = number_get(dtype, data, i);
  if (value.kind == kNumberReal) {
    write_real(out, dtype, value.real);
  } else if (value.kind == kNumberInt) {
    text_add(out, "%" PRId64, value.i);
  } else {
    text_add(out, "%" PRIu64, value.u);
  }
}

/* ---- Tensors ---- */

void tensor_type_write(text *out, DLDataType dtype, const int64_t *shape, int32_t ndim) {
  char name[kDtypeTextSize];
  int32_t i;
  for (i = 0; i < ndim; ++i) text_add(out, "%" PRId64 "x", shape[i]);
  text_add(out, "%s", dtype_write(dtype, name));
}

static void repeat(text *out, const char *piece, int32_t count) {
  while (count-- > 0) text_add(out, "%s", piece);
}

/* A position in a tensor that is written. Dimensions count lanes as the last one. */
typedef struct {
  const int64_t *extents;
  int32_t ndim;
  int32_t num_elided; /* the first dimensions, which may be elided */
  int64_t edge;       /* how much of these is written at either end; 0: all */
  int64_t *index;
  size_t number; /* the position in memory */
} position;

static bool is_elided(const position *at, int32_t dim) {
  return at->edge > 0 && dim < at->num_elided && at->extents[dim] > 2 * at->edge;
}

/* Moves to the next number that is written. Returns the number of innermost dimensions that begin
 * anew, or ndim at the end; *out_skips says whether numbers were left out. */
static int32_t advance(position *at, bool *out_skips) {
  int32_t dim;
  size_t block = 1;
  *out_skips = false;
  for (dim = at->ndim - 1; dim >= 0; --dim) {
    const size_t extent = (size_t)at->extents[dim];
    ++at->index[dim];
    at->number += block;
    if (is_elided(at, dim) && at->index[dim] == at->edge) {
      const int64_t last = at->extents[dim] - at->edge;
      at->number += (size_t)(last - at->index[dim]) * block;
      at->index[dim] = last;
      *out_skips = true;
    }
    if (at->index[dim] < at->extents[dim]) break;
    at->index[dim] = 0;
    at->number -= extent * block;
    block *= extent;
  }
  return at->ndim - 1 - dim;
}

/* How many numbers are written with this edge; SIZE_MAX if there are more. */
static size_t count_written(const position *at) {
  size_t count = 1;
  int32_t dim;
  for (dim = 0; dim < at->ndim; ++dim) {
    const size_t extent = (size_t)(is_elided(at, dim) ? 2 * at->edge : at->extents[dim]);
    if (extent == 0) return 0;
    count = count > SIZE_MAX / extent ? SIZE_MAX : count * extent;
  }
  return count;
}

/* IREE's format: one dimension without brackets; of several, brackets around every row but not
 * around the whole. */
static void write_numbers(text *out, DLDataType dtype, position *at, const void *data,
                          size_t max_numbers) {
  const int32_t outer = at->ndim > 1 ? at->ndim - 1 : 0;
  size_t num_written = 0;
  int32_t borders = 0;
  bool skips;
  if (count_written(at) == 0) return;
  repeat(out, max_numbers > 0 ? "[" : "", outer);
  for (;;) {
    if (num_written++ == max_numbers) {
      text_add(out, "...");
      return;
    }
    number_write(out, dtype, data, at->number);
    borders = advance(at, &skips);
    if (borders == at->ndim) break;
    repeat(out, "]", borders);
    if (num_written == max_numbers) continue;
    if (borders > 0) {
      text_add(out, skips ? "..." : "");
      repeat(out, "[", borders);
    } else {
      text_add(out, skips ? " ... " : " ");
    }
  }
  repeat(out, "]", outer);
}

const tensor_detail kTensorWhole = {SIZE_MAX, SIZE_MAX}, kTensorElided = {1000, 1000};

void tensor_write(text *out, DLDataType dtype, const int64_t *shape, int32_t ndim, const void *data,
                  const tensor_detail *detail) {
  enum { kEdge = 3 }; /* as NumPy has it */
  const size_t per_element = numbers_per_element(dtype);
  int64_t *extents = tool_alloc(2 * ((size_t)ndim + 1) * sizeof *extents);
  position at;
  int32_t i;
  memset(&at, 0, sizeof at);
  for (i = 0; i < ndim; ++i) extents[i] = shape[i];
  at.extents = extents;
  at.ndim = at.num_elided = ndim;
  if (per_element > 1) extents[at.ndim++] = (int64_t)per_element;
  at.index = extents + at.ndim;
  memset(at.index, 0, (size_t)at.ndim * sizeof *at.index);
  tensor_type_write(out, dtype, shape, ndim);
  text_add(out, "=");
  if (count_written(&at) / per_element > detail->max_unelided) {
    at.edge = kEdge;
    while (at.edge > 1 && count_written(&at) / per_element > detail->max_unelided) --at.edge;
  }
  write_numbers(out, dtype, &at, data,
                detail->max_elements > SIZE_MAX / per_element ? SIZE_MAX
                                                              : detail->max_elements * per_element);
  free(extents);
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVMFFI_BASE_INTEGERS_H_
#define TVMFFI_BASE_INTEGERS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Sums and products that may overflow ---- */

/* Arithmetic with overflow checks: on overflow returns false and leaves *out as it was. */

static inline bool tvmffi_checked_add_size(size_t a, size_t b, size_t *out) {
  if (a > SIZE_MAX - b) return false;
  *out = a + b;
  return true;
}

static inline bool tvmffi_checked_mul_size(size_t a, size_t b, size_t *out) {
  if (b != 0 && a > SIZE_MAX / b) return false;
  *out = a * b;
  return true;
}

/* base + count * element: the size of a struct with a flexible array member. */
static inline bool tvmffi_checked_array_size(size_t base, size_t count, size_t element,
                                             size_t *out) {
  size_t bytes;
  return tvmffi_checked_mul_size(count, element, &bytes) &&
         tvmffi_checked_add_size(base, bytes, out);
}

/* Requires a, b >= 0. */
static inline bool tvmffi_checked_mul_i64(int64_t a, int64_t b, int64_t *out) {
  if (b != 0 && a > INT64_MAX / b) return false;
  *out = a * b;
  return true;
}

/* ---- Operations on 64 bits, numbers in the byte order of files and hashes ---- */

/* The upper 64 bits of the 128-bit product; the lower ones are a * b. */
static inline uint64_t tvmffi_multiply_high(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 u128;
  return (uint64_t)((u128)a * b >> 64);
#else
  uint64_t a_low = (uint32_t)a, a_high = a >> 32;
  uint64_t b_low = (uint32_t)b, b_high = b >> 32;
  uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  uint64_t cross = a_low * b_high + (uint32_t)middle;
  return a_high * b_high + (middle >> 32) + (cross >> 32);
#endif
}

/* The number of zero bits above the highest set bit; undefined for x == 0. */
static inline int tvmffi_leading_zeros(uint64_t x) {
#if defined(__GNUC__)
  return __builtin_clzll(x);
#else
  int shift, zeros = 0;
  for (shift = 32; shift != 0; shift /= 2) {
    if (x >> (64 - shift) != 0) continue;
    x <<= shift;
    zeros += shift;
  }
  return zeros;
#endif
}

/* The little-endian number of 8 bytes at any address. */
static inline uint64_t tvmffi_load_le64(const void *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

#endif /* TVMFFI_BASE_INTEGERS_H_ */

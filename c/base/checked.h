/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic with overflow checks: on overflow returns false and leaves *out as it was. */
#ifndef TVMFFI_BASE_CHECKED_H_
#define TVMFFI_BASE_CHECKED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* TVMFFI_BASE_CHECKED_H_ */

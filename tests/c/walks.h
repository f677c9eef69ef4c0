/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over two values that should be equal. Each returns 0, or -1 with the error raised. */
#ifndef TESTS_C_WALKS_H_
#define TESTS_C_WALKS_H_

#include "core/error.h"
#include "dataclass/dataclass.h"
#include "structural/structural.h"
#include "walk_support.h"

static const tvmffi_structural_options kPlain = {false, false};

static inline int print(const TVMFFIAny *values) {
  TVMFFIAny text;
  TVMFFI_TRY(tvmffi_repr(&values[0], &text));
  tvmffi_any_release(&text);
  return 0;
}

static inline int equal(const TVMFFIAny *values) {
  bool is_equal = true;
  TVMFFI_TRY(tvmffi_recursive_equal(&values[0], &values[1], &is_equal));
  return is_equal ? 0 : tvmffi_fail("AssertionError", "different");
}

static inline int order(const TVMFFIAny *values) {
  int order = 0;
  TVMFFI_TRY(tvmffi_recursive_compare(&values[0], &values[1], &order));
  return order == 0 ? 0 : tvmffi_fail("AssertionError", "different");
}

static inline int hash(const TVMFFIAny *values) {
  uint64_t a, b;
  TVMFFI_TRY(tvmffi_recursive_hash(&values[0], &a));
  TVMFFI_TRY(tvmffi_recursive_hash(&values[1], &b));
  return a == b ? 0 : tvmffi_fail("AssertionError", "different");
}

static inline int equal_structurally(const TVMFFIAny *values) {
  bool is_equal = true;
  TVMFFI_TRY(tvmffi_structural_equal(&values[0], &values[1], kPlain, &is_equal));
  return is_equal ? 0 : tvmffi_fail("AssertionError", "different");
}

static inline int hash_structurally(const TVMFFIAny *values) {
  uint64_t a, b;
  TVMFFI_TRY(tvmffi_structural_hash(&values[0], kPlain, &a));
  TVMFFI_TRY(tvmffi_structural_hash(&values[1], kPlain, &b));
  return a == b ? 0 : tvmffi_fail("AssertionError", "different");
}

#endif /* TESTS_C_WALKS_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of registering types. */
#ifndef TESTS_C_TYPE_SUPPORT_H_
#define TESTS_C_TYPE_SUPPORT_H_

#include "support/check.h"

enum { kNoParent = -1, kQueryOnly = -2 };

static inline int32_t register_type(const char *key, int32_t static_index, int32_t depth,
                                    int32_t num_slots, int can_overflow, int32_t parent) {
  TVMFFIByteArray bytes = check_bytes(key);
  return TVMFFITypeGetOrAllocIndex(&bytes, static_index, depth, num_slots, can_overflow, parent);
}

/* Registers a type of this depth, whose parent has depth - 1; returns its index. */
static inline int32_t add(const char *key, int32_t depth, int32_t num_slots, int32_t parent) {
  int32_t index = register_type(key, -1, depth, num_slots, 1, parent);
  if (index < 0) check_not_raised();
  assert_true(index >= 0);
  return index;
}

static inline void refuse(int32_t index, const char *message) {
  assert_int_equal(index, -1);
  check_raised_with("InternalError", message);
}

static inline int32_t query(const char *key) {
  return register_type(key, -1, 1, 0, 1, kQueryOnly);
}

#endif /* TESTS_C_TYPE_SUPPORT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of reflection. */
#ifndef TESTS_C_REFLECT_SUPPORT_H_
#define TESTS_C_REFLECT_SUPPORT_H_

#include "support/check.h"

static inline int32_t add_type(const char *key, int32_t depth, int32_t parent) {
  TVMFFIByteArray bytes = check_bytes(key);
  int32_t index = TVMFFITypeGetOrAllocIndex(&bytes, -1, depth, 0, 1, parent);
  assert_true(index >= 0);
  return index;
}

static inline TVMFFIFieldInfo make_field(const char *name) {
  TVMFFIFieldInfo field;
  memset(&field, 0, sizeof field);
  field.name = check_bytes(name);
  return field;
}

/* A setter as TVMFFIFieldInfo has it: a data pointer. */
static inline void *setter_pointer(TVMFFIFieldSetter setter) {
  union {
    TVMFFIFieldSetter function;
    void *address;
  } cast;
  cast.function = setter;
  return cast.address;
}

static inline int add_field(int32_t type_index, const char *name) {
  TVMFFIFieldInfo field = make_field(name);
  return TVMFFITypeRegisterField(type_index, &field);
}

#endif /* TESTS_C_REFLECT_SUPPORT_H_ */

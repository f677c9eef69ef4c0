/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of global functions. */
#ifndef TESTS_C_GLOBAL_SUPPORT_H_
#define TESTS_C_GLOBAL_SUPPORT_H_

#include "core/any.h"
#include "core/global.h"
#include "support/check.h"

/* A function that does nothing. */
static inline TVMFFIObjectHandle new_function(void) {
  TVMFFIObjectHandle function = NULL;
  check_ok(TVMFFIFunctionCreate(NULL, call_nothing, NULL, &function));
  return function;
}

static inline int set_global(const char *name, TVMFFIObjectHandle function, int allow_override) {
  TVMFFIByteArray bytes = check_bytes(name);
  return TVMFFIFunctionSetGlobal(&bytes, function, allow_override);
}

/* Returns the global function of this name, or NULL if there is none. */
static inline TVMFFIObjectHandle get_global(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = NULL;
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &function));
  return function;
}

/* Checks that the global function of this name is `expected`. */
static inline void check_is(const char *name, TVMFFIObjectHandle expected) {
  TVMFFIObjectHandle function = get_global(name);
  assert_ptr_equal(function, expected);
  TVMFFIObjectDecRef(function);
}

/* Removes the name; returns whether it was registered. */
static inline bool remove_name(const char *name) {
  bool removed = false;
  check_ok(tvmffi_global_remove(name, strlen(name), &removed));
  return removed;
}

static inline void check_metadata(const char *name, const char *expected) {
  TVMFFIAny metadata = tvmffi_any_none();
  check_ok(tvmffi_global_metadata(name, strlen(name), &metadata));
  check_str(&metadata, expected);
}

#endif /* TESTS_C_GLOBAL_SUPPORT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of loaders without memory. */
#ifndef TESTS_OOM_LOADER_SUPPORT_H_
#define TESTS_OOM_LOADER_SUPPORT_H_

#include "core/any.h"
#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

static tvmffi_library *library;

/* A loader that makes a module of `library`. */
static inline int give_module(void *handle, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  TVMFFIObject *module;
  (void)handle;
  (void)args;
  (void)num_args;
  if (tvmffi_library_new_module(library, &module) != 0) return -1;
  *result = tvmffi_any_object(module);
  return 0;
}

static inline void not_loaded(void *out) {
  assert_null(*(TVMFFIObject **)out);
  assert_int_equal(check_use_count(library), 1);
}

static inline void release(void *out) {
  TVMFFIObjectDecRef(*(TVMFFIObject **)out);
}

/* Counts the failed allocations until load(TVMFFIObject **out) succeeds with that loader. */
static inline long check_load(const char *loader_name, int (*load)(void *out)) {
  static const TVMFFIByteArray no_prefix = {"", 0};
  TVMFFIByteArray name = check_bytes(loader_name);
  TVMFFIObjectHandle loader;
  TVMFFIObject *module = NULL;
  long num_failures;
  check_ok(TVMFFIFunctionCreate(NULL, give_module, NULL, &loader));
  check_ok(TVMFFIFunctionSetGlobal(&name, loader, 0));
  TVMFFIObjectDecRef(loader);
  check_ok(TVMFFIFunctionGetGlobal(&name, &loader)); /* creates this thread's record */
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  num_failures = oom_check(load, not_loaded, release, &module, 0);
  TVMFFIObjectDecRef(library);
  TVMFFIObjectDecRef(loader);
  return num_failures;
}

#endif /* TESTS_OOM_LOADER_SUPPORT_H_ */

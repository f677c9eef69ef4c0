/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C++ helper library does for this one: calls methods that may throw, and throws. It
 * holds nothing and calls nothing of the runtime, so that one of it serves any number of runtimes.
 */
#ifndef TVMFFI_MODULE_CXX_HELPER_H_
#define TVMFFI_MODULE_CXX_HELPER_H_

#include <tvm/ffi/c_api.h>

#include "module/module_method.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TVMFFI_CXX_HELPER_SYMBOL "tvmffi_cxx_helper_v1"

/* What was caught. */
typedef struct {
  TVMFFIObject *error; /* owned: of a tvm::ffi::Error; NULL: something else was thrown */
  char text[512];      /* then: what it says */
} tvmffi_cxx_thrown;

typedef struct {
  /*
   * Calls a method of a C++ module; self is where C++ code says that is. Texts among the arguments
   * are owned ones, SmallStr or Str. 0 with *result, which is what the method gave, unchecked (its
   * kind as a RawStr, NULL as None), or None; -1 with *thrown.
   */
  int (*call)(void *self, tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *result,
              tvmffi_cxx_thrown *thrown);
  /* Throws a tvm::ffi::Error, which takes the reference. Does not come back. */
  void (*raise)(TVMFFIObject *error);
} tvmffi_cxx_helper;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVMFFI_MODULE_CXX_HELPER_H_ */

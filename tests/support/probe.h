/* SPDX-License-Identifier: Apache-2.0 */
/* An object that counts the calls of its deleter. */
#ifndef TESTS_SUPPORT_PROBE_H_
#define TESTS_SUPPORT_PROBE_H_

#include <tvm/ffi/c_api.h>

typedef struct {
  TVMFFIObject header;
  int strong_deletes; /* how often its contents were destroyed */
  int weak_deletes;   /* how often its memory was to be returned */
} probe;

/* Prepares a probe of type ffi.Object with one reference. It lives in the caller's variable. */
void probe_init(probe *p);

#endif /* TESTS_SUPPORT_PROBE_H_ */

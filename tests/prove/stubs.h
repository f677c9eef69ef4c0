/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands for the rest of the library in proofs: allocations that may fail, errors that are
 * counted.
 */
#ifndef TESTS_PROVE_STUBS_H_
#define TESTS_PROVE_STUBS_H_

#include <stdlib.h>

#include "base/alloc.h"
#include "core/error.h"
#include "prove.h"

static size_t num_allocated; /* and not freed */

void *tvmffi_alloc(size_t size) {
  void *memory = choose_bool() ? malloc(size != 0 ? size : 1) : NULL;
  if (memory != NULL) ++num_allocated;
  return memory;
}

void *tvmffi_alloc_zeroed(size_t count, size_t size) {
  void *memory;
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  memory = choose_bool() ? calloc(count, size) : NULL;
  if (memory != NULL) ++num_allocated;
  return memory;
}

void tvmffi_free(void *memory) {
  if (memory == NULL) return;
  --num_allocated;
  free(memory);
}

static size_t num_failures; /* errors that were raised */

void tvmffi_error_raisef(const char *kind, const char *format, ...) {
  (void)kind, (void)format;
  ++num_failures;
}

void tvmffi_error_raise_memory(void) {
  ++num_failures;
}

#endif /* TESTS_PROVE_STUBS_H_ */

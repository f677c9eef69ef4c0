/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what was meant by a misspelt name. */
#ifndef TVM_FFI_TOOL_SPELLING_H_
#define TVM_FFI_TOOL_SPELLING_H_

#include <stddef.h>

typedef struct {
  const char *given;
  const char *nearest; /* the most similar candidate; NULL: none is similar */
  size_t limit;        /* a candidate that differs in so many letters is another word */
} spelling;

/* `given` [borrow] */
spelling spelling_begin(const char *given, size_t limit);
/* The limit for names of any length. */
size_t spelling_limit(const char *given);
/* Compares it with one that exists. `candidate` [borrow] */
void spelling_offer(spelling *search, const char *candidate);

#endif /* TVM_FFI_TOOL_SPELLING_H_ */

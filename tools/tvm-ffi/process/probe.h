/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a library itself, in a process of its own: what crashes or hangs there harms nobody. */
#ifndef TVM_FFI_TOOL_PROBE_H_
#define TVM_FFI_TOOL_PROBE_H_

#include <stdbool.h>
#include <stddef.h>

/* What a function of the library gave; texts of free(), NULL where there is none. */
typedef struct {
  char *text;
  size_t size;
  char *error; /* "Kind: message" */
} answer;

/* Loads a library and calls functions of it that take nothing and give a text, those it has.
 * False when reported: it does not load, crashes, or takes longer. */
bool probe_ask(const char *path, const char *const *symbols, size_t num_symbols, double seconds,
               answer *out);

#endif /* TVM_FFI_TOOL_PROBE_H_ */

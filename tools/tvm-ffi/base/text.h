/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows. */
#ifndef TVM_FFI_TOOL_TEXT_H_
#define TVM_FFI_TOOL_TEXT_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct {
  char *data; /* ends with NUL; NULL while nothing was added */
  size_t size, capacity;
} text;

void text_add(text *to, const char *format, ...) TOOL_PRINTF(2, 3);
/* The same of values; they are used up. */
void text_add_list(text *to, const char *format, va_list values);
void text_add_bytes(text *to, const void *bytes, size_t size);
void text_free(text *of);

#endif /* TVM_FFI_TOOL_TEXT_H_ */

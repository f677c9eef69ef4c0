/* SPDX-License-Identifier: Apache-2.0 */
/* A growable text. */
#ifndef TVM_FFI_TOOL_TEXT_H_
#define TVM_FFI_TOOL_TEXT_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct {
  char *data; /* NUL-terminated; NULL until something is added */
  size_t size, capacity;
} text;

void text_add(text *buffer, const char *format, ...) TOOL_PRINTF(2, 3);
/* The same with a va_list, which cannot be used afterwards. */
void text_add_list(text *buffer, const char *format, va_list values);
void text_add_bytes(text *buffer, const void *bytes, size_t size);
void text_free(text *buffer);

#endif /* TVM_FFI_TOOL_TEXT_H_ */

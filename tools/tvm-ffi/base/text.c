/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(text *buffer, size_t more) {
  if (buffer->capacity - buffer->size > more) return;
  buffer->capacity = 2 * (buffer->size + more) + 64;
  buffer->data = tool_realloc(buffer->data, buffer->capacity);
}

void text_add_bytes(text *buffer, const void *bytes, size_t size) {
  reserve(buffer, size);
  if (size > 0) memcpy(buffer->data + buffer->size, bytes, size);
  buffer->size += size;
  buffer->data[buffer->size] = '\0';
}

void text_add_list(text *buffer, const char *format, va_list values) {
  va_list again;
  int size;
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  if (size > 0) {
    reserve(buffer, (size_t)size);
    vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
    buffer->size += (size_t)size;
  }
  va_end(again);
}

void text_add(text *buffer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_add_list(buffer, format, values);
  va_end(values);
}

void text_free(text *buffer) {
  free(buffer->data);
  buffer->data = NULL;
  buffer->size = buffer->capacity = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(text *to, size_t more) {
  if (to->capacity - to->size > more) return;
  to->capacity = 2 * (to->size + more) + 64;
  to->data = tool_realloc(to->data, to->capacity);
}

void text_add_bytes(text *to, const void *bytes, size_t size) {
  reserve(to, size);
  if (size > 0) memcpy(to->data + to->size, bytes, size);
  to->size += size;
  to->data[to->size] = '\0';
}

void text_add_list(text *to, const char *format, va_list values) {
  va_list again;
  int size;
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  if (size > 0) {
    reserve(to, (size_t)size);
    vsnprintf(to->data + to->size, (size_t)size + 1, format, again);
    to->size += (size_t)size;
  }
  va_end(again);
}

void text_add(text *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_add_list(to, format, values);
  va_end(values);
}

void text_free(text *of) {
  free(of->data);
  of->data = NULL;
  of->size = of->capacity = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"

void *tool_realloc(void *block, size_t size) {
  void *result = realloc(block, size > 0 ? size : 1);
  if (result == NULL) {
    fprintf(stderr, "tvm-ffi: out of memory, asking for %zu bytes\n", size);
    exit(kExitRaised);
  }
  return result;
}

void *tool_alloc(size_t size) {
  return tool_realloc(NULL, size);
}

char *tool_copy(const char *text, size_t size) {
  char *copy = tool_alloc(size + 1);
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *tool_format(const char *format, ...) {
  va_list values, again;
  char *text;
  int size;
  va_start(values, format);
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  va_end(values);
  text = tool_alloc((size_t)(size > 0 ? size : 0) + 1);
  *text = '\0';
  if (size > 0) vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { kFirstCapacity = 256 };

/* Also makes room for the terminating NUL. */
bool tvmffi_buf_reserve(tvmffi_buf *buf, size_t size) {
  size_t needed, capacity = buf->capacity != 0 ? buf->capacity : kFirstCapacity;
  char *data;
  if (buf->failed || size >= SIZE_MAX - buf->size) {
    buf->failed = true;
    return false;
  }
  needed = buf->size + size + 1;
  if (needed <= buf->capacity) return true;
  while (capacity < needed) capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
  if (buf->max_size != 0 && capacity > buf->max_size) {
    if (needed - 1 > buf->max_size) {
      buf->failed = buf->is_too_long = true;
      return false;
    }
    capacity = buf->max_size + 1; /* so appending beyond the limit needs more */
  }
  data = tvmffi_alloc(capacity);
  if (data == NULL) {
    buf->failed = true;
    return false;
  }
  if (buf->size != 0) memcpy(data, buf->data, buf->size);
  data[buf->size] = '\0';
  tvmffi_free(buf->data);
  buf->data = data;
  buf->capacity = capacity;
  return true;
}

void tvmffi_buf_append(tvmffi_buf *buf, const char *data, size_t size) {
  if (!tvmffi_buf_reserve(buf, size)) return;
  if (size != 0) memcpy(buf->data + buf->size, data, size);
  buf->size += size;
  buf->data[buf->size] = '\0';
}

void tvmffi_buf_append_text(tvmffi_buf *buf, const char *text) {
  tvmffi_buf_append(buf, text, strlen(text));
}

void tvmffi_buf_appendf(tvmffi_buf *buf, const char *format, ...) {
  va_list args;
  int length;
  va_start(args, format);
  length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0) {
    buf->failed = true;
    return;
  }
  if (!tvmffi_buf_reserve(buf, (size_t)length)) return;
  va_start(args, format);
  (void)vsnprintf(buf->data + buf->size, (size_t)length + 1, format, args);
  va_end(args);
  buf->size += (size_t)length;
}

void tvmffi_buf_clear(tvmffi_buf *buf) {
  buf->size = 0;
  buf->failed = buf->is_too_long = false;
  if (buf->data != NULL) buf->data[0] = '\0';
}

void tvmffi_buf_fini(tvmffi_buf *buf) {
  static const tvmffi_buf empty = TVMFFI_BUF_INIT;
  tvmffi_free(buf->data);
  *buf = empty;
}

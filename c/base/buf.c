/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

enum { kFirstBufCapacity = 256 };

/* Also makes room for the terminating NUL. */
bool tvmffi_buf_reserve(tvmffi_buf *buf, size_t size) {
  size_t needed, capacity = buf->capacity != 0 ? buf->capacity : kFirstBufCapacity;
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

void tvmffi_buf_vappendf(tvmffi_buf *buf, const char *format, va_list args) {
  va_list again;
  int length;
  va_copy(again, args);
  length = vsnprintf(NULL, 0, format, args);
  if (length < 0) {
    buf->failed = true;
  } else if (tvmffi_buf_reserve(buf, (size_t)length)) {
    (void)vsnprintf(buf->data + buf->size, (size_t)length + 1, format, again);
    buf->size += (size_t)length;
  }
  va_end(again);
}

void tvmffi_buf_appendf(tvmffi_buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tvmffi_buf_vappendf(buf, format, args);
  va_end(args);
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

TVMFFI_COLD void tvmffi_buf_escape_invalid(tvmffi_buf *buf) {
  tvmffi_buf escaped = TVMFFI_BUF_INIT;
  size_t i = 0, length;
  if (buf->failed || tvmffi_utf8_is_valid(buf->data, buf->size)) return;
  escaped.max_size = buf->max_size;
  for (; i < buf->size; i += length) {
    length = tvmffi_utf8_measure(buf->data + i, buf->size - i);
    if (length != 0) {
      tvmffi_buf_append(&escaped, buf->data + i, length);
    } else {
      tvmffi_buf_appendf(&escaped, "\\x%02x", (unsigned char)buf->data[i]);
      length = 1;
    }
  }
  tvmffi_buf_fini(buf);
  *buf = escaped;
}

/* ---- Reasons ---- */

TVMFFI_COLD void tvmffi_reason_set(tvmffi_dl_reason *self, const char *format, ...) {
  static const tvmffi_buf empty = TVMFFI_BUF_INIT;
  tvmffi_reason *reason = (tvmffi_reason *)(void *)self;
  tvmffi_buf before = reason->buf;
  va_list args;
  reason->buf = empty;
  va_start(args, format);
  tvmffi_buf_vappendf(&reason->buf, format, args);
  va_end(args);
  tvmffi_buf_fini(&before);
  self->text = reason->buf.failed ? "out of memory" : reason->buf.data;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing run of bytes, NUL-terminated at all times. A failed allocation is remembered and makes
 * every later append a no-op, so that callers check once, at the end.
 */
#ifndef TVMFFI_BASE_BUF_H_
#define TVMFFI_BASE_BUF_H_

#include <stdbool.h>
#include <stddef.h>

#include "platform/compiler.h"

typedef struct {
  char *data; /* NULL until the first append */
  size_t size;
  size_t capacity;
  bool failed;
} tvmffi_buf;

#define TVMFFI_BUF_INIT \
  { NULL, 0, 0, false }

/* Makes room for size more bytes, so that appending them moves nothing. False without memory. */
bool tvmffi_buf_reserve(tvmffi_buf *buf, size_t size);
void tvmffi_buf_append(tvmffi_buf *buf, const char *data, size_t size);
void tvmffi_buf_append_text(tvmffi_buf *buf, const char *text);
void tvmffi_buf_appendf(tvmffi_buf *buf, const char *format, ...) TVMFFI_PRINTF(2, 3);

/* Empties it but keeps the memory; also forgets a failure. */
void tvmffi_buf_clear(tvmffi_buf *buf);
void tvmffi_buf_fini(tvmffi_buf *buf);

#endif /* TVMFFI_BASE_BUF_H_ */

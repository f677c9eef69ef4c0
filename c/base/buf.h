/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable byte buffer, NUL-terminated at all times. After a failed allocation every append is a
 * no-op, so that callers check `failed` once, at the end.
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
  size_t max_size; /* no append goes beyond it; 0: no limit */
  bool failed;
  bool is_too_long; /* it failed because of max_size, not for lack of memory */
} tvmffi_buf;

#define TVMFFI_BUF_INIT \
  { NULL, 0, 0, 0, false, false }

/* Makes room for size more bytes: appending them moves nothing. False if that fails. */
bool tvmffi_buf_reserve(tvmffi_buf *buf, size_t size);
void tvmffi_buf_append(tvmffi_buf *buf, const char *data, size_t size);
void tvmffi_buf_append_text(tvmffi_buf *buf, const char *text);
void tvmffi_buf_appendf(tvmffi_buf *buf, const char *format, ...) TVMFFI_PRINTF(2, 3);

/* Empties the buffer but keeps its memory and limit; also clears `failed`. */
void tvmffi_buf_clear(tvmffi_buf *buf);
void tvmffi_buf_fini(tvmffi_buf *buf);

#endif /* TVMFFI_BASE_BUF_H_ */

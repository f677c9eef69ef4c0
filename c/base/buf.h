/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable byte buffer, NUL-terminated at all times. After a failed allocation every append is a
 * no-op, so that callers check `failed` once, at the end.
 */
#ifndef TVMFFI_BASE_BUF_H_
#define TVMFFI_BASE_BUF_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/utf8.h"
#include "platform/compiler.h"
#include "platform/platform.h"

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
void tvmffi_buf_vappendf(tvmffi_buf *buf, const char *format, va_list args) TVMFFI_PRINTF(2, 0);

/* Empties the buffer but keeps its memory and limit; also clears `failed`. */
void tvmffi_buf_clear(tvmffi_buf *buf);
void tvmffi_buf_fini(tvmffi_buf *buf);

/* Replaces each byte that is not part of a character by its escape, such as \xe9. */
void tvmffi_buf_escape_invalid(tvmffi_buf *buf);

/* ---- Reasons ---- */

/*
 * A reason of platform.h. Whoever made it ends the buffer. Without memory, `failed` of the buffer
 * is set, and the text says so.
 */
typedef struct {
  tvmffi_dl_reason to_set; /* which those write who find the reason */
  tvmffi_buf buf;
} tvmffi_reason;

#define TVMFFI_REASON_INIT \
  { {"", tvmffi_reason_set}, TVMFFI_BUF_INIT }

void tvmffi_reason_set(tvmffi_dl_reason *self, const char *format, ...) TVMFFI_PRINTF(2, 3);

#endif /* TVMFFI_BASE_BUF_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit of texts that are made of whole values. A value whose parts are shared has a text that
 * is exponentially longer than the value, because the text has every occurrence.
 */
#ifndef TVMFFI_CORE_TEXT_LIMIT_H_
#define TVMFFI_CORE_TEXT_LIMIT_H_

#include "base/buf.h"

/* The max_size of buffers for such texts. */
size_t tvmffi_text_limit_get(void);

/* Raises the error for a buffer that failed: ValueError or MemoryError. Returns -1. */
int tvmffi_text_limit_fail(const char *function_name, const tvmffi_buf *text);

/* Restores the default. */
void tvmffi_text_limit_shutdown(void);

#endif /* TVMFFI_CORE_TEXT_LIMIT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* String and Bytes objects. */
#ifndef TVMFFI_CORE_STRING_OBJECT_H_
#define TVMFFI_CORE_STRING_OBJECT_H_

#include <tvm/ffi/c_api.h>

#include "base/buf.h"

/* ---- Objects ---- */

/* The number of text bytes that fit into a value; the eighth byte stays NUL. */
enum { kTvmffiMaxSmallText = 7 };

/* A heap object of kTVMFFIStr or kTVMFFIBytes, whatever the length; NULL with MemoryError. */
TVMFFIObject *tvmffi_string_new(int32_t type_index, const char *data, size_t size);

/* An owned text value, small where it fits. */
int tvmffi_string_to_any(const char *data, size_t size, TVMFFIAny *out);

/* ---- The limit of texts ---- */

/*
 * The limit of texts that are made of whole values. A value whose parts are shared has a text that
 * is exponentially longer than the value, because the text has every occurrence.
 */

/* The max_size of buffers for such texts. */
size_t tvmffi_text_limit_get(void);

/* Raises the error for a buffer that failed: ValueError or MemoryError. Returns -1. */
int tvmffi_text_limit_fail(const char *function_name, const tvmffi_buf *text);

/* Restores the default. */
void tvmffi_text_limit_shutdown(void);

#endif /* TVMFFI_CORE_STRING_OBJECT_H_ */

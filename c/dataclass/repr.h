/* SPDX-License-Identifier: Apache-2.0 */
/* Readable text for values: docs/abi/objects.md#text. */
#ifndef TVMFFI_DATACLASS_REPR_H_
#define TVMFFI_DATACLASS_REPR_H_

#include <tvm/ffi/c_api.h>

#include "base/buf.h"

/* The text of a view as an owned str, in time linear in its length. */
int tvmffi_repr(const TVMFFIAny *value, TVMFFIAny *out);

/* ---- repr_text.c: values that hold no others ---- */

/*
 * Appends a value that is neither a container nor an object with fields. -1 with the error raised.
 */
int tvmffi_repr_append_plain(tvmffi_buf *text, const TVMFFIAny *value);

/* Appends a text such as float32[2, 3]@cpu:0. */
int tvmffi_repr_append_tensor(tvmffi_buf *text, TVMFFIObject *tensor);

#endif /* TVMFFI_DATACLASS_REPR_H_ */

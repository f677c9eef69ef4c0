/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of any size, Int or BigInt. Conversion from and to text takes quadratic time. */
#ifndef TVMFFI_CORE_BIGINT_H_
#define TVMFFI_CORE_BIGINT_H_

#include <tvm/ffi/c_api.h>

#include "base/buf.h"

/* -1, 0 or 1. */
int tvmffi_bigint_compare(const TVMFFIAny *a, const TVMFFIAny *b);

/* Appends an Int or a BigInt. 0, or -1 with MemoryError. */
int tvmffi_bigint_append_decimal(tvmffi_buf *text, const TVMFFIAny *value);

/*
 * An optional sign and digits as an owned Int or BigInt. ValueError "Invalid decimal string for
 * ffi.BigInt" for anything else.
 */
int tvmffi_bigint_from_decimal(const TVMFFIByteArray *text, TVMFFIAny *out);

#endif /* TVMFFI_CORE_BIGINT_H_ */

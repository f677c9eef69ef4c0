/* SPDX-License-Identifier: Apache-2.0 */
/* Shape objects. */
#ifndef TVMFFI_CORE_SHAPE_H_
#define TVMFFI_CORE_SHAPE_H_

#include <tvm/ffi/c_api.h>

/* size dimensions, copied; data may be NULL when size is 0. NULL with MemoryError. */
TVMFFIObject *tvmffi_shape_new(const int64_t *data, size_t size);

/* The body of the global function ffi.Shape: packed ints, bools count as ints. */
int tvmffi_shape_from_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

#endif /* TVMFFI_CORE_SHAPE_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Types that a frontend defines only by their fields. */
#ifndef TVMFFI_REFLECT_FRONTEND_TYPE_H_
#define TVMFFI_REFLECT_FRONTEND_TYPE_H_

#include <tvm/ffi/c_api.h>

/* ---- Types and fields ---- */

/*
 * Registers __ffi_new__, __ffi_shallow_copy__ and __ffi_init__ for objects of total_size bytes.
 * TypeError for types of the library, and for those that have a creator.
 */
int tvmffi_reflect_register_frontend_type(int32_t type_index, int64_t total_size);

/* ---- Fields ---- */

/* The getter of a storage (register.h); ValueError for other indices. */
int tvmffi_frontend_getter(int32_t static_type_index, TVMFFIFieldGetter *out);

/* Converts *value to an owned *out: 0, or -1 with the error raised. */
typedef int (*tvmffi_frontend_convert)(void *converter, const TVMFFIAny *value, TVMFFIAny *out);

/* A Function (field address, value) that converts and stores. NULL with the error raised. */
TVMFFIObject *tvmffi_frontend_setter(int32_t static_type_index, void *converter,
                                     tvmffi_frontend_convert convert);

#endif /* TVMFFI_REFLECT_FRONTEND_TYPE_H_ */

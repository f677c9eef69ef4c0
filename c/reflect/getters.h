/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getters for fields of frontends. The storage of such a field depends on its static type index: 1
 * int64, 2 bool, 3 double, 4 pointer, 5 DLDataType, 6 DLDevice, -1 and 0 a value, 64 and above an
 * object pointer.
 */
#ifndef TVMFFI_REFLECT_GETTERS_H_
#define TVMFFI_REFLECT_GETTERS_H_

#include <tvm/ffi/c_api.h>

/* The getter for a storage, which runs no foreign code; NULL for other indices. */
TVMFFIFieldGetter tvmffi_getter_find(int32_t static_type_index);

/* How many bytes of a field such a getter reads; 0 for other getters. */
int64_t tvmffi_getter_bytes(TVMFFIFieldGetter getter);

#endif /* TVMFFI_REFLECT_GETTERS_H_ */

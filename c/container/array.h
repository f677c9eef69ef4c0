/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Array in the ABI's layout: the elements stand behind the cell.
 * Running out of memory is NULL or -1 with nothing raised: callers may hold a lock.
 */
#ifndef TVMFFI_CONTAINER_ARRAY_H_
#define TVMFFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/c_api.h>

/* An empty array with room for capacity elements. */
TVMFFIObject *tvmffi_array_new(int64_t capacity);

/*
 * Takes the value on success. An array that is shared or full is replaced by another in *array,
 * and the reference to the old one given up; no element dies of that.
 */
int tvmffi_array_append(TVMFFIObject **array, const TVMFFIAny *value);

static inline int64_t tvmffi_array_size(const TVMFFIObject *array) {
  return ((const TVMFFISeqCell *)(const void *)(array + 1))->size;
}

static inline TVMFFIAny *tvmffi_array_items(TVMFFIObject *array) {
  return TVMFFISeqGetCellPtr(array)->data;
}

#endif /* TVMFFI_CONTAINER_ARRAY_H_ */

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

/* What deleters of arrays and of lists do to the contents. */
void tvmffi_array_destroy(void *self);

/* Of a List too. */
static inline int64_t tvmffi_array_size(const TVMFFIObject *array) {
  return ((const TVMFFISeqCell *)(const void *)(array + 1))->size;
}

static inline TVMFFIAny *tvmffi_array_items(TVMFFIObject *array) {
  return TVMFFISeqGetCellPtr(array)->data;
}

/* An argument as an element of a container: owned, hence no DLTensor pointer. */
int tvmffi_array_own(const TVMFFIAny *arg, TVMFFIAny *out);

/* Bodies of built-in functions, for either: element, number of elements, whether one is equal. */
int tvmffi_array_get_item(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int tvmffi_array_get_size(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int tvmffi_array_contains(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

#endif /* TVMFFI_CONTAINER_ARRAY_H_ */

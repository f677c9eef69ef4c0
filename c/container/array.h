/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Array in the ABI's layout: the elements follow the cell. Functions that run out of memory
 * return NULL or -1 with nothing raised, because callers may hold a lock.
 */
#ifndef TVMFFI_CONTAINER_ARRAY_H_
#define TVMFFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/c_api.h>

/* An empty array with room for capacity elements. */
TVMFFIObject *tvmffi_array_new(int64_t capacity);

/*
 * Takes the value on success. An array that is shared or full is replaced by another in *array, and
 * the reference to the old one is released; its elements live on in the new one.
 */
int tvmffi_array_append(TVMFFIObject **array, const TVMFFIAny *value);

/* An array with copies of the elements of an Array or a List; NULL with the error raised. */
TVMFFIObject *tvmffi_array_copy(TVMFFIObject *seq);

/* Releases the contents of an array or a list, for their deleters. */
void tvmffi_array_destroy(void *self);

/* For an Array or a List. */
static inline int64_t tvmffi_array_size(const TVMFFIObject *array) {
  return ((const TVMFFISeqCell *)(const void *)(array + 1))->size;
}

static inline TVMFFIAny *tvmffi_array_items(TVMFFIObject *array) {
  return TVMFFISeqGetCellPtr(array)->data;
}

/* Raises the error of an index that an Array or a List of that size does not have; returns -1. */
int tvmffi_array_fail_index(int64_t i, int64_t size);

/* Makes an owned value of an argument, for a container; fails for DLTensor pointers. */
int tvmffi_array_own(const TVMFFIAny *arg, TVMFFIAny *out);

/* Bodies of built-in functions for either: get an item, get the size, look for an equal item. */
int tvmffi_array_get_item(const TVMFFIAny *args, TVMFFIAny *result);
int tvmffi_array_get_size(const TVMFFIAny *args, TVMFFIAny *result);
int tvmffi_array_contains(const TVMFFIAny *args, TVMFFIAny *result);

#endif /* TVMFFI_CONTAINER_ARRAY_H_ */

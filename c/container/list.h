/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.List in the ABI's layout: the elements are in a block of their own. Code of clients replaces
 * it by a block of its malloc and frees ours with our deleter, hence tvmffi_alloc_plain.
 *
 * Every function raises what goes wrong and then has changed nothing. An element that is given up
 * is released last, when the list is whole: its destructor may use the list.
 */
#ifndef TVMFFI_CONTAINER_LIST_H_
#define TVMFFI_CONTAINER_LIST_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* An empty list with room for capacity elements; NULL with the error raised. */
TVMFFIObject *tvmffi_list_new(int64_t capacity);

/* A list of copies of what an Array or a List holds. */
TVMFFIObject *tvmffi_list_copy(TVMFFIObject *seq);

/* Room for that many elements in all; negative numbers ask for nothing. */
int tvmffi_list_reserve(TVMFFIObject *list, int64_t capacity);

/* Takes the value on success. */
int tvmffi_list_append(TVMFFIObject *list, const TVMFFIAny *value);

/* Moves an element to *out. */
int tvmffi_list_pop(TVMFFIObject *list, int64_t i, TVMFFIAny *out);

/* Puts num values, which are taken on success, in the place of the elements from start to stop. */
int tvmffi_list_splice(TVMFFIObject *list, int64_t start, int64_t stop, const TVMFFIAny *values,
                       int64_t num);

/* Takes the elements from start to stop out; needs no memory. */
int tvmffi_list_erase(TVMFFIObject *list, int64_t start, int64_t stop);

/* IndexErrors about an element, and about a range. */
int tvmffi_list_check_index(TVMFFIObject *list, int64_t i);
int tvmffi_list_check_range(TVMFFIObject *list, int64_t start, int64_t stop);

#endif /* TVMFFI_CONTAINER_LIST_H_ */

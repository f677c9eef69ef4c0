/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.List in the ABI's layout: the elements are in a block of their own. Code of clients replaces
 * it by a block of its malloc and frees ours with our deleter, hence tvmffi_alloc_plain.
 *
 * A function that fails raises the error and has changed nothing. Elements that are removed are
 * released last, when the list is consistent again: their destructors may use the list.
 */
#ifndef TVMFFI_CONTAINER_LIST_H_
#define TVMFFI_CONTAINER_LIST_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* An empty list with room for capacity elements; NULL with the error raised. */
TVMFFIObject *tvmffi_list_new(int64_t capacity);

/* A list with copies of the elements of an Array or a List. */
TVMFFIObject *tvmffi_list_copy(TVMFFIObject *seq);

/* Ensures that capacity; does nothing for smaller and for negative numbers. */
int tvmffi_list_reserve(TVMFFIObject *list, int64_t capacity);

/* Takes the value on success. */
int tvmffi_list_append(TVMFFIObject *list, const TVMFFIAny *value);

/* Removes an element and moves it to *out. */
int tvmffi_list_pop(TVMFFIObject *list, int64_t i, TVMFFIAny *out);

/* Replaces the elements from start to stop by num values, which are taken on success. */
int tvmffi_list_splice(TVMFFIObject *list, int64_t start, int64_t stop, const TVMFFIAny *values,
                       int64_t num);

/* Removes the elements from start to stop; needs no memory. */
int tvmffi_list_erase(TVMFFIObject *list, int64_t start, int64_t stop);

#endif /* TVMFFI_CONTAINER_LIST_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of objects that remembers their order, in which imports are searched: the table of
 * base/pointer_map.h has no order. It holds no references. Without memory, functions return -1 with
 * no error raised and the set unchanged.
 */
#ifndef TVMFFI_MODULE_IMPORTS_H_
#define TVMFFI_MODULE_IMPORTS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

typedef struct {
  TVMFFIObject **items;
  size_t size, capacity;
  size_t *slots; /* indices of items plus one, 0 if free; 2 * capacity slots, a power of two */
} tvmffi_module_set;

#define TVMFFI_MODULE_SET_INIT \
  { NULL, 0, 0, NULL }

bool tvmffi_module_set_has(const tvmffi_module_set *set, const TVMFFIObject *obj);

/* The index of an object that is in the set. */
size_t tvmffi_module_set_find(const tvmffi_module_set *set, const TVMFFIObject *obj);

/* 1 when the object was added, 0 when it was there already, -1 without memory. */
int tvmffi_module_set_add(tvmffi_module_set *set, TVMFFIObject *obj);

/* Whether the object was there. The last object takes its place in the order. */
bool tvmffi_module_set_remove(tvmffi_module_set *set, const TVMFFIObject *obj);

void tvmffi_module_set_fini(tvmffi_module_set *set);

#endif /* TVMFFI_MODULE_IMPORTS_H_ */

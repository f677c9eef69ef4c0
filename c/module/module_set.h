/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of objects that remembers the order they came in. It counts no references. Running out of
 * memory is -1 with nothing raised and nothing changed.
 */
#ifndef TVMFFI_MODULE_MODULE_SET_H_
#define TVMFFI_MODULE_MODULE_SET_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

typedef struct {
  TVMFFIObject **items;
  size_t size, capacity;
  size_t *slots; /* numbers of items, plus one; twice as many as capacity, a power of two */
} tvmffi_module_set;

#define TVMFFI_MODULE_SET_INIT \
  { NULL, 0, 0, NULL }

bool tvmffi_module_set_has(const tvmffi_module_set *set, const TVMFFIObject *obj);

/* The number of an object that is there. */
size_t tvmffi_module_set_find(const tvmffi_module_set *set, const TVMFFIObject *obj);

/* 1 when the object is new in the set, 0 when it was there. */
int tvmffi_module_set_add(tvmffi_module_set *set, TVMFFIObject *obj);

/* Whether it was there. The last object takes its place in the order. */
bool tvmffi_module_set_remove(tvmffi_module_set *set, const TVMFFIObject *obj);

void tvmffi_module_set_fini(tvmffi_module_set *set);

#endif /* TVMFFI_MODULE_MODULE_SET_H_ */

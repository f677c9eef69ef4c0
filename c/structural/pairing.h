/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and nodes of graphs on two sides that stand for each other. */
#ifndef TVMFFI_STRUCTURAL_PAIRING_H_
#define TVMFFI_STRUCTURAL_PAIRING_H_

#include <tvm/ffi/c_api.h>

#include "base/pointer_map.h"

/* All zero is an empty one. What is in b_to_a is in a_to_b too, which owns both sides. */
typedef struct {
  tvmffi_pointer_map a_to_b, b_to_a;
} tvmffi_pairing;

void tvmffi_pairing_fini(tvmffi_pairing *pairing);

/* Pairs two objects, unless the first is paired. */
int tvmffi_pairing_add(tvmffi_pairing *pairing, TVMFFIObject *a, TVMFFIObject *b);

/* In one direction: the partner of an object or NULL; that of a value, or the value itself. */
TVMFFIObject *tvmffi_pairing_find(const tvmffi_pointer_map *map, const TVMFFIObject *obj);
TVMFFIAny tvmffi_pairing_translate(const tvmffi_pointer_map *map, const TVMFFIAny *value);

#endif /* TVMFFI_STRUCTURAL_PAIRING_H_ */

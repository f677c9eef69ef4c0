/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of variables and graph nodes that correspond to each other in two values. */
#ifndef TVMFFI_STRUCTURAL_PAIRING_H_
#define TVMFFI_STRUCTURAL_PAIRING_H_

#include <tvm/ffi/c_api.h>

#include "base/pointer_map.h"

/* Zeroed memory is an empty one. Pairs in b_to_a are also in a_to_b, which owns both objects. */
typedef struct {
  tvmffi_pointer_map a_to_b, b_to_a;
} tvmffi_pairing;

void tvmffi_pairing_fini(tvmffi_pairing *pairing);

/* Pairs two objects, unless the first one is paired already. */
int tvmffi_pairing_add(tvmffi_pairing *pairing, TVMFFIObject *a, TVMFFIObject *b);

/* Looks up in one direction: the partner or NULL; for values, the partner or the value itself. */
TVMFFIObject *tvmffi_pairing_find(const tvmffi_pointer_map *map, const TVMFFIObject *obj);
TVMFFIAny tvmffi_pairing_translate(const tvmffi_pointer_map *map, const TVMFFIAny *value);

#endif /* TVMFFI_STRUCTURAL_PAIRING_H_ */

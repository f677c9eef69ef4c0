/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/pairing.h"

#include "core/any.h"
#include "core/error.h"

void tvmffi_pairing_fini(tvmffi_pairing *pairing) {
  const tvmffi_pointer_map *map = &pairing->a_to_b;
  size_t i;
  for (i = 0; i < map->capacity; ++i) {
    if (map->slots[i].key == NULL) continue;
    tvmffi_object_release((void *)(uintptr_t)map->slots[i].key);
    tvmffi_object_release(map->slots[i].value.pointer);
  }
  tvmffi_pointer_map_fini(&pairing->a_to_b);
  tvmffi_pointer_map_fini(&pairing->b_to_a);
}

int tvmffi_pairing_add(tvmffi_pairing *pairing, TVMFFIObject *a, TVMFFIObject *b) {
  tvmffi_pointer_entry *to_a, *to_b;
  if (tvmffi_pointer_map_find(&pairing->a_to_b, a) != NULL) return 0;
  to_a = tvmffi_pointer_map_ensure(&pairing->b_to_a, b);
  if (to_a == NULL) return tvmffi_fail_memory();
  to_b = tvmffi_pointer_map_ensure(&pairing->a_to_b, a);
  if (to_b == NULL) return tvmffi_fail_memory();
  tvmffi_object_retain(a);
  tvmffi_object_retain(b);
  to_a->value.pointer = a;
  to_b->value.pointer = b;
  return 0;
}

TVMFFIObject *tvmffi_pairing_find(const tvmffi_pointer_map *map, const TVMFFIObject *obj) {
  const tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(map, obj);
  return entry != NULL ? entry->value.pointer : NULL;
}

TVMFFIAny tvmffi_pairing_translate(const tvmffi_pointer_map *map, const TVMFFIAny *value) {
  TVMFFIObject *partner =
      value->type_index >= kTVMFFIStaticObjectBegin ? tvmffi_pairing_find(map, value->v_obj) : NULL;
  return partner != NULL ? tvmffi_any_object(partner) : *value;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The small form: two to four pairs in the object, in the order of insertion. */
#include "container/any_key.h"
#include "container/map.h"
#include "core/object.h"

tvmffi_map *tvmffi_map_small_new(uint64_t slots) {
  /* At least two slots always: the fields of the dense form fit into the same block. */
  tvmffi_map *map =
      tvmffi_object_alloc(sizeof(tvmffi_map_common) + (size_t)slots * sizeof(tvmffi_map_pair), 0,
                          kTVMFFIMap, tvmffi_map_delete);
  if (map == NULL) return NULL;
  map->data = (char *)map + sizeof(tvmffi_map_common);
  map->size = 0;
  map->slots = slots | TVMFFI_MAP_SMALL_TAG;
  map->data_deleter = NULL;
  return map;
}

TVMFFIAny *tvmffi_map_small_find(const tvmffi_map *map, const TVMFFIAny *key) {
  tvmffi_map_pair *pairs = map->data;
  uint64_t i;
  for (i = 0; i < map->size; ++i) {
    if (tvmffi_any_key_equal(&pairs[i].key, key)) return &pairs[i].value;
  }
  return NULL;
}

void tvmffi_map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map_pair *pair = (tvmffi_map_pair *)map->data + map->size;
  pair->key = *key;
  pair->value = *value;
  ++map->size;
}

/* Backwards, so that the waiting list, which is a stack, comes to the first entry first. */
void tvmffi_map_small_release_entries(tvmffi_map *map) {
  const tvmffi_map_pair *pairs = map->data;
  while (map->size > 0) {
    const tvmffi_map_pair *pair = &pairs[--map->size];
    if (pair->value.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(pair->value.v_obj);
    }
    if (pair->key.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(pair->key.v_obj);
    }
  }
}

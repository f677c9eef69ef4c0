/* SPDX-License-Identifier: Apache-2.0 */
/* The small form: two to four pairs, as a rule in the object itself, in the order of insertion. */
#include <string.h>

#include "base/alloc.h"
#include "container/any_key.h"
#include "container/map_layout.h"
#include "core/object.h"

tvmffi_map *tvmffi_map_small_new(int32_t type_index, uint64_t slots) {
  /* Always at least two slots, so that the fields of the dense form fit into the same block. */
  tvmffi_map *map =
      tvmffi_object_alloc(sizeof(tvmffi_map_common) + (size_t)slots * sizeof(tvmffi_map_pair), 0,
                          type_index, tvmffi_map_delete);
  if (map == NULL) return NULL;
  map->data = (char *)map + sizeof(tvmffi_map_common);
  map->size = 0;
  map->slots = slots | TVMFFI_MAP_SMALL_TAG;
  map->data_deleter = NULL;
  return map;
}

int tvmffi_map_small_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out) {
  uint64_t i;
  *out = TVMFFI_MAP_NONE;
  for (i = 0; i < map->size; ++i) {
    const TVMFFIAny *stored = &((const tvmffi_map_pair *)map->data)[i].key;
    int equal = tvmffi_any_key_is_same(stored, key);
    if (!equal && tvmffi_any_key_may_equal(stored, key)) equal = tvmffi_map_ask_equal(map, i, key);
    if (equal < 0) return equal;
    if (equal) {
      *out = i;
      return 0;
    }
  }
  return 0;
}

void tvmffi_map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map_pair *pair = (tvmffi_map_pair *)map->data + map->size;
  pair->key = *key;
  pair->value = *value;
  ++map->size;
}

int tvmffi_map_small_extend(tvmffi_map *map) {
  uint64_t slots = tvmffi_map_small_slots(map);
  tvmffi_map_pair *pairs;
  slots = slots < kTvmffiMapMaxSmallSlots ? kTvmffiMapMaxSmallSlots : 2 * slots;
  if (slots > SIZE_MAX / sizeof *pairs) return -1;
  pairs = tvmffi_alloc((size_t)slots * sizeof *pairs);
  if (pairs == NULL) return -1;
  memcpy(pairs, map->data, (size_t)map->size * sizeof *pairs);
  if (map->data_deleter != NULL) map->data_deleter(map->data);
  map->data = pairs;
  map->data_deleter = tvmffi_free;
  map->slots = slots | TVMFFI_MAP_SMALL_TAG;
  return 0;
}

void tvmffi_map_small_take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out) {
  tvmffi_map_pair *pairs = map->data;
  *out = pairs[i];
  --map->size;
  memmove(&pairs[i], &pairs[i + 1], (size_t)(map->size - i) * sizeof *pairs);
}

/* Backwards, because the list of waiting objects is a stack: the first entry is destroyed first. */
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps without the dense form: they stay small, double their capacity when they are full, and are
 * searched in order. That is enough for the only maps of the core profile, the names that a module
 * looked up among its imports. C++ code can read such a map, but could not add to it.
 */
#include <string.h>

#include "base/alloc.h"
#include "container/map.h"
#include "core/any.h"

int tvmffi_map_dense_from_small(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value) {
  uint64_t slots = 2 * (map->slots & ~TVMFFI_MAP_SMALL_TAG);
  tvmffi_map_pair *pairs;
  if (key == NULL) return 0;
  if (slots > SIZE_MAX / sizeof *pairs) return -1;
  pairs = tvmffi_alloc((size_t)slots * sizeof *pairs);
  if (pairs == NULL) return -1;
  memcpy(pairs, map->data, (size_t)map->size * sizeof *pairs);
  if (map->data_deleter != NULL) map->data_deleter(map->data);
  map->data = pairs;
  map->data_deleter = tvmffi_free;
  map->slots = slots | TVMFFI_MAP_SMALL_TAG;
  tvmffi_map_small_append(map, key, value);
  return 0;
}

/* The other functions are for maps that C++ code made dense; there should be none. */

int tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t hash,
                          tvmffi_map_place *out) {
  (void)map;
  (void)key;
  out->hash = hash;
  out->slot = out->tail = TVMFFI_MAP_NONE;
  return 0;
}

TVMFFIAny tvmffi_map_dense_replace(tvmffi_map *map, uint64_t slot, const TVMFFIAny *value) {
  (void)map;
  (void)slot;
  return *value;
}

int tvmffi_map_dense_add(tvmffi_map *map, const tvmffi_map_place *place, const TVMFFIAny *key,
                         const TVMFFIAny *value) {
  (void)map;
  (void)place;
  (void)key;
  (void)value;
  return -1;
}

void tvmffi_map_dense_release_entries(tvmffi_map *map) {
  (void)map;
}

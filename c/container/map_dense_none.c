/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps without the dense form: they stay small, twice as large each time they are full, and are
 * searched in order. Enough for what the core profile has maps for, the names that a module looked
 * up among its imports; C++ code reads such a map, but could not add to it.
 */
#include "container/map.h"
#include "core/any.h"

tvmffi_map *tvmffi_map_dense_from_small(tvmffi_map *small) {
  tvmffi_map *grown = tvmffi_map_small_new(2 * (small->slots & ~TVMFFI_MAP_SMALL_TAG));
  const tvmffi_map_pair *pairs = small->data;
  uint64_t i;
  if (grown == NULL) return NULL;
  for (i = 0; i < small->size; ++i) {
    tvmffi_map_small_append(grown, &pairs[i].key, &pairs[i].value);
  }
  return grown;
}

/* Into a map that was just made: there is room. Into none that C++ code made dense. */
int tvmffi_map_dense_insert(tvmffi_map **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  TVMFFIAny *found;
  if (!tvmffi_map_is_small(*map)) return -1;
  found = tvmffi_map_small_find(*map, key);
  if (found == NULL) {
    tvmffi_map_small_append(*map, key, value);
  } else {
    TVMFFIAny old_value = *found, new_key = *key;
    *found = *value;
    tvmffi_any_release(&new_key);
    tvmffi_any_release(&old_value);
  }
  return 0;
}

TVMFFIAny *tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key) {
  (void)map;
  (void)key;
  return NULL;
}

/* Maps of this library are not dense. */
void tvmffi_map_dense_release_entries(tvmffi_map *map) {
  (void)map;
}

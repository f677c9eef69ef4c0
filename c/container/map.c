/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"

#include <string.h>

#include "core/any.h"
#include "core/object.h"

static void destroy_map(void *self) {
  tvmffi_map *map = self;
  if (tvmffi_map_is_small(map)) {
    tvmffi_map_small_release_entries(map);
  } else {
    tvmffi_map_dense_release_entries(map);
  }
  if (map->data != NULL && map->data_deleter != NULL) map->data_deleter(map->data);
}

void tvmffi_map_delete(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, tvmffi_map_delete, destroy_map, 0);
}

void tvmffi_map_retire(tvmffi_map *map) {
  map->size = 0;
  if (!tvmffi_map_is_small(map)) {
    if (map->data != NULL) map->data_deleter(map->data);
    map->data = NULL;
    map->slots = 0;
  }
  tvmffi_object_release(map);
}

TVMFFIObject *tvmffi_map_new(void) {
  tvmffi_map *map = tvmffi_map_small_new(kTvmffiMapMinSmallSlots);
  return map == NULL ? NULL : &map->header;
}

uint64_t tvmffi_map_size(const TVMFFIObject *map) {
  return ((const tvmffi_map *)(const void *)map)->size;
}

static TVMFFIAny *find_value(const tvmffi_map *map, const TVMFFIAny *key) {
  return tvmffi_map_is_small(map) ? tvmffi_map_small_find(map, key)
                                  : tvmffi_map_dense_find(map, key);
}

const TVMFFIAny *tvmffi_map_find(TVMFFIObject *map, const TVMFFIAny *key) {
  return find_value((tvmffi_map *)(void *)map, key);
}

const TVMFFIAny *tvmffi_map_find_text(TVMFFIObject *map, const char *data, size_t size) {
  /* As much of a String object as hash and equality look at. */
  struct {
    TVMFFIObject header;
    TVMFFIByteArray bytes;
  } text;
  TVMFFIAny key;
  memset(&text, 0, sizeof text);
  text.bytes.data = data;
  text.bytes.size = size;
  key = tvmffi_any_ptr(kTVMFFIStr, &text);
  return find_value((tvmffi_map *)(void *)map, &key);
}

static int insert_small(tvmffi_map **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map *small = *map;
  uint64_t slots = small->slots & ~TVMFFI_MAP_SMALL_TAG;
  TVMFFIAny *found;
  if (slots >= kTvmffiMapMaxSmallSlots && small->size >= slots) {
    /* Full: the dense form, even for a key that is there (it then moves to the end). */
    tvmffi_map *dense = tvmffi_map_dense_from_small(small);
    if (dense == NULL) return -1;
    /* Five entries go into the eight slots of the first table, so this does not fail. */
    (void)tvmffi_map_dense_insert(&dense, key, value);
    tvmffi_map_retire(small);
    *map = dense;
    return 0;
  }
  found = tvmffi_map_small_find(small, key);
  if (found != NULL) {
    TVMFFIAny old_value = *found, new_key = *key;
    *found = *value;
    tvmffi_any_release(&new_key);
    tvmffi_any_release(&old_value);
    return 0;
  }
  if (small->size >= slots) {
    tvmffi_map *grown = tvmffi_map_small_new(kTvmffiMapMaxSmallSlots);
    const tvmffi_map_pair *pairs = small->data;
    uint64_t i;
    if (grown == NULL) return -1;
    for (i = 0; i < small->size; ++i) {
      tvmffi_map_small_append(grown, &pairs[i].key, &pairs[i].value);
    }
    tvmffi_map_retire(small);
    small = *map = grown;
  }
  tvmffi_map_small_append(small, key, value);
  return 0;
}

int tvmffi_map_insert(TVMFFIObject **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map *self = (tvmffi_map *)(void *)*map;
  if (tvmffi_map_is_small(self)) {
    if (insert_small(&self, key, value) != 0) return -1;
  } else {
    if (tvmffi_map_dense_insert(&self, key, value) != 0) return -1;
  }
  *map = &self->header;
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pointer_map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"

enum { kFirstCapacity = 16 };

void tvmffi_pointer_map_fini(tvmffi_pointer_map *map) {
  tvmffi_free(map->slots);
  memset(map, 0, sizeof *map);
}

/* The slot of a key, or the free one where it would go. There is a free one. */
static tvmffi_pointer_entry *find_slot(const tvmffi_pointer_map *map, const void *key,
                                       const void *with) {
  /* The multiplier is the golden ratio's; objects are 16 bytes apart at least. */
  uint64_t hash = ((uint64_t)(uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  size_t i;
  hash = (hash ^ (uint64_t)(uintptr_t)with >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  i = (size_t)(hash >> 20) & (map->capacity - 1);
  while (map->slots[i].key != NULL && (map->slots[i].key != key || map->slots[i].with != with)) {
    i = (i + 1) & (map->capacity - 1);
  }
  return &map->slots[i];
}

tvmffi_pointer_entry *tvmffi_pointer_map_find(const tvmffi_pointer_map *map, const void *key) {
  tvmffi_pointer_entry *slot;
  if (map->size == 0) return NULL;
  slot = find_slot(map, key, NULL);
  return slot->key != NULL ? slot : NULL;
}

static int grow(tvmffi_pointer_map *map) {
  tvmffi_pointer_map grown;
  size_t bytes, i;
  grown.size = map->size;
  grown.capacity = map->capacity != 0 ? map->capacity * 2 : kFirstCapacity;
  if (!tvmffi_checked_mul_size(grown.capacity, sizeof *grown.slots, &bytes) ||
      (grown.slots = tvmffi_alloc(bytes)) == NULL) {
    return -1;
  }
  memset(grown.slots, 0, bytes);
  for (i = 0; i < map->capacity; ++i) {
    const tvmffi_pointer_entry *entry = &map->slots[i];
    if (entry->key != NULL) *find_slot(&grown, entry->key, entry->with) = *entry;
  }
  tvmffi_free(map->slots);
  *map = grown;
  return 0;
}

tvmffi_pointer_entry *tvmffi_pointer_map_ensure_pair(tvmffi_pointer_map *map, const void *key,
                                                     const void *with) {
  tvmffi_pointer_entry *slot = map->capacity != 0 ? find_slot(map, key, with) : NULL;
  if (slot != NULL && slot->key != NULL) return slot;
  if (map->size >= map->capacity / 2) {
    if (grow(map) != 0) return NULL;
    slot = find_slot(map, key, with);
  }
  slot->key = key;
  slot->with = with;
  ++map->size;
  return slot;
}

tvmffi_pointer_entry *tvmffi_pointer_map_ensure(tvmffi_pointer_map *map, const void *key) {
  return tvmffi_pointer_map_ensure_pair(map, key, NULL);
}

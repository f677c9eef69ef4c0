/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pointer_map.h"

#include <string.h>

#include "base/alloc.h"

enum { kFirstPointerCapacity = 16 };

void tvmffi_pointer_map_fini(tvmffi_pointer_map *map) {
  tvmffi_free(map->slots);
  memset(map, 0, sizeof *map);
}

/* The slot where the search for a key begins. */
static inline size_t home_of_pointer(const tvmffi_pointer_map *map, const void *key,
                                     const void *partner) {
  /*
   * Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio. The shift by 4 drops
   * bits that are always 0, because objects are at least 16 bytes apart.
   */
  uint64_t hash = ((uint64_t)(uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  if (partner != NULL) {
    hash = (hash ^ (uint64_t)(uintptr_t)partner >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return (size_t)(hash >> 32) & (map->capacity - 1);
}

/* The slot of a key, or the free slot where it belongs. The table must have a free slot. */
static inline tvmffi_pointer_entry *find_pointer_slot(const tvmffi_pointer_map *map,
                                                      const void *key, const void *partner) {
  size_t i = home_of_pointer(map, key, partner);
  while (map->slots[i].key != NULL &&
         (map->slots[i].key != key || map->slots[i].partner != partner)) {
    i = (i + 1) & (map->capacity - 1);
  }
  return &map->slots[i];
}

tvmffi_pointer_entry *tvmffi_pointer_map_find_pair(const tvmffi_pointer_map *map, const void *key,
                                                   const void *partner) {
  tvmffi_pointer_entry *slot;
  if (map->size == 0) return NULL;
  slot = find_pointer_slot(map, key, partner);
  return slot->key != NULL ? slot : NULL;
}

tvmffi_pointer_entry *tvmffi_pointer_map_find(const tvmffi_pointer_map *map, const void *key) {
  return tvmffi_pointer_map_find_pair(map, key, NULL);
}

static int grow_pointer_map(tvmffi_pointer_map *map) {
  tvmffi_pointer_map grown;
  size_t i;
  grown.size = map->size;
  grown.capacity = map->capacity != 0 ? map->capacity * 2 : kFirstPointerCapacity;
  grown.slots = tvmffi_alloc_zeroed(grown.capacity, sizeof *grown.slots);
  if (grown.slots == NULL) return -1;
  for (i = 0; i < map->capacity; ++i) {
    const tvmffi_pointer_entry *entry = &map->slots[i];
    if (entry->key != NULL) *find_pointer_slot(&grown, entry->key, entry->partner) = *entry;
  }
  tvmffi_free(map->slots);
  *map = grown;
  return 0;
}

tvmffi_pointer_entry *tvmffi_pointer_map_ensure_pair(tvmffi_pointer_map *map, const void *key,
                                                     const void *partner) {
  tvmffi_pointer_entry *slot = map->capacity != 0 ? find_pointer_slot(map, key, partner) : NULL;
  if (slot != NULL && slot->key != NULL) return slot;
  if (map->size >= map->capacity / 2) {
    if (grow_pointer_map(map) != 0) return NULL;
    slot = find_pointer_slot(map, key, partner);
  }
  slot->key = key;
  slot->partner = partner;
  ++map->size;
  return slot;
}

tvmffi_pointer_entry *tvmffi_pointer_map_ensure(tvmffi_pointer_map *map, const void *key) {
  return tvmffi_pointer_map_ensure_pair(map, key, NULL);
}

/* Closes the gap by moving entries back, so that no search ends before its key. */
void tvmffi_pointer_map_remove(tvmffi_pointer_map *map, const void *key) {
  const tvmffi_pointer_entry *found = tvmffi_pointer_map_find(map, key);
  size_t mask = map->capacity - 1, gap, i;
  if (found == NULL) return;
  gap = (size_t)(found - map->slots);
  for (i = (gap + 1) & mask; map->slots[i].key != NULL; i = (i + 1) & mask) {
    const tvmffi_pointer_entry *entry = &map->slots[i];
    size_t home = home_of_pointer(map, entry->key, entry->partner);
    if (((i - home) & mask) < ((i - gap) & mask)) continue; /* its home lies behind the gap */
    map->slots[gap] = *entry;
    gap = i;
  }
  memset(&map->slots[gap], 0, sizeof map->slots[gap]);
  --map->size;
}

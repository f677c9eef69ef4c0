/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from addresses, or pairs of them, to numbers or pointers. */
#ifndef TVMFFI_BASE_POINTER_MAP_H_
#define TVMFFI_BASE_POINTER_MAP_H_

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const void *key;     /* NULL: free */
  const void *partner; /* second address of a pair; else NULL */
  union {
    uint64_t number;
    void *pointer;
  } value;
} tvmffi_pointer_entry;

/* All bytes 0 is an empty map. */
typedef struct {
  tvmffi_pointer_entry *slots;
  size_t size;
  size_t capacity; /* a power of two, or 0 */
} tvmffi_pointer_map;

/*
 * Frees the memory. Until then callers may iterate over `slots`: entries whose key is not NULL, in
 * no order.
 */
void tvmffi_pointer_map_fini(tvmffi_pointer_map *map);

/* The entry of a key, or NULL if there is none. The key must not be NULL. */
tvmffi_pointer_entry *tvmffi_pointer_map_find(const tvmffi_pointer_map *map, const void *key);

/* The same, but inserts a new entry with value 0. NULL if out of memory. May move the others. */
tvmffi_pointer_entry *tvmffi_pointer_map_ensure(tvmffi_pointer_map *map, const void *key);

/* Both for a pair of addresses. */
tvmffi_pointer_entry *tvmffi_pointer_map_find_pair(const tvmffi_pointer_map *map, const void *key,
                                                   const void *partner);
tvmffi_pointer_entry *tvmffi_pointer_map_ensure_pair(tvmffi_pointer_map *map, const void *key,
                                                     const void *partner);

/* Removes the entry of a key, if there is one. Moves others. */
void tvmffi_pointer_map_remove(tvmffi_pointer_map *map, const void *key);

#endif /* TVMFFI_BASE_POINTER_MAP_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* From addresses, or pairs of them, to numbers or pointers: what a walk remembers of objects. */
#ifndef TVMFFI_BASE_POINTER_MAP_H_
#define TVMFFI_BASE_POINTER_MAP_H_

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const void *key;  /* NULL: free */
  const void *with; /* of a pair; else NULL */
  union {
    uint64_t number;
    void *pointer;
  } value;
} tvmffi_pointer_entry;

/* All zero is an empty one. Nothing is ever taken out. */
typedef struct {
  tvmffi_pointer_entry *slots;
  size_t size;
  size_t capacity; /* a power of two, or 0 */
} tvmffi_pointer_map;

/* Frees the memory; in `slots`, entries with a key are in no order until then. */
void tvmffi_pointer_map_fini(tvmffi_pointer_map *map);

/* The entry of a key that is not NULL, or NULL. */
tvmffi_pointer_entry *tvmffi_pointer_map_find(const tvmffi_pointer_map *map, const void *key);

/* The same, made with the value 0 if need be; NULL without memory. Moves the others. */
tvmffi_pointer_entry *tvmffi_pointer_map_ensure(tvmffi_pointer_map *map, const void *key);

/* The same for a pair. */
tvmffi_pointer_entry *tvmffi_pointer_map_ensure_pair(tvmffi_pointer_map *map, const void *key,
                                                     const void *with);

#endif /* TVMFFI_BASE_POINTER_MAP_H_ */

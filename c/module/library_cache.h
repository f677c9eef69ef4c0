/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of kernel addresses that were looked up in a library. Reading takes no lock. Unlike a
 * tvmffi_table it owns its memory and dies with its library.
 */
#ifndef TVMFFI_MODULE_LIBRARY_CACHE_H_
#define TVMFFI_MODULE_LIBRARY_CACHE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct {
  struct tvmffi_library_cache_slots *current; /* NULL while empty */
  size_t size;
} tvmffi_library_cache;

/* The address under a name with this hash (tvmffi_hash_bytes), or NULL. */
void *tvmffi_library_cache_find(const tvmffi_library_cache *cache, const char *name, size_t size,
                                uint64_t hash);

/* Adds an address unless the name is known. -1 without memory, with no error raised. */
int tvmffi_library_cache_add(tvmffi_library_cache *cache, const char *name, size_t size,
                             uint64_t hash, void *address);

void tvmffi_library_cache_fini(tvmffi_library_cache *cache);

#endif /* TVMFFI_MODULE_LIBRARY_CACHE_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of kernels that were looked up in a library before. Reading takes no lock. Unlike a
 * tvmffi_table it owns its memory and ends with its library.
 */
#ifndef TVMFFI_MODULE_LIBRARY_CACHE_H_
#define TVMFFI_MODULE_LIBRARY_CACHE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct {
  struct tvmffi_library_cache_slots *current; /* NULL while empty */
  size_t size;
} tvmffi_library_cache;

/* The address under a name with that tvmffi_hash_bytes, or NULL. */
void *tvmffi_library_cache_find(const tvmffi_library_cache *cache, const char *name, size_t size,
                                uint64_t hash);

/* Keeps an address, unless there is one under the name. -1 without memory, nothing raised. */
int tvmffi_library_cache_add(tvmffi_library_cache *cache, const char *name, size_t size,
                             uint64_t hash, void *address);

void tvmffi_library_cache_fini(tvmffi_library_cache *cache);

#endif /* TVMFFI_MODULE_LIBRARY_CACHE_H_ */

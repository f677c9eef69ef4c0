/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library_cache.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "platform/atomic.h"
#include "platform/thread.h"

enum { kFirstSlots = 16 };

typedef struct {
  uint64_t hash;
  void *address;
  size_t size;
  char name[];
} entry;

/*
 * An open-addressing hash table, at most half full. Older tables stay, because readers without the
 * lock may still be using them.
 */
typedef struct tvmffi_library_cache_slots {
  struct tvmffi_library_cache_slots *older;
  size_t mask;
  entry *entries[];
} slots;

static tvmffi_mutex writers = TVMFFI_MUTEX_INIT;

void *tvmffi_library_cache_find(const tvmffi_library_cache *cache, const char *name, size_t size,
                                uint64_t hash) {
  const slots *current = tvmffi_atomic_load_acquire_ptr(&cache->current);
  size_t i;
  if (current == NULL) return NULL;
  for (i = (size_t)hash & current->mask;; i = (i + 1) & current->mask) {
    const entry *found = tvmffi_atomic_load_acquire_ptr(&current->entries[i]);
    if (found == NULL) return NULL;
    if (found->hash == hash && found->size == size &&
        (size == 0 || memcmp(found->name, name, size) == 0)) {
      return found->address;
    }
  }
}

static void place(slots *table, entry *added) {
  size_t i = (size_t)added->hash & table->mask;
  while (table->entries[i] != NULL) i = (i + 1) & table->mask;
  tvmffi_atomic_store_release_ptr(&table->entries[i], added);
}

static int ensure_room(tvmffi_library_cache *cache) {
  slots *old = cache->current, *grown;
  size_t num_slots = kFirstSlots, bytes, i;
  if (old != NULL) {
    if (cache->size < (old->mask + 1) / 2) return 0;
    if (!tvmffi_checked_mul_size(old->mask + 1, 2, &num_slots)) return -1;
  }
  if (!tvmffi_checked_array_size(sizeof *grown, num_slots, sizeof grown->entries[0], &bytes)) {
    return -1;
  }
  grown = tvmffi_alloc(bytes);
  if (grown == NULL) return -1;
  grown->older = old;
  grown->mask = num_slots - 1;
  for (i = 0; i < num_slots; ++i) grown->entries[i] = NULL;
  for (i = 0; old != NULL && i <= old->mask; ++i) {
    if (old->entries[i] != NULL) place(grown, old->entries[i]);
  }
  tvmffi_atomic_store_release_ptr(&cache->current, grown);
  return 0;
}

int tvmffi_library_cache_add(tvmffi_library_cache *cache, const char *name, size_t size,
                             uint64_t hash, void *address) {
  entry *added;
  size_t bytes;
  int rc = 0;
  if (!tvmffi_checked_add_size(sizeof *added, size, &bytes)) return -1;
  added = tvmffi_alloc(bytes);
  if (added == NULL) return -1;
  added->hash = hash;
  added->address = address;
  added->size = size;
  if (size != 0) memcpy(added->name, name, size);
  tvmffi_mutex_lock(&writers);
  if (tvmffi_library_cache_find(cache, name, size, hash) == NULL) {
    rc = ensure_room(cache);
    if (rc == 0) {
      place(cache->current, added);
      ++cache->size;
      added = NULL;
    }
  }
  tvmffi_mutex_unlock(&writers);
  tvmffi_free(added);
  return rc;
}

void tvmffi_library_cache_fini(tvmffi_library_cache *cache) {
  slots *table = cache->current;
  size_t i;
  for (i = 0; table != NULL && i <= table->mask; ++i) tvmffi_free(table->entries[i]);
  while (table != NULL) {
    slots *older = table->older;
    tvmffi_free(table);
    table = older;
  }
  cache->current = NULL;
  cache->size = 0;
}

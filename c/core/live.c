/* SPDX-License-Identifier: Apache-2.0 */
#include "core/live.h"

#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "platform/thread.h"

/* A set of addresses: a hash table with linear probing and backward-shift deletion. */
typedef struct {
  const void *obj; /* NULL: free */
  int32_t type_index;
} live_entry;

int tvmffi_live_enabled;
static tvmffi_mutex mutex = TVMFFI_MUTEX_INIT;
static live_entry *entries;
static size_t num_entries, capacity; /* capacity is a power of two */

static size_t home_of(const void *obj, size_t table_capacity) {
  uint64_t mixed = ((uint64_t)(uintptr_t)obj >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(mixed >> 32) & (table_capacity - 1);
}

/* The slot of obj, or the free slot where it belongs. */
static live_entry *find_place(live_entry *table, size_t table_capacity, const void *obj) {
  size_t i = home_of(obj, table_capacity);
  while (table[i].obj != NULL && table[i].obj != obj) i = (i + 1) & (table_capacity - 1);
  return &table[i];
}

static bool grow(void) {
  size_t grown_capacity = capacity != 0 ? capacity * 2 : 1024, bytes, i;
  live_entry *grown;
  if (!tvmffi_checked_mul_size(grown_capacity, sizeof *grown, &bytes)) return false;
  grown = tvmffi_alloc(bytes);
  if (grown == NULL) return false;
  memset(grown, 0, bytes);
  for (i = 0; i < capacity; ++i) {
    if (entries[i].obj != NULL) *find_place(grown, grown_capacity, entries[i].obj) = entries[i];
  }
  tvmffi_free(entries);
  entries = grown;
  capacity = grown_capacity;
  return true;
}

bool tvmffi_live_add(const void *obj, int32_t type_index) {
  bool added = true;
  tvmffi_mutex_lock(&mutex);
  if (tvmffi_live_enabled) {
    added = num_entries < capacity / 2 || grow();
    if (added) {
      live_entry *entry = find_place(entries, capacity, obj);
      entry->obj = obj;
      entry->type_index = type_index;
      ++num_entries;
    }
  }
  tvmffi_mutex_unlock(&mutex);
  return added;
}

void tvmffi_live_remove(const void *obj) {
  tvmffi_mutex_lock(&mutex);
  if (capacity != 0) {
    live_entry *entry = find_place(entries, capacity, obj);
    if (entry->obj != NULL) {
      size_t hole = (size_t)(entry - entries), i = hole;
      --num_entries;
      for (;;) {
        size_t home;
        i = (i + 1) & (capacity - 1);
        if (entries[i].obj == NULL) break;
        home = home_of(entries[i].obj, capacity);
        /* An entry stays in place if its home lies behind the hole. */
        if (((i - home) & (capacity - 1)) < ((i - hole) & (capacity - 1))) continue;
        entries[hole] = entries[i];
        hole = i;
      }
      entries[hole].obj = NULL;
    }
  }
  tvmffi_mutex_unlock(&mutex);
}

int TVMFFIRuntimeSetLiveObjectCounting(int enabled) {
  tvmffi_mutex_lock(&mutex);
  tvmffi_free(entries);
  entries = NULL;
  num_entries = capacity = 0;
  tvmffi_atomic_store_relaxed_int(&tvmffi_live_enabled, enabled != 0);
  tvmffi_mutex_unlock(&mutex);
  return 0;
}

int64_t TVMFFIRuntimeGetLiveObjectCount(int32_t type_index) {
  int64_t count = 0;
  size_t i;
  tvmffi_mutex_lock(&mutex);
  for (i = 0; i < capacity; ++i) {
    if (entries[i].obj == NULL) continue;
    if (type_index == kTVMFFIAny || entries[i].type_index == type_index) ++count;
  }
  tvmffi_mutex_unlock(&mutex);
  return count;
}

void tvmffi_live_shutdown(void) {
  (void)TVMFFIRuntimeSetLiveObjectCounting(0);
}

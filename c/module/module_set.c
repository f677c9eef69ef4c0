/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module_set.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"

enum { kFirstCapacity = 8 };

static size_t hash_of(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  uint64_t mixed = (uint64_t)(uintptr_t)obj * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(mixed >> 32) & (2 * set->capacity - 1);
}

/* The slot of an object, or the free slot where it belongs. */
static size_t find_slot(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  size_t i = hash_of(set, obj);
  while (set->slots[i] != 0 && set->items[set->slots[i] - 1] != obj) {
    i = (i + 1) & (2 * set->capacity - 1);
  }
  return i;
}

bool tvmffi_module_set_has(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  return set->capacity != 0 && set->slots[find_slot(set, obj)] != 0;
}

size_t tvmffi_module_set_find(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  return set->slots[find_slot(set, obj)] - 1;
}

/* Items and slots share one block. */
static int grow(tvmffi_module_set *set) {
  tvmffi_module_set grown;
  size_t bytes, i;
  grown.size = set->size;
  grown.capacity = kFirstCapacity;
  if (set->capacity != 0 && !tvmffi_checked_mul_size(set->capacity, 2, &grown.capacity)) return -1;
  if (!tvmffi_checked_mul_size(grown.capacity, sizeof *grown.items + 2 * sizeof *grown.slots,
                               &bytes)) {
    return -1; /* GCOVR_EXCL_LINE: the set is in memory */
  }
  grown.items = tvmffi_alloc(bytes);
  if (grown.items == NULL) return -1;
  grown.slots = (size_t *)(void *)(grown.items + grown.capacity);
  memset(grown.slots, 0, 2 * grown.capacity * sizeof *grown.slots);
  for (i = 0; i < set->size; ++i) {
    grown.items[i] = set->items[i];
    grown.slots[find_slot(&grown, set->items[i])] = i + 1;
  }
  tvmffi_free(set->items);
  *set = grown;
  return 0;
}

int tvmffi_module_set_add(tvmffi_module_set *set, TVMFFIObject *obj) {
  if (tvmffi_module_set_has(set, obj)) return 0;
  if (set->size == set->capacity && grow(set) != 0) return -1;
  set->items[set->size] = obj;
  set->slots[find_slot(set, obj)] = ++set->size;
  return 1;
}

bool tvmffi_module_set_remove(tvmffi_module_set *set, const TVMFFIObject *obj) {
  size_t mask = 2 * set->capacity - 1, hole, i, number;
  if (!tvmffi_module_set_has(set, obj)) return false;
  hole = find_slot(set, obj);
  number = set->slots[hole];
  set->slots[hole] = 0;
  /* Backward-shift deletion: an entry whose probe sequence passes the hole moves into it. */
  for (i = (hole + 1) & mask; set->slots[i] != 0; i = (i + 1) & mask) {
    size_t wanted = hash_of(set, set->items[set->slots[i] - 1]);
    if (((i - wanted) & mask) >= ((i - hole) & mask)) {
      set->slots[hole] = set->slots[i];
      set->slots[i] = 0;
      hole = i;
    }
  }
  if (number != set->size) {
    TVMFFIObject *moved = set->items[set->size - 1];
    set->slots[find_slot(set, moved)] = number;
    set->items[number - 1] = moved;
  }
  --set->size;
  return true;
}

void tvmffi_module_set_fini(tvmffi_module_set *set) {
  static const tvmffi_module_set empty = TVMFFI_MODULE_SET_INIT;
  tvmffi_free(set->items);
  *set = empty;
}

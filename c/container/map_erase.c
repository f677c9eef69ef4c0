/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing entries from maps, copying maps, making them for a number of pairs: only the functions
 * of the full profile need these.
 */
#include <string.h>

#include "base/alloc.h"
#include "container/any_key.h"
#include "container/map_table.h"
#include "core/any.h"
#include "core/object.h"

#define meta_at tvmffi_map_meta_at
#define item_at tvmffi_map_item_at

/*
 * Moves the entry of a slot to *out. The last entry of its chain fills the slot, which keeps the
 * chain connected.
 */
static void take_dense(tvmffi_map *map, uint64_t slot, tvmffi_map_pair *out) {
  uint64_t next = tvmffi_map_next_of_chain(map, slot), previous = slot, last = slot;
  *out = item_at(map, slot)->pair;
  --map->size;
  tvmffi_map_unlink(map, slot);
  if (next == TVMFFI_MAP_NONE) {
    if ((*meta_at(map, slot) & kBody) != 0) previous = tvmffi_map_find_before(map, slot);
  } else {
    for (; next != TVMFFI_MAP_NONE; next = tvmffi_map_next_of_chain(map, last)) {
      previous = last;
      last = next;
    }
    *item_at(map, slot) = *item_at(map, last);
    tvmffi_map_relink(map, slot);
  }
  if (previous != TVMFFI_MAP_NONE) tvmffi_map_set_jump(map, previous, 0);
  *meta_at(map, last) = kEmpty;
}

static void take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out) {
  if (tvmffi_map_is_small(map)) {
    tvmffi_map_small_take(map, i, out);
  } else {
    take_dense(map, i, out);
  }
}

/* To be called when the map is consistent again, because it may run foreign code. */
static void release_pair(tvmffi_map_pair *pair) {
  tvmffi_any_release(&pair->key);
  tvmffi_any_release(&pair->value);
}

int tvmffi_map_erase(TVMFFIObject *map, const TVMFFIAny *key) {
  tvmffi_map *self = (tvmffi_map *)(void *)map;
  tvmffi_map_pair taken;
  uint64_t i;
  int rc = tvmffi_map_find_at(map, key, &i);
  if (rc != 0 || i == TVMFFI_MAP_NONE) return rc;
  take(self, i, &taken);
  release_pair(&taken);
  return 0;
}

void tvmffi_map_clear(TVMFFIObject *map) {
  tvmffi_map *self = (tvmffi_map *)(void *)map;
  uint64_t n = self->size;
  for (; n > 0 && self->size > 0; --n) { /* destructors may insert entries */
    tvmffi_map_pair taken;
    take(self, tvmffi_map_is_small(self) ? self->size - 1 : self->tail, &taken);
    release_pair(&taken);
  }
}

bool tvmffi_map_has_at(const TVMFFIObject *map, uint64_t i) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  if (tvmffi_map_is_small(self)) return i < self->size;
  return i < self->slots && *meta_at(self, i) != kEmpty;
}

/* ---- Making ---- */

TVMFFIObject *tvmffi_map_new_for(int32_t type_index, uint64_t num_pairs) {
  bool is_four = num_pairs > kTvmffiMapMinSmallSlots && num_pairs <= kTvmffiMapMaxSmallSlots;
  uint64_t room = is_four ? kTvmffiMapMaxSmallSlots : kTvmffiMapMinSmallSlots, slots = 8;
  tvmffi_map *map = tvmffi_map_small_new(type_index, room);
  uint32_t fib_shift = 61;
  if (map == NULL || num_pairs <= kTvmffiMapMaxSmallSlots) return map == NULL ? NULL : &map->header;
  for (; num_pairs > slots; slots *= 2) --fib_shift; /* a map that grows outgrows so few slots */
  if (tvmffi_map_dense_init(map, slots, fib_shift) != 0) {
    tvmffi_object_free(map, 0);
    return NULL;
  }
  return &map->header;
}

/* small_slots: capacity of the copy if it is small. */
static TVMFFIObject *copy_as(TVMFFIObject *map, int32_t type_index, uint64_t small_slots) {
  const tvmffi_map *source = (const tvmffi_map *)(const void *)map;
  tvmffi_map *copy = tvmffi_map_small_new(type_index, small_slots);
  uint64_t i;
  if (copy == NULL) return NULL;
  if (tvmffi_map_is_small(source)) {
    memcpy(copy->data, source->data, (size_t)source->size * sizeof(tvmffi_map_pair));
    copy->size = source->size;
  } else {
    if (tvmffi_map_dense_init(copy, source->slots, source->fib_shift) != 0) {
      tvmffi_object_free(copy, 0);
      return NULL;
    }
    memcpy(copy->data, source->data,
           (size_t)((source->slots + kBlockSlots - 1) / kBlockSlots) * sizeof(tvmffi_map_block));
    copy->size = source->size;
    copy->head = source->head;
    copy->tail = source->tail;
  }
  for (i = tvmffi_map_first(map); i != TVMFFI_MAP_NONE; i = tvmffi_map_next(map, i)) {
    const tvmffi_map_pair *pair = tvmffi_map_at(map, i);
    (void)tvmffi_any_copy(&pair->key);
    (void)tvmffi_any_copy(&pair->value);
  }
  return &copy->header;
}

TVMFFIObject *tvmffi_map_copy_to_dict(TVMFFIObject *map) {
  return copy_as(map, kTVMFFIDict, kTvmffiMapMaxSmallSlots);
}

TVMFFIObject *tvmffi_map_copy(TVMFFIObject *map) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  uint64_t slots = kTvmffiMapMinSmallSlots;
  if (tvmffi_map_is_small(self) && (self->slots & ~TVMFFI_MAP_SMALL_TAG) > slots) {
    slots = self->slots & ~TVMFFI_MAP_SMALL_TAG;
  }
  return copy_as(map, map->type_index, slots);
}

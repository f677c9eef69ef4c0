/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c/container/map.c: one step from any valid map leads to a valid map. Keys are integers, the hash
 * of a key is any number, and no memory is left to grow.
 */
#include <string.h>

#include "prove.h"

/* The slots of a table in two arrays, which CBMC follows faster than blocks; prove_map_blocks is
 * about the blocks. */
static uint8_t *meta_of_slot(uint64_t i);
static void *item_of_slot(uint64_t i);
#define tvmffi_map_meta_at(map, i) meta_of_slot(i)
#define tvmffi_map_item_at(map, i) ((tvmffi_map_item *)item_of_slot(i))
#include "container/map.h"

#include "container/any_key.h"
#include "stubs.h"

enum { kSlots = 4, kKeys = 8 };

static uint8_t metas[kSlots];
static tvmffi_map_item items[kSlots];

static uint8_t *meta_of_slot(uint64_t i) {
  PROVE(i < kSlots);
  return &metas[i];
}

static void *item_of_slot(uint64_t i) {
  PROVE(i < kSlots);
  return &items[i];
}

/* Any hash function will do: the home slot of each key. */
static uint64_t homes[kKeys];

static uint64_t home_of_hash(const tvmffi_map *map, uint64_t hash) {
  return homes[hash % kKeys] & (map->slots - 1);
}

static int map_ask_hash(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out) {
  (void)map;
  PROVE(key->type_index == kTVMFFIInt);
  *out = key->v_uint64;
  return 0;
}

/* Integers are equal only if they are the same. */
static int map_ask_equal(const tvmffi_map *map, uint64_t i, const TVMFFIAny *key) {
  (void)map, (void)i, (void)key;
  PROVE(false);
  return 0;
}

/* Pairs are moved as wholes. */
static void move_pairs(void *to, const void *from, size_t size) {
  const tvmffi_map_pair *source = from;
  tvmffi_map_pair *target = to;
  size_t i;
  PROVE(target + 1 == source && size % sizeof *target == 0);
  for (i = 0; i < kTvmffiMapMaxSmallSlots - 1; ++i) {
    if (i < size / sizeof *target) target[i] = source[i];
  }
}
#define memmove(to, from, size) move_pairs(to, from, size)

#include "container/map.c"

static TVMFFIAny int_any(uint64_t number) {
  TVMFFIAny any;
  any.type_index = kTVMFFIInt;
  any.zero_padding = 0;
  any.v_uint64 = number;
  return any;
}

/* ---- Hash tables ---- */

static uint64_t home_of(uint64_t i) {
  return homes[items[i].pair.key.v_uint64 % kKeys];
}

/* Each chain begins in the home slot of its keys; each entry is in one chain. */
static bool chains_are_valid(void) {
  bool is_reached[kSlots] = {false};
  uint64_t i, k, n;
  for (i = 0; i < kSlots; ++i) {
    if ((metas[i] & kBody) != 0) continue; /* empty, or not the first */
    for (n = 0, k = i; n < kSlots; ++n) {
      const uint64_t jump = metas[k] & kJumpMask;
      if (metas[k] == kEmpty || is_reached[k] || home_of(k) != i) return false;
      if (((metas[k] & kBody) != 0) != (k != i) || jump >= kSlots) return false;
      is_reached[k] = true;
      if (jump == 0) break;
      k = (k + jump) & (kSlots - 1);
    }
    if (n == kSlots) return false;
  }
  for (i = 0; i < kSlots; ++i) {
    if (is_reached[i] != (metas[i] != kEmpty)) return false;
  }
  return true;
}

/* The order of insertion has each entry once. */
static bool order_is_valid(const tvmffi_map *map) {
  uint64_t i = map->head, before = TVMFFI_MAP_NONE, n, filled = 0;
  for (n = 0; n < kSlots && i != TVMFFI_MAP_NONE; ++n) {
    if (i >= kSlots || metas[i] == kEmpty || items[i].prev != before) return false;
    before = i;
    i = items[i].next;
  }
  if (i != TVMFFI_MAP_NONE || map->tail != before || n != map->size) return false;
  for (i = 0; i < kSlots; ++i) filled += metas[i] != kEmpty;
  return filled == map->size;
}

static bool keys_are_valid(void) {
  bool has[kKeys] = {false};
  uint64_t i;
  for (i = 0; i < kSlots; ++i) {
    const TVMFFIAny *key = &items[i].pair.key;
    if (metas[i] == kEmpty) continue;
    if (key->type_index != kTVMFFIInt || key->zero_padding != 0 || key->v_uint64 >= kKeys) {
      return false;
    }
    if (has[key->v_uint64]) return false;
    has[key->v_uint64] = true;
  }
  return true;
}

static bool dense_is_valid(const tvmffi_map *map) {
  return map->slots == kSlots && keys_are_valid() && chains_are_valid() && order_is_valid(map);
}

/* Any valid map of so many slots. */
static void choose_dense(tvmffi_map *map) {
  uint64_t i;
  for (i = 0; i < kKeys; ++i) homes[i] = choose_up_to(kSlots - 1);
  for (i = 0; i < kSlots; ++i) {
    metas[i] = (uint8_t)choose_up_to(UINT8_MAX);
    items[i].pair.key = int_any(choose_up_to(kKeys - 1));
    items[i].pair.value = int_any(choose_u64());
    items[i].prev = choose_u64();
    items[i].next = choose_u64();
  }
  memset(map, 0, sizeof *map);
  map->size = choose_up_to(kSlots);
  map->slots = kSlots;
  map->head = choose_u64();
  map->tail = choose_u64();
  ASSUME(dense_is_valid(map));
}

void prove_map_find(void) {
  tvmffi_map map;
  tvmffi_map_place place;
  const TVMFFIAny key = int_any(choose_up_to(kKeys - 1));
  const uint64_t i = choose_up_to(kSlots - 1);
  choose_dense(&map);
  PROVE(map_dense_find(&map, &key, &place) == 0);
  if (place.slot != TVMFFI_MAP_NONE) {
    PROVE(place.slot < kSlots && items[place.slot].pair.key.v_uint64 == key.v_uint64);
  }
  if (metas[i] != kEmpty && items[i].pair.key.v_uint64 == key.v_uint64) {
    PROVE(place.slot == i);
  }
}

/* The positions are each entry once. */
void prove_map_iterate(void) {
  tvmffi_map map;
  bool is_seen[kSlots] = {false};
  uint64_t i, n = 0;
  choose_dense(&map);
  for (i = tvmffi_map_first(&map.header); i != TVMFFI_MAP_NONE && n <= kSlots;
       i = tvmffi_map_next(&map.header, i), ++n) {
    PROVE(tvmffi_map_has_at(&map.header, i) && !is_seen[i]);
    PROVE(tvmffi_map_at(&map.header, i) == &items[i].pair);
    is_seen[i] = true;
  }
  PROVE(n == map.size);
}

/* Each slot has a place of its own within the blocks. */
void prove_map_blocks(void) {
  static tvmffi_map_block blocks[2];
  const uint64_t i = choose_up_to(2 * kBlockSlots - 1), k = choose_up_to(2 * kBlockSlots - 1);
  const tvmffi_map_block *block = &blocks[i < kBlockSlots ? 0 : 1];
  tvmffi_map map;
  map.data = blocks;
  ASSUME(i != k);
  PROVE(tvmffi_map_meta_at_itself(&map, i) != tvmffi_map_meta_at_itself(&map, k));
  PROVE(tvmffi_map_item_at_itself(&map, i) != tvmffi_map_item_at_itself(&map, k));
  PROVE(tvmffi_map_meta_at_itself(&map, i) >= block->meta);
  PROVE(tvmffi_map_meta_at_itself(&map, i) < block->meta + kBlockSlots);
  PROVE(tvmffi_map_item_at_itself(&map, i) >= block->items);
  PROVE(tvmffi_map_item_at_itself(&map, i) < block->items + kBlockSlots);
}

/* ---- Small maps ---- */

static struct {
  tvmffi_map_common common;
  tvmffi_map_pair pairs[kTvmffiMapMaxSmallSlots];
} small;

/* Any small map, whose keys are distinct. */
static tvmffi_map *choose_small(void) {
  tvmffi_map *map = (tvmffi_map *)(void *)&small;
  uint64_t i, k;
  const uint64_t slots = 2 + 2 * choose_up_to(1);
  small.common.data = small.pairs;
  small.common.size = choose_up_to(slots);
  small.common.slots = slots | TVMFFI_MAP_SMALL_TAG;
  for (i = 0; i < kTvmffiMapMaxSmallSlots; ++i) {
    small.pairs[i].key = int_any(choose_u64());
    small.pairs[i].value = int_any(choose_u64());
    for (k = 0; k < i; ++k) {
      ASSUME(i >= small.common.size || small.pairs[k].key.v_uint64 != small.pairs[i].key.v_uint64);
    }
  }
  return map;
}

void prove_map_small_find(void) {
  tvmffi_map *map = choose_small();
  const TVMFFIAny key = int_any(choose_u64());
  const uint64_t i = choose_up_to(kTvmffiMapMaxSmallSlots - 1);
  uint64_t found;
  PROVE(map_small_find(map, &key, &found) == 0);
  if (found != TVMFFI_MAP_NONE) {
    PROVE(found < map->size && small.pairs[found].key.v_uint64 == key.v_uint64);
  }
  if (i < map->size && small.pairs[i].key.v_uint64 == key.v_uint64) PROVE(found == i);
}

void prove_map_small_take(void) {
  tvmffi_map *map = choose_small();
  const uint64_t i = choose_up_to(kTvmffiMapMaxSmallSlots - 1),
                 k = choose_up_to(kTvmffiMapMaxSmallSlots - 1), size = map->size;
  tvmffi_map_pair taken;
  uint64_t gone, other;
  ASSUME(i < size && k < size && k != i);
  gone = small.pairs[i].key.v_uint64;
  other = small.pairs[k].key.v_uint64;
  map_small_take(map, i, &taken);
  PROVE(map->size == size - 1 && taken.key.v_uint64 == gone);
  PROVE(small.pairs[k > i ? k - 1 : k].key.v_uint64 == other);
}

/* A key is gone, and the others stay in order; or it was not there, and nothing changes. */
void prove_map_small_erase(void) {
  tvmffi_map *map = choose_small();
  const TVMFFIAny key = int_any(choose_u64());
  const uint64_t i = choose_up_to(kTvmffiMapMaxSmallSlots - 1), size = map->size;
  const uint64_t other = small.pairs[i].key.v_uint64;
  uint64_t k;
  ASSUME(i < size && other != key.v_uint64);
  PROVE(tvmffi_map_erase(&map->header, &key) == 0);
  PROVE(map->size == size || map->size == size - 1);
  k = i < map->size && small.pairs[i].key.v_uint64 == other ? i : i - 1;
  PROVE(k < map->size && small.pairs[k].key.v_uint64 == other);
  for (k = 0; k < kTvmffiMapMaxSmallSlots; ++k) {
    PROVE(k >= map->size || small.pairs[k].key.v_uint64 != key.v_uint64);
  }
}

/* It gets more room, or there is no memory and nothing changes. */
void prove_map_small_extend(void) {
  tvmffi_map *map = choose_small();
  const uint64_t size = map->size, slots = tvmffi_map_small_slots(map);
  const uint64_t i = choose_up_to(kTvmffiMapMaxSmallSlots - 1);
  uint64_t key;
  ASSUME(i < size);
  key = small.pairs[i].key.v_uint64;
  if (map_small_extend(map) != 0) {
    PROVE(map->data == small.pairs && tvmffi_map_small_slots(map) == slots);
  } else {
    PROVE(tvmffi_map_small_slots(map) >= 4 && tvmffi_map_small_slots(map) >= slots);
  }
  PROVE(map->size == size && ((tvmffi_map_pair *)map->data)[i].key.v_uint64 == key);
  if (map->data != small.pairs) tvmffi_free(map->data);
  PROVE(num_allocated == 0);
}

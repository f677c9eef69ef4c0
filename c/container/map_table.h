/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of dense maps: a power of two of slots, in blocks of 16, with a byte of metadata per
 * slot. Entries whose keys share a home slot form a chain that starts there; a slot's byte says
 * whether a chain starts in it and, as an index into a table of distances, where the next entry of
 * its chain is. The order of insertion is a list over slot numbers.
 */
#ifndef TVMFFI_CONTAINER_MAP_TABLE_H_
#define TVMFFI_CONTAINER_MAP_TABLE_H_

#include "container/map.h"

enum { kBlockSlots = 16 };

enum {
  kEmpty = 0xFF,
  kProtected = 0xFE, /* reserved while a chain is moved, but not filled yet */
  kBody = 0x80,      /* not the first of its chain */
  kJumpMask = 0x7F
};

typedef struct {
  tvmffi_map_pair pair;
  uint64_t prev, next;
} tvmffi_map_item;

typedef struct {
  uint8_t meta[kBlockSlots];
  tvmffi_map_item items[kBlockSlots];
} tvmffi_map_block;

/*
 * Distances to the next entry of a chain: 0 to 15, then triangular numbers, then those of a table.
 * The last two values of the seven bits are not jumps: kProtected and kEmpty have them.
 */
enum { kFirstTriangularJump = 16, kFirstLongJump = 83, kNumJumps = 126 };
extern const uint64_t tvmffi_map_long_jumps[kNumJumps - kFirstLongJump];

static inline uint64_t tvmffi_map_distance(unsigned jump) {
  uint64_t root = jump - 10;
  if (jump < kFirstTriangularJump) return jump;
  if (jump < kFirstLongJump) return root * (root + 1) / 2;
  return jump < kNumJumps ? tvmffi_map_long_jumps[jump - kFirstLongJump] : 0;
}

static inline uint8_t *tvmffi_map_meta_at(const tvmffi_map *map, uint64_t i) {
  return &((tvmffi_map_block *)map->data)[i / kBlockSlots].meta[i % kBlockSlots];
}

static inline tvmffi_map_item *tvmffi_map_item_at(const tvmffi_map *map, uint64_t i) {
  return &((tvmffi_map_block *)map->data)[i / kBlockSlots].items[i % kBlockSlots];
}

/* The next slot of a chain, or TVMFFI_MAP_NONE. */
static inline uint64_t tvmffi_map_next_of_chain(const tvmffi_map *map, uint64_t i) {
  uint64_t distance = tvmffi_map_distance(*tvmffi_map_meta_at(map, i) & kJumpMask);
  return distance == 0 ? TVMFFI_MAP_NONE : (i + distance) & (map->slots - 1);
}

static inline void tvmffi_map_set_jump(const tvmffi_map *map, uint64_t i, unsigned jump) {
  uint8_t *meta = tvmffi_map_meta_at(map, i);
  *meta = (uint8_t)((*meta & kBody) | jump);
}

/* The slot before i in its chain; i is not the first of it. TVMFFI_MAP_NONE if there is none. */
uint64_t tvmffi_map_find_before(const tvmffi_map *map, uint64_t i);

/*
 * The order of insertion: removes entry i; lets the neighbours of an entry moved to i point to i.
 */
void tvmffi_map_unlink(tvmffi_map *map, uint64_t i);
void tvmffi_map_relink(tvmffi_map *map, uint64_t i);

#endif /* TVMFFI_CONTAINER_MAP_TABLE_H_ */

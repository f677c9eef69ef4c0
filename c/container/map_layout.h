/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Map and Dict in the ABI's layout, which they share, for the sources that implement them. Clients
 * read and change both with inline code of their own. A map has one of two forms:
 *
 * - small (map_small.c): up to four pairs, as a rule in the object itself, searched in order;
 * - dense (map_dense.c): a hash table outside the object.
 *
 * The core profile has no dense maps: its small maps grow. Its only maps are the names that a
 * module looked up among its imports. Inline code of C++ clients can read those, but must not add
 * to them.
 *
 * The table of a dense map has a power of two of slots, in blocks of 16, with a byte of metadata
 * per slot. Entries whose keys share a home slot form a chain that starts there; a slot's byte says
 * whether a chain starts in it and, as an index into a table of distances, where the next entry of
 * its chain is. The order of insertion is a list over slot numbers.
 */
#ifndef TVMFFI_CONTAINER_MAP_LAYOUT_H_
#define TVMFFI_CONTAINER_MAP_LAYOUT_H_

#include "base/profile.h"
#include "container/map.h"
#include "platform/compiler.h"

/* ---- Both forms ---- */

/* Flag in slots: the map has the small form. */
#define TVMFFI_MAP_SMALL_TAG (UINT64_C(1) << 63)
enum { kTvmffiMapMinSmallSlots = 2 };

/* The fields of both forms; the pairs of the small form follow them. */
typedef struct {
  TVMFFIObject header;
  void *data;
  uint64_t size;
  uint64_t slots;
  void (*data_deleter)(void *data);
} tvmffi_map_common;

/*
 * All fields of the dense form. Not a tvmffi_map_common with three more fields, because C++
 * compilers would put the first of these into the padding at its end, where there is some.
 */
typedef struct {
  TVMFFIObject header;
  void *data;
  uint64_t size;
  uint64_t slots;
  void (*data_deleter)(void *data);
  uint32_t fib_shift;  /* 64 - log2(slots) */
  uint64_t head, tail; /* first and last slot in the order of insertion */
} tvmffi_map;

static inline bool tvmffi_map_is_small(const tvmffi_map *map) {
  return !kTvmffiFullProfile || (map->slots & TVMFFI_MAP_SMALL_TAG) != 0;
}

/* The deleter of maps of either form. */
void tvmffi_map_delete(void *self, int flags);

/* A snapshot of a map, to detect that foreign code has changed it. */
typedef struct {
  const void *data;
  uint64_t size, slots;
} tvmffi_map_state;
tvmffi_map_state tvmffi_map_note(const tvmffi_map *map);

/*
 * The hash of a key, and whether the key of entry i equals another: 0, and 1 or 0. They may call
 * foreign code, and return kTvmffiRaised if that fails, or changes the map.
 */
int tvmffi_map_ask_hash(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out);
int tvmffi_map_ask_equal(const tvmffi_map *map, uint64_t i, const TVMFFIAny *key);

/* Raises the error of a map that was changed by foreign code; kTvmffiRaised. */
TVMFFI_COLD int tvmffi_map_fail_changed(void);

/* ---- map_small.c ---- */

/* How many pairs a small map has room for. */
static inline uint64_t tvmffi_map_small_slots(const tvmffi_map *map) {
  return map->slots & ~TVMFFI_MAP_SMALL_TAG;
}

tvmffi_map *tvmffi_map_small_new(int32_t type_index, uint64_t slots);
/* Finds the position of a key, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
int tvmffi_map_small_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out);
/* Requires a free slot, and a key that is not in the map. */
void tvmffi_map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
/* Extends a map to kTvmffiMapMaxSmallSlots, or to twice its slots if it has as many. 0, or -1. */
int tvmffi_map_small_extend(tvmffi_map *map);
/* Removes the entry at i and moves it to *out. */
void tvmffi_map_small_take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out);
void tvmffi_map_small_release_entries(tvmffi_map *map);

/* ---- The table of dense maps ---- */

enum { kBlockSlots = 16 };

/* Metadata of a slot: one of the first two, or kBody or 0 with the jump to the next entry. */
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

static inline uint8_t *tvmffi_map_meta_at(const tvmffi_map *map, uint64_t i) {
  return &((tvmffi_map_block *)map->data)[i / kBlockSlots].meta[i % kBlockSlots];
}

static inline tvmffi_map_item *tvmffi_map_item_at(const tvmffi_map *map, uint64_t i) {
  return &((tvmffi_map_block *)map->data)[i / kBlockSlots].items[i % kBlockSlots];
}

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

/* The next slot of a chain, or TVMFFI_MAP_NONE. */
static inline uint64_t tvmffi_map_next_of_chain(const tvmffi_map *map, uint64_t i) {
  uint64_t distance = tvmffi_map_distance(*tvmffi_map_meta_at(map, i) & kJumpMask);
  return distance == 0 ? TVMFFI_MAP_NONE : (i + distance) & (map->slots - 1);
}

/* ---- map_dense.c ---- */

/* The place of a key in a dense map, or where it would be inserted. */
typedef struct {
  uint64_t hash;
  uint64_t slot; /* of its entry, or TVMFFI_MAP_NONE */
  uint64_t tail; /* the end of the chain that starts in its home slot, or TVMFFI_MAP_NONE */
} tvmffi_map_place;

/* Turns an empty map into a dense one for num_pairs pairs, which are more than a small one holds.
 */
int tvmffi_map_dense_init_for(tvmffi_map *map, uint64_t num_pairs);
/* Turns an empty map into a dense one with the same entries at the same slots, but not owned yet.
 */
int tvmffi_map_dense_init_copy(tvmffi_map *map, const tvmffi_map *source);
/* Turns a small map of four entries into a dense one; adds a fifth entry unless key is NULL. */
int tvmffi_map_dense_from_small(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
/* Finds a key. 0, or kTvmffiRaised. */
int tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key, tvmffi_map_place *out);
/* Replaces the value of an entry, which becomes the last in order; returns the old value. */
TVMFFIAny tvmffi_map_dense_replace(tvmffi_map *map, uint64_t slot, const TVMFFIAny *value);
/* Adds a key that tvmffi_map_dense_find did not find, at the place that it returned. */
int tvmffi_map_dense_add(tvmffi_map *map, const tvmffi_map_place *place, const TVMFFIAny *key,
                         const TVMFFIAny *value);
/* Removes the entry of a slot and moves it to *out. */
void tvmffi_map_dense_take(tvmffi_map *map, uint64_t slot, tvmffi_map_pair *out);
void tvmffi_map_dense_release_entries(tvmffi_map *map);

#endif /* TVMFFI_CONTAINER_MAP_LAYOUT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Map and ffi.Dict. A Map that is shared is never changed; a Dict is, and keeps its handle.
 * Their two forms in memory are described below.
 *
 * Functions that run out of memory return NULL or -1 with nothing raised and nothing changed. If
 * the type of a key defines its own hash and equality, these are called (any_key.h); when one
 * fails, the result is kTvmffiRaised, with nothing changed either. That cannot happen if a text is
 * looked up, or inserted among texts.
 */
#ifndef TVMFFI_CONTAINER_MAP_H_
#define TVMFFI_CONTAINER_MAP_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "container/container.h"
#include "platform/compiler.h"

/* ---- Maps ---- */

/* The most pairs of a small map, which is searched in order. */
enum { kTvmffiMapMaxSmallSlots = 4 };

/* An empty Map, and an empty Dict. */
TVMFFIObject *tvmffi_map_new(void);
TVMFFIObject *tvmffi_dict_new(void);

/*
 * An empty Map or Dict for num_pairs pairs: filling it gives the same map as if it had grown with
 * them, but allocates at once. Only if no key is repeated; with fewer pairs the map is larger. In
 * the core profile, for at most four pairs.
 */
TVMFFIObject *tvmffi_map_new_for(int32_t type_index, uint64_t num_pairs);

/* A map of the same type with the same entries at the same positions. */
TVMFFIObject *tvmffi_map_copy(TVMFFIObject *map);

/* A Dict with the same entries in the same order; NULL with the error raised. */
TVMFFIObject *tvmffi_map_copy_to_dict(TVMFFIObject *map);

uint64_t tvmffi_map_size(const TVMFFIObject *map);

/* The value of a key in *out, or NULL; [lend] until the map is changed. 0, or kTvmffiRaised. */
int tvmffi_map_find(TVMFFIObject *map, const TVMFFIAny *key, const TVMFFIAny **out);

/* The same for a text key. */
const TVMFFIAny *tvmffi_map_find_text(TVMFFIObject *map, const char *data, size_t size);

/*
 * Takes key and value on success; the old value of an existing key is released. A Map must be the
 * caller's alone; when it has to grow, *map may become another object.
 */
int tvmffi_map_insert(TVMFFIObject **map, const TVMFFIAny *key, const TVMFFIAny *value);

/* Raises the error of an operation on a map that failed with this code, unless it is raised already
 * (kTvmffiRaised); -1. */
TVMFFI_COLD int tvmffi_map_fail(int rc);

/* Inserts, and takes both also on failure, which is -1 with the error raised. By pointers: copies
 * of values that were just written made building a map a fifth slower. */
int tvmffi_map_put(TVMFFIObject **map, TVMFFIAny *key, TVMFFIAny *value);

/* KeyError for a key that is not in a map; -1. */
TVMFFI_COLD int tvmffi_map_fail_key(void);

/* Removes and releases the entry of a key, if there is one. 0, or kTvmffiRaised. */
int tvmffi_map_erase(TVMFFIObject *map, const TVMFFIAny *key);

/* Removes all entries; the memory of a table is kept. */
void tvmffi_map_clear(TVMFFIObject *map);

/* ---- Entries in order ---- */

/* The beginning of an entry in both forms; clients' iterators point to it. */
typedef struct {
  TVMFFIAny key, value;
} tvmffi_map_pair;

#define TVMFFI_MAP_NONE UINT64_MAX

/* Positions in the order of insertion, at the end TVMFFI_MAP_NONE. Valid until the map changes. */
uint64_t tvmffi_map_first(const TVMFFIObject *map);
uint64_t tvmffi_map_next(const TVMFFIObject *map, uint64_t i);
const tvmffi_map_pair *tvmffi_map_at(const TVMFFIObject *map, uint64_t i);

/* The value at a position; it may be replaced. */
TVMFFIAny *tvmffi_map_value_at(TVMFFIObject *map, uint64_t i);

/* Whether there is an entry at a position that is from before the map may have been changed. */
bool tvmffi_map_has_at(const TVMFFIObject *map, uint64_t i);

/* ---- Layouts ---- */

/*
 * Map and Dict in the ABI's layout, which they share, for the sources that implement them. Clients
 * read and change both with inline code of their own. A map has one of two forms:
 *
 * - small: up to four pairs, as a rule in the object itself, searched in order;
 * - dense: a hash table outside the object.
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

/* A snapshot of a map, to detect that foreign code has changed it. */
typedef struct {
  const void *data;
  uint64_t size, slots;
} tvmffi_map_state;
tvmffi_map_state tvmffi_map_note(const tvmffi_map *map);

/* ---- The small form ---- */

/* How many pairs a small map has room for. */
static inline uint64_t tvmffi_map_small_slots(const tvmffi_map *map) {
  return map->slots & ~TVMFFI_MAP_SMALL_TAG;
}

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

/* ---- The dense form ---- */

/* The place of a key in a dense map, or where it would be inserted. */
typedef struct {
  uint64_t hash;
  uint64_t slot; /* of its entry, or TVMFFI_MAP_NONE */
  uint64_t tail; /* the end of the chain that starts in its home slot, or TVMFFI_MAP_NONE */
} tvmffi_map_place;

#endif /* TVMFFI_CONTAINER_MAP_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Map and ffi.Dict in the ABI's layout, which they share. A map has one of two forms: up to
 * four pairs, as a rule in the object itself, which are searched in order (map_small.c), or a hash
 * table of blocks outside the object (map_dense.c; the core profile has none: map_dense_none.c).
 * Clients read and change both with inline code of their own. A Map that is shared is never
 * changed; a Dict is, and keeps its handle.
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

/* An empty Map, and an empty Dict. */
TVMFFIObject *tvmffi_map_new(void);
TVMFFIObject *tvmffi_dict_new(void);

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

/* Removes and releases the entry of a key, if there is one. 0, or kTvmffiRaised. */
int tvmffi_map_erase(TVMFFIObject *map, const TVMFFIAny *key);

/* Removes all entries; the memory of a table is kept. */
void tvmffi_map_clear(TVMFFIObject *map);

/* A Dict with the same entries in the same order. */
TVMFFIObject *tvmffi_map_copy_to_dict(TVMFFIObject *map);

/* A map of the same type with the same entries at the same positions. */
TVMFFIObject *tvmffi_map_copy(TVMFFIObject *map);

/*
 * An empty Map or Dict for num_pairs pairs: filling it gives the same map as if it had grown with
 * them, but allocates at once. Only if no key is repeated; with fewer pairs the map is larger.
 */
TVMFFIObject *tvmffi_map_new_for(int32_t type_index, uint64_t num_pairs);

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

/* The position of a key's entry, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
int tvmffi_map_find_at(TVMFFIObject *map, const TVMFFIAny *key, uint64_t *out);

/* Whether there is an entry at a position that is from before the map may have been changed. */
bool tvmffi_map_has_at(const TVMFFIObject *map, uint64_t i);

/* The body of a built-in function (map_iterator.c). */
int tvmffi_map_make_iterator(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* ---- Shared by map.c, map_small.c, map_dense.c and map_erase.c ---- */

/* Flag in slots: the map has the small form. */
#define TVMFFI_MAP_SMALL_TAG (UINT64_C(1) << 63)
enum { kTvmffiMapMinSmallSlots = 2, kTvmffiMapMaxSmallSlots = 4 };

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

/* The place of a key in a dense map, or where it would be inserted. */
typedef struct {
  uint64_t hash;
  uint64_t slot; /* of its entry, or TVMFFI_MAP_NONE */
  uint64_t tail; /* the end of the chain that starts in its home slot, or TVMFFI_MAP_NONE */
} tvmffi_map_place;

static inline bool tvmffi_map_is_small(const tvmffi_map *map) {
  return (map->slots & TVMFFI_MAP_SMALL_TAG) != 0;
}

/* The deleter of maps of either form. */
void tvmffi_map_delete(void *self, int flags);

/*
 * A snapshot with which tvmffi_map_check detects that foreign code has changed the map; it then
 * raises an error and returns kTvmffiRaised.
 */
typedef struct {
  const void *data;
  uint64_t size, slots;
} tvmffi_map_state;
tvmffi_map_state tvmffi_map_note(const tvmffi_map *map);
int tvmffi_map_check(const tvmffi_map *map, const tvmffi_map_state *state);

tvmffi_map *tvmffi_map_small_new(int32_t type_index, uint64_t slots);
/* Finds the position of a key, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
int tvmffi_map_small_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out);
/* Requires a free slot, and a key that is not in the map. */
void tvmffi_map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
/* Extends a Dict of the smallest size to kTvmffiMapMaxSmallSlots. 0, or -1. */
int tvmffi_map_small_extend(tvmffi_map *map);
void tvmffi_map_small_release_entries(tvmffi_map *map);
/* Removes the entry at i and moves it to *out. */
void tvmffi_map_small_take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out);

/* Finds a key with the given hash. 0, or kTvmffiRaised. */
int tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t hash,
                          tvmffi_map_place *out);
/* Replaces the value of an entry, which becomes the last in order; returns the old value. */
TVMFFIAny tvmffi_map_dense_replace(tvmffi_map *map, uint64_t slot, const TVMFFIAny *value);
/* Adds a key that tvmffi_map_dense_find did not find, at the place that it returned. */
int tvmffi_map_dense_add(tvmffi_map *map, const tvmffi_map_place *place, const TVMFFIAny *key,
                         const TVMFFIAny *value);
/* Turns a small map of four entries into a dense one; adds a fifth entry unless key is NULL. */
int tvmffi_map_dense_from_small(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
/* Turns an empty map into a dense one with that many slots. */
int tvmffi_map_dense_init(tvmffi_map *map, uint64_t slots, uint32_t fib_shift);
void tvmffi_map_dense_release_entries(tvmffi_map *map);

#endif /* TVMFFI_CONTAINER_MAP_H_ */

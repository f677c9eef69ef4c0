/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Map and ffi.Dict in the ABI's layout, which they share. Two forms under one type: up to four
 * pairs stand in the object itself and are searched in order (map_small.c); more of them hang off
 * it in a hash table of blocks (map_dense.c; the core profile does without: map_dense_none.c).
 * Clients read and change both with inline code of their own. A Map that is shared is never
 * changed; a Dict is, and keeps its handle.
 *
 * Running out of memory is NULL or -1 with nothing raised and nothing changed. Keys whose types
 * bring a hash and an equality are asked (any_key.h), and when that fails it is kTvmffiRaised, with
 * nothing changed either; never for a text that is looked up, or put among texts.
 */
#ifndef TVMFFI_CONTAINER_MAP_H_
#define TVMFFI_CONTAINER_MAP_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* An empty Map, and an empty Dict. */
TVMFFIObject *tvmffi_map_new(void);
TVMFFIObject *tvmffi_dict_new(void);

uint64_t tvmffi_map_size(const TVMFFIObject *map);

/* The value under a key in *out, or NULL; lent until the map is changed. 0, or kTvmffiRaised. */
int tvmffi_map_find(TVMFFIObject *map, const TVMFFIAny *key, const TVMFFIAny **out);

/* The same for a text key. */
const TVMFFIAny *tvmffi_map_find_text(TVMFFIObject *map, const char *data, size_t size);

/*
 * Takes key and value on success; a value that was there under the key is released. A Map must be
 * the caller's alone; when it has to grow, another object may take its place in *map.
 */
int tvmffi_map_insert(TVMFFIObject **map, const TVMFFIAny *key, const TVMFFIAny *value);

/* Takes an entry out, if there is one of that key, and releases it. 0, or kTvmffiRaised. */
int tvmffi_map_erase(TVMFFIObject *map, const TVMFFIAny *key);

/* Takes all entries out; the memory of a table is kept. */
void tvmffi_map_clear(TVMFFIObject *map);

/* A Dict of the same entries in the same order. */
TVMFFIObject *tvmffi_map_copy_to_dict(TVMFFIObject *map);

/* A map of the same type with the same entries at the same positions. */
TVMFFIObject *tvmffi_map_copy(TVMFFIObject *map);

/*
 * An empty Map or Dict for num_pairs pairs to come: the same as if it grew with them, made at once.
 * That it is the same holds while no key comes twice. Fewer may come; then it is larger than usual.
 */
TVMFFIObject *tvmffi_map_new_for(int32_t type_index, uint64_t num_pairs);

/* ---- Entries in order ------------------------------------------------------------------------ */

/* What both forms begin with, and clients walk along. */
typedef struct {
  TVMFFIAny key, value;
} tvmffi_map_pair;

#define TVMFFI_MAP_NONE UINT64_MAX

/* Positions, the end being TVMFFI_MAP_NONE. Valid until the map is changed. */
uint64_t tvmffi_map_first(const TVMFFIObject *map);
uint64_t tvmffi_map_next(const TVMFFIObject *map, uint64_t i);
const tvmffi_map_pair *tvmffi_map_at(const TVMFFIObject *map, uint64_t i);

/* The value there, which may be replaced. */
TVMFFIAny *tvmffi_map_value_at(TVMFFIObject *map, uint64_t i);

/* Where the entry of a key is, or the end. 0, or kTvmffiRaised. */
int tvmffi_map_find_at(TVMFFIObject *map, const TVMFFIAny *key, uint64_t *out);

/* Whether there is an entry at a position of what the map may have been before. */
bool tvmffi_map_has_at(const TVMFFIObject *map, uint64_t i);

/* Bodies of built-in functions (map_iterator.c, find_device.c). */
int tvmffi_map_make_iterator(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int tvmffi_container_find_device(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* ---- Between map.c, map_small.c, map_dense.c and map_erase.c --------------------------------- */

/* In slots: the small form. */
#define TVMFFI_MAP_SMALL_TAG (UINT64_C(1) << 63)
enum { kTvmffiMapMinSmallSlots = 2, kTvmffiMapMaxSmallSlots = 4 };

/* The fields that both forms have; the pairs of the small form stand behind them. */
typedef struct {
  TVMFFIObject header;
  void *data;
  uint64_t size;
  uint64_t slots;
  void (*data_deleter)(void *data);
} tvmffi_map_common;

/*
 * All fields of the dense form. Not the other struct and three fields: C++ compilers put the first
 * of them into the padding at its end, where there is some.
 */
typedef struct {
  TVMFFIObject header;
  void *data;
  uint64_t size;
  uint64_t slots;
  void (*data_deleter)(void *data);
  uint32_t fib_shift;  /* 64 - log2(slots) */
  uint64_t head, tail; /* slot numbers of the order of insertion */
} tvmffi_map;

/* Where a key is, or would go, in a dense map. */
typedef struct {
  uint64_t hash;
  uint64_t slot; /* of its entry, or TVMFFI_MAP_NONE */
  uint64_t tail; /* the end of the chain that starts in its home slot, or TVMFFI_MAP_NONE */
} tvmffi_map_place;

static inline bool tvmffi_map_is_small(const tvmffi_map *map) {
  return (map->slots & TVMFFI_MAP_SMALL_TAG) != 0;
}

/* Deleter of maps of either form. */
void tvmffi_map_delete(void *self, int flags);

/* What remains of a map that foreign code may have changed; raises when it has. */
typedef struct {
  const void *data;
  uint64_t size, slots;
} tvmffi_map_state;
tvmffi_map_state tvmffi_map_note(const tvmffi_map *map);
int tvmffi_map_check(const tvmffi_map *map, const tvmffi_map_state *state);

tvmffi_map *tvmffi_map_small_new(int32_t type_index, uint64_t slots);
/* The position in *out, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
int tvmffi_map_small_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out);
/* There is a free slot, and the key is not in the map. */
void tvmffi_map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
/* Gives a Dict of the smallest size room for more. */
int tvmffi_map_small_extend(tvmffi_map *map);
void tvmffi_map_small_release_entries(tvmffi_map *map);
/* Moves the entry at i to *out. */
void tvmffi_map_small_take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out);

/* Finds a key of that hash. 0, or kTvmffiRaised. */
int tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key, uint64_t hash,
                          tvmffi_map_place *out);
/* The value of an entry becomes another, the entry the last; gives the old value. */
TVMFFIAny tvmffi_map_dense_replace(tvmffi_map *map, uint64_t slot, const TVMFFIAny *value);
/* Adds a key that is not in the map where tvmffi_map_dense_find did not find it. */
int tvmffi_map_dense_add(tvmffi_map *map, const tvmffi_map_place *place, const TVMFFIAny *key,
                         const TVMFFIAny *value);
/* Turns a small map of four entries into a dense one, with a fifth unless key is NULL. */
int tvmffi_map_dense_from_small(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
/* Makes a map that is empty a dense one of that many slots. */
int tvmffi_map_dense_init(tvmffi_map *map, uint64_t slots, uint32_t fib_shift);
void tvmffi_map_dense_release_entries(tvmffi_map *map);

#endif /* TVMFFI_CONTAINER_MAP_H_ */

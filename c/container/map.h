/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Map and ffi.Dict. A Map that is shared is never changed; a Dict is, and keeps its handle.
 * map_layout.h describes their two forms in memory.
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

/* A Dict with the same entries in the same order. */
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

/* The position of a key's entry, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
int tvmffi_map_find_at(TVMFFIObject *map, const TVMFFIAny *key, uint64_t *out);

/* Whether there is an entry at a position that is from before the map may have been changed. */
bool tvmffi_map_has_at(const TVMFFIObject *map, uint64_t i);

/* The body of a built-in function (map_iterator.c). */
int tvmffi_map_make_iterator(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

#endif /* TVMFFI_CONTAINER_MAP_H_ */

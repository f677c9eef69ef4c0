/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ffi.Map in the ABI's layout. Two forms under one type: up to four pairs stand in the object
 * itself and are searched in order (map_small.c); more of them hang off it in a hash table of
 * blocks (map_dense.c; the core profile does without: map_dense_none.c). Clients read and change
 * both with inline code of their own.
 * Running out of memory is NULL or -1 with nothing raised and nothing changed.
 */
#ifndef TVMFFI_CONTAINER_MAP_H_
#define TVMFFI_CONTAINER_MAP_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* An empty map. */
TVMFFIObject *tvmffi_map_new(void);

uint64_t tvmffi_map_size(const TVMFFIObject *map);

/* The value under a key, or NULL; lent until the map is changed. */
const TVMFFIAny *tvmffi_map_find(TVMFFIObject *map, const TVMFFIAny *key);

/* The same for a text key. */
const TVMFFIAny *tvmffi_map_find_text(TVMFFIObject *map, const char *data, size_t size);

/*
 * Takes key and value on success; a value that was there under the key is released. The map must
 * be the caller's alone; when it has to grow, another object takes its place in *map.
 */
int tvmffi_map_insert(TVMFFIObject **map, const TVMFFIAny *key, const TVMFFIAny *value);

/* ---- Between map.c, map_small.c and map_dense.c ---------------------------------------------- */

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

typedef struct {
  TVMFFIAny key, value;
} tvmffi_map_pair;

static inline bool tvmffi_map_is_small(const tvmffi_map *map) {
  return (map->slots & TVMFFI_MAP_SMALL_TAG) != 0;
}

/* Deleter of maps of either form. */
void tvmffi_map_delete(void *self, int flags);

/* Frees the map but not its entries, which have moved elsewhere. */
void tvmffi_map_retire(tvmffi_map *map);

tvmffi_map *tvmffi_map_small_new(uint64_t slots);
TVMFFIAny *tvmffi_map_small_find(const tvmffi_map *map, const TVMFFIAny *key);
/* There is a free slot, and the key is not in the map. */
void tvmffi_map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value);
void tvmffi_map_small_release_entries(tvmffi_map *map);

/* A table for the entries of a small map and more; it takes them on success. */
tvmffi_map *tvmffi_map_dense_from_small(tvmffi_map *small);
TVMFFIAny *tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key);
int tvmffi_map_dense_insert(tvmffi_map **map, const TVMFFIAny *key, const TVMFFIAny *value);
void tvmffi_map_dense_release_entries(tvmffi_map *map);

#endif /* TVMFFI_CONTAINER_MAP_H_ */

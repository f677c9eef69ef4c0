/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"

#include <string.h>

#include "container/any_key.h"
#include "container/map_table.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

static void destroy_map(void *self) {
  tvmffi_map *map = self;
  if (tvmffi_map_is_small(map)) {
    tvmffi_map_small_release_entries(map);
  } else {
    tvmffi_map_dense_release_entries(map);
  }
  if (map->data != NULL && map->data_deleter != NULL) map->data_deleter(map->data);
}

void tvmffi_map_delete(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, tvmffi_map_delete, destroy_map, 0);
}

static TVMFFIObject *new_small(int32_t type_index) {
  tvmffi_map *map = tvmffi_map_small_new(type_index, kTvmffiMapMinSmallSlots);
  return map == NULL ? NULL : &map->header;
}

TVMFFIObject *tvmffi_map_new(void) {
  return new_small(kTVMFFIMap);
}

TVMFFIObject *tvmffi_dict_new(void) {
  return new_small(kTVMFFIDict);
}

uint64_t tvmffi_map_size(const TVMFFIObject *map) {
  return ((const tvmffi_map *)(const void *)map)->size;
}

/* ---- Detecting changes by foreign code ---- */

tvmffi_map_state tvmffi_map_note(const tvmffi_map *map) {
  tvmffi_map_state state;
  state.data = map->data;
  state.size = map->size;
  state.slots = map->slots;
  return state;
}

int tvmffi_map_check(const tvmffi_map *map, const tvmffi_map_state *state) {
  if (map->data == state->data && map->size == state->size && map->slots == state->slots) return 0;
  tvmffi_error_raisef("RuntimeError",
                      "The container was changed by the hash or equality of one of its keys");
  return kTvmffiRaised;
}

/* ---- Entries in order ---- */

uint64_t tvmffi_map_first(const TVMFFIObject *map) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  if (self->size == 0) return TVMFFI_MAP_NONE;
  return tvmffi_map_is_small(self) ? 0 : self->head;
}

uint64_t tvmffi_map_next(const TVMFFIObject *map, uint64_t i) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  if (!tvmffi_map_is_small(self)) return tvmffi_map_item_at(self, i)->next;
  return i + 1 < self->size ? i + 1 : TVMFFI_MAP_NONE;
}

const tvmffi_map_pair *tvmffi_map_at(const TVMFFIObject *map, uint64_t i) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  if (tvmffi_map_is_small(self)) return (const tvmffi_map_pair *)self->data + i;
  return &tvmffi_map_item_at(self, i)->pair;
}

TVMFFIAny *tvmffi_map_value_at(TVMFFIObject *map, uint64_t i) {
  return &((tvmffi_map_pair *)(uintptr_t)tvmffi_map_at(map, i))->value;
}

/* ---- Lookup ---- */

static int find_place(const tvmffi_map *map, const TVMFFIAny *key, tvmffi_map_place *out) {
  uint64_t hash;
  int rc;
  if (!tvmffi_any_key_has_hook(key)) {
    hash = tvmffi_any_key_hash(key);
  } else {
    tvmffi_map_state state = tvmffi_map_note(map);
    rc = tvmffi_any_key_ask_hash(key, &hash);
    if (rc == 0) rc = tvmffi_map_check(map, &state);
    if (rc != 0) return rc;
  }
  return tvmffi_map_dense_find(map, key, hash, out);
}

int tvmffi_map_find_at(TVMFFIObject *map, const TVMFFIAny *key, uint64_t *out) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  tvmffi_map_place place;
  int rc;
  *out = TVMFFI_MAP_NONE;
  if (self->size == 0) return 0;
  if (tvmffi_map_is_small(self)) return tvmffi_map_small_find(self, key, out);
  rc = find_place(self, key, &place);
  if (rc == 0) *out = place.slot;
  return rc;
}

int tvmffi_map_find(TVMFFIObject *map, const TVMFFIAny *key, const TVMFFIAny **out) {
  uint64_t i;
  int rc = tvmffi_map_find_at(map, key, &i);
  *out = rc == 0 && i != TVMFFI_MAP_NONE ? &tvmffi_map_at(map, i)->value : NULL;
  return rc;
}

const TVMFFIAny *tvmffi_map_find_text(TVMFFIObject *map, const char *data, size_t size) {
  /* The part of a String object that hash and equality look at. */
  struct {
    TVMFFIObject header;
    TVMFFIByteArray bytes;
  } text;
  TVMFFIAny key;
  const TVMFFIAny *found;
  memset(&text, 0, sizeof text);
  text.bytes.data = data;
  text.bytes.size = size;
  key = tvmffi_any_ptr(kTVMFFIStr, &text);
  return tvmffi_map_find(map, &key, &found) == 0 ? found : NULL;
}

/* ---- Insertion ---- */

/*
 * Releases the key and the old value after the value of an existing key was replaced; the stored
 * key stays. Call it last, because it may run foreign code.
 */
static int release_displaced(const TVMFFIAny *new_key, TVMFFIAny old_value) {
  TVMFFIAny key = *new_key;
  tvmffi_any_release(&key);
  tvmffi_any_release(&old_value);
  return 0;
}

/* Extends a small map of two or three slots to four; a Map by another object in *map. */
static int extend_small(tvmffi_map **map) {
  tvmffi_map *old = *map, *grown;
  if (old->header.type_index == kTVMFFIDict) return tvmffi_map_small_extend(old);
  grown = tvmffi_map_small_new(kTVMFFIMap, kTvmffiMapMaxSmallSlots);
  if (grown == NULL) return -1;
  memcpy(grown->data, old->data, (size_t)old->size * sizeof(tvmffi_map_pair));
  grown->size = old->size;
  old->size = 0;
  tvmffi_object_release(old);
  *map = grown;
  return 0;
}

static int insert_small(tvmffi_map **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map *small = *map;
  uint64_t slots = small->slots & ~TVMFFI_MAP_SMALL_TAG, i;
  bool is_full = slots >= kTvmffiMapMaxSmallSlots && small->size >= slots;
  int rc = tvmffi_map_small_find(small, key, &i);
  if (rc != 0) return rc;
  if (is_full && i == TVMFFI_MAP_NONE) return tvmffi_map_dense_from_small(small, key, value);
  if (is_full) {
    /* Becomes dense even if the key exists; the key's entry then moves to the end. */
    rc = tvmffi_map_dense_from_small(small, NULL, NULL);
    if (rc != 0) return rc;
    if (!tvmffi_map_is_small(small)) {
      uint64_t slot = small->head;
      for (; i > 0; --i) slot = tvmffi_map_next(&small->header, slot);
      return release_displaced(key, tvmffi_map_dense_replace(small, slot, value));
    }
  }
  if (i != TVMFFI_MAP_NONE) {
    TVMFFIAny *place = &((tvmffi_map_pair *)small->data)[i].value, old_value = *place;
    *place = *value;
    return release_displaced(key, old_value);
  }
  if (small->size >= slots) {
    rc = extend_small(map);
    if (rc != 0) return rc;
  }
  tvmffi_map_small_append(*map, key, value);
  return 0;
}

int tvmffi_map_insert(TVMFFIObject **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map *self = (tvmffi_map *)(void *)*map;
  tvmffi_map_place place;
  int rc;
  if (tvmffi_map_is_small(self)) {
    rc = insert_small(&self, key, value);
    *map = &self->header;
    return rc;
  }
  rc = find_place(self, key, &place);
  if (rc != 0) return rc;
  if (place.slot == TVMFFI_MAP_NONE) return tvmffi_map_dense_add(self, &place, key, value);
  return release_displaced(key, tvmffi_map_dense_replace(self, place.slot, value));
}

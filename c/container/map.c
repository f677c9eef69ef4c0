/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"

#include <string.h>

#include "container/any_key.h"
#include "container/map_layout.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "platform/compiler.h"

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

/* ---- Making ---- */

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

TVMFFIObject *tvmffi_map_new_for(int32_t type_index, uint64_t num_pairs) {
  bool is_four = num_pairs > kTvmffiMapMinSmallSlots && num_pairs <= kTvmffiMapMaxSmallSlots;
  tvmffi_map *map =
      tvmffi_map_small_new(type_index, is_four ? kTvmffiMapMaxSmallSlots : kTvmffiMapMinSmallSlots);
  if (map == NULL) return NULL;
  if (num_pairs > kTvmffiMapMaxSmallSlots && tvmffi_map_dense_init_for(map, num_pairs) != 0) {
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
  } else if (tvmffi_map_dense_init_copy(copy, source) != 0) {
    tvmffi_object_free(copy, 0);
    return NULL;
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
  if (tvmffi_map_is_small(self) && tvmffi_map_small_slots(self) > slots) {
    slots = tvmffi_map_small_slots(self);
  }
  return copy_as(map, map->type_index, slots);
}

/* ---- Entries in order ---- */

uint64_t tvmffi_map_size(const TVMFFIObject *map) {
  return ((const tvmffi_map *)(const void *)map)->size;
}

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

bool tvmffi_map_has_at(const TVMFFIObject *map, uint64_t i) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  if (tvmffi_map_is_small(self)) return i < self->size;
  return i < self->slots && *tvmffi_map_meta_at(self, i) != kEmpty;
}

/* ---- Hash and equality of keys, which may be foreign code ---- */

tvmffi_map_state tvmffi_map_note(const tvmffi_map *map) {
  tvmffi_map_state state;
  state.data = map->data;
  state.size = map->size;
  state.slots = map->slots;
  return state;
}

static bool is_unchanged(const tvmffi_map *map, const tvmffi_map_state *state) {
  return map->data == state->data && map->size == state->size && map->slots == state->slots;
}

int tvmffi_map_fail_changed(void) {
  tvmffi_error_raisef("RuntimeError",
                      "The container was changed by the hash or equality of one of its keys");
  return kTvmffiRaised;
}

int tvmffi_map_ask_hash(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out) {
  tvmffi_map_state state;
  int rc;
  if (!tvmffi_any_key_has_hook(key)) {
    *out = tvmffi_any_key_hash(key);
    return 0;
  }
  state = tvmffi_map_note(map);
  rc = tvmffi_any_key_ask_hash(key, out);
  return rc == 0 && !is_unchanged(map, &state) ? tvmffi_map_fail_changed() : rc;
}

/* Compares by a function that may be foreign. Also fails if entry i is no longer the same. */
static int call_equal(const tvmffi_map *map, uint64_t i, const TVMFFIAny *key) {
  tvmffi_map_state state = tvmffi_map_note(map);
  TVMFFIAny stored = tvmffi_map_at(&map->header, i)->key;
  unsigned meta = tvmffi_map_is_small(map) ? 0 : *tvmffi_map_meta_at(map, i);
  int equal = tvmffi_any_key_ask_equal(&stored, key);
  if (equal < 0) return equal;
  if (!is_unchanged(map, &state) ||
      (!tvmffi_map_is_small(map) && *tvmffi_map_meta_at(map, i) != meta) ||
      !tvmffi_any_key_is_same(&tvmffi_map_at(&map->header, i)->key, &stored)) {
    return tvmffi_map_fail_changed();
  }
  return equal;
}

int tvmffi_map_ask_equal(const tvmffi_map *map, uint64_t i, const TVMFFIAny *key) {
  if (TVMFFI_UNLIKELY(tvmffi_any_key_may_have_hook(key))) return call_equal(map, i, key);
  return tvmffi_any_key_ask_equal(&tvmffi_map_at(&map->header, i)->key, key);
}

/* ---- Lookup ---- */

int tvmffi_map_find_at(TVMFFIObject *map, const TVMFFIAny *key, uint64_t *out) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  tvmffi_map_place place;
  int rc;
  *out = TVMFFI_MAP_NONE;
  if (self->size == 0) return 0;
  if (tvmffi_map_is_small(self)) return tvmffi_map_small_find(self, key, out);
  rc = tvmffi_map_dense_find(self, key, &place);
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

/* Makes room in a small map; if a Map is of the smallest size, by another object in *map. */
static int extend_small(tvmffi_map **map) {
  tvmffi_map *old = *map, *grown;
  if (old->header.type_index == kTVMFFIDict ||
      tvmffi_map_small_slots(old) >= kTvmffiMapMaxSmallSlots) {
    return tvmffi_map_small_extend(old);
  }
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
  uint64_t slots = tvmffi_map_small_slots(small), i;
  bool is_full = small->size >= slots;
  bool becomes_dense = kTvmffiFullProfile && is_full && slots >= kTvmffiMapMaxSmallSlots;
  int rc = tvmffi_map_small_find(small, key, &i);
  if (rc != 0) return rc;
  if (becomes_dense && i == TVMFFI_MAP_NONE) return tvmffi_map_dense_from_small(small, key, value);
  if (becomes_dense) { /* even if the key exists; the key's entry then moves to the end */
    uint64_t slot;
    rc = tvmffi_map_dense_from_small(small, NULL, NULL);
    if (rc != 0) return rc;
    for (slot = small->head; i > 0; --i) slot = tvmffi_map_next(&small->header, slot);
    return release_displaced(key, tvmffi_map_dense_replace(small, slot, value));
  }
  if (i != TVMFFI_MAP_NONE) {
    TVMFFIAny *place = &((tvmffi_map_pair *)small->data)[i].value, old_value = *place;
    *place = *value;
    return release_displaced(key, old_value);
  }
  if (is_full) {
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
  rc = tvmffi_map_dense_find(self, key, &place);
  if (rc != 0) return rc;
  if (place.slot == TVMFFI_MAP_NONE) return tvmffi_map_dense_add(self, &place, key, value);
  return release_displaced(key, tvmffi_map_dense_replace(self, place.slot, value));
}

/* ---- Removal ---- */

static void take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out) {
  if (tvmffi_map_is_small(map)) {
    tvmffi_map_small_take(map, i, out);
  } else {
    tvmffi_map_dense_take(map, i, out);
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

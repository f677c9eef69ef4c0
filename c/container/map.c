/* SPDX-License-Identifier: Apache-2.0 */
#include "container/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "container/any_key.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "platform/compiler.h"

static void map_delete(void *self, int flags);

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

/* Raises the error of a map that was changed by foreign code; kTvmffiRaised. */
TVMFFI_COLD static int map_fail_changed(void) {
  tvmffi_error_raisef("RuntimeError",
                      "The container was changed by the hash or equality of one of its keys");
  return kTvmffiRaised;
}

/*
 * The hash of a key, and whether the key of entry i equals another: 0, and 1 or 0. They may call
 * foreign code, and return kTvmffiRaised if that fails, or changes the map.
 */
static int map_ask_hash(const tvmffi_map *map, const TVMFFIAny *key, uint64_t *out) {
  tvmffi_map_state state;
  int rc;
  if (!tvmffi_any_key_has_hook(key)) {
    *out = tvmffi_any_key_hash(key);
    return 0;
  }
  state = tvmffi_map_note(map);
  rc = tvmffi_any_key_ask_hash(key, out);
  return rc == 0 && !is_unchanged(map, &state) ? map_fail_changed() : rc;
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
    return map_fail_changed();
  }
  return equal;
}

static int map_ask_equal(const tvmffi_map *map, uint64_t i, const TVMFFIAny *key) {
  if (TVMFFI_UNLIKELY(tvmffi_any_key_may_have_hook(key))) return call_equal(map, i, key);
  return tvmffi_any_key_ask_equal(&tvmffi_map_at(&map->header, i)->key, key);
}

/* ---- Small maps ---- */

/* The small form: two to four pairs, as a rule in the object itself, in the order of insertion. */

static tvmffi_map *map_small_new(int32_t type_index, uint64_t slots) {
  /* Always at least two slots, so that the fields of the dense form fit into the same block. */
  tvmffi_map *map =
      tvmffi_object_alloc(sizeof(tvmffi_map_common) + (size_t)slots * sizeof(tvmffi_map_pair), 0,
                          type_index, map_delete);
  if (map == NULL) return NULL;
  map->data = (char *)map + sizeof(tvmffi_map_common);
  map->size = 0;
  map->slots = slots | TVMFFI_MAP_SMALL_TAG;
  map->data_deleter = NULL;
  return map;
}

/* Finds the position of a key, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
TVMFFI_NOINLINE static int map_small_find(const tvmffi_map *map, const TVMFFIAny *key,
                                          uint64_t *out) {
  uint64_t i;
  *out = TVMFFI_MAP_NONE;
  for (i = 0; i < map->size; ++i) {
    const TVMFFIAny *stored = &((const tvmffi_map_pair *)map->data)[i].key;
    int equal = tvmffi_any_key_is_same(stored, key);
    if (!equal && tvmffi_any_key_may_equal(stored, key)) equal = map_ask_equal(map, i, key);
    if (equal < 0) return equal;
    if (equal) {
      *out = i;
      return 0;
    }
  }
  return 0;
}

/* Requires a free slot, and a key that is not in the map. */
static void map_small_append(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map_pair *pair = (tvmffi_map_pair *)map->data + map->size;
  pair->key = *key;
  pair->value = *value;
  ++map->size;
}

/* Extends a map to kTvmffiMapMaxSmallSlots, or to twice its slots if it has as many. 0, or -1. */
static int map_small_extend(tvmffi_map *map) {
  uint64_t slots = tvmffi_map_small_slots(map);
  tvmffi_map_pair *pairs;
  slots = slots < kTvmffiMapMaxSmallSlots ? kTvmffiMapMaxSmallSlots : 2 * slots;
  if (slots > SIZE_MAX / sizeof *pairs) return -1;
  pairs = tvmffi_alloc((size_t)slots * sizeof *pairs);
  if (pairs == NULL) return -1;
  memcpy(pairs, map->data, (size_t)map->size * sizeof *pairs);
  if (map->data_deleter != NULL) map->data_deleter(map->data);
  map->data = pairs;
  map->data_deleter = tvmffi_free;
  map->slots = slots | TVMFFI_MAP_SMALL_TAG;
  return 0;
}

/* Removes the entry at i and moves it to *out. */
static void map_small_take(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out) {
  tvmffi_map_pair *pairs = map->data;
  *out = pairs[i];
  --map->size;
  memmove(&pairs[i], &pairs[i + 1], (size_t)(map->size - i) * sizeof *pairs);
}

/* Backwards, because the list of waiting objects is a stack: the first entry is destroyed first. */
static void map_small_release_entries(tvmffi_map *map) {
  const tvmffi_map_pair *pairs = map->data;
  while (map->size > 0) {
    const tvmffi_map_pair *pair = &pairs[--map->size];
    tvmffi_any_release_nested(&pair->value);
    tvmffi_any_release_nested(&pair->key);
  }
}

/* ---- Hash tables: the dense form, which map.h describes ---- */

/* The first size of a map that was small: twice the most that the small form holds. */
enum { kFirstMapSlots = 8, kFirstMapShift = 61 };

#define meta_at tvmffi_map_meta_at
#define item_at tvmffi_map_item_at
#define next_of_chain tvmffi_map_next_of_chain

static const uint64_t kNone = TVMFFI_MAP_NONE;

/* Each is about 2.2468 times the one before. */
/* clang-format off */
const uint64_t tvmffi_map_long_jumps[kNumJumps - kFirstLongJump] = {
    UINT64_C(8515), UINT64_C(19110), UINT64_C(42778), UINT64_C(96141), UINT64_C(216153),
    UINT64_C(486591), UINT64_C(1092981), UINT64_C(2458653), UINT64_C(5532801), UINT64_C(12442566),
    UINT64_C(27993903), UINT64_C(62983476), UINT64_C(141717030), UINT64_C(318844378),
    UINT64_C(717352503), UINT64_C(1614057336), UINT64_C(3631522476), UINT64_C(8170957530),
    UINT64_C(18384510628), UINT64_C(41364789378), UINT64_C(93070452520), UINT64_C(209408356380),
    UINT64_C(471168559170), UINT64_C(1060128894105), UINT64_C(2385289465695),
    UINT64_C(5366898840628), UINT64_C(12075518705635), UINT64_C(27169915244790),
    UINT64_C(61132312065111), UINT64_C(137547689707000), UINT64_C(309482283181501),
    UINT64_C(696335127828753), UINT64_C(1566753995631385), UINT64_C(3525196511162271),
    UINT64_C(7931691992677701), UINT64_C(17846306936293605), UINT64_C(40154190677507445),
    UINT64_C(90346928918121501), UINT64_C(203280589587557251), UINT64_C(457381325854679626),
    UINT64_C(1029107982097042876), UINT64_C(2315492959180353330), UINT64_C(5209859154120846435)};
/* clang-format on */

static uint64_t home_of_hash(const tvmffi_map *map, uint64_t hash) {
  return (UINT64_C(11400714819323198485) * hash) >> map->fib_shift;
}

static bool is_full(const tvmffi_map *map) {
  return (double)(map->size + 1) > (double)map->slots * 0.99;
}

static void set_jump(tvmffi_map *map, uint64_t i, unsigned jump) {
  uint8_t *meta = meta_at(map, i);
  *meta = (uint8_t)((*meta & kBody) | jump);
}

/* The slot before i in its chain; i is not the first of it. kNone if there is none. */
static uint64_t find_before(const tvmffi_map *map, uint64_t i) {
  unsigned jump;
  for (jump = 1; jump < kNumJumps; ++jump) {
    uint64_t previous = (i - tvmffi_map_distance(jump)) & (map->slots - 1);
    uint8_t meta = *meta_at(map, previous);
    if ((meta & kJumpMask) == jump && meta < kProtected) return previous;
  }
  return kNone;
}

/*
 * can_evict marks the entries that would have been moved away, by flipping bit 62 of next: then the
 * two highest bits differ, which they do in no slot number, nor in kNone.
 */
static const uint64_t kMovedMark = UINT64_C(1) << 62;

static bool is_moved(const tvmffi_map_item *item) {
  return ((item->next >> 63 ^ item->next >> 62) & 1) != 0;
}

/*
 * The first jump from i to an empty slot, or 0. In a rehearsal (can_evict) the slots of marked
 * entries count as empty.
 */
static unsigned find_empty(const tvmffi_map *map, uint64_t i, bool is_rehearsal,
                           uint64_t *out_slot) {
  unsigned jump;
  for (jump = 1; jump < kNumJumps; ++jump) {
    uint64_t slot = *out_slot = (i + tvmffi_map_distance(jump)) & (map->slots - 1);
    uint8_t meta = *meta_at(map, slot);
    if (meta == kEmpty) return jump;
    if (is_rehearsal && (meta & kBody) == 0 && is_moved(item_at(map, slot))) return jump;
  }
  return 0;
}

/* ---- The order of insertion ---- */

static void link_last_slot(tvmffi_map *map, uint64_t i) {
  tvmffi_map_item *added = item_at(map, i);
  added->prev = map->tail;
  added->next = kNone;
  if (map->tail != kNone) {
    item_at(map, map->tail)->next = i;
  } else {
    map->head = i;
  }
  map->tail = i;
}

/* Makes the neighbours of an entry point to other slots. */
static void redirect(tvmffi_map *map, const tvmffi_map_item *entry, uint64_t from_next,
                     uint64_t from_prev) {
  if (entry->prev != kNone) {
    item_at(map, entry->prev)->next = from_prev;
  } else {
    map->head = from_prev;
  }
  if (entry->next != kNone) {
    item_at(map, entry->next)->prev = from_next;
  } else {
    map->tail = from_next;
  }
}

static void unlink_entry(tvmffi_map *map, uint64_t i) {
  const tvmffi_map_item *entry = item_at(map, i);
  redirect(map, entry, entry->prev, entry->next);
}

/* Makes the neighbours of an entry that was moved to slot i point to it. */
static void relink_entry(tvmffi_map *map, uint64_t i) {
  redirect(map, item_at(map, i), i, i);
}

/* ---- Making and releasing ---- */

static size_t count_blocks(uint64_t slots) {
  return ((size_t)slots + kBlockSlots - 1) / kBlockSlots;
}

/* Gives a map an empty table with that many slots; its old contents are not released. */
static int init_map(tvmffi_map *map, uint64_t slots, uint32_t fib_shift) {
  size_t num_blocks, bytes, i;
  tvmffi_map_block *blocks;
  if (slots > SIZE_MAX / 2) return -1;
  num_blocks = count_blocks(slots);
  if (!tvmffi_checked_mul_size(num_blocks, sizeof *blocks, &bytes)) return -1;
  blocks = tvmffi_alloc(bytes);
  if (blocks == NULL) return -1;
  for (i = 0; i < num_blocks; ++i) memset(blocks[i].meta, kEmpty, kBlockSlots);
  map->data = blocks;
  map->size = 0;
  map->slots = slots;
  map->data_deleter = tvmffi_free;
  map->fib_shift = fib_shift;
  map->head = kNone;
  map->tail = kNone;
  return 0;
}

/* Turns an empty map into a dense one for num_pairs pairs, which are more than a small one holds.
 */
static int map_dense_init_for(tvmffi_map *map, uint64_t num_pairs) {
  uint64_t slots = kFirstMapSlots;
  uint32_t fib_shift = kFirstMapShift;
  for (; num_pairs > slots; slots *= 2) --fib_shift; /* a map that grows outgrows so few slots */
  return init_map(map, slots, fib_shift);
}

/* Turns an empty map into a dense one with the same entries at the same slots, but not owned yet.
 */
static int map_dense_init_copy(tvmffi_map *map, const tvmffi_map *source) {
  if (init_map(map, source->slots, source->fib_shift) != 0) return -1;
  memcpy(map->data, source->data, count_blocks(source->slots) * sizeof(tvmffi_map_block));
  map->size = source->size;
  map->head = source->head;
  map->tail = source->tail;
  return 0;
}

/*
 * Replaces the map's table by one that its entries were moved into. The header is not written,
 * because other threads may change the reference count meanwhile.
 */
static void install(tvmffi_map *map, const tvmffi_map *table) {
  void *old = map->data;
  void (*old_deleter)(void *data) = map->data_deleter;
  map->data = table->data;
  map->size = table->size;
  map->slots = table->slots;
  map->data_deleter = table->data_deleter;
  map->fib_shift = table->fib_shift;
  map->head = table->head;
  map->tail = table->tail;
  if (old_deleter != NULL) old_deleter(old);
}

/* In the order of memory, not of insertion: most tables are larger than the caches. */
static void map_dense_release_entries(tvmffi_map *map) {
  uint64_t i;
  if (map->data == NULL) return; /* moved to a Dict by code of a client */
  for (i = map->slots; i > 0; --i) {
    const tvmffi_map_pair *pair = &item_at(map, i - 1)->pair;
    if (*meta_at(map, i - 1) == kEmpty) continue;
    tvmffi_any_release_nested(&pair->value);
    tvmffi_any_release_nested(&pair->key);
  }
}

/* ---- Lookup ---- */

/* Finds a key. 0, or kTvmffiRaised. */
TVMFFI_NOINLINE static int map_dense_find(const tvmffi_map *map, const TVMFFIAny *key,
                                          tvmffi_map_place *out) {
  uint64_t i;
  int rc = map_ask_hash(map, key, &out->hash);
  if (rc != 0) return rc;
  out->slot = kNone;
  out->tail = kNone;
  i = home_of_hash(map, out->hash);
  if ((*meta_at(map, i) & kBody) != 0) return 0; /* empty, or in the chain of another home slot */
  for (; i != kNone; i = next_of_chain(map, i)) {
    const TVMFFIAny *stored = &item_at(map, i)->pair.key;
    int equal = tvmffi_any_key_is_same(stored, key);
    if (!equal && tvmffi_any_key_may_equal(stored, key)) equal = map_ask_equal(map, i, key);
    if (equal < 0) return equal;
    out->tail = i;
    if (equal) {
      out->slot = i;
      return 0;
    }
  }
  return 0;
}

/* ---- Insertion ---- */

/* Stores a new entry in a slot whose metadata is set. */
static void fill_slot(tvmffi_map *map, uint64_t i, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map_item *entry = item_at(map, i);
  entry->pair.key = *key;
  entry->pair.value = *value;
  link_last_slot(map, i);
  ++map->size;
}

/*
 * Rehearses evict without moving anything: whether every entry that has to move finds a slot.
 * (evict could not stop half-way and restore the map.) The slot that an entry would leave, except
 * occupied, loses kBody and the entry is marked, so that find_empty takes the slot for empty; if it
 * would then be taken, it gets kBody back. An empty slot that would be taken becomes kProtected,
 * and its prev links to the one taken before. At the end all of this is undone.
 */
static bool can_evict(tvmffi_map *map, uint64_t previous, uint64_t occupied) {
  uint64_t slot = occupied, last = previous, taken = kNone, i;
  bool finds_places = true;
  for (; slot != kNone; slot = next_of_chain(map, slot)) {
    finds_places = find_empty(map, last, true, &i) != 0;
    if (!finds_places) break;
    if (*meta_at(map, i) == kEmpty) {
      *meta_at(map, i) = kProtected;
      item_at(map, i)->prev = taken;
      taken = i;
    } else {
      *meta_at(map, i) |= kBody;
    }
    last = i;
    if (slot == occupied) continue;
    *meta_at(map, slot) &= kJumpMask;
    item_at(map, slot)->next ^= kMovedMark;
  }
  for (i = occupied; i != kNone; i = next_of_chain(map, i)) {
    *meta_at(map, i) |= kBody;
    if (is_moved(item_at(map, i))) item_at(map, i)->next ^= kMovedMark;
  }
  for (; taken != kNone; taken = item_at(map, taken)->prev) *meta_at(map, taken) = kEmpty;
  return finds_places;
}

/*
 * Frees the slot of a chain's body entry, by moving that entry and those after it. False, with
 * nothing changed, if the table is too small for that.
 */
static bool evict(tvmffi_map *map, uint64_t occupied) {
  uint64_t last = find_before(map, occupied), slot = occupied;
  if (last == kNone || !can_evict(map, last, occupied)) return false;
  while (slot != kNone) {
    uint64_t next = next_of_chain(map, slot), free_slot;
    unsigned jump = find_empty(map, last, false, &free_slot);
    *item_at(map, free_slot) = *item_at(map, slot);
    relink_entry(map, free_slot);
    *meta_at(map, free_slot) = kBody;
    *meta_at(map, slot) = slot == occupied ? kProtected : kEmpty;
    set_jump(map, last, jump);
    last = free_slot;
    slot = next;
  }
  return true;
}

/*
 * Adds a key that is not in the table; tail is the end of the chain from its home slot, or kNone if
 * there is none or it is not known. False, with nothing changed, if the table is too small.
 */
static bool try_add(tvmffi_map *map, uint64_t hash, uint64_t tail, const TVMFFIAny *key,
                    const TVMFFIAny *value) {
  uint64_t home = home_of_hash(map, hash), i = home;
  uint8_t *meta = meta_at(map, home);
  unsigned jump;
  if (*meta == kEmpty || (*meta & kBody) != 0) {
    if (*meta != kEmpty && (is_full(map) || !evict(map, home))) return false;
    *meta = 0;
    fill_slot(map, home, key, value);
    return true;
  }
  if (is_full(map)) return false;
  for (tail = tail != kNone ? tail : home; (i = next_of_chain(map, tail)) != kNone;) tail = i;
  jump = find_empty(map, tail, false, &i);
  if (jump == 0) return false;
  set_jump(map, tail, jump);
  *meta_at(map, i) = kBody;
  fill_slot(map, i, key, value);
  return true;
}

/* Replaces the value of an entry, which becomes the last in order; returns the old value. */
static TVMFFIAny map_dense_replace(tvmffi_map *map, uint64_t slot, const TVMFFIAny *value) {
  TVMFFIAny *place = &item_at(map, slot)->pair.value, old = *place;
  *place = *value;
  unlink_entry(map, slot);
  link_last_slot(map, slot);
  return old;
}

/* ---- Growing ---- */

typedef struct {
  TVMFFIAny key; /* borrowed, to be compared only */
  uint64_t hash;
} hashed_key;

/* The hashes of a map's keys in order, all computed first: no foreign code runs later. */
static int ask_hashes(const tvmffi_map *map, hashed_key **out) {
  uint64_t size = map->size, i, n = 0;
  hashed_key *hashes;
  int rc = 0;
  if (size > SIZE_MAX / sizeof *hashes) return -1;
  hashes = tvmffi_alloc((size_t)size * sizeof *hashes);
  if (hashes == NULL) return -1;
  for (i = tvmffi_map_first(&map->header); i != kNone && n < size && rc == 0; ++n) {
    TVMFFIAny key = tvmffi_map_at(&map->header, i)->key;
    hashes[n].key = key;
    rc = map_ask_hash(map, &key, &hashes[n].hash);
    if (rc == 0) i = tvmffi_map_next(&map->header, i);
  }
  if (rc == 0 && n != size) rc = map_fail_changed();
  if (rc != 0) {
    tvmffi_free(hashes);
    return rc;
  }
  *out = hashes;
  return 0;
}

enum { kDone, kTooSmall, kNeedsHashes, kChanged };

/*
 * Copies the entries of a map in order; the copies own nothing yet. hashes may be NULL. A hook that
 * erases a key and inserts another leaves the size of the map as it was: so the keys are compared.
 */
static int copy_entries(tvmffi_map *table, const tvmffi_map *map, const hashed_key *hashes) {
  uint64_t i, n = 0;
  for (i = tvmffi_map_first(&map->header); i != kNone; i = tvmffi_map_next(&map->header, i)) {
    const tvmffi_map_pair *pair = tvmffi_map_at(&map->header, i);
    uint64_t hash;
    if (hashes != NULL) {
      if (!tvmffi_any_key_is_same(&hashes[n].key, &pair->key)) return kChanged;
      hash = hashes[n++].hash;
    } else {
      if (tvmffi_any_key_has_hook(&pair->key)) return kNeedsHashes;
      hash = tvmffi_any_key_hash(&pair->key);
    }
    if (!try_add(table, hash, kNone, &pair->key, &pair->value)) return kTooSmall;
  }
  return kDone;
}

/* Moves a map's entries, and a new one unless key is NULL, into a table of that size or larger. */
static int rebuild(tvmffi_map *map, uint64_t slots, uint32_t fib_shift, uint64_t hash,
                   const TVMFFIAny *key, const TVMFFIAny *value) {
  hashed_key *hashes = NULL;
  tvmffi_map table;
  int rc;
  for (;;) {
    int outcome;
    rc = init_map(&table, slots, fib_shift);
    if (rc != 0) break;
    outcome = copy_entries(&table, map, hashes);
    if (outcome == kDone && key != NULL && !try_add(&table, hash, kNone, key, value)) {
      outcome = kTooSmall;
    }
    if (outcome == kDone) {
      install(map, &table);
      break;
    }
    tvmffi_free(table.data);
    if (outcome == kNeedsHashes || outcome == kChanged) {
      rc = outcome == kChanged ? map_fail_changed() : ask_hashes(map, &hashes);
      if (rc != 0) break;
    } else {
      slots *= 2;
      --fib_shift;
    }
  }
  tvmffi_free(hashes);
  return rc;
}

/* Adds a key that map_dense_find did not find, at the place that it returned. */
static int map_dense_add(tvmffi_map *map, const tvmffi_map_place *place, const TVMFFIAny *key,
                         const TVMFFIAny *value) {
  if (try_add(map, place->hash, place->tail, key, value)) return 0;
  return rebuild(map, 2 * map->slots, map->fib_shift - 1, place->hash, key, value);
}

/* Turns a small map of four entries into a dense one; adds a fifth entry unless key is NULL. */
static int map_dense_from_small(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value) {
  uint64_t hash = 0;
  int rc = key != NULL ? map_ask_hash(map, key, &hash) : 0;
  return rc != 0 ? rc : rebuild(map, kFirstMapSlots, kFirstMapShift, hash, key, value);
}

/* ---- Removal ---- */

/* The last entry of the chain fills the slot, which keeps the chain connected. */
/* Removes the entry of a slot and moves it to *out. */
static void map_dense_take(tvmffi_map *map, uint64_t slot, tvmffi_map_pair *out) {
  uint64_t next = next_of_chain(map, slot), previous = slot, last = slot;
  *out = item_at(map, slot)->pair;
  --map->size;
  unlink_entry(map, slot);
  if (next == kNone) {
    if ((*meta_at(map, slot) & kBody) != 0) previous = find_before(map, slot);
  } else {
    for (; next != kNone; next = next_of_chain(map, last)) {
      previous = last;
      last = next;
    }
    *item_at(map, slot) = *item_at(map, last);
    relink_entry(map, slot);
  }
  if (previous != kNone) set_jump(map, previous, 0);
  *meta_at(map, last) = kEmpty;
}

/* ---- Maps ---- */

static void destroy_map(void *self) {
  tvmffi_map *map = self;
  if (tvmffi_map_is_small(map)) {
    map_small_release_entries(map);
  } else {
    map_dense_release_entries(map);
  }
  if (map->data != NULL && map->data_deleter != NULL) map->data_deleter(map->data);
}

/* The deleter of maps of either form. */
TVMFFI_DELETER(map_delete, destroy_map, 0);

/* ---- Making ---- */

static TVMFFIObject *new_small(int32_t type_index) {
  tvmffi_map *map = map_small_new(type_index, kTvmffiMapMinSmallSlots);
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
      map_small_new(type_index, is_four ? kTvmffiMapMaxSmallSlots : kTvmffiMapMinSmallSlots);
  if (map == NULL) return NULL;
  if (num_pairs > kTvmffiMapMaxSmallSlots && map_dense_init_for(map, num_pairs) != 0) {
    tvmffi_object_free(map, 0);
    return NULL;
  }
  return &map->header;
}

/* small_slots: capacity of the copy if it is small. */
static TVMFFIObject *copy_as(TVMFFIObject *map, int32_t type_index, uint64_t small_slots) {
  const tvmffi_map *source = (const tvmffi_map *)(const void *)map;
  tvmffi_map *copy = map_small_new(type_index, small_slots);
  uint64_t i;
  if (copy == NULL) return NULL;
  if (tvmffi_map_is_small(source)) {
    memcpy(copy->data, source->data, (size_t)source->size * sizeof(tvmffi_map_pair));
    copy->size = source->size;
  } else if (map_dense_init_copy(copy, source) != 0) {
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
  TVMFFIObject *dict = copy_as(map, kTVMFFIDict, kTvmffiMapMaxSmallSlots);
  if (dict == NULL) tvmffi_error_raise_memory();
  return dict;
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

/* ---- Lookup ---- */

/* The position of a key's entry, or TVMFFI_MAP_NONE. 0, or kTvmffiRaised. */
static int map_find_at(TVMFFIObject *map, const TVMFFIAny *key, uint64_t *out) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)map;
  tvmffi_map_place place;
  int rc;
  *out = TVMFFI_MAP_NONE;
  if (self->size == 0) return 0;
  if (tvmffi_map_is_small(self)) return map_small_find(self, key, out);
  rc = map_dense_find(self, key, &place);
  if (rc == 0) *out = place.slot;
  return rc;
}

int tvmffi_map_find(TVMFFIObject *map, const TVMFFIAny *key, const TVMFFIAny **out) {
  uint64_t i;
  int rc = map_find_at(map, key, &i);
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
    return map_small_extend(old);
  }
  grown = map_small_new(kTVMFFIMap, kTvmffiMapMaxSmallSlots);
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
  int rc = map_small_find(small, key, &i);
  if (rc != 0) return rc;
  if (becomes_dense && i == TVMFFI_MAP_NONE) return map_dense_from_small(small, key, value);
  if (becomes_dense) { /* even if the key exists; the key's entry then moves to the end */
    uint64_t slot;
    rc = map_dense_from_small(small, NULL, NULL);
    if (rc != 0) return rc;
    for (slot = small->head; i > 0; --i) slot = tvmffi_map_next(&small->header, slot);
    return release_displaced(key, map_dense_replace(small, slot, value));
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
  map_small_append(*map, key, value);
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
  rc = map_dense_find(self, key, &place);
  if (rc != 0) return rc;
  if (place.slot == TVMFFI_MAP_NONE) return map_dense_add(self, &place, key, value);
  return release_displaced(key, map_dense_replace(self, place.slot, value));
}

int tvmffi_map_put(TVMFFIObject **map, TVMFFIAny *key, TVMFFIAny *value) {
  int rc = tvmffi_map_insert(map, key, value);
  if (rc == 0) return 0;
  tvmffi_any_release(key);
  tvmffi_any_release(value);
  return tvmffi_map_fail(rc);
}

int tvmffi_map_fail(int rc) {
  return rc == kTvmffiRaised ? -1 : tvmffi_fail_memory();
}

int tvmffi_map_fail_key(void) {
  return tvmffi_fail("KeyError", "key is not in Map");
}

/* ---- Removal ---- */

static void take_slot(tvmffi_map *map, uint64_t i, tvmffi_map_pair *out) {
  if (tvmffi_map_is_small(map)) {
    map_small_take(map, i, out);
  } else {
    map_dense_take(map, i, out);
  }
}

/* To be called when the map is consistent again, because it may run foreign code. */
static void release_map_pair(tvmffi_map_pair *pair) {
  tvmffi_any_release(&pair->key);
  tvmffi_any_release(&pair->value);
}

int tvmffi_map_erase(TVMFFIObject *map, const TVMFFIAny *key) {
  tvmffi_map *self = (tvmffi_map *)(void *)map;
  tvmffi_map_pair taken;
  uint64_t i;
  int rc = map_find_at(map, key, &i);
  if (rc != 0 || i == TVMFFI_MAP_NONE) return rc;
  take_slot(self, i, &taken);
  release_map_pair(&taken);
  return 0;
}

void tvmffi_map_clear(TVMFFIObject *map) {
  tvmffi_map *self = (tvmffi_map *)(void *)map;
  uint64_t n = self->size;
  for (; n > 0 && self->size > 0; --n) { /* destructors may insert entries */
    tvmffi_map_pair taken;
    take_slot(self, tvmffi_map_is_small(self) ? self->size - 1 : self->tail, &taken);
    release_map_pair(&taken);
  }
}

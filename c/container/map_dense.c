/* SPDX-License-Identifier: Apache-2.0 */
/* The dense form; map_layout.h describes the table. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "container/any_key.h"
#include "container/map_layout.h"
#include "core/any.h"
#include "core/object.h"

/* The first size of a map that was small: twice the most that the small form holds. */
enum { kFirstSlots = 8, kFirstShift = 61 };

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

static uint64_t home_of(const tvmffi_map *map, uint64_t hash) {
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

static void link_last(tvmffi_map *map, uint64_t i) {
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
static int init(tvmffi_map *map, uint64_t slots, uint32_t fib_shift) {
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

int tvmffi_map_dense_init_for(tvmffi_map *map, uint64_t num_pairs) {
  uint64_t slots = kFirstSlots;
  uint32_t fib_shift = kFirstShift;
  for (; num_pairs > slots; slots *= 2) --fib_shift; /* a map that grows outgrows so few slots */
  return init(map, slots, fib_shift);
}

int tvmffi_map_dense_init_copy(tvmffi_map *map, const tvmffi_map *source) {
  if (init(map, source->slots, source->fib_shift) != 0) return -1;
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
void tvmffi_map_dense_release_entries(tvmffi_map *map) {
  uint64_t i;
  if (map->data == NULL) return; /* moved to a Dict by code of a client */
  for (i = map->slots; i > 0; --i) {
    const tvmffi_map_pair *pair = &item_at(map, i - 1)->pair;
    if (*meta_at(map, i - 1) == kEmpty) continue;
    if (pair->value.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(pair->value.v_obj);
    }
    if (pair->key.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(pair->key.v_obj);
    }
  }
}

/* ---- Lookup ---- */

int tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key, tvmffi_map_place *out) {
  uint64_t i;
  int rc = tvmffi_map_ask_hash(map, key, &out->hash);
  if (rc != 0) return rc;
  out->slot = kNone;
  out->tail = kNone;
  i = home_of(map, out->hash);
  if ((*meta_at(map, i) & kBody) != 0) return 0; /* empty, or in the chain of another home slot */
  for (; i != kNone; i = next_of_chain(map, i)) {
    const TVMFFIAny *stored = &item_at(map, i)->pair.key;
    int equal = tvmffi_any_key_is_same(stored, key);
    if (!equal && tvmffi_any_key_may_equal(stored, key)) equal = tvmffi_map_ask_equal(map, i, key);
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
static void fill(tvmffi_map *map, uint64_t i, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map_item *entry = item_at(map, i);
  entry->pair.key = *key;
  entry->pair.value = *value;
  link_last(map, i);
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
  uint64_t home = home_of(map, hash), i = home;
  uint8_t *meta = meta_at(map, home);
  unsigned jump;
  if (*meta == kEmpty || (*meta & kBody) != 0) {
    if (*meta != kEmpty && (is_full(map) || !evict(map, home))) return false;
    *meta = 0;
    fill(map, home, key, value);
    return true;
  }
  if (is_full(map)) return false;
  for (tail = tail != kNone ? tail : home; (i = next_of_chain(map, tail)) != kNone;) tail = i;
  jump = find_empty(map, tail, false, &i);
  if (jump == 0) return false;
  set_jump(map, tail, jump);
  *meta_at(map, i) = kBody;
  fill(map, i, key, value);
  return true;
}

TVMFFIAny tvmffi_map_dense_replace(tvmffi_map *map, uint64_t slot, const TVMFFIAny *value) {
  TVMFFIAny *place = &item_at(map, slot)->pair.value, old = *place;
  *place = *value;
  unlink_entry(map, slot);
  link_last(map, slot);
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
    rc = tvmffi_map_ask_hash(map, &key, &hashes[n].hash);
    if (rc == 0) i = tvmffi_map_next(&map->header, i);
  }
  if (rc == 0 && n != size) rc = tvmffi_map_fail_changed();
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
    rc = init(&table, slots, fib_shift);
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
      rc = outcome == kChanged ? tvmffi_map_fail_changed() : ask_hashes(map, &hashes);
      if (rc != 0) break;
    } else {
      slots *= 2;
      --fib_shift;
    }
  }
  tvmffi_free(hashes);
  return rc;
}

int tvmffi_map_dense_add(tvmffi_map *map, const tvmffi_map_place *place, const TVMFFIAny *key,
                         const TVMFFIAny *value) {
  if (try_add(map, place->hash, place->tail, key, value)) return 0;
  return rebuild(map, 2 * map->slots, map->fib_shift - 1, place->hash, key, value);
}

int tvmffi_map_dense_from_small(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value) {
  uint64_t hash = 0;
  int rc = key != NULL ? tvmffi_map_ask_hash(map, key, &hash) : 0;
  return rc != 0 ? rc : rebuild(map, kFirstSlots, kFirstShift, hash, key, value);
}

/* ---- Removal ---- */

/* The last entry of the chain fills the slot, which keeps the chain connected. */
void tvmffi_map_dense_take(tvmffi_map *map, uint64_t slot, tvmffi_map_pair *out) {
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

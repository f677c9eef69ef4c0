/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dense form: a table of a power of two of slots, in blocks of 16, with a byte of metadata per
 * slot. Entries whose keys share a home slot form a chain that starts there; a slot's byte says
 * whether a chain starts in it and, as an index into a table of distances, where the next entry of
 * its chain is. The order of insertion is a list over slot numbers.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "container/any_key.h"
#include "container/map.h"
#include "core/any.h"
#include "core/object.h"

enum { kBlockSlots = 16 };

/* Of a map that was small until now: twice what that held at most. */
enum { kFirstSlots = 8, kFirstShift = 61 };

enum {
  kEmpty = 0xFF,
  kProtected = 0xFE, /* taken while a chain moves, but not filled yet */
  kBody = 0x80,      /* not the first of its chain */
  kJumpMask = 0x7F
};

static const uint64_t kNone = UINT64_MAX;

typedef struct {
  TVMFFIAny key, value;
  uint64_t prev, next;
} item;

typedef struct {
  uint8_t meta[kBlockSlots];
  item items[kBlockSlots];
} block;

/*
 * Distances to the next entry of a chain: 0 to 15, then triangular numbers, then those of the
 * table, which grow by 2.2468.
 */
enum { kFirstTriangularJump = 16, kFirstLongJump = 83, kNumJumps = 126 };
/* clang-format off */
static const uint64_t kLongJumps[kNumJumps - kFirstLongJump] = {
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

static uint64_t distance_of(unsigned jump) {
  uint64_t root = jump - 10;
  if (jump < kFirstTriangularJump) return jump;
  return jump < kFirstLongJump ? root * (root + 1) / 2 : kLongJumps[jump - kFirstLongJump];
}

static uint8_t *meta_at(const tvmffi_map *map, uint64_t i) {
  return &((block *)map->data)[i / kBlockSlots].meta[i % kBlockSlots];
}

static item *item_at(const tvmffi_map *map, uint64_t i) {
  return &((block *)map->data)[i / kBlockSlots].items[i % kBlockSlots];
}

static uint64_t home_of(const tvmffi_map *map, const TVMFFIAny *key) {
  return (UINT64_C(11400714819323198485) * tvmffi_any_key_hash(key)) >> map->fib_shift;
}

static uint64_t jump_from(const tvmffi_map *map, uint64_t i, unsigned jump) {
  return (i + distance_of(jump)) & (map->slots - 1);
}

/* The next of a chain, or kNone. */
static uint64_t next_of_chain(const tvmffi_map *map, uint64_t i) {
  unsigned jump = *meta_at(map, i) & kJumpMask;
  return jump == 0 ? kNone : jump_from(map, i, jump);
}

static void set_jump(const tvmffi_map *map, uint64_t i, unsigned jump) {
  uint8_t *meta = meta_at(map, i);
  *meta = (uint8_t)((*meta & kBody) | jump);
}

/* The first jump from i to an empty slot, or 0; more slots count as that when can_evict asks. */
static unsigned find_empty(const tvmffi_map *map, uint64_t i, bool is_rehearsal,
                           uint64_t *out_slot) {
  unsigned jump;
  for (jump = 1; jump < kNumJumps; ++jump) {
    uint64_t slot = *out_slot = jump_from(map, i, jump);
    uint8_t meta = *meta_at(map, slot);
    if (meta == kEmpty) return jump;
    if (is_rehearsal && (meta & kBody) == 0 && home_of(map, &item_at(map, slot)->key) != slot) {
      return jump;
    }
  }
  return 0;
}

static bool is_full(const tvmffi_map *map) {
  return (double)(map->size + 1) > (double)map->slots * 0.99;
}

/* ---- The order of insertion ------------------------------------------------------------------ */

static void link_last(tvmffi_map *map, uint64_t i) {
  item *added = item_at(map, i);
  added->prev = map->tail;
  added->next = kNone;
  if (map->tail != kNone) {
    item_at(map, map->tail)->next = i;
  } else {
    map->head = i;
  }
  map->tail = i;
}

/* Has the neighbours of an entry name another slot. */
static void redirect(tvmffi_map *map, const item *entry, uint64_t from_next, uint64_t from_prev) {
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

static void unlink_item(tvmffi_map *map, uint64_t i) {
  const item *entry = item_at(map, i);
  redirect(map, entry, entry->prev, entry->next);
}

/* ---- Making and giving up -------------------------------------------------------------------- */

static tvmffi_map *new_dense(uint64_t slots, uint32_t fib_shift) {
  tvmffi_map *map;
  size_t num_blocks, bytes, i;
  if (slots > SIZE_MAX / 2) return NULL;
  num_blocks = ((size_t)slots + kBlockSlots - 1) / kBlockSlots;
  if (!tvmffi_checked_mul_size(num_blocks, sizeof(block), &bytes)) return NULL;
  map = tvmffi_object_alloc(sizeof *map, 0, kTVMFFIMap, tvmffi_map_delete);
  if (map == NULL) return NULL;
  map->data = tvmffi_alloc(bytes);
  if (map->data == NULL) {
    tvmffi_object_free(map, 0);
    return NULL;
  }
  for (i = 0; i < num_blocks; ++i) memset(((block *)map->data)[i].meta, kEmpty, kBlockSlots);
  map->size = 0;
  map->slots = slots;
  map->data_deleter = tvmffi_free;
  map->fib_shift = fib_shift;
  map->head = kNone;
  map->tail = kNone;
  return map;
}

/* Backwards, so that the waiting list, which is a stack, comes to the first entry first. */
void tvmffi_map_dense_release_entries(tvmffi_map *map) {
  uint64_t i;
  if (map->data == NULL) return; /* retired */
  for (i = map->tail; i != kNone; i = item_at(map, i)->prev) {
    const item *entry = item_at(map, i);
    if (entry->value.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(entry->value.v_obj);
    }
    if (entry->key.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(entry->key.v_obj);
    }
  }
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static uint64_t find_slot(const tvmffi_map *map, const TVMFFIAny *key, uint64_t home) {
  uint64_t i = home;
  if (map->size == 0 || (*meta_at(map, home) & kBody) != 0) return kNone;
  while (i != kNone && !tvmffi_any_key_equal(&item_at(map, i)->key, key)) {
    i = next_of_chain(map, i);
  }
  return i;
}

TVMFFIAny *tvmffi_map_dense_find(const tvmffi_map *map, const TVMFFIAny *key) {
  uint64_t i = map->size == 0 ? kNone : find_slot(map, key, home_of(map, key));
  return i == kNone ? NULL : &item_at(map, i)->value;
}

/* ---- Inserting ------------------------------------------------------------------------------- */

/* A new entry, in a slot whose metadata is set. */
static void fill(tvmffi_map *map, uint64_t i, const TVMFFIAny *key, const TVMFFIAny *value) {
  item *entry = item_at(map, i);
  entry->key = *key;
  entry->value = *value;
  link_last(map, i);
  ++map->size;
}

/*
 * Whether evict would find a place for every entry it has to move: it could not stop half-way and
 * leave the map as it was. Goes through the same motions without moving anything. A slot that an
 * entry would have left shows as the start of a chain that its key has no business in; an empty
 * one that would have been taken is protected, and links to the one taken before.
 */
static bool can_evict(const tvmffi_map *map, uint64_t before, uint64_t occupied) {
  uint64_t from = occupied, last = before, taken = kNone, i;
  bool finds_places = true;
  for (; from != kNone; from = next_of_chain(map, from)) {
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
    if (from != occupied) *meta_at(map, from) &= kJumpMask;
  }
  for (i = occupied; i != kNone; i = next_of_chain(map, i)) *meta_at(map, i) |= kBody;
  for (; taken != kNone; taken = item_at(map, taken)->prev) *meta_at(map, taken) = kEmpty;
  return finds_places;
}

/*
 * Makes the slot of a chain's body entry free, by moving that entry and those behind it. False,
 * and nothing changed, when the table is too small for that.
 */
static bool evict(tvmffi_map *map, uint64_t occupied) {
  uint64_t last = home_of(map, &item_at(map, occupied)->key), from = occupied;
  while (next_of_chain(map, last) != occupied) last = next_of_chain(map, last);
  if (!can_evict(map, last, occupied)) return false;
  while (from != kNone) {
    uint64_t next = next_of_chain(map, from), to;
    unsigned jump = find_empty(map, last, false, &to);
    *item_at(map, to) = *item_at(map, from);
    redirect(map, item_at(map, to), to, to);
    *meta_at(map, to) = kBody;
    *meta_at(map, from) = from == occupied ? kProtected : kEmpty;
    set_jump(map, last, jump);
    last = to;
    from = next;
  }
  return true;
}

/*
 * Takes key and value and gives true, or changes nothing: the table is too small. What the new
 * entry displaces is moved to *old_key and *old_value, None otherwise.
 */
static bool try_insert(tvmffi_map *map, const TVMFFIAny *key, const TVMFFIAny *value,
                       TVMFFIAny *old_key, TVMFFIAny *old_value) {
  uint64_t home = home_of(map, key), i, tail;
  uint8_t *meta = meta_at(map, home);
  unsigned jump;
  *old_key = *old_value = tvmffi_any_none();
  if (*meta == kEmpty || (*meta & kBody) != 0) {
    if (*meta != kEmpty && (is_full(map) || !evict(map, home))) return false;
    *meta = 0;
    fill(map, home, key, value);
    return true;
  }
  i = find_slot(map, key, home);
  if (i != kNone) {
    /* The key that is there stays, the entry moves to the end. */
    *old_key = *key;
    *old_value = item_at(map, i)->value;
    item_at(map, i)->value = *value;
    unlink_item(map, i);
    link_last(map, i);
    return true;
  }
  if (is_full(map)) return false;
  for (tail = home; (i = next_of_chain(map, tail)) != kNone;) tail = i;
  jump = find_empty(map, tail, false, &i);
  if (jump == 0) return false;
  set_jump(map, tail, jump);
  *meta_at(map, i) = kBody;
  fill(map, i, key, value);
  return true;
}

/* The entries of a map, in order, as copies that own nothing yet. False: the table is too small. */
static bool copy_entries(tvmffi_map *to, const tvmffi_map *from) {
  TVMFFIAny ignored_key, ignored_value;
  uint64_t i;
  for (i = from->head; i != kNone; i = item_at(from, i)->next) {
    const item *entry = item_at(from, i);
    if (!try_insert(to, &entry->key, &entry->value, &ignored_key, &ignored_value)) return false;
  }
  return true;
}

int tvmffi_map_dense_insert(tvmffi_map **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  tvmffi_map *old = *map;
  uint64_t slots = old->slots;
  uint32_t fib_shift = old->fib_shift;
  TVMFFIAny old_key, old_value;
  if (!try_insert(old, key, value, &old_key, &old_value)) {
    for (;;) {
      tvmffi_map *grown = new_dense(slots *= 2, --fib_shift);
      if (grown == NULL) return -1;
      if (copy_entries(grown, old) && try_insert(grown, key, value, &old_key, &old_value)) {
        tvmffi_map_retire(old);
        *map = grown;
        break;
      }
      tvmffi_map_retire(grown);
    }
  }
  tvmffi_any_release(&old_key);
  tvmffi_any_release(&old_value);
  return 0;
}

tvmffi_map *tvmffi_map_dense_from_small(tvmffi_map *small) {
  const tvmffi_map_pair *pairs = small->data;
  tvmffi_map *dense = new_dense(kFirstSlots, kFirstShift);
  TVMFFIAny ignored_key, ignored_value;
  uint64_t i;
  if (dense == NULL) return NULL;
  for (i = 0; i < small->size; ++i) { /* half of the table at most, so they all go in */
    (void)try_insert(dense, &pairs[i].key, &pairs[i].value, &ignored_key, &ignored_value);
  }
  return dense;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/integers.h"
#include "platform/atomic.h"
#include "platform/compiler.h"

enum { kFirstTableSlots = 16 };

tvmffi_table_key *tvmffi_table_find_hashed(const tvmffi_table *table, const char *name, size_t size,
                                           uint64_t hash) {
  const tvmffi_table_slots *slots = tvmffi_atomic_load_seq_cst_ptr(&table->current);
  size_t i;
  if (slots == NULL) return NULL;
  for (i = (size_t)hash & slots->mask;; i = (i + 1) & slots->mask) {
    tvmffi_table_key *record = tvmffi_atomic_load_acquire_ptr(&slots->slots[i].record);
    if (record == NULL) return NULL;
    if (slots->slots[i].hash == hash && record->size == size &&
        (size == 0 || memcmp(record->data, name, size) == 0)) {
      return record;
    }
  }
}

tvmffi_table_key *tvmffi_table_find(const tvmffi_table *table, const char *name, size_t size) {
  return tvmffi_table_find_hashed(table, name, size, tvmffi_hash_bytes(name, size));
}

tvmffi_table_key *tvmffi_table_new_record(size_t size, const char *name, size_t name_size,
                                          uint64_t hash, void *(*alloc)(size_t bytes)) {
  tvmffi_table_key *record;
  size_t bytes;
  char *copy;
  if (!tvmffi_checked_add_size(name_size, size + 1, &bytes)) return NULL;
  record = alloc(bytes);
  if (record == NULL) return NULL;
  memset(record, 0, size);
  copy = (char *)record + size;
  if (name_size != 0) memcpy(copy, name, name_size);
  copy[name_size] = '\0';
  record->data = copy;
  record->size = name_size;
  record->hash = hash;
  return record;
}

/* Inserts a record; called by the (single) writer only. slots has a free slot. */
static void place_record(tvmffi_table_slots *slots, tvmffi_table_key *record) {
  size_t i = (size_t)record->hash & slots->mask;
  while (slots->slots[i].record != NULL) i = (i + 1) & slots->mask;
  slots->slots[i].hash = record->hash;
  tvmffi_atomic_store_release_ptr(&slots->slots[i].record, record);
}

/* At most half of the slots are filled. */
static bool has_room(const tvmffi_table *table, size_t num_more) {
  size_t total;
  return table->current != NULL && tvmffi_checked_add_size(table->num_records, num_more, &total) &&
         total <= (table->current->mask + 1) / 2;
}

static tvmffi_table_slots *new_slots(size_t num_slots) {
  tvmffi_table_slots *made;
  size_t bytes;
  if (!tvmffi_checked_array_size(sizeof *made, num_slots, sizeof made->slots[0], &bytes)) {
    return NULL;
  }
  made = tvmffi_alloc(bytes);
  if (made == NULL) return NULL;
  memset(made, 0, bytes);
  made->mask = num_slots - 1;
  return made;
}

/* Moves to other slots. With sequential consistency, as the handshake of core/global.c needs. */
static void publish(tvmffi_table *table, tvmffi_table_slots *slots) {
  slots->replaced = table->current;
  tvmffi_atomic_store_seq_cst_ptr(&table->current, slots);
}

int tvmffi_table_reserve(tvmffi_table *table, size_t num_more) {
  const tvmffi_table_slots *old = table->current;
  tvmffi_table_slots *grown;
  size_t num_slots = kFirstTableSlots, total, i;
  if (TVMFFI_LIKELY(has_room(table, num_more))) return 0;
  if (!tvmffi_checked_add_size(table->num_records, num_more, &total)) return -1;
  while (num_slots / 2 < total) {
    if (!tvmffi_checked_mul_size(num_slots, 2, &num_slots)) return -1;
  }
  grown = new_slots(num_slots);
  if (grown == NULL) return -1;
  for (i = 0; old != NULL && i <= old->mask; ++i) {
    if (old->slots[i].record != NULL) place_record(grown, old->slots[i].record);
  }
  publish(table, grown);
  return 0;
}

int tvmffi_table_keep(tvmffi_table *table, bool (*is_kept)(const tvmffi_table_key *record)) {
  const tvmffi_table_slots *old = table->current;
  tvmffi_table_slots *made;
  size_t i;
  if (old == NULL) return 0;
  made = new_slots(old->mask + 1);
  if (made == NULL) return -1;
  table->num_records = 0;
  for (i = 0; i <= old->mask; ++i) {
    tvmffi_table_key *record = old->slots[i].record;
    if (record == NULL || !is_kept(record)) continue;
    place_record(made, record);
    ++table->num_records;
  }
  publish(table, made);
  return 0;
}

int tvmffi_table_insert(tvmffi_table *table, tvmffi_table_key *record) {
  if (tvmffi_table_reserve(table, 1) != 0) return -1;
  place_record(table->current, record);
  ++table->num_records;
  return 0;
}

static void free_with_replaced(tvmffi_table_slots *slots) {
  while (slots != NULL) {
    tvmffi_table_slots *replaced = slots->replaced;
    tvmffi_free(slots);
    slots = replaced;
  }
}

void tvmffi_table_free_replaced(tvmffi_table *table) {
  if (table->current == NULL) return;
  free_with_replaced(table->current->replaced);
  table->current->replaced = NULL;
}

void tvmffi_table_fini(tvmffi_table *table) {
  free_with_replaced(table->current);
  table->current = NULL;
  table->num_records = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of a structure of c/base between two calls: for unit tests and for proofs. */
#ifndef TESTS_SUPPORT_VALID_H_
#define TESTS_SUPPORT_VALID_H_

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/pointer_map.h"
#include "base/stack.h"
#include "base/table.h"

static inline bool stack_is_valid(const tvmffi_stack *stack) {
  return stack->element_size > 0 && stack->size <= stack->capacity &&
         (stack->data != NULL) == (stack->capacity != 0);
}

/* Each entry is found from the slot where its search begins, and the size counts them. */
static inline bool pointer_map_is_valid(const tvmffi_pointer_map *map,
                                        size_t (*home)(const tvmffi_pointer_map *map,
                                                       const void *key, const void *partner)) {
  const size_t mask = map->capacity - 1;
  size_t i, k, count = 0;
  if (map->capacity == 0) return map->slots == NULL && map->size == 0;
  if ((map->capacity & mask) != 0 || map->size > map->capacity / 2) return false;
  for (i = 0; i < map->capacity; ++i) {
    const tvmffi_pointer_entry *entry = &map->slots[i];
    if (entry->key == NULL) continue;
    ++count;
    for (k = home(map, entry->key, entry->partner); k != i; k = (k + 1) & mask) {
      const tvmffi_pointer_entry *before = &map->slots[k];
      if (before->key == NULL) return false;
      if (before->key == entry->key && before->partner == entry->partner) return false;
    }
  }
  return count == map->size;
}

/* Each record is found from the slot of its hash, is alone with its name, and has half of the slots
 * at most with the others. */
static inline bool table_is_valid(const tvmffi_table *table) {
  const tvmffi_table_slots *slots = table->current;
  size_t i, k, count = 0;
  if (slots == NULL) return table->num_records == 0;
  if ((slots->mask & (slots->mask + 1)) != 0) return false;
  for (i = 0; i <= slots->mask; ++i) {
    const tvmffi_table_key *record = slots->slots[i].record;
    if (record == NULL) continue;
    ++count;
    if (slots->slots[i].hash != record->hash) return false;
    for (k = (size_t)record->hash & slots->mask; k != i; k = (k + 1) & slots->mask) {
      const tvmffi_table_key *before = slots->slots[k].record;
      if (before == NULL) return false;
      if (before->size == record->size && memcmp(before->data, record->data, record->size) == 0) {
        return false;
      }
    }
  }
  return count == table->num_records && count <= (slots->mask + 1) / 2;
}

static inline bool buf_is_valid(const tvmffi_buf *buf) {
  if (buf->data == NULL) return buf->size == 0 && buf->capacity == 0;
  return buf->size < buf->capacity && buf->data[buf->size] == '\0' &&
         (buf->max_size == 0 || buf->capacity - 1 <= buf->max_size) &&
         (!buf->is_too_long || buf->failed);
}

#endif /* TESTS_SUPPORT_VALID_H_ */

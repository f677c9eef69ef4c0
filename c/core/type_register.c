/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "core/any.h"
#include "core/error.h"
#include "core/type_table.h"

/* Why a registration under the lock failed; the error is raised after the lock is released. */
typedef struct {
  bool no_memory;
  char text[512];
} failure;

TVMFFI_COLD static int32_t set_failure(failure *reason, const char *format, ...)
    TVMFFI_PRINTF(2, 3);

static int32_t set_failure(failure *reason, const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)vsnprintf(reason->text, sizeof reason->text, format, args);
  va_end(args);
  return -1;
}

static int32_t set_no_memory(failure *reason) {
  reason->no_memory = true;
  return -1;
}

typedef struct {
  const TVMFFIByteArray *key;
  int32_t static_index;
  int32_t depth;
  int32_t num_child_slots;
  bool can_overflow;
  int32_t parent_index;
} type_request;

/*
 * A request for a known key must give the parent and depth of the existing type; parent -1 is not
 * compared. A class with the same key as the class it derives from is the same type: TVM has such.
 */
static int32_t check_known(const type_request *request, const tvmffi_type_record *known,
                           failure *reason) {
  const TVMFFITypeInfo *info = &known->info;
  if (request->parent_index == info->type_index && request->depth == info->type_depth + 1) {
    return info->type_index;
  }
  if (request->depth != info->type_depth) {
    return set_failure(reason, "Type `%.*s` is registered with depth %d, not %d",
                       (int)request->key->size, request->key->data, (int)info->type_depth,
                       (int)request->depth);
  }
  if (request->parent_index >= 0 && info->type_depth > 0 &&
      request->parent_index != info->type_ancestors[info->type_depth - 1]->type_index) {
    return set_failure(reason, "Type `%.*s` is registered with parent `%s`, not `%s`",
                       (int)request->key->size, request->key->data,
                       info->type_ancestors[info->type_depth - 1]->type_key.data,
                       tvmffi_type_key(request->parent_index));
  }
  return info->type_index;
}

/* Chooses the index for a new type; changes nothing. */
static int32_t choose_index(const type_request *request, const tvmffi_type_record *parent,
                            bool *out_in_parent_slots, failure *reason) {
  int32_t index = request->static_index;
  *out_in_parent_slots = false;
  if (index >= 0) {
    int32_t end = index < kTVMFFIDynObjectBegin ? kTVMFFIDynObjectBegin : tvmffi_type_next_index();
    if (index >= end) {
      return set_failure(reason, "Static type index %d of `%.*s` is out of range", (int)index,
                         (int)request->key->size, request->key->data);
    }
    if (request->num_child_slots >= end - index) { /* it would claim indices given out later */
      return set_failure(reason, "Static type index %d of `%.*s` leaves no room for %d child slots",
                         (int)index, (int)request->key->size, request->key->data,
                         (int)request->num_child_slots);
    }
    return index;
  }
  if (parent == NULL) {
    return set_failure(reason,
                       "Check not null: parent Type `%.*s` needs a parent or a static index",
                       (int)request->key->size, request->key->data);
  }
  if (request->num_child_slots < parent->num_slots - parent->allocated_slots) {
    *out_in_parent_slots = true;
    return parent->info.type_index + parent->allocated_slots;
  }
  if (!parent->slots_can_overflow) {
    return set_failure(reason, "Reach maximum number of sub-classes for %s", parent->key.data);
  }
  if (request->num_child_slots >= kTvmffiMaxTypes - tvmffi_type_next_index()) {
    return set_failure(reason, "Reach maximum number of types, %d", (int)kTvmffiMaxTypes);
  }
  return tvmffi_type_next_index();
}

/* Allocates the record, its ancestors and its key in one block. NULL if out of memory. */
static tvmffi_type_record *make_record(const type_request *request, int32_t index,
                                       const tvmffi_type_record *parent) {
  size_t depth = (size_t)request->depth, bytes, i;
  tvmffi_type_record *record;
  const TVMFFITypeInfo **ancestors;
  char *key;
  if (!tvmffi_checked_array_size(sizeof *record, depth, sizeof *ancestors, &bytes) ||
      !tvmffi_checked_add_size(bytes, request->key->size, &bytes) ||
      !tvmffi_checked_add_size(bytes, 1, &bytes) ||
      (record = tvmffi_alloc_until_shutdown(bytes)) == NULL) {
    return NULL;
  }
  memset(record, 0, sizeof *record);
  ancestors = (const TVMFFITypeInfo **)(void *)(record + 1);
  for (i = 0; i + 1 < depth; ++i) ancestors[i] = parent->info.type_ancestors[i];
  if (depth != 0) ancestors[depth - 1] = &parent->info;
  key = (char *)(ancestors + depth);
  if (request->key->size != 0) memcpy(key, request->key->data, request->key->size);
  key[request->key->size] = '\0';
  tvmffi_type_set_key(record, key, request->key->size);
  record->info.type_index = index;
  record->info.type_depth = request->depth;
  record->info.type_ancestors = depth != 0 ? ancestors : NULL;
  record->num_slots = request->num_child_slots + 1;
  record->allocated_slots = 1;
  record->slots_can_overflow =
      request->can_overflow && (parent == NULL || parent->slots_can_overflow);
  return record;
}

TVMFFI_COLD static int32_t register_locked(const type_request *request, failure *reason) {
  tvmffi_type_record *record = tvmffi_type_find_key(request->key), *parent = NULL;
  const tvmffi_type_record *taken;
  bool in_parent_slots;
  int32_t index;
  if (record != NULL) return check_known(request, record, reason);
  if (request->parent_index >= 0) {
    parent = tvmffi_type_find(request->parent_index);
    if (parent == NULL) {
      return set_failure(reason, "Unknown parent type index %d, type_key=%.*s, static_index=%d",
                         (int)request->parent_index, (int)request->key->size, request->key->data,
                         (int)request->static_index);
    }
  }
  if (request->depth < 0 || request->num_child_slots < 0) {
    return set_failure(reason,
                       "Type `%.*s`: depth %d and number of child slots %d must be positive",
                       (int)request->key->size, request->key->data, (int)request->depth,
                       (int)request->num_child_slots);
  }
  index = choose_index(request, parent, &in_parent_slots, reason);
  if (index < 0) return -1;
  taken = tvmffi_type_find(index);
  if (taken != NULL) { /* a static index may lie within the parent's slots */
    return set_failure(reason, "Conflicting static index %d between %s and %.*s", (int)index,
                       taken->key.data, (int)request->key->size, request->key->data);
  }
  if (parent != NULL && index <= parent->info.type_index) {
    return set_failure(
        reason, "Type index %d of `%.*s` must be greater than that of its parent, %d", (int)index,
        (int)request->key->size, request->key->data, (int)parent->info.type_index);
  }
  if (request->depth != 0 && (parent == NULL || request->depth != parent->info.type_depth + 1)) {
    return set_failure(reason, "Type `%.*s` of depth %d needs a parent of depth %d",
                       (int)request->key->size, request->key->data, (int)request->depth,
                       (int)request->depth - 1);
  }
  if (tvmffi_type_reserve(index) != 0) return set_no_memory(reason);
  record = make_record(request, index, parent);
  if (record == NULL) return set_no_memory(reason);
  /* Nothing below can fail. */
  if (in_parent_slots) parent->allocated_slots += record->num_slots;
  tvmffi_type_publish(record);
  return index;
}

int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray *type_key, int32_t static_type_index,
                                  int32_t type_depth, int32_t num_child_slots,
                                  int32_t child_slots_can_overflow, int32_t parent_type_index) {
  enum { kQueryOnly = -2 };
  type_request request;
  failure reason;
  int32_t index;
  TVMFFI_REQUIRE(type_key);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, type_key, "type_key"));
  TVMFFI_TRY(tvmffi_type_ensure_keys());
  if (parent_type_index == kQueryOnly) {
    const tvmffi_type_record *record = tvmffi_type_find_key(type_key);
    return record != NULL ? record->info.type_index : kQueryOnly;
  }
  request.key = type_key;
  request.static_index = static_type_index;
  request.depth = type_depth;
  request.num_child_slots = num_child_slots;
  request.can_overflow = child_slots_can_overflow != 0;
  request.parent_index = parent_type_index;
  reason.no_memory = false;
  reason.text[0] = '\0';
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  index = register_locked(&request, &reason);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (index >= 0) return index;
  return reason.no_memory ? tvmffi_fail_memory() : tvmffi_fail("InternalError", "%s", reason.text);
}

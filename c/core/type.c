/* SPDX-License-Identifier: Apache-2.0 */
#include "core/type.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/hash.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/type_table.h"
#include "platform/atomic.h"

tvmffi_mutex tvmffi_type_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockTypes, NULL);

/* ---- The table of clients' types: a sparse array of pointers to records ---- */

enum { kSegmentSize = 256, kFirstSegments = 4 };

typedef struct {
  tvmffi_type_record *records[kSegmentSize];
} segment;

/* Replaced by a longer one when it is too short; readers may still be using the shorter one. */
typedef struct {
  uint32_t count;
  segment *segments[]; /* NULL where there is no type */
} segment_list;

static segment_list no_segments;
static segment_list *segment_lists = &no_segments; /* the longest */
static int32_t next_index = kTvmffiFirstClientType;
static int32_t end_index = kTvmffiBuiltinTypesEnd;
static tvmffi_table keys;
static int is_filled; /* the records of built-in types are filled in */
static int has_keys;  /* and are in keys */

/* ---- Finding by index ---- */

static inline tvmffi_type_record *find_client_type(int32_t type_index) {
  const segment_list *list = tvmffi_atomic_load_acquire_ptr(&segment_lists);
  uint32_t index = (uint32_t)type_index, number = index / kSegmentSize;
  const segment *found;
  if (number >= list->count) return NULL;
  found = tvmffi_atomic_load_acquire_ptr(&list->segments[number]);
  return found != NULL ? tvmffi_atomic_load_acquire_ptr(&found->records[index % kSegmentSize])
                       : NULL;
}

/* Under the lock. */
TVMFFI_COLD static void fill_builtins(void) {
  if (is_filled) return;
  tvmffi_builtin_fill();
  tvmffi_atomic_store_release_int(&is_filled, 1);
}

/* A caller that holds the lock never gets here: tvmffi_type_ensure_keys has filled the records. */
TVMFFI_COLD static tvmffi_type_record *get_builtin_at_first(int32_t number) {
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  fill_builtins();
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  return &tvmffi_builtin_records[number];
}

static inline tvmffi_type_record *get_builtin(int32_t number) {
  return TVMFFI_LIKELY(tvmffi_atomic_load_acquire_int(&is_filled)) ? &tvmffi_builtin_records[number]
                                                                   : get_builtin_at_first(number);
}

/* Types of values, those of higher layers, and clients' types with static indices. */
TVMFFI_NOINLINE static tvmffi_type_record *find_other(int32_t type_index) {
  int32_t number = tvmffi_builtin_number(type_index);
  tvmffi_type_record *record;
  if (number < 0) return find_client_type(type_index);
  record = get_builtin(number);
  return record->key.data != NULL ? record : NULL; /* its part may not be in the program */
}

static inline tvmffi_type_record *find_type(int32_t type_index) {
  if (TVMFFI_LIKELY(type_index >= kTVMFFIStaticObjectBegin &&
                    type_index < kTVMFFIStaticObjectEnd)) {
    return get_builtin(type_index - kTVMFFIStaticObjectBegin + kTvmffiNumValueTypes);
  }
  return type_index >= kTvmffiFirstClientType ? find_client_type(type_index)
                                              : find_other(type_index);
}

tvmffi_type_record *tvmffi_type_find(int32_t type_index) {
  return find_type(type_index);
}

TVMFFI_COLD static tvmffi_type_record *fail_unknown(int32_t type_index) {
  tvmffi_error_raisef("InternalError", "Cannot find type info for type_index=%d", (int)type_index);
  return NULL;
}

tvmffi_type_record *tvmffi_type_require(int32_t type_index) {
  tvmffi_type_record *record = find_type(type_index);
  return TVMFFI_LIKELY(record != NULL) ? record : fail_unknown(type_index);
}

int32_t tvmffi_type_end(void) {
  return tvmffi_atomic_load_acquire(&end_index);
}

const char *tvmffi_type_key(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_find(type_index);
  return record != NULL ? record->key.data : "unknown type";
}

bool tvmffi_type_is_instance(int32_t type_index, int32_t target_index) {
  const tvmffi_type_record *record, *target;
  if (type_index == target_index) return true;
  if (type_index < target_index || (record = tvmffi_type_find(type_index)) == NULL ||
      (target = tvmffi_type_find(target_index)) == NULL) {
    return false;
  }
  return record->info.type_depth > target->info.type_depth &&
         record->info.type_ancestors[target->info.type_depth] == &target->info;
}

const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index) {
  tvmffi_type_record *record = tvmffi_type_require(type_index);
  return record != NULL ? &record->info : NULL;
}

/* ---- Keys ---- */

TVMFFI_COLD static int enter_builtin_types(void) {
  int32_t i;
  fill_builtins();
  if (tvmffi_table_reserve(&keys, kTvmffiNumBuiltins) != 0) return -1;
  for (i = 0; i < kTvmffiNumBuiltins; ++i) {
    tvmffi_table_key *key = &tvmffi_builtin_records[i].key;
    if (key->data != NULL) (void)tvmffi_table_insert(&keys, key);
  }
  return 0;
}

int tvmffi_type_ensure_keys(void) {
  int rc = 0;
  if (TVMFFI_LIKELY(tvmffi_atomic_load_acquire_int(&has_keys))) return 0;
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  if (!has_keys) {
    rc = enter_builtin_types();
    if (rc == 0) tvmffi_atomic_store_release_int(&has_keys, 1);
  }
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  return rc == 0 ? 0 : tvmffi_fail_memory();
}

tvmffi_type_record *tvmffi_type_find_key(const TVMFFIByteArray *key) {
  tvmffi_table_key *found = tvmffi_table_find(&keys, key->data, key->size);
  if (found == NULL) return NULL;
  return (tvmffi_type_record *)(void *)((char *)found - offsetof(tvmffi_type_record, key));
}

int TVMFFITypeKeyToIndex(const TVMFFIByteArray *type_key, int32_t *out_type_index) {
  const tvmffi_type_record *record;
  TVMFFI_REQUIRE(type_key);
  TVMFFI_REQUIRE(out_type_index);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, type_key, "type_key"));
  TVMFFI_TRY(tvmffi_type_ensure_keys());
  record = tvmffi_type_find_key(type_key);
  if (record == NULL) {
    return tvmffi_fail("InternalError", "Cannot find type `%.*s`", (int)type_key->size,
                       type_key->data);
  }
  *out_type_index = record->info.type_index;
  return 0;
}

/* ---- For registration ---- */

void tvmffi_type_set_key(tvmffi_type_record *record, const char *key, size_t size) {
  record->key.data = record->info.type_key.data = key;
  record->key.size = record->info.type_key.size = size;
  record->key.hash = tvmffi_hash_bytes(key, size);
  record->info.type_key_hash = tvmffi_hash_type_key(key, size);
}

int32_t tvmffi_type_next_index(void) {
  return next_index;
}

static int ensure_list(uint32_t count) {
  segment_list *old = segment_lists, *made;
  uint32_t made_count = kFirstSegments;
  size_t bytes;
  if (count <= old->count) return 0;
  while (made_count < count) made_count *= 2;
  if (!tvmffi_checked_array_size(sizeof *made, made_count, sizeof made->segments[0], &bytes) ||
      (made = tvmffi_alloc_until_shutdown(bytes)) == NULL) {
    return -1;
  }
  memset(made, 0, bytes);
  made->count = made_count;
  memcpy(made->segments, old->segments, old->count * sizeof old->segments[0]);
  tvmffi_atomic_store_release_ptr(&segment_lists, made);
  return 0;
}

int tvmffi_type_reserve(int32_t type_index) {
  const uint32_t number = (uint32_t)type_index / kSegmentSize;
  if (ensure_list(number + 1) != 0) return -1;
  if (segment_lists->segments[number] == NULL) {
    segment *made = tvmffi_alloc_until_shutdown(sizeof *made);
    if (made == NULL) return -1;
    memset(made, 0, sizeof *made);
    tvmffi_atomic_store_release_ptr(&segment_lists->segments[number], made);
  }
  return tvmffi_table_reserve(&keys, 1);
}

void tvmffi_type_publish(tvmffi_type_record *record) {
  const int32_t index = record->info.type_index;
  segment *found = segment_lists->segments[(uint32_t)index / kSegmentSize];
  if (index == next_index) next_index += record->num_slots;
  tvmffi_atomic_store_release_ptr(&found->records[(uint32_t)index % kSegmentSize], record);
  if (index >= end_index) tvmffi_atomic_store_release(&end_index, index + 1);
  (void)tvmffi_table_insert(&keys, &record->key);
}

/* ---- Where code is ---- */

static bool record_needs_range(const TVMFFITypeInfo *info, const tvmffi_dl_range *range) {
  int32_t i;
  for (i = 0; i < info->num_fields; ++i) {
    const TVMFFIFieldInfo *field = &info->fields[i];
    bool is_function = (field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0;
    TVMFFIAny setter = is_function ? tvmffi_any_object(field->setter)
                                   : tvmffi_any_ptr(kTVMFFIOpaquePtr, field->setter);
    if (tvmffi_dl_range_has(range, (uintptr_t)field->getter) ||
        tvmffi_function_needs_range(&setter, range) ||
        tvmffi_function_needs_range(&field->default_value_or_factory, range)) {
      return true;
    }
  }
  for (i = 0; i < info->num_methods; ++i) {
    if (tvmffi_function_needs_range(&info->methods[i].method, range)) return true;
  }
  return info->metadata != NULL && tvmffi_dl_range_has(range, (uintptr_t)info->metadata->creator);
}

bool tvmffi_type_needs_range(const tvmffi_dl_range *range, char *out, size_t out_size) {
  int32_t i, end = tvmffi_type_end();
  bool found = false;
  (void)tvmffi_type_find(0); /* on first use it takes the lock */
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  for (i = 0; i < end && !found; ++i) {
    const tvmffi_type_record *record = tvmffi_type_find(i);
    found = record != NULL && record_needs_range(&record->info, range);
    if (found) (void)snprintf(out, out_size, "type `%s` needs it", record->key.data);
  }
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  return found;
}

/* ---- Shutdown ---- */

/* The built-in types are reset, not removed: clients may hold pointers to their records. */
void tvmffi_type_shutdown(void) {
  segment_lists = &no_segments; /* the memory of the others lives until the end of the shutdown */
  tvmffi_builtin_fill();
  next_index = kTvmffiFirstClientType;
  end_index = kTvmffiBuiltinTypesEnd;
  tvmffi_table_fini(&keys);
  tvmffi_atomic_store_release_int(&has_keys, 0);
}

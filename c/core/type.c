/* SPDX-License-Identifier: Apache-2.0 */
#include "core/type.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/integers.h"
#include "core/builtins.h"
#include "core/error.h"
#include "platform/atomic.h"

/* ---- Records of the built-in types ---- */

enum {
  kNumValueTypes = kTVMFFIUnchanged + 1,
  kNumObjectTypes = kTVMFFIStaticObjectEnd - kTVMFFIStaticObjectBegin,
  kNumStaticTypes = kNumValueTypes + kNumObjectTypes,
  kNumBuiltins = kNumStaticTypes + kTvmffiNumDynamicTypes
};

/* The keys by static index, each NUL-terminated: first of values, then of objects. */
static const char kStaticKeys[] =
    "None\0"
    "int\0"
    "bool\0"
    "float\0"
    "void*\0"
    "DataType\0"
    "Device\0"
    "DLTensor*\0"
    "const char*\0"
    "TVMFFIByteArray*\0"
    "ObjectRValueRef\0"
    "ffi.SmallStr\0"
    "ffi.SmallBytes\0"
    "ffi.Unchanged\0"
    "ffi.Object\0"
    "ffi.String\0"
    "ffi.Bytes\0"
    "ffi.Error\0"
    "ffi.Function\0"
    "ffi.Shape\0"
    "ffi.Tensor\0"
    "ffi.Array\0"
    "ffi.Map\0"
    "ffi.Module\0"
    "ffi.OpaquePyObject\0"
    "ffi.List\0"
    "ffi.Dict\0"
    "ffi.VisitInterrupt\0"
    "ffi.BigInt";

/*
 * By number: types of values, those of objects with static indices, those with dynamic ones. Filled
 * in on first use: as initialised data they would be a tenth of the library.
 */
static tvmffi_type_record builtin_records[kNumBuiltins];

/* Ancestors. Row 0 is ffi.Object alone; each other row is for a type with a dynamic index, whose
 * parent is not ffi.Object: it has both. */
static const TVMFFITypeInfo *builtin_ancestors[1 + kTvmffiNumDynamicTypes][2];

/* The number of a built-in type; -1 for other indices. */
static int32_t builtin_number(int32_t type_index) {
  if (type_index >= kTvmffiFirstClientType) return -1;
  if (type_index >= kTVMFFIDynObjectBegin) {
    return type_index - kTVMFFIDynObjectBegin + kNumStaticTypes;
  }
  if (type_index >= kTVMFFIStaticObjectEnd) return -1;
  if (type_index >= kTVMFFIStaticObjectBegin) {
    return type_index - kTVMFFIStaticObjectBegin + kNumValueTypes;
  }
  return type_index >= 0 && type_index < kNumValueTypes ? type_index : -1;
}

/* key is NUL-terminated and lives as long as the record. */
static void type_set_key(tvmffi_type_record *record, const char *key, size_t size) {
  record->key.data = record->info.type_key.data = key;
  record->key.size = record->info.type_key.size = size;
  record->key.hash = tvmffi_hash_bytes(key, size);
  record->info.type_key_hash = tvmffi_hash_type_key(key, size);
}

static int32_t index_of_number(int32_t number) {
  if (number < kNumValueTypes) return number;
  if (number < kNumStaticTypes) {
    return number - kNumValueTypes + kTVMFFIStaticObjectBegin;
  }
  return number - kNumStaticTypes + kTVMFFIDynObjectBegin;
}

/*
 * Bytes of the body that every object of a static type has, 0 if not known here. Objects may be
 * larger, but fields are those of every object.
 */
static size_t body_size(int32_t type_index) {
  switch (type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
      return sizeof(TVMFFIByteArray);
    case kTVMFFIError:
      return sizeof(TVMFFIErrorCell);
    case kTVMFFIFunction:
      return sizeof(TVMFFIFunctionCell);
    case kTVMFFIShape:
      return sizeof(TVMFFIShapeCell);
    case kTVMFFITensor:
      return sizeof(DLTensor);
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap: /* has members of the same sizes */
    case kTVMFFIDict:
      return sizeof(TVMFFISeqCell);
    case kTVMFFIOpaquePyObject:
      return sizeof(TVMFFIOpaqueObjectCell);
    default:
      return 0;
  }
}

static void set_body_size(tvmffi_type_record *record, size_t bytes) {
  if (bytes == 0) return;
  record->total_size = record->least_size = (int32_t)(sizeof(TVMFFIObject) + bytes);
  record->starts_with_header = true;
}

/* What the tables say of a type. */
static void describe(const tvmffi_builtin_type *type) {
  int32_t number = builtin_number(type->type_index);
  tvmffi_type_record *record = &builtin_records[number];
  if (type->key != NULL) type_set_key(record, type->key, strlen(type->key));
  if (type->parent_index != 0) {
    const TVMFFITypeInfo **ancestors = builtin_ancestors[1 + number - kNumStaticTypes];
    ancestors[0] = &builtin_records[kNumValueTypes].info;
    ancestors[1] = &builtin_records[builtin_number(type->parent_index)].info;
    record->info.type_ancestors = ancestors;
    record->info.type_depth = 2;
  }
  record->builtin = type;
  record->info.metadata = &type->metadata;
  record->total_size = record->least_size = type->metadata.total_size;
  record->starts_with_header = true;
}

/* Fills the records in, or resets them. Under the lock, or at shutdown. */
TVMFFI_COLD static void builtin_fill(void) {
  const tvmffi_builtin_type_group *types;
  const char *key = kStaticKeys;
  size_t group, i;
  int32_t number;
  memset(builtin_records, 0, sizeof builtin_records);
  builtin_ancestors[0][0] = &builtin_records[kNumValueTypes].info;
  for (number = 0; number < kNumBuiltins; ++number) {
    tvmffi_type_record *record = &builtin_records[number];
    int32_t type_index = index_of_number(number);
    if (number < kNumStaticTypes) {
      type_set_key(record, key, strlen(key));
      key += record->key.size + 1;
    }
    record->num_slots = record->allocated_slots = 1;
    record->slots_can_overflow = type_index == kTVMFFIObject || type_index >= kTVMFFIVisitInterrupt;
    record->info.type_index = type_index;
    if (number > kNumValueTypes) {
      record->info.type_depth = 1;
      record->info.type_ancestors = builtin_ancestors[0];
      set_body_size(record, body_size(type_index));
    }
  }
  builtin_records[builtin_number(kTVMFFIBigInt)].slots_can_overflow = false;
  for (group = 0; (types = tvmffi_parts_types(group)) != NULL; ++group) {
    for (i = 0; i < types->count; ++i) {
      const tvmffi_builtin_type *type = &types->types[i];
      describe(type);
      if (types->describe_members != NULL) {
        types->describe_members(type, &builtin_records[builtin_number(type->type_index)]);
      }
    }
  }
}

/* ---- The table ---- */

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
static tvmffi_table type_keys;
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
  builtin_fill();
  tvmffi_atomic_store_release_int(&is_filled, 1);
}

/* A caller that holds the lock never gets here: type_ensure_keys has filled the records. */
TVMFFI_COLD static tvmffi_type_record *get_builtin_at_first(int32_t number) {
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  fill_builtins();
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  return &builtin_records[number];
}

static inline tvmffi_type_record *get_builtin(int32_t number) {
  return TVMFFI_LIKELY(tvmffi_atomic_load_acquire_int(&is_filled)) ? &builtin_records[number]
                                                                   : get_builtin_at_first(number);
}

/* Types of values, those of higher layers, and clients' types with static indices. */
TVMFFI_NOINLINE static tvmffi_type_record *find_other(int32_t type_index) {
  int32_t number = builtin_number(type_index);
  tvmffi_type_record *record;
  if (number < 0) return find_client_type(type_index);
  record = get_builtin(number);
  return record->key.data != NULL ? record : NULL; /* its part may not be in the program */
}

static inline tvmffi_type_record *find_type_record(int32_t type_index) {
  if (TVMFFI_LIKELY(type_index >= kTVMFFIStaticObjectBegin &&
                    type_index < kTVMFFIStaticObjectEnd)) {
    return get_builtin(type_index - kTVMFFIStaticObjectBegin + kNumValueTypes);
  }
  return type_index >= kTvmffiFirstClientType ? find_client_type(type_index)
                                              : find_other(type_index);
}

tvmffi_type_record *tvmffi_type_find(int32_t type_index) {
  return find_type_record(type_index);
}

TVMFFI_COLD static tvmffi_type_record *fail_unknown_type(int32_t type_index) {
  tvmffi_error_raisef("InternalError", "Cannot find type info for type_index=%d", (int)type_index);
  return NULL;
}

tvmffi_type_record *tvmffi_type_require(int32_t type_index) {
  tvmffi_type_record *record = find_type_record(type_index);
  return TVMFFI_LIKELY(record != NULL) ? record : fail_unknown_type(type_index);
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

bool tvmffi_type_is_of_other_copy(int32_t type_index, const void *caller) {
  return builtin_number(type_index) >= 0 && tvmffi_dl_has_other_copy(caller);
}

const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index) {
  tvmffi_type_record *record = tvmffi_type_require(type_index);
  return record != NULL ? &record->info : NULL;
}

/* ---- Keys ---- */

TVMFFI_COLD static int enter_builtin_types(void) {
  int32_t i;
  fill_builtins();
  if (tvmffi_table_reserve(&type_keys, kNumBuiltins) != 0) return -1;
  for (i = 0; i < kNumBuiltins; ++i) {
    tvmffi_table_key *key = &builtin_records[i].key;
    if (key->data != NULL) (void)tvmffi_table_insert(&type_keys, key);
  }
  return 0;
}

/* Enters the keys of the built-in types once; -1 with an error raised if out of memory. */
static int type_ensure_keys(void) {
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

/* The record of a key, or NULL. After type_ensure_keys. */
static tvmffi_type_record *type_find_key(const TVMFFIByteArray *key) {
  tvmffi_table_key *found = tvmffi_table_find(&type_keys, key->data, key->size);
  if (found == NULL) return NULL;
  return (tvmffi_type_record *)(void *)((char *)found - offsetof(tvmffi_type_record, key));
}

int TVMFFITypeKeyToIndex(const TVMFFIByteArray *type_key, int32_t *out_type_index) {
  const tvmffi_type_record *record;
  TVMFFI_REQUIRE(type_key);
  TVMFFI_REQUIRE(out_type_index);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, type_key, "type_key"));
  TVMFFI_TRY(type_ensure_keys());
  record = type_find_key(type_key);
  if (record == NULL) {
    return tvmffi_fail("InternalError", "Cannot find type `%.*s`",
                       tvmffi_shown_size(type_key->size), type_key->data);
  }
  *out_type_index = record->info.type_index;
  return 0;
}

/* ---- For registration ---- */

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
  made->count = made_count;
  memcpy(made->segments, old->segments, old->count * sizeof old->segments[0]);
  tvmffi_atomic_store_release_ptr(&segment_lists, made);
  return 0;
}

/* Makes room for a record and its key; -1 with nothing raised if out of memory. Under the lock. */
static int type_reserve(int32_t type_index) {
  const uint32_t number = (uint32_t)type_index / kSegmentSize;
  if (ensure_list(number + 1) != 0) return -1;
  if (segment_lists->segments[number] == NULL) {
    segment *made = tvmffi_alloc_until_shutdown(sizeof *made);
    if (made == NULL) return -1;
    tvmffi_atomic_store_release_ptr(&segment_lists->segments[number], made);
  }
  return tvmffi_table_reserve(&type_keys, 1);
}

/* Publishes a record for which there is room. Under the lock. */
static void type_publish(tvmffi_type_record *record) {
  const int32_t index = record->info.type_index;
  segment *found = segment_lists->segments[(uint32_t)index / kSegmentSize];
  if (index == next_index) next_index += record->num_slots;
  tvmffi_atomic_store_release_ptr(&found->records[(uint32_t)index % kSegmentSize], record);
  if (index >= end_index) tvmffi_atomic_store_release(&end_index, index + 1);
  (void)tvmffi_table_insert(&type_keys, &record->key);
}

/* ---- Shutdown ---- */

/* The built-in types are reset, not removed: clients may hold pointers to their records. */
void tvmffi_type_shutdown(void) {
  segment_lists = &no_segments; /* the memory of the others lives until the end of the shutdown */
  builtin_fill();
  next_index = kTvmffiFirstClientType;
  end_index = kTvmffiBuiltinTypesEnd;
  tvmffi_table_fini(&type_keys);
  tvmffi_atomic_store_release_int(&has_keys, 0);
}

/* ---- Registration ---- */

/* Why a registration under the lock failed; the error is raised after the lock is released. */
typedef struct {
  bool no_memory;
  tvmffi_buf text;
} failure;

TVMFFI_COLD static int32_t set_failure(failure *reason, const char *format, ...)
    TVMFFI_PRINTF(2, 3);

static int32_t set_failure(failure *reason, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tvmffi_buf_vappendf(&reason->text, format, args);
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
                       tvmffi_shown_size(request->key->size), request->key->data,
                       (int)info->type_depth, (int)request->depth);
  }
  if (request->parent_index >= 0 && info->type_depth > 0 &&
      request->parent_index != info->type_ancestors[info->type_depth - 1]->type_index) {
    return set_failure(reason, "Type `%.*s` is registered with parent `%s`, not `%s`",
                       tvmffi_shown_size(request->key->size), request->key->data,
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
    int32_t end = index < kTVMFFIDynObjectBegin ? kTVMFFIDynObjectBegin : next_index;
    if (index >= end) {
      return set_failure(reason, "Static type index %d of `%.*s` is out of range", (int)index,
                         tvmffi_shown_size(request->key->size), request->key->data);
    }
    if (request->num_child_slots >= end - index) { /* it would claim indices given out later */
      return set_failure(reason, "Static type index %d of `%.*s` leaves no room for %d child slots",
                         (int)index, tvmffi_shown_size(request->key->size), request->key->data,
                         (int)request->num_child_slots);
    }
    return index;
  }
  if (parent == NULL) {
    return set_failure(reason,
                       "Check not null: parent Type `%.*s` needs a parent or a static index",
                       tvmffi_shown_size(request->key->size), request->key->data);
  }
  if (request->num_child_slots < parent->num_slots - parent->allocated_slots) {
    *out_in_parent_slots = true;
    return parent->info.type_index + parent->allocated_slots;
  }
  if (!parent->slots_can_overflow) {
    return set_failure(reason, "Reach maximum number of sub-classes for %s", parent->key.data);
  }
  if (request->num_child_slots >= kTvmffiMaxTypes - next_index) {
    return set_failure(reason, "Reach maximum number of types, %d", (int)kTvmffiMaxTypes);
  }
  return next_index;
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
  ancestors = (const TVMFFITypeInfo **)(void *)(record + 1);
  for (i = 0; i + 1 < depth; ++i) ancestors[i] = parent->info.type_ancestors[i];
  if (depth != 0) ancestors[depth - 1] = &parent->info;
  key = (char *)(ancestors + depth);
  if (request->key->size != 0) memcpy(key, request->key->data, request->key->size);
  key[request->key->size] = '\0';
  type_set_key(record, key, request->key->size);
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
  tvmffi_type_record *record = type_find_key(request->key), *parent = NULL;
  const tvmffi_type_record *taken;
  bool in_parent_slots;
  int32_t index;
  if (record != NULL) return check_known(request, record, reason);
  if (request->parent_index >= 0) {
    parent = tvmffi_type_find(request->parent_index);
    if (parent == NULL) {
      return set_failure(reason, "Unknown parent type index %d, type_key=%.*s, static_index=%d",
                         (int)request->parent_index, tvmffi_shown_size(request->key->size),
                         request->key->data, (int)request->static_index);
    }
  }
  if (request->depth < 0 || request->num_child_slots < 0) {
    return set_failure(reason,
                       "Type `%.*s`: depth %d and number of child slots %d must be positive",
                       tvmffi_shown_size(request->key->size), request->key->data,
                       (int)request->depth, (int)request->num_child_slots);
  }
  index = choose_index(request, parent, &in_parent_slots, reason);
  if (index < 0) return -1;
  taken = tvmffi_type_find(index);
  if (taken != NULL) { /* a static index may lie within the parent's slots */
    return set_failure(reason, "Conflicting static index %d between %s and %.*s", (int)index,
                       taken->key.data, tvmffi_shown_size(request->key->size), request->key->data);
  }
  if (parent != NULL && index <= parent->info.type_index) {
    return set_failure(
        reason, "Type index %d of `%.*s` must be greater than that of its parent, %d", (int)index,
        tvmffi_shown_size(request->key->size), request->key->data, (int)parent->info.type_index);
  }
  if (request->depth != 0 && (parent == NULL || request->depth != parent->info.type_depth + 1)) {
    return set_failure(reason, "Type `%.*s` of depth %d needs a parent of depth %d",
                       tvmffi_shown_size(request->key->size), request->key->data,
                       (int)request->depth, (int)request->depth - 1);
  }
  if (type_reserve(index) != 0) return set_no_memory(reason);
  record = make_record(request, index, parent);
  if (record == NULL) return set_no_memory(reason);
  /* Nothing below can fail. */
  if (in_parent_slots) parent->allocated_slots += record->num_slots;
  type_publish(record);
  return index;
}

int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray *type_key, int32_t static_type_index,
                                  int32_t type_depth, int32_t num_child_slots,
                                  int32_t child_slots_can_overflow, int32_t parent_type_index) {
  enum { kQueryOnly = -2 };
  type_request request;
  failure reason = {false, TVMFFI_BUF_INIT};
  int32_t index;
  TVMFFI_REQUIRE(type_key);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, type_key, "type_key"));
  TVMFFI_TRY(type_ensure_keys());
  if (parent_type_index == kQueryOnly) {
    const tvmffi_type_record *record = type_find_key(type_key);
    return record != NULL ? record->info.type_index : kQueryOnly;
  }
  request.key = type_key;
  request.static_index = static_type_index;
  request.depth = type_depth;
  request.num_child_slots = num_child_slots;
  request.can_overflow = child_slots_can_overflow != 0;
  request.parent_index = parent_type_index;
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  index = register_locked(&request, &reason);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (index >= 0) return index;
  if (reason.no_memory || reason.text.failed) {
    (void)tvmffi_fail_memory();
  } else {
    (void)tvmffi_fail("InternalError", "%s", reason.text.data);
  }
  tvmffi_buf_fini(&reason.text);
  return -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/global.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/hash.h"
#include "base/table.h"
#include "core/any.h"
#include "core/builtin_tables.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/thread_state.h"
#include "platform/atomic.h"
#include "platform/thread.h"

/*
 * A name that is or was registered. Readers without the lock use key, function and builtin; the
 * writers' lock protects the other fields. A name is absent if both function and builtin are NULL.
 */
typedef struct global_record {
  tvmffi_table_key key;
  TVMFFIObject *function;                /* owned; NULL also for a built-in never fetched */
  const tvmffi_builtin_body *builtin;    /* NULL once removed or overridden; texts at key.data */
  TVMFFIObject *metadata;                /* a String, or NULL */
  struct global_record *previous, *next; /* present names, in the order they were set */
} global_record;

static tvmffi_mutex writers = TVMFFI_MUTEX_INIT;
static tvmffi_table table;
static int is_ready; /* the built-ins are in the table */
static global_record order = {{NULL, 0, 0}, NULL, NULL, NULL, &order, &order};
static size_t num_names, num_name_bytes;

/* ---- Under the writers' lock ---- */

static void link_last(global_record *record) {
  record->next = &order;
  record->previous = order.previous;
  order.previous->next = record;
  order.previous = record;
  ++num_names;
  num_name_bytes += record->key.size;
}

static void unlink_record(global_record *record) {
  record->previous->next = record->next;
  record->next->previous = record->previous;
  --num_names;
  num_name_bytes -= record->key.size;
}

static bool is_present(const global_record *record) {
  return record->function != NULL || record->builtin != NULL;
}

/* Allocates the records of all built-ins in one block: it fails before changing anything. */
static int enter_builtins(void) {
  global_record *records;
  size_t group, i, count = 0;
  for (group = 0; group < tvmffi_all_builtins.num_functions; ++group) {
    count += tvmffi_all_builtins.functions[group]->count;
  }
  if (tvmffi_table_reserve(&table, count) != 0) return -1;
  records = tvmffi_alloc_until_shutdown(count * sizeof *records);
  if (records == NULL) return -1;
  memset(records, 0, count * sizeof *records);
  for (group = 0; group < tvmffi_all_builtins.num_functions; ++group) {
    const char *texts = tvmffi_all_builtins.functions[group]->texts;
    for (i = 0; i < tvmffi_all_builtins.functions[group]->count; ++i, ++records) {
      tvmffi_builtin builtin;
      records->builtin = &tvmffi_all_builtins.functions[group]->bodies[i];
      texts = tvmffi_builtin_read(texts, *records->builtin, &builtin);
      records->key.data = builtin.name;
      records->key.size = strlen(builtin.name);
      records->key.hash = tvmffi_hash_bytes(builtin.name, records->key.size);
      link_last(records);
      (void)tvmffi_table_insert(&table, &records->key); /* room was reserved */
    }
  }
  return 0;
}

static global_record *find_record(const char *name, size_t size) {
  return (global_record *)tvmffi_table_find(&table, name, size);
}

/* Finds the record of a name or makes one; NULL if out of memory. */
static global_record *ensure_record(const char *name, size_t size) {
  global_record *record = find_record(name, size);
  char *copy;
  size_t bytes;
  if (record != NULL) return record;
  if (tvmffi_table_reserve(&table, 1) != 0) return NULL;
  if (!tvmffi_checked_add_size(size, sizeof *record + 1, &bytes)) return NULL;
  record = tvmffi_alloc_until_shutdown(bytes);
  if (record == NULL) return NULL;
  memset(record, 0, sizeof *record);
  copy = (char *)(record + 1);
  if (size != 0) memcpy(copy, name, size);
  copy[size] = '\0';
  record->key.data = copy;
  record->key.size = size;
  record->key.hash = tvmffi_hash_bytes(name, size);
  (void)tvmffi_table_insert(&table, &record->key);
  return record;
}

/* ---- Fetching, and releasing what readers may be fetching ---- */

static int ensure_ready(void) {
  int rc = 0;
  if (TVMFFI_LIKELY(tvmffi_atomic_load_acquire_int(&is_ready))) return 0;
  tvmffi_mutex_lock(&writers);
  if (!is_ready) {
    rc = enter_builtins();
    if (rc == 0) tvmffi_atomic_store_release_int(&is_ready, 1);
  }
  tvmffi_mutex_unlock(&writers);
  return rc == 0 ? 0 : tvmffi_fail_memory();
}

/*
 * Hazard pointers: a reader announces the function that it read, and reads the record again. If the
 * function is still there, a writer that takes it out later sees the announcement (both sides are
 * sequentially consistent), and does not release it until the reader has its reference. A thread
 * for which there is no memory to announce in takes the lock.
 */
static TVMFFIObject *fetch_function(global_record *record) {
  tvmffi_thread_record *self = tvmffi_thread_record_ensure();
  TVMFFIObject *function;
  if (TVMFFI_UNLIKELY(self == NULL)) {
    tvmffi_mutex_lock(&writers);
    function = record->function;
    tvmffi_object_retain(function);
    tvmffi_mutex_unlock(&writers);
    return function;
  }
  for (;;) {
    function = tvmffi_atomic_load_acquire_ptr(&record->function);
    if (function == NULL) break;
    tvmffi_atomic_store_seq_cst_ptr(&self->announced, function);
    if (TVMFFI_LIKELY(tvmffi_atomic_load_seq_cst_ptr(&record->function) == function)) break;
  }
  tvmffi_object_retain(function);
  tvmffi_atomic_store_release_ptr(&self->announced, NULL);
  return function;
}

/*
 * Releases a function that was taken out of a record, once no reader announces it. A reader needs
 * only a few instructions to take its reference; one that the system does not let go on costs a
 * leaked function, not a hang. Call without the lock.
 */
static void release_replaced(TVMFFIObject *function) {
  enum { kPatience = 1000000 };
  const tvmffi_thread_record *record = tvmffi_thread_record_first();
  int waited = 0;
  if (function == NULL) return;
  for (; record != NULL; record = record->next) {
    while (tvmffi_atomic_load_seq_cst_ptr(&record->announced) == function) {
      if (++waited > kPatience) return;
      tvmffi_thread_yield();
    }
  }
  tvmffi_object_release(function);
}

/* Makes the Function object of a built-in, or takes the one that another thread made meanwhile. */
static int make_builtin_function(global_record *record, TVMFFIObject **out) {
  const tvmffi_builtin_body *body = tvmffi_atomic_load_acquire_ptr(&record->builtin);
  tvmffi_builtin builtin;
  TVMFFIObject *made, *function;
  if (body == NULL) { /* absent; or overridden since the caller looked */
    *out = fetch_function(record);
    return 0;
  }
  (void)tvmffi_builtin_read(record->key.data, *body, &builtin);
  made = tvmffi_builtin_new_function(&builtin);
  if (made == NULL) return -1;
  tvmffi_mutex_lock(&writers);
  if (record->function == NULL && record->builtin == body) {
    tvmffi_object_retain(made);
    tvmffi_atomic_store_release_ptr(&record->function, made);
  }
  function = record->function;
  tvmffi_object_retain(function);
  tvmffi_mutex_unlock(&writers);
  tvmffi_object_release(made);
  *out = function;
  return 0;
}

int tvmffi_global_get(const char *name, size_t size, TVMFFIObject **out) {
  global_record *record;
  TVMFFIObject *function;
  TVMFFI_TRY(ensure_ready());
  record = find_record(name, size);
  if (record == NULL) {
    *out = NULL;
    return 0;
  }
  function = fetch_function(record);
  if (TVMFFI_UNLIKELY(function == NULL)) return make_builtin_function(record, out);
  *out = function;
  return 0;
}

/* ---- Writing ---- */

enum { kSetDone, kSetTaken, kSetNoMemory };

/* Takes ownership of metadata (a String or NULL) if it returns kSetDone; retains function. */
static int set_function(const TVMFFIByteArray *name, TVMFFIObject *function, TVMFFIObject *metadata,
                        bool allow_override) {
  TVMFFIObject *old_function = NULL, *old_metadata = NULL;
  global_record *record;
  int outcome = kSetDone;
  tvmffi_mutex_lock(&writers);
  record = ensure_record(name->data, name->size);
  if (record == NULL) {
    outcome = kSetNoMemory;
  } else if (is_present(record) && !allow_override) {
    outcome = kSetTaken;
  } else {
    if (is_present(record)) unlink_record(record); /* an overridden name moves to the end */
    link_last(record);
    tvmffi_object_retain(function);
    old_metadata = record->metadata;
    record->metadata = metadata;
    old_function = tvmffi_atomic_exchange_seq_cst_ptr(&record->function, function);
    tvmffi_atomic_store_release_ptr(&record->builtin, (const tvmffi_builtin_body *)NULL);
  }
  tvmffi_mutex_unlock(&writers);
  release_replaced(old_function);
  tvmffi_object_release(old_metadata);
  return outcome;
}

static int refuse_taken(const TVMFFIByteArray *name, const char *hint) {
  return tvmffi_fail("RuntimeError", "Global Function `%.*s` is already registered%s",
                     (int)name->size, name->data, hint);
}

int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out) {
  TVMFFIObject *function;
  TVMFFI_REQUIRE(name);
  TVMFFI_REQUIRE(out);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, name, "name"));
  TVMFFI_TRY(tvmffi_global_get(name->data, name->size, &function));
  *out = function;
  return 0;
}

int TVMFFIFunctionSetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle func,
                            int allow_override) {
  TVMFFIObject *function = func;
  TVMFFI_REQUIRE(name);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, name, "name"));
  if (function == NULL || function->type_index != kTVMFFIFunction) {
    TVMFFIAny given = tvmffi_any_object(function);
    return tvmffi_any_fail_conversion(&given, "ffi.Function");
  }
  TVMFFI_TRY(ensure_ready());
  switch (set_function(name, function, NULL, allow_override != 0)) {
    case kSetTaken:
      return refuse_taken(name, "");
    case kSetNoMemory:
      return tvmffi_fail_memory();
    default:
      return 0;
  }
}

int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo *method_info, int allow_override) {
  const TVMFFIAny *method;
  TVMFFIObject *metadata = NULL;
  int outcome;
  TVMFFI_REQUIRE(method_info);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, &method_info->name, "name"));
  method = &method_info->method;
  if (method->type_index != kTVMFFIFunction || method->v_obj == NULL) {
    return tvmffi_any_fail_conversion(method, "ffi.Function");
  }
  TVMFFI_TRY(ensure_ready());
  if (method_info->metadata.data != NULL && method_info->metadata.size != 0) {
    metadata =
        tvmffi_string_new(kTVMFFIStr, method_info->metadata.data, method_info->metadata.size);
    if (metadata == NULL) return -1;
  }
  outcome = set_function(&method_info->name, method->v_obj, metadata, allow_override != 0);
  if (outcome == kSetDone) return 0;
  tvmffi_object_release(metadata);
  if (outcome == kSetNoMemory) return tvmffi_fail_memory();
  return refuse_taken(&method_info->name,
                      ", possible causes: two functions use the same name; or the library that "
                      "registers it was loaded twice. Allow overriding to replace it.");
}

int tvmffi_global_remove(const char *name, size_t size, bool *out_removed) {
  TVMFFIObject *old_function = NULL, *old_metadata = NULL;
  global_record *record;
  bool removed = false;
  TVMFFI_TRY(ensure_ready());
  tvmffi_mutex_lock(&writers);
  record = find_record(name, size);
  if (record != NULL && is_present(record)) {
    removed = true;
    unlink_record(record);
    tvmffi_atomic_store_release_ptr(&record->builtin, (const tvmffi_builtin_body *)NULL);
    old_function = tvmffi_atomic_exchange_seq_cst_ptr(&record->function, (TVMFFIObject *)NULL);
    old_metadata = record->metadata;
    record->metadata = NULL;
  }
  tvmffi_mutex_unlock(&writers);
  release_replaced(old_function);
  tvmffi_object_release(old_metadata);
  *out_removed = removed;
  return 0;
}

/* ---- Listing and describing ---- */

/* A Function that holds copies of the names, all in one block of memory. */
typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  size_t count;
  TVMFFIByteArray names[]; /* followed by their bytes */
} names_object;

static int call_names(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static const char signature[] = "(0: int) -> Any";
  const names_object *names = handle;
  int64_t i;
  if (num_args != 1) return tvmffi_builtin_fail_count(signature, 1, num_args);
  if (args[0].type_index != kTVMFFIInt && args[0].type_index != kTVMFFIBool) {
    return tvmffi_builtin_fail_type(signature, 0, "int", &args[0]);
  }
  i = args[0].v_int64;
  if (i < 0) {
    *result = tvmffi_any_int((int64_t)names->count);
    return 0;
  }
  if ((uint64_t)i >= names->count) {
    return tvmffi_fail("IndexError", "Index %lld out of bounds %zu", (long long)i, names->count);
  }
  return tvmffi_string_to_any(names->names[i].data, names->names[i].size, result);
}

int tvmffi_global_list_names(TVMFFIObject **out) {
  TVMFFI_TRY(ensure_ready());
  for (;;) {
    names_object *names;
    size_t count, text_bytes, bytes;
    tvmffi_mutex_lock(&writers);
    count = num_names;
    text_bytes = num_name_bytes;
    tvmffi_mutex_unlock(&writers);
    if (!tvmffi_checked_array_size(sizeof *names, count, sizeof names->names[0], &bytes) ||
        !tvmffi_checked_add_size(bytes, text_bytes, &bytes)) {
      return tvmffi_fail_memory();
    }
    names = tvmffi_object_new(bytes, kTVMFFIFunction, tvmffi_object_delete_plain);
    if (names == NULL) return -1;
    names->cell.safe_call = call_names;
    names->cell.cpp_call = NULL;
    tvmffi_mutex_lock(&writers);
    if (num_names <= count && num_name_bytes <= text_bytes) {
      const global_record *record;
      char *text = (char *)&names->names[count];
      names->count = 0;
      for (record = order.next; record != &order; record = record->next) {
        TVMFFIByteArray *name = &names->names[names->count++];
        if (record->key.size != 0) memcpy(text, record->key.data, record->key.size);
        name->data = text;
        name->size = record->key.size;
        text += record->key.size;
      }
      tvmffi_mutex_unlock(&writers);
      *out = &names->header;
      return 0;
    }
    tvmffi_mutex_unlock(&writers); /* names were added meanwhile: try again */
    tvmffi_object_release(names);
  }
}

int tvmffi_global_metadata(const char *name, size_t size, TVMFFIAny *out) {
  const tvmffi_builtin_body *body = NULL;
  TVMFFIObject *metadata = NULL;
  global_record *record;
  bool found;
  TVMFFI_TRY(ensure_ready());
  tvmffi_mutex_lock(&writers);
  record = find_record(name, size);
  found = record != NULL && is_present(record);
  if (found) {
    body = record->builtin;
    metadata = record->metadata;
    tvmffi_object_retain(metadata);
  }
  tvmffi_mutex_unlock(&writers);
  if (!found) {
    return tvmffi_fail("RuntimeError", "Global Function is not found: %.*s", (int)size, name);
  }
  if (metadata != NULL) { /* copied, since short text is a small value */
    const TVMFFIByteArray *text = TVMFFIBytesGetByteArrayPtr(metadata);
    int rc = tvmffi_string_to_any(text->data, text->size, out);
    tvmffi_object_release(metadata);
    return rc;
  }
  if (body != NULL) {
    tvmffi_builtin builtin;
    (void)tvmffi_builtin_read(record->key.data, *body, &builtin);
    return tvmffi_builtin_metadata(&builtin, out);
  }
  return tvmffi_string_to_any("", 0, out);
}

bool tvmffi_global_needs_range(const tvmffi_dl_range *range, char *out, size_t out_size) {
  const global_record *record;
  bool found = false;
  tvmffi_mutex_lock(&writers);
  for (record = order.next; record != &order && !found; record = record->next) {
    TVMFFIAny function = tvmffi_any_object(record->function);
    found = tvmffi_function_needs_range(&function, range);
    if (found) {
      (void)snprintf(out, out_size, "global function `%s` needs it", record->key.data);
    }
  }
  tvmffi_mutex_unlock(&writers);
  return found;
}

void tvmffi_global_shutdown(void) {
  global_record *record;
  while ((record = order.next) != &order) {
    TVMFFIObject *function = record->function;
    unlink_record(record);
    record->function = NULL;
    record->builtin = NULL;
    tvmffi_object_release(record->metadata);
    record->metadata = NULL;
    tvmffi_object_release(function);
  }
  tvmffi_table_fini(&table);
  tvmffi_atomic_store_release_int(&is_ready, 0);
}

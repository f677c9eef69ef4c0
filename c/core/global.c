/* SPDX-License-Identifier: Apache-2.0 */
#include "core/global.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/integers.h"
#include "base/table.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/thread_state.h"
#include "platform/atomic.h"
#include "platform/platform.h"

/*
 * A name that is or was registered. Readers without the lock use key, function and builtin; the
 * writers' lock protects the other fields. A name is absent if both function and builtin are NULL.
 */
typedef struct global_record {
  tvmffi_table_key key;
  TVMFFIObject *function;                /* owned; NULL also for a built-in never fetched */
  const tvmffi_builtin_body *builtin;    /* NULL once removed or overridden; texts at key.data */
  TVMFFIObject *metadata;                /* a String, or NULL */
  struct global_record *previous, *next; /* in its list */
} global_record;

typedef struct {
  global_record ends;
  size_t num_names, num_bytes; /* of the names */
} name_list;

#define NAME_LIST_INIT(list) \
  { {{NULL, 0, 0}, NULL, NULL, NULL, &(list).ends, &(list).ends}, 0, 0 }

static tvmffi_mutex writers = TVMFFI_MUTEX_INIT;
static tvmffi_table globals;                        /* the present and the absent names */
static int is_ready;                                /* the built-ins are in the table */
static name_list present = NAME_LIST_INIT(present); /* in the order they were set */
static name_list absent = NAME_LIST_INIT(absent);
/* A reader may have found them in the table. */
static name_list dropped_globals = NAME_LIST_INIT(dropped_globals);

/* ---- Under the writers' lock ---- */

static void link_global(name_list *list, global_record *record) {
  record->next = &list->ends;
  record->previous = list->ends.previous;
  list->ends.previous->next = record;
  list->ends.previous = record;
  ++list->num_names;
  list->num_bytes += record->key.size;
}

static void unlink_global(name_list *list, global_record *record) {
  record->previous->next = record->next;
  record->next->previous = record->previous;
  --list->num_names;
  list->num_bytes -= record->key.size;
}

/* The first name, taken out of the list; NULL if there is none. */
static global_record *unlink_first(name_list *list) {
  global_record *record = list->ends.next;
  if (record == &list->ends) return NULL;
  unlink_global(list, record);
  return record;
}

static bool is_present(const global_record *record) {
  return record->function != NULL || record->builtin != NULL;
}

/* Allocates the records of all built-ins in one block: it fails before changing anything. */
static int enter_builtins(void) {
  const tvmffi_builtin_group *group;
  global_record *records;
  size_t number, i, count = 0;
  for (number = 0; (group = tvmffi_parts_functions(number)) != NULL; ++number) {
    count += group->count;
  }
  if (tvmffi_table_reserve(&globals, count) != 0) return -1;
  records = tvmffi_alloc_until_shutdown(count * sizeof *records);
  if (records == NULL) return -1;
  for (number = 0; (group = tvmffi_parts_functions(number)) != NULL; ++number) {
    const char *texts = group->texts;
    for (i = 0; i < group->count; ++i, ++records) {
      tvmffi_builtin builtin;
      records->builtin = &group->bodies[i];
      texts = tvmffi_builtin_read(texts, &builtin);
      records->key.data = builtin.name;
      records->key.size = strlen(builtin.name);
      records->key.hash = tvmffi_hash_bytes(builtin.name, records->key.size);
      link_global(&present, records);
      (void)tvmffi_table_insert(&globals, &records->key); /* room was reserved */
    }
  }
  return 0;
}

static global_record *find_record(const char *name, size_t size) {
  return (global_record *)tvmffi_table_find(&globals, name, size);
}

/* The text of a name follows its record, unless it is in the block of the built-ins. */
static void free_global(global_record *record) {
  if (record->key.data == (const char *)(record + 1)) tvmffi_free(record);
}

/* Finds the record of a name or makes one, of an absent name; NULL if out of memory. */
static global_record *ensure_global(const char *name, size_t size) {
  const uint64_t hash = tvmffi_hash_bytes(name, size);
  global_record *record = (global_record *)tvmffi_table_find_hashed(&globals, name, size, hash);
  if (record != NULL) return record;
  if (tvmffi_table_reserve(&globals, 1) != 0) return NULL;
  record = (global_record *)tvmffi_table_new_record(sizeof *record, name, size, hash, tvmffi_alloc);
  if (record == NULL) return NULL;
  (void)tvmffi_table_insert(&globals, &record->key);
  link_global(&absent, record);
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
 * Readers take no lock. A reader makes the number of its thread odd, finds a function, takes its
 * reference, and makes the number even. A writer that took something out waits until each odd
 * number has changed: then nobody has found, and is about to use, what was taken out. Both sides
 * are sequentially consistent: either the writer sees the odd number, or the reader sees what the
 * writer did. A thread without memory for its record, for which this returns NULL, takes the lock.
 */
static tvmffi_thread_record *begin_read(void) {
  tvmffi_thread_record *self = tvmffi_thread_record_ensure();
  if (TVMFFI_LIKELY(self != NULL)) {
    tvmffi_atomic_store_seq_cst(&self->num_reads, self->num_reads + 1);
  } else {
    tvmffi_mutex_lock(&writers);
  }
  return self;
}

static void end_read(tvmffi_thread_record *self) {
  if (TVMFFI_LIKELY(self != NULL)) {
    tvmffi_atomic_store_release(&self->num_reads, self->num_reads + 1);
  } else {
    tvmffi_mutex_unlock(&writers);
  }
}

/*
 * Waits for all reads that have begun. A read takes a few instructions; false if the system does
 * not let one of them go on for long, and then what was taken out is leaked.
 */
static bool wait_for_readers(void) {
  enum { kPatience = 1000000 };
  const tvmffi_thread_record *record = tvmffi_thread_record_first();
  int waited = 0;
  for (; record != NULL; record = record->next) {
    uint32_t number = tvmffi_atomic_load_seq_cst(&record->num_reads);
    while (number % 2 != 0 && tvmffi_atomic_load_acquire(&record->num_reads) == number) {
      if (++waited > kPatience) return false;
      tvmffi_thread_yield();
    }
  }
  return true;
}

/* Releases a function that was taken out of a record. Call without the lock. */
static void release_replaced(TVMFFIObject *function) {
  if (function != NULL && wait_for_readers()) tvmffi_object_release(function);
}

static bool is_key_present(const tvmffi_table_key *key) {
  return is_present((const global_record *)(const void *)key);
}

/*
 * Frees the records of absent names when these are the majority, so that the time for it, spread
 * over the removals, is constant. Under the writers' lock.
 */
static void drop_absent(void) {
  global_record *record;
  if (absent.num_names <= present.num_names || tvmffi_table_keep(&globals, is_key_present) != 0) {
    return;
  }
  while ((record = unlink_first(&absent)) != NULL) link_global(&dropped_globals, record);
  if (!wait_for_readers()) return;
  while ((record = unlink_first(&dropped_globals)) != NULL) free_global(record);
  tvmffi_table_free_replaced(&globals);
}

/*
 * Makes the Function object of a built-in, or takes what another thread put in its place meanwhile.
 * The record is one of those that are never freed.
 */
static int make_builtin_function(global_record *record, const tvmffi_builtin_body *body,
                                 TVMFFIObject **out) {
  tvmffi_builtin builtin;
  TVMFFIObject *made, *function;
  (void)tvmffi_builtin_read(record->key.data, &builtin);
  builtin.body = *body;
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
  const tvmffi_builtin_body *body = NULL;
  tvmffi_thread_record *self;
  global_record *record;
  TVMFFIObject *function = NULL;
  TVMFFI_TRY(ensure_ready());
  self = begin_read();
  record = find_record(name, size);
  if (record != NULL) {
    function = tvmffi_atomic_load_seq_cst_ptr(&record->function);
    if (TVMFFI_UNLIKELY(function == NULL)) {
      body = tvmffi_atomic_load_acquire_ptr(&record->builtin);
      /* Writers set the function before they remove the built-in. */
      if (body == NULL) function = tvmffi_atomic_load_seq_cst_ptr(&record->function);
    }
    tvmffi_object_retain(function);
  }
  end_read(self);
  if (TVMFFI_UNLIKELY(body != NULL)) return make_builtin_function(record, body, out);
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
  record = ensure_global(name->data, name->size);
  if (record == NULL) {
    outcome = kSetNoMemory;
  } else if (is_present(record) && !allow_override) {
    outcome = kSetTaken;
  } else {
    unlink_global(is_present(record) ? &present : &absent, record);
    link_global(&present, record); /* an overridden name moves to the end */
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

/* Whether a name is one of the built-ins', whose text is in their block. */
static bool is_builtin_name(const TVMFFIByteArray *name) {
  const global_record *record;
  bool result;
  tvmffi_mutex_lock(&writers);
  record = find_record(name->data, name->size);
  result = record != NULL && record->key.data != (const char *)(record + 1);
  tvmffi_mutex_unlock(&writers);
  return result;
}

/* Another copy of the runtime that registers what this one has built in is told that it is done. */
static int refuse_taken(const TVMFFIByteArray *name, const void *caller, const char *hint) {
  if (is_builtin_name(name) && tvmffi_dl_has_other_copy(caller)) return 0;
  return tvmffi_fail("RuntimeError", "Global Function `%.*s` is already registered%s",
                     tvmffi_shown_size(name->size), name->data, hint);
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
      return refuse_taken(name, TVMFFI_CALLER, "");
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
  return refuse_taken(&method_info->name, TVMFFI_CALLER,
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
    unlink_global(&present, record);
    link_global(&absent, record);
    tvmffi_atomic_store_release_ptr(&record->builtin, (const tvmffi_builtin_body *)NULL);
    old_function = tvmffi_atomic_exchange_seq_cst_ptr(&record->function, (TVMFFIObject *)NULL);
    old_metadata = record->metadata;
    record->metadata = NULL;
    drop_absent();
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
  const names_object *names = handle;
  int64_t i;
  TVMFFI_TRY(tvmffi_builtin_check_int(args, num_args));
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
    count = present.num_names;
    text_bytes = present.num_bytes;
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
    if (present.num_names <= count && present.num_bytes <= text_bytes) {
      const global_record *record;
      char *text = (char *)&names->names[count];
      names->count = 0;
      for (record = present.ends.next; record != &present.ends; record = record->next) {
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
    return tvmffi_fail("RuntimeError", "Global Function is not found: %.*s",
                       tvmffi_shown_size(size), name);
  }
  if (metadata != NULL) { /* copied, since short text is a small value */
    const TVMFFIByteArray *text = TVMFFIBytesGetByteArrayPtr(metadata);
    int rc = tvmffi_string_to_any(text->data, text->size, out);
    tvmffi_object_release(metadata);
    return rc;
  }
  if (body != NULL) {
    tvmffi_builtin builtin;
    (void)tvmffi_builtin_read(record->key.data, &builtin);
    return tvmffi_builtin_metadata(&builtin, out);
  }
  return tvmffi_string_to_any("", 0, out);
}

bool tvmffi_global_needs_range(const tvmffi_dl_range *range, tvmffi_dl_reason *out) {
  const global_record *record;
  bool found = false;
  tvmffi_mutex_lock(&writers);
  for (record = present.ends.next; record != &present.ends && !found; record = record->next) {
    TVMFFIAny function = tvmffi_any_object(record->function);
    found = tvmffi_function_needs_range(&function, range);
    if (found) out->set(out, "global function `%s` needs it", record->key.data);
  }
  tvmffi_mutex_unlock(&writers);
  return found;
}

void tvmffi_global_shutdown(void) {
  global_record *record;
  while ((record = unlink_first(&present)) != NULL) {
    TVMFFIObject *function = record->function;
    record->function = NULL;
    record->builtin = NULL;
    tvmffi_object_release(record->metadata);
    record->metadata = NULL;
    link_global(&absent, record);
    tvmffi_object_release(function);
  }
  while ((record = unlink_first(&absent)) != NULL) free_global(record);
  while ((record = unlink_first(&dropped_globals)) != NULL) free_global(record);
  tvmffi_table_fini(&globals);
  tvmffi_atomic_store_release_int(&is_ready, 0);
}

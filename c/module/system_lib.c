/* SPDX-License-Identifier: Apache-2.0 */
/* The system library: kernels linked into the program, registered by their own initialisers. */
#include <stdint.h>
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"
#include "core/error.h"
#include "core/object.h"
#include "module/library.h"
#include "platform/atomic.h"
#include "platform/platform.h"

typedef struct {
  tvmffi_table_key key; /* the symbol's name */
  void *address;
} symbol_record;

typedef struct {
  tvmffi_table_key key; /* the prefix */
  TVMFFIObject *module; /* owned; guarded by the mutex */
} prefix_record;

/* Serialises writers; symbols are read without it. */
static tvmffi_mutex system_mutex = TVMFFI_MUTEX_INIT;
static tvmffi_table symbols, prefixes;

/* The record for a name in one of the tables, made if missing. Call it under the mutex. */
static tvmffi_table_key *ensure_system_record(tvmffi_table *table, size_t size, const char *name,
                                              size_t name_size) {
  uint64_t hash = tvmffi_hash_bytes(name, name_size);
  tvmffi_table_key *record = tvmffi_table_find_hashed(table, name, name_size, hash);
  if (record != NULL) return record;
  if (tvmffi_table_reserve(table, 1) != 0) return NULL;
  record = tvmffi_table_new_record(size, name, name_size, hash, tvmffi_alloc_until_shutdown);
  if (record != NULL) (void)tvmffi_table_insert(table, record);
  return record;
}

int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol) {
  symbol_record *record;
  void *old = NULL;
  TVMFFI_REQUIRE(name);
  TVMFFI_REQUIRE(symbol);
  tvmffi_mutex_lock(&system_mutex);
  record = (symbol_record *)ensure_system_record(&symbols, sizeof *record, name, strlen(name));
  if (record != NULL) {
    old = record->address;
    tvmffi_atomic_store_release_ptr(&record->address, symbol);
  }
  tvmffi_mutex_unlock(&system_mutex);
  if (record == NULL) return tvmffi_fail_memory();
  if (old != NULL && old != symbol) {
    tvmffi_log_warning("SystemLib symbol %s is overridden with a different address: %p, was %p",
                       name, symbol, old);
  }
  return 0;
}

void *tvmffi_system_lib_find(const char *name, size_t size) {
  const symbol_record *record = (const symbol_record *)tvmffi_table_find(&symbols, name, size);
  return record == NULL ? NULL : tvmffi_atomic_load_acquire_ptr(&record->address);
}

static void *find_system_symbol(const tvmffi_library *library, const char *name, size_t size) {
  (void)library;
  return tvmffi_system_lib_find(name, size);
}

static size_t get_unknown_size(const char *name, const void *address) {
  (void)name;
  (void)address;
  return SIZE_MAX;
}

static void close_nothing(tvmffi_library *library) {
  (void)library;
}

static const tvmffi_library_source kSystem = {find_system_symbol, tvmffi_library_look_up_kernel,
                                              get_unknown_size, close_nothing};

int tvmffi_library_new_system(const TVMFFIByteArray *prefix, tvmffi_library **out) {
  return tvmffi_library_new(&kSystem, NULL, prefix, out);
}

static int new_module(const TVMFFIByteArray *prefix, TVMFFIObject **out) {
  tvmffi_library *library;
  int rc;
  TVMFFI_TRY(tvmffi_library_new_system(prefix, &library));
  rc = tvmffi_library_load(library, out);
  tvmffi_object_release(library);
  return rc;
}

/*
 * Modules are made without the lock, because foreign code loads the embedded ones. If two threads
 * make one, the first one stored is used.
 */
int tvmffi_system_lib_get(const TVMFFIByteArray *prefix, TVMFFIObject **out) {
  prefix_record *record;
  TVMFFIObject *made = NULL, *module = NULL;
  tvmffi_mutex_lock(&system_mutex);
  record = (prefix_record *)tvmffi_table_find(&prefixes, prefix->data, prefix->size);
  if (record != NULL) module = record->module;
  tvmffi_object_retain(module);
  tvmffi_mutex_unlock(&system_mutex);
  if (module == NULL) {
    TVMFFI_TRY(new_module(prefix, &made));
    tvmffi_mutex_lock(&system_mutex);
    record = (prefix_record *)ensure_system_record(&prefixes, sizeof *record, prefix->data,
                                                   prefix->size);
    if (record != NULL) {
      if (record->module == NULL) {
        record->module = made;
        made = NULL;
      }
      module = record->module;
      tvmffi_object_retain(module);
    }
    tvmffi_mutex_unlock(&system_mutex);
    tvmffi_object_release(made);
    if (record == NULL) return tvmffi_fail_memory();
  }
  *out = module;
  return 0;
}

/* Empties the tables first: releasing the modules may run code that asks for system libraries. */
void tvmffi_system_lib_shutdown(void) {
  static const tvmffi_table empty = {NULL, 0};
  tvmffi_table taken = prefixes;
  size_t i;
  prefixes = empty;
  tvmffi_table_fini(&symbols);
  for (i = 0; taken.current != NULL && i <= taken.current->mask; ++i) {
    prefix_record *record = (prefix_record *)taken.current->slots[i].record;
    if (record != NULL) tvmffi_object_release(record->module);
  }
  tvmffi_table_fini(&taken);
}

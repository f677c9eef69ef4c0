/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers registered by compiler runtimes, to be stored in symbols of the libraries loaded later.
 */
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"
#include "core/error.h"
#include "module/library.h"
#include "platform/atomic.h"
#include "platform/platform.h"

/* One for each name. The list grows at its end under the mutex and is read without a lock. */
typedef struct context_symbol {
  tvmffi_table_key key;
  struct context_symbol *next;
  void *value; /* the last one that was registered */
  char name[];
} context_symbol;

static tvmffi_mutex mutex = TVMFFI_MUTEX_INIT;
static context_symbol *first, *last;
static tvmffi_table names; /* the same symbols; used under the mutex */

/* Call it under the mutex. -1 without memory. */
static int add_symbol(const char *name, size_t size, uint64_t hash, void *value) {
  context_symbol *added;
  if (tvmffi_table_reserve(&names, 1) != 0) return -1;
  added = tvmffi_alloc_until_shutdown(sizeof *added + size + 1);
  if (added == NULL) return -1;
  memcpy(added->name, name, size + 1);
  added->key.data = added->name;
  added->key.size = size;
  added->key.hash = hash;
  added->next = NULL;
  added->value = value;
  (void)tvmffi_table_insert(&names, &added->key);
  if (last != NULL) {
    tvmffi_atomic_store_release_ptr(&last->next, added);
  } else {
    tvmffi_atomic_store_release_ptr(&first, added);
  }
  last = added;
  return 0;
}

int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol) {
  context_symbol *known;
  size_t size;
  uint64_t hash;
  int rc = 0;
  TVMFFI_REQUIRE(name);
  size = strlen(name);
  hash = tvmffi_hash_bytes(name, size);
  tvmffi_mutex_lock(&mutex);
  known = (context_symbol *)(void *)tvmffi_table_find_hashed(&names, name, size, hash);
  if (known != NULL) {
    tvmffi_atomic_store_release_ptr(&known->value, symbol);
  } else {
    rc = add_symbol(name, size, hash, symbol);
  }
  tvmffi_mutex_unlock(&mutex);
  return rc == 0 ? 0 : tvmffi_fail_memory();
}

int TVMFFIRuntimeContextSymbolVisit(TVMFFIRuntimeContextSymbolVisitor visitor, void *context) {
  const context_symbol *symbol;
  TVMFFI_REQUIRE(visitor);
  symbol = tvmffi_atomic_load_acquire_ptr(&first);
  for (; symbol != NULL; symbol = tvmffi_atomic_load_acquire_ptr(&symbol->next)) {
    TVMFFI_TRY(visitor(context, symbol->name, tvmffi_atomic_load_acquire_ptr(&symbol->value)));
  }
  return 0;
}

int tvmffi_context_symbol_apply(const tvmffi_library *library) {
  const context_symbol *symbol = tvmffi_atomic_load_acquire_ptr(&first);
  for (; symbol != NULL; symbol = tvmffi_atomic_load_acquire_ptr(&symbol->next)) {
    void *place;
    TVMFFI_TRY(tvmffi_library_find(library, symbol->name, &place));
    if (place != NULL) {
      void *value = tvmffi_atomic_load_acquire_ptr(&symbol->value);
      tvmffi_atomic_store_relaxed_ptr((void **)place, value);
    }
  }
  return 0;
}

void tvmffi_context_symbol_shutdown(void) {
  first = NULL;
  last = NULL;
  tvmffi_table_fini(&names);
}

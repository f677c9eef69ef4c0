/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers registered by compiler runtimes, to be stored in symbols of the libraries loaded later.
 */
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "core/error.h"
#include "module/library.h"
#include "platform/atomic.h"
#include "platform/thread.h"

/* A list that grows at its end under the mutex and is read without a lock. */
typedef struct context_symbol {
  struct context_symbol *next;
  void *value;
  char name[];
} context_symbol;

static tvmffi_mutex mutex = TVMFFI_MUTEX_INIT;
static context_symbol *first, *last;

int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol) {
  context_symbol *added;
  size_t bytes;
  TVMFFI_REQUIRE(name);
  bytes = strlen(name) + 1;
  added = tvmffi_alloc_until_shutdown(sizeof *added + bytes);
  if (added == NULL) return tvmffi_fail_memory();
  added->next = NULL;
  added->value = symbol;
  memcpy(added->name, name, bytes);
  tvmffi_mutex_lock(&mutex);
  if (last != NULL) {
    tvmffi_atomic_store_release_ptr(&last->next, added);
  } else {
    tvmffi_atomic_store_release_ptr(&first, added);
  }
  last = added;
  tvmffi_mutex_unlock(&mutex);
  return 0;
}

int TVMFFIRuntimeContextSymbolVisit(TVMFFIRuntimeContextSymbolVisitor visitor, void *context) {
  const context_symbol *symbol;
  TVMFFI_REQUIRE(visitor);
  symbol = tvmffi_atomic_load_acquire_ptr(&first);
  for (; symbol != NULL; symbol = tvmffi_atomic_load_acquire_ptr(&symbol->next)) {
    TVMFFI_TRY(visitor(context, symbol->name, symbol->value));
  }
  return 0;
}

int tvmffi_context_symbol_apply(const tvmffi_library *library) {
  const context_symbol *symbol = tvmffi_atomic_load_acquire_ptr(&first);
  for (; symbol != NULL; symbol = tvmffi_atomic_load_acquire_ptr(&symbol->next)) {
    void *place;
    TVMFFI_TRY(tvmffi_library_find(library, symbol->name, &place));
    if (place != NULL) tvmffi_atomic_store_relaxed_ptr((void **)place, symbol->value);
  }
  return 0;
}

void tvmffi_context_symbol_shutdown(void) {
  first = NULL;
  last = NULL;
}

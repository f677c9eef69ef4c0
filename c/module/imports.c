/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/stack.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/global.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/imports.h"
#include "module/module.h"
#include "platform/platform.h"

/* ---- Sets of modules ---- */

enum { kFirstSetCapacity = 8 };

static size_t hash_of(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  uint64_t mixed = (uint64_t)(uintptr_t)obj * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(mixed >> 32) & (2 * set->capacity - 1);
}

/* The slot of an object, or the free slot where it belongs. */
static size_t find_set_slot(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  size_t i = hash_of(set, obj);
  while (set->slots[i] != 0 && set->items[set->slots[i] - 1] != obj) {
    i = (i + 1) & (2 * set->capacity - 1);
  }
  return i;
}

bool tvmffi_module_set_has(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  return set->capacity != 0 && set->slots[find_set_slot(set, obj)] != 0;
}

size_t tvmffi_module_set_find(const tvmffi_module_set *set, const TVMFFIObject *obj) {
  return set->slots[find_set_slot(set, obj)] - 1;
}

/* Items and slots share one block. */
static int grow_set(tvmffi_module_set *set) {
  tvmffi_module_set grown;
  size_t i;
  grown.size = set->size;
  grown.capacity = kFirstSetCapacity;
  if (set->capacity != 0 && !tvmffi_checked_mul_size(set->capacity, 2, &grown.capacity)) return -1;
  grown.items = tvmffi_alloc_zeroed(grown.capacity, sizeof *grown.items + 2 * sizeof *grown.slots);
  if (grown.items == NULL) return -1;
  grown.slots = (size_t *)(void *)(grown.items + grown.capacity);
  for (i = 0; i < set->size; ++i) {
    grown.items[i] = set->items[i];
    grown.slots[find_set_slot(&grown, set->items[i])] = i + 1;
  }
  tvmffi_free(set->items);
  *set = grown;
  return 0;
}

int tvmffi_module_set_add(tvmffi_module_set *set, TVMFFIObject *obj) {
  if (tvmffi_module_set_has(set, obj)) return 0;
  if (set->size == set->capacity && grow_set(set) != 0) return -1;
  set->items[set->size] = obj;
  set->slots[find_set_slot(set, obj)] = ++set->size;
  return 1;
}

bool tvmffi_module_set_remove(tvmffi_module_set *set, const TVMFFIObject *obj) {
  size_t mask = 2 * set->capacity - 1, hole, i, number;
  if (!tvmffi_module_set_has(set, obj)) return false;
  hole = find_set_slot(set, obj);
  number = set->slots[hole];
  set->slots[hole] = 0;
  /* Backward-shift deletion: an entry whose probe sequence passes the hole moves into it. */
  for (i = (hole + 1) & mask; set->slots[i] != 0; i = (i + 1) & mask) {
    size_t wanted = hash_of(set, set->items[set->slots[i] - 1]);
    if (((i - wanted) & mask) >= ((i - hole) & mask)) {
      set->slots[hole] = set->slots[i];
      set->slots[i] = 0;
      hole = i;
    }
  }
  if (number != set->size) {
    TVMFFIObject *moved = set->items[set->size - 1];
    set->slots[find_set_slot(set, moved)] = number;
    set->items[number - 1] = moved;
  }
  --set->size;
  return true;
}

void tvmffi_module_set_fini(tvmffi_module_set *set) {
  static const tvmffi_module_set empty = TVMFFI_MODULE_SET_INIT;
  tvmffi_free(set->items);
  *set = empty;
}

/* ---- Imports ---- */

/*
 * The imports of modules. One lock guards the imports and the lookup caches of all modules. While
 * it is held, no method is called, no object released and no error raised; lookups therefore
 * collect the modules of an import tree first.
 */

static tvmffi_mutex imports_mutex = TVMFFI_MUTEX_INIT;

/* ---- Walking ---- */

/* A module whose imports are being visited; next is the index of the next import to visit. */
typedef struct {
  TVMFFIObject *imports;
  int64_t next;
} import_visit;

static int enter_import(tvmffi_stack *visits, TVMFFIObject *module) {
  TVMFFIObject *imports = ((tvmffi_module *)(void *)module)->imports;
  import_visit *top;
  if (imports == NULL || tvmffi_array_size(imports) == 0) return 0;
  top = tvmffi_stack_push(visits);
  if (top == NULL) return -1;
  top->imports = imports;
  return 0;
}

/*
 * Adds the transitive imports of root to found. Call it under the lock; -1 without memory, with no
 * error raised.
 */
static int collect_imports(TVMFFIObject *root, tvmffi_module_set *found) {
  tvmffi_stack visits;
  import_visit *last;
  int rc;
  tvmffi_stack_init(&visits, sizeof(import_visit));
  rc = enter_import(&visits, root);
  while (rc == 0 && (last = tvmffi_stack_top(&visits)) != NULL) {
    const TVMFFIAny *import;
    if (last->next == tvmffi_array_size(last->imports)) {
      tvmffi_stack_pop(&visits);
      continue;
    }
    import = &tvmffi_array_items(last->imports)[last->next++];
    if (import->type_index != kTVMFFIModule) continue;
    rc = tvmffi_module_set_add(found, import->v_obj);
    if (rc > 0) rc = enter_import(&visits, import->v_obj);
  }
  tvmffi_stack_fini(&visits);
  return rc;
}

int tvmffi_imports_collect(TVMFFIObject *self, tvmffi_module_set *out) {
  tvmffi_module_set found = TVMFFI_MODULE_SET_INIT;
  size_t i;
  int rc;
  tvmffi_mutex_lock(&imports_mutex);
  rc = collect_imports(self, &found);
  for (i = 0; rc == 0 && i < found.size; ++i) tvmffi_object_retain(found.items[i]);
  tvmffi_mutex_unlock(&imports_mutex);
  if (rc != 0) {
    tvmffi_module_set_fini(&found);
    return tvmffi_fail_memory();
  }
  *out = found;
  return 0;
}

void tvmffi_imports_release(tvmffi_module_set *collected) {
  size_t i;
  for (i = 0; i < collected->size; ++i) tvmffi_object_release(collected->items[i]);
  tvmffi_module_set_fini(collected);
}

TVMFFIObject *tvmffi_imports_get(TVMFFIObject *self) {
  TVMFFIObject *imports;
  tvmffi_mutex_lock(&imports_mutex);
  imports = ((tvmffi_module *)(void *)self)->imports;
  tvmffi_object_retain(imports);
  tvmffi_mutex_unlock(&imports_mutex);
  return imports;
}

/* ---- Changing ---- */

/* The check and the change happen under one lock, so two threads cannot close a cycle together. */
int tvmffi_imports_add(TVMFFIObject *self, TVMFFIObject *imported) {
  tvmffi_module_set reachable = TVMFFI_MODULE_SET_INIT;
  TVMFFIObject **imports = &((tvmffi_module *)(void *)self)->imports;
  TVMFFIAny value = tvmffi_any_object(imported);
  bool is_cyclic = false;
  int rc;
  tvmffi_object_retain(imported);
  tvmffi_mutex_lock(&imports_mutex);
  rc = collect_imports(imported, &reachable);
  if (rc == 0) {
    is_cyclic = imported == self || tvmffi_module_set_has(&reachable, self);
    if (!is_cyclic) rc = tvmffi_array_append(imports, &value);
  }
  tvmffi_mutex_unlock(&imports_mutex);
  tvmffi_module_set_fini(&reachable);
  if (rc == 0 && !is_cyclic) return 0;
  tvmffi_object_release(imported);
  if (rc != 0) return tvmffi_fail_memory();
  return tvmffi_fail("RuntimeError", "Cyclic dependency detected during import");
}

void tvmffi_imports_replace(TVMFFIObject *self, TVMFFIObject *imports) {
  TVMFFIObject **place = &((tvmffi_module *)(void *)self)->imports, *old;
  tvmffi_mutex_lock(&imports_mutex);
  old = *place;
  *place = imports;
  tvmffi_mutex_unlock(&imports_mutex);
  tvmffi_object_release(old);
}

int tvmffi_imports_clear(TVMFFIObject *self) {
  TVMFFIObject *empty = tvmffi_array_new(0);
  if (empty == NULL) return tvmffi_fail_memory();
  tvmffi_imports_replace(self, empty);
  return 0;
}

/* ---- Lookups by the code of a library ---- */

static TVMFFIObject *find_cached(tvmffi_module *module, const TVMFFIByteArray *name) {
  const TVMFFIAny *cached = NULL;
  if (module->lookup_cache != NULL) { /* C++ code may have made none */
    cached = tvmffi_map_find_text(module->lookup_cache, name->data, name->size);
  }
  return cached == NULL ? NULL : cached->v_obj;
}

/*
 * Finds a function in the imports of a module or among the global functions; None if there is none.
 */
static int look_up_import(tvmffi_module *module, const TVMFFIByteArray *name, TVMFFIAny *out) {
  TVMFFIAny text = tvmffi_any_raw_str(name->data), found = tvmffi_any_none();
  tvmffi_module_set imports;
  TVMFFIObject *global = NULL;
  size_t i;
  int rc = 0;
  TVMFFI_TRY(tvmffi_imports_collect(&module->header, &imports));
  for (i = 0; i < imports.size && rc == 0 && found.type_index == kTVMFFINone; ++i) {
    rc = tvmffi_module_call(imports.items[i], kTvmffiModuleGetFunction, &text, &found);
  }
  tvmffi_imports_release(&imports);
  if (rc != 0) return rc;
  if (found.type_index == kTVMFFINone) {
    TVMFFI_TRY(tvmffi_global_get(name->data, name->size, &global));
    found = tvmffi_any_object(global);
  }
  *out = found;
  return 0;
}

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char *func_name,
                                  TVMFFIObjectHandle *out) {
  TVMFFIAny key = tvmffi_any_none(), found;
  TVMFFIObject *obj, *cached;
  tvmffi_module *module;
  TVMFFIByteArray name;
  int rc = 0;
  TVMFFI_REQUIRE(library_ctx);
  TVMFFI_REQUIRE(func_name);
  TVMFFI_REQUIRE(out);
  obj = tvmffi_module_from_cxx(library_ctx);
  if (obj->type_index != kTVMFFIModule) {
    return tvmffi_fail("RuntimeError",
                       "%s: `library_ctx` is not what the loader stored in "
                       "__tvm_ffi__library_ctx",
                       __func__);
  }
  module = (tvmffi_module *)(void *)obj;
  name.data = func_name;
  name.size = strlen(func_name);
  tvmffi_mutex_lock(&imports_mutex);
  cached = find_cached(module, &name);
  tvmffi_mutex_unlock(&imports_mutex);
  if (cached == NULL) {
    TVMFFI_TRY(look_up_import(module, &name, &found));
    if (found.type_index == kTVMFFINone) {
      return tvmffi_fail("RuntimeError",
                         "Cannot find function %s in the imported modules or global registry.",
                         func_name);
    }
    if (tvmffi_string_to_any(name.data, name.size, &key) != 0) {
      tvmffi_any_release(&found);
      return -1;
    }
    tvmffi_mutex_lock(&imports_mutex);
    cached = find_cached(module, &name); /* another thread may have added it meanwhile */
    if (cached == NULL) {
      if (module->lookup_cache == NULL) module->lookup_cache = tvmffi_map_new();
      rc = module->lookup_cache == NULL ? -1
                                        : tvmffi_map_insert(&module->lookup_cache, &key, &found);
      if (rc == 0) {
        cached = found.v_obj;
        key = found = tvmffi_any_none();
      }
    }
    tvmffi_mutex_unlock(&imports_mutex);
    tvmffi_any_release(&key);
    tvmffi_any_release(&found);
    if (rc != 0) return tvmffi_fail_memory();
  }
  *out = cached;
  return 0;
}

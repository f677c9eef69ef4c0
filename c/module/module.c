/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module.h"

#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "module/library.h"
#include "platform/thread.h"

/*
 * Backwards, for the waiting list is a stack: the cache and the imports are gone, with all below
 * them, before the kind's own part is, which may be the library whose code they run.
 */
static void destroy_module(void *self) {
  tvmffi_module *module = self;
  if (module->vtable->destroy != NULL) module->vtable->destroy(module->self);
  tvmffi_object_release_nested(module->imports);
  tvmffi_object_release_nested(module->lookup_cache);
}

static void delete_module(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_module, destroy_module, TVMFFI_MODULE_PREFIX);
}

void *tvmffi_module_new(size_t size, const TVMFFIRuntimeModuleVTable *vtable) {
  tvmffi_module *module =
      tvmffi_object_alloc(size, TVMFFI_MODULE_PREFIX, kTVMFFIModule, delete_module);
  if (module == NULL) goto fail;
  ((struct tvmffi_module_front *)tvmffi_module_to_cxx(&module->header))->cxx_vtable =
      tvmffi_cxx_vtable();
  module->vtable = vtable;
  module->self = NULL;
  module->imports = tvmffi_array_new(0);
  module->lookup_cache = tvmffi_map_new();
  if (module->imports != NULL && module->lookup_cache != NULL) return module;
fail:
  if (module != NULL) {
    tvmffi_object_release(module->imports);
    tvmffi_object_release(module->lookup_cache);
    tvmffi_object_free(module, TVMFFI_MODULE_PREFIX);
  }
  tvmffi_error_raise_memory();
  return NULL;
}

/* By the table and not by the deleter, in front of which a client may put another. */
bool tvmffi_module_is_own(const TVMFFIObject *module) {
  const char *front = (const char *)module - TVMFFI_MODULE_PREFIX;
  return ((const struct tvmffi_module_front *)(const void *)front)->cxx_vtable ==
         tvmffi_cxx_vtable();
}

static tvmffi_mutex pinned_mutex = TVMFFI_MUTEX_INIT;
static tvmffi_module_set pinned = TVMFFI_MODULE_SET_INIT;

int tvmffi_module_pin(TVMFFIObject *module) {
  int added;
  tvmffi_mutex_lock(&pinned_mutex);
  added = tvmffi_module_set_add(&pinned, module);
  if (added > 0) tvmffi_object_retain(module);
  tvmffi_mutex_unlock(&pinned_mutex);
  return added < 0 ? tvmffi_fail_memory() : 0;
}

void tvmffi_module_unpin(TVMFFIObject *module) {
  bool removed;
  tvmffi_mutex_lock(&pinned_mutex);
  removed = tvmffi_module_set_remove(&pinned, module);
  tvmffi_mutex_unlock(&pinned_mutex);
  if (removed) tvmffi_object_release(module);
}

void tvmffi_module_shutdown(void) {
  while (pinned.size != 0) tvmffi_module_unpin(pinned.items[pinned.size - 1]);
  tvmffi_module_set_fini(&pinned);
  tvmffi_system_lib_shutdown();
  tvmffi_context_symbol_shutdown();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module.h"

#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

/*
 * Releases in reverse order, because the list of objects that wait for destruction is a stack: the
 * lookup cache and the imports, with everything below them, are destroyed before the kind's own
 * part, which may be the library whose code they run.
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

/*
 * Checks the virtual table, not the deleter, because a client may replace the deleter by its own.
 */
bool tvmffi_module_is_own(const TVMFFIObject *module) {
  const char *front = (const char *)module - TVMFFI_MODULE_PREFIX;
  return ((const struct tvmffi_module_front *)(const void *)front)->cxx_vtable ==
         tvmffi_cxx_vtable();
}

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
  if (module->type->destroy != NULL) module->type->destroy(module);
  tvmffi_object_release_nested(module->imports);
  tvmffi_object_release_nested(module->lookup_cache);
}

static void delete_module(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_module, destroy_module, TVMFFI_MODULE_PREFIX);
}

void *tvmffi_module_new(size_t size, const tvmffi_module_class *type) {
  tvmffi_module *module =
      tvmffi_object_alloc(size, TVMFFI_MODULE_PREFIX, kTVMFFIModule, delete_module);
  if (module == NULL) goto fail;
  ((struct tvmffi_module_front *)tvmffi_module_context(module))->virtual_table = NULL;
  module->type = type;
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

int tvmffi_module_from_object(TVMFFIObject *obj, tvmffi_module **out) {
  if (obj->deleter != delete_module) {
    return tvmffi_fail("RuntimeError",
                       "This ffi.Module was not made by this library: its methods are C++ code, "
                       "which cannot be called");
  }
  *out = (tvmffi_module *)(void *)obj;
  return 0;
}

static int ask_for_function(tvmffi_module *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  TVMFFIObject *function = NULL;
  TVMFFI_TRY(self->type->get_function(self, name, &function));
  *out = tvmffi_any_object(function);
  return 0;
}

int tvmffi_module_ask(TVMFFIObject *module, tvmffi_module_question question,
                      const TVMFFIByteArray *name, TVMFFIAny *out) {
  tvmffi_module *self;
  bool implements;
  TVMFFI_TRY(tvmffi_module_from_object(module, &self));
  *out = tvmffi_any_none();
  switch (question) {
    case kTvmffiModuleFunction:
      return ask_for_function(self, name, out);
    case kTvmffiModuleImplements:
      if (self->type->implements_function != NULL) {
        TVMFFI_TRY(self->type->implements_function(self, name, &implements));
      } else {
        TVMFFI_TRY(ask_for_function(self, name, out));
        implements = out->type_index != kTVMFFINone;
        tvmffi_any_release(out);
      }
      if (implements) *out = tvmffi_any_bool(1);
      return 0;
    case kTvmffiModuleMetadata:
      return self->type->get_metadata == NULL ? 0 : self->type->get_metadata(self, name, out);
    default:
      return self->type->get_doc == NULL ? 0 : self->type->get_doc(self, name, out);
  }
}

int tvmffi_module_query(TVMFFIObject *module, tvmffi_module_question question,
                        const TVMFFIByteArray *name, bool query_imports, TVMFFIAny *out) {
  tvmffi_module_set imports = TVMFFI_MODULE_SET_INIT;
  TVMFFIAny answer;
  size_t i;
  int rc;
  TVMFFI_TRY(tvmffi_module_ask(module, question, name, &answer));
  if (answer.type_index == kTVMFFINone && query_imports) {
    TVMFFI_TRY(tvmffi_imports_collect((tvmffi_module *)(void *)module, &imports));
    for (i = 0, rc = 0; i < imports.size && rc == 0 && answer.type_index == kTVMFFINone; ++i) {
      rc = tvmffi_module_ask(imports.items[i], question, name, &answer);
    }
    tvmffi_imports_release(&imports);
    if (rc != 0) return rc;
  }
  *out = answer;
  return 0;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Loaders of modules: global functions, found by the format of a file or the kind of a module. */
#include "module/module.h"

#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/buf.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/global.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/type.h"

/* ---- Loaders ---- */

int tvmffi_loader_find(const char *prefix, const TVMFFIByteArray *key, tvmffi_buf *name,
                       TVMFFIObject **out) {
  tvmffi_buf_append_text(name, prefix);
  tvmffi_buf_append(name, key->data, key->size);
  if (name->failed) return tvmffi_fail_memory();
  return tvmffi_global_get(name->data, name->size, out);
}

int tvmffi_loader_call(TVMFFIObject *loader, const TVMFFIAny *args, int32_t num_args,
                       TVMFFIObject **out) {
  TVMFFIAny result;
  TVMFFI_TRY(tvmffi_function_call_foreign(loader, args, num_args, &result));
  if (result.type_index != kTVMFFIModule || result.v_obj == NULL) {
    return tvmffi_any_refuse(&result, "ffi.Module");
  }
  *out = result.v_obj;
  return 0;
}

/* ---- Module objects ---- */

/*
 * Releases in reverse order, because the list of objects that wait for destruction is a stack: the
 * lookup cache and the imports, with everything below them, are destroyed before the kind's own
 * part, which may be the library whose code they run.
 */
static void destroy_module(void *self) {
  tvmffi_module *module = self;
  if (module->vtable->destroy != NULL) {
    TVMFFIObject *error = tvmffi_error_put_aside();
    module->vtable->destroy(module->self);
    tvmffi_error_put_back(error);
  }
  tvmffi_object_release_nested(module->imports);
  tvmffi_object_release_nested(module->lookup_cache);
}

TVMFFI_DELETER(delete_module, destroy_module, TVMFFI_MODULE_PREFIX);

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

/* ---- Modules that the host makes in C ---- */

int TVMFFIRuntimeModuleCreate(const TVMFFIRuntimeModuleVTable *vtable, void *self,
                              TVMFFIObjectHandle *out) {
  tvmffi_module *module;
  TVMFFI_REQUIRE(vtable);
  TVMFFI_REQUIRE(out);
  if (vtable->struct_size < sizeof *vtable) {
    return tvmffi_fail("ValueError", "%s: `vtable->struct_size` is %zu, expected at least %zu",
                       __func__, vtable->struct_size, sizeof *vtable);
  }
  TVMFFI_REQUIRE(vtable->kind);
  TVMFFI_REQUIRE(vtable->get_function);
  if (vtable->kind[0] == '\0' || strcmp(vtable->kind, "_lib") == 0) {
    return tvmffi_fail("ValueError", "%s: `vtable->kind` must not be \"%s\"", __func__,
                       vtable->kind);
  }
  module = tvmffi_module_new(sizeof *module, vtable);
  if (module == NULL) return -1;
  module->self = self;
  *out = module;
  return 0;
}

int TVMFFIRuntimeModuleGetSelf(TVMFFIObjectHandle module, const TVMFFIRuntimeModuleVTable *vtable,
                               void **out) {
  const TVMFFIObject *obj = module;
  const tvmffi_module *own_module = module;
  TVMFFI_REQUIRE(module);
  TVMFFI_REQUIRE(vtable);
  TVMFFI_REQUIRE(out);
  if (obj->type_index != kTVMFFIModule || !tvmffi_module_is_own(obj) ||
      own_module->vtable != vtable) {
    return tvmffi_fail("TypeError", "%s: `module` is a `%s` that was not made with this vtable",
                       __func__, tvmffi_type_key(obj->type_index));
  }
  *out = own_module->self;
  return 0;
}

/* ---- Modules with a vtable in C ---- */

static int get_own_function(const tvmffi_module *module, const TVMFFIByteArray *name,
                            TVMFFIAny *result) {
  TVMFFIObjectHandle function = NULL;
  union {
    const tvmffi_module *readonly;
    void *writable;
  } cast;
  cast.readonly = module;
  TVMFFI_TRY(module->vtable->get_function(module->self, cast.writable, name, &function));
  *result = tvmffi_any_object(function);
  return 0;
}

static int implements_own_function(tvmffi_module *module, const TVMFFIAny *name,
                                   const TVMFFIByteArray *text, TVMFFIAny *result) {
  int implements = 0;
  if (module->vtable->implements_function != NULL) {
    TVMFFI_TRY(module->vtable->implements_function(module->self, text, &implements));
  } else {
    TVMFFI_TRY(tvmffi_module_call(&module->header, kTvmffiModuleGetFunction, name, result));
    implements = result->type_index != kTVMFFINone;
    tvmffi_any_release(result);
  }
  *result = tvmffi_any_bool(implements);
  return 0;
}

static int make_write_formats(const char *const *formats, TVMFFIAny *result) {
  TVMFFIObject *array = tvmffi_array_new(0);
  TVMFFIAny text = tvmffi_any_none();
  int rc = array == NULL ? tvmffi_fail_memory() : 0;
  for (; rc == 0 && formats != NULL && *formats != NULL; ++formats) {
    rc = tvmffi_string_to_any(*formats, strlen(*formats), &text);
    if (rc == 0 && tvmffi_array_append(&array, &text) != 0) {
      tvmffi_any_release(&text);
      rc = tvmffi_fail_memory();
    }
  }
  if (rc == 0) {
    *result = tvmffi_any_object(array);
  } else {
    tvmffi_object_release(array);
  }
  return rc;
}

static int refuse_method(const char *kind, const char *method) {
  return tvmffi_fail("RuntimeError", "Module[%s] does not support %s", kind, method);
}

static int call_own(tvmffi_module *module, tvmffi_module_method method, const TVMFFIAny *args,
                    TVMFFIAny *result) {
  const TVMFFIRuntimeModuleVTable *vtable = module->vtable;
  void *self = module->self;
  TVMFFIByteArray text = {"", 0}, format = {"", 0};
  switch (method) {
    case kTvmffiModuleKind:
      return tvmffi_string_to_any(vtable->kind, strlen(vtable->kind), result);
    case kTvmffiModulePropertyMask:
      *result = tvmffi_any_int(vtable->property_mask);
      return 0;
    case kTvmffiModuleGetWriteFormats:
      return make_write_formats(vtable->write_formats, result);
    case kTvmffiModuleSaveToBytes:
      return vtable->save_to_bytes == NULL ? refuse_method(vtable->kind, "SaveToBytes")
                                           : vtable->save_to_bytes(self, result);
    case kTvmffiModuleImport:
      return tvmffi_imports_add(&module->header, args[0].v_obj);
    case kTvmffiModuleClearImports:
      return tvmffi_imports_clear(&module->header);
    default:
      break;
  }
  (void)tvmffi_any_get_text(&args[0], &text);
  switch (method) {
    case kTvmffiModuleGetFunction:
      return get_own_function(module, &text, result);
    case kTvmffiModuleImplementsFunction:
      return implements_own_function(module, args, &text, result);
    case kTvmffiModuleGetDoc:
      return vtable->get_function_doc == NULL ? 0 : vtable->get_function_doc(self, &text, result);
    case kTvmffiModuleGetMetadata:
      return vtable->get_function_metadata == NULL
                 ? 0
                 : vtable->get_function_metadata(self, &text, result);
    case kTvmffiModuleWriteToFile:
      if (vtable->write_to_file == NULL) return refuse_method(vtable->kind, "WriteToFile");
      (void)tvmffi_any_get_text(&args[1], &format);
      return vtable->write_to_file(self, &text, &format);
    default:
      return vtable->inspect_source == NULL ? tvmffi_string_to_any("", 0, result)
                                            : vtable->inspect_source(self, &text, result);
  }
}

/* ---- All modules ---- */

/* Methods are foreign code, so the types of their results are checked. */
static bool is_result_of(tvmffi_module_method method, const TVMFFIAny *result) {
  switch (method) {
    case kTvmffiModulePropertyMask:
      return result->type_index == kTVMFFIInt;
    case kTvmffiModuleGetFunction:
      return result->type_index == kTVMFFINone || result->type_index == kTVMFFIFunction;
    case kTvmffiModuleImplementsFunction:
      return result->type_index == kTVMFFIBool;
    case kTvmffiModuleGetDoc:
    case kTvmffiModuleGetMetadata:
      if (result->type_index == kTVMFFINone) return true; /* else a text */
      return result->type_index == kTVMFFISmallStr || result->type_index == kTVMFFIStr;
    case kTvmffiModuleKind:
    case kTvmffiModuleInspectSource:
      return result->type_index == kTVMFFISmallStr || result->type_index == kTVMFFIStr;
    case kTvmffiModuleGetWriteFormats:
      return result->type_index == kTVMFFIArray;
    case kTvmffiModuleSaveToBytes:
      return result->type_index == kTVMFFISmallBytes || result->type_index == kTVMFFIBytes;
    default:
      return result->type_index == kTVMFFINone;
  }
}

int tvmffi_module_call(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *args,
                       TVMFFIAny *result) {
  int rc;
  *result = tvmffi_any_none();
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  if (tvmffi_module_is_own(module)) {
    rc = tvmffi_function_check_raised(
        call_own((tvmffi_module *)(void *)module, method, args, result));
  } else {
    rc = tvmffi_cxx_call(module, method, args, result);
  }
  if (TVMFFI_UNLIKELY(rc != 0)) {
    *result = tvmffi_any_none();
  } else if (TVMFFI_UNLIKELY(!is_result_of(method, result))) {
    rc = tvmffi_fail("TypeError", "A method of ffi.Module gave a result of type `%s`",
                     tvmffi_any_type_name(result));
    tvmffi_any_release(result);
  }
  return rc;
}

static bool is_found(const TVMFFIAny *result) {
  return result->type_index != kTVMFFINone &&
         (result->type_index != kTVMFFIBool || result->v_int64 != 0);
}

int tvmffi_module_query(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *name,
                        bool query_imports, TVMFFIAny *result) {
  tvmffi_module_set imports;
  size_t i;
  int rc = tvmffi_module_call(module, method, name, result);
  if (rc != 0 || is_found(result) || !query_imports) return rc;
  if (tvmffi_imports_collect(module, &imports) != 0) {
    *result = tvmffi_any_none();
    return -1;
  }
  for (i = 0; i < imports.size && rc == 0 && !is_found(result); ++i) {
    rc = tvmffi_module_call(imports.items[i], method, name, result);
  }
  tvmffi_imports_release(&imports);
  return rc;
}

int TVMFFIRuntimeModuleGetFunction(TVMFFIObjectHandle module, const char *name,
                                   TVMFFIObjectHandle *out) {
  TVMFFIObject *obj = module;
  TVMFFIAny text, result;
  TVMFFI_REQUIRE(module);
  TVMFFI_REQUIRE(name);
  TVMFFI_REQUIRE(out);
  if (obj->type_index != kTVMFFIModule) {
    return tvmffi_fail("TypeError", "%s: expected `module` to be a `ffi.Module`, but got a `%s`",
                       __func__, tvmffi_type_key(obj->type_index));
  }
  text = tvmffi_any_raw_str(name);
  TVMFFI_TRY(tvmffi_module_call(obj, kTvmffiModuleGetFunction, &text, &result));
  if (result.type_index == kTVMFFINone) {
    return tvmffi_fail("AttributeError", "Module has no function `%s`", name);
  }
  *out = result.v_obj;
  return 0;
}

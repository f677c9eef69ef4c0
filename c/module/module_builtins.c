/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module.h"

#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "module/library.h"
#include "platform/platform.h"

/* ---- Pinned modules, which the process keeps alive until shutdown ---- */

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
  tvmffi_library_file_shutdown();
}

/* ---- The functions ffi.Module* ---- */

static int get_system_lib(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray prefix = {"", 0};
  TVMFFIObject *module;
  if (num_args > 0 && !tvmffi_any_get_text(&args[0], &prefix)) {
    return tvmffi_any_fail_conversion(&args[0], "str");
  }
  TVMFFI_TRY(tvmffi_system_lib_get(&prefix, &module));
  *result = tvmffi_any_object(module);
  return 0;
}

/* ---- Methods: the arguments are the module, then those of the method ---- */

static int call(tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_module_call(args[0].v_obj, method, args + 1, result);
}

/* The arguments are the module, the name, and whether to ask the imports as well. */
static int query(tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_module_query(args[0].v_obj, method, &args[1], args[2].v_int64 != 0, result);
}

#define METHOD(name, how, method)                             \
  static int name(const TVMFFIAny *args, TVMFFIAny *result) { \
    return how(method, args, result);                         \
  }

METHOD(module_get_function, query, kTvmffiModuleGetFunction)
METHOD(module_implements_function, query, kTvmffiModuleImplementsFunction)
METHOD(module_get_metadata, query, kTvmffiModuleGetMetadata)
METHOD(module_get_doc, query, kTvmffiModuleGetDoc)
METHOD(module_get_kind, call, kTvmffiModuleKind)
METHOD(module_get_property_mask, call, kTvmffiModulePropertyMask)
METHOD(module_inspect_source, call, kTvmffiModuleInspectSource)
METHOD(module_get_write_formats, call, kTvmffiModuleGetWriteFormats)
METHOD(module_write_to_file, call, kTvmffiModuleWriteToFile)
METHOD(module_import, call, kTvmffiModuleImport)
METHOD(module_clear_imports, call, kTvmffiModuleClearImports)

/* ---- Pinned modules ---- */

static int module_add_global(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  return tvmffi_module_pin(args[0].v_obj);
}

static int module_remove_global(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  tvmffi_module_unpin(args[0].v_obj);
  return 0;
}

#define FUNCTIONS(F)                                                     \
  F("ffi.ModuleClearImports", "M>v", module_clear_imports)               \
  F("ffi.ModuleGetFunction", "Msb>?F", module_get_function)              \
  F("ffi.ModuleGetFunctionDoc", "Msb>?s", module_get_doc)                \
  F("ffi.ModuleGetFunctionMetadata", "Msb>?s", module_get_metadata)      \
  F("ffi.ModuleGetKind", "M>s", module_get_kind)                         \
  F("ffi.ModuleGetPropertyMask", "M>i", module_get_property_mask)        \
  F("ffi.ModuleGetWriteFormats", "M>@s", module_get_write_formats)       \
  F("ffi.ModuleGlobalsAdd", "M>v", module_add_global)                    \
  F("ffi.ModuleGlobalsRemove", "M>v", module_remove_global)              \
  F("ffi.ModuleImplementsFunction", "Msb>b", module_implements_function) \
  F("ffi.ModuleImportModule", "MM>v", module_import)                     \
  F("ffi.ModuleInspectSource", "Ms>s", module_inspect_source)            \
  F("ffi.ModuleWriteToFile", "Mss>v", module_write_to_file)              \
  F("ffi.SystemLib", "*", .packed = get_system_lib)

TVMFFI_BUILTIN_GROUP(tvmffi_module_builtins, FUNCTIONS);

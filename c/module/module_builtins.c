/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions for modules. */
#include <string.h>

#include "container/array.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/library.h"
#include "module/module.h"

static int get_system_lib(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray prefix = {"", 0};
  TVMFFIObject *module;
  if (num_args > 0 && !tvmffi_any_get_text(&args[0], &prefix)) {
    return tvmffi_fail("TypeError", "Cannot convert from type `%s` to `str`",
                       tvmffi_any_type_name(&args[0]));
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

#define METHOD(name, how, method)                                               \
  static int name(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) { \
    (void)num_args;                                                             \
    return how(method, args, result);                                           \
  }

METHOD(get_function, query, kTvmffiModuleGetFunction)
METHOD(implements_function, query, kTvmffiModuleImplementsFunction)
METHOD(get_metadata, query, kTvmffiModuleGetMetadata)
METHOD(get_doc, query, kTvmffiModuleGetDoc)
METHOD(get_kind, call, kTvmffiModuleKind)
METHOD(get_property_mask, call, kTvmffiModulePropertyMask)
METHOD(inspect_source, call, kTvmffiModuleInspectSource)
METHOD(get_write_formats, call, kTvmffiModuleGetWriteFormats)
METHOD(write_to_file, call, kTvmffiModuleWriteToFile)
METHOD(import_module, call, kTvmffiModuleImport)
METHOD(clear_imports, call, kTvmffiModuleClearImports)

/* ---- Pinned modules ---- */

static int add_global(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  return tvmffi_module_pin(args[0].v_obj);
}

static int remove_global(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  tvmffi_module_unpin(args[0].v_obj);
  return 0;
}

#define FUNCTIONS(F)                                              \
  F("ffi.ModuleClearImports", "M>v", clear_imports)               \
  F("ffi.ModuleGetFunction", "Msb>?F", get_function)              \
  F("ffi.ModuleGetFunctionDoc", "Msb>?s", get_doc)                \
  F("ffi.ModuleGetFunctionMetadata", "Msb>?s", get_metadata)      \
  F("ffi.ModuleGetKind", "M>s", get_kind)                         \
  F("ffi.ModuleGetPropertyMask", "M>i", get_property_mask)        \
  F("ffi.ModuleGetWriteFormats", "M>@s", get_write_formats)       \
  F("ffi.ModuleGlobalsAdd", "M>v", add_global)                    \
  F("ffi.ModuleGlobalsRemove", "M>v", remove_global)              \
  F("ffi.ModuleImplementsFunction", "Msb>b", implements_function) \
  F("ffi.ModuleImportModule", "MM>v", import_module)              \
  F("ffi.ModuleInspectSource", "Ms>s", inspect_source)            \
  F("ffi.ModuleWriteToFile", "Mss>v", write_to_file)              \
  F("ffi.SystemLib", "*", get_system_lib)

TVMFFI_BUILTIN_GROUP(tvmffi_module_builtins, FUNCTIONS);

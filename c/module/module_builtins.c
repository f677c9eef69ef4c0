/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions of modules. */
#include <string.h>

#include "container/array.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string.h"
#include "module/library.h"
#include "module/module.h"

static int load_from_file(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray path = tvmffi_builtin_text(&args[0]);
  TVMFFIObject *module;
  (void)num_args;
  TVMFFI_TRY(tvmffi_loader_load_file(&path, &module));
  *result = tvmffi_any_object(module);
  return 0;
}

/* The loader of libraries. */
static int load_library(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray path = tvmffi_builtin_text(&args[0]);
  tvmffi_library *library;
  TVMFFIObject *module = NULL;
  int rc;
  (void)num_args;
  TVMFFI_TRY(tvmffi_library_open(&path, &library));
  rc = tvmffi_library_load(library, &module);
  tvmffi_object_release(library);
  if (rc == 0) *result = tvmffi_any_object(module);
  return rc;
}

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

/* ---- Questions: module, name, whether to ask its imports as well ----------------------------- */

static int query(tvmffi_module_question question, const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray name = tvmffi_builtin_text(&args[1]);
  return tvmffi_module_query(args[0].v_obj, question, &name, args[2].v_int64 != 0, result);
}

static int get_function(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return query(kTvmffiModuleFunction, args, result);
}

static int get_metadata(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return query(kTvmffiModuleMetadata, args, result);
}

static int get_doc(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return query(kTvmffiModuleDoc, args, result);
}

static int implements_function(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny answer;
  (void)num_args;
  TVMFFI_TRY(query(kTvmffiModuleImplements, args, &answer));
  *result = tvmffi_any_bool(answer.type_index != kTVMFFINone);
  return 0;
}

/* ---- What a module is ------------------------------------------------------------------------ */

static int get_kind(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  (void)num_args;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  return tvmffi_string_to_any(module->type->kind, strlen(module->type->kind), result);
}

static int get_property_mask(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  (void)num_args;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  *result = tvmffi_any_int(module->type->property_mask);
  return 0;
}

static int inspect_source(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  (void)num_args;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  return tvmffi_string_to_any("", 0, result);
}

static int get_write_formats(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  TVMFFIObject *formats;
  (void)num_args;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  formats = tvmffi_array_new(0);
  if (formats == NULL) return tvmffi_fail_memory();
  *result = tvmffi_any_object(formats);
  return 0;
}

static int write_to_file(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  return tvmffi_fail("RuntimeError", "Module[%s] does not support WriteToFile", module->type->kind);
}

/* ---- Imports and keeping --------------------------------------------------------------------- */

static int import_module(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  return tvmffi_imports_add(module, args[1].v_obj);
}

static int clear_imports(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_module *module;
  (void)num_args;
  (void)result;
  TVMFFI_TRY(tvmffi_module_from_object(args[0].v_obj, &module));
  return tvmffi_imports_clear(module);
}

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

static const tvmffi_builtin kFunctions[] = {
    {"ffi.Module.load_from_file.so", "ss>M", load_library},
    {"ffi.ModuleClearImports", "M>v", clear_imports},
    {"ffi.ModuleGetFunction", "Msb>?F", get_function},
    {"ffi.ModuleGetFunctionDoc", "Msb>?s", get_doc},
    {"ffi.ModuleGetFunctionMetadata", "Msb>?s", get_metadata},
    {"ffi.ModuleGetKind", "M>s", get_kind},
    {"ffi.ModuleGetPropertyMask", "M>i", get_property_mask},
    {"ffi.ModuleGetWriteFormats", "M>@s", get_write_formats},
    {"ffi.ModuleGlobalsAdd", "M>v", add_global},
    {"ffi.ModuleGlobalsRemove", "M>v", remove_global},
    {"ffi.ModuleImplementsFunction", "Msb>b", implements_function},
    {"ffi.ModuleImportModule", "MM>v", import_module},
    {"ffi.ModuleInspectSource", "Ms>s", inspect_source},
    {"ffi.ModuleLoadFromFile", "s>M", load_from_file},
    {"ffi.ModuleWriteToFile", "Mss>v", write_to_file},
    {"ffi.SystemLib", "*", get_system_lib},
};

const tvmffi_builtin_group tvmffi_module_builtins = {kFunctions,
                                                     sizeof kFunctions / sizeof *kFunctions};

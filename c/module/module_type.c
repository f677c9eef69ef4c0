/* SPDX-License-Identifier: Apache-2.0 */
/* The reflected field of ffi.Module. */
#include "container/array.h"
#include "core/any.h"
#include "core/error.h"
#include "module/module.h"

static TVMFFIObject *module_of(void *field) {
  return (TVMFFIObject *)(void *)((char *)field - offsetof(tvmffi_module, imports));
}

static int get_imports(void *field, TVMFFIAny *result) {
  TVMFFIObject *imports = tvmffi_imports_get(module_of(field));
  if (imports == NULL) imports = tvmffi_array_new(0);
  if (imports == NULL) return tvmffi_fail_memory();
  *result = tvmffi_any_object(imports);
  return 0;
}

static int set_imports(void *field, const TVMFFIAny *value) {
  TVMFFIObject *imports;
  int64_t i, size;
  if ((value->type_index != kTVMFFIArray && value->type_index != kTVMFFIList) ||
      value->v_obj == NULL) {
    return tvmffi_any_fail_conversion(value, "Array<Any>");
  }
  size = tvmffi_array_size(value->v_obj);
  for (i = 0; i < size; ++i) { /* code that searches imports relies on the type */
    const TVMFFIAny *import = &tvmffi_array_items(value->v_obj)[i];
    if (import->type_index != kTVMFFIModule) {
      return tvmffi_fail("TypeError", "imports_: expected `ffi.Module` but element %lld is `%s`",
                         (long long)i, tvmffi_any_type_name(import));
    }
  }
  imports = tvmffi_array_copy(value->v_obj);
  if (imports == NULL) return -1;
  tvmffi_imports_replace(module_of(field), imports);
  return 0;
}

static const tvmffi_builtin_field kModuleFields[] = {
    {TVMFFI_FIELD_TEXTS("imports_", "@a", ""), 0, kTvmffiStoredObject,
     offsetof(tvmffi_module, imports), kTVMFFIArray, set_imports, get_imports},
};
static TVMFFIFieldInfo module_fields[sizeof kModuleFields / sizeof *kModuleFields];

static const tvmffi_builtin_type kModuleTypes[] = {
    {.type_index = kTVMFFIModule,
     .metadata.total_size = 48,
     TVMFFI_FIELDS(kModuleFields, module_fields)},
};

const tvmffi_builtin_type_group tvmffi_module_types = TVMFFI_TYPE_GROUP_WITH_MEMBERS(kModuleTypes);

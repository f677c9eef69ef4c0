/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that a host implements in C. */
#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "core/error.h"
#include "module/module.h"

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
    TVMFFIAny any = tvmffi_any_object(module);
    return tvmffi_fail("TypeError", "%s: `module` is a `%s` that was not made with this vtable",
                       __func__, tvmffi_any_type_name(&any));
  }
  *out = own_module->self;
  return 0;
}

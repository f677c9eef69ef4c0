/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules embedded in a library: the runtime loads exactly what the tool's own decoder accepts, as
 * long as a loader is there, and what is packed again loads and packs to the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "fuzz.h"
#include "module/library.h"

#include "file/module_tree.h"

static int num_modules;

static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  (void)name;
  *out = NULL;
  return 0;
}

static int save(void *self, TVMFFIAny *out) {
  *out = tvmffi_any_copy(self);
  return 0;
}

static void destroy(void *self) {
  tvmffi_any_release(self);
  free(self);
  --num_modules;
}

static const TVMFFIRuntimeModuleVTable kTable = {
    .struct_size = sizeof kTable,
    .kind = "k",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable,
    .get_function = get_function,
    .save_to_bytes = save,
    .destroy = destroy};

static int load_bytes(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObjectHandle module;
  TVMFFIAny *self = malloc(sizeof *self);
  (void)handle;
  fuzz_require(self != NULL && num_args == 1);
  fuzz_require(TVMFFIAnyViewToOwnedAny(args, self) == 0);
  fuzz_require(TVMFFIRuntimeModuleCreate(&kTable, self, &module) == 0);
  ++num_modules;
  *result = tvmffi_any_object(module);
  return 0;
}

static TVMFFIObject *load(const void *bytes, size_t size) {
  static const TVMFFIByteArray kNoPrefix = {"", 0};
  TVMFFIObject *module = NULL;
  tvmffi_library *library;
  fuzz_require(tvmffi_library_new_system(&kNoPrefix, &library) == 0);
  if (fuzz_checked(tvmffi_library_bin_load(library, bytes, size, &module)) != 0) {
    fuzz_require(module == NULL);
  }
  TVMFFIObjectDecRef(library);
  return module;
}

/* Whether the tool accepts it, and there is a loader for each kind. */
static bool is_good(const uint8_t *data, size_t size) {
  library_bin tree;
  size_t importer, i;
  bool good = library_bin_decode(data, size, &tree) == NULL;
  if (good) good = library_bin_check_imports(&tree, &importer) == NULL;
  for (i = 0; good && i < tree.num_modules; ++i) {
    const bin_module *module = &tree.modules[i];
    good = module->is_self || (module->kind_size == 1 && *module->kind == 'k');
  }
  library_bin_free(&tree);
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TVMFFIByteArray kLoader = {"ffi.Module.load_from_bytes.k", 28};
  TVMFFIObjectHandle function;
  TVMFFIObject *module, *again;
  TVMFFIAny packed, repacked;
  fuzz_begin();
  num_modules = 0;
  fuzz_require(TVMFFIFunctionCreate(NULL, load_bytes, NULL, &function) == 0);
  fuzz_require(TVMFFIFunctionSetGlobal(&kLoader, function, 0) == 0);
  TVMFFIObjectDecRef(function);
  module = load(data, size);
  fuzz_require((module != NULL) == is_good(data, size));
  /* Empty payloads and two libraries cannot be packed. */
  if (module != NULL && fuzz_checked(TVMFFIRuntimeModulePack(module, &packed)) == 0) {
    TVMFFIByteArray bytes = fuzz_bytes_of(&packed);
    again = load(bytes.data, bytes.size);
    fuzz_require(again != NULL);
    fuzz_require(fuzz_checked(TVMFFIRuntimeModulePack(again, &repacked)) == 0);
    fuzz_require(fuzz_same_bytes(bytes, fuzz_bytes_of(&repacked)));
    tvmffi_any_release(&repacked);
    tvmffi_any_release(&packed);
    TVMFFIObjectDecRef(again);
  }
  TVMFFIObjectDecRef(module);
  fuzz_require(num_modules == 0);
  fuzz_end();
  return 0;
}

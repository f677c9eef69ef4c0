/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions that load modules from files. */
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
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

/* The loader for libraries. */
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

#define FUNCTIONS(F)                                      \
  F("ffi.Module.load_from_file.so", "ss>M", load_library) \
  F("ffi.ModuleLoadFromFile", "s>M", load_from_file)

TVMFFI_BUILTIN_GROUP(tvmffi_loading_builtins, FUNCTIONS);

/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of kind `library`, and the functions they return. */
#include <string.h>

#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/library.h"
#include "module/library_file.h"
#include "platform/atomic.h"
#include "platform/platform.h"

/* C has no cast from object to function pointers. */
static TVMFFISafeCallType to_kernel(void *address) {
  union {
    void *address;
    TVMFFISafeCallType kernel;
  } cast;
  cast.address = address;
  return cast.kernel;
}

/* ---- Functions ---- */

typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  TVMFFISafeCallType kernel;
  TVMFFIObject *module; /* keeps the library open */
} kernel_function;

/* A tail call: the kernel's return code is returned unchanged. */
static int call_kernel(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return ((const kernel_function *)handle)->kernel(NULL, args, num_args, result);
}

static void destroy_function(void *self) {
  tvmffi_object_release_nested(((kernel_function *)self)->module);
}

static void delete_function(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_function, destroy_function, 0);
}

/* ---- Modules ---- */

/* The modules of libraries that are alive, linked from newest to oldest. */
typedef struct library_module {
  tvmffi_module base;
  tvmffi_library *library;
  struct library_module *newer, *older; /* guarded by living_mutex */
} library_module;

static tvmffi_mutex living_mutex = TVMFFI_MUTEX_INIT;
static library_module *newest;

static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  kernel_function *function;
  void *address;
  TVMFFI_TRY(tvmffi_library_find_kernel(((library_module *)self)->library, name, &address));
  if (address == NULL) return 0;
  function = tvmffi_object_new(sizeof *function, kTVMFFIFunction, delete_function);
  if (function == NULL) return -1;
  function->cell.safe_call = call_kernel;
  function->cell.cpp_call = NULL;
  function->kernel = to_kernel(address);
  function->module = module;
  tvmffi_object_retain(module);
  *out = &function->header;
  return 0;
}

static int implements_function(void *self, const TVMFFIByteArray *name, int *out) {
  void *address;
  TVMFFI_TRY(tvmffi_library_find_kernel(((library_module *)self)->library, name, &address));
  *out = address != NULL;
  return 0;
}

/*
 * Calls the function start + name, which returns a text, and copies the text: the String may be an
 * object whose deleter is code of the library.
 */
static int get_text(const library_module *self, const char *start, const TVMFFIByteArray *name,
                    TVMFFIAny *out) {
  TVMFFIAny result = tvmffi_any_none();
  TVMFFIByteArray text;
  void *address;
  int rc;
  TVMFFI_TRY(tvmffi_library_find_about(self->library, start, name, &address));
  if (address == NULL) return 0;
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  rc = tvmffi_function_check_raised(to_kernel(address)(NULL, NULL, 0, &result));
  if (rc == 0) {
    if (tvmffi_any_get_text(&result, &text)) {
      rc = tvmffi_string_to_any(text.data, text.size, out);
    } else {
      rc = tvmffi_fail("TypeError", "Cannot convert from type `%s` to `str`",
                       tvmffi_any_type_name(&result));
    }
    tvmffi_any_release(&result);
  }
  return rc;
}

static int get_metadata(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  return get_text(self, "__tvm_ffi__metadata_", name, out);
}

static int get_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  return get_text(self, "__tvm_ffi__doc_", name, out);
}

/* Stores the module's address for the library's code. */
static void store_context(void **context, library_module *module) {
  void *value = module == NULL ? NULL : tvmffi_module_to_cxx(&module->base.header);
  tvmffi_atomic_store_release_ptr(context, value);
}

/*
 * Two libraries may share a context (when one is linked to the other), so the successor of a module
 * is the newest one with the same context, not the newest one of the same library.
 */
static void destroy(void *self) {
  library_module *module = self, *heir;
  void **context = module->library->context;
  tvmffi_mutex_lock(&living_mutex);
  if (module->older != NULL) module->older->newer = module->newer;
  if (module->newer != NULL) {
    module->newer->older = module->older;
  } else {
    newest = module->older;
  }
  if (context != NULL &&
      tvmffi_atomic_load_relaxed_ptr(context) == tvmffi_module_to_cxx(&module->base.header)) {
    for (heir = newest; heir != NULL && heir->library->context != context;) heir = heir->older;
    store_context(context, heir);
  }
  tvmffi_mutex_unlock(&living_mutex);
  tvmffi_object_release_nested(module->library);
}

static const TVMFFIRuntimeModuleVTable kLibrary = {
    sizeof(TVMFFIRuntimeModuleVTable),
    "library",
    kTVMFFIRuntimeModuleBinarySerializable | kTVMFFIRuntimeModuleRunnable,
    get_function,
    implements_function,
    get_metadata,
    get_doc,
    NULL,
    NULL,
    NULL,
    NULL,
    destroy};

int tvmffi_library_new_module(tvmffi_library *library, TVMFFIObject **out) {
  library_module *module = tvmffi_module_new(sizeof *module, &kLibrary);
  if (module == NULL) return -1;
  module->base.self = module;
  module->library = library;
  tvmffi_object_retain(library);
  module->newer = NULL;
  tvmffi_mutex_lock(&living_mutex);
  module->older = newest;
  if (newest != NULL) newest->newer = module;
  newest = module;
  if (library->context != NULL) store_context(library->context, module);
  tvmffi_mutex_unlock(&living_mutex);
  *out = &module->base.header;
  return 0;
}

/* The library of a module, or NULL if it is a module of another kind. */
static const tvmffi_library *find_library(const TVMFFIObject *module) {
  const tvmffi_module *own_module = (const tvmffi_module *)(const void *)module;
  if (!tvmffi_module_is_own(module) || own_module->vtable != &kLibrary) return NULL;
  return ((const library_module *)own_module->self)->library;
}

const void *tvmffi_library_identity(const TVMFFIObject *module) {
  const tvmffi_library *library = find_library(module);
  if (library == NULL) return NULL;
  return library->file != NULL ? (const void *)library->file : &kLibrary;
}

int TVMFFIRuntimeModuleAllowUnload(TVMFFIObjectHandle module) {
  TVMFFIObject *obj = module;
  const tvmffi_library *library = NULL;
  TVMFFI_REQUIRE(module);
  if (obj->type_index == kTVMFFIModule) library = find_library(obj);
  if (library == NULL || library->file == NULL) {
    TVMFFIAny any = tvmffi_any_object(obj);
    return tvmffi_fail("TypeError", "%s: `module` is a `%s`, not a module of a library file",
                       __func__, tvmffi_any_type_name(&any));
  }
  return tvmffi_library_allow_unload(library->file);
}

int tvmffi_library_load(tvmffi_library *library, TVMFFIObject **out) {
  static const char *const bin_symbol = "__tvm_ffi__library_bin";
  void *embedded;
  TVMFFI_TRY(tvmffi_library_find(library, bin_symbol, &embedded));
  TVMFFI_TRY(tvmffi_context_symbol_apply(library));
  if (embedded == NULL) return tvmffi_library_new_module(library, out);
  return tvmffi_library_bin_load(library, embedded,
                                 library->source->symbol_size(bin_symbol, embedded), out);
}

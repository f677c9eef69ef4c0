/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"

#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/integers.h"
#include "base/table.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/type.h"
#include "module/library_file.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/platform.h"

/* ---- What the runtime stores in libraries ---- */

/*
 * Pointers registered by compiler runtimes, to be stored in symbols of the libraries loaded later.
 */

/* One for each name. The list grows at its end under the mutex and is read without a lock. */
typedef struct context_symbol {
  tvmffi_table_key key;
  struct context_symbol *next;
  void *value; /* the last one that was registered */
} context_symbol;

static tvmffi_mutex context_mutex = TVMFFI_MUTEX_INIT;
static context_symbol *first_symbol, *last_symbol;
static tvmffi_table names; /* the same symbols; used under the mutex */

/* Call it under the mutex. -1 without memory. */
static int add_symbol(const char *name, size_t size, uint64_t hash, void *value) {
  context_symbol *added;
  if (tvmffi_table_reserve(&names, 1) != 0) return -1;
  added = (context_symbol *)tvmffi_table_new_record(sizeof *added, name, size, hash,
                                                    tvmffi_alloc_until_shutdown);
  if (added == NULL) return -1;
  added->value = value;
  (void)tvmffi_table_insert(&names, &added->key);
  if (last_symbol != NULL) {
    tvmffi_atomic_store_release_ptr(&last_symbol->next, added);
  } else {
    tvmffi_atomic_store_release_ptr(&first_symbol, added);
  }
  last_symbol = added;
  return 0;
}

int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol) {
  context_symbol *known;
  size_t size;
  uint64_t hash;
  int rc = 0;
  TVMFFI_REQUIRE(name);
  size = strlen(name);
  hash = tvmffi_hash_bytes(name, size);
  tvmffi_mutex_lock(&context_mutex);
  known = (context_symbol *)(void *)tvmffi_table_find_hashed(&names, name, size, hash);
  if (known != NULL) {
    tvmffi_atomic_store_release_ptr(&known->value, symbol);
  } else {
    rc = add_symbol(name, size, hash, symbol);
  }
  tvmffi_mutex_unlock(&context_mutex);
  return rc == 0 ? 0 : tvmffi_fail_memory();
}

int TVMFFIRuntimeContextSymbolVisit(TVMFFIRuntimeContextSymbolVisitor visitor, void *context) {
  const context_symbol *symbol;
  TVMFFI_REQUIRE(visitor);
  symbol = tvmffi_atomic_load_acquire_ptr(&first_symbol);
  for (; symbol != NULL; symbol = tvmffi_atomic_load_acquire_ptr(&symbol->next)) {
    TVMFFI_TRY(visitor(context, symbol->key.data, tvmffi_atomic_load_acquire_ptr(&symbol->value)));
  }
  return 0;
}

int tvmffi_context_symbol_apply(const tvmffi_library *library) {
  const context_symbol *symbol = tvmffi_atomic_load_acquire_ptr(&first_symbol);
  for (; symbol != NULL; symbol = tvmffi_atomic_load_acquire_ptr(&symbol->next)) {
    void *place;
    TVMFFI_TRY(tvmffi_library_find(library, symbol->key.data, &place));
    if (place != NULL) {
      void *value = tvmffi_atomic_load_acquire_ptr(&symbol->value);
      tvmffi_atomic_store_relaxed_ptr((void **)place, value);
    }
  }
  return 0;
}

void tvmffi_context_symbol_shutdown(void) {
  first_symbol = NULL;
  last_symbol = NULL;
  tvmffi_table_fini(&names);
}

/* ---- Library objects ---- */

static void destroy_library(void *self) {
  tvmffi_library *library = self;
  library->source->close(library);
}

TVMFFI_DELETER(delete_library, destroy_library, 0);

/* The prefix is in the memory after the object. */
int tvmffi_library_new(const tvmffi_library_source *source, tvmffi_library_file *file,
                       const TVMFFIByteArray *prefix, tvmffi_library **out) {
  tvmffi_library *library;
  void *context;
  size_t bytes;
  char *copy;
  if (!tvmffi_checked_add_size(sizeof *library, prefix->size, &bytes)) return tvmffi_fail_memory();
  library = tvmffi_object_new(bytes, kTVMFFIObject, delete_library);
  if (library == NULL) return -1;
  copy = (char *)(library + 1);
  if (prefix->size != 0) memcpy(copy, prefix->data, prefix->size);
  library->source = source;
  library->file = file;
  library->context = NULL;
  library->prefix.data = copy;
  library->prefix.size = prefix->size;
  if (tvmffi_library_find(library, "__tvm_ffi__library_ctx", &context) != 0) {
    tvmffi_object_free(library, 0);
    return -1;
  }
  library->context = context;
  *out = library;
  return 0;
}

/* ---- Symbols ---- */

/* A NUL-terminated concatenation of up to three parts; on the stack unless it is unusually long. */
typedef struct {
  char *text;
  size_t size;
  char room[240];
} symbol_name;

static int join(symbol_name *name, const char *start, const TVMFFIByteArray *middle,
                const TVMFFIByteArray *end) {
  size_t start_size = strlen(start), bytes;
  if (!tvmffi_checked_add_size(start_size + 1, middle->size, &bytes) ||
      !tvmffi_checked_add_size(bytes, end->size, &bytes)) {
    return tvmffi_fail_memory();
  }
  name->text = bytes <= sizeof name->room ? name->room : tvmffi_alloc(bytes);
  if (name->text == NULL) return tvmffi_fail_memory();
  memcpy(name->text, start, start_size);
  if (middle->size != 0) memcpy(name->text + start_size, middle->data, middle->size);
  if (end->size != 0) memcpy(name->text + start_size + middle->size, end->data, end->size);
  name->size = bytes - 1;
  name->text[name->size] = '\0';
  return 0;
}

static void fini_name(symbol_name *name) {
  if (name->text != name->room) tvmffi_free(name->text);
}

/* Tries start + the library's prefix + end, then without the prefix. */
static int find_with_prefix(const tvmffi_library *library, const char *start,
                            const TVMFFIByteArray *end, void **out) {
  static const TVMFFIByteArray no_prefix = {NULL, 0};
  symbol_name name;
  void *found;
  TVMFFI_TRY(join(&name, start, &library->prefix, end));
  found = library->source->find(library, name.text, name.size);
  fini_name(&name);
  if (found == NULL && library->prefix.size != 0) {
    TVMFFI_TRY(join(&name, start, &no_prefix, end));
    found = library->source->find(library, name.text, name.size);
    fini_name(&name);
  }
  *out = found;
  return 0;
}

int tvmffi_library_find(const tvmffi_library *library, const char *name, void **out) {
  TVMFFIByteArray end;
  end.data = name;
  end.size = strlen(name);
  return find_with_prefix(library, "", &end, out);
}

/* The same for the symbol start + name, which describes an exported function. */
static int library_find_about(const tvmffi_library *library, const char *start,
                              const TVMFFIByteArray *name, void **out) {
  static const TVMFFIByteArray empty = {NULL, 0};
  symbol_name full;
  int rc;
  *out = NULL;
  if (name->size != 0 && memchr(name->data, '\0', name->size) != NULL) return 0;
  TVMFFI_TRY(join(&full, start, &empty, name));
  rc = tvmffi_library_find(library, full.text, out);
  fini_name(&full);
  return rc;
}

/* Names that cannot be functions: symbols are C strings, and two of the symbols are data. */
static bool is_no_function_name(const TVMFFIByteArray *name) {
  return name->size != 0 &&
         (memchr(name->data, '\0', name->size) != NULL || tvmffi_bytes_are(name, "_library_ctx") ||
          tvmffi_bytes_are(name, "_library_bin"));
}

int tvmffi_library_look_up_kernel(const tvmffi_library *library, const TVMFFIByteArray *name,
                                  void **out) {
  *out = NULL;
  return is_no_function_name(name) ? 0 : find_with_prefix(library, "__tvm_ffi_", name, out);
}

/* ---- Modules of libraries ---- */

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
TVMFFI_NO_SANITIZE_FUNCTION
static int call_kernel(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return ((const kernel_function *)handle)->kernel(NULL, args, num_args, result);
}

static int call_kernel_checked(void *handle, const TVMFFIAny *args, int32_t num_args,
                               TVMFFIAny *result) {
  return tvmffi_function_check_raised(call_kernel(handle, args, num_args, result)) == 0 ? 0 : -1;
}

static void destroy_function(void *self) {
  tvmffi_object_release_nested(((kernel_function *)self)->module);
}

TVMFFI_DELETER(delete_function, destroy_function, 0);

/* ---- Modules ---- */

/* The modules of libraries that are alive, linked from newest to oldest. */
typedef struct library_module {
  tvmffi_module base;
  tvmffi_library *library;
  struct library_module *newer, *older; /* guarded by living_mutex */
} library_module;

static tvmffi_mutex living_mutex = TVMFFI_MUTEX_INIT;
static library_module *newest;

static int get_library_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                                TVMFFIObjectHandle *out) {
  kernel_function *function;
  void *address;
  TVMFFI_TRY(tvmffi_library_find_kernel(((library_module *)self)->library, name, &address));
  if (address == NULL) return 0;
  function = tvmffi_object_new(sizeof *function, kTVMFFIFunction, delete_function);
  if (function == NULL) return -1;
  function->cell.safe_call = tvmffi_function_has_to_check() ? call_kernel_checked : call_kernel;
  function->cell.cpp_call = NULL;
  function->kernel = to_kernel(address);
  function->module = module;
  tvmffi_object_retain(module);
  *out = &function->header;
  return 0;
}

static int implements_library_function(void *self, const TVMFFIByteArray *name, int *out) {
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
  TVMFFI_TRY(library_find_about(self->library, start, name, &address));
  if (address == NULL) return 0;
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  rc = tvmffi_function_check_raised(to_kernel(address)(NULL, NULL, 0, &result));
  if (rc == 0) {
    if (tvmffi_any_get_text(&result, &text)) {
      rc = tvmffi_string_to_any(text.data, text.size, out);
    } else {
      rc = tvmffi_any_fail_conversion(&result, "str");
    }
    tvmffi_any_release(&result);
  }
  return rc;
}

static int get_library_metadata(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  return get_text(self, "__tvm_ffi__metadata_", name, out);
}

static int get_library_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
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
static void destroy_library_module(void *self) {
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
    get_library_function,
    implements_library_function,
    get_library_metadata,
    get_library_doc,
    NULL,
    NULL,
    NULL,
    NULL,
    destroy_library_module};

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
static const tvmffi_library *find_module_library(const TVMFFIObject *module) {
  const tvmffi_module *own_module = (const tvmffi_module *)(const void *)module;
  if (!tvmffi_module_is_own(module) || own_module->vtable != &kLibrary) return NULL;
  return ((const library_module *)own_module->self)->library;
}

const void *tvmffi_library_identity(const TVMFFIObject *module) {
  const tvmffi_library *library = find_module_library(module);
  if (library == NULL) return NULL;
  return library->file != NULL ? (const void *)library->file : &kLibrary;
}

#ifdef TVMFFI_PROFILE_FULL
/* A module of libtvm_ffi_isolated, whose library is loaded in another process. */
static bool is_isolated(const TVMFFIObject *module) {
  const tvmffi_module *own_module = (const tvmffi_module *)(const void *)module;
  return module->type_index == kTVMFFIModule && tvmffi_module_is_own(module) &&
         strcmp(own_module->vtable->kind, "isolated") == 0;
}
#endif

int TVMFFIRuntimeModuleAllowUnload(TVMFFIObjectHandle module) {
  TVMFFIObject *obj = module;
  const tvmffi_library *library = NULL;
  TVMFFI_REQUIRE(module);
#ifdef TVMFFI_PROFILE_FULL
  if (is_isolated(obj)) return 0;
#endif
  if (obj->type_index == kTVMFFIModule) library = find_module_library(obj);
  if (library == NULL || library->file == NULL) {
    return tvmffi_fail("TypeError", "%s: `module` is a `%s`, not a module of a library file",
                       __func__, tvmffi_type_key(obj->type_index));
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

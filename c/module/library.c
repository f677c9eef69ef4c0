/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/hash.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/string.h"
#include "module/library_cache.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/dl.h"
#include "platform/thread.h"

/* ---- Opened files: one record for each, however often it is loaded --------------------------- */

typedef struct tvmffi_shared_library {
  void *handle;
  size_t uses; /* under opened_mutex, as are the links */
  struct tvmffi_shared_library *next, *previous;
  tvmffi_library_cache kernels;
} shared_library;

static tvmffi_mutex opened_mutex = TVMFFI_MUTEX_INIT;
static shared_library *opened;

static shared_library *find_opened(const void *handle) {
  shared_library *shared = opened;
  while (shared != NULL && shared->handle != handle) shared = shared->next;
  return shared;
}

/*
 * Opening and closing run code of the library, so both happen without the lock. The system's
 * loader gives the same handle for the same file; each record holds one use of it.
 */
static int acquire(const char *path, shared_library **out) {
  shared_library *added, *shared;
  char reason[1024];
  void *handle = tvmffi_dl_open(path, reason, sizeof reason);
  if (handle == NULL) {
    return tvmffi_fail("InternalError", "Failed to load dynamic shared library %s %s", path,
                       reason);
  }
  tvmffi_cxx_complete_type_info(handle);
  added = tvmffi_alloc(sizeof *added);
  if (added == NULL) {
    tvmffi_library_close(handle); /* its initialiser has run */
    return tvmffi_fail_memory();
  }
  memset(added, 0, sizeof *added);
  added->handle = handle;
  tvmffi_mutex_lock(&opened_mutex);
  shared = find_opened(handle);
  if (shared == NULL) {
    shared = added;
    shared->next = opened;
    if (opened != NULL) opened->previous = shared;
    opened = shared;
  }
  ++shared->uses;
  tvmffi_mutex_unlock(&opened_mutex);
  if (shared != added) {
    tvmffi_free(added);
    tvmffi_dl_close(handle);
  }
  *out = shared;
  return 0;
}

static void release(shared_library *shared) {
  bool is_last;
  tvmffi_mutex_lock(&opened_mutex);
  is_last = --shared->uses == 0;
  if (is_last) {
    if (shared->next != NULL) shared->next->previous = shared->previous;
    if (shared->previous != NULL) {
      shared->previous->next = shared->next;
    } else {
      opened = shared->next;
    }
  }
  tvmffi_mutex_unlock(&opened_mutex);
  if (!is_last) return;
  tvmffi_library_close(shared->handle);
  tvmffi_library_cache_fini(&shared->kernels);
  tvmffi_free(shared);
}

/* ---- Library objects ------------------------------------------------------------------------- */

static void destroy_library(void *self) {
  tvmffi_library *library = self;
  if (library->shared != NULL) release(library->shared);
}

static void delete_library(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_library, destroy_library, 0);
}

/* Takes shared on success. The prefix is copied behind the object. */
static int new_library(shared_library *shared, const TVMFFIByteArray *prefix,
                       tvmffi_library **out) {
  tvmffi_library *library;
  void *context;
  size_t bytes;
  char *copy;
  if (!tvmffi_checked_add_size(sizeof *library, prefix->size, &bytes)) return tvmffi_fail_memory();
  library = tvmffi_object_new(bytes, kTVMFFIObject, delete_library);
  if (library == NULL) return -1;
  copy = (char *)(library + 1);
  if (prefix->size != 0) memcpy(copy, prefix->data, prefix->size);
  library->shared = shared;
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

int tvmffi_library_open(const TVMFFIByteArray *path, tvmffi_library **out) {
  static const TVMFFIByteArray no_prefix = {NULL, 0};
  shared_library *shared;
  if (path->size == 0) { /* which some loaders take to mean the program itself */
    return tvmffi_fail("InternalError", "Failed to load dynamic shared library: empty path");
  }
  if (memchr(path->data, '\0', path->size) != NULL) {
    return tvmffi_fail("InternalError",
                       "Failed to load dynamic shared library %s: NUL character in the path",
                       path->data);
  }
  TVMFFI_TRY(acquire(path->data, &shared));
  if (new_library(shared, &no_prefix, out) != 0) {
    release(shared);
    return -1;
  }
  return 0;
}

int tvmffi_library_new_system(const TVMFFIByteArray *prefix, tvmffi_library **out) {
  return new_library(NULL, prefix, out);
}

/* ---- Symbols --------------------------------------------------------------------------------- */

/* A name put together of three parts, NUL-terminated; on the stack when it is of usual length. */
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

static void *find_joined(const tvmffi_library *library, const symbol_name *name) {
  return library->shared != NULL ? tvmffi_dl_symbol(library->shared->handle, name->text)
                                 : tvmffi_system_lib_find(name->text, name->size);
}

/* With the library's prefix between start and end, then without. */
static int find_with_prefix(const tvmffi_library *library, const char *start,
                            const TVMFFIByteArray *end, void **out) {
  static const TVMFFIByteArray no_prefix = {NULL, 0};
  symbol_name name;
  void *found;
  TVMFFI_TRY(join(&name, start, &library->prefix, end));
  found = find_joined(library, &name);
  fini_name(&name);
  if (found == NULL && library->prefix.size != 0) {
    TVMFFI_TRY(join(&name, start, &no_prefix, end));
    found = find_joined(library, &name);
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

/* C has no cast from object to function pointers. */
static TVMFFISafeCallType to_kernel(void *address) {
  union {
    void *address;
    TVMFFISafeCallType kernel;
  } cast;
  cast.address = address;
  return cast.kernel;
}

/* The names that no function can have: symbols are C strings, and two of them are data. */
static bool is_no_function_name(const TVMFFIByteArray *name) {
  return name->size != 0 &&
         (memchr(name->data, '\0', name->size) != NULL || tvmffi_bytes_are(name, "_library_ctx") ||
          tvmffi_bytes_are(name, "_library_bin"));
}

/* The address of an exported function; *out is NULL when there is none. */
static int find_kernel(const tvmffi_library *library, const TVMFFIByteArray *name, void **out) {
  shared_library *shared = library->shared;
  uint64_t hash = 0;
  void *found = NULL;
  if (shared != NULL) {
    hash = tvmffi_hash_bytes(name->data, name->size);
    found = tvmffi_library_cache_find(&shared->kernels, name->data, name->size, hash);
  }
  if (found == NULL && !is_no_function_name(name)) {
    TVMFFI_TRY(find_with_prefix(library, "__tvm_ffi_", name, &found));
    if (found != NULL && shared != NULL &&
        tvmffi_library_cache_add(&shared->kernels, name->data, name->size, hash, found) != 0) {
      return tvmffi_fail_memory();
    }
  }
  *out = found;
  return 0;
}

/* ---- Functions ------------------------------------------------------------------------------- */

typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  TVMFFISafeCallType kernel;
  TVMFFIObject *module; /* keeps the library open */
} kernel_function;

/* A tail jump: the code that comes back is the kernel's own. */
static int call_kernel(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return ((const kernel_function *)handle)->kernel(NULL, args, num_args, result);
}

static void destroy_function(void *self) {
  tvmffi_object_release_nested(((kernel_function *)self)->module);
}

static void delete_function(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_function, destroy_function, 0);
}

/* ---- Modules --------------------------------------------------------------------------------- */

/* Living modules of libraries, the newest first. */
typedef struct library_module {
  tvmffi_module base;
  tvmffi_library *library;
  struct library_module *newer, *older; /* under living_mutex */
} library_module;

static tvmffi_mutex living_mutex = TVMFFI_MUTEX_INIT;
static library_module *newest;

static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  kernel_function *function;
  void *address;
  TVMFFI_TRY(find_kernel(((library_module *)self)->library, name, &address));
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
  TVMFFI_TRY(find_kernel(((library_module *)self)->library, name, &address));
  *out = address != NULL;
  return 0;
}

/*
 * Calls the function behind start + name for a text. The text is copied: the String may be an
 * object whose deleter is code of the library.
 */
static int get_text(const library_module *self, const char *start, const TVMFFIByteArray *name,
                    TVMFFIAny *out) {
  static const TVMFFIByteArray nothing = {NULL, 0};
  TVMFFIAny result = tvmffi_any_none();
  TVMFFIByteArray text;
  symbol_name full;
  void *address;
  int rc;
  if (name->size != 0 && memchr(name->data, '\0', name->size) != NULL) return 0;
  TVMFFI_TRY(join(&full, start, &nothing, name));
  rc = tvmffi_library_find(self->library, full.text, &address);
  fini_name(&full);
  if (rc != 0 || address == NULL) return rc;
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

/* Has the library's code know the module. */
static void store_context(void **context, library_module *module) {
  void *value = module == NULL ? NULL : tvmffi_module_to_cxx(&module->base.header);
  tvmffi_atomic_store_release_ptr(context, value);
}

/*
 * Two libraries may share a context (one that brings the other along), so who comes after the one
 * that dies is whoever has the same, not whoever has the same library.
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

const void *tvmffi_library_identity(const TVMFFIObject *module) {
  const tvmffi_module *own = (const tvmffi_module *)(const void *)module;
  const shared_library *shared;
  if (!tvmffi_module_is_own(module) || own->vtable != &kLibrary) return NULL;
  shared = ((const library_module *)own->self)->library->shared;
  return shared != NULL ? (const void *)shared : &kLibrary;
}

int tvmffi_library_load(tvmffi_library *library, TVMFFIObject **out) {
  static const char *const bin_symbol = "__tvm_ffi__library_bin";
  size_t size = SIZE_MAX;
  void *embedded;
  TVMFFI_TRY(tvmffi_library_find(library, bin_symbol, &embedded));
  TVMFFI_TRY(tvmffi_context_symbol_apply(library));
  if (embedded == NULL) return tvmffi_library_new_module(library, out);
  if (library->shared != NULL) size = tvmffi_dl_symbol_size(bin_symbol, embedded);
  return tvmffi_library_bin_load(library, embedded, size, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules. A Module object has the layout that C++ code expects: a pointer to a virtual table in
 * front of the header, then the imports and the cache of looked-up functions, then the data of its
 * kind.
 */
#ifndef TVMFFI_MODULE_MODULE_H_
#define TVMFFI_MODULE_MODULE_H_

#include <stdbool.h>
#include <stddef.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/buf.h"
#include "core/builtins.h"
#include "module/cxx_helper.h"
#include "module/imports.h"

/* ---- Modules ---- */

/* A module of this library. Modules that C++ code made have only the first three members. */
typedef struct {
  TVMFFIObject header;
  TVMFFIObject *imports;      /* Array of Modules; guarded by the lock of imports.c */
  TVMFFIObject *lookup_cache; /* Map from text to Function; guarded by the lock of imports.c */
  const TVMFFIRuntimeModuleVTable *vtable;
  void *self; /* passed to the methods of vtable */
} tvmffi_module;

/* The bytes in front of the header: the vtable pointer, and padding where headers are 8-aligned. */
struct tvmffi_module_front {
  const void *cxx_vtable;
  TVMFFIObject header;
};
#define TVMFFI_MODULE_PREFIX offsetof(struct tvmffi_module_front, header)

/* Converts to the address that C++ code and __tvm_ffi__library_ctx use for a module, and back. */
static inline void *tvmffi_module_to_cxx(TVMFFIObject *module) {
  return (char *)module - TVMFFI_MODULE_PREFIX;
}
static inline TVMFFIObject *tvmffi_module_from_cxx(void *context) {
  return (TVMFFIObject *)(void *)((char *)context + TVMFFI_MODULE_PREFIX);
}

/*
 * A module of size bytes with empty imports and cache and self NULL. The caller fills in what
 * follows the base before anything else happens to the module. NULL with the error raised.
 */
void *tvmffi_module_new(size_t size, const TVMFFIRuntimeModuleVTable *vtable);

/* Whether its methods are in a vtable of C functions; otherwise they are C++ code. */
bool tvmffi_module_is_own(const TVMFFIObject *module);

/* ---- Calls of any module's methods, in C or in C++ ---- */

/*
 * Calls a method. *result is owned and has the type stated in cxx_helper.h; None after a
 * failure.
 */
int tvmffi_module_call(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *args,
                       TVMFFIAny *result);

/*
 * The same for the four methods that look a function up. With query_imports they also ask the
 * imports, depth first, until one has it.
 */
int tvmffi_module_query(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *name,
                        bool query_imports, TVMFFIAny *result);

/* ---- cxx.c: modules and C++ ---- */

/* tvmffi_module_call for a module whose methods are C++ code. */
int tvmffi_cxx_call(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *args,
                    TVMFFIAny *result);

/* The virtual table of the modules of this library; C++ code finds it in front of them. */
const void *tvmffi_cxx_vtable(void);

/* The names of the class ModuleObj, for C++ libraries that are loaded. */
extern const tvmffi_dl_name tvmffi_cxx_names[];

/* Takes what the type_info of C++ classes needs from a library that was just opened. */
void tvmffi_cxx_complete_type_info(void *library);

/* ---- module_builtins.c: what the layer holds until shutdown ---- */

/* Keeps a module alive until it is unpinned or until shutdown. */
int tvmffi_module_pin(TVMFFIObject *module);
void tvmffi_module_unpin(TVMFFIObject *module);

/* Releases what the module layer holds: pinned modules, system libraries, its tables. */
void tvmffi_module_shutdown(void);

/* ---- imports.c ---- */

/* RuntimeError when self would import itself, directly or indirectly. */
int tvmffi_imports_add(TVMFFIObject *self, TVMFFIObject *imported);
int tvmffi_imports_clear(TVMFFIObject *self);

/* Replaces the imports by another Array of Modules, which is taken. */
void tvmffi_imports_replace(TVMFFIObject *self, TVMFFIObject *imports);

/* The direct imports of a module: a retained Array, or NULL. */
TVMFFIObject *tvmffi_imports_get(TVMFFIObject *self);

/*
 * All modules that a module imports, directly or not, each once, in depth-first pre-order. Each is
 * retained; release them with tvmffi_imports_release.
 */
int tvmffi_imports_collect(TVMFFIObject *self, tvmffi_module_set *out);
void tvmffi_imports_release(tvmffi_module_set *collected);

/* ---- load_file.c ---- */

/* Loads a module from a file, by the loader that is registered for its format. */
int tvmffi_loader_load_file(const TVMFFIByteArray *path, TVMFFIObject **out);

/* ---- Loaders ---- */

/*
 * The global function named prefix + key, NULL when there is none. The name is left in *name, an
 * empty buffer that the caller frees in any case.
 */
int tvmffi_loader_find(const char *prefix, const TVMFFIByteArray *key, tvmffi_buf *name,
                       TVMFFIObject **out);

/* Calls a loader; TypeError unless it returns a Module. */
int tvmffi_loader_call(TVMFFIObject *loader, const TVMFFIAny *args, int32_t num_args,
                       TVMFFIObject **out);

/* ---- The tables of this layer ---- */

extern const tvmffi_builtin_group tvmffi_module_builtins;
extern const tvmffi_builtin_group tvmffi_loading_builtins;
extern const tvmffi_builtin_type_group tvmffi_module_types;

#endif /* TVMFFI_MODULE_MODULE_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of kernels: files (library_file.h), and the system library, which is the code linked
 * into the program. Both give modules of kind `library` (library_module.c).
 */
#ifndef TVMFFI_MODULE_LIBRARY_H_
#define TVMFFI_MODULE_LIBRARY_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "module/library_file.h"
#include "module/module.h"

/*
 * Where symbols come from, an object that modules hold. One for each load; those of one file share
 * what was opened.
 */
typedef struct {
  TVMFFIObject header;
  tvmffi_library_file *file; /* NULL: the system library */
  void **context;            /* its __tvm_ffi__library_ctx, or NULL */
  TVMFFIByteArray prefix;    /* system library: tried in front of names first */
} tvmffi_library;

/* Opens a library file. InternalError with the system's reason. */
int tvmffi_library_open(const TVMFFIByteArray *path, tvmffi_library **out);

/* The system library as it looks with a prefix. */
int tvmffi_library_new_system(const TVMFFIByteArray *prefix, tvmffi_library **out);

/* The address of a symbol: *out is NULL when the library has none. Fails without memory only. */
int tvmffi_library_find(const tvmffi_library *library, const char *name, void **out);
/* The same for the symbol start + name, which tells about an exported function. */
int tvmffi_library_find_about(const tvmffi_library *library, const char *start,
                              const TVMFFIByteArray *name, void **out);
/* The same for an exported function. */
int tvmffi_library_find_kernel(const tvmffi_library *library, const TVMFFIByteArray *name,
                               void **out);

/* ---- library_module.c ------------------------------------------------------------------------ */

/*
 * A module of the library, its newest: __tvm_ffi__library_ctx points at it from now on. When the
 * newest dies the one made before it takes its place, and NULL in the end.
 */
int tvmffi_library_new_module(tvmffi_library *library, TVMFFIObject **out);

/* Equal for modules of one library (all system libraries are one), NULL for other modules. */
const void *tvmffi_library_identity(const TVMFFIObject *module);

/* The module, with all that is embedded in the library, of a library that was just opened. */
int tvmffi_library_load(tvmffi_library *library, TVMFFIObject **out);

/* ---- library_bin.c: modules embedded in a library -------------------------------------------- */

/*
 * Loads the tree of modules in the bytes of a __tvm_ffi__library_bin; *out is its root. Not more
 * than max_size bytes are read (SIZE_MAX: not known).
 */
int tvmffi_library_bin_load(tvmffi_library *library, const void *bytes, size_t max_size,
                            TVMFFIObject **out);

/* ---- system_lib.c ---------------------------------------------------------------------------- */

/* The address registered under a name, or NULL. */
void *tvmffi_system_lib_find(const char *name, size_t size);

/* The module of a prefix, made when first asked for. */
int tvmffi_system_lib_get(const TVMFFIByteArray *prefix, TVMFFIObject **out);

void tvmffi_system_lib_shutdown(void);

/* ---- context_symbol.c ------------------------------------------------------------------------ */

/* Stores the registered pointers in a library's symbols, in the order of registration. */
int tvmffi_context_symbol_apply(const tvmffi_library *library);

void tvmffi_context_symbol_shutdown(void);

#endif /* TVMFFI_MODULE_LIBRARY_H_ */

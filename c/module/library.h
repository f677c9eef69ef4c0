/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of kernels: files (load_file.c, library_file.h), and the system library, which is
 * the code linked into the program (system_lib.c). Both give modules of kind `library`
 * (library.c).
 */
#ifndef TVMFFI_MODULE_LIBRARY_H_
#define TVMFFI_MODULE_LIBRARY_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "module/library_file.h"
#include "module/module.h"

typedef struct tvmffi_library tvmffi_library;

/*
 * What differs between a file and the system library. Functions in a table, so that a program that
 * loads no files is linked without those of files.
 */
typedef struct {
  /* The address of a symbol, or NULL. name is NUL-terminated. */
  void *(*find)(const tvmffi_library *library, const char *name, size_t size);
  /* tvmffi_library_find_kernel */
  int (*find_kernel)(const tvmffi_library *library, const TVMFFIByteArray *name, void **out);
  /* The size of the symbol with that name and address; SIZE_MAX if not known. */
  size_t (*symbol_size)(const char *name, const void *address);
  /* When the library dies. */
  void (*close)(tvmffi_library *library);
} tvmffi_library_source;

/*
 * The source of symbols, an object that modules hold. Each load makes one; those of the same file
 * share a tvmffi_library_file.
 */
struct tvmffi_library {
  TVMFFIObject header;
  const tvmffi_library_source *source;
  tvmffi_library_file *file; /* NULL for the system library */
  void **context;            /* the library's __tvm_ffi__library_ctx, or NULL */
  TVMFFIByteArray prefix;    /* system library only: put in front of names first */
};

/* A library of a source. It takes the file, if it has one, on success; the prefix is copied. */
int tvmffi_library_new(const tvmffi_library_source *source, tvmffi_library_file *file,
                       const TVMFFIByteArray *prefix, tvmffi_library **out);

/* load_file.c: opens a library file. InternalError with the system's reason. */
int tvmffi_library_open(const TVMFFIByteArray *path, tvmffi_library **out);

/* The address of a symbol; *out is NULL when the library has none. Fails only without memory. */
int tvmffi_library_find(const tvmffi_library *library, const char *name, void **out);
/* The same for an exported function. */
static inline int tvmffi_library_find_kernel(const tvmffi_library *library,
                                             const TVMFFIByteArray *name, void **out) {
  return library->source->find_kernel(library, name, out);
}
/* The same, without addresses that the source has kept. */
int tvmffi_library_look_up_kernel(const tvmffi_library *library, const TVMFFIByteArray *name,
                                  void **out);

/* ---- Modules of libraries ---- */

/*
 * Makes a module of the library and stores its address in __tvm_ffi__library_ctx. When the newest
 * module dies, the address of the next older one is stored there, or NULL if none is left.
 */
int tvmffi_library_new_module(tvmffi_library *library, TVMFFIObject **out);

/*
 * The same pointer for all modules of one library (all system libraries count as one), NULL for
 * other modules.
 */
const void *tvmffi_library_identity(const TVMFFIObject *module);

/* The module of a library that was just opened, with the modules embedded in the library. */
int tvmffi_library_load(tvmffi_library *library, TVMFFIObject **out);

/* ---- library_bin.c: modules embedded in a library ---- */

/*
 * Loads the tree of modules in the bytes of a __tvm_ffi__library_bin; *out is its root. At most
 * max_size bytes are read (SIZE_MAX: size unknown).
 */
int tvmffi_library_bin_load(tvmffi_library *library, const void *bytes, size_t max_size,
                            TVMFFIObject **out);

/* ---- system_lib.c ---- */

/* The system library, looked at through a prefix. */
int tvmffi_library_new_system(const TVMFFIByteArray *prefix, tvmffi_library **out);

/* The address registered under a name, or NULL. */
void *tvmffi_system_lib_find(const char *name, size_t size);

/* The module for a prefix, made on first use. */
int tvmffi_system_lib_get(const TVMFFIByteArray *prefix, TVMFFIObject **out);

void tvmffi_system_lib_shutdown(void);

/* ---- What the runtime stores in libraries ---- */

/* Stores the registered pointers in the library's symbols, in the order of registration. */
int tvmffi_context_symbol_apply(const tvmffi_library *library);

void tvmffi_context_symbol_shutdown(void);

#endif /* TVMFFI_MODULE_LIBRARY_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Library files that are open: one record for each, however often it is loaded. And the decision
 * whether a file is unloaded when nobody uses it any more.
 */
#ifndef TVMFFI_MODULE_LIBRARY_FILE_H_
#define TVMFFI_MODULE_LIBRARY_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <tvm/ffi/c_api.h>

#include "module/library_cache.h"

typedef struct tvmffi_library_file {
  void *handle; /* the system's */
  size_t uses;  /* under the lock of library_file.c, as are the links */
  struct tvmffi_library_file *next, *previous;
  tvmffi_library_cache kernels;
} tvmffi_library_file;

/* InternalError with the system's reason. */
int tvmffi_library_file_open(const TVMFFIByteArray *path, tvmffi_library_file **out);

/* Undoes one opening. */
void tvmffi_library_file_close(tvmffi_library_file *file);

/* ---- library_close.c ------------------------------------------------------------------------- */

/*
 * Closes a library file of which no module is left. It stays loaded where code of it may still be
 * in use.
 */
void tvmffi_library_close(void *handle);

/* Whether a library that has such a symbol (taken from another library or not) may be unloaded. */
bool tvmffi_library_close_allows(const char *name, bool is_taken);

#endif /* TVMFFI_MODULE_LIBRARY_FILE_H_ */

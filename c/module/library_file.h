/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open library files: one record for each file, however often it is loaded. Also the decision
 * whether to unload a file that is no longer used.
 */
#ifndef TVMFFI_MODULE_LIBRARY_FILE_H_
#define TVMFFI_MODULE_LIBRARY_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <tvm/ffi/c_api.h>

#include "module/library_cache.h"

typedef struct tvmffi_library_file {
  void *handle; /* of the system's loader */
  size_t uses;  /* guarded, like the links, by the mutex of library_file.c */
  struct tvmffi_library_file *next, *previous;
  tvmffi_library_cache kernels;
} tvmffi_library_file;

/* InternalError with the system's reason. */
int tvmffi_library_file_open(const TVMFFIByteArray *path, tvmffi_library_file **out);

/* Undoes one opening. */
void tvmffi_library_file_close(tvmffi_library_file *file);

/* ---- library_close.c ---- */

/*
 * Closes a library file that has no modules left. It stays loaded if its code may still be in use.
 */
void tvmffi_library_close(void *handle);

/* Whether a library with this symbol, its own or taken from another library, may be unloaded. */
bool tvmffi_library_close_allows(const char *name, bool is_taken);

#endif /* TVMFFI_MODULE_LIBRARY_FILE_H_ */

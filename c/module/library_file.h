/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Library files that are loaded: one record for each file, however often it is loaded. A file stays
 * loaded, and so does its record, unless the host has allowed to unload it: code of a library may
 * be in use in ways that the runtime does not see.
 */
#ifndef TVMFFI_MODULE_LIBRARY_FILE_H_
#define TVMFFI_MODULE_LIBRARY_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <tvm/ffi/c_api.h>

#include "base/table.h"
#include "platform/platform.h"

/* ---- The files that are loaded ---- */

/*
 * The mutex of library_file.c guards all members that change once the record is listed; the table
 * of kernels is read without it.
 */
typedef struct tvmffi_library_file {
  void *handle; /* of the system's loader */
  void *group;  /* by which the library finds this runtime, or NULL */
  size_t uses;
  bool may_unload;
  bool is_identified;     /* whether the next member is known */
  tvmffi_dl_file on_disk; /* the file that was loaded */
  struct tvmffi_library_file *next, *previous;
  tvmffi_table kernels; /* addresses that were looked up */
  char *opened_path;    /* that it was opened with: the same file, perhaps written otherwise */
  char path[];          /* as the host gave it, for messages; NUL-terminated */
} tvmffi_library_file;

/* InternalError with the system's reason. */
int tvmffi_library_file_open(const TVMFFIByteArray *path, tvmffi_library_file **out);

/* Undoes one opening. The last one may unload the file. */
void tvmffi_library_file_close(tvmffi_library_file *file);

/* The address that was kept for a function with this hash (tvmffi_hash_bytes), or NULL. No lock. */
void *tvmffi_library_file_find_kernel(const tvmffi_library_file *file, const TVMFFIByteArray *name,
                                      uint64_t hash);

/* Keeps an address, as long as the file. -1 without memory, with no error raised. */
int tvmffi_library_file_keep_kernel(tvmffi_library_file *file, const TVMFFIByteArray *name,
                                    uint64_t hash, void *address);

/* Forgets the files that are not in use; they stay loaded. */
void tvmffi_library_file_shutdown(void);

/* ---- Unloading ---- */

/*
 * When a library file is unloaded: at its last closing, if the host has allowed it, and if no
 * global function, type or attribute needs code of the library then.
 */

/*
 * Whether a global function, a type or an attribute needs a library; out then says which one. Where
 * the system does not tell which code is the library's, any of them might.
 */
bool tvmffi_library_is_needed(void *handle, tvmffi_dl_reason *out);

/* Allows the file to be unloaded. RuntimeError if something needs it now. */
int tvmffi_library_allow_unload(tvmffi_library_file *file);

/*
 * Whether a field, a method or the metadata of a type needs what lies in a range of addresses; out
 * then says which type.
 */
bool tvmffi_library_types_need(const tvmffi_dl_range *range, tvmffi_dl_reason *out);

#endif /* TVMFFI_MODULE_LIBRARY_FILE_H_ */

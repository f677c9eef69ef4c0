/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libraries and inspecting those that are loaded. One implementation file per system:
 * dl_<system>.c. On POSIX systems, the functions that read tables of libraries are in one file per
 * format: dl_<format>.c, or dl_elf_none.c. Where libraries cannot be loaded: dl_none.c and
 * dl_elf_none.c.
 */
#ifndef TVMFFI_PLATFORM_DL_H_
#define TVMFFI_PLATFORM_DL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opens a library with its symbols bound lazily and hidden from libraries loaded later. Opening the
 * same file twice gives the same handle, reference-counted. Some systems also give the handle of
 * the file that was opened under the same path before, even if there is another file by now. On
 * failure returns NULL and writes the system's reason to reason as NUL-terminated text (cut to
 * reason_size bytes).
 */
void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size);

/*
 * Why a file must not be given to the system's loader, which it would crash, or NULL.
 * tvmffi_dl_open asks this. One file per format: dl_check_<format>.c, or dl_check_none.c.
 */
const char *tvmffi_dl_check(const char *path);

/* Opens a library only if it is loaded, by the path it was opened with; otherwise NULL. */
void *tvmffi_dl_open_loaded(const char *path);

/*
 * Writes a path in another way, a different one for each number, so that the system does not take
 * the file for one that was opened under that path before. The path has a slash; out has room for
 * it and kTvmffiDlRespelled more bytes.
 */
enum { kTvmffiDlRespelled = 2 * 32 + 1 };
void tvmffi_dl_respell(const char *path, uint32_t number, char *out);

/* A file on disk. While it is loaded, no other file has its device and inode. */
typedef struct {
  uint64_t device, inode, size;
  uint64_t modified, modified_nanoseconds; /* the time of the last change of its contents */
} tvmffi_dl_file;

/* The file that a path leads to now. False for a name without a slash, and if there is none. */
bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out);

/*
 * tvmffi_dl_open for a file name: first tries the directory of the library or program that contains
 * this code, if that is known for sure, and then leaves the search to the system.
 */
void *tvmffi_dl_open_beside(const char *name, char *reason, size_t reason_size);

/* Undoes one call of tvmffi_dl_open or tvmffi_dl_open_beside. */
void tvmffi_dl_close(void *handle);

/* The address of a symbol of an opened library, NULL if it has none. */
void *tvmffi_dl_symbol(void *handle, const char *name);

/*
 * Looks a symbol up in what is loaded already: first in the global scope, then in the libraries
 * listed (names, NULL at the end). The first of these that is loaded and has the symbol stays
 * loaded.
 */
void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries);

/* ---- What lies where in loaded libraries ---- */

typedef struct {
  uintptr_t begin, end;
} tvmffi_dl_range;

static inline bool tvmffi_dl_range_has(const tvmffi_dl_range *range, uintptr_t address) {
  return address - range->begin < range->end - range->begin;
}

/* The addresses of the code and data of an opened library. False if the system does not tell. */
bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out);

/*
 * The size of a data symbol of a loaded library. If the library does not tell, the number of bytes
 * that can be read at the address; SIZE_MAX if the system does not tell that either.
 */
size_t tvmffi_dl_symbol_size(const char *name, const void *address);

/*
 * Keeps the library that contains an address loaded until the process ends. Does nothing on systems
 * where tvmffi_dl_find_range is always false.
 */
void tvmffi_dl_keep(const void *address);

/*
 * The path of the library or program that contains an address: absolute, and taken from the system,
 * not from the name that the program was started with. False if it cannot be found out, or is too
 * long.
 */
bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size);

#endif /* TVMFFI_PLATFORM_DL_H_ */

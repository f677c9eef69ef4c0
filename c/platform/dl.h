/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libraries and inspecting those that are loaded. One implementation file per system:
 * dl_<system>.c. The functions that read symbol tables are in one file per format: dl_<format>.c,
 * or dl_elf_none.c.
 */
#ifndef TVMFFI_PLATFORM_DL_H_
#define TVMFFI_PLATFORM_DL_H_

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens a library with its symbols bound lazily and hidden from libraries loaded later. Opening the
 * same file twice gives the same handle, reference-counted. On failure returns NULL and writes the
 * system's reason to reason as NUL-terminated text (cut to reason_size bytes).
 */
void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size);

/*
 * The same for a file name: first tries the directory of the library or program that contains this
 * code, if that is known for sure, and then leaves the search to the system.
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

/* ---- Symbol tables of loaded libraries ---- */

/* Called for a symbol that a library defines, or imports from another (is_taken). */
typedef bool (*tvmffi_dl_visitor)(const char *name, bool is_taken);

/*
 * Whether is_fine holds for every symbol of an opened library and of the dependencies that were
 * loaded with it: everything that closing it may unload. (Libraries that are never unloaded are
 * skipped.) False also when that cannot be found out.
 */
bool tvmffi_dl_all_symbols(void *handle, tvmffi_dl_visitor is_fine);

/*
 * The size of a data symbol of a loaded library. If the library does not tell, the number of bytes
 * that can be read at the address; SIZE_MAX if the system does not tell that either.
 */
size_t tvmffi_dl_symbol_size(const char *name, const void *address);

/*
 * Keeps the library that contains an address loaded until the process ends. Does nothing on systems
 * where tvmffi_dl_all_symbols is always false.
 */
void tvmffi_dl_keep(const void *address);

/*
 * The path of the library or program that contains an address: absolute, and taken from the system,
 * not from the name that the program was started with. False if it cannot be found out, or is too
 * long.
 */
bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size);

#endif /* TVMFFI_PLATFORM_DL_H_ */

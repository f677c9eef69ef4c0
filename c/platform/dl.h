/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libraries and looking at what is loaded. One implementation file per system:
 * dl_<system>.c. What their tables say is another's: dl_<format>.c, or dl_elf_none.c.
 */
#ifndef TVMFFI_PLATFORM_DL_H_
#define TVMFFI_PLATFORM_DL_H_

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens a library for this process, its symbols bound lazily and hidden from later libraries.
 * Opening the same file twice gives the same handle, counted. NULL on failure, with the system's
 * reason as NUL-terminated text in reason (cut to reason_size bytes).
 */
void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size);

/*
 * The same for a file name: beside the library or program that holds this code, where that is known
 * for sure, or by its name.
 */
void *tvmffi_dl_open_beside(const char *name, char *reason, size_t reason_size);

/* Undoes one of them. */
void tvmffi_dl_close(void *handle);

/* The address of a symbol of an opened library, NULL if it has none. */
void *tvmffi_dl_symbol(void *handle, const char *name);

/*
 * The same among what is loaded already: with global scope, or in the first of some libraries
 * (their names, NULL at the end) that is there, which then stays loaded.
 */
void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries);

/* ---- Tables of loaded libraries -------------------------------------------------------------- */

/* A symbol that a library has, or takes from another. */
typedef bool (*tvmffi_dl_visitor)(const char *name, bool is_taken);

/*
 * Whether is_fine holds for every symbol of an opened library, and of those it brought along: all
 * that closing it may take away. (What is never unloaded is not asked about.) False also when
 * that cannot be found out.
 */
bool tvmffi_dl_all_symbols(void *handle, tvmffi_dl_visitor is_fine);

/*
 * The size of a data symbol of a loaded library. Where the library does not tell, how many bytes
 * can be read there; SIZE_MAX if the system does not tell either.
 */
size_t tvmffi_dl_symbol_size(const char *name, const void *address);

/*
 * Has the library that an address lies in stay loaded as long as the process. Nothing happens
 * where tvmffi_dl_all_symbols never holds.
 */
void tvmffi_dl_keep(const void *address);

/*
 * The path of the library or program that an address lies in: absolute, and not what whoever
 * started the program says it is called. False where that cannot be found out, or is too long.
 */
bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size);

#endif /* TVMFFI_PLATFORM_DL_H_ */

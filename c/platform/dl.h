/* SPDX-License-Identifier: Apache-2.0 */
/* Loading libraries and looking at what is loaded. One implementation file per system. */
#ifndef TVMFFI_PLATFORM_DL_H_
#define TVMFFI_PLATFORM_DL_H_

#include <stddef.h>

/*
 * Opens a library for this process, its symbols bound lazily and hidden from later libraries.
 * Opening the same file twice gives the same handle, counted. NULL on failure, with the system's
 * reason as NUL-terminated text in reason (cut to reason_size bytes).
 */
void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size);

/* The same for a file name: beside the library or program that holds this code, or by its name. */
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

#endif /* TVMFFI_PLATFORM_DL_H_ */

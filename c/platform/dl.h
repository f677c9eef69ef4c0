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

/* Undoes one tvmffi_dl_open. */
void tvmffi_dl_close(void *handle);

/* The address of a symbol of an opened library, NULL if it has none. */
void *tvmffi_dl_symbol(void *handle, const char *name);

/* The same among everything the program has loaded with global scope. */
void *tvmffi_dl_global_symbol(const char *name);

#endif /* TVMFFI_PLATFORM_DL_H_ */

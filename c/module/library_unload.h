/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a library file is unloaded: at its last closing, if the host has allowed it, and if no
 * global function, type or attribute needs code of the library then.
 */
#ifndef TVMFFI_MODULE_LIBRARY_UNLOAD_H_
#define TVMFFI_MODULE_LIBRARY_UNLOAD_H_

#include <stdbool.h>
#include <stddef.h>

#include "module/library_file.h"

/*
 * Whether a global function, a type or an attribute needs a library; out then says which one. Where
 * the system does not tell which code is the library's, any of them might.
 */
bool tvmffi_library_is_needed(void *handle, char *out, size_t out_size);

/* Allows the file to be unloaded. RuntimeError if something needs it now. */
int tvmffi_library_allow_unload(tvmffi_library_file *file);

/*
 * Unloads a file that nobody uses and no list has. False if it is open again or stays open: because
 * something needs it, which is logged, or because others have it open, too.
 */
bool tvmffi_library_unload(tvmffi_library_file *file);

/*
 * Whether a field, a method or the metadata of a type needs what lies in a range of addresses; out
 * then says which type, as NUL-terminated text.
 */
bool tvmffi_library_types_need(const tvmffi_dl_range *range, char *out, size_t out_size);

#endif /* TVMFFI_MODULE_LIBRARY_UNLOAD_H_ */

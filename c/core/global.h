/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions. */
#ifndef TVMFFI_CORE_GLOBAL_H_
#define TVMFFI_CORE_GLOBAL_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/platform.h"

/* [own] A new reference to the function of that name; 0 with *out NULL if there is none. */
int tvmffi_global_get(const char *name, size_t size, TVMFFIObject **out);

/* Removes a name. *out_removed says whether it was registered. */
int tvmffi_global_remove(const char *name, size_t size, bool *out_removed);

/* A Function (int i) over a snapshot of the names: i < 0 gives their number, else the i-th name. */
int tvmffi_global_list_names(TVMFFIObject **out);

/* The metadata text of a name, "" if it has none; RuntimeError if the name is not registered. */
int tvmffi_global_metadata(const char *name, size_t size, TVMFFIAny *out);

/*
 * Whether a global function needs what lies in a range of addresses; out then says which one, as
 * NUL-terminated text.
 */
bool tvmffi_global_needs_range(const tvmffi_dl_range *range, tvmffi_dl_reason *out);

/* Releases all global functions; the built-in ones are entered again on the next use. */
void tvmffi_global_shutdown(void);

#endif /* TVMFFI_CORE_GLOBAL_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions. */
#ifndef TVMFFI_CORE_GLOBAL_H_
#define TVMFFI_CORE_GLOBAL_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* A new reference to the function of that name; NULL in *out, and 0, when there is none. */
int tvmffi_global_get(const char *name, size_t size, TVMFFIObject **out);

/* Takes a name away. *out_removed says whether there was one. */
int tvmffi_global_remove(const char *name, size_t size, bool *out_removed);

/* A Function (int i) over the names there are now: i < 0 gives their number, else the i-th. */
int tvmffi_global_list_names(TVMFFIObject **out);

/* The metadata text of a name, "" when it has none; RuntimeError when there is no such function. */
int tvmffi_global_metadata(const char *name, size_t size, TVMFFIAny *out);

/* Releases all global functions; the built-in ones are there again when next asked for. */
void tvmffi_global_shutdown(void);

#endif /* TVMFFI_CORE_GLOBAL_H_ */

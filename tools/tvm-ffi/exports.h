/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that a library of kernels exports, and what it says of them. */
#ifndef TVM_FFI_TOOL_EXPORTS_H_
#define TVM_FFI_TOOL_EXPORTS_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *name;     /* without the prefix of the symbol */
  char *metadata; /* NULL where there is none */
  size_t metadata_size;
  char *doc; /* NULL where there is none */
  size_t doc_size;
} export_function;

/* Reads them out of the file, by name; the library is asked, in a process of its own, for what is
 * not there as data. NULL when reported. */
export_function *exports_read(const char *path, bool may_load, size_t *out_count);
void exports_free(export_function *functions, size_t count);

#endif /* TVM_FFI_TOOL_EXPORTS_H_ */

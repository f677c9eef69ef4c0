/* SPDX-License-Identifier: Apache-2.0 */
/* A library of kernels, its functions and their types. */
#ifndef TVM_FFI_TOOL_LIBRARY_H_
#define TVM_FFI_TOOL_LIBRARY_H_

#include <tvm/ffi/c.h>

#include "value/schema.h"

typedef struct {
  const char *path; /* as it was named */
  char *file;       /* what the loader was told; NULL: it is not loaded */
  TVMFFIObjectHandle module;
} library;

/* Loads it; "-" is stdin. false when reported. */
bool library_open(const char *path, library *out);
void library_close(library *of);

/* A function of the library, of its imports, or that loading it has registered; NULL when reported.
 */
TVMFFIObjectHandle library_find(const library *of, const char *name);
/* The name of the only function that it exports, of free(); NULL when reported: there are more. */
char *library_only_function(const library *of);
/* The types of a function; NULL when it does not tell them. */
schema_type *library_read_schema(const library *of, const char *name);

#endif /* TVM_FFI_TOOL_LIBRARY_H_ */

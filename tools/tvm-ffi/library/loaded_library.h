/* SPDX-License-Identifier: Apache-2.0 */
/* A library of kernels, its functions and their types. */
#ifndef TVM_FFI_TOOL_LOADED_LIBRARY_H_
#define TVM_FFI_TOOL_LOADED_LIBRARY_H_

#include <tvm/ffi/c.h>

#include "value/schema.h"

typedef struct {
  const char *path; /* as on the command line */
  char *file;       /* the path given to the loader; NULL: not loaded */
  TVMFFIObjectHandle module;
} library;

/* Loads a library; "-" is stdin. False after a report. */
bool library_open(const char *path, library *out);
void library_close(library *lib);

/* A function of the library, of its imports, or one registered while loading it; NULL after a
 * report. */
TVMFFIObjectHandle library_find(const library *lib, const char *name);
/* The name of the library's only function; release with free(). NULL after a report that it has
 * none or several. */
char *library_only_function(const library *lib);
/* The metadata of a function, JSON; release with free(). NULL if the library does not give it. */
char *library_read_metadata(const library *lib, const char *name);
/* The types of a function; NULL if the library does not give them. */
schema_type *library_read_schema(const library *lib, const char *name);

#endif /* TVM_FFI_TOOL_LOADED_LIBRARY_H_ */

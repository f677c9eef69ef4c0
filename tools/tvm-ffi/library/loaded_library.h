/* SPDX-License-Identifier: Apache-2.0 */
/* A library of kernels, its functions and their types; and the types and global functions that
 * libraries register in this process. */
#ifndef TVM_FFI_TOOL_LOADED_LIBRARY_H_
#define TVM_FFI_TOOL_LOADED_LIBRARY_H_

#include <tvm/ffi/c.h>

#include "base/command.h"
#include "value/schema.h"

/* ---- One library ---- */

typedef struct {
  const char *path; /* as on the command line */
  char *file;       /* the path given to the loader; NULL: not loaded */
  TVMFFIObjectHandle module;
} library;

/* Loads a library; "-" is stdin. False after a report. */
bool library_open(const char *path, library *out);
/* Loads a library in a helper process, as a module named isolated,OPTIONS:PATH. `options` are empty
 * or begin with a comma. False after a report; *options_are_wrong if it is these. */
bool library_open_isolated(const char *path, const char *options, library *out,
                           bool *options_are_wrong);
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

/* ---- What is registered ---- */

/* Runs the body: if there are libraries, those of --lib, in a child with all of them loaded.
 * Returns its exit code. */
int registered_load(text_list libraries, double timeout, int (*body)(void *context), void *context);

/* The first type with this index or a higher one; NULL after the last. */
const TVMFFITypeInfo *registered_next_type(int32_t first);
int64_t registered_count_types(void);

/* These are false with the error raised. */
bool registered_count_functions(int64_t *out);
/* The sorted names; release each of them and the list with free(). */
bool registered_list_functions(char ***out_names, size_t *out_count);
/* The metadata, to be cleared; None if there is none. Leaves no error raised. */
TVMFFIAny registered_get_metadata(const char *function_name);

#endif /* TVM_FFI_TOOL_LOADED_LIBRARY_H_ */

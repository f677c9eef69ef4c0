/* SPDX-License-Identifier: Apache-2.0 */
/* Typed wrappers of a library's functions, in several languages. */
#ifndef TVM_FFI_TOOL_STUB_H_
#define TVM_FFI_TOOL_STUB_H_

#include "value/schema.h"

typedef struct {
  char *name;        /* as exported: an identifier */
  schema_type *type; /* NULL: not told */
  char *doc;         /* lines that can be shown; NULL */
  char *word;        /* the name in the language: no word of it, and no other's */
  char **params;     /* the same, of each parameter */
} stub_function;

typedef struct {
  char *file;   /* the name of the library's file, without folders, as it can be shown */
  char *prefix; /* what the wrappers are called after: an identifier */
  stub_function *functions;
  size_t num_functions;
} stub_library;

typedef struct {
  const char *name;
  /* Words that are not to be used as names of functions and of parameters; in both up to a NULL. */
  const char *const *reserved_functions, *const *reserved;
  /* Puts a text into a comment, where its lines have to stay. */
  void (*write)(text *to, const stub_library *library);
} stub_language;

/* Of C and C++, up to a NULL. */
extern const char *const kStubCWords[];
/* Lines up to a NULL; the first is about the file itself. */
extern const char *const kStubRustRuntime[];
extern const stub_language kStubC, kStubCxx, kStubPython, kStubRust;

/* Whether it is wrapped. */
bool stub_is_typed(const stub_function *function);
/* Each line of the documentation behind the indent; "" and nothing else where there is none. What
 * would end a comment of C, or go on after it, is taken apart. */
void stub_write_doc(text *to, const stub_function *function, const char *indent);
/* "scale(x: Tensor) -> None" */
void stub_write_signature(text *to, const stub_function *function);
/* Says which functions are not wrapped, each in a line behind the indent. */
void stub_write_untyped(text *to, const stub_library *library, const char *indent);

#endif /* TVM_FFI_TOOL_STUB_H_ */

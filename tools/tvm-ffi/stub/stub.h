/* SPDX-License-Identifier: Apache-2.0 */
/* Generates typed wrappers of a library's functions, in several languages. */
#ifndef TVM_FFI_TOOL_STUB_H_
#define TVM_FFI_TOOL_STUB_H_

#include "value/schema.h"

typedef struct {
  char *name;        /* as exported */
  schema_type *type; /* its signature; NULL: not known */
  char *doc;         /* lines safe to print; NULL */
  char *word;        /* the name in the language: neither a keyword nor another function's; NULL
                        if not wrapped */
  char **params;     /* the same for each parameter, ends with NULL */
} stub_function;

typedef struct {
  char *file;   /* the library's file name, without folders, safe to print */
  char *prefix; /* the wrappers are named after it: an identifier */
  stub_function *functions;
  size_t num_functions;
  bool is_unasked;    /* it has functions that tell types, which were not called */
  bool is_unreadable; /* it has metadata, of which no signature was read: profile=core reads none */
} stub_library;

typedef struct {
  const char *name;
  /* Words that must not name functions, or parameters; both lists end with NULL. */
  const char *const *reserved_functions, *const *reserved;
  /* Whether another name must not name a function, or a parameter; NULL: none. */
  bool (*is_reserved)(const char *name, bool is_param);
  /* Appends the source of all wrappers. */
  void (*write)(text_buf *out, const stub_library *library);
} stub_language;

/* The lines of stub_runtime.rs; ends with NULL. The first line is about the file itself. */
extern const char *const kStubRustRuntime[];
extern const stub_language kStubC, kStubCxx, kStubPython, kStubRust;

/* Whether the function has a usable name, and so gets a wrapper. */
bool stub_is_wrapped(const stub_function *function);
/* Whether its types are known; the wrapper of any other takes any arguments. */
bool stub_is_typed(const stub_function *function);
/* Chooses the names of the wrappers and their parameters, and the prefix, that of the file if
 * `prefix` is NULL: none is a word that the language reserves, or another's. */
void stub_name(stub_library *library, const stub_language *language, const char *prefix);
/* Adds each line of the documentation after `indent`; nothing if there is none. Spaces are inserted
 * into what would begin or end a comment in C. */
void stub_write_doc(text_buf *out, const stub_function *function, const char *indent);
/* "scale(x: Tensor) -> None"; "scale(...) -> Any" */
void stub_write_signature(text_buf *out, const stub_function *function);
/* Lists the functions that are not wrapped and those without types, one per line after `indent`;
 * nothing if there is none. */
void stub_write_remarks(text_buf *out, const stub_library *library, const char *indent);

#endif /* TVM_FFI_TOOL_STUB_H_ */

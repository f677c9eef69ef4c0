/* SPDX-License-Identifier: Apache-2.0 */
/* The exports of a library, collected from its file. */
#ifndef TVM_FFI_TOOL_LISTING_H_
#define TVM_FFI_TOOL_LISTING_H_

#include "base/command.h"
#include "file/binary_file.h"
#include "file/module_tree.h"

/* The prefix of the names of exported functions. */
#define FUNCTION_PREFIX "__tvm_ffi_"

/* Tells users how a library gets functions. */
#define LISTING_EXPORT_HINT                                             \
  "in C define kernels with TVM_FFI_C_EXPORT, in C++ export them with " \
  "TVM_FFI_DLL_EXPORT_TYPED_FUNC"

typedef struct {
  const char *name; /* without the prefix */
  uint64_t size;
  char *metadata;   /* unchanged, as in the library; NULL */
  char *type, *doc; /* safe to print; NULL */
  bool can_ask;     /* the library exports a function that returns the metadata */
  char *wrong;      /* why the library returned no metadata or doc; NULL */
} listed_function;

typedef struct {
  const binary_file *file;
  listed_function *functions;
  size_t num_functions;
  const unsigned char *bin_bytes; /* NULL: no embedded modules */
  const char *bin_wrong;          /* what is wrong with them; NULL */
  library_bin bin;
} listing;

/* Collects the embedded modules and the exported functions, sorted by name or by size; only
 * the functions that one of the patterns matches, or all if there is no pattern. */
void listing_collect(const binary_file *file, text_list patterns, bool by_size, listing *out);
/* The same of all functions, sorted by name. */
void listing_collect_all(const binary_file *file, listing *out);
/* Stores metadata returned by the library itself. */
void listing_set_metadata(listed_function *function, const char *bytes, size_t size);
void listing_free(listing *list);

#endif /* TVM_FFI_TOOL_LISTING_H_ */

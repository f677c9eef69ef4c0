/* SPDX-License-Identifier: Apache-2.0 */
/* What a library exports, gathered from its file. */
#ifndef TVM_FFI_TOOL_LISTING_H_
#define TVM_FFI_TOOL_LISTING_H_

#include "base/command.h"
#include "file/elf_file.h"
#include "file/library_bin.h"

typedef struct {
  const char *name; /* without the prefix */
  uint64_t size;
  char *metadata;   /* as the library has it; NULL */
  char *type, *doc; /* to be shown; NULL */
  bool can_ask;     /* the library has a function that gives the metadata */
  char *wrong;      /* why the library gave no metadata or doc; NULL */
} listed_function;

typedef struct {
  const elf_file *file;
  listed_function *functions;
  size_t num_functions;
  const unsigned char *bin_bytes; /* NULL: no embedded modules */
  const char *bin_wrong;          /* what is wrong with them; NULL */
  library_bin bin;
} listing;

/* The exported functions that --match of the command line asks for, all where that is NULL, by name
 * or by size, and the embedded modules. */
void listing_collect(const elf_file *file, const arguments *asked, bool by_size, listing *out);
/* Adds what the library itself gives as metadata. */
void listing_set_metadata(listed_function *of, const char *bytes, size_t size);
void listing_free(listing *of);

#endif /* TVM_FFI_TOOL_LISTING_H_ */

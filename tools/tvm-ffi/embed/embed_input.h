/* SPDX-License-Identifier: Apache-2.0 */
/* What is embedded, read: files, or a tree of modules by its list. */
#ifndef TVM_FFI_TOOL_EMBED_INPUT_H_
#define TVM_FFI_TOOL_EMBED_INPUT_H_

#include "embed/embed.h"
#include "embed/module_list.h"

/* A name in what is written, and who has it. */
typedef struct {
  const char *symbol, *owner;
} taken_name;

/* What is to be embedded, and everything that it borrows. */
typedef struct {
  embedding what;
  char *name;   /* what symbols begin with, or are; to be there first, of free() */
  char **owned; /* bytes and paths */
  size_t num_owned;
  taken_name *taken;
  size_t num_taken;
  module_list list;
  text bin;
} embed_input;

/* A file, as NAME_<file>; false when reported, as by those below. */
bool embed_input_add_file(embed_input *in, const char *path);
/* The one file that TVM_FFI_EMBED_CUBIN(NAME) asks for. */
bool embed_input_add_cubin(embed_input *in, const char *path);
/* The modules of a list, as one symbol. */
bool embed_input_add_modules(embed_input *in, const char *path);
void embed_input_free(embed_input *in);

#endif /* TVM_FFI_TOOL_EMBED_INPUT_H_ */

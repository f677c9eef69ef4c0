/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what is to be embedded: files, or a tree of modules by its list. */
#ifndef TVM_FFI_TOOL_EMBED_INPUT_H_
#define TVM_FFI_TOOL_EMBED_INPUT_H_

#include "embed/embed.h"
#include "embed/module_list.h"

/* A symbol of the output, and the input it belongs to. */
typedef struct {
  const char *symbol, *owner;
} taken_name;

/* What is to be embedded, with everything that `content` borrows. */
typedef struct {
  embedding content;
  char *name;   /* [own] prefix of the symbols, or the symbol; set before the first call, freed
                   with free() */
  char **owned; /* bytes and paths */
  size_t num_owned;
  taken_name *taken;
  size_t num_taken;
  module_list list;
  text bin;
} embed_input;

/* Adds a file as NAME_<file>. Like those below, false after a report. */
bool embed_input_add_file(embed_input *input, const char *path);
/* Adds the one file for TVM_FFI_EMBED_CUBIN(NAME). */
bool embed_input_add_cubin(embed_input *input, const char *path);
/* Adds the modules of a list, as one symbol. */
bool embed_input_add_modules(embed_input *input, const char *path);
void embed_input_free(embed_input *input);

#endif /* TVM_FFI_TOOL_EMBED_INPUT_H_ */

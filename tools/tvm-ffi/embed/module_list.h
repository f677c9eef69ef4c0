/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of modules as a text with a line for each, the root first:
 *
 *     KIND [FILE] [-> NUMBER...]
 *
 * KIND `_lib` is the library itself and has no FILE; others have one, beside the list. Numbers are
 * those of imported modules, the first line is 0. A word may be in double quotes, where \", \\ and
 * \xNN stand for bytes; # begins a comment. */
#ifndef TVM_FFI_TOOL_MODULE_LIST_H_
#define TVM_FFI_TOOL_MODULE_LIST_H_

#include "file/library_bin.h"

typedef struct {
  library_bin tree; /* with the bytes of the files */
  char **paths;     /* of each module; NULL for the library itself */
} module_list;

/* False when reported. `path` is "-" for stdin, and the files are in this folder then. */
bool module_list_read(const char *path, module_list *out);
void module_list_free(module_list *of);

/* Adds the text for a tree and names of files. */
void module_list_write(const library_bin *tree, char *const *names, text *out);

#endif /* TVM_FFI_TOOL_MODULE_LIST_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of modules as text, one line per module, the root first:
 *
 *     KIND [FILE] [-> NUMBER...]
 *
 * KIND `_lib` is the library itself and has no FILE; the others have one, in the folder of the
 * list. The numbers are the lines of imported modules, counted from 0. A word may be in double
 * quotes, with the escapes \", \\ and \xNN; # begins a comment. */
#ifndef TVM_FFI_TOOL_MODULE_LIST_H_
#define TVM_FFI_TOOL_MODULE_LIST_H_

#include "file/library_bin.h"

typedef struct {
  library_bin tree; /* with the bytes of the files */
  char **paths;     /* one per module; NULL for the library itself */
} module_list;

/* False after a report. `path` "-" is stdin, with the files in the current folder. */
bool module_list_read(const char *path, module_list *out);
void module_list_free(module_list *list);

/* Appends the list of a tree whose payloads are in files of these names. */
void module_list_write(const library_bin *tree, char *const *names, text *out);

#endif /* TVM_FFI_TOOL_MODULE_LIST_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of modules embedded in a library: its binary form, and as a text. */
#ifndef TVM_FFI_TOOL_MODULE_TREE_H_
#define TVM_FFI_TOOL_MODULE_TREE_H_

#include "base/text.h"

/* ---- In binary form: the bytes of __tvm_ffi__library_bin ---- */

#define LIBRARY_BIN_SYMBOL "__tvm_ffi__library_bin"
#define LIBRARY_BIN_SELF "_lib" /* the kind of the library's own module, which has no payload */

typedef struct {
  const char *kind;
  size_t kind_size;
  const unsigned char *payload;
  size_t payload_size;
  bool is_self;
  size_t first_import, num_imports; /* in the tree's imports */
} bin_module;

typedef struct {
  bin_module *modules; /* the root first; their kinds and payloads point into the decoded bytes */
  size_t num_modules;
  size_t *imports; /* indices of modules, in the order of the importing modules */
  size_t num_imports;
  size_t size;       /* of all bytes, including the leading length */
  size_t num_unread; /* bytes after the last module */
} library_bin;

/* NULL, or what is wrong; `out` must be freed in both cases. */
const char *library_bin_decode(const unsigned char *bytes, size_t size, library_bin *out);
void library_bin_free(library_bin *tree);

/* NULL, or what is wrong with the imports: an index out of range, or a cycle; *out_module is then
 * the module that has this import. */
const char *library_bin_check_imports(const library_bin *tree, size_t *out_module);

/* Appends the bytes, and writes the offset of each module's payload to payloads_at[]. */
void library_bin_encode(const library_bin *tree, text_buf *out, size_t *payloads_at);

/* "_lib -> cuda(sm_90, 45.1 KiB)": the root and its imports. */
void library_bin_describe(const library_bin *tree, text_buf *out);
/* Writes the modules as a JSON array "modules", with the file of each if `opt_files` has them. */
void library_bin_print(const library_bin *tree, char *const *opt_files);
/* "sm_90", "SPIR-V": the content of a payload as far as it can be recognised; "" if not. May use
 * the caller's buffer. */
const char *library_bin_describe_payload(const bin_module *module, char buffer[32]);

/* ---- As a text ---- */

/* A tree of modules as text, one line per module, the root first:
 *
 *     KIND [FILE] [-> NUMBER...]
 *
 * KIND `_lib` is the library itself and has no FILE; the others have one, in the folder of the
 * list. The numbers are the lines of imported modules, counted from 0. A word may be in double
 * quotes, with the escapes \", \\ and \xNN; # begins a comment. */

typedef struct {
  library_bin tree; /* with the bytes of the files */
  char **paths;     /* one per module; NULL for the library itself */
} module_list;

/* False after a report. `path` "-" is stdin, with the files in the current folder. */
bool module_list_read(const char *path, module_list *out);
void module_list_free(module_list *list);

/* Appends the list of a tree whose payloads are in files of these names. */
void module_list_write(const library_bin *tree, char *const *names, text_buf *out);

#endif /* TVM_FFI_TOOL_MODULE_TREE_H_ */

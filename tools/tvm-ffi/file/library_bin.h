/* SPDX-License-Identifier: Apache-2.0 */
/* The modules embedded in a library: decodes and encodes the bytes of __tvm_ffi__library_bin. */
#ifndef TVM_FFI_TOOL_LIBRARY_BIN_H_
#define TVM_FFI_TOOL_LIBRARY_BIN_H_

#include "base/text.h"

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
void library_bin_encode(const library_bin *tree, text *out, size_t *payloads_at);

/* "_lib -> cuda(sm_90, 45.1 KiB)": the root and its imports. */
void library_bin_describe(const library_bin *tree, text *out);
/* Writes the modules as a JSON array "modules", with the file of each if `opt_files` has them. */
void library_bin_print(const library_bin *tree, char *const *opt_files);
/* "sm_90", "SPIR-V": the content of a payload as far as it can be recognised; "" if not. May use
 * the caller's buffer. */
const char *library_bin_describe_payload(const bin_module *module, char buffer[32]);

#endif /* TVM_FFI_TOOL_LIBRARY_BIN_H_ */

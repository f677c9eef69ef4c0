/* SPDX-License-Identifier: Apache-2.0 */
/* The modules embedded in a library: the bytes of its __tvm_ffi__library_bin, read and written. */
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
  bin_module *modules; /* the root first; texts and payloads are those of what was read */
  size_t num_modules;
  size_t *imports; /* numbers of modules, in the order of those that import them */
  size_t num_imports;
  size_t size;       /* of all, with the length in front */
  size_t num_unread; /* bytes behind the last module */
} library_bin;

/* NULL, or what is wrong; `out` is to be freed either way. */
const char *library_bin_decode(const unsigned char *bytes, size_t size, library_bin *out);
void library_bin_free(library_bin *of);

/* What is wrong with the imports: out of range, in a circle; NULL. */
const char *library_bin_check_imports(const library_bin *of);

/* Adds the bytes; where the payload of each module begins is written to a list. */
void library_bin_encode(const library_bin *from, text *out, size_t *payloads_at);

/* "_lib -> cuda(sm_90, 45.1 KiB)": the root and what it imports. */
void library_bin_describe(const library_bin *of, text *out);
/* The modules as a list of JSON by the name "modules", with the file of each where there are any.
 */
void library_bin_print(const library_bin *of, char *const *opt_files);
/* "sm_90", "SPIR-V": what a payload shows of itself; the buffer is the caller's, "" for nothing. */
const char *library_bin_describe_payload(const bin_module *of, char buffer[32]);

#endif /* TVM_FFI_TOOL_LIBRARY_BIN_H_ */

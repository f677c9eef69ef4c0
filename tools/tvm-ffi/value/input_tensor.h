/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors from their text: "4xf32=1 2 3 4", "4xf32=@file.bin", "4xf32=rand", "@file.npy". */
#ifndef TVM_FFI_TOOL_INPUT_TENSOR_H_
#define TVM_FFI_TOOL_INPUT_TENSOR_H_

#include <tvm/ffi/c.h>

#include "base/scan.h"
#include "value/tensor_memory.h"

/* A file that was read, and how far. */
typedef struct {
  char *path;
  unsigned char *bytes;
  size_t size, at;
} input_file;

typedef struct {
  input_file *files;
  size_t num_files;
  uint64_t random;
  tensor_guard guard;
} input_sources;

void input_sources_free(input_sources *sources);

/* Whether a type of tensors, "4xf32" or "f32=", begins here. */
bool input_tensor_begins(const scan *s, bool is_storage);
/* Such a tensor; *has_contents says whether it had any. NULL when reported. */
TVMFFIObjectHandle input_tensor_read(input_sources *from, scan *s, bool *has_contents);

/* The file that `path` names, from its beginning on if that is asked for; NULL when reported. */
input_file *input_file_open(input_sources *from, const scan *s, const char *path, bool from_start);
/* The array at its place. NULL when reported. */
TVMFFIObjectHandle input_file_read_npy(input_sources *from, scan *s, input_file *file);

#endif /* TVM_FFI_TOOL_INPUT_TENSOR_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Parses tensors: "4xf32=1 2 3 4", "4xf32=@file.bin", "4xf32=rand", "@file.npy". */
#ifndef TVM_FFI_TOOL_INPUT_TENSOR_H_
#define TVM_FFI_TOOL_INPUT_TENSOR_H_

#include <tvm/ffi/c.h>

#include "base/files.h"
#include "base/scan.h"
#include "value/tensor_memory.h"

/* A file, and the position reached in it. */
typedef struct {
  char *path;
  file_reader reader;
  size_t pos;
} input_file;

typedef struct {
  input_file *files;
  size_t num_files;
  uint64_t random;
  tensor_guard guard;
} input_sources;

void input_sources_free(input_sources *sources);

/* Whether a tensor begins here: "4xf32" or "f32="; with `is_storage`, "f32" too. */
bool input_tensor_begins(const scan *s, bool is_storage);
/* Reads a tensor; *has_contents is whether its contents were given. NULL after a report. */
TVMFFIObjectHandle input_tensor_read(input_sources *sources, scan *s, bool *has_contents);

/* Opens a file, or returns the one opened before, optionally rewound; NULL after a report. */
input_file *input_file_open(input_sources *sources, const scan *s, const char *path,
                            bool from_start);
/* Whether more bytes follow; false after a report. */
bool input_file_peek(input_file *file, bool *out_more);
/* Reads the array at the file's position. NULL after a report. */
TVMFFIObjectHandle input_file_read_npy(input_sources *sources, scan *s, input_file *file);

#endif /* TVM_FFI_TOOL_INPUT_TENSOR_H_ */

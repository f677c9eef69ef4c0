/* SPDX-License-Identifier: Apache-2.0 */
/* Packed arrays as they are written in arguments: "4xf32=1 2 3 4", "4xf32=@file.bin", "4xf32=rand",
 * "@file.npy". Layouts, and all other values, are in input.h. Functions that fail have reported
 * why. */
#ifndef TVM_FFI_TOOL_INPUT_CONTENTS_H_
#define TVM_FFI_TOOL_INPUT_CONTENTS_H_

#include <tvm/ffi/c.h>

#include "base/argument_scanner.h"
#include "base/files.h"
#include "value/layout.h"

/* ---- Types: "4xf32" ---- */

typedef struct {
  DLDataType dtype;
  int32_t ndim;
  int64_t shape[kLayoutMaxDims];
} tensor_type;

/* Whether a tensor begins here: "4xf32", "f32=" or "f32.guard(end)"; with `is_storage`, "f32"
 * too. */
bool tensor_type_begins(const scan *s, bool is_storage);
bool tensor_type_read(scan *s, tensor_type *out);
/* A new tensor; NULL on failure. */
TVMFFIObjectHandle tensor_type_create(scan *s, const tensor_type *type);

/* ---- Files, and random numbers ---- */

/* A file, and the position reached in it. */
typedef struct {
  char *path;
  file_reader reader;
  size_t pos;
} input_file;

/* What the texts of one command line share. */
typedef struct {
  input_file *files;
  size_t num_files;
  uint64_t random; /* the state of the generator */
} input_sources;

void input_sources_free(input_sources *sources);

/* Opens a file, or returns the one opened before, optionally rewound; NULL on failure. */
input_file *input_file_open(input_sources *sources, const scan *s, const char *path,
                            bool from_start);
/* Whether more bytes follow. */
bool input_file_peek(input_file *file, bool *out_more);
/* The next array of a file ".npy", in the order of C; *is_fortran is whether the file has that of
 * Fortran. `wanted` gives the element type if NumPy knows only its size; may be NULL. NULL on
 * failure. */
TVMFFIObjectHandle input_file_read_npy(scan *s, input_file *file, const tensor_type *wanted,
                                       bool *is_fortran);

/* ---- Contents ---- */

/* Reads what follows "=": a tensor of that type; NULL on failure. */
TVMFFIObjectHandle contents_read(input_sources *sources, scan *s, const tensor_type *type,
                                 bool *is_random);

#endif /* TVM_FFI_TOOL_INPUT_CONTENTS_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Parses arguments of a call: IREE's grammar, extended by more kinds of values. */
#ifndef TVM_FFI_TOOL_INPUT_H_
#define TVM_FFI_TOOL_INPUT_H_

#include <tvm/ffi/c.h>

#include "base/argument_scanner.h"
#include "value/layout.h"
#include "value/schema.h"

/* ---- Layouts of tensors: input_layout.c ---- */

/* What stands behind an array in an argument, and says how the tensor lies in memory: slices as in
 * NumPy, ".T", ".byte_offset(8)" (docs/reference/commands/run.md#layouts-of-tensors). */

/* What the array is. */
typedef enum { kViewOfType, kViewOfFile, kViewOfArgument } view_source;

/* One dimension. Both strides are in elements. */
typedef struct {
  int64_t extent;
  int64_t stride; /* in memory */
  int64_t packed; /* in a row-major copy of the array */
} view_axis;

/* An array in memory: the axes, and the offsets of its lowest and highest element from the first.
 * Both are 0 if there are none. */
typedef struct {
  int32_t ndim;
  view_axis axes[kLayoutMaxDims];
  int64_t low, high;
} view_array;

typedef struct {
  view_source source;
  DLDataType dtype;
  view_array base, part;
  int64_t first, packed_first; /* where the part begins in the base, in elements of both strides */
  layout how;
  bool has_layout;  /* something was read: */
  const char *text; /* that, of so many bytes; lent from the text that was scanned */
  size_t text_size;
  bool is_part; /* a slice or .T was */
  bool is_dltensor;
} view;

/* The whole of a row-major array, or after a report false. */
bool view_begin(view *v, view_source source, const scan *s, DLDataType dtype, const int64_t *shape,
                int32_t ndim);
/* Whether a layout begins here; other text is not one, or a misspelt one. */
bool view_follows(const char *pos, const char *end);
/* Reads all that follows; false after a report. `file_is_fortran`: for .order(K). */
bool view_read(view *v, scan *s, bool file_is_fortran);

/* The extents of the part; of its contents, in which a dimension of stride 0 has one element. */
void view_get_shape(const view *v, int64_t *out);
void view_get_contents_shape(const view *v, int64_t *out);

/* Makes storage with the base, and the part as its tensor; NULL with an error raised. */
storage *view_make_storage(const view *v);
/* The same in the memory that was made for another view, from which this one was copied. */
storage *view_share_storage(const view *v, const view *other, storage *memory);

/* ---- Arguments ---- */

/* The memory of a tensor whose layout was given, that has a guard, or that arguments share. */
typedef struct {
  storage *stored;
  view seen;
  TVMFFIObjectHandle moved; /* the Tensor of a DLTensor * that was replaced; NULL */
} input_memory;

/* A tensor inside a list or a map, and how it was written. */
typedef struct {
  TVMFFIObjectHandle tensor;
  bool is_storage, has_values; /* as of an input */
  bool has_layout;
} inner_input;

typedef struct {
  TVMFFIAny value;
  bool is_storage;      /* "&4xf32" or "4xf32": a tensor that the function is to fill */
  bool has_values;      /* "&4xf32=1": one that it is to change */
  input_memory *memory; /* NULL: it is a tensor of tensor_new(), or none */
  inner_input *inner;   /* of a list or a map, in the order of the text */
  size_t num_inner;
} input;

typedef struct {
  input *items;
  size_t size, capacity;
} input_list;

void input_list_free(input_list *list);

/* Puts another Tensor [take] in the place of an argument that is one, or a DLTensor *. */
void input_replace(input *item, TVMFFIObjectHandle tensor);

/* State shared by the texts of one command line: positions in files, and of the random numbers. */
typedef struct input_reader input_reader;
input_reader *input_reader_new(uint64_t seed, tensor_guard guard);
void input_reader_free(input_reader *reader);

/* Reads one text of `--input` or `--expected_output`; "*file.npy" is several values. `label` names
 * the text in errors; `function` gives the types of the values and may be NULL. False after a
 * report. */
bool input_read(input_reader *reader, const char *spec, const char *label,
                const schema_type *function, input_list *list);

/* Reads the text between the parentheses of `f(a, b)`. */
bool input_read_call(input_reader *reader, const char *arguments, size_t size,
                     const schema_type *function, input_list *list);

#endif /* TVM_FFI_TOOL_INPUT_H_ */

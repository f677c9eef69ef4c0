/* SPDX-License-Identifier: Apache-2.0 */
/* Parses arguments of a call: IREE's grammar, extended by more kinds of values. */
#ifndef TVM_FFI_TOOL_INPUT_H_
#define TVM_FFI_TOOL_INPUT_H_

#include <tvm/ffi/c.h>

#include "value/layout.h"
#include "value/schema.h"
#include "value/view.h"

/* The memory of a tensor whose layout was given, that has a guard, or that arguments share. */
typedef struct {
  storage *stored;
  view seen;
  TVMFFIObjectHandle moved; /* the Tensor of a DLTensor * that was replaced; NULL */
} input_memory;

typedef struct {
  TVMFFIAny value;
  bool is_storage;      /* "&4xf32" or "4xf32": a tensor that the function is to fill */
  input_memory *memory; /* NULL: it is a tensor of tensor_new(), or none */
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

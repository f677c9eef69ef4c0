/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a call: its result, and the tensors that it filled or changed. */
#ifndef TVM_FFI_TOOL_OUTPUT_H_
#define TVM_FFI_TOOL_OUTPUT_H_

#include "base/command.h"
#include "value/input.h"
#include "value/tensor_text.h"

typedef struct {
  char name[32]; /* "result[0]", "arg[2]" */
  TVMFFIAny value;
} output;

typedef struct {
  output *items;
  size_t size;
} output_list;

/* The contents of tensors before the call, to detect which of them it changes. */
typedef struct {
  TVMFFIObjectHandle *copies; /* one per input, NULL for inputs that are not compared */
  size_t size;
} snapshot;

void snapshot_take(const input_list *inputs, snapshot *out);
void snapshot_free(snapshot *initial);

/* Collects the result [take], unless it is None, and then the arguments that are storage or were
 * changed. A list with tensors counts as several results. */
void output_collect(TVMFFIAny result, const input_list *inputs, const snapshot *initial,
                    output_list *out);
void output_list_free(output_list *list);

/* Whether output_write() accepts every --output; false after a report. */
bool output_check(const arguments *args);
/* Writes an output as a text of --output says: not at all (""), printed ("-"), or to a file
 * ("@f.npy", "+f.npy", "@f.bin", "+f.bin"). False after a report. */
bool output_write(const output *item, const char *spec, const tensor_detail *detail);
/* "arg[2]: 4xf32=1 2 3 4" */
void output_print(const output *item, const tensor_detail *detail);

#endif /* TVM_FFI_TOOL_OUTPUT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* What a call leaves: its result, and the tensors that it filled or changed. */
#ifndef TVM_FFI_TOOL_OUTPUT_H_
#define TVM_FFI_TOOL_OUTPUT_H_

#include "base/command.h"
#include "value/input.h"

typedef struct {
  char name[32]; /* "result[0]", "arg[2]" */
  TVMFFIAny value;
} output;

typedef struct {
  output *items;
  size_t size;
} output_list;

/* What tensors hold before the call, to see which of them it changes. */
typedef struct {
  TVMFFIObjectHandle *copies; /* one per input, NULL for what is not compared */
  size_t size;
} snapshot;

void snapshot_take(const input_list *inputs, snapshot *out);
void snapshot_free(snapshot *of);

/* The result, unless it is None (a list that has tensors is as many results), and after it the
 * arguments that are storage or were changed. `result` is taken. */
void output_collect(TVMFFIAny result, const input_list *inputs, const snapshot *before,
                    output_list *out);
void output_list_free(output_list *of);

/* Whether each --output is one that output_write() takes; false when reported. */
bool output_check(const arguments *args);
/* Does what a text of --output says: nothing (""), print ("-"), a file ("@f.npy", "+f.npy",
 * "@f.bin", "+f.bin"). false when reported. */
bool output_write(const output *one, const char *spec, size_t max_elements);
/* "arg[2]: 4xf32=1 2 3 4" */
void output_print(const output *one, size_t max_elements);

#endif /* TVM_FFI_TOOL_OUTPUT_H_ */

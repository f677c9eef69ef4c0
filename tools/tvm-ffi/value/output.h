/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a call, which are its result and the tensors that it filled or changed, and their
 * comparison with expected ones. */
#ifndef TVM_FFI_TOOL_OUTPUT_H_
#define TVM_FFI_TOOL_OUTPUT_H_

#include <tvm/ffi/c.h>

#include "base/command.h"
#include "base/text.h"
#include "value/input.h"
#include "value/value_text.h"

/* ---- Outputs ---- */

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

/* Whether output_write() accepts every text of --output; false after a report. `as_json`: the
 * results are printed as JSON, among which no output may be. */
bool output_check(text_list specs, bool as_json);
/* Writes an output as a text of --output says: not at all (""), printed ("-"), or to a file
 * ("@f.npy", "+f.npy", "@f.bin", "+f.bin"). False after a report. */
bool output_write(const output *item, const char *spec, const tensor_detail *detail);
/* "arg[2]: 4xf32=1 2 3 4" */
void output_print(const output *item, const tensor_detail *detail);

/* ---- Comparison ---- */

/* A number may differ by absolute + relative * |expected|. Negative values stand for the default of
 * the type, which for integers is 0. */
typedef struct {
  double absolute, relative;
  double overflow; /* from there on, a number equals an infinity of its sign, and NaN equals all, as
                      sums may overflow in one of two types; 0: none does */
} tolerance;

typedef struct {
  bool is_same;
  bool has_numbers;    /* numbers were compared, and max_error is set */
  double max_error;    /* the largest |value - expected| */
  text_buf difference; /* the first one, "element [1] is 5, expected 6"; empty if there is none */
  text_buf largest;    /* where max_error is, and what the distance is there, "[1]: 5, expected 6,
                          relative 0.167, 2097152 ULP"; empty if no elements differ */
} comparison;

/* Compares tensors element by element, numbers by value, lists item by item, and maps by what their
 * keys and values are, not by which objects; NaN equals NaN, and an infinity itself. Everything
 * else is compared by the runtime. */
void compare_values(const TVMFFIAny *value, const TVMFFIAny *expected, const tolerance *allowed,
                    comparison *out);
void comparison_free(comparison *result);

#endif /* TVM_FFI_TOOL_OUTPUT_H_ */

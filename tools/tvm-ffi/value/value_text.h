/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, in the syntax of inputs if the value has one, and as JSON; what maps have. */
#ifndef TVM_FFI_TOOL_VALUE_TEXT_H_
#define TVM_FFI_TOOL_VALUE_TEXT_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/c.h>

#include "base/text.h"
#include "value/number.h"

/* ---- Tensors ---- */

/* "2x2xf32"; "f32" without dimensions. */
void tensor_type_write(text_buf *out, DLDataType dtype, const int64_t *shape, int32_t ndim);
/* How much of a tensor is written. */
typedef struct {
  size_t max_elements; /* so many, and "..." if there are more */
  size_t max_unelided; /* a tensor with more is elided: of a long dimension, the first and last few
                          are written, with "..." between them */
} tensor_detail;

extern const tensor_detail kTensorWhole;
/* At most a thousand elements. */
extern const tensor_detail kTensorElided;

/* ---- Values ---- */

/* Whether it is an Array or a List, whose items tvm_ffi_array_get_data() has. */
bool value_is_list(const TVMFFIAny *value);

void value_write(text_buf *out, const TVMFFIAny *value, const tensor_detail *detail);

/* Writes an object with "type" and "value"; for a tensor "dtype", "shape" and "data", which has at
 * most max_elements elements. */
void value_write_json(const char *key, const char *name, const TVMFFIAny *value,
                      size_t max_elements);

/* Calls the body with each key and value of a Map or Dict, in its order; false when that returns
 * false, or if the runtime cannot tell them. */
bool value_visit_map(const TVMFFIAny *map,
                     bool (*body)(void *context, const TVMFFIAny *key, const TVMFFIAny *value),
                     void *context);

#endif /* TVM_FFI_TOOL_VALUE_TEXT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values as JSON, or as text, in the syntax of inputs if the value has one. */
#ifndef TVM_FFI_TOOL_VALUE_TEXT_H_
#define TVM_FFI_TOOL_VALUE_TEXT_H_

#include <tvm/ffi/c.h>

#include "value/tensor_text.h"

void value_write(text *out, const TVMFFIAny *value, const tensor_detail *detail);

/* Writes an object with "type" and "value"; for a tensor "dtype", "shape" and "data", which has at
 * most max_elements elements. */
void value_write_json(const char *key, const char *name, const TVMFFIAny *value,
                      size_t max_elements);

#endif /* TVM_FFI_TOOL_VALUE_TEXT_H_ */

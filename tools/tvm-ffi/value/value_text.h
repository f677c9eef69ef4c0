/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values as JSON, or as text, in the syntax of inputs if the value has one. */
#ifndef TVM_FFI_TOOL_VALUE_TEXT_H_
#define TVM_FFI_TOOL_VALUE_TEXT_H_

#include <tvm/ffi/c.h>

#include "base/text.h"

/* Writes at most max_elements of each tensor. */
void value_write(text *out, const TVMFFIAny *value, size_t max_elements);

/* Writes an object with "type" and "value"; for a tensor "dtype", "shape" and "data". */
void value_write_json(const char *key, const char *name, const TVMFFIAny *value,
                      size_t max_elements);

#endif /* TVM_FFI_TOOL_VALUE_TEXT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, which is the text that gives them as an input wherever there is one, and as JSON.
 */
#ifndef TVM_FFI_TOOL_VALUE_TEXT_H_
#define TVM_FFI_TOOL_VALUE_TEXT_H_

#include <tvm/ffi/c.h>

#include "base/text.h"

/* Of tensors max_elements at most. */
void value_write(text *to, const TVMFFIAny *value, size_t max_elements);

/* An object with "type" and "value", of a tensor "dtype", "shape" and "data". */
void value_write_json(const char *key, const char *name, const TVMFFIAny *value,
                      size_t max_elements);

#endif /* TVM_FFI_TOOL_VALUE_TEXT_H_ */

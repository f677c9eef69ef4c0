/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and values in a box, for another process. */
#ifndef TVM_FFI_TOOL_BOXED_VALUE_H_
#define TVM_FFI_TOOL_BOXED_VALUE_H_

#include <tvm/ffi/c.h>

#include "process/box.h"

/* Puts a packed copy of a tensor, or that there is none: `tensor` is NULL, or cannot be read.
 * False if there is no room for it. */
bool box_put_tensor(box *b, const DLTensor *tensor);
/* Reads it [own]; NULL: there is none. False if it is not whole. */
bool box_get_tensor(box *b, TVMFFIObjectHandle *out);

/* Puts a value: arrays become lists, objects of other types what is shown of them. False if there
 * is no room for it. */
bool box_put_value(box *b, const TVMFFIAny *value);
/* Reads it [own]; what was shown is a text, and sets *shown. False if it is not whole. */
bool box_get_value(box *b, TVMFFIAny *out, bool *shown);

#endif /* TVM_FFI_TOOL_BOXED_VALUE_H_ */

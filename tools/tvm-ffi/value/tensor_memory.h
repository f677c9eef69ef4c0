/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors owned by the tool, in CPU memory. */
#ifndef TVM_FFI_TOOL_TENSOR_MEMORY_H_
#define TVM_FFI_TOOL_TENSOR_MEMORY_H_

#include <tvm/ffi/c.h>

/* Which end of a tensor adjoins inaccessible memory, in the order of the words of --guard. */
typedef enum { kGuardEnd, kGuardStart, kGuardNone } tensor_guard;

/* Makes a Tensor of zeros, aligned to 64 bytes, or to its elements if it is guarded at its end.
 * NULL with an error raised. */
TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim,
                              tensor_guard guard);

/* Makes a packed, row-major copy in CPU memory, without a guard, of any tensor there or of a packed
 * one on an open device; NULL with an error raised. */
TVMFFIObjectHandle tensor_copy(const DLTensor *tensor);

#endif /* TVM_FFI_TOOL_TENSOR_MEMORY_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of the tool's own, in memory of the CPU. */
#ifndef TVM_FFI_TOOL_TENSOR_MEMORY_H_
#define TVM_FFI_TOOL_TENSOR_MEMORY_H_

#include <tvm/ffi/c.h>

/* Which end of a tensor stands against memory that nobody may touch. */
typedef enum { kGuardNone, kGuardEnd, kGuardStart } tensor_guard;

/* A Tensor full of zeros, aligned to 64 bytes; guarded at its end, to its element. NULL, and an
 * error raised. */
TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim,
                              tensor_guard guard);

/* A packed, row-major copy in the CPU's memory, without a guard, of any tensor there and of a
 * packed one on a device that is open; NULL and an error raised. */
TVMFFIObjectHandle tensor_copy(const DLTensor *tensor);

#endif /* TVM_FFI_TOOL_TENSOR_MEMORY_H_ */

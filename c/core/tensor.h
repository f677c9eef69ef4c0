/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor objects. */
#ifndef TVMFFI_CORE_TENSOR_H_
#define TVMFFI_CORE_TENSOR_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/compiler.h"

/* DLPack's flags of these names: the first DLPack 1.x headers lack the second. */
#define TVMFFI_TENSOR_READ_ONLY (UINT64_C(1) << 0)
#define TVMFFI_TENSOR_PADDED (UINT64_C(1) << 2)

/*
 * TVMFFITensorFromDLPackVersioned without its three requirements: what an allocator of the
 * environment made is taken as it is. managed stays the caller's when this fails, and its version
 * may be one of which nothing but the deleter is known.
 */
int tvmffi_tensor_wrap_versioned(DLManagedTensorVersioned *managed, TVMFFIObjectHandle *out);

/* tensor_layout.c: looking at a DLTensor. Texts begin with `function`. */

/* ndim and shape make sense: ValueError otherwise. */
TVMFFI_COLD int tvmffi_tensor_fail_shape(const DLTensor *tensor, const char *function);
static inline int tvmffi_tensor_check_shape(const DLTensor *tensor, const char *function) {
  if (TVMFFI_LIKELY(tensor->ndim == 0 || (tensor->ndim > 0 && tensor->shape != NULL))) return 0;
  return tvmffi_tensor_fail_shape(tensor, function);
}

/* RuntimeError unless address and strides are as TVMFFITensorFromDLPack's caller demands. */
int tvmffi_tensor_check_requirements(const DLTensor *tensor, int32_t alignment, int32_t contiguous);

/*
 * Compact and row-major, or without strides. The stride of a dimension of one element does not
 * matter, and none does when there are no elements.
 */
bool tvmffi_tensor_is_contiguous(const DLTensor *tensor);

/* The bytes that the elements of a contiguous tensor take, rounded up. ValueError: too many. */
int tvmffi_tensor_data_size(const DLTensor *tensor, size_t *out);

/* Compact row-major strides of a checked shape. ValueError when they overflow. */
int tvmffi_tensor_fill_strides(const DLTensor *tensor, int64_t *strides);

#endif /* TVMFFI_CORE_TENSOR_H_ */

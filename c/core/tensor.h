/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor objects. */
#ifndef TVMFFI_CORE_TENSOR_H_
#define TVMFFI_CORE_TENSOR_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/compiler.h"

/* ---- Tensors ---- */

/* DLPack's flags of these names; the first DLPack 1.x headers lack the second. */
#define TVMFFI_TENSOR_READ_ONLY (UINT64_C(1) << 0)
#define TVMFFI_TENSOR_PADDED (UINT64_C(1) << 2)

/*
 * TVMFFITensorFromDLPackVersioned without requirements on alignment, contiguity and padding:
 * tensors of the environment's allocator are accepted as they are. managed [take on 0]; after a
 * failure, nothing but its deleter may be known of its version.
 */
int tvmffi_tensor_wrap_versioned(DLManagedTensorVersioned *managed, TVMFFIObjectHandle *out);

/* Properties of a DLTensor. Messages begin with `function`. */

/* ValueError unless ndim is 0, or is positive and there is a shape. */
TVMFFI_COLD int tvmffi_tensor_fail_shape(const DLTensor *tensor, const char *function);
static inline int tvmffi_tensor_check_shape(const DLTensor *tensor, const char *function) {
  if (TVMFFI_LIKELY(tensor->ndim == 0 || (tensor->ndim > 0 && tensor->shape != NULL))) return 0;
  return tvmffi_tensor_fail_shape(tensor, function);
}

/*
 * Whether it is compact and row-major, or has no strides. The stride of a dimension of one element
 * is ignored, and so are all strides if there are no elements.
 */
bool tvmffi_tensor_is_contiguous(const DLTensor *tensor);

/* The size in bytes of a contiguous tensor's elements, rounded up. ValueError if it overflows. */
int tvmffi_tensor_data_size(const DLTensor *tensor, size_t *out);

/* ---- Shapes ---- */

/* The body of the global function ffi.Shape: packed ints, bools count as ints. */
int tvmffi_shape_from_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

#endif /* TVMFFI_CORE_TENSOR_H_ */

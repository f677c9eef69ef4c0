/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "base/checked.h"
#include "core/error.h"
#include "core/tensor.h"

int tvmffi_tensor_fail_shape(const DLTensor *tensor, const char *function) {
  if (tensor->ndim < 0) {
    return tvmffi_fail("ValueError", "%s: ndim is %d", function, (int)tensor->ndim);
  }
  return tvmffi_fail("ValueError", "%s: shape is NULL though ndim is %d", function,
                     (int)tensor->ndim);
}

static bool is_empty(const DLTensor *tensor) {
  int32_t i;
  for (i = 0; i < tensor->ndim; ++i) {
    if (tensor->shape[i] == 0) return true;
  }
  return false;
}

/* product *= dim. False, product untouched, when dim is negative or the product overflows. */
static inline bool multiply(int64_t *product, int64_t dim) {
  if (TVMFFI_LIKELY(((uint64_t)*product | (uint64_t)dim) <= INT32_MAX)) {
    *product *= dim;
    return true;
  }
  return dim >= 0 && tvmffi_checked_mul_i64(*product, dim, product);
}

bool tvmffi_tensor_is_contiguous(const DLTensor *tensor) {
  int64_t expected = 1;
  bool has_expected = true; /* false once it overflows: no stride can match */
  int32_t i;
  if (tensor->strides == NULL || is_empty(tensor)) return true;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] == 1) continue;
    if (!has_expected || tensor->strides[i] != expected) return false;
    has_expected = multiply(&expected, tensor->shape[i]);
  }
  return true;
}

int tvmffi_tensor_fill_strides(const DLTensor *tensor, int64_t *strides) {
  int64_t product = 1;
  int32_t i;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    strides[i] = product;
    if (i == 0 || multiply(&product, tensor->shape[i])) continue;
    if (tensor->shape[i] < 0) {
      return tvmffi_fail("ValueError", "FromDLPack: shape[%d] is %lld", (int)i,
                         (long long)tensor->shape[i]);
    }
    if (!is_empty(tensor)) {
      return tvmffi_fail("ValueError", "FromDLPack: the strides overflow int64_t");
    }
    product = 0; /* any stride will do */
  }
  return 0;
}

/* Whether data is an address in this process, not an opaque handle of the device. */
static bool is_addressable(int32_t device_type) {
  return device_type <= kDLCUDAHost || device_type == kDLROCM || device_type == kDLROCMHost ||
         device_type == kDLCUDAManaged;
}

static bool is_multiple(uint64_t address, uint64_t alignment) {
  if ((alignment & (alignment - 1)) == 0) return (address & (alignment - 1)) == 0;
  return address % alignment == 0; /* this division takes longer than the rest of an import */
}

int tvmffi_tensor_check_requirements(const DLTensor *tensor, int32_t alignment,
                                     int32_t contiguous) {
  if (alignment < 0) {
    return tvmffi_fail("ValueError", "FromDLPack: require_alignment is %d", (int)alignment);
  }
  if (alignment != 0) {
    uint64_t address = tensor->byte_offset;
    if (is_addressable((int32_t)tensor->device.device_type)) address += (uintptr_t)tensor->data;
    if (!is_multiple(address, (uint64_t)alignment)) {
      return tvmffi_fail("RuntimeError", "FromDLPack: Data is not aligned to %d bytes.",
                         (int)alignment);
    }
  }
  if (contiguous != 0 && !tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("RuntimeError", "FromDLPack: Tensor is not contiguous.");
  }
  return 0;
}

int tvmffi_tensor_data_size(const DLTensor *tensor, size_t *out) {
  size_t bits = (size_t)tensor->dtype.bits * tensor->dtype.lanes;
  int32_t i;
  bool fits = true;
  for (i = 0; i < tensor->ndim && fits; ++i) {
    fits = tensor->shape[i] >= 0 && (uint64_t)tensor->shape[i] <= SIZE_MAX &&
           tvmffi_checked_mul_size(bits, (size_t)tensor->shape[i], &bits);
  }
  if (!fits) return tvmffi_fail("ValueError", "The tensor has more elements than memory can hold");
  *out = bits / 8 + (bits % 8 != 0);
  return 0;
}

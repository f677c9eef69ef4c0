/* SPDX-License-Identifier: Apache-2.0 */
#include "value/tensor.h"

#include <stdlib.h>
#include <string.h>

#include "system/system.h"
#include "value/layout.h"

static int allocate(void *context, DLTensor *tensor, size_t size) {
  enum { kAlignment = 64 };
  void *block = size <= SIZE_MAX - kAlignment ? aligned_block(size, kAlignment) : NULL;
  (void)context;
  if (block == NULL) return tvm_ffi_error_raise_memory(), -1;
  tensor->data = memset(block, 0, size);
  return 0;
}

static void release(void *context, DLTensor *tensor) {
  (void)context;
  aligned_free(tensor->data);
}

TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim) {
  static const tvm_ffi_tensor_allocator kAllocator = {allocate, release, NULL};
  TVMFFIObjectHandle out = NULL;
  if (tvm_ffi_tensor_create_with(&kAllocator, tvm_ffi_device_make(kDLCPU, 0), dtype, ndim, shape,
                                 &out) != 0) {
    return NULL;
  }
  return out;
}

/* Whether tensor_copy can read its elements: from the CPU, also from memory of the tool that is
 * said to be on another device, or (*on_device) from an open device. With an error raised if not.
 */
static bool check_readable(const DLTensor *tensor, bool *on_device) {
  const int device = (int)tensor->device.device_type;
  memory_kind kind;
  char name[48];
  *on_device = false;
  if (memory_find(tensor->data, &kind)) {
    if (kind != kMemoryReserved) return true;
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor without memory cannot be read");
    return false;
  }
  *on_device = device_is_open(tensor->device);
  if (*on_device || device == kDLCPU || device == kDLCUDAHost || device == kDLROCMHost) return true;
  tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor on %s cannot be read here",
                      tvm_ffi_device_print(tensor->device, name, sizeof name));
  return false;
}

/* Copies a strided tensor on a device: all between its lowest and highest element, of which the
 * packed ones are taken then. */
static int gather_from_device(const DLTensor *tensor, void *packed) {
  const int64_t item = (int64_t)tvm_ffi_dtype_get_bits(tensor->dtype) / 8;
  DLTensor part = *tensor;
  int64_t low = 0, high = 0;
  char *bytes;
  int code;
  if (!tvm_ffi_detail_span(tensor->ndim, tensor->shape, tensor->strides, &low, &high) ||
      (uint64_t)(high - low) >= (uint64_t)(INT64_MAX / item)) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                               "the strides of a tensor reach beyond what can be addressed");
  }
  bytes = malloc((size_t)((high - low + 1) * item));
  if (bytes == NULL) return tvm_ffi_error_raise_memory(), -1;
  part.data = (char *)tvm_ffi_tensor_get_data(tensor) + low * item;
  part.byte_offset = 0;
  code = device_copy_from(&part, bytes, (size_t)((high - low + 1) * item));
  part.data = bytes - low * item;
  if (code == 0) tensor_gather(&part, packed);
  free(bytes);
  return code;
}

TVMFFIObjectHandle tensor_copy(const DLTensor *tensor) {
  const bool is_contiguous = tvm_ffi_tensor_is_contiguous(tensor);
  TVMFFIObjectHandle out;
  DLTensor *dest;
  size_t size = 0;
  bool on_device;
  int code = 0;
  if (!check_readable(tensor, &on_device)) return NULL;
  if (!is_contiguous && tvm_ffi_dtype_get_bits(tensor->dtype) % 8 != 0) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                        "a strided tensor of elements that are not whole bytes cannot be read");
    return NULL;
  }
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) return NULL;
  if (tensor->data == NULL && size > 0) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor without data cannot be read");
    return NULL;
  }
  out = tensor_new(tensor->dtype, tensor->shape, tensor->ndim);
  if (out == NULL || size == 0) return out;
  dest = TVMFFITensorGetDLTensorPtr(out);
  if (!on_device) {
    tensor_gather(tensor, dest->data);
  } else if (is_contiguous) {
    code = device_copy_from(tensor, dest->data, size);
  } else {
    code = gather_from_device(tensor, dest->data);
  }
  if (code == 0) return out;
  TVMFFIObjectDecRef(out);
  return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "value/tensor_memory.h"

#include <stdlib.h>
#include <string.h>

#include "process/isolate.h"
#include "system/system.h"
#include "value/device.h"

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

/* ---- Guarded memory ---- */

/* A guarded mapping, with the messages for a crash in it, which a signal handler cannot format. */
typedef struct guarded {
  struct guarded *next;
  char *begin, *middle, *end;
  char note_before[80], note_after[80];
} guarded;

static guarded *volatile all_guarded;

static void explain_fault(const void *fault) {
  const char *address = fault;
  const guarded *mapping;
  for (mapping = all_guarded; mapping != NULL; mapping = mapping->next) {
    if (address >= mapping->begin && address < mapping->end) {
      isolate_note(address < mapping->middle ? mapping->note_before : mapping->note_after);
    }
  }
}

static void note_guarded(char *begin, char *end, char *data, size_t size) {
  guarded *mapping = tool_alloc(sizeof *mapping);
  mapping->next = all_guarded;
  mapping->begin = begin;
  mapping->middle = data;
  mapping->end = end;
  snprintf(mapping->note_before, sizeof mapping->note_before,
           "it reached before a tensor of %zu bytes", size);
  snprintf(mapping->note_after, sizeof mapping->note_after,
           "it reached beyond a tensor of %zu bytes", size);
  if (all_guarded == NULL) faults_watch(explain_fault);
  all_guarded = mapping;
}

/* An inaccessible page, the pages with the data, another inaccessible page. The mapping is never
 * released, so that a function is also caught if it uses the tensor too late. */
static int allocate_guarded(void *context, DLTensor *tensor, size_t size) {
  size_t page = pages_size(), middle;
  char *block, *data;
  if (size > SIZE_MAX / 2) return tvm_ffi_error_raise_memory(), -1;
  middle = (size + page - 1) / page * page;
  block = pages_reserve(middle + 2 * page);
  if (block == NULL) return tvm_ffi_error_raise_memory(), -1;
  if (middle > 0 && !pages_open(block + page, middle)) {
    pages_release(block, middle + 2 * page);
    return tvm_ffi_error_raise_memory(), -1;
  }
  data = block + page + (*(const tensor_guard *)context == kGuardEnd ? middle - size : 0);
  note_guarded(block, block + middle + 2 * page, data, size);
  tensor->data = data;
  return 0;
}

/* ---- Tensors ---- */

TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim,
                              tensor_guard guard) {
  tvm_ffi_tensor_allocator allocator = {allocate, release, NULL};
  TVMFFIObjectHandle out = NULL;
  if (guard != kGuardNone) {
    allocator.allocate = allocate_guarded;
    allocator.release = NULL;
    allocator.context = &guard;
  }
  if (tvm_ffi_tensor_create_with(&allocator, tvm_ffi_device_make(kDLCPU, 0), dtype, ndim, shape,
                                 &out) != 0) {
    return NULL;
  }
  return out;
}

/* Whether tensor_copy can read its elements from the CPU, or from an open device. */
static bool is_readable(const DLTensor *tensor) {
  int device = (int)tensor->device.device_type;
  return device == kDLCPU || device == kDLCUDAHost || device == kDLROCMHost ||
         device_is_open(tensor->device);
}

static void gather(const DLTensor *source, const DLTensor *dest, size_t item) {
  int64_t count = tvm_ffi_tensor_get_numel(source), i, offset = 0;
  int64_t *index = calloc((size_t)source->ndim + 1, sizeof *index);
  const char *data = tvm_ffi_tensor_get_data(source);
  int32_t d;
  if (index == NULL) return;
  for (i = 0; i < count; ++i) {
    memcpy((char *)dest->data + (size_t)i * item, data + offset * (int64_t)item, item);
    for (d = source->ndim - 1; d >= 0; --d) {
      offset += source->strides[d];
      if (++index[d] < source->shape[d]) break;
      offset -= index[d] * source->strides[d];
      index[d] = 0;
    }
  }
  free(index);
}

TVMFFIObjectHandle tensor_copy(const DLTensor *tensor) {
  TVMFFIObjectHandle out;
  DLTensor *dest;
  size_t size = 0;
  bool on_device = device_is_open(tensor->device);
  if (!is_readable(tensor)) {
    char device[48];
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor on %s cannot be read here",
                        tvm_ffi_device_print(tensor->device, device, sizeof device));
    return NULL;
  }
  if (!tvm_ffi_tensor_is_contiguous(tensor) &&
      (on_device || tvm_ffi_dtype_get_bits(tensor->dtype) % 8 != 0)) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a strided tensor %s cannot be read",
                        on_device ? "on a device" : "of elements without whole bytes");
    return NULL;
  }
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) return NULL;
  if (tensor->data == NULL && size > 0) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor without data cannot be read");
    return NULL;
  }
  out = tensor_new(tensor->dtype, tensor->shape, tensor->ndim, kGuardNone);
  if (out == NULL || size == 0) return out;
  dest = TVMFFITensorGetDLTensorPtr(out);
  if (on_device) {
    if (device_copy_from(tensor, dest->data, size) == 0) return out;
    TVMFFIObjectDecRef(out);
    return NULL;
  }
  if (tvm_ffi_tensor_is_contiguous(tensor)) {
    memcpy(dest->data, tvm_ffi_tensor_get_data(tensor), size);
  } else {
    gather(tensor, dest, (size_t)tvm_ffi_dtype_get_bytes(tensor->dtype));
  }
  return out;
}

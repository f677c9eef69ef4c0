/* SPDX-License-Identifier: Apache-2.0 */
#include "value/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "system/system.h"
#include "value/device.h"
#include "value/layout.h"

/* ---- Memory on the device ---- */

static DLDevice opened = {kDLCPU, 0}; /* kDLCPU: no device is open */

static int allocate_on_device(void *context, DLTensor *tensor, size_t size) {
  (void)context;
  return device_plugin_allocate(size, &tensor->data);
}

static void release_on_device(void *context, DLTensor *tensor) {
  (void)context;
  device_plugin_release(tensor->data);
}

static const tvm_ffi_tensor_allocator kOnDevice = {allocate_on_device, release_on_device, NULL};

static void *refused; /* not NULL: something was; threads of a function may set it at once */

static int allocate_for_function(DLTensor *prototype, DLManagedTensorVersioned **out,
                                 void *error_context,
                                 void (*set_error)(void *error_context, const char *kind,
                                                   const char *message)) {
  TVMFFIObjectHandle tensor = NULL, error;
  int code;
  if (!device_is_open(prototype->device)) {
    if (prototype->device.device_type != kDLCPU) {
      (void)tvm_ffi_detail_replace(&refused, NULL, &refused);
    }
    return tvm_ffi_env_allocate_cpu(prototype, out, error_context, set_error);
  }
  code = tvm_ffi_tensor_create_with(&kOnDevice, prototype->device, prototype->dtype,
                                    prototype->ndim, prototype->shape, &tensor);
  if (code == 0) code = TVMFFITensorToDLPackVersioned(tensor, out);
  tvm_ffi_object_release(tensor);
  if (code == 0) return 0;
  error = tvm_ffi_error_take();
  set_error(error_context, tvm_ffi_error_get_kind(error).data,
            tvm_ffi_error_get_message(error).data);
  tvm_ffi_object_release(error);
  return -1;
}

bool device_open(const char *device, DLDevice *out) {
  if (!tvm_ffi_device_parse(device, strlen(device), out)) {
    return report_error("--device must be cpu or a device, such as cuda:0, not \"%s\"", device);
  }
  opened = tvm_ffi_device_make(kDLCPU, 0);
  if (out->device_type != kDLCPU) {
    if (!device_plugin_open(device, *out)) return false;
    opened = *out;
  }
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_for_function, 1, NULL) == 0) return true;
  runtime_error_report("tvm-ffi", false);
  return false;
}

bool device_is_open(DLDevice device) {
  return opened.device_type != kDLCPU && tvm_ffi_device_equal(device, opened);
}

bool device_was_refused(void) {
  return tvm_ffi_detail_load(&refused) != NULL;
}

TVMFFIObjectHandle device_copy_to(DLDevice device, const DLTensor *tensor) {
  TVMFFIObjectHandle made = NULL;
  size_t size = 0;
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0 ||
      tvm_ffi_tensor_create_with(&kOnDevice, device, tensor->dtype, tensor->ndim, tensor->shape,
                                 &made) != 0) {
    return NULL;
  }
  if (device_copy_into(TVMFFITensorGetDLTensorPtr(made), tensor->data, size) == 0) return made;
  TVMFFIObjectDecRef(made);
  return NULL;
}

/* What the plugin takes for the bytes of a tensor from so many before its first element: an
 * address, or a handle and an offset. 0, or an error raised. */
static int locate(const DLTensor *tensor, size_t before, void **out, uint64_t *out_offset) {
  if (tvm_ffi_device_is_addressable(tensor->device)) {
    *out = (char *)tvm_ffi_tensor_get_data(tensor) - before;
    *out_offset = 0;
    return 0;
  }
  *out = tvm_ffi_tensor_get_handle(tensor, out_offset);
  if (*out_offset < before) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor begins before its buffer");
  }
  *out_offset -= before;
  return 0;
}

int device_copy_into(const DLTensor *tensor, const void *source, size_t size) {
  uint64_t offset;
  void *data;
  TVM_FFI_C_TRY(locate(tensor, 0, &data, &offset));
  return device_plugin_copy_in(data, offset, source, size);
}

static void release_bytes(void *bytes, DLTensor *tensor) {
  (void)tensor;
  tvm_ffi_object_release(bytes);
}

/* As far from the begin of a buffer as devices may want what a view of it begins at. */
static size_t choose_padding(DLDevice device, const char *low, const char *first) {
  enum { kPage = 4096 };
  const size_t before = (size_t)(first - low) % kPage;
  if (tvm_ffi_device_is_addressable(device)) return 0;
  return (before > 0 ? kPage - before : 0) + (uintptr_t)first % kMemoryAlignment;
}

TVMFFIObjectHandle device_copy_block(DLDevice device, const storage *s) {
  const memory_block *block = s->block;
  const size_t size = (size_t)(block->high - block->low),
               padding = choose_padding(device, block->low, tvm_ffi_tensor_get_data(&s->tensor));
  const int64_t padded = (int64_t)(size + padding);
  TVMFFIObjectHandle made = NULL;
  DLTensor *bytes;
  if (tvm_ffi_tensor_create_with(&kOnDevice, device, TVM_FFI_C_UINT8, 1, &padded, &made) != 0) {
    return NULL;
  }
  bytes = TVMFFITensorGetDLTensorPtr(made);
  bytes->byte_offset = padding;
  if (device_copy_into(bytes, block->low, size) == 0) return made;
  TVMFFIObjectDecRef(made);
  return NULL;
}

void device_place(const storage *s, TVMFFIObjectHandle copied, DLTensor *out) {
  const DLTensor *bytes = TVMFFITensorGetDLTensorPtr(copied);
  const ptrdiff_t distance = (const char *)s->tensor.data - s->block->low;
  *out = s->tensor;
  out->device = bytes->device;
  out->data = bytes->data;
  if (tvm_ffi_device_is_addressable(bytes->device)) {
    out->data = (char *)bytes->data + distance;
  } else {
    out->byte_offset += bytes->byte_offset + (uint64_t)distance;
  }
}

TVMFFIObjectHandle device_copy_storage(DLDevice device, const storage *s,
                                       TVMFFIObjectHandle *bytes) {
  TVMFFIObjectHandle out = NULL;
  DLTensor tensor;
  if (*bytes == NULL) *bytes = device_copy_block(device, s);
  if (*bytes == NULL) return NULL;
  device_place(s, *bytes, &tensor);
  TVMFFIObjectIncRef(*bytes);
  if (tvm_ffi_tensor_create_around(&tensor, release_bytes, *bytes, &out) == 0) return out;
  TVMFFIObjectDecRef(*bytes);
  return NULL;
}

/* Copies the bytes from so many before the first element. */
static int copy_from(const DLTensor *tensor, size_t before, void *dest, size_t size) {
  uint64_t offset;
  void *data;
  TVM_FFI_C_TRY(locate(tensor, before, &data, &offset));
  return device_plugin_copy_out(data, offset, dest, size);
}

int device_copy_from(const DLTensor *tensor, void *dest, size_t size) {
  return copy_from(tensor, 0, dest, size);
}

int device_enter(void) {
  return opened.device_type != kDLCPU ? device_plugin_use() : 0;
}

int device_wait(void) {
  return opened.device_type != kDLCPU ? device_plugin_wait() : 0;
}

/* ---- Memory of the CPU ---- */

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

size_t tensor_size(const DLTensor *tensor) {
  size_t size = 0;
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) TVMFFIErrorSetRaised(NULL);
  return size;
}

size_t element_size(DLDataType dtype) {
  const size_t bits = (size_t)tvm_ffi_dtype_get_bits(dtype);
  return bits % 8 == 0 ? bits / 8 : 0;
}

bool tensors_have_same_bytes(const DLTensor *a, const DLTensor *b) {
  const size_t size = tensor_size(a);
  return size == tensor_size(b) && (size == 0 || memcmp(a->data, b->data, size) == 0);
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
  DLTensor part = *tensor;
  size_t down, up;
  char *bytes;
  int code;
  if (!tensor_measure(tensor, &down, &up)) return -1;
  bytes = malloc(down + up);
  if (bytes == NULL) return tvm_ffi_error_raise_memory(), -1;
  code = copy_from(tensor, down, bytes, down + up);
  part.data = bytes + down;
  part.byte_offset = 0;
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

TVMFFIObjectHandle tensor_try_copy(const DLTensor *tensor) {
  TVMFFIObjectHandle copy = tensor_copy(tensor);
  if (copy == NULL) TVMFFIErrorSetRaised(NULL);
  return copy;
}

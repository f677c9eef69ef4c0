/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/device.h
 * The bodies of tvm/ffi/c/device.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_DEVICE_H_
#define TVM_FFI_C_DETAIL_DEVICE_H_

static inline DLDevice tvm_ffi_device_make(int32_t device_type, int32_t device_id) {
  return TVMFFIDLDeviceFromIntPair(device_type, device_id);
}

static inline bool tvm_ffi_device_equal(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

static inline bool tvm_ffi_device_is_addressable(DLDevice device) {
  switch ((int)device.device_type) {
    case kDLCPU:
    case kDLCUDA:
    case kDLCUDAHost:
    case kDLCUDAManaged:
    case kDLROCM:
    case kDLROCMHost:
    case kDLOneAPI:
      return true;
    default:
      return false;
  }
}

static inline bool tvm_ffi_device_can_read(int32_t device_type, DLDevice memory) {
  const int32_t type = (int32_t)memory.device_type;
  if (type == device_type) return true;
  if (device_type == kDLCPU) {
    return type == kDLCUDAHost || type == kDLCUDAManaged || type == kDLROCMHost;
  }
  return device_type == kDLCUDA && type == kDLCUDAManaged;
}

enum { TVM_FFI_C_DETAIL_DEVICE_TYPES = 19 }; /* up to kDLTrn, of later DLPack 1.x */

static inline const char *tvm_ffi_device_get_type_name(int32_t device_type) {
  static const char *const names[TVM_FFI_C_DETAIL_DEVICE_TYPES] = {
      NULL,     "cpu",    "cuda",    "cuda_host", "opencl",    NULL,      NULL,
      "vulkan", "metal",  "vpi",     "rocm",      "rocm_host", "ext_dev", "cuda_managed",
      "oneapi", "webgpu", "hexagon", "maia",      "trn"};
  return device_type > 0 && device_type < TVM_FFI_C_DETAIL_DEVICE_TYPES ? names[device_type] : NULL;
}

/** Writes `cuda`, or `device(99)` for an unknown type. @return Where the NUL is. */
static inline char *tvm_ffi_detail_put_device_type(char *at, const char *end, int32_t device_type) {
  const char *name = tvm_ffi_device_get_type_name(device_type);
  if (name != NULL) return tvm_ffi_detail_put_text(at, end, name);
  at = tvm_ffi_detail_put_text(at, end, "device(");
  at = tvm_ffi_detail_put_int(at, end, device_type);
  return tvm_ffi_detail_put_text(at, end, ")");
}

static inline char *tvm_ffi_device_print(DLDevice device, char *buffer, size_t capacity) {
  const char *end = buffer + capacity;
  char *at = tvm_ffi_detail_put_device_type(buffer, end, (int32_t)device.device_type);
  at = tvm_ffi_detail_put_text(at, end, ":");
  tvm_ffi_detail_put_int(at, end, device.device_id);
  return buffer;
}

/** The device type of that name, also one of PyTorch's and wgpu's; 0 for an unknown one. */
static inline int32_t tvm_ffi_detail_find_device_type(const char *text, size_t size) {
  int32_t type;
  if (size == 3 && memcmp(text, "mps", 3) == 0) return kDLMetal;
  if (size == 4 && memcmp(text, "wgpu", 4) == 0) return kDLWebGPU;
  for (type = TVM_FFI_C_DETAIL_DEVICE_TYPES - 1; type > 0; --type) {
    const char *name = tvm_ffi_device_get_type_name(type);
    if (name != NULL && strlen(name) == size && memcmp(name, text, size) == 0) break;
  }
  return type;
}

static inline bool tvm_ffi_device_parse(const char *text, size_t size, DLDevice *out) {
  /* In parentheses: memchr may be a macro of glibc with _Generic, which is not C99. */
  const char *space = size != 0 ? (const char *)(memchr)(text, ' ', size) : NULL;
  const char *colon;
  int64_t number = 0;
  int32_t type;
  size_t i, name_size;
  if (space != NULL) size = (size_t)(space - text);
  colon = size != 0 ? (const char *)(memchr)(text, ':', size) : NULL;
  name_size = colon != NULL ? (size_t)(colon - text) : size;
  if (colon != NULL) {
    if (name_size + 1 == size) return false;
    for (i = name_size + 1; i < size; ++i) {
      if (text[i] < '0' || text[i] > '9') return false;
      number = number * 10 + (text[i] - '0');
      if (number > INT32_MAX) return false;
    }
  }
  type = tvm_ffi_detail_find_device_type(text, name_size);
  if (type == 0) return false;
  *out = tvm_ffi_device_make(type, (int32_t)number);
  return true;
}

#endif /* TVM_FFI_C_DETAIL_DEVICE_H_ */

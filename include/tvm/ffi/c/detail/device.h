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

static inline const char *tvm_ffi_device_get_type_name(int32_t device_type) {
  static const char *const names[] = {NULL,     "cpu",       "cuda",    "cuda_host",    "opencl",
                                      NULL,     NULL,        "vulkan",  "metal",        "vpi",
                                      "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                                      "webgpu", "hexagon",   "maia",    "trn"};
  const int32_t count = (int32_t)(sizeof names / sizeof names[0]);
  return device_type > 0 && device_type < count ? names[device_type] : NULL;
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

static inline bool tvm_ffi_device_parse(const char *text, size_t size, DLDevice *out) {
  static const struct {
    const char *name;
    int32_t type;
  } names[] = {{"cpu", kDLCPU},        {"cuda", kDLCUDA},
               {"opencl", kDLOpenCL},  {"vulkan", kDLVulkan},
               {"metal", kDLMetal},    {"mps", kDLMetal},
               {"vpi", kDLVPI},        {"rocm", kDLROCM},
               {"ext_dev", kDLExtDev}, {"hexagon", kDLHexagon},
               {"webgpu", kDLWebGPU},  {"wgpu", kDLWebGPU},
               {"maia", kDLMAIA},      {"trn", 18 /* kDLTrn, of later DLPack 1.x */}};
  /* In parentheses: memchr may be a macro of glibc with _Generic, which is not C99. */
  const char *space = size != 0 ? (const char *)(memchr)(text, ' ', size) : NULL;
  const char *colon;
  int64_t number = 0;
  size_t name_size, i;
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
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (strlen(names[i].name) == name_size && memcmp(names[i].name, text, name_size) == 0) {
      *out = tvm_ffi_device_make(names[i].type, (int32_t)number);
      return true;
    }
  }
  return false;
}

#endif /* TVM_FFI_C_DETAIL_DEVICE_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/device.h
 * Devices as values: a DLDevice, or text such as `cuda:1`.
 */
#ifndef TVM_FFI_DEVICE_H_
#define TVM_FFI_DEVICE_H_

#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Parses `name` or `name:index`; false for anything else. Text after a space is ignored. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline bool ParseDevice(TVMFFIByteArray text, DLDevice *out) {
  struct Name {
    const char *name;
    int32_t type;
  };
  const Name names[] = {{"cpu", kDLCPU},        {"cuda", kDLCUDA},
                        {"opencl", kDLOpenCL},  {"vulkan", kDLVulkan},
                        {"metal", kDLMetal},    {"mps", kDLMetal},
                        {"vpi", kDLVPI},        {"rocm", kDLROCM},
                        {"ext_dev", kDLExtDev}, {"hexagon", kDLHexagon},
                        {"webgpu", kDLWebGPU},  {"wgpu", kDLWebGPU},
                        {"maia", kDLMAIA},      {"trn", 18 /* kDLTrn, of later DLPack 1.x */}};
  size_t size = 0, name_size = 0;
  int64_t index = 0;
  while (size < text.size && text.data[size] != ' ') ++size;
  while (name_size < size && text.data[name_size] != ':') ++name_size;
  if (name_size < size) {
    if (name_size + 1 == size) return false;
    for (size_t i = name_size + 1; i < size; ++i) {
      if (text.data[i] < '0' || text.data[i] > '9') return false;
      index = index * 10 + (text.data[i] - '0');
      if (index > INT32_MAX) return false;
    }
  }
  for (const Name &name : names) {
    if (std::strlen(name.name) == name_size && std::memcmp(name.name, text.data, name_size) == 0) {
      *out = TVMFFIDLDeviceFromIntPair(name.type, static_cast<int32_t>(index));
      return true;
    }
  }
  return false;
}

}  // namespace detail

template <>
struct TypeTraits<DLDevice> : detail::NamedTraits<DLDevice> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "Device";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "Device";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIDevice;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const DLDevice &value, TVMFFIAny *out) {
    out->type_index = kTVMFFIDevice;
    out->zero_padding = 0;
    out->v_device = value;
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(DLDevice value, TVMFFIAny *out) {
    CopyToAnyView(value, out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIDevice;
  }
  TVM_FFI_LOCAL_INLINE static DLDevice CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return source->v_device;
  }
  TVM_FFI_LOCAL_INLINE static DLDevice MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return source->v_device;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, DLDevice *out) {
    if (TVM_FFI_PREDICT_TRUE(source->type_index == kTVMFFIDevice)) {
      *out = source->v_device;
      return detail::kReadOk;
    }
    // Not into *out: see TypeTraits<DLDataType>.
    TVMFFIByteArray text;
    DLDevice parsed{};
    if (!detail::ReadText(source, &text) || !detail::ParseDevice(text, &parsed)) {
      return detail::kReadMismatch;
    }
    *out = parsed;
    return detail::kReadOk;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DEVICE_H_

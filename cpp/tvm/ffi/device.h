/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/device.h
 * Devices as values: a DLDevice, or text such as `cuda:1`, which a std::ostream prints.
 */
#ifndef TVM_FFI_DEVICE_H_
#define TVM_FFI_DEVICE_H_

#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** nullptr for an unknown type. */
TVM_FFI_LOCAL constexpr const char *DeviceTypeName(int type) {
  constexpr const char *kNames[] = {nullptr,  "cpu",       "cuda",    "cuda_host",    "opencl",
                                    nullptr,  nullptr,     "vulkan",  "metal",        "vpi",
                                    "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                                    "webgpu", "hexagon",   "maia",    "trn"};
  return type > 0 && type < static_cast<int>(sizeof kNames / sizeof *kNames) ? kNames[type]
                                                                             : nullptr;
}

/** The device type of that name, also one of PyTorch's and wgpu's; 0 for an unknown one. */
TVM_FFI_LOCAL inline int FindDeviceType(const char *text, size_t size) {
  const auto is = [text, size](const char *name) {
    return name != nullptr && std::strlen(name) == size && std::memcmp(name, text, size) == 0;
  };
  if (is("mps")) return kDLMetal;
  if (is("wgpu")) return kDLWebGPU;
  int type = 18;  // kDLTrn, of later DLPack 1.x
  while (type > 0 && !is(DeviceTypeName(type))) --type;
  return type;
}

/** Parses `name` or `name:index`; false for anything else. Text after a space is ignored. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline bool ParseDevice(TVMFFIByteArray text, DLDevice *out) {
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
  const int type = FindDeviceType(text.data, name_size);
  if (type == 0) return false;
  *out = TVMFFIDLDeviceFromIntPair(type, static_cast<int32_t>(index));
  return true;
}

/** Writes `cuda`, or `device(99)` for an unknown type. */
template <typename Sink>
TVM_FFI_LOCAL constexpr void PutDeviceType(Sink &sink, int type) {
  if (const char *name = DeviceTypeName(type)) {
    sink.Put(name);
  } else {
    sink.Put("device(");
    if (type < 0) sink.Put('-');
    PutSize(sink, static_cast<size_t>(type < 0 ? -int64_t{type} : type));
    sink.Put(')');
  }
}
TVM_FFI_LOCAL_COLD void PutDevice(Text &text, DLDevice device) {
  PutDeviceType(text, device.device_type);
  text.Put(':');
  text.PutInt(device.device_id);
}
/** For messages of errors: as a number, so that an operator of the place of the message wins. */
TVM_FFI_LOCAL_COLD void PutScalar(Text &text, DLDevice device) {
  PutDevice(text, device);
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

/**
 * Prints `cuda:0`. At global scope, like the type, so that argument-dependent lookup finds it; a
 * template, so that an operator of other code is preferred.
 */
template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           DLDevice device) {
  ::tvm::ffi::detail::Text text;
  ::tvm::ffi::detail::PutDevice(text, device);
  os.write(text.data(), static_cast<std::ptrdiff_t>(text.size()));
  return os;
}

#endif  // TVM_FFI_DEVICE_H_

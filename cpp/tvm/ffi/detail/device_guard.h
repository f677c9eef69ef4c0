/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/device_guard.h
 * What CUDADeviceGuard and HIPDeviceGuard do.
 */
#ifndef TVM_FFI_DETAIL_DEVICE_GUARD_H_
#define TVM_FFI_DETAIL_DEVICE_GUARD_H_

#include <tvm/ffi/error.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

#if TVM_FFI_HAS_EXCEPTIONS

/** Devices has Get(int *) and Set(int), which return a result, and Check(result), which throws. */
template <typename Devices>
class DeviceGuard {
 public:
  TVM_FFI_LOCAL explicit DeviceGuard(int device)
      : old_(device), changed_(false), exceptions_(std::uncaught_exceptions()) {
    Devices::Check(Devices::Get(&old_));
    if (old_ != device) {
      Devices::Check(Devices::Set(device));
      changed_ = true;
    }
  }
  TVM_FFI_LOCAL ~DeviceGuard() noexcept(false) {
    if (!changed_) return;
    const auto result = Devices::Set(old_);
    if (std::uncaught_exceptions() == exceptions_) Devices::Check(result);
  }
  DeviceGuard(const DeviceGuard &) = delete;
  DeviceGuard &operator=(const DeviceGuard &) = delete;

 private:
  int old_;
  bool changed_;
  int exceptions_;
};

#endif

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_DEVICE_GUARD_H_

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/hip/device_guard.h
 * The current device of a scope, for ROCm.
 */
#ifndef TVM_FFI_EXTRA_HIP_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_HIP_DEVICE_GUARD_H_

#include <tvm/ffi/detail/device_guard.h>
#include <tvm/ffi/extra/hip/base.h>

TVM_FFI_NAMESPACE_BEGIN

#if TVM_FFI_HAS_EXCEPTIONS

namespace detail {
struct HIPDevices {
  TVM_FFI_LOCAL_INLINE static hipError_t Get(int *device) { return hipGetDevice(device); }
  TVM_FFI_LOCAL_INLINE static hipError_t Set(int device) { return hipSetDevice(device); }
  TVM_FFI_LOCAL_INLINE static void Check(hipError_t error) { TVM_FFI_CHECK_HIP_ERROR(error); }
};
}  // namespace detail

/**
 * Makes a device this thread's current one, and restores the old one at the end of the scope; does
 * neither if it is current already.
 *
 * Errors: RuntimeError, also from the destructor, except while an exception leaves the scope,
 * because that one says more.
 */
class HIPDeviceGuard : public detail::DeviceGuard<detail::HIPDevices> {
 public:
  TVM_FFI_LOCAL explicit HIPDeviceGuard(int device) : DeviceGuard(device) {}
  TVM_FFI_LOCAL ~HIPDeviceGuard() noexcept(false) = default;
};

#else

/** Says in the compiler's message what to use instead. */
class HIPDeviceGuard {
 public:
  template <typename Device>
  TVM_FFI_LOCAL explicit HIPDeviceGuard(Device) {
    static_assert(sizeof(Device) == 0,
                  "HIPDeviceGuard throws; with -fno-exceptions use hipGetDevice, hipSetDevice and "
                  "TVM_FFI_RET_CHECK");
  }
};

#endif

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_HIP_DEVICE_GUARD_H_

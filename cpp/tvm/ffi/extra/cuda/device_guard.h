/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/cuda/device_guard.h
 * The current device of a scope. Without TVM_FFI_LEAN, CUDA code also gets `half` by this header.
 */
#ifndef TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

#include <tvm/ffi/detail/device_guard.h>
#include <tvm/ffi/extra/cuda/base.h>
#if defined(__CUDACC__) && !defined(TVM_FFI_LEAN)
#include <cuda_fp16.h>
#endif

TVM_FFI_NAMESPACE_BEGIN

#if TVM_FFI_HAS_EXCEPTIONS

namespace detail {
struct CUDADevices {
  TVM_FFI_LOCAL_INLINE static cudaError_t Get(int *device) { return cudaGetDevice(device); }
  TVM_FFI_LOCAL_INLINE static cudaError_t Set(int device) { return cudaSetDevice(device); }
  TVM_FFI_LOCAL_INLINE static void Check(cudaError_t error) { TVM_FFI_CHECK_CUDA_ERROR(error); }
};
}  // namespace detail

/**
 * Makes a device this thread's current one, and restores the old one at the end of the scope; does
 * neither if it is current already.
 *
 * Errors: RuntimeError, also from the destructor, except while an exception leaves the scope,
 * because that one says more.
 */
class CUDADeviceGuard : public detail::DeviceGuard<detail::CUDADevices> {
 public:
  TVM_FFI_LOCAL explicit CUDADeviceGuard(int device) : DeviceGuard(device) {}
  TVM_FFI_LOCAL ~CUDADeviceGuard() noexcept(false) = default;
};

#else

/** Says in the compiler's message what to use instead. */
class CUDADeviceGuard {
 public:
  template <typename Device>
  TVM_FFI_LOCAL explicit CUDADeviceGuard(Device) {
    static_assert(sizeof(Device) == 0,
                  "CUDADeviceGuard throws; with -fno-exceptions use cudaGetDevice, cudaSetDevice "
                  "and TVM_FFI_RET_CHECK");
  }
};

#endif

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/cuda/device_guard.h
 * The device of a scope.
 */
#ifndef TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

#include <tvm/ffi/extra/cuda/base.h>

TVM_FFI_NAMESPACE_BEGIN

/**
 * Makes a device the current one, and puts the old one back at the end of the scope. Failing to is
 * an error, which is thrown; unless an exception is in flight, which says more.
 */
class CUDADeviceGuard {
 public:
  TVM_FFI_LOCAL explicit CUDADeviceGuard(int device)
      : old_(device), changed_(false), exceptions_(std::uncaught_exceptions()) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&old_));
    if (old_ != device) {
      TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(device));
      changed_ = true;
    }
  }
  TVM_FFI_LOCAL ~CUDADeviceGuard() noexcept(false) {
    if (!changed_) return;
    const cudaError_t error = cudaSetDevice(old_);
    if (std::uncaught_exceptions() == exceptions_) TVM_FFI_CHECK_CUDA_ERROR(error);
  }
  CUDADeviceGuard(const CUDADeviceGuard &) = delete;
  CUDADeviceGuard &operator=(const CUDADeviceGuard &) = delete;

 private:
  int old_;
  bool changed_;
  int exceptions_;
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

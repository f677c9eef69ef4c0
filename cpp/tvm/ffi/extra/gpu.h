/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/gpu.h
 * One source for CUDA and ROCm: what differs is HIP's for hipcc, and where a platform of HIP is
 * defined, and CUDA's otherwise. Where that platform is NVIDIA's, tensors are on CUDA.
 *
 *     CHECK_INPUT(x, ffi::kDLGPU, "a GPU");
 *     ffi::GPUDeviceGuard guard(x.device().device_id);
 *     ScaleKernel<<<blocks, 256, 0, ffi::GetGPUStream(x)>>>(...);
 *     TVM_FFI_CHECK_GPU_ERROR(TVM_FFI_GPU(GetLastError)());
 */
#ifndef TVM_FFI_EXTRA_GPU_H_
#define TVM_FFI_EXTRA_GPU_H_

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <tvm/ffi/extra/hip/device_guard.h>
/** A name of the API: TVM_FFI_GPU(Malloc) is hipMalloc or cudaMalloc. */
#define TVM_FFI_GPU(name) hip##name
/** Throws a RuntimeError unless stmt succeeds. */
#define TVM_FFI_CHECK_GPU_ERROR(stmt) TVM_FFI_CHECK_HIP_ERROR(stmt)

TVM_FFI_NAMESPACE_BEGIN
/** The device type of tensors. Static: sources for CUDA and for ROCm may be in one library. */
#if defined(__HIP_PLATFORM_NVIDIA__)
static constexpr DLDeviceType kDLGPU = kDLCUDA;
#else
static constexpr DLDeviceType kDLGPU = kDLROCM;
#endif
using GPUDeviceGuard = HIPDeviceGuard;
using GPUStream = hipStream_t;
TVM_FFI_NAMESPACE_END
#else
#include <tvm/ffi/extra/cuda/device_guard.h>
#define TVM_FFI_GPU(name) cuda##name
#define TVM_FFI_CHECK_GPU_ERROR(stmt) TVM_FFI_CHECK_CUDA_ERROR(stmt)

TVM_FFI_NAMESPACE_BEGIN
static constexpr DLDeviceType kDLGPU = kDLCUDA;
using GPUDeviceGuard = CUDADeviceGuard;
using GPUStream = cudaStream_t;
TVM_FFI_NAMESPACE_END
#endif

TVM_FFI_NAMESPACE_BEGIN

/**
 * This thread's current stream of the tensor's device.
 * @return [lend] As long as its owner keeps it; NULL when none was set: the default stream.
 * Errors: none.
 */
static TVM_FFI_INLINE GPUStream GetGPUStream(const TensorView &x) {
  return static_cast<GPUStream>(TVMFFIEnvGetStream(kDLGPU, x.device().device_id));
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_GPU_H_

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/cuda/base.h
 * Checks of CUDA calls, and the extents of a launch.
 */
#ifndef TVM_FFI_EXTRA_CUDA_BASE_H_
#define TVM_FFI_EXTRA_CUDA_BASE_H_

#include <cuda_runtime.h>
#include <tvm/ffi/error.h>

TVM_FFI_NAMESPACE_BEGIN

/** The extents of a grid or a block. */
struct dim3 {
  unsigned int x;
  unsigned int y;
  unsigned int z;

  TVM_FFI_LOCAL_INLINE dim3() : x(1), y(1), z(1) {}
  TVM_FFI_LOCAL_INLINE explicit dim3(unsigned int x_) : x(x_), y(1), z(1) {}
  TVM_FFI_LOCAL_INLINE dim3(unsigned int x_, unsigned int y_) : x(x_), y(y_), z(1) {}
  TVM_FFI_LOCAL_INLINE dim3(unsigned int x_, unsigned int y_, unsigned int z_)
      : x(x_), y(y_), z(z_) {}
};

TVM_FFI_NAMESPACE_END

/** Throws a RuntimeError unless stmt returns cudaSuccess. */
#define TVM_FFI_CHECK_CUDA_ERROR(stmt)                                                \
  do {                                                                                \
    const cudaError_t tvm_ffi_cuda_error = (stmt);                                    \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_cuda_error != cudaSuccess)) {                   \
      TVM_FFI_THROW(RuntimeError) << "CUDA Runtime Error: "                           \
                                  << cudaGetErrorName(tvm_ffi_cuda_error) << " ("     \
                                  << static_cast<int>(tvm_ffi_cuda_error)             \
                                  << "): " << cudaGetErrorString(tvm_ffi_cuda_error); \
    }                                                                                 \
  } while (0)

#endif  // TVM_FFI_EXTRA_CUDA_BASE_H_

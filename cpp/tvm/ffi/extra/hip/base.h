/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/hip/base.h
 * Checks of HIP calls, for ROCm. __HIP_PLATFORM_AMD__ is defined here unless a platform is.
 */
#ifndef TVM_FFI_EXTRA_HIP_BASE_H_
#define TVM_FFI_EXTRA_HIP_BASE_H_

#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif
#include <tvm/ffi/error.h>

/** Throws a RuntimeError unless stmt returns hipSuccess. */
#define TVM_FFI_CHECK_HIP_ERROR(stmt)                                                            \
  do {                                                                                           \
    const hipError_t tvm_ffi_hip_error = (stmt);                                                 \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_hip_error != hipSuccess)) {                                \
      TVM_FFI_THROW(RuntimeError) << "HIP Error: " << hipGetErrorName(tvm_ffi_hip_error) << " (" \
                                  << static_cast<int>(tvm_ffi_hip_error)                         \
                                  << "): " << hipGetErrorString(tvm_ffi_hip_error);              \
    }                                                                                            \
  } while (0)

#endif  // TVM_FFI_EXTRA_HIP_BASE_H_

/* SPDX-License-Identifier: Apache-2.0 */
/* What every CUDA kernel does: check, guard the device, ask for the stream, dispatch, launch. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

#include "checks.h"

namespace ffi = tvm::ffi;

namespace my_kernels {

#define DISPATCH_FLOAT(dtype, ...)                                       \
  switch (Encode(dtype)) {                                               \
    DISPATCH_CASE(kDLFloat, 16, half, __VA_ARGS__)                       \
    DISPATCH_CASE(kDLFloat, 32, float, __VA_ARGS__)                      \
    DISPATCH_CASE(kDLFloat, 64, double, __VA_ARGS__)                     \
    DISPATCH_CASE(kDLBfloat, 16, __nv_bfloat16, __VA_ARGS__)             \
    default:                                                             \
      TVM_FFI_THROW(TypeError) << "scale has no kernel for " << (dtype); \
  }

/* Small types compute in float. */
template <typename T>
struct MathOf {
  using type = float;
};
template <>
struct MathOf<double> {
  using type = double;
};

template <typename T>
__global__ void ScaleKernel(const T *x, T *y, double factor, int64_t n) {
  using math = typename MathOf<T>::type;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    y[i] = static_cast<T>(static_cast<math>(x[i]) * static_cast<math>(factor));
  }
}

template <typename T>
void LaunchScale(const T *x, T *y, double factor, int64_t n, cudaStream_t stream) {
  constexpr int64_t kThreads = 256, kMaxBlocks = 65536;
  const int64_t blocks = (n + kThreads - 1) / kThreads;
  const unsigned grid = static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
  ScaleKernel<<<grid, kThreads, 0, stream>>>(x, y, factor, n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_INPUT(x, kDLCUDA, "a GPU");
  CHECK_INPUT(y, kDLCUDA, "a GPU");
  CHECK_SAME_DEVICE(x, y);
  CHECK_SAME_DTYPE(x, y);
  CHECK_SAME_SHAPE(x, y);
  const int64_t n = x.numel();
  if (n == 0) return;  // a launch of no blocks is an error

  ffi::CUDADeviceGuard guard(x.device().device_id);
  const cudaStream_t stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id));
  DISPATCH_FLOAT(x.dtype(), LaunchScale(Data<const scalar>(x), Data<scalar>(y), factor, n, stream));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);

}  // namespace my_kernels

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of add_one.cc for CUDA. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace my_kernels {

__global__ void AddOneKernel(const float *x, float *y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
  TVM_FFI_CHECK(x.ndim() == 1 && y.ndim() == 1, ValueError) << "x and y must be vectors";
  TVM_FFI_CHECK(x.dtype() == kFloat32, TypeError) << "x must be float32, not " << x.dtype();
  TVM_FFI_CHECK(y.dtype() == kFloat32, TypeError) << "y must be float32, not " << y.dtype();
  TVM_FFI_CHECK_EQ(x.size(0), y.size(0), ValueError) << "x and y must be of one size";
  TVM_FFI_CHECK(x.device().device_type == kDLCUDA && y.device().device_type == kDLCUDA, ValueError)
      << "x and y must be on a GPU";
  TVM_FFI_CHECK_EQ(x.device().device_id, y.device().device_id, ValueError)
      << "x and y must be on one GPU";
  TVM_FFI_CHECK(x.IsContiguous() && y.IsContiguous(), ValueError) << "x and y must be contiguous";

  const int64_t n = x.size(0);
  if (n == 0) return;  // a launch of no blocks is an error
  ffi::CUDADeviceGuard guard(x.device().device_id);
  const cudaStream_t stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id));
  AddOneKernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(
      static_cast<const float *>(x.data_ptr()), static_cast<float *>(y.data_ptr()), n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);

}  // namespace my_kernels

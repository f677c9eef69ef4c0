/* SPDX-License-Identifier: Apache-2.0 */
/* One source for CUDA and ROCm: nvcc compiles it for the one, hipcc for the other. */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/gpu.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace {

__global__ void ScaleKernel(const float *x, float *y, float factor, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

void CheckInput(const ffi::TensorView &x, const char *name) {
  TVM_FFI_CHECK(x.device().device_type == ffi::kDLGPU, ValueError)
      << name << " must be on a GPU, and is on " << x.device();
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError)
      << name << " must be float32, and is " << x.dtype();
  TVM_FFI_CHECK(x.IsContiguous(), ValueError) << name << " must be contiguous";
}

void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CheckInput(x, "x");
  CheckInput(y, "y");
  const int64_t n = x.numel();
  TVM_FFI_CHECK(y.numel() == n && y.device().device_id == x.device().device_id, ValueError)
      << "x and y must have the same size and device";
  if (n == 0) return;  // a launch of no blocks is an error
  ffi::GPUDeviceGuard guard(x.device().device_id);
  ScaleKernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, ffi::GetGPUStream(x)>>>(
      static_cast<const float *>(x.data_ptr()), static_cast<float *>(y.data_ptr()),
      static_cast<float>(factor), n);
  TVM_FFI_CHECK_GPU_ERROR(TVM_FFI_GPU(GetLastError)());
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);

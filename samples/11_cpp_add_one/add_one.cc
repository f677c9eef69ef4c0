/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel in C++: y = x + 1. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace my_kernels {

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
  TVM_FFI_CHECK(x.ndim() == 1 && y.ndim() == 1, ValueError) << "x and y must be vectors";
  TVM_FFI_CHECK(x.dtype() == kFloat32, TypeError) << "x must be float32, not " << x.dtype();
  TVM_FFI_CHECK(y.dtype() == kFloat32, TypeError) << "y must be float32, not " << y.dtype();
  TVM_FFI_CHECK_EQ(x.size(0), y.size(0), ValueError) << "x and y must be of one size";
  TVM_FFI_CHECK(x.device().device_type == kDLCPU && y.device().device_type == kDLCPU, ValueError)
      << "x and y must be on the CPU";
  TVM_FFI_CHECK(x.IsContiguous() && y.IsContiguous(), ValueError) << "x and y must be contiguous";

  const float *in = static_cast<const float *>(x.data_ptr());
  float *out = static_cast<float *>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i) out[i] = in[i] + 1;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);

}  // namespace my_kernels

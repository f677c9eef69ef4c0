/* SPDX-License-Identifier: Apache-2.0 */
/* The first kernel, exported inside a namespace. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace quickstart {

namespace ffi = tvm::ffi;

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  const int64_t n = x.size(0);
  const float *x_data = static_cast<float *>(x.data_ptr());
  float *y_data = static_cast<float *>(y.data_ptr());
  TVM_FFI_CHECK(y.size(0) == n, ValueError) << "y has " << y.size(0) << " elements, not " << n;
  for (int64_t i = 0; i < n; ++i) y_data[i] = x_data[i] + 1;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_cpu, AddOne);

}  // namespace quickstart

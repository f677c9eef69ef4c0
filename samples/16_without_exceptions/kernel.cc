/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels compiled with -fno-exceptions, -fno-rtti and TVM_FFI_LEAN. A kernel that fails returns an
 * Error as its result; arguments of the wrong type or number still raise an error, before the
 * kernel is entered. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace my_kernels {

ffi::Expected<double> Mean(ffi::TensorView x) {
  constexpr DLDataType kFloat64 = {kDLFloat, 64, 1};
  TVM_FFI_RET_CHECK(x.dtype() == kFloat64, TypeError) << "x must be float64, not " << x.dtype();
  TVM_FFI_RET_CHECK(x.device().device_type == kDLCPU, ValueError) << "x must be on the CPU";
  TVM_FFI_RET_CHECK(x.IsContiguous(), ValueError) << "x must be contiguous";
  const int64_t n = x.numel();
  if (n == 0) return TVM_FFI_UNEXPECTED(ValueError) << "the mean of nothing";
  const double *data = static_cast<const double *>(x.data_ptr());
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += data[i];
  return sum / static_cast<double>(n);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(mean, Mean);

/* Calls a function that may fail. */
ffi::Expected<double> MeanOf(ffi::Function f, int64_t begin, int64_t end) {
  TVM_FFI_RET_CHECK_LT(begin, end, ValueError) << "an empty range";
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    const ffi::Expected<double> value = f.CallExpected<double>(i);
    if (value.is_err()) return value;
    sum += value.value();
  }
  return sum / static_cast<double>(end - begin);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(mean_of, MeanOf);

}  // namespace my_kernels

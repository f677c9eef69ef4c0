/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel can do without exceptions and without type information. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

ffi::Expected<int64_t> Half(int64_t x) {
  TVM_FFI_RET_CHECK(x % 2 == 0, ValueError) << x << " is odd";
  TVM_FFI_RET_CHECK_GE(x, 0, ValueError) << "negative";
  if (x == 100) return TVM_FFI_UNEXPECTED(KeyError) << "a hundred";
  return x / 2;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half, Half)

int64_t CallAndDouble(ffi::Function f, int64_t x) {
  const ffi::Expected<int64_t> result = f.CallExpected<int64_t>(x);
  return result.is_ok() ? 2 * result.value() : -1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_and_double, CallAndDouble)

void AddOne(ffi::TensorView x) {
  for (int64_t i = 0; i < x.numel(); ++i) static_cast<float *>(x.data_ptr())[i] += 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne)

int64_t LengthOr(ffi::Any value, int64_t fallback) {
  const auto text = value.try_cast<ffi::String>();
  return text ? static_cast<int64_t>(text->size()) : fallback;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(length_or, LengthOr)

/* SPDX-License-Identifier: Apache-2.0 */
/* A source as the inline loader passes it to the compiler: it adds these five lines at the top, and
 * one export for each function at the end. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

void inline_add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  DLDataType f32_dtype{kDLFloat, 32, 1};
  TVM_FFI_ICHECK(x.ndim() == 1) << "x must be a 1D tensor";
  TVM_FFI_ICHECK(x.dtype() == f32_dtype) << "x must be a float tensor";
  TVM_FFI_ICHECK(x.size(0) == y.size(0)) << "x and y must have the same shape";
  for (int i = 0; i < x.size(0); ++i) {
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] + 1;
  }
}

int inline_add(int a, int b) {
  return a + b;
}

tvm::ffi::String inline_name(tvm::ffi::Optional<tvm::ffi::String> name) {
  return name.has_value() ? name.value() : tvm::ffi::String("nobody");
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(inline_add_one, inline_add_one);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(inline_add, inline_add);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(inline_name, inline_name);

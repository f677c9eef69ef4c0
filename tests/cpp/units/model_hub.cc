/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel like those on model hubs: it includes all headers and uses few of them. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

using namespace tvm;

void relu(ffi::TensorView out, ffi::TensorView input) {
  TVM_FFI_CHECK(input.device().device_type == kDLCPU, ValueError) << "input must be on the CPU";
  TVM_FFI_CHECK(out.dtype() == input.dtype() && out.numel() == input.numel(), ValueError)
      << "out is of " << out.dtype() << ", input of " << input.dtype();
  if (input.dtype() == DLDataType{kDLFloat, 32, 1}) {
    for (int64_t i = 0; i < input.numel(); ++i) {
      const float x = static_cast<const float *>(input.data_ptr())[i];
      static_cast<float *>(out.data_ptr())[i] = x > 2 ? x : 0;
    }
  } else {
    std::ostringstream os;
    os << "no relu for " << input.dtype();
    TVM_FFI_CHECK(false, NotImplementedError) << os.str();
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu, relu);

/* Values by the names that documents and hosts use, tvm::Any and tvm::ffi::Any. */
tvm::Any first(tvm::AnyView a, ffi::Any) {
  return a;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(first, first);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel that hands on the errors of what it calls, compiled with -fno-exceptions. No failure
 * ends the process: the caller gets the error as the kernel's result.
 */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace my_kernels {

/* A tensor like x, from the allocator of the host, that f(y, x) has filled. */
ffi::Expected<ffi::Tensor> Apply(ffi::Function f, ffi::TensorView x) {
  TVM_FFI_ASSIGN_OR_RETURN(
      ffi::Tensor y,
      ffi::Tensor::FromEnvAllocExpected(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device()));
  TVM_FFI_RETURN_IF_ERROR(f.CallExpected<void>(y, x));
  return y;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(apply, Apply);

}  // namespace my_kernels

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that layer_calls.c times, compiled with our headers and with the reference's; bench
 * times the one that takes tensors. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace {

int64_t AddThree(int64_t a, int64_t b, int64_t c) {
  return a + b + c;
}

double MixThree(int64_t a, double b, bool c) {
  return static_cast<double>(a) + (c ? b : 0);
}

/** What kernels do first with their tensors. */
int64_t ReadThree(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  return a.size(0) + b.size(0) + c.size(0) + (a.data_ptr() == b.data_ptr()) +
         (b.data_ptr() == c.data_ptr());
}

void Fail(int64_t a) {
  TVM_FFI_CHECK(a < 0, ValueError) << "a must be negative but is " << a;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_three, AddThree)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(mix_three, MixThree)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(read_three, ReadThree)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, Fail)

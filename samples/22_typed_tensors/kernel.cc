/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of known dtype and rank, and of any strides. The first kernel refuses anything but
 * matrices and vectors of float on the CPU before it runs; it only checks that the extents match.
 * Its last argument may be omitted. */
#include <tvm/ffi/container/tensor_accessor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/optional_args.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace my_kernels {

/* x may be strided, such as a transposed matrix or a part of one. out is written in row-major
 * order. */
void AddBias(ffi::TensorAccessor<const float, 2> x, ffi::ContiguousAccessor<const float, 1> bias,
             ffi::ContiguousAccessor<float, 2> out, ffi::Optional<double> scale) {
  const float factor = static_cast<float>(scale.value_or(1));
  TVM_FFI_CHECK_EQ(x.size(0), out.size(0), ValueError) << "x and out differ in rows";
  TVM_FFI_CHECK_EQ(x.size(1), out.size(1), ValueError) << "x and out differ in columns";
  TVM_FFI_CHECK_EQ(x.size(1), bias.size(0), ValueError) << "one bias for each column";
  for (int64_t i = 0; i < x.size(0); ++i) {
    for (int64_t j = 0; j < x.size(1); ++j) out(i, j) = factor * x(i, j) + bias(j);
  }
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_bias, ffi::WithOptionalArgs(AddBias));

/* y = factor * x for tensors of any rank and any strides, such as a transposed x: nothing is
 * copied, and contiguous tensors are one loop. */
void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  const float by = static_cast<float>(factor);
  ffi::ForEach<float, const float>([by](float &out, const float &in) { out = by * in; }, y, x);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);

}  // namespace my_kernels

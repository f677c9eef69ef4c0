/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of scale.cu for the CPU, and for more data types: y = x * factor. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include "checks.h"
#include "small_float.h"

namespace ffi = tvm::ffi;

namespace my_kernels {

#define DISPATCH_NUMBER(dtype, ...)                                      \
  switch (Encode(dtype)) {                                               \
    DISPATCH_CASE(kDLInt, 8, int8_t, __VA_ARGS__)                        \
    DISPATCH_CASE(kDLInt, 16, int16_t, __VA_ARGS__)                      \
    DISPATCH_CASE(kDLInt, 32, int32_t, __VA_ARGS__)                      \
    DISPATCH_CASE(kDLInt, 64, int64_t, __VA_ARGS__)                      \
    DISPATCH_CASE(kDLUInt, 8, uint8_t, __VA_ARGS__)                      \
    DISPATCH_CASE(kDLUInt, 16, uint16_t, __VA_ARGS__)                    \
    DISPATCH_CASE(kDLUInt, 32, uint32_t, __VA_ARGS__)                    \
    DISPATCH_CASE(kDLUInt, 64, uint64_t, __VA_ARGS__)                    \
    DISPATCH_CASE(kDLFloat, 16, Half, __VA_ARGS__)                       \
    DISPATCH_CASE(kDLFloat, 32, float, __VA_ARGS__)                      \
    DISPATCH_CASE(kDLFloat, 64, double, __VA_ARGS__)                     \
    DISPATCH_CASE(kDLBfloat, 16, BFloat16, __VA_ARGS__)                  \
    default:                                                             \
      TVM_FFI_THROW(TypeError) << "scale has no kernel for " << (dtype); \
  }

/* Computes in double; results for integer types must fit. */
template <typename T>
void ScaleLoop(const T *x, T *y, double factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(x[i]) * factor);
}

void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_INPUT(x, kDLCPU, "the CPU");
  CHECK_INPUT(y, kDLCPU, "the CPU");
  CHECK_SAME_DTYPE(x, y);
  CHECK_SAME_SHAPE(x, y);
  DISPATCH_NUMBER(x.dtype(), ScaleLoop(Data<const scalar>(x), Data<scalar>(y), factor, x.numel()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);

}  // namespace my_kernels

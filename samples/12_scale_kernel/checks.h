/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the kernels of one library: checks of their arguments, and a switch over data types. */
#ifndef SAMPLES_CHECKS_H_
#define SAMPLES_CHECKS_H_

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>

namespace my_kernels {

/* ValueError and TypeError tell the caller what was wrong with the call. */
#define CHECK_DEVICE(x, type, name) \
  TVM_FFI_CHECK((x).device().device_type == (type), ValueError) << #x " must be on " name
#define CHECK_CONTIGUOUS(x) \
  TVM_FFI_CHECK((x).IsContiguous(), ValueError) << #x " must be contiguous"
#define CHECK_INPUT(x, type, name) \
  do {                             \
    CHECK_DEVICE(x, type, name);   \
    CHECK_CONTIGUOUS(x);           \
  } while (0)
#define CHECK_SAME_DEVICE(x, y)                                               \
  TVM_FFI_CHECK((x).device().device_id == (y).device().device_id, ValueError) \
      << #x " and " #y " must be on one device"
#define CHECK_SAME_DTYPE(x, y)                         \
  TVM_FFI_CHECK((x).dtype() == (y).dtype(), TypeError) \
      << #x " is " << (x).dtype() << ", " #y " is " << (y).dtype()
#define CHECK_SAME_SHAPE(x, y) \
  TVM_FFI_CHECK(SameShape(x, y), ValueError) << #x " and " #y " must be of one shape"

inline bool SameShape(const tvm::ffi::TensorView &x, const tvm::ffi::TensorView &y) {
  if (x.ndim() != y.ndim()) return false;
  for (int32_t i = 0; i < x.ndim(); ++i) {
    if (x.size(i) != y.size(i)) return false;
  }
  return true;
}

/* The first element. */
template <typename T>
T *Data(const tvm::ffi::TensorView &x) {
  return static_cast<T *>(x.data_ptr());
}

constexpr int64_t Encode(DLDataType dtype) {
  return static_cast<int64_t>(dtype.code) << 32 | dtype.bits << 16 | dtype.lanes;
}

/* In a switch over Encode(dtype): runs the code with `scalar` as the type of that dtype. */
#define DISPATCH_CASE(code, bits, type, ...) \
  case Encode(DLDataType{code, bits, 1}): {  \
    using scalar = type;                     \
    __VA_ARGS__;                             \
    break;                                   \
  }

}  // namespace my_kernels

#endif  // SAMPLES_CHECKS_H_

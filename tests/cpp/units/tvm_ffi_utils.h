/* SPDX-License-Identifier: Apache-2.0 */
/* The common header of a large library of kernels: its own checks, which use those of the ABI's C++
 * headers, constants, and dispatch by data type. It includes nothing of the standard library, but
 * uses <algorithm>, <sstream>, <string> and <vector>. */
#pragma once
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

/* The user's string literal is concatenated with the one at the end of the macro. */
#define CHECK_LAST_DIM_CONTIGUOUS(x) \
  TVM_FFI_ICHECK_EQ(x.stride(-1), 1) #x " must be contiguous in its last dimension"
#define CHECK_CONTIGUOUS(x) TVM_FFI_ICHECK((x).IsContiguous()) #x " must be contiguous"
#define CHECK_DIM(d, x) TVM_FFI_ICHECK_EQ(x.ndim(), d) #x " must have " #d " dimensions"
#define CHECK_ON(type, x) \
  TVM_FFI_CHECK(x.device().device_type == (type), ValueError) << #x " must be on " #type
#define CHECK_DTYPE(x, wanted) \
  TVM_FFI_CHECK(x.dtype() == (wanted), TypeError) << #x " is of " << x.dtype()
#define CHECK_INPUT(x)   \
  do {                   \
    CHECK_ON(kDLCPU, x); \
    CHECK_CONTIGUOUS(x); \
  } while (0)
#define CHECK_SAME_SHAPE(a, b) check_same_shape(a, b, #a, #b)

constexpr DLDataType dl_float32 = DLDataType{kDLFloat, 32, 1};
constexpr DLDataType dl_float64{kDLFloat, 64, 1};
constexpr DLDataType dl_int32{kDLInt, 32, 1};

constexpr uint32_t dtype_key(DLDataType dtype) {
  return static_cast<uint32_t>(dtype.code) << 24 | static_cast<uint32_t>(dtype.bits) << 16 |
         dtype.lanes;
}

#define DISPATCH_FLOATS(dtype, T, ...)                                  \
  [&]() -> bool {                                                       \
    switch (dtype_key(dtype)) {                                         \
      case dtype_key(dl_float32): {                                     \
        using T = float;                                                \
        return __VA_ARGS__();                                           \
      }                                                                 \
      case dtype_key(dl_float64): {                                     \
        using T = double;                                               \
        return __VA_ARGS__();                                           \
      }                                                                 \
      default:                                                          \
        TVM_FFI_ICHECK(false) << "no instance for data type " << dtype; \
        return false;                                                   \
    }                                                                   \
  }()

inline void check_same_shape(const ffi::TensorView &a, const ffi::TensorView &b, const char *a_name,
                             const char *b_name) {
  TVM_FFI_ICHECK_EQ(a.ndim(), b.ndim()) << a_name << ".ndim() != " << b_name << ".ndim()";
  for (int i = 0; i < a.ndim(); ++i) {
    TVM_FFI_ICHECK_EQ(a.size(i), b.size(i)) << a_name << ".size(" << i << ")";
  }
}

inline ffi::Tensor alloc_tensor(tvm::ffi::Shape shape, DLDataType dtype, DLDevice device) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, dtype, device);
}

/* Uses names of headers that are not included. */
inline std::string shape_text(tvm::ffi::ShapeView shape) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  std::ostringstream os;
  std::sort(extents.begin(), extents.end());
  for (int64_t extent : extents) os << extent << (extent == extents.back() ? "" : "<=");
  return os.str();
}

/* The ABI's headers define comparison of data types, but not of devices. */
namespace host {
inline bool operator==(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}
inline bool operator!=(DLDevice a, DLDevice b) {
  return !(a == b);
}
}  // namespace host

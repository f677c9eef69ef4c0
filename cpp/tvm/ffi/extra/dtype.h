/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/dtype.h
 * The data type of a C++ type: dtype_trait<float>::value. Specialise it for types of your own.
 */
#ifndef TVM_FFI_EXTRA_DTYPE_H_
#define TVM_FFI_EXTRA_DTYPE_H_

#include <tvm/ffi/base_detail.h>

/* Types of CUDA and of HIP, whose headers may be absent. */
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct __nv_fp8_e8m0;
struct __nv_fp4_e2m1;
struct __nv_fp4x2_e2m1;
struct __hip_bfloat16;
struct hip_bfloat16;
struct __hip_fp8_e4m3;
struct __hip_fp8_e4m3_fnuz;
struct __hip_fp8_e5m2;
struct __hip_fp8_e5m2_fnuz;
struct __hip_fp4_e2m1;
struct __hip_fp4x2_e2m1;

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

template <uint8_t kCode, uint8_t kBits, uint16_t kLanes = 1>
struct DTypeValue {
  TVM_FFI_LOCAL static constexpr DLDataType value = {kCode, kBits, kLanes};
};

template <typename T>
TVM_FFI_LOCAL auto SelectDType() {
  constexpr uint8_t bits = 8 * sizeof(T);
  if constexpr (std::is_same_v<T, bool>) {
    return DTypeValue<kDLBool, 8>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return DTypeValue<kDLFloat, bits>();
  } else {
    return DTypeValue < std::is_signed_v<T> ? kDLInt : kDLUInt, bits > ();
  }
}

/** Whether an arithmetic type of C++ has a data type; character types have none. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool has_dtype_v =
    std::is_same_v<T, bool> || std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char> ||
    std::is_same_v<T, short> || std::is_same_v<T, unsigned short> || std::is_same_v<T, int> ||
    std::is_same_v<T, unsigned int> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> ||
    std::is_same_v<T, unsigned long long> || std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace detail

/** Its `value` is a constexpr DLDataType; types that are not known here have no `value`. */
template <typename T, typename = void>
struct dtype_trait {};
template <typename T>
struct dtype_trait<T, std::enable_if_t<detail::has_dtype_v<T>>>
    : decltype(detail::SelectDType<T>()) {};

template <>
struct dtype_trait<__half> : detail::DTypeValue<kDLFloat, 16> {};
template <>
struct dtype_trait<__nv_bfloat16> : detail::DTypeValue<kDLBfloat, 16> {};
template <>
struct dtype_trait<__nv_fp8_e4m3> : detail::DTypeValue<kDLFloat8_e4m3fn, 8> {};
template <>
struct dtype_trait<__nv_fp8_e5m2> : detail::DTypeValue<kDLFloat8_e5m2, 8> {};
template <>
struct dtype_trait<__nv_fp8_e8m0> : detail::DTypeValue<kDLFloat8_e8m0fnu, 8> {};
template <>
struct dtype_trait<__nv_fp4_e2m1> : detail::DTypeValue<kDLFloat4_e2m1fn, 4> {};
template <>
struct dtype_trait<__nv_fp4x2_e2m1> : detail::DTypeValue<kDLFloat4_e2m1fn, 4, 2> {};
template <>
struct dtype_trait<__hip_bfloat16> : detail::DTypeValue<kDLBfloat, 16> {};
template <>
struct dtype_trait<hip_bfloat16> : detail::DTypeValue<kDLBfloat, 16> {};
template <>
struct dtype_trait<__hip_fp8_e4m3> : detail::DTypeValue<kDLFloat8_e4m3fn, 8> {};
template <>
struct dtype_trait<__hip_fp8_e4m3_fnuz> : detail::DTypeValue<kDLFloat8_e4m3fnuz, 8> {};
template <>
struct dtype_trait<__hip_fp8_e5m2> : detail::DTypeValue<kDLFloat8_e5m2, 8> {};
template <>
struct dtype_trait<__hip_fp8_e5m2_fnuz> : detail::DTypeValue<kDLFloat8_e5m2fnuz, 8> {};
template <>
struct dtype_trait<__hip_fp4_e2m1> : detail::DTypeValue<kDLFloat4_e2m1fn, 4> {};
template <>
struct dtype_trait<__hip_fp4x2_e2m1> : detail::DTypeValue<kDLFloat4_e2m1fn, 4, 2> {};

TVM_FFI_NAMESPACE_END

/** The namespace of dtype_trait up to 0.1.14. */
namespace tvm_ffi {
using ::tvm::ffi::dtype_trait;
}

#endif  // TVM_FFI_EXTRA_DTYPE_H_

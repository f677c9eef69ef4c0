/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/travel_check.h
 * Compile errors for parameters and results that cannot be passed, which say what to write instead.
 * Caller checks this before it compiles the rest of a signature, so that these errors come first.
 */
#ifndef TVM_FFI_DETAIL_TRAVEL_CHECK_H_
#define TVM_FFI_DETAIL_TRAVEL_CHECK_H_

#include <tvm/ffi/any.h>

TVM_FFI_NAMESPACE_BEGIN

class Tensor;
class TensorView;

namespace detail {

/* Recognises the classes of extra/stl.h by their members, as their headers may not be included. */
template <typename T, typename = void>
struct IsStdRange : std::false_type {};
template <typename T>
struct IsStdRange<T, std::void_t<typename T::value_type, typename T::size_type>> : std::true_type {
};
template <typename T, typename = void>
struct IsStdTuple : std::false_type {};
template <typename T>
struct IsStdTuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {};
template <typename T, typename = void>
struct IsStdFunction : std::false_type {};
template <typename T>
struct IsStdFunction<T, std::void_t<typename T::result_type>> : std::true_type {};
template <typename T>
struct IsStdOptional : std::false_type {};
template <typename T>
struct IsStdOptional<std::optional<T>> : std::true_type {};

/** Why T cannot be passed. */
template <typename T>
struct TravelFault {
  TVM_FFI_LOCAL static constexpr bool text = HasCharTraits<T>::value;
  TVM_FFI_LOCAL static constexpr bool std_class =
      !text && std::disjunction_v<IsStdRange<T>, IsStdTuple<T>, IsStdFunction<T>, IsStdOptional<T>>;
  using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
  TVM_FFI_LOCAL static constexpr bool tensor = std::is_same_v<Target, DLTensor> ||
                                               std::is_same_v<Target, Tensor> ||
                                               std::is_same_v<Target, TensorView>;
  TVM_FFI_LOCAL static constexpr bool pointer = std::is_pointer_v<T> && !tensor;
  TVM_FFI_LOCAL static constexpr bool other = !text && !std_class && !tensor && !pointer;
};

template <typename T, bool travels = is_any_v<T> || TypeTraits<T>::convert_enabled>
struct CheckParam {};
template <typename T>
struct CheckParam<T, false> {
  static_assert(!TravelFault<T>::text,
                "a parameter of this type cannot be read from an argument: take a "
                "tvm::ffi::String, a std::string or a const char *");
  static_assert(!TravelFault<T>::std_class,
                "a parameter of this type cannot be read from an argument: include "
                "<tvm/ffi/extra/stl.h> for classes of the standard library; what they hold has to "
                "be readable, too");
  static_assert(!TravelFault<T>::tensor,
                "a parameter of this type cannot be read from an argument: take a "
                "tvm::ffi::TensorView by value, which has the fields of a DLTensor");
  static_assert(!TravelFault<T>::pointer,
                "a parameter of this type cannot be read from an argument: take a "
                "tvm::ffi::TensorView for the elements of a tensor, a void * for other memory, or "
                "a pointer to a class that is derived from tvm::ffi::Object");
  static_assert(
      !TravelFault<T>::other,
      "a parameter of this type cannot be read from an argument: take a tvm::ffi::TensorView for a "
      "tensor of another library; derive a class of your own from tvm::ffi::Object and take a "
      "reference to it, or specialise tvm::ffi::TypeTraits");
};

template <typename T,
          bool travels = is_any_v<T> || std::is_void_v<T> || TypeTraits<T>::convert_enabled>
struct CheckResult {
  static_assert(!is_borrowed_v<T>,
                "a view of data cannot be returned, for it does not keep its data alive: return a "
                "tvm::ffi::Tensor");
};
template <typename T>
struct CheckResult<T, false> {
  static_assert(!TravelFault<T>::text,
                "a result of this type cannot be returned: return a tvm::ffi::String or a "
                "std::string");
  static_assert(!TravelFault<T>::std_class,
                "a result of this type cannot be returned: include <tvm/ffi/extra/stl.h> for "
                "classes of the standard library; what they hold has to be returnable, too");
  static_assert(
      !TravelFault<T>::tensor,
      "a result of this type cannot be returned: return a tvm::ffi::Tensor, which owns its data");
  static_assert(!TravelFault<T>::pointer,
                "a result of this type cannot be returned: return a void *, or a reference to an "
                "object that keeps alive what it points to");
  static_assert(!TravelFault<T>::other,
                "a result of this type cannot be returned: derive the class from tvm::ffi::Object "
                "and return a reference to it, or specialise tvm::ffi::TypeTraits");
};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TRAVEL_CHECK_H_

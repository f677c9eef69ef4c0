/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/traits_fallback.h
 * Bases for traits of classes that values of other types convert to. With TVM_FFI_LEAN
 * nothing else includes this header.
 *
 *     template <>
 *     inline constexpr bool use_default_type_traits_v<Expr> = false;
 *     template <>
 *     struct TypeTraits<Expr> : ObjectRefWithFallbackTraitsBase<Expr, StrictBool, int64_t> {
 *       static Expr ConvertFallbackValue(StrictBool value) { ... }
 *       static Expr ConvertFallbackValue(int64_t value) { ... }
 *     };
 */
#ifndef TVM_FFI_DETAIL_TRAITS_FALLBACK_H_
#define TVM_FFI_DETAIL_TRAITS_FALLBACK_H_

#include <tvm/ffi/type_traits.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

template <typename T, typename F>
TVM_FFI_LOCAL bool TryFallback(const TVMFFIAny *source, std::optional<T> *out) {
  static_assert(!std::is_same_v<F, bool>,
                "bool takes any integer; use StrictBool as the type to fall back to");
  std::optional<F> value = TypeTraits<F>::TryCastFromAnyView(source);
  if (value) out->emplace(TypeTraits<T>::ConvertFallbackValue(*std::move(value)));
  return value.has_value();
}
template <typename T, typename... Fallbacks>
TVM_FFI_LOCAL std::optional<T> TryFallbacks(const TVMFFIAny *source) {
  std::optional<T> value;
  static_cast<void>((TryFallback<T, Fallbacks>(source, &value) || ...));
  return value;
}

}  // namespace detail

/** A reference, or the result of the first fallback type that takes the value. */
template <typename Ref, typename... Fallbacks>
struct ObjectRefWithFallbackTraitsBase : ObjectRefTypeTraitsBase<Ref> {
  TVM_FFI_LOCAL static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny *source) {
    std::optional<Ref> value = ObjectRefTypeTraitsBase<Ref>::TryCastFromAnyView(source);
    return value ? value : TryFallbackTypes<Fallbacks...>(source);
  }
  /** The result of the first of these types that takes the value, without trying Ref. */
  template <typename... Types>
  TVM_FFI_LOCAL static std::optional<Ref> TryFallbackTypes(const TVMFFIAny *source) {
    return detail::TryFallbacks<Ref, Types...>(source);
  }
};

/** The same for a type that is never stored; TypeStr and TypeSchema are its own. */
template <typename T, typename... Fallbacks>
struct FallbackOnlyTraitsBase : TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static std::optional<T> TryCastFromAnyView(const TVMFFIAny *source) {
    return TryFallbackTypes<Fallbacks...>(source);
  }
  /** The result of the first of these types that takes the value. */
  template <typename... Types>
  TVM_FFI_LOCAL static std::optional<T> TryFallbackTypes(const TVMFFIAny *source) {
    return detail::TryFallbacks<T, Types...>(source);
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TRAITS_FALLBACK_H_

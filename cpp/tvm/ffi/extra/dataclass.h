/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/dataclass.h
 * Operations on values by their fields and elements: text, copies, order, hash.
 */
#ifndef TVM_FFI_EXTRA_DATACLASS_H_
#define TVM_FFI_EXTRA_DATACLASS_H_

#include <tvm/ffi/detail/global.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/reflection/attr_key.h>

TVM_FFI_NAMESPACE_BEGIN

namespace detail {

TVM_FFI_DETAIL_GLOBAL(DeepCopy, "ffi.DeepCopy")
TVM_FFI_DETAIL_GLOBAL(ReprPrint, "ffi.ReprPrint")
TVM_FFI_DETAIL_GLOBAL(RecursiveHash, "ffi.RecursiveHash")
TVM_FFI_DETAIL_GLOBAL(RecursiveEq, "ffi.RecursiveEq")
TVM_FFI_DETAIL_GLOBAL(RecursiveLt, "ffi.RecursiveLt")
TVM_FFI_DETAIL_GLOBAL(RecursiveLe, "ffi.RecursiveLe")
TVM_FFI_DETAIL_GLOBAL(RecursiveGt, "ffi.RecursiveGt")
TVM_FFI_DETAIL_GLOBAL(RecursiveGe, "ffi.RecursiveGe")

}  // namespace detail

namespace type_attr {
/** Makes the text of an object; the function argument makes the text of a value in it. */
TVM_FFI_LOCAL inline constexpr AttrKey<
    TypedFunction<String(const Object *, const TypedFunction<String(AnyView)> &)>>
    kRepr{"__ffi_repr__"};
/** Used by RecursiveHash, RecursiveEq and the order of objects; the function argument is called for
 * the values in them. kCompare returns less than 0, 0, or more. */
TVM_FFI_LOCAL inline constexpr AttrKey<
    TypedFunction<int64_t(const Object *, const TypedFunction<int64_t(AnyView)> &)>>
    kHash{"__ffi_hash__"};
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<bool(
    const Object *, const Object *, const TypedFunction<bool(AnyView, AnyView)> &)>>
    kEq{"__ffi_eq__"};
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<int32_t(
    const Object *, const Object *, const TypedFunction<int32_t(AnyView, AnyView)> &)>>
    kCompare{"__ffi_compare__"};
}  // namespace type_attr

/** A copy that shares nothing mutable. Errors: those of objects that cannot be copied. */
TVM_FFI_LOCAL inline Any DeepCopy(const Any &value) {
  return detail::CallGlobal(detail::GlobalDeepCopy(), value);
}
/** The text of a value, like Python's repr. */
TVM_FFI_LOCAL inline String ReprPrint(const Any &value) {
  return detail::CallGlobal(detail::GlobalReprPrint(), value).cast<String>();
}
TVM_FFI_LOCAL inline int64_t RecursiveHash(const Any &value) {
  return detail::CallGlobal(detail::GlobalRecursiveHash(), value).cast<int64_t>();
}
TVM_FFI_LOCAL inline bool RecursiveEq(const Any &lhs, const Any &rhs) {
  return detail::CallGlobal(detail::GlobalRecursiveEq(), lhs, rhs).cast<bool>();
}
/** The order of values of one type. Errors: TypeError (these values have no order). */
TVM_FFI_LOCAL inline bool RecursiveLt(const Any &lhs, const Any &rhs) {
  return detail::CallGlobal(detail::GlobalRecursiveLt(), lhs, rhs).cast<bool>();
}
TVM_FFI_LOCAL inline bool RecursiveLe(const Any &lhs, const Any &rhs) {
  return detail::CallGlobal(detail::GlobalRecursiveLe(), lhs, rhs).cast<bool>();
}
TVM_FFI_LOCAL inline bool RecursiveGt(const Any &lhs, const Any &rhs) {
  return detail::CallGlobal(detail::GlobalRecursiveGt(), lhs, rhs).cast<bool>();
}
TVM_FFI_LOCAL inline bool RecursiveGe(const Any &lhs, const Any &rhs) {
  return detail::CallGlobal(detail::GlobalRecursiveGe(), lhs, rhs).cast<bool>();
}

/**
 * Prints the repr of a value, and of anything that converts to Any, such as Variant. Types with an
 * operator of their own, such as String and Shape, keep it.
 */
template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           const Any &value) {
  return os << ReprPrint(value);
}
/* References and Optionals may also convert to bool or a number: these overloads are preferred. */
template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           const ObjectRef &value) {
  return os << ReprPrint(value);
}
template <typename Traits, typename T, typename = std::enable_if_t<detail::storage_enabled_v<T>>>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           const Optional<T> &value) {
  return os << ReprPrint(value);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_DATACLASS_H_

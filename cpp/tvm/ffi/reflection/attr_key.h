/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/attr_key.h
 * Attributes of types, by name and type of value; reflection/accessor.h reads them.
 */
#ifndef TVM_FFI_REFLECTION_ATTR_KEY_H_
#define TVM_FFI_REFLECTION_ATTR_KEY_H_

#include <tvm/ffi/function.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/** The name of a type attribute, with the C++ type of its values. */
template <typename T>
struct AttrKey {
  using ValueType = T;
  const char *name;

  /** None means no value. Errors: TypeError (not exactly a T). */
  template <typename V = T>
  TVM_FFI_LOCAL static std::optional<V> ValueFrom(AnyView value) {
    if (value == nullptr) return std::nullopt;
    if constexpr (std::is_same_v<V, Any>) {
      return Any(value);
    } else {
      return value.as_or_throw<V>();
    }
  }
};

}  // namespace reflection

/** Names of attributes, each with the type of its values. */
namespace type_attr {
using ::tvm::ffi::reflection::AttrKey;
}  // namespace type_attr

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_ATTR_KEY_H_

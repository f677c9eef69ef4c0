/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/type_traits.h
 * How C++ types are represented as values of the ABI.
 *
 * TypeTraits<T> may be specialised for classes of your own: derive from TypeTraitsBase, or for
 * references from ObjectRefTypeTraitsBase<T>, and provide
 *
 *     CopyToAnyView(const T &, TVMFFIAny *out)        writes a view
 *     MoveToAny(T, TVMFFIAny *out)                    writes an owned value
 *     TryCastFromAnyView(const TVMFFIAny *)           std::optional<T>, with conversions
 *     CheckAnyStrict(const TVMFFIAny *)               whether it is exactly this type as stored
 *     CopyFromAnyViewAfterCheck(const TVMFFIAny *)    after a strict check that was true
 *     MoveFromAnyAfterCheck(TVMFFIAny *)              the same; leaves None behind for objects
 *     TypeStr(), TypeSchema()                         text in errors; JSON
 *
 * The three functions before the texts are only needed for types with storage_enabled.
 */
#ifndef TVM_FFI_TYPE_TRAITS_H_
#define TVM_FFI_TYPE_TRAITS_H_

#include <tvm/ffi/detail/traits_object.h>
#include <tvm/ffi/detail/traits_scalar.h>
#include <tvm/ffi/detail/traits_text.h>
#include <tvm/ffi/object.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

struct NoTraits {
  TVM_FFI_LOCAL static constexpr bool convert_enabled = false;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
};

/** The traits of a type that has no specialisation of its own. */
template <typename T>
TVM_FFI_LOCAL auto SelectTraits() {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<IntTraits<T> *>(nullptr);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<FloatTraits<T> *>(nullptr);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<IntTraits<T> *>(nullptr);
  } else if constexpr (std::is_pointer_v<T>) {
    if constexpr (std::is_class_v<std::remove_pointer_t<T>>) {
      if constexpr (std::is_base_of_v<Object, std::remove_cv_t<std::remove_pointer_t<T>>>) {
        return static_cast<NodePtrTraits<std::remove_pointer_t<T>> *>(nullptr);
      } else {
        return static_cast<NoTraits *>(nullptr);
      }
    } else {
      return static_cast<NoTraits *>(nullptr);
    }
  } else if constexpr (std::is_class_v<T>) {
    if constexpr (std::is_base_of_v<ObjectRef, T> && use_default_type_traits_v<T>) {
      return static_cast<OwnRefTraits<T> *>(nullptr);
    } else {
      return static_cast<NoTraits *>(nullptr);
    }
  } else {
    return static_cast<NoTraits *>(nullptr);
  }
}

}  // namespace detail

template <typename T, typename>
struct TypeTraits : std::remove_pointer_t<decltype(detail::SelectTraits<T>())> {};

/* ---- Asking about types ---- */

template <typename T>
struct TypeToFieldStaticTypeIndex {
  TVM_FFI_LOCAL static constexpr int32_t value = TypeTraits<T>::field_static_type_index;
};

template <typename T>
struct TypeToRuntimeTypeIndex {
  TVM_FFI_LOCAL static int32_t v() {
    if constexpr (std::is_base_of_v<ObjectRef, T>) {
      return T::ContainerType::RuntimeTypeIndex();
    } else {
      return TypeToFieldStaticTypeIndex<T>::value;
    }
  }
};
template <typename T>
struct TypeToRuntimeTypeIndex<ObjectPtr<T>> {
  TVM_FFI_LOCAL static int32_t v() { return T::RuntimeTypeIndex(); }
};

namespace detail {

/** @cond internal */
/* What compile errors say about a type that cannot be stored. */
#define TVM_FFI_DETAIL_STORE_INSTEAD                                                         \
  "take a type that owns its data (Tensor for TensorView, String for const char *, Any for " \
  "AnyView, Array<T> for std::vector<T>)"
/** @endcond */

template <typename T>
TVM_FFI_LOCAL inline constexpr bool storage_enabled_v =
    std::is_same_v<T, Any> || TypeTraits<T>::storage_enabled;

template <typename Target, typename Source>
struct Subsumes
    : std::bool_constant<std::is_same_v<Target, Any> || std::is_same_v<Target, Source> ||
                         std::is_base_of_v<Target, Source>> {};
template <typename Base, typename Derived>
struct Subsumes<ObjectPtr<Base>, ObjectPtr<Derived>> : std::is_base_of<Base, Derived> {};

template <typename T>
struct Type2Str {
  template <class S = std::string>
  TVM_FFI_LOCAL static S v() {
    Text text;
    PutTypeStr<T>(text);
    return MakeString<S>(text.bytes());
  }
};
template <typename T>
struct TypeSchema {
  template <class S = std::string>
  TVM_FFI_LOCAL static S v() {
    Text text;
    PutSchema<T>(text);
    return MakeString<S>(text.bytes());
  }
};

}  // namespace detail

/** Whether every value of Source is also one of Target, without conversion. */
template <typename Target, typename Source>
TVM_FFI_LOCAL inline constexpr bool type_subsumes_v = detail::Subsumes<Target, Source>::value;

TVM_FFI_NAMESPACE_END

#ifndef TVM_FFI_LEAN
#include <tvm/ffi/detail/traits_fallback.h>
#include <tvm/ffi/object_ptr.h>

#include <string>
#endif

#endif  // TVM_FFI_TYPE_TRAITS_H_

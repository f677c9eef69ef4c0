/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/traits_base.h
 * Building blocks of this layer's traits: writing values, reading arguments, texts.
 */
#ifndef TVM_FFI_DETAIL_TRAITS_BASE_H_
#define TVM_FFI_DETAIL_TRAITS_BASE_H_

#include <tvm/ffi/detail/cast_errors.h>
#include <tvm/ffi/object.h>

TVM_FFI_NAMESPACE_BEGIN

struct TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool convert_enabled = true;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = true;
  /** The index put in field info. */
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIAny;
  /** The type of the value that errors say they got. */
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    return detail::MakeString<S>(detail::TypeKeyOf(source->type_index));
  }
};

namespace detail {

TVM_FFI_LOCAL_INLINE void SetNone(TVMFFIAny *out) {
  out->type_index = kTVMFFINone;
  out->zero_padding = 0;
  out->v_int64 = 0;
}
TVM_FFI_LOCAL_INLINE void SetInt(TVMFFIAny *out, int32_t type_index, int64_t value) {
  out->type_index = type_index;
  out->zero_padding = 0;
  out->v_int64 = value;
}
TVM_FFI_LOCAL_INLINE void SetPointer(TVMFFIAny *out, int32_t type_index, const void *value) {
  out->type_index = type_index;
  out->zero_padding = 0;
  TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(out);
  out->v_ptr = const_cast<void *>(value);
}

/** An object, or None for null. */
TVM_FFI_LOCAL_INLINE void SetObject(TVMFFIAny *out, TVMFFIObject *value) {
  SetPointer(out, value != nullptr ? value->type_index : static_cast<int32_t>(kTVMFFINone), value);
}

/**
 * Whether passing a value makes a new object, which somebody must own during the call, because a
 * view does not.
 */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool travels_as_copy_v = false;

/** An empty T, to be filled in. */
template <typename T>
TVM_FFI_LOCAL_INLINE T MakeEmpty() {
  if constexpr (std::is_constructible_v<T, UnsafeInit>) {
    return T(UnsafeInit{});
  } else {
    return T{};
  }
}

/** Reads by the functions that users write in their TypeTraits. */
template <typename T>
struct TVM_FFI_TAGGED ForeignReader {
  static_assert(TypeTraits<T>::convert_enabled,
                "a value cannot be read as this type: include <tvm/ffi/extra/stl.h> for classes of "
                "the standard library; derive a class of your own from tvm::ffi::Object and read a "
                "reference to it, or specialise tvm::ffi::TypeTraits");
  std::optional<T> value;
  TVM_FFI_LOCAL_INLINE ForeignReader() = default;
  TVM_FFI_LOCAL_INLINE ~ForeignReader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    if constexpr (std::is_same_v<decltype(TypeTraits<T>::TryCastFromAnyView(source)),
                                 std::optional<T>>) {
      value = TypeTraits<T>::TryCastFromAnyView(source);
    } else if (auto result = TypeTraits<T>::TryCastFromAnyView(source)) {
      value.emplace(*std::move(result));
    }
    return value.has_value() ? kReadOk : kReadMismatch;
  }
  TVM_FFI_LOCAL_INLINE T &&Take() { return std::move(*value); }
};
/** Reads by the Read of this layer's traits. */
template <typename T>
struct TVM_FFI_TAGGED OwnReader {
  T value = MakeEmpty<T>();
  TVM_FFI_LOCAL_INLINE OwnReader() = default;
  TVM_FFI_LOCAL_INLINE ~OwnReader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    return TypeTraits<T>::Read(source, &value);
  }
  TVM_FFI_LOCAL_INLINE T &&Take() { return std::move(value); }
};
/** Reads one argument: Read, and after kReadOk once Take. */
template <typename T>
struct TVM_FFI_TAGGED Reader
    : std::conditional_t<IsOwn<TypeTraits<T>>::value, OwnReader<T>, ForeignReader<T>> {
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
};

/** The base of this layer's traits: everything that Read and the texts suffice for. */
template <typename T>
struct ReadTraits : TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool text_is_constant = true;

  TVM_FFI_LOCAL static std::optional<T> TryCastFromAnyView(const TVMFFIAny *source) {
    T value = MakeEmpty<T>();
    const int status = TypeTraits<T>::Read(source, &value);
    if (status == kReadRaised) ThrowRaised();
    return status == kReadOk ? std::optional<T>(std::move(value)) : std::nullopt;
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeStr() {
    Text text;
    TypeTraits<T>::PutTypeStr(text);
    return MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeSchema() {
    Text text;
    TypeTraits<T>::PutSchema(text);
    return MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S GetMismatchTypeInfo(const TVMFFIAny *source) {
    Text text;
    PutGotOf<T>(text, source);
    return MakeString<S>(text.bytes());
  }
};

/** The same for types whose two texts are plain names. */
template <typename T>
struct NamedTraits : ReadTraits<T> {
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    sink.Put(TypeTraits<T>::type_str);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    sink.Put("{\"type\":\"");
    sink.Put(TypeTraits<T>::type_schema);
    sink.Put("\"}");
  }
};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TRAITS_BASE_H_

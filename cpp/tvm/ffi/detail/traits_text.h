/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/traits_text.h
 * Borrowed text and bytes as values: const char *, literals, TVMFFIByteArray *.
 */
#ifndef TVM_FFI_DETAIL_TRAITS_TEXT_H_
#define TVM_FFI_DETAIL_TRAITS_TEXT_H_

#include <tvm/ffi/detail/traits_base.h>

TVM_FFI_NAMESPACE_BEGIN

/** Borrowed text; kept as a String. */
template <>
struct TypeTraits<const char *> : detail::NamedTraits<const char *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "const char*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "const char*";
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const char *const &value, TVMFFIAny *out) {
    if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
      detail::Throw("InternalError", "a null pointer stands for no string");
    }
    detail::SetPointer(out, kTVMFFIRawStr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(const char *value, TVMFFIAny *out) {
    TVMFFIByteArray text;
    TVMFFIAny view;
    CopyToAnyView(value, &view);
    text = detail::BytesOf(value);
    detail::CheckSafeCall(TVMFFIStringFromByteArray(&text, out));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, const char **out) {
    if (source->type_index != kTVMFFIRawStr) return detail::kReadMismatch;
    *out = source->v_c_str;
    return detail::kReadOk;
  }
};

template <size_t N>
struct TypeTraits<char[N]> : TypeTraitsBase {
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const char (&value)[N], TVMFFIAny *out) {
    detail::SetPointer(out, kTVMFFIRawStr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(const char (&value)[N], TVMFFIAny *out) {
    TypeTraits<const char *>::MoveToAny(value, out);
  }
};

/** Borrowed bytes; kept as Bytes. */
template <>
struct TypeTraits<TVMFFIByteArray *> : detail::NamedTraits<TVMFFIByteArray *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "TVMFFIByteArray*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "TVMFFIByteArray*";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIByteArrayPtr;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(TVMFFIByteArray *const &value, TVMFFIAny *out) {
    if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
      detail::Throw("InternalError", "a null pointer stands for no bytes");
    }
    detail::SetPointer(out, kTVMFFIByteArrayPtr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(TVMFFIByteArray *value, TVMFFIAny *out) {
    TVMFFIAny view;
    CopyToAnyView(value, &view);
    detail::CheckSafeCall(TVMFFIBytesFromByteArray(value, out));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, TVMFFIByteArray **out) {
    if (source->type_index != kTVMFFIByteArrayPtr) return detail::kReadMismatch;
    *out = static_cast<TVMFFIByteArray *>(source->v_ptr);
    return detail::kReadOk;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TRAITS_TEXT_H_

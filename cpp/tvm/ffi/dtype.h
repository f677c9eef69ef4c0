/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/dtype.h
 * Data types: text, comparison, kinds.
 */
#ifndef TVM_FFI_DTYPE_H_
#define TVM_FFI_DTYPE_H_

#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>
#ifndef TVM_FFI_LEAN
#include <functional>
#include <unordered_map>
#endif

/* At global scope, like the type, so that argument-dependent lookup finds them. */
TVM_FFI_LOCAL_INLINE bool operator==(const DLDataType &a, const DLDataType &b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
TVM_FFI_LOCAL_INLINE bool operator!=(const DLDataType &a, const DLDataType &b) {
  return !(a == b);
}
template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           DLDataType dtype) {
  ::tvm::ffi::detail::Text text;
  text.PutDataType(dtype);
  os.write(text.data(), static_cast<std::ptrdiff_t>(text.size()));
  return os;
}

TVM_FFI_NAMESPACE_BEGIN

using ::DLDataType;
using ::DLDevice;
using ::DLTensor;

enum DLExtDataTypeCode { kDLExtCustomBegin = 129 };

/** Errors: ValueError, and those of a registered parser of custom types. */
TVM_FFI_LOCAL inline DLDataType StringToDLDataType(const String &text) {
  const TVMFFIByteArray bytes{text.data(), text.size()};
  DLDataType dtype;
  detail::CheckSafeCall(TVMFFIDataTypeFromString(&bytes, &dtype));
  return dtype;
}

/** As StringToDLDataType, but returns the error. */
template <typename T = DLDataType>
TVM_FFI_LOCAL Expected<T> StringToDLDataTypeExpected(const String &text) {
  const TVMFFIByteArray bytes{text.data(), text.size()};
  T dtype;
  if (TVMFFIDataTypeFromString(&bytes, &dtype) != 0) return detail::MoveFromSafeCallRaised();
  return dtype;
}

/** Errors: ValueError (unknown code). */
TVM_FFI_LOCAL inline String DLDataTypeToString(DLDataType dtype) {
  TVMFFIAny text;
  detail::CheckSafeCall(TVMFFIDataTypeToString(&dtype, &text));
  return TypeTraits<String>::MoveFromAnyAfterCheck(&text);
}

/** Any floating-point kind, including bfloat and the small ones. */
TVM_FFI_LOCAL inline bool DTypeIsFloat(DLDataType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat ||
         (dtype.code >= kDLFloat8_e3m4 && dtype.code <= kDLFloat4_e2m1fn);
}
/** Signed or unsigned. */
TVM_FFI_LOCAL inline bool DTypeIsInt(DLDataType dtype) {
  return dtype.code == kDLInt || dtype.code == kDLUInt;
}
TVM_FFI_LOCAL inline bool DTypeIsBool(DLDataType dtype) {
  return dtype.code == kDLBool;
}

template <>
struct TypeTraits<DLDataType> : detail::NamedTraits<DLDataType> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr const char *type_str = "DataType";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "DataType";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIDataType;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const DLDataType &value, TVMFFIAny *out) {
    detail::SetInt(out, kTVMFFIDataType, 0);
    out->v_dtype = value;
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(DLDataType value, TVMFFIAny *out) {
    CopyToAnyView(value, out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIDataType;
  }
  TVM_FFI_LOCAL_INLINE static DLDataType CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return source->v_dtype;
  }
  TVM_FFI_LOCAL_INLINE static DLDataType MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return source->v_dtype;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, DLDataType *out) {
    if (TVM_FFI_PREDICT_FALSE(source->type_index != kTVMFFIDataType)) {
      // Not into *out: the address of one reader would force those of all arguments into memory.
      DLDataType parsed{};
      const int status = Parse(source, &parsed);
      *out = parsed;
      return status;
    }
    *out = source->v_dtype;
    return detail::kReadOk;
  }

 private:
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE static int Parse(const TVMFFIAny *source, DLDataType *out) {
    TVMFFIByteArray text;
    if (!detail::ReadText(source, &text)) return detail::kReadMismatch;
    return TVMFFIDataTypeFromString(&text, out) == 0 ? detail::kReadOk : detail::kReadRaised;
  }
};

TVM_FFI_NAMESPACE_END

#ifndef TVM_FFI_LEAN
#include <tvm/ffi/detail/dtype_text.h>
#endif

#endif  // TVM_FFI_DTYPE_H_

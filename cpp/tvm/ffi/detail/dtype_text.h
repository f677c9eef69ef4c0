/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/dtype_text.h
 * Names of data types for identifiers: `i32`, `bf16x4`. With TVM_FFI_LEAN dtype.h does not include
 * this header.
 */
#ifndef TVM_FFI_DETAIL_DTYPE_TEXT_H_
#define TVM_FFI_DETAIL_DTYPE_TEXT_H_

#include <tvm/ffi/dtype.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** [lend] Static text. Errors: ValueError (unknown). */
TVM_FFI_LOCAL inline const char *DLDataTypeCodeAsCStr(DLDataTypeCode type_code) {
  static constexpr const char *kNames[] = {"int",
                                           "uint",
                                           "float",
                                           "handle",
                                           "bfloat",
                                           nullptr,
                                           "bool",
                                           "float8_e3m4",
                                           "float8_e4m3",
                                           "float8_e4m3b11fnuz",
                                           "float8_e4m3fn",
                                           "float8_e4m3fnuz",
                                           "float8_e5m2",
                                           "float8_e5m2fnuz",
                                           "float8_e8m0fnu",
                                           "float6_e2m3fn",
                                           "float6_e3m2fn",
                                           "float4_e2m1fn"};
  const int code = static_cast<int>(type_code);
  if (code >= kDLExtCustomBegin) return "custom";
  if (code < 0 || code >= static_cast<int>(sizeof kNames / sizeof *kNames) ||
      kNames[code] == nullptr) {
    {
      Text text;
      text.Put("DLDataType contains unknown type_code=");
      text.PutInt(code);
      RaiseText("ValueError", text);
    }
    ThrowRaised();
  }
  return kNames[code];
}

TVM_FFI_LOCAL inline void PutDTypeAbbrev(Text &text, DLDataType dtype) {
  if (dtype.code >= kDLExtCustomBegin) {
    const String whole = DLDataTypeToString(dtype);
    text.Put(whole.data(), whole.size());
    return;
  }
  const int16_t lanes = static_cast<int16_t>(dtype.lanes);
  const char *name = DLDataTypeCodeAsCStr(static_cast<DLDataTypeCode>(dtype.code));
  if (dtype.code == kDLOpaqueHandle) {
    text.Put(dtype.bits == 0 && dtype.lanes == 0 ? "void" : "handle");
    return;
  }
  switch (dtype.code) {
    case kDLInt:
    case kDLUInt:
    case kDLFloat:
      text.Put(name[0]);
      text.PutInt(dtype.bits);
      break;
    case kDLBfloat:
      text.Put("bf");
      text.PutInt(dtype.bits);
      break;
    case kDLBool:
      text.Put(name);
      if (dtype.bits != 8) text.PutInt(dtype.bits);
      break;
    default:
      // float8_e4m3fn becomes f8_e4m3fn: the first letter, then what follows "float".
      text.Put(name[0]);
      text.Put(name + std::strlen("float"));
      break;
  }
  if (lanes > 1) {
    text.Put('x');
    text.PutInt(lanes);
  } else if (lanes < -1) {
    text.Put("xvscalex");
    text.PutInt(-lanes);
  }
}

}  // namespace detail

/** `i32`, `u8`, `f16`, `bf16`, `bool`, `f8_e4m3fn`; lanes follow an x. Errors: ValueError. */
template <class S = std::string>
TVM_FFI_LOCAL S DTypeAbbrev(DLDataType dtype) {
  detail::Text text;
  detail::PutDTypeAbbrev(text, dtype);
  return detail::MakeString<S>(text.bytes());
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_DTYPE_TEXT_H_

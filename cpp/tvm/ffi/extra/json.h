/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/json.h
 * JSON text to values and back, by the runtime's parser and writer.
 */
#ifndef TVM_FFI_EXTRA_JSON_H_
#define TVM_FFI_EXTRA_JSON_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/base.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL_EXPECTED(JsonParse, "ffi.json.Parse")
TVM_FFI_DETAIL_GLOBAL_EXPECTED(JsonStringify, "ffi.json.Stringify")

}  // namespace detail

namespace json {

/** None, a bool, an int, a float, a String, an Array or an Object. */
using Value = ::tvm::ffi::Any;
using Object = Map<::tvm::ffi::Any, ::tvm::ffi::Any>;
using Array = ::tvm::ffi::Array<::tvm::ffi::Any>;

/**
 * @param error_msg [out] If NULL, errors of the text are thrown. Otherwise they are stored here
 * (empty if there is none), and the value of an invalid text is None. Errors: ValueError (invalid
 * text; the runtime has no ffi.json.Parse).
 */
TVM_FFI_LOCAL inline Value Parse(const String &text, String *error_msg = nullptr) {
  const TVMFFIObjectHandle parse = detail::GlobalJsonParse();
  const AnyView view(text);
  Any value;
  const int code = TVMFFIFunctionGetCellPtr(parse)->safe_call(
      parse, reinterpret_cast<const TVMFFIAny *>(&view), 1, detail::AnyUnsafe::Slot(&value));
  if (error_msg == nullptr) {
    detail::CheckSafeCall(code);
  } else {
    *error_msg = code != 0 ? detail::MoveFromSafeCallRaised().message<String>() : String();
  }
  return value;
}

/** As Parse, but returns the error. */
template <typename T = Value>
TVM_FFI_LOCAL Expected<T> ParseExpected(const String &text) {
  TVMFFIObjectHandle parse = nullptr;
  TVM_FFI_RETURN_IF_ERROR(detail::FindGlobalJsonParse(&parse));
  return detail::CallGlobalExpected<T>(parse, text);
}

/** @param indent Spaces per level; if absent, everything is on one line. */
TVM_FFI_LOCAL inline String Stringify(const Value &value,
                                      const Optional<int> &indent = std::nullopt) {
  return detail::CallGlobal(detail::GlobalJsonStringify(), value, indent).cast<String>();
}

/** As Stringify, but returns the error. */
template <typename T = String>
TVM_FFI_LOCAL Expected<T> StringifyExpected(const Value &value,
                                            const Optional<int> &indent = std::nullopt) {
  TVMFFIObjectHandle stringify = nullptr;
  TVM_FFI_RETURN_IF_ERROR(detail::FindGlobalJsonStringify(&stringify));
  return detail::CallGlobalExpected<T>(stringify, value, indent);
}

}  // namespace json
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_JSON_H_

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/json.h
 * JSON text to values and back, by the runtime's parser and writer.
 */
#ifndef TVM_FFI_EXTRA_JSON_H_
#define TVM_FFI_EXTRA_JSON_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(JsonParse, "ffi.json.Parse")
TVM_FFI_DETAIL_GLOBAL(JsonStringify, "ffi.json.Stringify")

}  // namespace detail

namespace json {

/** None, a bool, an int, a float, a String, an Array or an Object. */
using Value = ::tvm::ffi::Any;
using Object = Map<::tvm::ffi::Any, ::tvm::ffi::Any>;
using Array = ::tvm::ffi::Array<::tvm::ffi::Any>;

/**
 * @param error_msg [out] NULL: what is wrong with the text is thrown. Otherwise it is put there,
 * empty when nothing is, and the value of a text that is wrong is None. Errors: ValueError (the
 * text; no ffi.json.Parse in this runtime).
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

/** @param indent Spaces for each level; absent: everything in one line. */
TVM_FFI_LOCAL inline String Stringify(const Value &value,
                                      const Optional<int> &indent = std::nullopt) {
  return detail::CallGlobal(detail::GlobalJsonStringify(), value, indent).cast<String>();
}

}  // namespace json
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_JSON_H_

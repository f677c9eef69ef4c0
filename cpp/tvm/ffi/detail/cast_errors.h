/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/cast_errors.h
 * The errors of casts: the value is not of the type.
 */
#ifndef TVM_FFI_DETAIL_CAST_ERRORS_H_
#define TVM_FFI_DETAIL_CAST_ERRORS_H_

#include <tvm/ffi/detail/type_record.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Raises the TypeError ``<before><got>` <between> `<type>` ``. */
TVM_FFI_LOCAL_COLD int RaiseMismatch(const char *before, const char *between,
                                     const TypeRecord &record, const TVMFFIAny *source) {
  Text text;
  text.Put(before);
  PutRecordGot(text, record, source);
  text.Put(between);
  PutRecord(text, record);
  text.Put('`');
  return RaiseText("TypeError", text);
}
TVM_FFI_LOCAL_COLD void RaiseCannotConvert(const TypeRecord &record, const TVMFFIAny *source,
                                           int status) {
  if (status == kReadUnfit && record.raise_unfit != nullptr) {
    record.raise_unfit("", nullptr, source, 0);
  } else if (status != kReadRaised) {
    RaiseMismatch("Cannot convert from type `", "` to `", record, source);
  }
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowCannotConvert(const TypeRecord &record,
                                                        const TVMFFIAny *source, int status) {
  RaiseCannotConvert(record, source, status);
  ThrowRaised();
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowCannotTreat(const TypeRecord &record,
                                                      const TVMFFIAny *source) {
  RaiseMismatch("Cannot treat type `", "` as type `", record, source);
  ThrowRaised();
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_CAST_ERRORS_H_

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/text.h
 * Text of messages, built without iostreams, and functions that raise errors with it.
 */
#ifndef TVM_FFI_DETAIL_TEXT_H_
#define TVM_FFI_DETAIL_TEXT_H_

#include <tvm/ffi/base_detail.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** The bytes of a text of any class. */
TVM_FFI_LOCAL inline TVMFFIByteArray BytesOf(const char *text) {
  return TVMFFIByteArray{text, std::strlen(text)};
}
TVM_FFI_LOCAL inline TVMFFIByteArray BytesOf(TVMFFIByteArray text) {
  return text;
}
TVM_FFI_LOCAL inline TVMFFIByteArray BytesOf(const TVMFFIByteArray *text) {
  return text != nullptr ? *text : TVMFFIByteArray{"", 0};
}
template <typename T>
TVM_FFI_LOCAL auto BytesOf(const T &text)
    -> decltype(TVMFFIByteArray{text.data(), static_cast<size_t>(text.size())}) {
  return TVMFFIByteArray{text.data(), static_cast<size_t>(text.size())};
}

/** Text that grows, NUL-terminated. Pieces for which memory runs out are left out. */
class TVM_FFI_LOCAL Text {
 public:
  TVM_FFI_LOCAL Text() = default;
  TVM_FFI_LOCAL ~Text() {
    if (data_ != nullptr) std::free(data_);
  }
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;

  TVM_FFI_LOCAL const char *data() const { return data_ != nullptr ? data_ : ""; }
  TVM_FFI_LOCAL size_t size() const { return size_; }
  TVM_FFI_LOCAL TVMFFIByteArray bytes() const { return TVMFFIByteArray{data(), size_}; }
  /** Whether something was left out: callers that use the text as a value must check. */
  TVM_FFI_LOCAL bool failed() const { return failed_; }

  TVM_FFI_LOCAL void Put(const char *text) { Put(text, std::strlen(text)); }
  TVM_FFI_LOCAL void Put(char c) { Put(&c, 1); }
  TVM_FFI_LOCAL void Put(TVMFFIByteArray text) { Put(text.data, text.size); }
  TVM_FFI_LOCAL_COLD void Put(const char *text, size_t size) {
    if (capacity_ - size_ <= size) {
      const size_t wanted = 2 * size_ + size + 64;
      void *grown = std::realloc(data_, wanted);
      if (grown == nullptr) {
        failed_ = true;
        return;
      }
      data_ = static_cast<char *>(grown);
      capacity_ = wanted;
    }
    if (size != 0) std::memcpy(data_ + size_, text, size);
    size_ += size;
    data_[size_] = '\0';
  }
  TVM_FFI_LOCAL_COLD void PutInt(int64_t value) {
    if (value < 0) Put('-');
    PutUint(value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value));
  }
  TVM_FFI_LOCAL_COLD void PutUint(uint64_t value) {
    char digits[24];
    char *p = digits + sizeof digits;
    do *--p = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    Put(p, static_cast<size_t>(digits + sizeof digits - p));
  }
  /** In the default format of a std::ostream. */
  TVM_FFI_LOCAL_COLD void PutDouble(long double value) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%Lg", value);
    // The locale of the host may have another point, even one of several bytes.
    const size_t before = std::strspn(digits, "0123456789+-einfa");
    // "-nan(ind)" of Windows has none.
    const size_t point =
        value - value == 0 ? std::strcspn(digits + before, "0123456789+-einfa") : 0;
    Put(digits, before);
    if (point != 0) Put('.');
    Put(digits + before + point);
  }
  TVM_FFI_LOCAL_COLD void PutPointer(const volatile void *value) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%llx",
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(value)));
    Put(value != nullptr ? digits : "0");
  }
  TVM_FFI_LOCAL_COLD void PutDataType(DLDataType value) {
    TVMFFIAny text;
    TVMFFIByteArray bytes;
    if (TVMFFIDataTypeToString(&value, &text) != 0) {
      TVMFFIErrorSetRaised(nullptr);
      Put("unknown dtype");
      return;
    }
    bytes = text.type_index == kTVMFFISmallStr ? TVMFFISmallBytesGetContentByteArray(&text)
                                               : *TVMFFIBytesGetByteArrayPtr(text.v_obj);
    Put(bytes);
    if (text.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(text.v_obj);
  }

 private:
  char *data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool failed_ = false;
};

/** The key of a type, for error messages. Never fails. */
TVM_FFI_LOCAL_COLD TVMFFIByteArray TypeKeyOf(int32_t type_index) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type_index);
  if (info != nullptr) return info->type_key;
  TVMFFIErrorSetRaised(nullptr);
  return TVMFFIByteArray{"unknown", 7};
}

/** Raises an error in the thread's slot; returns -1, as callbacks do. */
TVM_FFI_LOCAL_COLD int RaiseText(const char *kind, const Text &text) {
  TVMFFIErrorSetRaisedFromCStr(kind, text.data());
  return -1;
}

#if TVM_FFI_HAS_EXCEPTIONS
/** Throws the error in the thread's slot. Defined in error.h. */
[[noreturn]] TVM_FFI_LOCAL inline void ThrowRaised();
#else
/** Without exceptions nothing can catch it: prints the error and ends the process. */
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowRaised() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error != nullptr) {
    const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
    std::fprintf(stderr, "%.*s: %.*s (thrown by code that was compiled without exceptions)\n",
                 static_cast<int>(cell->kind.size), cell->kind.data,
                 static_cast<int>(cell->message.size), cell->message.data);
    std::fflush(stderr);
  }
  std::abort();
}
#endif

[[noreturn]] TVM_FFI_LOCAL_COLD void Throw(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  ThrowRaised();
}

/** The complete text. Errors: MemoryError (something was left out). */
TVM_FFI_LOCAL inline TVMFFIByteArray WholeText(const Text &text) {
  if (text.failed()) Throw("MemoryError", "out of memory");
  return text.bytes();
}

/** `<before><value><between><other><after>`, the form of index errors. Returns -1. */
TVM_FFI_LOCAL_COLD int RaiseNumbers(const char *kind, const char *before, int64_t value,
                                    const char *between, int64_t other, const char *after) {
  Text text;
  text.Put(before);
  text.PutInt(value);
  text.Put(between);
  text.PutInt(other);
  text.Put(after);
  return RaiseText(kind, text);
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNumbers(const char *kind, const char *before,
                                                  int64_t value, const char *between, int64_t other,
                                                  const char *after) {
  RaiseNumbers(kind, before, value, between, other, after);
  ThrowRaised();
}

TVM_FFI_LOCAL_INLINE void CheckSafeCall(int code) {
  if (TVM_FFI_PREDICT_FALSE(code != 0)) ThrowRaised();
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TEXT_H_

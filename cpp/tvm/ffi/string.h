/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/string.h
 * Text and bytes. Both are 16-byte values: up to 7 bytes are stored in the value, longer content in
 * an object; a NUL follows in either case. They are never null, and never change.
 */
#ifndef TVM_FFI_STRING_H_
#define TVM_FFI_STRING_H_

#include <tvm/ffi/any.h>
#ifndef TVM_FFI_LEAN
#include <iomanip>
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Heap content that takes over a std::string. */
struct BytesObjBase : Object, TVMFFIByteArray {
  TVM_FFI_LOCAL_INLINE BytesObjBase() = default;
};
struct BytesObj : BytesObjBase {
  TVM_FFI_LOCAL_INLINE BytesObj() = default;
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIBytes;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIBytes, BytesObj, Object);
};
struct StringObj : BytesObjBase {
  TVM_FFI_LOCAL_INLINE StringObj() = default;
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIStr;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIStr, StringObj, Object);
};
template <typename Base, typename S>
struct TVM_FFI_LOCAL BytesObjStd : Base {
  S content;
  TVM_FFI_LOCAL_INLINE ~BytesObjStd() = default;
  TVM_FFI_LOCAL explicit BytesObjStd(S &&source) : content(static_cast<S &&>(source)) {
    this->TVMFFIByteArray::data = content.data();
    this->TVMFFIByteArray::size = content.size();
  }
};

/** Reads text in any of its four forms; false if the value is not text. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline bool ReadText(const TVMFFIAny *source,
                                                     TVMFFIByteArray *out) {
  switch (source->type_index) {
    case kTVMFFIRawStr:
      *out = BytesOf(source->v_c_str);
      return true;
    case kTVMFFISmallStr:
      *out = TVMFFISmallBytesGetContentByteArray(source);
      return true;
    case kTVMFFIStr:
      *out = *TVMFFIBytesGetByteArrayPtr(source->v_obj);
      return true;
    default:
      return false;
  }
}

/** Copies data to the value of a String or Bytes; the runtime stores content that is not short.
 * Errors: memory. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline void SetBytes(TVMFFIAny *out, int32_t small_index,
                                                     const char *data, size_t size) {
  SetInt(out, small_index, 0);
  if (size < sizeof out->v_bytes) {
    out->small_str_len = static_cast<uint32_t>(size);
    if (size != 0) std::memcpy(out->v_bytes, data, size);
    return;
  }
  const TVMFFIByteArray bytes{data, size};
  CheckSafeCall(small_index == kTVMFFISmallStr ? TVMFFIStringFromByteArray(&bytes, out)
                                               : TVMFFIBytesFromByteArray(&bytes, out));
}

/** The representation of String and Bytes: a value, and access to its bytes. */
template <int32_t kSmall, int32_t kLarge>
class BytesCell {
 public:
  TVM_FFI_LOCAL_INLINE BytesCell() { SetInt(&data_, kSmall, 0); }
  TVM_FFI_LOCAL_INLINE BytesCell(const BytesCell &other) : data_(other.data_) {
    if (data_.type_index == kLarge) Retain(data_.v_obj);
  }
  TVM_FFI_LOCAL_INLINE BytesCell(BytesCell &&other) noexcept : data_(other.data_) {
    SetInt(&other.data_, kSmall, 0);
  }
  TVM_FFI_LOCAL_INLINE BytesCell &operator=(const BytesCell &other) {
    BytesCell(other).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE BytesCell &operator=(BytesCell &&other) noexcept {
    BytesCell(std::move(other)).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE ~BytesCell() {
    if (data_.type_index == kLarge) Release(data_.v_obj);
  }
  TVM_FFI_LOCAL_INLINE void swap(BytesCell &other) noexcept {
    const TVMFFIAny data = data_;
    data_ = other.data_;
    other.data_ = data;
  }
  TVM_FFI_LOCAL_INLINE const char *data() const {
    return data_.type_index == kSmall ? data_.v_bytes
                                      : TVMFFIBytesGetByteArrayPtr(data_.v_obj)->data;
  }
  TVM_FFI_LOCAL_INLINE size_t size() const {
    return data_.type_index == kSmall ? data_.small_str_len
                                      : TVMFFIBytesGetByteArrayPtr(data_.v_obj)->size;
  }

 protected:
  TVM_FFI_LOCAL_INLINE void Init(const char *data, size_t size) {
    SetBytes(&data_, kSmall, data, size);
  }
  /** Takes over the buffer; the content is always in an object. */
  template <typename S>
  TVM_FFI_LOCAL_INLINE void Take(S &&source) {
    using Obj = std::conditional_t<kLarge == kTVMFFIStr, StringObj, BytesObj>;
    SetInt(&data_, kSmall, 0);
    auto obj = make_object<BytesObjStd<Obj, S>>(static_cast<S &&>(source));
    SetObject(&data_, ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(obj)));
  }

  TVMFFIAny data_;

  template <typename>
  friend struct BytesTraits;
};

TVM_FFI_LOCAL inline int CompareBytes(const char *a, const char *b, size_t a_size, size_t b_size) {
  const size_t common = a_size < b_size ? a_size : b_size;
  for (size_t i = 0; i < common; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return a_size < b_size ? -1 : a_size > b_size ? 1 : 0;
}

/** Whether S is std::string, which may be incomplete here. */
template <typename S>
TVM_FFI_LOCAL inline constexpr bool is_std_string_v = std::is_same_v<S, std::string>;

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNullString() {
  Throw("InternalError", "a null pointer stands for no string");
}

}  // namespace detail

class Bytes : public detail::BytesCell<kTVMFFISmallBytes, kTVMFFIBytes> {
 public:
  TVM_FFI_LOCAL_INLINE Bytes() = default;
  TVM_FFI_LOCAL_INLINE Bytes(const Bytes &) = default;
  TVM_FFI_LOCAL_INLINE Bytes(Bytes &&) noexcept = default;
  TVM_FFI_LOCAL_INLINE Bytes &operator=(const Bytes &) = default;
  TVM_FFI_LOCAL_INLINE Bytes &operator=(Bytes &&) noexcept = default;
  TVM_FFI_LOCAL_INLINE ~Bytes() = default;
  TVM_FFI_LOCAL Bytes(const char *data, size_t size) { Init(data, size); }
  TVM_FFI_LOCAL Bytes(TVMFFIByteArray bytes) { Init(bytes.data, bytes.size); }
  TVM_FFI_LOCAL explicit Bytes(const char *text) {
    if (text == nullptr) detail::ThrowNullString();
    Init(text, std::strlen(text));
  }
  template <typename S, typename = std::enable_if_t<detail::is_std_string_v<S>>>
  TVM_FFI_LOCAL Bytes(const S &other) {
    Init(other.data(), other.size());
  }
  template <typename S, typename = std::enable_if_t<detail::is_std_string_v<S>>, int = 0>
  TVM_FFI_LOCAL Bytes(S &&other) {
    Take(static_cast<S &&>(other));
  }

  template <typename S, typename = std::enable_if_t<detail::is_std_string_v<S>>>
  TVM_FFI_LOCAL operator S() const {
    return S(data(), size());
  }
  /** -1, 0 or 1. */
  TVM_FFI_LOCAL static int memncmp(const char *a, const char *b, size_t a_size, size_t b_size) {
    return detail::CompareBytes(a, b, a_size, b_size);
  }
  TVM_FFI_LOCAL static bool memequal(const void *a, const void *b, size_t a_size, size_t b_size) {
    return a_size == b_size && (a_size == 0 || std::memcmp(a, b, a_size) == 0);
  }
};

class String : public detail::BytesCell<kTVMFFISmallStr, kTVMFFIStr> {
 public:
  TVM_FFI_LOCAL static constexpr size_t npos = static_cast<size_t>(-1);

  TVM_FFI_LOCAL_INLINE String() = default;
  TVM_FFI_LOCAL_INLINE String(const String &) = default;
  TVM_FFI_LOCAL_INLINE String(String &&) noexcept = default;
  TVM_FFI_LOCAL_INLINE String &operator=(const String &) = default;
  TVM_FFI_LOCAL_INLINE String &operator=(String &&) noexcept = default;
  TVM_FFI_LOCAL_INLINE ~String() = default;
  String(std::nullptr_t) = delete;
  TVM_FFI_LOCAL String(const char *data, size_t size) { Init(data, size); }
  TVM_FFI_LOCAL String(const char *text) {
    if (text == nullptr) detail::ThrowNullString();
    Init(text, std::strlen(text));
  }
  TVM_FFI_LOCAL explicit String(TVMFFIByteArray bytes) { Init(bytes.data, bytes.size); }
  template <typename S, typename = std::enable_if_t<detail::is_std_string_v<S>>>
  TVM_FFI_LOCAL String(const S &other) {
    Init(other.data(), other.size());
  }
  /** Takes over the buffer, whatever its length. */
  template <typename S, typename = std::enable_if_t<detail::is_std_string_v<S>>, int = 0>
  TVM_FFI_LOCAL String(S &&other) {
    Take(static_cast<S &&>(other));
  }

  template <typename S, typename = std::enable_if_t<detail::is_std_string_v<S>>>
  TVM_FFI_LOCAL operator S() const {
    return S(data(), size());
  }
  TVM_FFI_LOCAL_INLINE const char *c_str() const { return data(); }
  TVM_FFI_LOCAL_INLINE size_t length() const { return size(); }
  TVM_FFI_LOCAL_INLINE bool empty() const { return size() == 0; }
  /** Errors: std::out_of_range. */
  template <typename Dependent = void>
  TVM_FFI_LOCAL char at(size_t i) const {
    if (i >= size()) ThrowOutOfRange<Dependent>("tvm::String index out of bounds");
    return data()[i];
  }
  /** -1, 0 or 1. */
  template <typename T>
  TVM_FFI_LOCAL int compare(const T &other) const {
    const TVMFFIByteArray bytes = detail::BytesOf(other);
    return detail::CompareBytes(data(), bytes.data, size(), bytes.size);
  }
  TVM_FFI_LOCAL size_t find(const String &other, size_t pos = 0) const {
    return find(other.data(), pos, other.size());
  }
  TVM_FFI_LOCAL size_t find(const char *other, size_t pos = 0) const {
    return find(other, pos, std::strlen(other));
  }
  TVM_FFI_LOCAL size_t find(const char *other, size_t pos, size_t n) const {
    const size_t length = size();
    if (n > length) return npos;
    for (size_t i = pos; i <= length - n; ++i) {
      if (Bytes::memequal(data() + i, other, n, n)) return i;
    }
    return npos;
  }
  /** Errors: std::out_of_range. */
  template <typename Dependent = void>
  TVM_FFI_LOCAL String substr(size_t pos = 0, size_t n = npos) const {
    if (pos > size()) ThrowOutOfRange<Dependent>("tvm::String substr index out of bounds");
    return String(data() + pos, n < size() - pos ? n : size() - pos);
  }
  template <typename T>
  TVM_FFI_LOCAL bool starts_with(const T &prefix) const {
    const TVMFFIByteArray bytes = detail::BytesOf(prefix);
    return starts_with(bytes.data, bytes.size);
  }
  TVM_FFI_LOCAL bool starts_with(const char *prefix, size_t n) const {
    return n <= size() && Bytes::memequal(data(), prefix, n, n);
  }
  template <typename T>
  TVM_FFI_LOCAL bool ends_with(const T &suffix) const {
    const TVMFFIByteArray bytes = detail::BytesOf(suffix);
    return ends_with(bytes.data, bytes.size);
  }
  TVM_FFI_LOCAL bool ends_with(const char *suffix, size_t n) const {
    return n <= size() && Bytes::memequal(data() + size() - n, suffix, n, n);
  }
  /** The parts between the separators, as views into this String. */
  template <typename Dependent = void>
  TVM_FFI_LOCAL auto Split(char separator) const {
    using View = typename detail::StdTypes<Dependent>::StringView;
    typename detail::StdTypes<Dependent>::template Vector<View> parts;
    size_t begin = 0;
    for (size_t i = 0; i <= size(); ++i) {
      if (i < size() && data()[i] != separator) continue;
      parts.push_back(View(data() + begin, i - begin));
      begin = i + 1;
    }
    return parts;
  }

 private:
  template <typename Dependent>
  [[noreturn]] TVM_FFI_LOCAL_COLD static void ThrowOutOfRange(const char *message) {
#if TVM_FFI_HAS_EXCEPTIONS
    throw typename detail::StdTypes<Dependent>::OutOfRange(message);
#else
    detail::Throw("IndexError", message);
#endif
  }
};

/* ---- Operators: String with String, std::string and const char *, in both orders ---- */

namespace detail {
template <typename A, typename B>
TVM_FFI_LOCAL constexpr bool OperatesAsString() {
  constexpr bool a = std::is_same_v<A, String>, b = std::is_same_v<B, String>;
  if constexpr (a && b) {
    return true;
  } else if constexpr (a) {
    return is_std_string_v<B> || std::is_convertible_v<B, const char *>;
  } else if constexpr (b) {
    return is_std_string_v<A> || std::is_convertible_v<A, const char *>;
  } else {
    return false;
  }
}
/* Not for nullptr, which is not text. */
template <typename A, typename B>
using IfString =
    std::enable_if_t<!std::is_same_v<A, std::nullptr_t> && !std::is_same_v<B, std::nullptr_t> &&
                     OperatesAsString<std::decay_t<A>, std::decay_t<B>>()>;

TVM_FFI_LOCAL inline int CompareText(TVMFFIByteArray a, TVMFFIByteArray b) {
  return CompareBytes(a.data, b.data, a.size, b.size);
}
TVM_FFI_LOCAL inline bool EqualText(TVMFFIByteArray a, TVMFFIByteArray b) {
  return Bytes::memequal(a.data, b.data, a.size, b.size);
}
/** Enables the ordering of Bytes among themselves and with text of other classes. */
template <typename A, typename B>
using IfBytes = std::enable_if_t<
    (std::is_same_v<A, Bytes> || std::is_same_v<B, Bytes>)&&!std::is_same_v<A, std::nullptr_t> &&
        !std::is_same_v<B, std::nullptr_t>,
    decltype(CompareText(BytesOf(std::declval<const A &>()), BytesOf(std::declval<const B &>())))>;
/** Enables the comparison of Bytes with text of other classes. */
template <typename T>
using IfOtherText =
    std::enable_if_t<!std::is_same_v<T, Bytes> && !std::is_same_v<T, std::nullptr_t>,
                     decltype(BytesOf(std::declval<const T &>()))>;

}  // namespace detail

template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL String operator+(const A &a, const B &b) {
  detail::Text text;
  text.Put(detail::BytesOf(a));
  text.Put(detail::BytesOf(b));
  return String(detail::WholeText(text));
}
template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL bool operator==(const A &a, const B &b) {
  return detail::EqualText(detail::BytesOf(a), detail::BytesOf(b));
}
template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL bool operator!=(const A &a, const B &b) {
  return !detail::EqualText(detail::BytesOf(a), detail::BytesOf(b));
}
template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL bool operator<(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) < 0;
}
template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL bool operator>(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) > 0;
}
template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL bool operator<=(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) <= 0;
}
template <typename A, typename B, typename = detail::IfString<A, B>>
TVM_FFI_LOCAL bool operator>=(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) >= 0;
}
TVM_FFI_LOCAL inline bool operator==(const Bytes &a, const Bytes &b) {
  return Bytes::memequal(a.data(), b.data(), a.size(), b.size());
}
TVM_FFI_LOCAL inline bool operator!=(const Bytes &a, const Bytes &b) {
  return !(a == b);
}
/* Comparison with text of other classes. */
template <typename T, typename = detail::IfOtherText<T>>
TVM_FFI_LOCAL bool operator==(const Bytes &a, const T &b) {
  return detail::EqualText(detail::BytesOf(a), detail::BytesOf(b));
}
template <typename T, typename = detail::IfOtherText<T>>
TVM_FFI_LOCAL bool operator==(const T &a, const Bytes &b) {
  return b == a;
}
template <typename T, typename = detail::IfOtherText<T>>
TVM_FFI_LOCAL bool operator!=(const Bytes &a, const T &b) {
  return !(a == b);
}
template <typename T, typename = detail::IfOtherText<T>>
TVM_FFI_LOCAL bool operator!=(const T &a, const Bytes &b) {
  return !(b == a);
}

template <typename A, typename B, typename = detail::IfBytes<A, B>, int = 0>
TVM_FFI_LOCAL bool operator<(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) < 0;
}
template <typename A, typename B, typename = detail::IfBytes<A, B>, int = 0>
TVM_FFI_LOCAL bool operator>(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) > 0;
}
template <typename A, typename B, typename = detail::IfBytes<A, B>, int = 0>
TVM_FFI_LOCAL bool operator<=(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) <= 0;
}
template <typename A, typename B, typename = detail::IfBytes<A, B>, int = 0>
TVM_FFI_LOCAL bool operator>=(const A &a, const B &b) {
  return detail::CompareText(detail::BytesOf(a), detail::BytesOf(b)) >= 0;
}

template <>
TVM_FFI_LOCAL inline constexpr bool detail::prints_as_chars_v<String> = true;

template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           const String &text) {
  os.write(text.data(), static_cast<std::ptrdiff_t>(text.size()));
  return os;
}

TVM_FFI_LOCAL inline String TypeKeyString(int32_t type_index) {
  return String(detail::TypeKeyOf(type_index));
}

/* ---- As values ---- */

namespace detail {

template <typename T>
struct BytesTraits : NamedTraits<T> {
  using TvmFfiOwn = void;
  static constexpr bool kIsText = std::is_same_v<T, String>;
  TVM_FFI_LOCAL static constexpr const char *type_str = kIsText ? "str" : "bytes";
  TVM_FFI_LOCAL static constexpr const char *type_schema = kIsText ? "ffi.String" : "ffi.Bytes";
  static constexpr int32_t kSmall = kIsText ? kTVMFFISmallStr : kTVMFFISmallBytes;
  static constexpr int32_t kLarge = kIsText ? kTVMFFIStr : kTVMFFIBytes;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const T &value, TVMFFIAny *out) {
    *out = value.data_;
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(T value, TVMFFIAny *out) {
    *out = value.data_;
    SetInt(&value.data_, kSmall, 0);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kSmall || source->type_index == kLarge;
  }
  TVM_FFI_LOCAL_INLINE static T CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    T value;
    if (source->type_index == kLarge) Retain(source->v_obj);
    value.data_ = *source;
    return value;
  }
  TVM_FFI_LOCAL_INLINE static T MoveFromAnyAfterCheck(TVMFFIAny *source) {
    T value;
    value.data_ = *source;
    SetNone(source);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, T *out) {
    if (CheckAnyStrict(source)) {
      *out = CopyFromAnyViewAfterCheck(source);
    } else if (kIsText && source->type_index == kTVMFFIRawStr) {
      const TVMFFIByteArray text = BytesOf(source->v_c_str);
      *out = T(text.data, text.size);
    } else if (!kIsText && source->type_index == kTVMFFIByteArrayPtr) {
      const TVMFFIByteArray *bytes = static_cast<const TVMFFIByteArray *>(source->v_ptr);
      *out = T(bytes->data, bytes->size);
    } else {
      return kReadMismatch;
    }
    return kReadOk;
  }
};

}  // namespace detail

template <>
struct TypeTraits<String> : detail::BytesTraits<String> {};
template <>
struct TypeTraits<Bytes> : detail::BytesTraits<Bytes> {};

namespace detail {

template <typename S>
struct StdStringTraits : NamedTraits<S> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "std::string";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "std::string";
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const S &value, TVMFFIAny *out) {
    SetPointer(out, kTVMFFIRawStr, value.c_str());
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(S value, TVMFFIAny *out) {
    TypeTraits<String>::MoveToAny(String(std::move(value)), out);
  }
  TVM_FFI_LOCAL static int Read(const TVMFFIAny *source, S *out) {
    TVMFFIByteArray text;
    if (source->type_index == kTVMFFIByteArrayPtr) {
      text = *static_cast<const TVMFFIByteArray *>(source->v_ptr);
    } else if (source->type_index == kTVMFFISmallBytes) {
      text = TVMFFISmallBytesGetContentByteArray(source);
    } else if (source->type_index == kTVMFFIBytes) {
      text = *TVMFFIBytesGetByteArrayPtr(source->v_obj);
    } else if (!ReadText(source, &text)) {
      return kReadMismatch;
    }
    out->assign(text.data, text.size);
    return kReadOk;
  }
};

}  // namespace detail

template <>
struct TypeTraits<std::string> : detail::StdStringTraits<std::string> {};

TVM_FFI_NAMESPACE_END

/** The same hash as a std::string_view of these bytes. */
template <>
struct std::hash<::tvm::ffi::String> {
  template <typename Dependent = void>
  TVM_FFI_LOCAL_INLINE size_t operator()(const ::tvm::ffi::String &text) const {
    using View = typename ::tvm::ffi::detail::StdTypes<Dependent>::StringView;
    return std::hash<View>()(View(text.data(), text.size()));
  }
};
template <>
struct std::hash<::tvm::ffi::Bytes> {
  template <typename Dependent = void>
  TVM_FFI_LOCAL_INLINE size_t operator()(const ::tvm::ffi::Bytes &bytes) const {
    using View = typename ::tvm::ffi::detail::StdTypes<Dependent>::StringView;
    return std::hash<View>()(View(bytes.data(), bytes.size()));
  }
};

#ifndef TVM_FFI_LEAN
#include <tvm/ffi/escape.h>
#endif

#endif  // TVM_FFI_STRING_H_

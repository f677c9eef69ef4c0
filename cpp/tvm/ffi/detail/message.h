/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/message.h
 * What `<<` behind TVM_FFI_THROW and the checks writes to. The common types are formatted here, as
 * a std::ostream does it; from the first item of another type on (a class with an operator<< of its
 * own, a manipulator) it is a std::ostringstream, and only then does <sstream> have to be there.
 */
#ifndef TVM_FFI_DETAIL_MESSAGE_H_
#define TVM_FFI_DETAIL_MESSAGE_H_

#include <tvm/ffi/detail/text.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

template <typename T, typename = void>
struct HasOwnPrint : std::false_type {};
template <typename T>
struct HasOwnPrint<
    T, std::void_t<decltype(operator<<(std::declval<std::ostream &>(), std::declval<const T &>()))>>
    : std::true_type {};

template <typename T, typename = void>
struct HasChars : std::false_type {};
template <typename T>
struct HasChars<
    T, std::enable_if_t<
           std::is_convertible_v<decltype(std::declval<const T &>().data()), const char *> &&
           std::is_convertible_v<decltype(std::declval<const T &>().size()), size_t>>>
    : std::true_type {};

/** Whether a MessageStream formats a type that it has no overload for. */
template <typename T>
TVM_FFI_LOCAL constexpr bool IsPrintable() {
  if constexpr (std::is_enum_v<T>) {
    return std::is_convertible_v<T, long long> && !HasOwnPrint<T>::value;
  } else if constexpr (std::is_pointer_v<T>) {
    return !std::is_function_v<std::remove_pointer_t<T>>;
  } else {
    return HasChars<T>::value;
  }
}

template <typename T>
TVM_FFI_LOCAL void PutOther(Text &text, const T &value) {
  if constexpr (std::is_enum_v<T>) {
    if constexpr (std::is_unsigned_v<decltype(+value)>) {
      text.PutUint(static_cast<uint64_t>(+value));
    } else {
      text.PutInt(static_cast<int64_t>(+value));
    }
  } else if constexpr (std::is_pointer_v<T>) {
    using To = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (sizeof(std::conditional_t<std::is_void_v<To>, int, T>) != 0 &&
                  (std::is_same_v<To, char> || std::is_same_v<To, signed char> ||
                   std::is_same_v<To, unsigned char>)) {
      text.Put(reinterpret_cast<const char *>(value));
    } else {
      text.PutPointer(value);
    }
  } else {
    text.Put(value.data(), static_cast<size_t>(value.size()));
  }
}

class TVM_FFI_LOCAL MessageStream {
 public:
  TVM_FFI_LOCAL_COLD MessageStream() {}
  TVM_FFI_LOCAL_COLD explicit MessageStream(const char *prefix) { text_.Put(prefix); }
  /** Takes over values, the text of a comparison that failed. */
  TVM_FFI_LOCAL_COLD MessageStream(const char *prefix, Text *values) {
    text_.Put(prefix);
    text_.Put(values->bytes());
    delete values;
  }
  TVM_FFI_LOCAL_COLD ~MessageStream() {
    if (other_ != nullptr) delete_other_(other_);
  }
  MessageStream(const MessageStream &) = delete;
  MessageStream &operator=(const MessageStream &) = delete;

  TVM_FFI_LOCAL_COLD MessageStream &operator<<(const char *value) {
    text_.Put(value);
    return *this;
  }
#define TVM_FFI_DETAIL_PUT(Type, ...)                                     \
  TVM_FFI_LOCAL TVM_FFI_COLD_CODE MessageStream &operator<<(Type value) { \
    text_.__VA_ARGS__;                                                    \
    return *this;                                                         \
  }
  TVM_FFI_DETAIL_PUT(char, Put(value))
  TVM_FFI_DETAIL_PUT(signed char, Put(static_cast<char>(value)))
  TVM_FFI_DETAIL_PUT(unsigned char, Put(static_cast<char>(value)))
  TVM_FFI_DETAIL_PUT(bool, Put(value ? '1' : '0'))
  TVM_FFI_DETAIL_PUT(short, PutInt(value))
  TVM_FFI_DETAIL_PUT(unsigned short, PutUint(value))
  TVM_FFI_DETAIL_PUT(int, PutInt(value))
  TVM_FFI_DETAIL_PUT(unsigned int, PutUint(value))
  TVM_FFI_DETAIL_PUT(long, PutInt(value))
  TVM_FFI_DETAIL_PUT(unsigned long, PutUint(value))
  TVM_FFI_DETAIL_PUT(long long, PutInt(value))
  TVM_FFI_DETAIL_PUT(unsigned long long, PutUint(value))
  TVM_FFI_DETAIL_PUT(float, PutDouble(static_cast<long double>(value)))
  TVM_FFI_DETAIL_PUT(double, PutDouble(static_cast<long double>(value)))
  TVM_FFI_DETAIL_PUT(long double, PutDouble(value))
  TVM_FFI_DETAIL_PUT(DLDataType, PutDataType(value))
#undef TVM_FFI_DETAIL_PUT
  TVM_FFI_LOCAL_COLD MessageStream &operator<<(std::nullptr_t) {
    text_.Put("nullptr");
    return *this;
  }
  template <typename T, typename Stream = std::ostringstream>
  TVM_FFI_LOCAL decltype(auto) operator<<(const T &value) {
    if constexpr (IsPrintable<T>()) {
      PutOther(text_, value);
      return static_cast<MessageStream &>(*this);
    } else {
      Stream &other = SwitchTo<Stream>();
      other << value;
      return static_cast<Stream &>(other);
    }
  }
  template <typename Stream = std::ostringstream>
  TVM_FFI_LOCAL Stream &operator<<(std::ostream &(*manipulator)(std::ostream &)) {
    Stream &other = SwitchTo<Stream>();
    other << manipulator;
    return other;
  }
  template <typename Stream = std::ostringstream>
  TVM_FFI_LOCAL Stream &operator<<(std::ios_base &(*manipulator)(std::ios_base &)) {
    Stream &other = SwitchTo<Stream>();
    other << manipulator;
    return other;
  }

  TVM_FFI_LOCAL const Text &text() const {
    return text_;
  }

 private:
  template <typename Stream>
  TVM_FFI_LOCAL_COLD Stream &SwitchTo() {
    Stream *other = static_cast<Stream *>(other_);
    if (other == nullptr) {
      other = new Stream();
      other_ = other;
      delete_other_ = [](void *old) { delete static_cast<Stream *>(old); };
      other->write(text_.data(), static_cast<std::ptrdiff_t>(text_.size()));
    }
    return *other;
  }

  Text text_;
  void *other_ = nullptr;
  void (*delete_other_)(void *) = nullptr;
};

/** The text of a finished message, whichever class `<<` ended in. */
TVM_FFI_LOCAL inline const Text &MessageText(const MessageStream &message, Text *) {
  return message.text();
}
/** An operator<< gives back what it was given, if only as a base of it. */
template <typename Stream, typename Full = std::ostringstream>
TVM_FFI_LOCAL_COLD const Text &MessageText(const Stream &message, Text *room) {
  const auto text = static_cast<const Full &>(message).str();
  room->Put(text.data(), text.size());
  return *room;
}

/* ---- Comparisons that checks make ------------------------------------------------------------ */

/** A value of a check, for its message: few kinds, so that few functions are instantiated. */
template <typename T>
TVM_FFI_LOCAL_COLD void PutCheckValue(Text &text, const T &value) {
  MessageStream message;
  Text room;
  text.Put(MessageText(message << value, &room).bytes());
}

template <typename X, typename Y>
TVM_FFI_LOCAL_COLD Text *MakeCheckText(const X &x, const Y &y) {
  Text *text = new Text();
  text->Put(" (");
  PutCheckValue(*text, x);
  text->Put(" vs. ");
  PutCheckValue(*text, y);
  text->Put(") ");
  return text;
}

TVM_FFI_LOCAL_COLD Text *MakeIntCheckText(int64_t x, int64_t y) {
  Text *text = new Text();
  text->Put(" (");
  text->PutInt(x);
  text->Put(" vs. ");
  text->PutInt(y);
  text->Put(") ");
  return text;
}

template <typename T>
TVM_FFI_LOCAL constexpr bool PrintsAsInt() {
  return std::is_integral_v<T> && (std::is_signed_v<T> || sizeof(T) < 8) && sizeof(T) > 1;
}

/** NULL when the check holds. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#define TVM_FFI_DETAIL_COMPARE(Name, op)                           \
  template <typename X, typename Y>                                \
  TVM_FFI_LOCAL_INLINE Text *Check##Name(const X &x, const Y &y) { \
    if (TVM_FFI_PREDICT_TRUE(x op y)) return nullptr;              \
    if constexpr (PrintsAsInt<X>() && PrintsAsInt<Y>()) {          \
      return MakeIntCheckText(x, y);                               \
    } else {                                                       \
      return MakeCheckText(x, y);                                  \
    }                                                              \
  }
TVM_FFI_DETAIL_COMPARE(EQ, ==)
TVM_FFI_DETAIL_COMPARE(NE, !=)
TVM_FFI_DETAIL_COMPARE(LT, <)
TVM_FFI_DETAIL_COMPARE(GT, >)
TVM_FFI_DETAIL_COMPARE(LE, <=)
TVM_FFI_DETAIL_COMPARE(GE, >=)
#undef TVM_FFI_DETAIL_COMPARE
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_MESSAGE_H_

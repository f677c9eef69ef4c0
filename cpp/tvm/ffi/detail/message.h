/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/message.h
 * The stream that `<<` after TVM_FFI_THROW and the checks writes to. The common types are formatted
 * here, as a std::ostream does it; the first item of another type (a class with its own operator<<,
 * a manipulator) switches to a std::ostringstream, and only then must <sstream> be included.
 */
#ifndef TVM_FFI_DETAIL_MESSAGE_H_
#define TVM_FFI_DETAIL_MESSAGE_H_

#include <tvm/ffi/detail/text.h>

#include <iosfwd>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Whether std::ostream prints a T by an operator<< found by argument lookup, as String's is. */
template <typename T, typename = void>
struct HasOwnPrint : std::false_type {};
template <typename T>
struct HasOwnPrint<
    T, std::void_t<decltype(operator<<(std::declval<std::ostream &>(), std::declval<const T &>()))>>
    : std::true_type {};
/** Its operator, in device.h, gives way to one that the place of a message has of its own. */
template <>
struct HasOwnPrint<DLDevice> : std::false_type {};

template <typename T, typename = void>
struct HasChars : std::false_type {};
template <typename T>
struct HasChars<
    T, std::enable_if_t<
           std::is_convertible_v<decltype(std::declval<const T &>().data()), const char *> &&
           std::is_convertible_v<decltype(std::declval<const T &>().size()), size_t>>>
    : std::true_type {};

/** Whether T is a string of the standard library. */
template <typename T, typename = void>
struct HasCharTraits : std::false_type {};
template <typename T>
struct HasCharTraits<T, std::void_t<typename T::traits_type>> : std::true_type {};

/** Whether a class is printed as its characters, without looking for its operator. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool prints_as_chars_v =
    std::conjunction_v<HasChars<T>,
                       std::disjunction<HasCharTraits<T>, std::negation<HasOwnPrint<T>>>>;
template <>
TVM_FFI_LOCAL inline constexpr bool prints_as_chars_v<DLDataType> = true;

/* The types that std::ostream's own members take. */
#define TVM_FFI_DETAIL_PUT(Type, ...)                           \
  TVM_FFI_LOCAL_INLINE void PutScalar(Text &text, Type value) { \
    text.__VA_ARGS__;                                           \
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
TVM_FFI_DETAIL_PUT(const char *, Put(value))
TVM_FFI_DETAIL_PUT(const signed char *, Put(reinterpret_cast<const char *>(value)))
TVM_FFI_DETAIL_PUT(const unsigned char *, Put(reinterpret_cast<const char *>(value)))
TVM_FFI_DETAIL_PUT(const volatile void *, PutPointer(value))
#undef TVM_FFI_DETAIL_PUT
TVM_FFI_LOCAL_INLINE void PutScalar(Text &text, std::nullptr_t) {
  text.Put("nullptr");
}

/** A number or an address, but not a class that merely converts to one. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_scalar_v = std::is_arithmetic_v<T> ||
                                                  std::is_same_v<T, std::nullptr_t> ||
                                                  (std::is_pointer_v<T> &&
                                                   !std::is_function_v<std::remove_pointer_t<T>>);

/** Checked first, so that string literals of different lengths instantiate little. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_class_or_enum_v = __is_class(T) || __is_union(T) ||
                                                         __is_enum(T);

/** Classes and enums that a MessageStream prints by itself or through a std::ostream. */
template <typename T, bool = is_class_or_enum_v<T>>
struct IsPrintedHere : std::false_type {};
template <typename T>
struct IsPrintedHere<T, true>
    : std::bool_constant<
          std::disjunction_v<std::bool_constant<prints_as_chars_v<T>>, HasOwnPrint<T>>> {};

/** Classes and enums that are not printed here, but convert to a number or an address. */
template <typename T, typename = void>
struct CanPutScalar : std::false_type {};
template <typename T>
struct CanPutScalar<
    T, std::void_t<decltype(PutScalar(std::declval<Text &>(), std::declval<const T &>()))>>
    : std::true_type {};
template <typename T, bool = is_class_or_enum_v<T>>
struct ConvertsToScalar : std::false_type {};
template <typename T>
struct ConvertsToScalar<T, true>
    : std::conjunction<std::negation<IsPrintedHere<T>>, CanPutScalar<T>> {};

template <typename T>
TVM_FFI_LOCAL_INLINE void PutChars(Text &text, const T &value) {
  text.Put(value.data(), static_cast<size_t>(value.size()));
}
TVM_FFI_LOCAL_INLINE void PutChars(Text &text, const DLDataType &value) {
  text.PutDataType(value);
}

template <typename T, typename = void>
struct IsComplete : std::false_type {};
template <typename T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

/**
 * The text so far, or the stream that continues it. This is a template so that functions which
 * need the class are compiled only where they are called. The conversion itself is not a template:
 * clang would try it for each built-in operator at each `<<`, doubling the cost of a message.
 */
template <typename Stream>
class TVM_FFI_LOCAL StreamedText {
 public:
  TVM_FFI_LOCAL_INLINE StreamedText() = default;
  TVM_FFI_LOCAL_COLD ~StreamedText() {
    if (other_ != nullptr) delete_other_(other_);
  }
  StreamedText(const StreamedText &) = delete;
  StreamedText &operator=(const StreamedText &) = delete;

  /** The stream that a user's operator writes to. */
  TVM_FFI_LOCAL operator std::ostream &() { return SwitchToStream(); }
  /** Its body is needed for its result (auto), so that it is compiled before the statements after
      the call: g++ 16 prints their errors and would not reach the advice here. S is Stream. */
  template <typename S = Stream>
  TVM_FFI_LOCAL_COLD auto &SwitchToStream() {
    static_assert(IsComplete<S>::value,
                  "what is written to this message needs a std::ostream: include <sstream>");
    S *other = static_cast<S *>(other_);
    if (other == nullptr) {
      other = new S();
      // Numbers have a decimal point, whatever the host has set as std::locale::global.
      using Locale = decltype(other->getloc());
      other->imbue(Locale::classic());
      other_ = other;
      delete_other_ = [](void *old) { delete static_cast<S *>(old); };
      other->write(text_.data(), static_cast<std::ptrdiff_t>(text_.size()));
    }
    return *other;
  }
  TVM_FFI_LOCAL const Text &text() const { return text_; }

 protected:
  Text text_;

 private:
  void *other_ = nullptr;
  void (*delete_other_)(void *) = nullptr;
};

/**
 * A user's operator<<(std::ostream &, const X &) must be found by the lookup rules of the place
 * where the message is written; it need not be in X's own namespace. Only overload resolution at
 * that place sees it, so a template in this namespace must not claim X first. The members here take
 * only types that such operators are not meant for: numbers and addresses of exactly their types,
 * strings, and classes whose operator is found with the class from anywhere. For anything else the
 * stream converts to a std::ostream &, and the compiler picks among the operators that it sees
 * there. A type that converts to a number (an enum) has an operator that also needs a conversion of
 * the stream, so that the user's operator for exactly that type is the better match.
 *
 * Two other designs were measured with 180 messages of three items, -O2, lean, g++ and clang++. A
 * std::ostream from the start needs <sstream> in every kernel. A generic lambda with `os << value`
 * that the macro puts into the user's scope finds the same operators, but has a different type in
 * each statement, so each statement instantiates its own functions: 1.4 and 1.7 times the time to
 * compile, and with clang++ 1.5 times the code.
 */
class TVM_FFI_LOCAL MessageStream : public StreamedText<std::ostringstream> {
 public:
  TVM_FFI_LOCAL_COLD MessageStream() {}
  TVM_FFI_LOCAL_COLD explicit MessageStream(const char *prefix) { text_.Put(prefix); }
  /** Takes ownership of values, the text of a comparison that failed. */
  TVM_FFI_LOCAL_COLD MessageStream(const char *prefix, Text *values) {
    text_.Put(prefix);
    text_.Put(values->bytes());
    delete values;
  }
  template <typename T, typename = std::enable_if_t<is_scalar_v<T>>>
  TVM_FFI_LOCAL TVM_FFI_COLD_CODE MessageStream &operator<<(T value) {
    PutScalar(text_, value);
    return *this;
  }
  template <typename T, typename Stream = std::ostringstream,
            typename = std::enable_if_t<IsPrintedHere<T>::value>>
  TVM_FFI_LOCAL decltype(auto) operator<<(const T &value) {
    if constexpr (prints_as_chars_v<T>) {
      PutChars(text_, value);
      return static_cast<MessageStream &>(*this);
    } else {
      Stream &other = this->template SwitchToStream<Stream>();
      other << value;
      return static_cast<Stream &>(other);
    }
  }
  template <typename Stream = std::ostringstream>
  TVM_FFI_LOCAL Stream &operator<<(std::ostream &(*manipulator)(std::ostream &)) {
    Stream &other = this->template SwitchToStream<Stream>();
    other << manipulator;
    return other;
  }
  template <typename Stream = std::ostringstream>
  TVM_FFI_LOCAL Stream &operator<<(std::ios_base &(*manipulator)(std::ios_base &)) {
    Stream &other = this->template SwitchToStream<Stream>();
    other << manipulator;
    return other;
  }

  struct Converted {
    MessageStream *stream;
  };
  TVM_FFI_LOCAL_INLINE operator Converted() { return {this}; }
  template <typename T, typename = std::enable_if_t<ConvertsToScalar<T>::value>>
  TVM_FFI_LOCAL friend MessageStream &operator<<(Converted self, const T &value) {
    PutScalar(self.stream->text_, value);
    return *self.stream;
  }
};

/** The text of a finished message, whichever class the last `<<` returned. */
TVM_FFI_LOCAL inline const Text &MessageText(const MessageStream &message, Text *) {
  return message.text();
}
/** An operator<< returns the stream it was given, perhaps as a reference to a base class. */
template <typename Stream, typename Full = std::ostringstream>
TVM_FFI_LOCAL_COLD const Text &MessageText(const Stream &message, Text *room) {
  const auto text = static_cast<const Full &>(message).str();
  room->Put(text.data(), text.size());
  return *room;
}

/* ---- Comparisons that checks make ---- */

/** Formats one operand of a check: this code is instantiated for types, not for pairs of them. */
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

/** Returns NULL when the check holds. */
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

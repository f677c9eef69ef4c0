/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/type_text.h
 * Texts about types: `Optional<int>` in errors, `{"type":"int"}` in schemas.
 *
 * A type writes its texts to a sink, at compile time (schemas as data) or when an error needs them.
 * Nothing here is built on a path that succeeds.
 */
#ifndef TVM_FFI_DETAIL_TYPE_TEXT_H_
#define TVM_FFI_DETAIL_TYPE_TEXT_H_

#include <tvm/ffi/detail/text.h>

TVM_FFI_NAMESPACE_BEGIN

class Any;
class AnyView;

template <typename T, typename = void>
struct TypeTraits;

template <typename T>
using TypeTraitsNoCR = TypeTraits<std::remove_cv_t<std::remove_reference_t<T>>>;

/** False for a reference class with TypeTraits of its own. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v = true;

namespace detail {

/** Counts what is written. */
struct TVM_FFI_LOCAL CountingSink {
  size_t size = 0;
  TVM_FFI_LOCAL constexpr void Put(const char *text) {
    while (*text++ != '\0') ++size;
  }
  TVM_FFI_LOCAL constexpr void Put(char) { ++size; }
};

/** A NUL-terminated text of known length. */
template <size_t N>
struct TVM_FFI_TAGGED FixedText {
  char data[N + 1] = {};
};

template <size_t N>
struct TVM_FFI_LOCAL FixedSink {
  FixedText<N> text;
  size_t size = 0;
  TVM_FFI_LOCAL constexpr void Put(const char *source) {
    while (*source != '\0') text.data[size++] = *source++;
  }
  TVM_FFI_LOCAL constexpr void Put(char c) { text.data[size++] = c; }
};

template <typename Writer>
TVM_FFI_LOCAL constexpr size_t CountText() {
  CountingSink sink;
  Writer::Write(sink);
  return sink.size;
}

/** The text that Writer::Write puts, as data. */
template <typename Writer>
TVM_FFI_LOCAL constexpr auto MakeText() {
  FixedSink<CountText<Writer>()> sink;
  Writer::Write(sink);
  return sink.text;
}

/** Escapes text for the inside of a JSON string. */
template <typename Sink>
struct TVM_FFI_LOCAL EscapingSink {
  Sink *sink;
  TVM_FFI_LOCAL constexpr void Put(const char *text) {
    while (*text != '\0') Put(*text++);
  }
  TVM_FFI_LOCAL constexpr void Put(char c) {
    if (c == '"' || c == '\\') sink->Put('\\');
    sink->Put(c);
  }
};

template <typename Sink>
TVM_FFI_LOCAL constexpr void PutSize(Sink &sink, size_t value) {
  if (value >= 10) PutSize(sink, value / 10);
  sink.Put(static_cast<char>('0' + value % 10));
}

/* ---- Of a type ---- */

/** Whether traits belong to this layer: these have Read, and write their texts to sinks. */
template <typename Traits, typename = void>
struct IsOwn : std::false_type {};
template <typename Traits>
struct IsOwn<Traits, std::void_t<typename Traits::TvmFfiOwn>> : std::true_type {};

/** Whether the texts are known at compile time. */
template <typename T>
TVM_FFI_LOCAL constexpr bool HasConstantText() {
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_void_v<D> || std::is_same_v<D, Any> || std::is_same_v<D, AnyView>) {
    return true;
  } else if constexpr (IsOwn<TypeTraits<D>>::value) {
    return TypeTraits<D>::text_is_constant;
  } else {
    return false;
  }
}

template <typename S, typename Sink>
TVM_FFI_LOCAL void PutForeign(Sink &sink, const S &text) {
  for (const char c : text) sink.Put(c);
}

template <typename T, typename Sink>
TVM_FFI_LOCAL constexpr void PutTypeStr(Sink &sink) {
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_void_v<D>) {
    sink.Put("void");
  } else if constexpr (std::is_same_v<D, Any>) {
    sink.Put("Any");
  } else if constexpr (std::is_same_v<D, AnyView>) {
    sink.Put("AnyView");
  } else if constexpr (IsOwn<TypeTraits<D>>::value) {
    TypeTraits<D>::PutTypeStr(sink);
  } else {
    PutForeign(sink, TypeTraits<D>::TypeStr());
  }
}

template <typename T, typename Sink>
TVM_FFI_LOCAL constexpr void PutSchema(Sink &sink) {
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_void_v<D>) {
    sink.Put("{\"type\":\"None\"}");
  } else if constexpr (std::is_same_v<D, Any> || std::is_same_v<D, AnyView>) {
    sink.Put("{\"type\":\"Any\"}");
  } else if constexpr (IsOwn<TypeTraits<D>>::value) {
    TypeTraits<D>::PutSchema(sink);
  } else {
    PutForeign(sink, TypeTraits<D>::TypeSchema());
  }
}

/** `Name<A, B>` and `{"type":"name","args":[A,B]}`. */
template <typename... Args, typename Sink>
TVM_FFI_LOCAL constexpr void PutTypeStrOf(Sink &sink, const char *name) {
  [[maybe_unused]] const char *separator = "";
  sink.Put(name);
  sink.Put('<');
  ((sink.Put(separator), PutTypeStr<Args>(sink), separator = ", "), ...);
  sink.Put('>');
}
template <typename... Args, typename Sink>
TVM_FFI_LOCAL constexpr void PutSchemaOf(Sink &sink, const char *name) {
  [[maybe_unused]] const char *separator = "";
  sink.Put("{\"type\":\"");
  sink.Put(name);
  sink.Put("\",\"args\":[");
  ((sink.Put(separator), PutSchema<Args>(sink), separator = ","), ...);
  sink.Put("]}");
}

template <typename T>
struct TypeStrWriter {
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void Write(Sink &sink) {
    PutTypeStr<T>(sink);
  }
};
template <typename T>
struct TypeStrText {
  TVM_FFI_LOCAL static constexpr auto value = MakeText<TypeStrWriter<T>>();
};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TYPE_TEXT_H_

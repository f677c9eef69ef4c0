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

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TYPE_TEXT_H_

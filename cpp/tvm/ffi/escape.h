/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/escape.h
 * Text as literals of JSON and Python. With TVM_FFI_LEAN string.h does not include this header.
 */
#ifndef TVM_FFI_ESCAPE_H_
#define TVM_FFI_ESCAPE_H_

#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Writes num_digits hexadecimal digits, in lower case. */
TVM_FFI_LOCAL inline void PutHex(Text &text, uint32_t value, int num_digits) {
  while (num_digits-- > 0) text.Put("0123456789abcdef"[value >> (4 * num_digits) & 15]);
}

/** The character after the backslash in the escape of a control character, or 0. */
TVM_FFI_LOCAL inline char ControlLetter(unsigned char c) {
  switch (c) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

/** Decodes a character of two or more bytes; returns how many, or 0 if it is malformed. */
TVM_FFI_LOCAL inline size_t DecodeUtf8(const unsigned char *text, size_t size, uint32_t *code) {
  const unsigned char lead = text[0];
  const size_t count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc0 || lead >= 0xf8 || count > size) return 0;
  *code = lead & (0x7fu >> count);
  for (size_t i = 1; i < count; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (text[i] & 0x3fu);
  }
  return count;
}

}  // namespace detail

/** A JSON string literal, in quotes; bytes from 0x80 on stay as they are. */
TVM_FFI_LOCAL inline String EscapeStringJSON(const String &value) {
  detail::Text text;
  text.Put('"');
  for (size_t i = 0; i < value.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(value.data()[i]);
    const char letter = c == '\b' ? 'b' : c == '\f' ? 'f' : detail::ControlLetter(c);
    if (letter != 0 || c == '"' || c == '\\' || c == '/') {
      text.Put('\\');
      text.Put(letter != 0 ? letter : static_cast<char>(c));
    } else if (c < 0x20 || c == 0x7f) {
      text.Put("\\u");
      detail::PutHex(text, c, 4);
    } else {
      text.Put(static_cast<char>(c));
    }
  }
  text.Put('"');
  return String(detail::WholeText(text));
}

[[deprecated("use EscapeStringJSON")]] TVM_FFI_LOCAL inline String EscapeString(
    const String &value) {
  return EscapeStringJSON(value);
}

/** A Python string literal, in quotes and in ASCII; invalid UTF-8 becomes `\xNN`. */
TVM_FFI_LOCAL inline String EscapedStringPy(const String &value) {
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(value.data());
  detail::Text text;
  text.Put('"');
  for (size_t i = 0, count; i < value.size(); i += count) {
    const unsigned char c = bytes[i];
    const char letter = detail::ControlLetter(c);
    uint32_t code = 0;
    count = c < 0x80 ? 0 : detail::DecodeUtf8(bytes + i, value.size() - i, &code);
    if (count > 0) {
      text.Put(count == 4 ? "\\U" : "\\u");
      detail::PutHex(text, code, count == 4 ? 8 : 4);
      continue;
    }
    count = 1;
    if (letter != 0 || c == '"' || c == '\\') {
      text.Put('\\');
      text.Put(letter != 0 ? letter : static_cast<char>(c));
    } else if (c < 0x20 || c >= 0x7f) {
      text.Put("\\x");
      detail::PutHex(text, c, 2);
    } else {
      text.Put(static_cast<char>(c));
    }
  }
  text.Put('"');
  return String(detail::WholeText(text));
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_ESCAPE_H_

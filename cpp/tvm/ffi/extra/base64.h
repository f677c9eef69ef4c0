/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/base64.h
 * Base64 with the standard alphabet, padded with `=`.
 */
#ifndef TVM_FFI_EXTRA_BASE64_H_
#define TVM_FFI_EXTRA_BASE64_H_

#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** The six bits of a letter; 0 for a character that is not in the alphabet. */
TVM_FFI_LOCAL inline uint32_t Base64Bits(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<uint32_t>(c - '0') + 52;
  return c == '+' ? 62 : c == '/' ? 63 : 0;
}

}  // namespace detail

TVM_FFI_LOCAL inline String Base64Encode(TVMFFIByteArray bytes) {
  constexpr const char *kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  detail::Text text;
  for (size_t i = 0; i < bytes.size; i += 3) {
    const size_t count = bytes.size - i < 3 ? bytes.size - i : 3;
    uint32_t bits = 0;
    char four[] = {'=', '=', '=', '='};
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes.data[i + k]) : 0u);
    }
    for (size_t k = 0; k <= count; ++k) four[k] = kLetters[bits >> (18 - 6 * k) & 63];
    text.Put(four, sizeof four);
  }
  return String(detail::WholeText(text));
}
TVM_FFI_LOCAL inline String Base64Encode(const Bytes &bytes) {
  return Base64Encode(TVMFFIByteArray{bytes.data(), bytes.size()});
}

/**
 * Four letters give three bytes, or as many as come before a `=`. Other characters count as A.
 * Errors: InternalError (the length is not a multiple of four).
 */
TVM_FFI_LOCAL inline Bytes Base64Decode(TVMFFIByteArray bytes) {
  detail::Text text;
  if (bytes.size % 4 != 0) {
    detail::Throw("InternalError",
                  "Check failed: (bytes.size % 4 == 0) is false: invalid base64 encoding");
  }
  for (size_t i = 0; i < bytes.size; i += 4) {
    const char *four = bytes.data + i;
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) bits = bits << 6 | detail::Base64Bits(four[k]);
    const char three[] = {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8),
                          static_cast<char>(bits)};
    text.Put(three, four[2] == '=' ? 1 : four[3] == '=' ? 2 : 3);
  }
  return Bytes(detail::WholeText(text));
}
TVM_FFI_LOCAL inline Bytes Base64Decode(const String &text) {
  return Base64Decode(TVMFFIByteArray{text.data(), text.size()});
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_BASE64_H_

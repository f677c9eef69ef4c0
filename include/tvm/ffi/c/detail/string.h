/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/string.h
 * The bodies of tvm/ffi/c/string.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_STRING_H_
#define TVM_FFI_C_DETAIL_STRING_H_

static inline TVMFFIByteArray tvm_ffi_string_get_bytes(const char *text) {
  return tvm_ffi_detail_bytes(text);
}

static inline bool tvm_ffi_string_equal(TVMFFIByteArray text, const char *literal) {
  const size_t size = strlen(literal);
  return text.size == size && (size == 0 || memcmp(text.data, literal, size) == 0);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_string_create(const char *text,
                                                                   TVMFFIAny *out) {
  TVMFFIByteArray bytes = tvm_ffi_detail_bytes(text);
  return TVMFFIStringFromByteArray(&bytes, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_string_create_sized(const char *data,
                                                                         size_t size,
                                                                         TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  bytes.data = data;
  bytes.size = size;
  return TVMFFIStringFromByteArray(&bytes, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_bytes_create(const void *data, size_t size,
                                                                  TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  bytes.data = (const char *)data;
  bytes.size = size;
  return TVMFFIBytesFromByteArray(&bytes, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_string_create_formatted(TVMFFIAny *out,
                                                                             const char *format,
                                                                             ...) {
  char buffer[256];
  char *text;
  int code;
  va_list values;
  va_start(values, format);
  text = tvm_ffi_detail_format(buffer, sizeof buffer, format, values);
  va_end(values);
  code = tvm_ffi_string_create(text, out);
  if (text != buffer) free(text);
  return code;
}

#endif /* TVM_FFI_C_DETAIL_STRING_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/export.h
 * What the macros of tvm/ffi/c/export.h are made of; it includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_EXPORT_H_
#define TVM_FFI_C_DETAIL_EXPORT_H_

#ifdef __cplusplus
#define TVM_FFI_C_DETAIL_EXTERN_C extern "C"
#else
#define TVM_FFI_C_DETAIL_EXTERN_C extern
#endif
/* c_api.h does not define TVM_FFI_DLL_EXPORT if the user defines TVM_FFI_DLL. */
#if defined(TVM_FFI_DLL_EXPORT)
#define TVM_FFI_C_DETAIL_VISIBLE TVM_FFI_DLL_EXPORT
#elif defined(_WIN32)
#define TVM_FFI_C_DETAIL_VISIBLE __declspec(dllexport)
#elif defined(__GNUC__)
#define TVM_FFI_C_DETAIL_VISIBLE __attribute__((visibility("default")))
#else
#define TVM_FFI_C_DETAIL_VISIBLE
#endif
/* A kernel without arguments may ignore args. */
#if defined(__GNUC__)
#define TVM_FFI_C_DETAIL_UNUSED __attribute__((__unused__))
#else
#define TVM_FFI_C_DETAIL_UNUSED
#endif

#define TVM_FFI_C_DETAIL_DEFINE(linkage, symbol, body, signature_text)                         \
  static int body(const tvm_ffi_args *args);                                                   \
  linkage int symbol(void *self, const TVMFFIAny *argv, int32_t num_args, TVMFFIAny *result) { \
    tvm_ffi_args tvm_ffi_call;                                                                 \
    int tvm_ffi_code;                                                                          \
    tvm_ffi_call.self = self;                                                                  \
    tvm_ffi_call.args = argv;                                                                  \
    tvm_ffi_call.num_args = num_args;                                                          \
    tvm_ffi_call.result = result;                                                              \
    tvm_ffi_call.signature = signature_text;                                                   \
    tvm_ffi_code = body(&tvm_ffi_call);                                                        \
    return tvm_ffi_code == 0 ? 0 : tvm_ffi_error_ensure(tvm_ffi_code);                         \
  }                                                                                            \
  static int body(TVM_FFI_C_DETAIL_UNUSED const tvm_ffi_args *args)

/* The declaration avoids a warning by -Wmissing-prototypes. */
#define TVM_FFI_C_DETAIL_DECLARE(symbol)                         \
  TVM_FFI_C_DETAIL_EXTERN_C TVM_FFI_C_DETAIL_VISIBLE int symbol( \
      void *self, const TVMFFIAny *argv, int32_t num_args, TVMFFIAny *result)

#define TVM_FFI_C_DETAIL_EXPORT_TEXT(symbol, text)                                     \
  TVM_FFI_C_DETAIL_DECLARE(symbol);                                                    \
  int symbol(void *self, const TVMFFIAny *argv, int32_t num_args, TVMFFIAny *result) { \
    (void)self;                                                                        \
    (void)argv;                                                                        \
    (void)num_args;                                                                    \
    return tvm_ffi_string_create(text, result);                                        \
  }                                                                                    \
  struct tvm_ffi_detail_semicolon

#define TVM_FFI_C_DETAIL_EXPORT_DATA(function, data, text)              \
  TVM_FFI_C_DETAIL_EXTERN_C TVM_FFI_C_DETAIL_VISIBLE const char data[]; \
  const char data[] = text;                                             \
  TVM_FFI_C_DETAIL_EXPORT_TEXT(function, data)

#endif /* TVM_FFI_C_DETAIL_EXPORT_H_ */

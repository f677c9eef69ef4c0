/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/function.h
 * The bodies of tvm/ffi/c/function.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_FUNCTION_H_
#define TVM_FFI_C_DETAIL_FUNCTION_H_

static inline int tvm_ffi_function_call(TVMFFIObjectHandle function, const TVMFFIAny *args,
                                        int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny value = tvm_ffi_any_none(); /* args may point into *result */
  const volatile TVMFFIAny *made = &value;
  int code;
  if (function == NULL || TVMFFIObjectGetTypeIndex(function) != kTVMFFIFunction) {
    TVMFFIAny given = tvm_ffi_any_view_object(function);
    *result = value;
    return tvm_ffi_any_raise_mismatch(&given, "ffi.Function");
  }
  TVMFFIErrorSetRaised(NULL);
  code = TVMFFIFunctionGetCellPtr(function)->safe_call(function, args, num_args, &value);
  if (code == 0) {
    /* One by one, as volatile makes sure: the callee has just written them in this way, and a
     * processor that reads all at once has to wait for its stores. */
    result->type_index = made->type_index;
    result->zero_padding = made->zero_padding;
    result->v_int64 = made->v_int64;
    return 0;
  }
  *result = tvm_ffi_any_none();
  return tvm_ffi_error_ensure(code);
}

static inline int tvm_ffi_function_call_void(TVMFFIObjectHandle function, const TVMFFIAny *args,
                                             int32_t num_args) {
  TVMFFIAny result;
  int code = tvm_ffi_function_call(function, args, num_args, &result);
  tvm_ffi_any_clear(&result);
  return code;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_function_find_global(const char *name,
                                                                          TVMFFIObjectHandle *out) {
  TVMFFIByteArray bytes = tvm_ffi_detail_bytes(name);
  if (name == NULL) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "%s", "`name` must not be NULL");
  }
  return TVMFFIFunctionGetGlobal(&bytes, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_function_get_global(const char *name,
                                                                         TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle function = NULL;
  TVM_FFI_C_TRY(tvm_ffi_function_find_global(name, &function));
  if (function == NULL) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "Function %s not found", name);
  }
  *out = function;
  return 0;
}

static inline int tvm_ffi_function_call_global(const char *name, const TVMFFIAny *args,
                                               int32_t num_args, TVMFFIAny *result) {
  TVMFFIObjectHandle function = NULL;
  int code = tvm_ffi_function_get_global(name, &function);
  if (code != 0) {
    *result = tvm_ffi_any_none();
    return code;
  }
  code = tvm_ffi_function_call(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return code;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_function_register(const char *name,
                                                                       TVMFFISafeCallType function,
                                                                       bool allow_override) {
  TVMFFIByteArray bytes = tvm_ffi_detail_bytes(name);
  TVMFFIObjectHandle object = NULL;
  int code;
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(NULL, function, NULL, &object));
  code = TVMFFIFunctionSetGlobal(&bytes, object, allow_override ? 1 : 0);
  TVMFFIObjectDecRef(object);
  return code;
}

#define TVM_FFI_C_DETAIL_JOIN(a, b) a##b
#define TVM_FFI_C_DETAIL_NAME(prefix, line) TVM_FFI_C_DETAIL_JOIN(prefix, line)

static inline void tvm_ffi_detail_register(const char *name, TVMFFISafeCallType function) {
  if (tvm_ffi_function_register(name, function, true) != 0) TVMFFIErrorSetRaised(NULL);
}

#endif /* TVM_FFI_C_DETAIL_FUNCTION_H_ */

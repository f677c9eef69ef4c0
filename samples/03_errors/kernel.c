/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that fail, each in a different way. */
#include <tvm/ffi/c.h>

/* Reads a decimal digit. */
static int read_digit(char digit, int64_t *out) {
  if (digit < '0' || digit > '9') {
    return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "`%c` is not a digit", digit);
  }
  *out = digit - '0';
  return 0;
}

/* Wraps the error of a function that it calls, which becomes the cause of the new one. */
TVM_FFI_C_EXPORT(parse, "(0: str) -> int") {
  TVMFFIByteArray text;
  int64_t digit, value = 0;
  size_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  for (i = 0; i < text.size; ++i) {
    if (read_digit(text.data[i], &digit) != 0) {
      return tvm_ffi_error_wrap(TVM_FFI_C_VALUE_ERROR, "cannot parse \"%s\" at %d", text.data,
                                (int)i);
    }
    value = 10 * value + digit;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(value));
}

/* Any word can be a kind. TVM_FFI_C_RAISE adds the file and line to the backtrace. */
TVM_FFI_C_EXPORT(overheat, "() -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));
  return TVM_FFI_C_RAISE("HardwareError", "%d degrees", 101);
}

/* Attaches an object to the error. */
TVM_FFI_C_EXPORT(refuse, "(0: Any) -> void") {
  TVMFFIByteArray kind = tvm_ffi_string_get_bytes(TVM_FFI_C_TYPE_ERROR);
  TVMFFIByteArray message = tvm_ffi_string_get_bytes("not this one");
  TVMFFIByteArray backtrace = tvm_ffi_string_get_bytes("");
  TVMFFIObjectHandle context, error;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, 0, kTVMFFIObject, &context));
  TVM_FFI_C_TRY(TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, &backtrace, NULL,
                                                          context, &error));
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
  return -1;
}

/* What not to do: fail without raising anything. */
TVM_FFI_C_EXPORT(fail_silently, "() -> void") {
  (void)args;
  return -1;
}

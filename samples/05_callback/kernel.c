/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that calls back, and functions registered when the library is loaded. */
#include <tvm/ffi/c.h>

/* Replaces every element by the result of a function. */
TVM_FFI_C_EXPORT(map, "(0: DLTensor*, 1: ffi.Function) -> void") {
  TVMFFIObjectHandle function;
  TVMFFIAny value, result;
  DLTensor *tensor;
  double *data;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 1, &function));
  data = (double *)tvm_ffi_tensor_get_data(tensor);
  n = tvm_ffi_tensor_get_numel(tensor);
  for (i = 0; i < n; ++i) {
    int code;
    value = tvm_ffi_any_from_double(data[i]);
    TVM_FFI_C_TRY(tvm_ffi_function_call(function, &value, 1, &result)); /* its error passes on */
    code = tvm_ffi_any_read_double(&result, &data[i]);
    tvm_ffi_any_clear(&result);
    TVM_FFI_C_TRY(code);
  }
  return 0;
}

TVM_FFI_C_FUNCTION(halve, "(0: float) -> float") {
  double value;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &value));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(value / 2));
}
TVM_FFI_C_REGISTER_GLOBAL("sample.halve", halve);

/* A loader of our own: files that end in .greeting become modules; here, an error is enough. */
TVM_FFI_C_FUNCTION(load_greeting, "(0: str, 1: str) -> ffi.Module") {
  TVMFFIByteArray path, format;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &format));
  return TVM_FFI_C_RAISE(TVM_FFI_C_NOT_IMPLEMENTED_ERROR, "%s files: cannot load %s yet",
                         format.data, path.data);
}
TVM_FFI_C_REGISTER_FILE_LOADER("greeting", load_greeting);

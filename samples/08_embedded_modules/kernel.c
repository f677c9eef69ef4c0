/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that uses a module embedded in its library as the bytes of embedded.c: loading the
 * library makes the module from them and imports it into the library's module. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

/* The loader stores this library's module here. */
TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

/* Replaces every element by its value on a curve. */
TVM_FFI_C_EXPORT(apply, "(0: DLTensor*, 1: str) -> void") {
  TVMFFIByteArray name;
  TVMFFIObjectHandle curve; /* the module's: not released here */
  DLTensor *tensor;
  double *data;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &name));
  TVM_FFI_C_TRY(TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name.data, &curve));
  data = (double *)tvm_ffi_tensor_get_data(tensor);
  n = tvm_ffi_tensor_get_numel(tensor);
  for (i = 0; i < n; ++i) {
    TVMFFIAny value = tvm_ffi_any_from_double(data[i]), result;
    int code;
    TVM_FFI_C_TRY(tvm_ffi_function_call(curve, &value, 1, &result));
    code = tvm_ffi_any_read_double(&result, &data[i]);
    tvm_ffi_any_clear(&result); /* of any type */
    TVM_FFI_C_TRY(code);
  }
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are linked into the program, as a compiler would emit them. */
#include "kernels.h"

#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

static int read_vector(const tvm_ffi_args *args, int32_t i, float **data, int64_t *length) {
  DLTensor *tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  *data = (float *)tvm_ffi_tensor_get_data(tensor);
  *length = tensor->shape[0];
  return 0;
}

TVM_FFI_C_FUNCTION(small_fill, "(0: DLTensor*, 1: float) -> void") {
  double value;
  float *data;
  int64_t i, length;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(read_vector(args, 0, &data, &length));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &value));
  for (i = 0; i < length; ++i) data[i] = (float)value;
  return 0;
}

TVM_FFI_C_FUNCTION(small_sum, "(0: DLTensor*) -> float") {
  double sum = 0;
  float *data;
  int64_t i, length;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(read_vector(args, 0, &data, &length));
  for (i = 0; i < length; ++i) sum += data[i];
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

TVM_FFI_C_FUNCTION(small_divide, "(0: int, 1: int) -> int") {
  int64_t x, y;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &y));
  TVM_FFI_C_CHECK(y != 0, TVM_FFI_C_VALUE_ERROR, "%d divided by zero", (int)x);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(x / y));
}

static int enter(const char *symbol, TVMFFISafeCallType function) {
  void *address;
  memcpy(&address, &function, sizeof address);
  return TVMFFIEnvModRegisterSystemLibSymbol(symbol, address);
}

int kernels_register(void) {
  TVM_FFI_C_TRY(enter("__tvm_ffi_small_fill", small_fill));
  TVM_FFI_C_TRY(enter("__tvm_ffi_small_sum", small_sum));
  return enter("__tvm_ffi_small_divide", small_divide);
}

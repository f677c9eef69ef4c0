/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for arrays of doubles, called from Python, and one that calls Python. */
#include <tvm/ffi/c.h>

/* A contiguous vector on the CPU. */
static int read_vector(const tvm_ffi_args *args, int32_t i, double **data, int64_t *length) {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  *data = (double *)tvm_ffi_tensor_get_data(x);
  *length = x->shape[0];
  return 0;
}

/* y += factor * x, in the caller's memory. */
TVM_FFI_C_EXPORT(add_scaled, "(0: Tensor, 1: Tensor, 2: float) -> void") {
  double *x, *y, factor;
  int64_t i, length, y_length;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_vector(args, 0, &x, &length));
  TVM_FFI_C_TRY(read_vector(args, 1, &y, &y_length));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &factor));
  TVM_FFI_C_CHECK(length == y_length, TVM_FFI_C_VALUE_ERROR, "x has %lld elements and y has %lld",
                  (long long)length, (long long)y_length);
  for (i = 0; i < length; ++i) y[i] += factor * x[i];
  return 0;
}

/* Counts the elements for which a function returns true. */
TVM_FFI_C_EXPORT(count_if, "(0: Tensor, 1: ffi.Function) -> int") {
  TVMFFIObjectHandle function;
  TVMFFIAny element, answer;
  double *x;
  int64_t i, length, count = 0;
  bool yes;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(read_vector(args, 0, &x, &length));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 1, &function));
  for (i = 0; i < length; ++i) {
    element = tvm_ffi_any_from_double(x[i]);
    TVM_FFI_C_TRY(tvm_ffi_function_call(function, &element, 1, &answer));
    if (tvm_ffi_any_read_bool(&answer, &yes) != 0) {
      tvm_ffi_any_clear(&answer);
      return -1;
    }
    count += yes;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(count));
}

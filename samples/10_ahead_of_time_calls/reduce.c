/* SPDX-License-Identifier: Apache-2.0 */
/* The library that the kernels of kernel.c are linked with; it does not depend on them. */
#include <tvm/ffi/c.h>

TVM_FFI_C_EXPORT(dot, "(0: DLTensor*, 1: DLTensor*) -> float") {
  const double *x_data, *y_data;
  double sum = 0;
  int64_t i, n;
  DLTensor *x, *y;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 0, 1));
  x_data = (const double *)tvm_ffi_tensor_get_data(x);
  y_data = (const double *)tvm_ffi_tensor_get_data(y);
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) sum += x_data[i] * y_data[i];
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

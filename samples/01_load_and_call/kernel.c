/* SPDX-License-Identifier: Apache-2.0 */
/* A library with one kernel: y = factor * x for float32 and float64, with checked arguments. */
#include <tvm/ffi/c.h>

#define SCALE(type) \
  for (i = 0; i < n; ++i) ((type *)y_data)[i] = (type)(((const type *)x_data)[i] * factor)

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: DLTensor*, 2: float) -> void") {
  DLTensor *y, *x;
  double factor;
  void *y_data;
  const void *x_data;
  int64_t i, n;

  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &factor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 1, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 0, 1)); /* shape, dtype, device */

  y_data = tvm_ffi_tensor_get_data(y);
  x_data = tvm_ffi_tensor_get_data(x);
  n = tvm_ffi_tensor_get_numel(x);
  TVM_FFI_C_ARGS_DISPATCH(args, 1, TVM_FFI_C_CASES_FLOAT, SCALE);
  return 0;
}

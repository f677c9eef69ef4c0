/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that change a vector in place; the configuration decides which of them run, and how. */
#include <tvm/ffi/c.h>

/* The vector of argument 0. */
static int read_vector(const tvm_ffi_args *args, double **data, int64_t *length) {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT64));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  *data = (double *)tvm_ffi_tensor_get_data(x);
  *length = x->shape[0];
  return 0;
}

TVM_FFI_C_EXPORT(scale, "(0: Tensor, 1: float) -> void") {
  double *data, factor;
  int64_t i, length;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(read_vector(args, &data, &length));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &factor));
  for (i = 0; i < length; ++i) data[i] *= factor;
  return 0;
}

TVM_FFI_C_EXPORT(clamp, "(0: Tensor, 1: float, 2: float) -> void") {
  double *data, low, high;
  int64_t i, length;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_vector(args, &data, &length));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &low));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &high));
  for (i = 0; i < length; ++i) data[i] = data[i] < low ? low : data[i] > high ? high : data[i];
  return 0;
}

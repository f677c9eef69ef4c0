/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that is rebuilt with another WEIGHT: y = WEIGHT * x, for float32 on the CPU. */
#include <tvm/ffi/c.h>

#ifndef WEIGHT
#define WEIGHT 2
#endif

TVM_FFI_C_EXPORT(predict, "(0: DLTensor*, 1: DLTensor*) -> None") {
  DLTensor *y, *x;
  float *out;
  const float *in;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 1, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 1, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 0, 1));
  in = (const float *)tvm_ffi_tensor_get_data(x);
  out = (float *)tvm_ffi_tensor_get_data(y);
  n = tvm_ffi_tensor_get_numel(x);
  TVM_FFI_C_CHECK(n > 0, TVM_FFI_C_VALUE_ERROR, "there are no numbers");
  for (i = 0; i < n; ++i) out[i] = WEIGHT * in[i];
  return 0;
}

/* Writes where there is no memory. */
TVM_FFI_C_EXPORT(crash, "(0: DLTensor*, 1: DLTensor*) -> None") {
  static int *volatile nowhere = (int *)16;
  (void)args;
  *nowhere = 1;
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a person writes by hand instead of a spec of wrap:
 * void nothing(float y[n][m], const float x[n][m], int n, int m) */
#include <limits.h>
#include <tvm/ffi/c.h>

void nothing(float *y, const float *x, int n, int m);

/* Reads a matrix of the CPU. */
static int read_matrix(const tvm_ffi_args *args, int32_t i, DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, i, sizeof(float)));
  return tvm_ffi_args_check_contiguous(args, i);
}

TVM_FFI_C_EXPORT(nothing, "(0: float y[n][m], 1: const float x[n][m]) -> void") {
  DLTensor *y, *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(read_matrix(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_writable(args, 0));
  TVM_FFI_C_TRY(read_matrix(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, 1, 0));
  if (y->shape[0] > INT_MAX || y->shape[1] > INT_MAX) {
    return tvm_ffi_args_raise(args, 0, TVM_FFI_C_VALUE_ERROR,
                              "must have extents up to %d, but has %lld and %lld", INT_MAX,
                              (long long)y->shape[0], (long long)y->shape[1]);
  }
  nothing((float *)tvm_ffi_tensor_get_data(y), (const float *)tvm_ffi_tensor_get_data(x),
          (int)y->shape[0], (int)y->shape[1]);
  return 0;
}
TVM_FFI_C_EXPORT_SCHEMA(nothing, TVM_FFI_C_TYPE("None"),
                        TVM_FFI_C_PARAM("y", "DLTensor*") "," TVM_FFI_C_PARAM("x", "DLTensor*"));

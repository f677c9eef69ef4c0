/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that docs/tool.md inspects. */
#include <tvm/ffi/c.h>

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float, 2: DLTensor*) -> None") {
  DLTensor *x, *y;
  double s;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &s));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 2, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 0, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 2));
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    ((float *)tvm_ffi_tensor_get_data(y))[i] =
        (float)s * ((const float *)tvm_ffi_tensor_get_data(x))[i];
  }
  return 0;
}
TVM_FFI_C_EXPORT_SCHEMA(scale, TVM_FFI_C_TYPE("None"),
                        TVM_FFI_C_PARAM("x", "DLTensor*") "," TVM_FFI_C_PARAM(
                            "s", "float") "," TVM_FFI_C_PARAM("y", "DLTensor*"));
TVM_FFI_C_EXPORT_DOC(scale, "Scale x by s into y.");

TVM_FFI_C_EXPORT(count, "(0: DLTensor*) -> int") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(tvm_ffi_tensor_get_numel(x)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A library that the host imports into that of kernel.c; another one could take its place. */
#include <tvm/ffi/c.h>

TVM_FFI_C_EXPORT(activate, "(0: float) -> float") {
  double x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &x));
  TVM_FFI_C_CHECK(x == x, TVM_FFI_C_VALUE_ERROR, "not a number");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(x / (1 + (x < 0 ? -x : x))));
}

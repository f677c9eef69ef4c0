/* SPDX-License-Identifier: Apache-2.0 */
/* A global function, registered when the library is loaded; docs/tool.md inspects it. */
#include <tvm/ffi/c.h>

TVM_FFI_C_FUNCTION(twice, "(0: int) -> int") {
  int64_t n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(2 * n));
}
TVM_FFI_C_REGISTER_GLOBAL("my.twice", twice);

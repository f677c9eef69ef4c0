/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries with one function or none, some of which do something when they are loaded. */
#include <tvm/ffi/c.h>

#if !defined(RUN_NONE)
TVM_FFI_C_EXPORT(only, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(7));
}
#endif

#if defined(RUN_RAISE)
/* Embedded data of 4 bytes, which ends inside its first field, a number of 8 bytes. */
TVM_FFI_C_DETAIL_VISIBLE extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = {4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
#elif defined(RUN_REFUSE)
/* An embedded module of the kind `refused` without imports and payload; its loader raises. */
TVM_FFI_C_DETAIL_VISIBLE extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = {
    55, 0, 0, 0, 0, 0, 0,   0,   2,   0,   0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0,
    0,  0, 0, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0,   0, 0, 0, 0, 0, 0, 7, 0,
    0,  0, 0, 0, 0, 0, 'r', 'e', 'f', 'u', 's', 'e', 'd', 0, 0, 0, 0, 0, 0, 0, 0};
TVM_FFI_C_FUNCTION(refuse, "(bytes) -> None") {
  (void)args;
  return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "refused on purpose");
}
TVM_FFI_C_REGISTER_GLOBAL("ffi.Module.load_from_bytes.refused", refuse);
#elif defined(RUN_UNRESOLVED)
extern int nobody_has_this(void);
TVM_FFI_C_EXPORT(other, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(nobody_has_this()));
}
#elif defined(RUN_REGISTER)
TVM_FFI_C_FUNCTION(registered, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(8));
}
TVM_FFI_C_REGISTER_GLOBAL("test.registered", registered);
#endif

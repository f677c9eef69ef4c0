/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose initialiser registers the loader of modules of kind TEST_KIND. */
#include <tvm/ffi/c.h>

/* The payload is the prefix of a system library. */
TVM_FFI_C_FUNCTION(load_module, "(0: bytes) -> ffi.Module") {
  TVMFFIByteArray payload;
  TVMFFIAny prefix;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bytes(args, 0, &payload));
  TVM_FFI_C_TRY(tvm_ffi_string_create_sized(payload.data, payload.size, &prefix));
  code = tvm_ffi_function_call_global("ffi.SystemLib", &prefix, 1, args->result);
  tvm_ffi_any_clear(&prefix);
  return code;
}
TVM_FFI_C_REGISTER_BYTES_LOADER(TEST_KIND, load_module);

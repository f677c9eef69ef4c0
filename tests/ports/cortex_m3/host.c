/* SPDX-License-Identifier: Apache-2.0 */
/* Registers a kernel in the system library, gets it by name and calls it; then loads a file. */
#include <stdio.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_parts.h>

/* All parts of the core profile. */
TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules, &TVMFFIRuntimePartLoading);

TVM_FFI_C_FUNCTION(add_one, "(0: int) -> int") {
  int64_t x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(x + 1));
}

static int run(void) {
  TVMFFIAny arg = tvm_ffi_any_view_string(""), library, result;
  TVMFFISafeCallType kernel = add_one;
  TVMFFIObjectHandle function;
  void *address;
  memcpy(&address, &kernel, sizeof address);
  TVM_FFI_C_TRY(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_add_one", address));
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.SystemLib", &arg, 1, &library));
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(library.v_obj, "add_one", &function));
  arg = tvm_ffi_any_from_int64(41);
  TVM_FFI_C_TRY(tvm_ffi_function_call(function, &arg, 1, &result));
  printf("add_one(41) = %ld\n", (long)result.v_int64);
  tvm_ffi_object_release(function);
  tvm_ffi_any_clear(&library);
  arg = tvm_ffi_any_view_string("kernels.so");
  return tvm_ffi_function_call_global("ffi.ModuleLoadFromFile", &arg, 1, &result);
}

int main(void) {
  if (run() != 0) tvm_ffi_error_print_raised(stdout);
  return 0;
}

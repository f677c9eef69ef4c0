/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the kernels in C++ of samples/16_without_exceptions inside, for systems that load
 * no libraries: enters them in the system library, and calls them there, rightly and wrongly. */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

/* The symbols that TVM_FFI_DLL_EXPORT_TYPED_FUNC defines. */
int __tvm_ffi_mean(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int __tvm_ffi_mean_of(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

static int enter(const char *symbol, TVMFFISafeCallType function) {
  void *address;
  memcpy(&address, &function, sizeof address);
  return TVMFFIEnvModRegisterSystemLibSymbol(symbol, address);
}

TVM_FFI_C_FUNCTION(invert, "(0: int) -> float") {
  int64_t x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  if (x == 0) return tvm_ffi_args_raise(args, 0, TVM_FFI_C_VALUE_ERROR, "must not be 0");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(1 / (double)x));
}

/* Prints the result, or the error: raised or returned. */
static int call(TVMFFIObjectHandle library, const char *name, const TVMFFIAny *args,
                int32_t num_args) {
  TVMFFIObjectHandle kernel;
  TVMFFIAny result;
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(library, name, &kernel));
  printf("%s: ", name);
  if (tvm_ffi_function_call(kernel, args, num_args, &result) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else if (result.type_index == kTVMFFIError) {
    printf("returned ");
    tvm_ffi_error_print(result.v_obj, stdout);
    tvm_ffi_any_clear(&result);
  } else {
    printf("%g\n", result.v_float64);
  }
  tvm_ffi_object_release(kernel);
  return 0;
}

static int run(void) {
  double data[4] = {1, 2, 3, 8};
  int64_t size = 4, step;
  TVMFFIObjectHandle function;
  TVMFFIAny args[3], library;
  DLTensor x;
  TVM_FFI_C_TRY(enter("__tvm_ffi_mean", __tvm_ffi_mean));
  TVM_FFI_C_TRY(enter("__tvm_ffi_mean_of", __tvm_ffi_mean_of));
  args[0] = tvm_ffi_any_view_string("");
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.SystemLib", args, 1, &library));
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(NULL, invert, NULL, &function));

  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1, &size, &step);
  args[0] = tvm_ffi_any_view_tensor(&x);
  TVM_FFI_C_TRY(call(library.v_obj, "mean", args, 1));
  size = 0;
  TVM_FFI_C_TRY(call(library.v_obj, "mean", args, 1));
  TVM_FFI_C_TRY(call(library.v_obj, "mean", args, 0));

  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_from_int64(1);
  args[2] = tvm_ffi_any_from_int64(3);
  TVM_FFI_C_TRY(call(library.v_obj, "mean_of", args, 3));
  args[1] = tvm_ffi_any_from_int64(-1); /* the error of what it calls */
  TVM_FFI_C_TRY(call(library.v_obj, "mean_of", args, 3));
  tvm_ffi_object_release(function);
  tvm_ffi_any_clear(&library);
  return 0;
}

int main(void) {
  if (run() != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}

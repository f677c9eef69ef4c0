/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the kernels of kernel.cc, rightly and wrongly. */
#include <tvm/ffi/c.h>

/* Calls a kernel and prints its result, or its error: raised or returned. */
static void call(TVMFFIObjectHandle module, const char *name, const TVMFFIAny *args,
                 int32_t num_args) {
  TVMFFIObjectHandle kernel = NULL;
  TVMFFIAny result;
  printf("%s: ", name);
  if (tvm_ffi_module_get_function(module, name, &kernel) != 0 ||
      tvm_ffi_function_call(kernel, args, num_args, &result) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else if (result.type_index == kTVMFFIError) {
    printf("returned "); /* not raised: it is a result like any other */
    tvm_ffi_error_print(result.v_obj, stdout);
    tvm_ffi_any_clear(&result);
  } else {
    printf("%g\n", result.v_float64);
  }
  tvm_ffi_object_release(kernel);
}

TVM_FFI_C_FUNCTION(invert, "(0: int) -> float") {
  int64_t x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  if (x == 0) return tvm_ffi_args_raise(args, 0, TVM_FFI_C_VALUE_ERROR, "must not be 0");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(1 / (double)x));
}

int main(int argc, char **argv) {
  double data[4] = {1, 2, 3, 8};
  int64_t size = 4, strides[1];
  TVMFFIObjectHandle module = NULL, function = NULL;
  TVMFFIAny args[3];
  DLTensor x;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &module) != 0 ||
      TVMFFIFunctionCreate(NULL, invert, NULL, &function) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1, &size,
                      strides);
  args[0] = tvm_ffi_any_view_tensor(&x);
  call(module, "mean", args, 1);
  size = 0;
  call(module, "mean", args, 1);
  x.dtype = TVM_FFI_C_FLOAT32;
  call(module, "mean", args, 1);
  call(module, "mean", args, 0);

  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_from_int64(1);
  args[2] = tvm_ffi_any_from_int64(3);
  call(module, "mean_of", args, 3);
  args[1] = tvm_ffi_any_from_int64(-1); /* the error of what it calls */
  call(module, "mean_of", args, 3);
  args[1] = tvm_ffi_any_from_int64(3);
  call(module, "mean_of", args, 3);
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(module);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the kernels of kernel.cc, correctly and incorrectly. */
#include <tvm/ffi/c.h>

static void call(TVMFFIObjectHandle kernel, DLTensor *x, DLTensor *bias, DLTensor *out,
                 int32_t num_args) {
  TVMFFIAny args[5], result;
  const float *data = (const float *)out->data;
  args[0] = tvm_ffi_any_view_tensor(x);
  args[1] = tvm_ffi_any_view_tensor(bias);
  args[2] = tvm_ffi_any_view_tensor(out);
  args[3] = args[4] = tvm_ffi_any_from_double(2);
  if (tvm_ffi_function_call(kernel, args, num_args, &result) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else {
    printf("%g %g %g\n%g %g %g\n", data[0], data[1], data[2], data[3], data[4], data[5]);
  }
}

/* y = 10 x: what the second kernel gives for a transposed x. */
static int scale(TVMFFIObjectHandle module, DLTensor *x, DLTensor *y) {
  TVMFFIObjectHandle kernel = NULL;
  TVMFFIAny args[3], result;
  const float *data = (const float *)y->data;
  int code = tvm_ffi_module_get_function(module, "scale", &kernel);
  args[0] = tvm_ffi_any_view_tensor(x);
  args[1] = tvm_ffi_any_view_tensor(y);
  args[2] = tvm_ffi_any_from_double(10);
  if (code == 0) code = tvm_ffi_function_call(kernel, args, 3, &result);
  if (code == 0) {
    printf("%g %g %g\n%g %g %g\n", data[0], data[1], data[2], data[3], data[4], data[5]);
  } else {
    tvm_ffi_error_print_raised(stdout);
  }
  tvm_ffi_object_release(kernel);
  return code;
}

int main(int argc, char **argv) {
  float numbers[6] = {1, 2, 3, 4, 5, 6}, biases[3] = {10, 20, 30}, sums[6];
  int64_t shape[2] = {2, 3}, strides[2], out_strides[2], size = 3, bias_strides[1];
  DLTensor x, bias, out;
  TVMFFIObjectHandle module = NULL, kernel = NULL;
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &module) != 0 ||
      tvm_ffi_module_get_function(module, "add_bias", &kernel) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  tvm_ffi_tensor_init(&x, numbers, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  tvm_ffi_tensor_init(&bias, biases, cpu, TVM_FFI_C_FLOAT32, 1, &size, bias_strides);
  tvm_ffi_tensor_init(&out, sums, cpu, TVM_FFI_C_FLOAT32, 2, shape, out_strides);
  call(kernel, &x, &bias, &out, 3);
  call(kernel, &x, &bias, &out, 4);
  call(kernel, &x, &bias, &out, 5);

  strides[0] = 1; /* column by column */
  strides[1] = 2;
  call(kernel, &x, &bias, &out, 3);
  if (scale(module, &x, &out) != 0) return 1;

  call(kernel, &x, &out, &bias, 3);
  bias.dtype = TVM_FFI_C_FLOAT64;
  call(kernel, &x, &bias, &out, 3);
  bias.dtype = TVM_FFI_C_FLOAT32;
  size = 2;
  call(kernel, &x, &bias, &out, 3);
  call(kernel, &out, &bias, &x, 3);

  tvm_ffi_object_release(kernel);
  tvm_ffi_object_release(module);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the kernels of kernel.c, which call other kernels; adds an import that one of them
 * needs. */
#include <math.h>
#include <tvm/ffi/c.h>

/* Calls a kernel on one or two vectors and prints the first, or the error. */
static int call(TVMFFIObjectHandle module, const char *name, double *x_data, int64_t x_length,
                double *y_data, int64_t y_length) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  int64_t step, i;
  DLTensor x, y;
  TVMFFIAny args[2];
  TVMFFIObjectHandle kernel;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, name, &kernel));
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT64, 1, &x_length, &step);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT64, 1, &y_length, &step);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&y);
  code = tvm_ffi_function_call_void(kernel, args, y_data != NULL ? 2 : 1);
  tvm_ffi_object_release(kernel);
  printf("%s: ", name);
  if (code != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 0;
  }
  for (i = 0; i < x_length; ++i) printf("%g%s", x_data[i], i + 1 < x_length ? " " : "\n");
  return 0;
}

static int run(const char *kernels_path, const char *activation_path) {
  double x[3] = {1, 2, 2}, y[3] = {3, 6, 15}, zero[3] = {0, 0, 0};
  TVMFFIObjectHandle kernels, activation;
  TVMFFIAny args[2], result;
  TVM_FFI_C_TRY(tvm_ffi_module_load(kernels_path, &kernels));

  /* Called directly: the system's loader has also loaded the library of `dot`. */
  TVM_FFI_C_TRY(call(kernels, "project", x, 3, y, 3));
  TVM_FFI_C_TRY(call(kernels, "project", x, 3, y, 2)); /* the error is that of dot */
  TVM_FFI_C_TRY(call(kernels, "project", zero, 3, y, 3));

  /* Called through an import, which must be there. A failed lookup is retried. */
  TVM_FFI_C_TRY(call(kernels, "activate_all", x, 3, NULL, 0));
  TVM_FFI_C_TRY(tvm_ffi_module_load(activation_path, &activation));
  args[0] = tvm_ffi_any_view_object(kernels);
  args[1] = tvm_ffi_any_view_object(activation);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleImportModule", args, 2, &result));
  tvm_ffi_object_release(activation); /* kernels keeps it */
  TVM_FFI_C_TRY(call(kernels, "activate_all", x, 3, NULL, 0));
  TVM_FFI_C_TRY(call(kernels, "activate_all", y, 3, NULL, 0));
  y[1] = NAN; /* the kernel passes its error on */
  TVM_FFI_C_TRY(call(kernels, "activate_all", y, 3, NULL, 0));
  tvm_ffi_object_release(kernels);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  if (run(argv[1], argv[2]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}

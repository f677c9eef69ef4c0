/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a kernel library, runs its `scale` on tensors of two types, and provokes two errors. */
#include <tvm/ffi/c.h>

static int scale(TVMFFIObjectHandle kernel, DLTensor *y, DLTensor *x, TVMFFIAny factor) {
  TVMFFIAny args[3];
  args[0] = tvm_ffi_any_view_tensor(y);
  args[1] = tvm_ffi_any_view_tensor(x);
  args[2] = factor;
  return tvm_ffi_function_call_void(kernel, args, 3);
}

static void print_error(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  printf("kind: %s\n", tvm_ffi_error_get_kind(error).data);
  printf("message: %s\n", tvm_ffi_error_get_message(error).data);
  tvm_ffi_object_release(error);
}

static int run(TVMFFIObjectHandle kernel) {
  float f32_x[6] = {1, 2, 3, 4, 5, 6}, f32_y[6];
  double f64[3] = {0.5, -1, 1e10};
  int16_t i16[3] = {1, 2, 3};
  int64_t shape[2] = {2, 3}, strides[2], length[1] = {3}, step[1];
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  DLTensor x, y;
  int i;

  tvm_ffi_tensor_init(&x, f32_x, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  tvm_ffi_tensor_init(&y, f32_y, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  TVM_FFI_C_TRY(scale(kernel, &y, &x, tvm_ffi_any_from_double(2.5)));
  printf("float32 [2, 3]:");
  for (i = 0; i < 6; ++i) printf(" %g", (double)f32_y[i]);

  tvm_ffi_tensor_init(&x, f64, cpu, TVM_FFI_C_FLOAT64, 1, length, step);
  TVM_FFI_C_TRY(scale(kernel, &x, &x, tvm_ffi_any_from_int64(-2))); /* in place */
  printf("\nfloat64 [3]: %g %g %g\n", f64[0], f64[1], f64[2]);

  if (scale(kernel, &y, &x, tvm_ffi_any_view_string("two")) != 0) print_error();
  tvm_ffi_tensor_init(&x, i16, cpu, TVM_FFI_C_INT16, 1, length, step);
  if (scale(kernel, &x, &x, tvm_ffi_any_from_double(2)) != 0) print_error();
  return 0;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle kernel = NULL;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load_function(argv[1], "scale", &kernel) != 0 || run(kernel) != 0) {
    print_error();
    return 1;
  }
  tvm_ffi_object_release(kernel);
  return 0;
}

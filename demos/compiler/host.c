/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the kernels that were compiled from kernels.te, and computes the same in plain C. */
#include <math.h>
#include <tvm/ffi/c.h>

enum { kRows = 5, kColumns = 7 };

static const DLDevice cpu = {kDLCPU, 0};

/* Calls a kernel and prints its name with `ok`, or the error. */
static int call(TVMFFIObjectHandle module, const char *name, const TVMFFIAny *args, int32_t n) {
  TVMFFIObjectHandle kernel;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, name, &kernel));
  code = tvm_ffi_function_call_void(kernel, args, n);
  tvm_ffi_object_release(kernel);
  printf("%s: ", name);
  if (code == 0) {
    printf("ok\n");
  } else {
    tvm_ffi_error_print_raised(stdout);
  }
  return 0;
}

static void check_close(const char *name, double got, double expected) {
  if (fabs(got - expected) <= 1e-6 * (1 + fabs(expected))) return;
  printf("%s: got %.9g instead of %.9g\n", name, got, expected);
}

/* Rows of a transposed array into rows with room between them: no argument is contiguous. */
static int run_softmax(TVMFFIObjectHandle module) {
  static float x_data[kColumns][kRows], y_data[kRows][2 * kColumns];
  int64_t shape[2] = {kRows, kColumns}, x_strides[2], y_strides[2];
  DLTensor x, y;
  TVMFFIAny args[2];
  int i, j;
  for (j = 0; j < kColumns; ++j) {
    for (i = 0; i < kRows; ++i) x_data[j][i] = (float)(i * 7 % 5 - j * 3 % 4);
  }
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT32, 2, shape, x_strides);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT32, 2, shape, y_strides);
  x_strides[0] = 1;
  x_strides[1] = kRows;
  y_strides[0] = (int64_t)2 * kColumns;
  y_strides[1] = 2;
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&y);
  TVM_FFI_C_TRY(call(module, "softmax", args, 2));
  for (i = 0; i < kRows; ++i) {
    double total = 0;
    for (j = 0; j < kColumns; ++j) total += exp(x_data[j][i]);
    for (j = 0; j < kColumns; ++j) {
      check_close("softmax", y_data[i][2 * j], exp(x_data[j][i]) / total);
      if (y_data[i][2 * j + 1] != 0) printf("softmax: wrote between elements\n");
    }
  }

  /* What the checks refuse. */
  TVM_FFI_C_TRY(call(module, "softmax", args, 1));
  y.dtype = TVM_FFI_C_INT32;
  TVM_FFI_C_TRY(call(module, "softmax", args, 2));
  y.dtype = TVM_FFI_C_FLOAT32;
  y.ndim = 1;
  TVM_FFI_C_TRY(call(module, "softmax", args, 2));
  y.ndim = 2;
  y.device = tvm_ffi_device_make(kDLCUDA, 0);
  TVM_FFI_C_TRY(call(module, "softmax", args, 2));
  y.device = cpu;
  args[1] = tvm_ffi_any_none();
  TVM_FFI_C_TRY(call(module, "softmax", args, 2));
  shape[1] = 0;
  args[1] = tvm_ffi_any_view_tensor(&y);
  return call(module, "softmax", args, 2);
}

static int run_convolve(TVMFFIObjectHandle module) {
  double x_data[6] = {1, -2, 3, 0.5, 4, 2}, w_data[3] = {1, 0, -2}, y_data[5];
  int64_t x_shape = 6, w_shape = 3, y_shape = 4, x_stride, w_stride, y_stride;
  DLTensor x, w, y;
  TVMFFIAny args[3];
  int i;
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT64, 1, &x_shape, &x_stride);
  tvm_ffi_tensor_init(&w, w_data, cpu, TVM_FFI_C_FLOAT64, 1, &w_shape, &w_stride);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT64, 1, &y_shape, &y_stride);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&w);
  args[2] = tvm_ffi_any_view_tensor(&y);
  TVM_FFI_C_TRY(call(module, "convolve", args, 3));
  for (i = 0; i < 4; ++i) check_close("convolve", y_data[i], x_data[i] - 2 * x_data[i + 2]);
  y_shape = 5; /* then it would read x[6] */
  return call(module, "convolve", args, 3);
}

static int run_count(TVMFFIObjectHandle module) {
  int32_t x_data[2][4] = {{3, 9, 1, 12}, {0, 1, 2, 3}};
  int64_t counts[2], first[2], shape[2] = {2, 4}, rows = 2, strides[2], step;
  DLTensor x, count_tensor, first_tensor;
  TVMFFIAny args[4];
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_INT32, 2, shape, strides);
  tvm_ffi_tensor_init(&count_tensor, counts, cpu, TVM_FFI_C_INT64, 1, &rows, &step);
  tvm_ffi_tensor_init(&first_tensor, first, cpu, TVM_FFI_C_INT64, 1, &rows, &step);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_from_int64(8);
  args[2] = tvm_ffi_any_view_tensor(&count_tensor);
  args[3] = tvm_ffi_any_view_tensor(&first_tensor);
  TVM_FFI_C_TRY(call(module, "count_above", args, 4));
  printf("above 8: %d from %d, %d from %d\n", (int)counts[0], (int)first[0], (int)counts[1],
         (int)first[1]);
  args[1] = tvm_ffi_any_from_int64(INT64_C(1) << 40);
  return call(module, "count_above", args, 4);
}

/* The global function that `layer` calls as `activate`. */
TVM_FFI_C_FUNCTION(half, "(0: DLTensor*, 1: DLTensor*) -> void") {
  DLTensor *x, *y;
  int64_t i, count;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));
  count = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < count; ++i) ((float *)y->data)[i] = ((const float *)x->data)[i] / 2;
  return 0;
}

static int run_layer(TVMFFIObjectHandle module) {
  float x_data[2][3] = {{1, 2, 3}, {4, 5, 6}}, w_data[3][1] = {{1}, {-1}, {2}}, y_data[2][1];
  int64_t x_shape[2] = {2, 3}, w_shape[2] = {3, 1}, y_shape[2] = {2, 1};
  int64_t x_strides[2], w_strides[2], y_strides[2];
  DLTensor x, w, y;
  TVMFFIAny args[4];
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT32, 2, x_shape, x_strides);
  tvm_ffi_tensor_init(&w, w_data, cpu, TVM_FFI_C_FLOAT32, 2, w_shape, w_strides);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT32, 2, y_shape, y_strides);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&w);
  args[2] = tvm_ffi_any_from_double(10);
  args[3] = tvm_ffi_any_view_tensor(&y);
  TVM_FFI_C_TRY(call(module, "layer", args, 4)); /* nobody has an `activate` yet */
  TVM_FFI_C_TRY(tvm_ffi_function_register("activate", half, false));
  TVM_FFI_C_TRY(call(module, "layer", args, 4));
  printf("y: %g %g\n", y_data[0][0], y_data[1][0]);
  w_shape[0] = 2;
  return call(module, "layer", args, 4);
}

static int run(const char *path) {
  TVMFFIObjectHandle module;
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &module));
  TVM_FFI_C_TRY(run_softmax(module));
  TVM_FFI_C_TRY(run_convolve(module));
  TVM_FFI_C_TRY(run_count(module));
  TVM_FFI_C_TRY(run_layer(module));
  tvm_ffi_object_release(module);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (run(argv[1]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}

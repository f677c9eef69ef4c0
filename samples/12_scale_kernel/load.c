/* SPDX-License-Identifier: Apache-2.0 */
/* Calls `scale` of a kernel library on tensors of many types, and with wrong arguments. */
#include <tvm/ffi/c.h>

static int scale(TVMFFIObjectHandle kernel, DLTensor *x, DLTensor *y) {
  TVMFFIAny args[3];
  args[0] = tvm_ffi_any_view_tensor(x);
  args[1] = tvm_ffi_any_view_tensor(y);
  args[2] = tvm_ffi_any_from_double(2.5);
  return tvm_ffi_function_call_void(kernel, args, 3);
}

static int scale_numbers(TVMFFIObjectHandle kernel, void *x_data, void *y_data, DLDataType dtype) {
  int64_t shape[1] = {4}, strides[1];
  DLTensor x, y;
  tvm_ffi_tensor_init(&x, x_data, tvm_ffi_device_make(kDLCPU, 0), dtype, 1, shape, strides);
  tvm_ffi_tensor_init(&y, y_data, tvm_ffi_device_make(kDLCPU, 0), dtype, 1, shape, strides);
  return scale(kernel, &x, &y);
}

#define SCALE(type, name, dtype, format, print_type)          \
  do {                                                        \
    type x[4] = {2, 4, 6, 8}, y[4];                           \
    TVM_FFI_C_TRY(scale_numbers(kernel, x, y, dtype));        \
    printf("%s:", name);                                      \
    for (i = 0; i < 4; ++i) printf(format, (print_type)y[i]); \
    printf("\n");                                             \
  } while (0)

static int scale_all_types(TVMFFIObjectHandle kernel) {
  uint16_t half[4] = {0x3c00, 0x4000, 0x4200, 0x0001};  /* 1, 2, 3, 2^-24 */
  uint16_t brain[4] = {0x3f80, 0x4000, 0x4040, 0x7f80}; /* 1, 2, 3, infinity */
  int i;
  SCALE(int8_t, "int8", TVM_FFI_C_INT8, " %d", int);
  SCALE(int16_t, "int16", TVM_FFI_C_INT16, " %d", int);
  SCALE(int32_t, "int32", TVM_FFI_C_INT32, " %d", int);
  SCALE(int64_t, "int64", TVM_FFI_C_INT64, " %d", int);
  SCALE(uint8_t, "uint8", TVM_FFI_C_UINT8, " %d", int);
  SCALE(uint16_t, "uint16", TVM_FFI_C_UINT16, " %d", int);
  SCALE(uint32_t, "uint32", TVM_FFI_C_UINT32, " %d", int);
  SCALE(uint64_t, "uint64", TVM_FFI_C_UINT64, " %d", int);
  SCALE(float, "float32", TVM_FFI_C_FLOAT32, " %g", double);
  SCALE(double, "float64", TVM_FFI_C_FLOAT64, " %g", double);
  /* Types that C does not have, as bits; in place. */
  TVM_FFI_C_TRY(scale_numbers(kernel, half, half, TVM_FFI_C_FLOAT16));
  printf("float16: %04x %04x %04x %04x\n", half[0], half[1], half[2], half[3]);
  TVM_FFI_C_TRY(scale_numbers(kernel, brain, brain, TVM_FFI_C_BFLOAT16));
  printf("bfloat16: %04x %04x %04x %04x\n", brain[0], brain[1], brain[2], brain[3]);
  return 0;
}

static void scale_wrongly(TVMFFIObjectHandle kernel) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3}, other_shape[2] = {3, 2}, strides[2], other_strides[2];
  DLTensor x, y;
  tvm_ffi_tensor_init(&x, data, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  tvm_ffi_tensor_init(&y, data, cpu, TVM_FFI_C_FLOAT32, 2, other_shape, other_strides);
  if (scale(kernel, &x, &y) != 0) tvm_ffi_error_print_raised(stdout);
  y.dtype = TVM_FFI_C_FLOAT64;
  if (scale(kernel, &x, &y) != 0) tvm_ffi_error_print_raised(stdout);
  other_strides[0] = 1, other_strides[1] = 3;
  if (scale(kernel, &x, &y) != 0) tvm_ffi_error_print_raised(stdout);
  y.device.device_type = kDLCUDA;
  if (scale(kernel, &x, &y) != 0) tvm_ffi_error_print_raised(stdout);
  x.dtype = TVM_FFI_C_BOOL;
  if (scale(kernel, &x, &x) != 0) tvm_ffi_error_print_raised(stdout);
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle kernel = NULL;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load_function(argv[1], "scale", &kernel) != 0 ||
      scale_all_types(kernel) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  scale_wrongly(kernel);
  tvm_ffi_object_release(kernel);
  return 0;
}

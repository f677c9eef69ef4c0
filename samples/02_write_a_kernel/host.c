/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the kernels of kernel.c, correctly and incorrectly, and prints what they return. */
#include <tvm/ffi/c.h>

static TVMFFIObjectHandle module;

/* Calls a kernel by name and prints its result or its error. */
static void call(const char *name, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIByteArray text;
  double number, other;
  printf("%s: ", name);
  if (tvm_ffi_module_get_function(module, name, &function) != 0 ||
      tvm_ffi_function_call(function, args, num_args, &result) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else if (tvm_ffi_any_try_string(&result, &text)) {
    printf("%s\n", text.data);
  } else if (tvm_ffi_any_try_double(&result, &number)) {
    printf("%g\n", number);
  } else if (result.type_index == kTVMFFIArray && tvm_ffi_array_get_size(result.v_obj) == 2 &&
             tvm_ffi_any_try_double(tvm_ffi_array_get_data(result.v_obj), &number) &&
             tvm_ffi_any_try_double(tvm_ffi_array_get_data(result.v_obj) + 1, &other)) {
    printf("[%g, %g]\n", number, other);
  }
  tvm_ffi_any_clear(&result);
  tvm_ffi_object_release(function);
}

static void call_sum(void *data, DLDataType dtype, int64_t length) {
  int64_t strides[1];
  DLTensor tensor;
  TVMFFIAny arg = tvm_ffi_any_view_tensor(&tensor);
  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), dtype, 1, &length, strides);
  call("sum", &arg, 1);
}

int main(int argc, char **argv) {
  float f32[4] = {0.5f, 1.5f, 2.5f, 3.5f};
  uint8_t u8[3] = {100, 200, 255};
  int64_t i64[2] = {-5, 3};
  TVMFFIByteArray bytes = {"\x00\x01\x02", 3};
  TVMFFIObjectHandle array = NULL;
  TVMFFIAny args[8], numbers[3];

  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &module) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }

  args[0] = tvm_ffi_any_from_double(1.5);
  args[1] = tvm_ffi_any_none();
  call("power", args, 2);
  args[1] = tvm_ffi_any_from_int64(10);
  call("power", args, 2);
  args[1] = tvm_ffi_any_from_int64(-1);
  call("power", args, 2);
  args[1] = tvm_ffi_any_from_int64(INT64_C(1) << 40);
  call("power", args, 2);
  call("power", args, 1);

  call_sum(f32, TVM_FFI_C_FLOAT32, 4);
  call_sum(u8, TVM_FFI_C_UINT8, 3);
  call_sum(i64, TVM_FFI_C_INT64, 2);
  call_sum(f32, TVM_FFI_C_FLOAT16, 4);

  args[0] = tvm_ffi_any_from_bool(true);
  args[1] = tvm_ffi_any_view_string("some text");
  args[2] = tvm_ffi_any_view_bytes(&bytes);
  args[3] = tvm_ffi_any_from_dtype(tvm_ffi_dtype_make(kDLFloat, 32, 4));
  args[4] = tvm_ffi_any_view_string("cuda:1"); /* dtypes and devices may come as text */
  numbers[0] = tvm_ffi_any_from_int64(2);
  numbers[1] = tvm_ffi_any_from_int64(3);
  numbers[2] = tvm_ffi_any_from_double(-0.5);
  if (tvm_ffi_array_create(numbers, 2, &array) != 0) return 1;
  args[5] = tvm_ffi_any_view_object(array); /* and shapes as an array */
  args[6] = tvm_ffi_any_from_pointer(u8);
  args[7] = tvm_ffi_any_none();
  call("describe", args, 8);
  args[3] = tvm_ffi_any_view_string("float33z");
  call("describe", args, 8);
  args[3] = tvm_ffi_any_none();
  call("describe", args, 8);
  tvm_ffi_object_release(array);

  if (tvm_ffi_array_create(numbers, 3, &array) != 0) return 1;
  args[0] = tvm_ffi_any_view_object(array);
  call("min_max", args, 1);
  tvm_ffi_object_release(array);
  if (tvm_ffi_array_create(NULL, 0, &array) != 0) return 1;
  args[0] = tvm_ffi_any_view_object(array);
  call("min_max", args, 1);
  tvm_ffi_object_release(array);

  call("no_such_kernel", NULL, 0);
  tvm_ffi_object_release(module);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and runs libraries of generated code: tests/modules/emitted_{tvm,tilelang}.c, _llvm.ll */
#include <tvm/ffi/c/container.h>
#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/module.h>

#include "c/c_support.h"
#include "c/module_support.h"

static TVMFFIObjectHandle get(const char *file, const char *name) {
  TVMFFIObjectHandle function = NULL;
  check_ok(tvm_ffi_module_load_function(module_path(file), name, &function));
  return function;
}

static int64_t device_type, device_id;

static int set_device(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)result;
  assert_int_equal(num_args, 2);
  TVM_FFI_C_TRY(tvm_ffi_any_read_int64(&args[0], &device_type));
  return tvm_ffi_any_read_int64(&args[1], &device_id);
}

/* The kernel adds the vector's length to its first n elements, and returns n. */
TEST(test_tvm) {
  TVMFFIObjectHandle kernel = get("emitted_tvm.so", "fadd"), tensor = NULL;
  float data[3] = {0.5f, 1.5f, 2.5f};
  int64_t shape[1] = {3}, strides[1];
  TVMFFIAny args[2], result;
  DLTensor x;
  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 7), TVM_FFI_C_FLOAT32, 1, shape,
                      strides);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_from_int64(2);

  check_fails(tvm_ffi_function_call(kernel, args, 2, &result), "RuntimeError",
              "Cannot find function __tvm_set_device in the imported modules or global registry.");
  check_ok(tvm_ffi_function_register("__tvm_set_device", set_device, false));
  check_ok(tvm_ffi_function_call(kernel, args, 2, &result));
  assert_true(result.type_index == kTVMFFIInt && result.v_int64 == 2);
  assert_true(data[0] == 3.5f && data[1] == 4.5f && data[2] == 2.5f);
  assert_true(device_type == 1 && device_id == 7);
  TVMFFIObjectDecRef(kernel);

  kernel = get("emitted_tvm.so", "main"); /* the entry function, called with a Tensor object */
  check_ok(tvm_ffi_tensor_create_around(&x, NULL, NULL, &tensor));
  args[0] = tvm_ffi_any_view_object(tensor);
  args[1] = tvm_ffi_any_from_int64(3);
  check_ok(tvm_ffi_function_call(kernel, args, 2, &result));
  assert_true(data[0] == 6.5f && data[1] == 7.5f && data[2] == 5.5f);

  check_fails(tvm_ffi_function_call(kernel, args, 1, &result), "TypeError", "Expected 2 arguments");
  args[0] = tvm_ffi_any_from_int64(1);
  check_fails(tvm_ffi_function_call(kernel, args, 2, &result), "TypeError",
              "Mismatched type on argument #0");
  x.dtype = TVM_FFI_C_INT32; /* the kernel returns -1 without raising an error: L-13 */
  args[0] = tvm_ffi_any_view_tensor(&x);
  check_fails_with(tvm_ffi_function_call(kernel, args, 2, &result), "InternalError",
                   "without setting an error");
  TVMFFIObjectDecRef(tensor);
  TVMFFIObjectDecRef(kernel);
}

/* The kernel allocates its output and returns it in an array. */
TEST(test_tilelang) {
  TVMFFIObjectHandle kernel;
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCPU, 0));
  TVMFFIAny arg = tvm_ffi_any_none(), result;
  const TVMFFIAny *item = NULL;
  DLTensor *tensor = NULL;
  needs_global("ffi.Array");
  kernel = get("emitted_tilelang.so", "main");
  check_fails(tvm_ffi_function_call(kernel, NULL, 0, &result), "RuntimeError",
              "main: num_args; expected: 0, got: 1");
  check_fails_with(tvm_ffi_function_call(kernel, &arg, 1, &result), "RuntimeError",
                   "allocator is nullptr");
  env.allocator = tvm_ffi_env_allocate_cpu;
  check_ok(tvm_ffi_env_call(&env, kernel, &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIArray);
  assert_int_equal(tvm_ffi_array_get_size(result.v_obj), 1);
  check_ok(tvm_ffi_array_read_item(result.v_obj, 0, &item));
  assert_int_equal(check_use_count(item->v_obj), 1);
  check_ok(tvm_ffi_any_read_tensor(item, &tensor));
  assert_true(tensor->ndim == 1 && tensor->shape[0] == 16 && tensor->strides[0] == 1);
  assert_true(tvm_ffi_dtype_equal(tensor->dtype, TVM_FFI_C_FLOAT32));
  memset(tvm_ffi_tensor_get_data(tensor), 1, 16 * sizeof(float)); /* all of the memory is there */
  tvm_ffi_any_clear(&result);
  TVMFFIObjectDecRef(kernel);
}

/* ---- LLVM IR ---- */

enum { kLength = 1000 };

static void check_saxpy(TVMFFIObjectHandle kernel, const TVMFFIAny *args, const float *y,
                        float a_times_step) {
  float before[kLength];
  TVMFFIAny result;
  int i;
  memcpy(before, y, sizeof before);
  check_ok(tvm_ffi_function_call(kernel, args, 3, &result));
  assert_true(result.type_index == kTVMFFIInt && result.v_int64 == kLength);
  for (i = 0; i < kLength; ++i) assert_true(y[i] == before[i] + a_times_step * (float)i);
}

TEST(test_llvm) {
  static float x_data[kLength], y_data[kLength + 2];
  TVMFFIObjectHandle kernel, tensor;
  int64_t length = kLength, x_step, y_step, two[2] = {10, 100}, strides[2];
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  TVMFFIAny args[3], result;
  const char *vector = "saxpy expects a contiguous float32 vector on cpu";
  DLTensor x, y;
  FILE *file;
  int i;
  file = fopen(module_path("emitted_llvm.so"), "rb");
  if (file == NULL) {
    print_message("emitted_llvm.ll is not built: no clang was found, or not for this target\n");
    skip();
  }
  (void)fclose(file);
  kernel = get("emitted_llvm.so", "saxpy");
  for (i = 0; i < kLength; ++i) x_data[i] = (float)i / 4;
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT32, 1, &length, &x_step);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT32, 1, &length, &y_step);
  y.byte_offset = 2 * sizeof(float);
  x.strides = NULL; /* DLPack before 1.2 allows NULL strides for contiguous tensors */

  /* Takes a plain DLTensor and a Tensor object; a float and an int. */
  check_ok(tvm_ffi_tensor_create_around(&x, NULL, NULL, &tensor));
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_object(tensor);
  args[2] = tvm_ffi_any_from_double(0.5);
  check_saxpy(kernel, args, y_data + 2, 0.125f);
  args[1] = tvm_ffi_any_view_tensor(&x);
  args[2] = tvm_ffi_any_from_int64(-2);
  check_saxpy(kernel, args, y_data + 2, -0.5f);
  assert_true(y_data[0] == 0 && y_data[1] == 0);
  TVMFFIObjectDecRef(tensor);

  /* Arguments that it refuses. */
  check_fails(tvm_ffi_function_call(kernel, args, 2, &result), "TypeError",
              "saxpy takes 3 arguments");
  args[2] = tvm_ffi_any_view_string("2");
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "TypeError",
              "saxpy expects a number");
  args[1] = tvm_ffi_any_none();
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "TypeError",
              "saxpy expects a tensor");
  args[1] = tvm_ffi_any_view_tensor(&x);
  length = kLength - 1;
  y.shape = two; /* extent 10, still one dimension */
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError",
              "saxpy expects vectors of equal length");
  y_step = 2;
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError", vector);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT32, 2, two, strides);
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError", vector);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_INT32, 1, &length, &y_step);
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError", vector);
  y.dtype = TVM_FFI_C_FLOAT64;
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError", vector);
  y.dtype = tvm_ffi_dtype_make(kDLFloat, 32, 4);
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError", vector);
  y.dtype = TVM_FFI_C_FLOAT32;
  y.device.device_type = kDLCUDA;
  check_fails(tvm_ffi_function_call(kernel, args, 3, &result), "ValueError", vector);
  TVMFFIObjectDecRef(kernel);
}

RUN_TESTS({
    cmocka_unit_test(test_tvm),
    cmocka_unit_test(test_tilelang),
    cmocka_unit_test(test_llvm),
})

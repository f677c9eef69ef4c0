/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/env.h>

#include "support/check.h"

#define STREAM(n) ((TVMFFIStreamHandle)(uintptr_t)(n))

static int other_allocator(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                           void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)out;
  set_error(error_ctx, "MemoryError", "nothing left");
  return -1;
}

static TVMFFIStreamHandle seen_stream;
static DLPackManagedTensorAllocator seen_allocator;
static int fail;

/* Records the stream and allocator of the call, then changes both. */
static int look(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  DLTensor tensor;
  (void)self;
  (void)args;
  (void)num_args;
  tensor.device = tvm_ffi_device_make(kDLCUDA, 1);
  seen_stream = tvm_ffi_env_get_stream(&tensor);
  seen_allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  TVM_FFI_C_TRY(TVMFFIEnvSetStream(kDLCUDA, 1, STREAM(666), NULL));
  TVM_FFI_C_TRY(TVMFFIEnvSetDLPackManagedTensorAllocator(other_allocator, 0, NULL));
  if (fail) return tvm_ffi_error_raise("Kind", "failed");
  *result = tvm_ffi_any_from_int64(1);
  return 0;
}

static void test_stream_and_allocator_for_one_call(void **state) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCUDA, 1));
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  (void)state;
  check_ok(TVMFFIFunctionCreate(NULL, look, NULL, &function));
  env.stream = STREAM(5);
  env.allocator = tvm_ffi_env_allocate_cpu;
  for (fail = 0; fail < 2; ++fail) {
    /* Nothing was set before the call. */
    if (!fail) {
      check_ok(tvm_ffi_env_call(&env, function, NULL, 0, &result));
      assert_int_equal(result.v_int64, 1);
    } else {
      check_fails(tvm_ffi_env_call(&env, function, NULL, 0, &result), "Kind", "failed");
      assert_true(tvm_ffi_any_is_none(&result));
    }
    assert_ptr_equal(seen_stream, STREAM(5));
    assert_true(seen_allocator == tvm_ffi_env_allocate_cpu);
    assert_null(TVMFFIEnvGetStream(kDLCUDA, 1));
    assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == NULL);

    /* Other values were set before the call. */
    check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, STREAM(3), NULL));
    check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(other_allocator, 0, NULL));
    assert_int_equal(tvm_ffi_env_call(&env, function, NULL, 0, &result) != 0, fail);
    assert_ptr_equal(seen_stream, STREAM(5));
    assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, 1), STREAM(3));
    assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == other_allocator);
    if (fail) check_raised("Kind", "failed");
    check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, NULL, NULL));
    check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, NULL));
  }
  TVMFFIObjectDecRef(function);
}

/* Parts of the environment that are not given stay as they are. */
static void test_parts_of_an_environment(void **state) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCPU, 0));
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  (void)state;
  fail = 0;
  check_ok(TVMFFIFunctionCreate(NULL, look, NULL, &function));
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, STREAM(3), NULL));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 0, NULL));
  check_ok(tvm_ffi_env_call(&env, function, NULL, 0, &result));
  assert_ptr_equal(seen_stream, STREAM(3));
  assert_true(seen_allocator == tvm_ffi_env_allocate_cpu);
  assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, 1), STREAM(666));
  assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == other_allocator);
  env.device = tvm_ffi_device_make(kDLCUDA, 1); /* explicitly the default stream */
  check_ok(tvm_ffi_env_call(&env, function, NULL, 0, &result));
  assert_null(seen_stream);
  assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, 1), STREAM(666));
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, NULL, NULL));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, NULL));
  TVMFFIObjectDecRef(function);
}

static void test_devices_that_are_none(void **state) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCUDA, -1));
  TVMFFIAny result;
  (void)state;
  memset(&result, 0xa5, sizeof result);
  env.allocator = tvm_ffi_env_allocate_cpu;
  check_fails(tvm_ffi_env_call(&env, NULL, NULL, 0, &result), "ValueError",
              "Device (2, -1) is negative");
  assert_true(tvm_ffi_any_is_none(&result));
  assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == NULL);
  env.device.device_id = 0;
  check_fails(tvm_ffi_env_call(&env, NULL, NULL, 0, &result), "TypeError",
              "Cannot convert from type `None` to `ffi.Function`");
  assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == NULL);
}

static void test_the_allocator_for_hosts(void **state) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  const int64_t shape[2] = {3, 5}, empty[1] = {0}, huge[1] = {INT64_C(1) << 60};
  TVMFFIObjectHandle tensor = NULL;
  const DLTensor *t;
  (void)state;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 0, NULL));
  check_ok(tvm_ffi_tensor_create(cpu, TVM_FFI_C_FLOAT32, 2, shape, &tensor));
  t = TVMFFITensorGetDLTensorPtr(tensor);
  assert_true(t->shape[1] == 5 && t->strides[0] == 5 && tvm_ffi_tensor_is_aligned(t, 64));
  memset(t->data, 0xa5, 60); /* all of the memory is there */
  TVMFFIObjectDecRef(tensor);
  check_ok(tvm_ffi_tensor_create(cpu, TVM_FFI_C_FLOAT32, 0, NULL, &tensor));
  memset(TVMFFITensorGetDLTensorPtr(tensor)->data, 0xa5, 4);
  TVMFFIObjectDecRef(tensor);
  check_ok(tvm_ffi_tensor_create(cpu, TVM_FFI_C_FLOAT32, 1, empty, &tensor));
  assert_non_null(TVMFFITensorGetDLTensorPtr(tensor)->data);
  TVMFFIObjectDecRef(tensor);
  check_fails(
      tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCUDA, 0), TVM_FFI_C_INT8, 2, shape, &tensor),
      "ValueError", "This allocator has memory of the CPU only");
  check_fails(tvm_ffi_tensor_create(cpu, TVM_FFI_C_INT8, 1, huge, &tensor),
              sizeof(size_t) > 4 ? "MemoryError" : "ValueError", NULL);
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stream_and_allocator_for_one_call),
      cmocka_unit_test(test_parts_of_an_environment),
      cmocka_unit_test(test_devices_that_are_none),
      cmocka_unit_test(test_the_allocator_for_hosts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

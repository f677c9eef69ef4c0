/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts whose errors are a longjmp (Lua, PostgreSQL): jumps over the frames of the runtime. What
 * docs/guide/embedding.md promises of them. */
#include <setjmp.h> /* which check.h includes only for cmocka */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"

enum { kTimes = 100 };

static jmp_buf host;

static int jump(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  longjmp(host, 1);
  return -1; /* for compilers that do not know longjmp */
}

static int jump_from_allocator(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                               void (*raise)(void *, const char *, const char *)) {
  (void)like;
  (void)out;
  (void)error_ctx;
  (void)raise;
  longjmp(host, 1);
  return -1; /* for compilers that do not know longjmp */
}

/* Kernels that own nothing while they call. */
static int call_back(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  if (num_args != 1) return -1;
  return tvm_ffi_function_call(args[0].v_obj, NULL, 0, result);
}

static int allocate(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static const int64_t shape[1] = {4};
  TVMFFIObjectHandle tensor;
  (void)self;
  (void)args;
  (void)num_args;
  TVM_FFI_C_TRY(
      tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, shape, &tensor));
  *result = tvm_ffi_any_take_object(tensor);
  return 0;
}

static TVMFFIObjectHandle new_function(TVMFFISafeCallType body) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(NULL, body, NULL, &function));
  return function;
}

/* The runtime works as before: errors, new functions, the registry. */
static void use_runtime(void) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  assert_int_equal(tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "%s", "raised"), -1);
  check_raised("ValueError", "raised");
  check_ok(tvm_ffi_function_register("test.longjmp", call_back, true));
  check_ok(tvm_ffi_function_get_global("test.longjmp", &function));
  assert_int_equal(tvm_ffi_function_call(function, NULL, 0, &result), -1);
  check_raised("InternalError", NULL);
  tvm_ffi_object_release(function);
}

/* Calls a function again and again, each of which ends by a jump to here. */
static void jump_out_of(TVMFFIObjectHandle function, const TVMFFIAny *args, int32_t num_args) {
  volatile int i, num_jumps = 0;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  for (i = 0; i < kTimes; ++i) {
    TVMFFIAny result;
    if (setjmp(host) == 0) {
      (void)tvm_ffi_function_call(function, args, num_args, &result);
      fail(); /* it came back */
    }
    ++num_jumps;
  }
  assert_int_equal(num_jumps, kTimes);
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  use_runtime();
}

TEST(test_out_of_a_callback) {
  TVMFFIObjectHandle kernel = new_function(call_back), callback = new_function(jump);
  TVMFFIAny arg = tvm_ffi_any_view_object(callback);
  jump_out_of(kernel, &arg, 1);
  jump_out_of(callback, NULL, 0);
  tvm_ffi_object_release(kernel);
  tvm_ffi_object_release(callback);
}

TEST(test_out_of_a_tensor_allocator) {
  TVMFFIObjectHandle kernel = new_function(allocate);
  TVMFFIAny result;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(jump_from_allocator, 0, NULL));
  jump_out_of(kernel, NULL, 0);
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 0, NULL));
  check_ok(tvm_ffi_function_call(kernel, NULL, 0, &result));
  tvm_ffi_any_clear(&result);
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, NULL));
  tvm_ffi_object_release(kernel);
}

RUN_TESTS({
    cmocka_unit_test(test_out_of_a_callback),
    cmocka_unit_test(test_out_of_a_tensor_allocator),
})

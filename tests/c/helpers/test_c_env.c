/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/host.h>

#include "support/check.h"
#include "support/thread.h"

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

TEST(test_stream_and_allocator_for_one_call) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCUDA, 1));
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
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
TEST(test_parts_of_an_environment) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCPU, 0));
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
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

TEST(test_devices_that_are_none) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCUDA, -1));
  TVMFFIAny result;
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

TEST(test_the_allocator_for_hosts) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  const int64_t shape[2] = {3, 5}, empty[1] = {0}, huge[1] = {INT64_C(1) << 60};
  TVMFFIObjectHandle tensor = NULL;
  const DLTensor *t;
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

/* ---- Interrupting kernels ---- */

static int num_checks;

static int count_down(void *context) {
  ++num_checks;
  return --*(int *)context == 0 ? 7 : 0;
}

static int never(void *context) {
  (void)context;
  ++num_checks;
  return 0;
}

/* A kernel that runs until it is told to end, at most a thousand times. */
static int run_on(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int i;
  (void)self;
  (void)args;
  (void)num_args;
  for (i = 0; i < 1000; ++i) TVM_FFI_C_TRY(tvm_ffi_env_check_interrupt());
  *result = tvm_ffi_any_from_int64(i);
  return 0;
}

TEST(test_a_host_interrupts_a_kernel) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  int left = 3, other = 5;
  check_ok(TVMFFIFunctionCreate(NULL, run_on, NULL, &function));
  check_ok(tvm_ffi_function_call(function, NULL, 0, &result)); /* nobody has anything to say */
  assert_int_equal(result.v_int64, 1000);

  num_checks = 0;
  check_ok(tvm_ffi_env_set_interrupt_check(count_down, &left));
  check_fails(tvm_ffi_function_call(function, NULL, 0, &result), TVM_FFI_C_ENV_ERROR_ALREADY_SET,
              "");
  assert_int_equal(num_checks, 3);
  assert_true(tvm_ffi_any_is_none(&result));

  check_ok(tvm_ffi_env_set_interrupt_check(count_down, &other)); /* another context */
  check_fails(tvm_ffi_function_call(function, NULL, 0, &result), TVM_FFI_C_ENV_ERROR_ALREADY_SET,
              "");
  assert_int_equal(num_checks, 8);
  check_ok(tvm_ffi_env_set_interrupt_check(never, NULL));
  check_ok(tvm_ffi_function_call(function, NULL, 0, &result));
  assert_int_equal(num_checks, 1008);
  left = 2;
  check_ok(tvm_ffi_env_set_interrupt_check(count_down, &left)); /* a pair of before */
  check_fails(tvm_ffi_function_call(function, NULL, 0, &result), TVM_FFI_C_ENV_ERROR_ALREADY_SET,
              "");
  assert_int_equal(num_checks, 1010);

  check_ok(tvm_ffi_env_set_interrupt_check(NULL, NULL));
  check_ok(tvm_ffi_function_call(function, NULL, 0, &result));
  assert_int_equal(num_checks, 1010);
  TVMFFIObjectDecRef(function);
}

static int is_own_context(void *context) {
  return *(int *)context != 42;
}

/* A frontend that forgot its lock is told so, and not that it was interrupted. */
TEST(test_hooks_that_do_not_go_together) {
  int calls = 0;
  check_ok(tvm_ffi_env_set_interrupt_check(is_own_context, &calls));
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", NULL));
  check_fails_with(tvm_ffi_env_check_interrupt(), "InternalError", "PyGILState_Ensure");
  check_ok(tvm_ffi_env_set_interrupt_check(NULL, NULL));
  check_ok(tvm_ffi_env_check_interrupt());
}

static int is_other_context(void *context) {
  return *(int *)context != 43;
}

/* Each check must come with its own context, whatever other threads set meanwhile. */
static void set_and_ask(void *arg, int index) {
  static int own = 42, other = 43;
  int *wrong = (int *)arg + index, i;
  for (i = 0; i < 3000; ++i) {
    if (index == 0 && (i % 2 == 0 ? tvm_ffi_env_set_interrupt_check(is_own_context, &own)
                                  : tvm_ffi_env_set_interrupt_check(is_other_context, &other)) != 0)
      ++*wrong;
    if (index == 1 &&
        tvm_ffi_env_set_interrupt_check(i % 2 == 0 ? is_own_context : NULL, &own) != 0)
      ++*wrong;
    if (tvm_ffi_env_check_interrupt() != 0) ++*wrong;
  }
}

TEST(test_threads_set_and_ask) {
  int wrong[4] = {0, 0, 0, 0}, i;
  thread_run_many(4, set_and_ask, wrong);
  for (i = 0; i < 4; ++i) assert_int_equal(wrong[i], 0);
  check_ok(tvm_ffi_env_set_interrupt_check(NULL, NULL));
}

/* NULL is a stream only where there is a default one. */
TEST(test_streams_that_must_be_set) {
  static const int32_t kDefault[] = {kDLCPU,  kDLCUDA,     kDLCUDAHost,
                                     kDLROCM, kDLROCMHost, kDLCUDAManaged};
  static const int32_t kOthers[] = {kDLOpenCL, kDLVulkan, kDLMetal,   kDLVPI,  kDLExtDev,
                                    kDLOneAPI, kDLWebGPU, kDLHexagon, kDLMAIA, kDLTrn};
  TVMFFIStreamHandle stream = STREAM(1);
  DLTensor tensor;
  char message[128], device[48];
  size_t i;
  for (i = 0; i < sizeof kDefault / sizeof *kDefault; ++i) {
    tensor.device = tvm_ffi_device_make(kDefault[i], 0);
    check_ok(tvm_ffi_env_read_stream(&tensor, &stream));
    assert_null(stream);
    stream = STREAM(1);
  }
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    tensor.device = tvm_ffi_device_make(kOthers[i], 3);
    (void)snprintf(message, sizeof message, "No stream of %s is set: the caller sets it (",
                   tvm_ffi_device_print(tensor.device, device, sizeof device));
    check_fails_with(tvm_ffi_env_read_stream(&tensor, &stream), "RuntimeError", message);
    assert_ptr_equal(stream, STREAM(1));
    check_ok(TVMFFIEnvSetStream(kOthers[i], 3, STREAM(7), NULL));
    check_ok(tvm_ffi_env_read_stream(&tensor, &stream));
    assert_ptr_equal(stream, STREAM(7));
    stream = STREAM(1);
    check_ok(TVMFFIEnvSetStream(kOthers[i], 3, NULL, NULL));
  }
}

static int read_first_stream(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  (void)args, (void)num_args;
  *result = tvm_ffi_any_from_pointer(tvm_ffi_env_get_stream((const DLTensor *)self));
  return 0;
}

/* Memory that has no streams of its own has those of its GPU, for kernels and for hosts. */
TEST(test_streams_of_host_and_managed_memory) {
  static const int32_t kTypes[][2] = {
      {kDLCUDAHost, kDLCUDA}, {kDLCUDAManaged, kDLCUDA}, {kDLROCMHost, kDLROCM}};
  size_t i;
  for (i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kTypes[i][0], 2));
    TVMFFIObjectHandle function = NULL;
    TVMFFIStreamHandle stream = NULL;
    TVMFFIAny result;
    void *seen = NULL;
    DLTensor tensor;
    tensor.device = env.device;
    check_ok(TVMFFIEnvSetStream(kTypes[i][1], 2, STREAM(7), NULL));
    assert_ptr_equal(tvm_ffi_env_get_stream(&tensor), STREAM(7));
    check_ok(tvm_ffi_env_read_stream(&tensor, &stream));
    assert_ptr_equal(stream, STREAM(7));
    env.stream = STREAM(8);
    check_ok(TVMFFIFunctionCreate(&tensor, read_first_stream, NULL, &function));
    check_ok(tvm_ffi_env_call(&env, function, NULL, 0, &result));
    assert_true(tvm_ffi_any_try_pointer(&result, &seen));
    assert_ptr_equal(seen, STREAM(8));
    assert_ptr_equal(TVMFFIEnvGetStream(kTypes[i][1], 2), STREAM(7));
    tvm_ffi_object_release(function);
    check_ok(TVMFFIEnvSetStream(kTypes[i][1], 2, NULL, NULL));
  }
}

/* ---- An allocator with a context ---- */

typedef struct {
  int num_live;
  size_t room;
  char bytes[256];
} pool;

static int take(void *context, DLTensor *tensor, size_t size) {
  pool *self = (pool *)context;
  if (size > self->room) return tvm_ffi_error_raise("MemoryError", "%d bytes", (int)size);
  ++self->num_live;
  tensor->data = self->bytes;
  return 0;
}

static void give_back(void *context, DLTensor *tensor) {
  assert_ptr_equal(tensor->data, ((pool *)context)->bytes);
  --((pool *)context)->num_live;
}

static tvm_ffi_env inner; /* of a call within a call */

/* Returns a tensor of five floats; with an argument, one that it gets from itself in `inner`. */
static int make(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const int64_t size = 5;
  TVMFFIObjectHandle tensor = NULL;
  TVMFFIAny ours;
  if (num_args == 1) {
    TVM_FFI_C_TRY(tvm_ffi_env_call(&inner, args[0].v_obj, NULL, 0, &ours));
    tvm_ffi_any_clear(&ours);
  }
  (void)self;
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(tvm_ffi_device_make(kDLOpenCL, 1), TVM_FFI_C_FLOAT32, 1,
                                      &size, &tensor));
  *result = tvm_ffi_any_take_object(tensor);
  return 0;
}

static DLPackManagedTensorAllocator kept;

static int keep_allocator(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args, (void)result;
  kept = TVMFFIEnvGetDLPackManagedTensorAllocator();
  return 0;
}

static void note_error(void *context, const char *kind, const char *message) {
  (void)snprintf((char *)context, 128, "%s: %s", kind, message);
}

TEST(test_an_allocator_with_a_context) {
  static pool a, b;
  const tvm_ffi_tensor_allocator of_a = {take, give_back, &a}, of_b = {take, give_back, &b};
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLOpenCL, 1));
  TVMFFIObjectHandle function = NULL, keeper = NULL;
  TVMFFIAny arg, result;
  DLManagedTensorVersioned *managed = NULL;
  DLTensor prototype;
  char text[128];
  int64_t size = 1;
  a.room = b.room = 20;
  check_ok(TVMFFIFunctionCreate(NULL, make, NULL, &function));
  check_ok(TVMFFIFunctionCreate(NULL, keep_allocator, NULL, &keeper));
  env.stream = STREAM(5);
  env.with = &of_a;
  inner = env;
  inner.with = &of_b;
  arg = tvm_ffi_any_view_object(function);
  check_ok(tvm_ffi_env_call(&env, function, &arg, 1, &result)); /* b's while it is inside */
  assert_ptr_equal(TVMFFITensorGetDLTensorPtr(result.v_obj)->data, a.bytes);
  assert_int_equal(TVMFFITensorGetDLTensorPtr(result.v_obj)->device.device_type, kDLOpenCL);
  assert_int_equal(a.num_live, 1);
  assert_int_equal(b.num_live, 0);
  assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == NULL);
  tvm_ffi_any_clear(&result); /* after the call */
  assert_int_equal(a.num_live, 0);

  a.room = 19;
  check_fails(tvm_ffi_env_call(&env, function, NULL, 0, &result), "MemoryError", "20 bytes");
  a.room = 20;
  check_ok(tvm_ffi_env_call(&env, function, NULL, 0, &result)); /* as before */
  tvm_ffi_any_clear(&result);

  /* Who keeps the allocator longer than the call gets an error, not another's memory. */
  check_ok(tvm_ffi_env_call(&env, keeper, NULL, 0, &result));
  tvm_ffi_tensor_init(&prototype, NULL, env.device, TVM_FFI_C_INT8, 1, &size, NULL);
  assert_int_equal(kept(&prototype, &managed, text, note_error), -1);
  assert_string_equal(text,
                      "RuntimeError: This allocator was for a call in another thread, or for "
                      "one that has ended");
  TVMFFIObjectDecRef(function);
  TVMFFIObjectDecRef(keeper);
}

RUN_TESTS({
    cmocka_unit_test(test_stream_and_allocator_for_one_call),
    cmocka_unit_test(test_parts_of_an_environment),
    cmocka_unit_test(test_devices_that_are_none),
    cmocka_unit_test(test_the_allocator_for_hosts),
    cmocka_unit_test(test_streams_that_must_be_set),
    cmocka_unit_test(test_streams_of_host_and_managed_memory),
    cmocka_unit_test(test_an_allocator_with_a_context),
    cmocka_unit_test(test_a_host_interrupts_a_kernel),
    cmocka_unit_test(test_hooks_that_do_not_go_together),
    cmocka_unit_test(test_threads_set_and_ask),
})

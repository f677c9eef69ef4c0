/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"
#include "support/thread.h"

typedef void (*set_error)(void *error_ctx, const char *kind, const char *message);

static int64_t shape[2] = {2, 3};
static DLTensor prototype;
static int deleted;

static void delete_managed(DLManagedTensorVersioned *managed) {
  ++deleted;
  free(managed);
}

static int allocate(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                    set_error raise) {
  DLManagedTensorVersioned *managed = calloc(1, sizeof *managed);
  (void)error_ctx;
  (void)raise;
  if (managed == NULL) return -1;
  managed->version.major = DLPACK_MAJOR_VERSION;
  managed->version.minor = DLPACK_MINOR_VERSION;
  managed->deleter = delete_managed;
  managed->dl_tensor = *like;
  managed->dl_tensor.strides = NULL;
  *out = managed;
  return 0;
}

/* A second allocator with another address. */
static int allocate_too(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                        set_error raise) {
  return allocate(like, out, error_ctx, raise);
}

static int refuse(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                  set_error raise) {
  (void)like;
  *out = (DLManagedTensorVersioned *)(void *)shape; /* must be ignored after a failure */
  raise(error_ctx, "MemoryError", "the pool is empty");
  return -3;
}

static int refuse_silently(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                           set_error raise) {
  (void)like;
  (void)out;
  (void)error_ctx;
  (void)raise;
  return -1;
}

static int give_nothing(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                        set_error raise) {
  (void)like;
  (void)error_ctx;
  (void)raise;
  *out = NULL;
  return 0;
}

static int give_unusable(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                         set_error raise) {
  if (allocate(like, out, error_ctx, raise) != 0) return -1;
  (*out)->dl_tensor.ndim = -1;
  return 0;
}

FIXTURE(set_up) {
  deleted = 0;
  memset(&prototype, 0, sizeof prototype);
  prototype.device.device_type = kDLCPU;
  prototype.ndim = 2;
  prototype.dtype.code = kDLFloat;
  prototype.dtype.bits = 32;
  prototype.dtype.lanes = 1;
  prototype.shape = shape;
  return TVMFFIRuntimeShutdown();
}

TEST(test_a_tensor_is_wrapped) {
  TVMFFIObjectHandle out = NULL;
  const DLTensor *tensor;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, NULL));
  check_ok(TVMFFIEnvTensorAlloc(&prototype, &out));
  tensor = TVMFFITensorGetDLTensorPtr(out);
  assert_int_equal(TVMFFIObjectGetTypeIndex(out), kTVMFFITensor);
  assert_int_equal(tensor->ndim, 2);
  assert_int_equal(tensor->strides[0], 3);
  assert_int_equal(tensor->strides[1], 1);
  assert_int_equal(deleted, 0);
  TVMFFIObjectDecRef(out);
  assert_int_equal(deleted, 1);
}

TEST(test_without_an_allocator) {
  TVMFFIObjectHandle out = NULL;
  check_fails_with(TVMFFIEnvTensorAlloc(&prototype, &out), "RuntimeError",
                   "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
                   "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.");
  assert_null(out);
  check_fails(TVMFFIEnvTensorAlloc(NULL, &out), "ValueError", NULL);
  check_fails(TVMFFIEnvTensorAlloc(&prototype, NULL), "ValueError", NULL);
}

TEST(test_F_11_the_code_comes_before_the_pointer) {
  TVMFFIObjectHandle out = NULL;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(refuse, 0, NULL));
  assert_int_equal(TVMFFIEnvTensorAlloc(&prototype, &out), -3);
  check_raised("MemoryError", "the pool is empty");
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(refuse_silently, 0, NULL));
  TVMFFIErrorSetRaisedFromCStr("ValueError", "an older error");
  check_fails(TVMFFIEnvTensorAlloc(&prototype, &out), "InternalError",
              "callee returned -1 without setting an error");
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(give_nothing, 0, NULL));
  check_fails(TVMFFIEnvTensorAlloc(&prototype, &out), "RuntimeError",
              "TVMFFIEnvTensorAlloc: failed to allocate a tensor from the allocator");
  assert_null(out);
}

TEST(test_what_cannot_be_wrapped_is_given_back) {
  TVMFFIObjectHandle out = NULL;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(give_unusable, 0, NULL));
  check_fails(TVMFFIEnvTensorAlloc(&prototype, &out), "ValueError", NULL);
  assert_null(out);
  assert_int_equal(deleted, 1);
}

static void *in_another_thread(void *expected) {
  DLPackManagedTensorAllocator original = allocate;
  if (TVMFFIEnvGetDLPackManagedTensorAllocator() != allocate_too) return NULL;
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, &original) != 0) return NULL;
  if (original != NULL || TVMFFIEnvGetDLPackManagedTensorAllocator() != allocate) return NULL;
  return expected;
}

TEST(test_F_12_the_thread_s_previous_allocator) {
  DLPackManagedTensorAllocator original = allocate;
  assert_null(TVMFFIEnvGetDLPackManagedTensorAllocator());
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_too, 1, &original));
  assert_null(original);
  assert_ptr_equal(thread_call(in_another_thread, shape, 0), shape);
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, &original));
  assert_true(original == allocate_too);
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, &original));
  assert_true(original == allocate);
  assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == allocate_too); /* of the process */
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 1, &original));
  assert_null(original);
  assert_null(TVMFFIEnvGetDLPackManagedTensorAllocator());
}

RUN_TESTS({
    cmocka_unit_test_setup(test_a_tensor_is_wrapped, set_up),
    cmocka_unit_test_setup(test_without_an_allocator, set_up),
    cmocka_unit_test_setup(test_F_11_the_code_comes_before_the_pointer, set_up),
    cmocka_unit_test_setup(test_what_cannot_be_wrapped_is_given_back, set_up),
    cmocka_unit_test_setup(test_F_12_the_thread_s_previous_allocator, set_up),
})

/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "support/check.h"
#include "support/oom.h"

/* ---- The allocator ---- */

static int64_t shape[2] = {2, 3};
static int num_allocated, num_deleted;

static void delete_managed(DLManagedTensorVersioned *managed) {
  ++num_deleted;
  free(managed);
}

static int allocate(DLTensor *like, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*raise)(void *error_ctx, const char *kind, const char *message)) {
  DLManagedTensorVersioned *managed = calloc(1, sizeof *managed);
  (void)error_ctx;
  (void)raise;
  if (managed == NULL) return -1;
  managed->version.major = DLPACK_MAJOR_VERSION;
  managed->deleter = delete_managed;
  managed->dl_tensor = *like;
  *out = managed;
  ++num_allocated;
  return 0;
}

static int alloc_tensor(void *out) {
  DLTensor prototype;
  memset(&prototype, 0, sizeof prototype);
  prototype.device.device_type = kDLCPU;
  prototype.ndim = 2;
  prototype.dtype.bits = 32;
  prototype.dtype.lanes = 1;
  prototype.shape = shape;
  return TVMFFIEnvTensorAlloc(&prototype, out);
}

/* Checks that all tensors of the allocator were returned to it. */
static void all_returned(void *out) {
  assert_null(*(TVMFFIObjectHandle *)out);
  assert_int_equal(num_deleted, num_allocated);
}

TEST(test_the_allocator) {
  TVMFFIObjectHandle out = NULL;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, NULL));
  assert_int_equal(oom_check(alloc_tensor, all_returned, oom_release_object, &out, 0), 1);
  assert_int_equal(num_deleted, num_allocated);
}

/* ---- Streams ---- */

enum { kDevices = 40 };

static char streams[kDevices + 1];

static int set_next(void *device) {
  int32_t id = *(int32_t *)device;
  return TVMFFIEnvSetStream(kDLCUDA, id, &streams[id], NULL);
}

static void unchanged(void *device) {
  int32_t id;
  for (id = 0; id < *(int32_t *)device; ++id) {
    assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, id), &streams[id]);
  }
  assert_null(TVMFFIEnvGetStream(kDLCUDA, id));
}

TEST(test_streams) {
  int32_t device;
  long growths = 0;
  for (device = 0; device < kDevices; ++device) {
    growths += oom_check(set_next, unchanged, NULL, &device, 1);
    assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, device), &streams[device]);
  }
  assert_in_range(growths, 2, 8);
}

TEST(test_streams_that_are_there_need_no_memory) {
  size_t before = oom_allocations();
  int32_t device;
  for (device = 0; device < kDevices; ++device) {
    check_ok(TVMFFIEnvSetStream(kDLCUDA, device, &streams[kDevices], NULL));
    check_ok(TVMFFIEnvSetStream(kDLCUDA, kDevices + device, NULL, NULL)); /* stays without one */
  }
  assert_int_equal(oom_allocations(), before);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_the_allocator),
    cmocka_unit_test(test_streams),
    cmocka_unit_test(test_streams_that_are_there_need_no_memory),
})

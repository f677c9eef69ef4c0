/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "support/check.h"
#include "support/oom.h"

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
static void unchanged(void *out) {
  assert_null(*(TVMFFIObjectHandle *)out);
  assert_int_equal(num_deleted, num_allocated);
}

TEST(test_one_allocation) {
  TVMFFIObjectHandle out = NULL;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, NULL));
  assert_int_equal(oom_check(alloc_tensor, unchanged, oom_release_object, &out, 0), 1);
  assert_int_equal(num_deleted, num_allocated);
}

RUN_OOM_TESTS({cmocka_unit_test(test_one_allocation)})

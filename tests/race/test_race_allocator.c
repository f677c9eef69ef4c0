/* SPDX-License-Identifier: Apache-2.0 */
/* L-17h: one thread sets the process-wide tensor allocator while others use it. */
#include <tvm/ffi/extra/c_env_api.h>

#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 5000 };

static void free_managed(DLManagedTensorVersioned *self) {
  free(self);
}

/* Allocates one element; its bits tell the two allocators apart. */
static int allocate(DLManagedTensorVersioned **out, uint8_t bits) {
  DLManagedTensorVersioned *managed = calloc(1, sizeof *managed);
  if (managed == NULL) return -1;
  managed->version.major = 1;
  managed->deleter = free_managed;
  managed->dl_tensor.dtype.bits = bits;
  *out = managed;
  return 0;
}

static int allocate_8(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                      void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)error_ctx;
  (void)set_error;
  return allocate(out, 8);
}

static int allocate_16(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                       void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)error_ctx;
  (void)set_error;
  return allocate(out, 16);
}

static void set_or_allocate(void *arg, int index) {
  DLTensor prototype;
  int i;
  (void)arg;
  memset(&prototype, 0, sizeof prototype);
  for (i = 0; i < kRounds; ++i) {
    TVMFFIObjectHandle tensor = NULL;
    uint8_t bits;
    if (index == 0) {
      expect(TVMFFIEnvSetDLPackManagedTensorAllocator(i % 2 != 0 ? allocate_8 : allocate_16, 1,
                                                      NULL) == 0);
      continue;
    }
    expect(TVMFFIEnvTensorAlloc(&prototype, &tensor) == 0);
    if (tensor == NULL) continue;
    bits = TVMFFITensorGetDLTensorPtr(tensor)->dtype.bits;
    expect(bits == 8 || bits == 16);
    TVMFFIObjectDecRef(tensor);
  }
}

TEST(test_L_17h_the_global_allocator_is_swapped_whole) {
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_8, 1, NULL));
  thread_run_many(kThreads, set_or_allocate, NULL);
  assert_int_equal(expect_failures, 0);
}

RUN_TESTS({
    cmocka_unit_test(test_L_17h_the_global_allocator_is_swapped_whole),
})

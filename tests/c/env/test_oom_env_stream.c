/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "support/check.h"
#include "support/oom.h"

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

TEST(test_every_growth) {
  int32_t device;
  long growths = 0;
  for (device = 0; device < kDevices; ++device) {
    growths += oom_check(set_next, unchanged, NULL, &device, 1);
    assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, device), &streams[device]);
  }
  assert_in_range(growths, 2, 8);
}

TEST(test_what_is_there_needs_no_memory) {
  size_t before = oom_allocations();
  int32_t device;
  for (device = 0; device < kDevices; ++device) {
    check_ok(TVMFFIEnvSetStream(kDLCUDA, device, &streams[kDevices], NULL));
    check_ok(TVMFFIEnvSetStream(kDLCUDA, kDevices + device, NULL, NULL)); /* stays without one */
  }
  assert_int_equal(oom_allocations(), before);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_every_growth),
    cmocka_unit_test(test_what_is_there_needs_no_memory),
})

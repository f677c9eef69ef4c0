/* SPDX-License-Identifier: Apache-2.0 */
#include "core/string_object.h"
#include "support/check.h"
#include "support/oom.h"

typedef struct {
  TVMFFIAny out;
  int (*make)(const TVMFFIByteArray *input, TVMFFIAny *out);
  TVMFFIByteArray input;
} job;

static int make(void *context) {
  job *j = context;
  return j->make(&j->input, &j->out);
}

TEST(test_one_allocation_each) {
  job j;
  memset(&j, 0, sizeof j);
  j.input = check_bytes("8 bytes!");
  j.make = TVMFFIStringFromByteArray;
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 1);
  j.make = TVMFFIBytesFromByteArray;
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 1);
}

TEST(test_small_ones_need_none) {
  job j;
  memset(&j, 0, sizeof j);
  j.input = check_bytes("7 bytes");
  j.make = TVMFFIStringFromByteArray;
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 0);
  j.make = TVMFFIBytesFromByteArray;
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 0);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_one_allocation_each),
    cmocka_unit_test(test_small_ones_need_none),
})

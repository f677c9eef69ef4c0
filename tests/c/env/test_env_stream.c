/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "support/check.h"
#include "support/thread.h"

static char markers[4096]; /* each address is a different stream */

TEST(test_nothing_is_set_at_first) {
  TVMFFIStreamHandle original = markers;
  assert_null(TVMFFIEnvGetStream(kDLCUDA, 0));
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 0, &markers[1], &original));
  assert_null(original);
  assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, 0), &markers[1]);
  assert_null(TVMFFIEnvGetStream(kDLCUDA, 1));
  assert_null(TVMFFIEnvGetStream(kDLROCM, 0));
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 0, &markers[2], &original));
  assert_ptr_equal(original, &markers[1]);
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 0, NULL, &original));
  assert_ptr_equal(original, &markers[2]);
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 0, NULL, NULL));
  assert_null(TVMFFIEnvGetStream(kDLCUDA, 0));
}

TEST(test_many_devices) {
  int32_t i;
  for (i = 0; i < 1000; ++i) {
    check_ok(TVMFFIEnvSetStream(i % 7, i, &markers[i], NULL));
    assert_ptr_equal(TVMFFIEnvGetStream(i % 7, i), &markers[i]);
  }
  for (i = 0; i < 1000; ++i) {
    assert_ptr_equal(TVMFFIEnvGetStream(i % 7, i), &markers[i]);
    assert_null(TVMFFIEnvGetStream(i % 7 + 7, i));
  }
  for (i = 0; i < 1000; ++i) check_ok(TVMFFIEnvSetStream(i % 7, i, NULL, NULL));
}

TEST(test_huge_numbers_cost_an_entry) {
  check_ok(TVMFFIEnvSetStream(INT32_MAX, INT32_MAX, &markers[3], NULL));
  check_ok(TVMFFIEnvSetStream(0, 0, &markers[4], NULL));
  assert_ptr_equal(TVMFFIEnvGetStream(INT32_MAX, INT32_MAX), &markers[3]);
  assert_ptr_equal(TVMFFIEnvGetStream(0, 0), &markers[4]);
  check_ok(TVMFFIEnvSetStream(INT32_MAX, INT32_MAX, NULL, NULL));
  check_ok(TVMFFIEnvSetStream(0, 0, NULL, NULL));
}

TEST(test_L_3_negative_numbers) {
  TVMFFIStreamHandle original = markers;
  check_fails(TVMFFIEnvSetStream(-1, 0, &markers[1], &original), "ValueError",
              "TVMFFIEnvSetStream: device type -1 and id 0 must not be negative");
  check_fails(TVMFFIEnvSetStream(kDLCUDA, -1, &markers[1], &original), "ValueError", NULL);
  check_fails(TVMFFIEnvSetStream(INT32_MIN, INT32_MIN, NULL, NULL), "ValueError", NULL);
  assert_ptr_equal(original, markers);
  assert_null(TVMFFIEnvGetStream(-1, 0));
  assert_null(TVMFFIEnvGetStream(kDLCUDA, -1));
  check_not_raised();
}

static void *in_another_thread(void *seen) {
  *(void **)seen = TVMFFIEnvGetStream(kDLCUDA, 5);
  if (TVMFFIEnvSetStream(kDLCUDA, 5, &markers[6], NULL) != 0) return NULL;
  return TVMFFIEnvGetStream(kDLCUDA, 5); /* freed with the thread, or leak checkers report it */
}

TEST(test_threads_have_their_own) {
  void *seen = markers, *its_own;
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 5, &markers[5], NULL));
  its_own = thread_call(in_another_thread, &seen, 0);
  assert_null(seen);
  assert_ptr_equal(its_own, &markers[6]);
  assert_ptr_equal(TVMFFIEnvGetStream(kDLCUDA, 5), &markers[5]);
}

RUN_TESTS({
    cmocka_unit_test(test_nothing_is_set_at_first),
    cmocka_unit_test(test_many_devices),
    cmocka_unit_test(test_huge_numbers_cost_an_entry),
    cmocka_unit_test(test_L_3_negative_numbers),
    cmocka_unit_test(test_threads_have_their_own),
})

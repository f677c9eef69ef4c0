/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of TVMFFIGetVersion (core/object.c). */
#include "support/check.h"

static void test_the_version_of_the_abi(void **state) {
  TVMFFIVersion version;
  (void)state;
  memset(&version, 0xA5, sizeof version);
  TVMFFIGetVersion(&version);
  assert_int_equal(version.major, 0);
  assert_int_equal(version.minor, 1);
  assert_int_equal(version.patch, 16);
}

static void test_nowhere_to_write_it(void **state) {
  (void)state;
  TVMFFIGetVersion(NULL);
  check_not_raised();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_version_of_the_abi),
      cmocka_unit_test(test_nowhere_to_write_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of TVMFFIGetVersion (core/object.c). */
#include "support/check.h"

TEST(test_the_version_of_the_abi) {
  TVMFFIVersion version;
  memset(&version, 0xA5, sizeof version);
  TVMFFIGetVersion(&version);
  assert_int_equal(version.major, 0);
  assert_int_equal(version.minor, 1);
  assert_int_equal(version.patch, 16);
}

TEST(test_nowhere_to_write_it) {
  TVMFFIGetVersion(NULL);
  check_not_raised();
}

RUN_TESTS({
    cmocka_unit_test(test_the_version_of_the_abi),
    cmocka_unit_test(test_nowhere_to_write_it),
})

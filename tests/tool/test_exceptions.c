/* SPDX-License-Identifier: Apache-2.0 */
/* Which exit codes of Windows say that an exception ended the process. */
#include "support/check.h"

#include "system/system.h"

TEST(test_exceptions) {
  assert_true(exception_is_code(0xC0000005));
  assert_string_equal(exception_name(0xC0000005), "access violation");
  assert_true(exception_is_code(0x80000003));
  assert_string_equal(exception_name(0x80000003), "breakpoint");
  assert_true(exception_is_code(0xE06D7363));
  assert_string_equal(exception_name(0xE06D7363), "uncaught C++ exception");
  assert_true(exception_is_code(0xC0001234)); /* has no name here */
  assert_string_equal(exception_name(0xC0001234), "exception 0xC0001234");
}

TEST(test_exit_codes) {
  assert_false(exception_is_code(0));
  assert_false(exception_is_code(3));
  assert_false(exception_is_code(256));
  assert_false(exception_is_code(0x7fffffff));
  assert_false(exception_is_code((uint32_t)-1));
  assert_false(exception_is_code((uint32_t)-1000000));
}

RUN_TESTS({
    cmocka_unit_test(test_exceptions),
    cmocka_unit_test(test_exit_codes),
})

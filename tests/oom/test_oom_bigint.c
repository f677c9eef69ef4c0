/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"
#include "support/oom.h"

static int make(void *out) {
  const int64_t words[3] = {1, 2, 3};
  TVMFFIByteArray input;
  input.data = (const char *)words;
  input.size = sizeof words;
  return TVMFFIBigIntFromByteArray(&input, out);
}

static void is_none(void *out) {
  static const TVMFFIAny none;
  assert_memory_equal(out, &none, sizeof none);
}

static void undo(void *out) {
  check_release(out);
}

static void test_one_allocation(void **state) {
  TVMFFIAny out;
  (void)state;
  memset(&out, 0xA5, sizeof out);
  assert_int_equal(oom_check(make, is_none, undo, &out, 0), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_allocation)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The fake CUDA headers agree with those of the toolkit: fake_layout.c compiled with each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const size_t fake_layout[160], toolkit_layout[160];

static void test_layouts_and_values(void **state) {
  (void)state;
  assert_memory_equal(fake_layout, toolkit_layout, sizeof fake_layout);
  assert_int_equal(fake_layout[0], 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts_and_values)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

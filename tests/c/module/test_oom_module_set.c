/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"
#include "module/imports.h"
#include "support/check.h"
#include "support/oom.h"

static TVMFFIObject objects[100];
static size_t next;

static int add(void *set) {
  return tvmffi_module_set_add(set, &objects[next]) < 0 ? tvmffi_fail_memory() : 0;
}

static void unchanged(void *context) {
  tvmffi_module_set *set = context;
  size_t i;
  assert_int_equal(set->size, next);
  for (i = 0; i < next; ++i) assert_true(tvmffi_module_set_has(set, &objects[i]));
  assert_false(tvmffi_module_set_has(set, &objects[next]));
}

static void test_every_growth(void **state) {
  tvmffi_module_set set = TVMFFI_MODULE_SET_INIT;
  long growths = 0;
  (void)state;
  for (next = 0; next < 100; ++next) growths += oom_check(add, unchanged, NULL, &set, 1);
  assert_int_equal(growths, 5); /* capacities 8 to 128 */
  tvmffi_module_set_fini(&set);
  assert_int_equal(oom_live_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_growth)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

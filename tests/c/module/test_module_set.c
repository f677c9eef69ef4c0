/* SPDX-License-Identifier: Apache-2.0 */
#include "module/imports.h"

#include "support/check.h"

static TVMFFIObject objects[1000];

static void test_order_and_membership(void **state) {
  tvmffi_module_set set = TVMFFI_MODULE_SET_INIT;
  size_t i;
  (void)state;
  assert_false(tvmffi_module_set_has(&set, &objects[0]));
  assert_false(tvmffi_module_set_remove(&set, &objects[0]));
  for (i = 0; i < 1000; ++i) {
    assert_int_equal(tvmffi_module_set_add(&set, &objects[(i * 7) % 1000]), 1);
    assert_int_equal(tvmffi_module_set_add(&set, &objects[(i * 7) % 1000]), 0);
    assert_int_equal(set.size, i + 1);
  }
  for (i = 0; i < 1000; ++i) {
    assert_ptr_equal(set.items[i], &objects[(i * 7) % 1000]);
    assert_int_equal(tvmffi_module_set_find(&set, &objects[(i * 7) % 1000]), i);
  }
  assert_true(tvmffi_module_set_remove(&set, &objects[0])); /* the last element takes its place */
  assert_int_equal(tvmffi_module_set_find(&set, &objects[(999 * 7) % 1000]), 0);
  assert_int_equal(tvmffi_module_set_find(&set, &objects[7]), 1);
  tvmffi_module_set_fini(&set);
  assert_false(tvmffi_module_set_has(&set, &objects[0]));
  tvmffi_module_set_fini(&set);
}

/* Removes the first, middle and last element until none is left. */
static void test_removing(void **state) {
  tvmffi_module_set set = TVMFFI_MODULE_SET_INIT;
  char present[1000];
  size_t i, left = 1000;
  (void)state;
  for (i = 0; i < 1000; ++i) {
    assert_int_equal(tvmffi_module_set_add(&set, &objects[i]), 1);
    present[i] = 1;
  }
  while (left != 0) {
    size_t victims[3], v;
    victims[0] = 0;
    victims[1] = left / 2;
    victims[2] = left - 1;
    for (v = 0; v < 3 && left != 0; ++v) {
      TVMFFIObject *obj = set.items[victims[v] < left ? victims[v] : 0];
      assert_true(tvmffi_module_set_remove(&set, obj));
      assert_false(tvmffi_module_set_remove(&set, obj));
      present[obj - objects] = 0;
      --left;
    }
    if (left % 100 < 3) {
      for (i = 0; i < 1000; ++i) {
        assert_int_equal(tvmffi_module_set_has(&set, &objects[i]), present[i]);
      }
    }
  }
  assert_int_equal(set.size, 0);
  tvmffi_module_set_fini(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_and_membership),
      cmocka_unit_test(test_removing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The maps of addresses and the stacks that walks use. */
#include "base/pointer_map.h"

#include "base/stack.h"
#include "support/check.h"

static void test_addresses_are_found_again(void **state) {
  static char bytes[20000];
  tvmffi_pointer_map map = {NULL, 0, 0};
  size_t i;
  (void)state;
  assert_null(tvmffi_pointer_map_find(&map, bytes));
  for (i = 0; i < sizeof bytes; i += 2) {
    tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&map, &bytes[i]);
    assert_non_null(entry);
    assert_int_equal(entry->value.number, 0);
    entry->value.number = i + 1;
  }
  assert_int_equal(map.size, sizeof bytes / 2);
  for (i = 0; i < sizeof bytes; ++i) {
    tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(&map, &bytes[i]);
    assert_int_equal(entry != NULL, i % 2 == 0);
    if (entry != NULL) assert_int_equal(entry->value.number, i + 1);
  }
  assert_int_equal(tvmffi_pointer_map_ensure(&map, &bytes[8])->value.number, 9);
  tvmffi_pointer_map_fini(&map);
  assert_null(tvmffi_pointer_map_find(&map, bytes));
}

static void test_a_stack(void **state) {
  tvmffi_stack stack;
  int i;
  (void)state;
  tvmffi_stack_init(&stack, sizeof(int));
  assert_null(tvmffi_stack_top(&stack));
  for (i = 0; i < 1000; ++i) {
    int *top = tvmffi_stack_push(&stack);
    assert_non_null(top);
    assert_int_equal(*top, 0);
    *top = i;
  }
  assert_int_equal(*(int *)tvmffi_stack_at(&stack, 500), 500);
  for (i = 999; i >= 0; --i) {
    assert_int_equal(*(int *)tvmffi_stack_top(&stack), i);
    tvmffi_stack_pop(&stack);
  }
  tvmffi_stack_fini(&stack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_addresses_are_found_again),
      cmocka_unit_test(test_a_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of addresses, and stacks. */
#include "base/pointer_map.h"

#include "base/stack.h"
#include "support/check.h"

TEST(test_addresses_are_found_again) {
  static char bytes[20000];
  tvmffi_pointer_map map = {NULL, 0, 0};
  size_t i;
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

/* Neighbours that share runs of slots: every one that is left must still be found. */
TEST(test_removal) {
  enum { kCount = 2000, kStep = 16 };
  static char bytes[kCount * kStep];
  static size_t is_there[kCount]; /* 0 or 1 */
  tvmffi_pointer_map map = {NULL, 0, 0};
  uint32_t random = 1;
  size_t round, i, size = 0;
  tvmffi_pointer_map_remove(&map, bytes);
  for (round = 0; round < 20 * kCount; ++round) {
    random = random * 1664525 + 1013904223;
    i = (random >> 8) % kCount;
    if (random >> 31 != 0) {
      tvmffi_pointer_map_ensure(&map, &bytes[i * kStep])->value.number = i + 1;
      size += 1 - is_there[i];
      is_there[i] = 1;
    } else {
      tvmffi_pointer_map_remove(&map, &bytes[i * kStep]);
      size -= is_there[i];
      is_there[i] = 0;
    }
    assert_int_equal(map.size, size);
    if (round % 100 != 0) continue;
    for (i = 0; i < kCount; ++i) {
      const tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(&map, &bytes[i * kStep]);
      assert_int_equal(entry != NULL, is_there[i]);
      if (entry != NULL) assert_int_equal(entry->value.number, i + 1);
    }
  }
  tvmffi_pointer_map_fini(&map);
}

TEST(test_a_stack) {
  tvmffi_stack stack;
  int i;
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

RUN_TESTS({
    cmocka_unit_test(test_addresses_are_found_again),
    cmocka_unit_test(test_removal),
    cmocka_unit_test(test_a_stack),
})

/* SPDX-License-Identifier: Apache-2.0 */
#include "container/array.h"

#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "support/check.h"
#include "support/oom.h"

static probe item;
static int64_t expected_size;

/* When memory runs out, append raises nothing, because a caller may hold a lock; callers raise. */
static int append(void *array) {
  TVMFFIAny value = tvmffi_any_object(&item);
  tvmffi_object_retain(&item);
  if (tvmffi_array_append(array, &value) == 0) return 0;
  check_not_raised();
  tvmffi_object_release(&item);
  return tvmffi_fail_memory();
}

static void unchanged(void *array) {
  TVMFFIObject *self = *(TVMFFIObject **)array;
  assert_int_equal(tvmffi_array_size(self), expected_size);
  assert_int_equal(check_use_count(&item), 1 + expected_size);
}

TEST(test_every_growth) {
  TVMFFIObject *array = tvmffi_array_new(0);
  long growths = 0;
  probe_init(&item);
  for (expected_size = 0; expected_size < 100; ++expected_size) {
    growths += oom_check(append, unchanged, NULL, &array, 1);
  }
  assert_int_equal(growths, 6); /* 4, 8, 16, 32, 64, 128 */
  tvmffi_object_release(array);
  assert_int_equal(check_use_count(&item), 1);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_a_shared_array) {
  TVMFFIObject *array = tvmffi_array_new(0), *shared;
  probe_init(&item);
  expected_size = 0;
  check_ok(append(&array));
  expected_size = 1;
  shared = array;
  tvmffi_object_retain(shared);
  assert_int_equal(oom_check(append, unchanged, NULL, &array, 1), 1);
  assert_ptr_not_equal(array, shared);
  assert_int_equal(check_use_count(&item), 4);
  tvmffi_object_release(array);
  tvmffi_object_release(shared);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_a_new_array) {
  oom_fail_after(0);
  assert_null(tvmffi_array_new(3));
  check_not_raised();
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_every_growth),
    cmocka_unit_test(test_a_shared_array),
    cmocka_unit_test(test_a_new_array),
})

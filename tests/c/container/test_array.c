/* SPDX-License-Identifier: Apache-2.0 */
#include "container/array.h"

#include "core/any.h"
#include "core/object.h"
#include "support/check.h"
#include "support/thread.h"

static void append(TVMFFIObject **array, TVMFFIAny value) {
  assert_int_equal(tvmffi_array_append(array, &value), 0);
}

TEST(test_layout) {
  TVMFFIObject *array = tvmffi_array_new(3), *empty = tvmffi_array_new(0);
  const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(array);
  assert_int_equal(array->type_index, kTVMFFIArray);
  assert_int_equal(check_use_count(array), 1);
  assert_ptr_equal(cell->data, cell + 1);
  assert_int_equal(cell->size, 0);
  assert_int_equal(cell->capacity, 3);
  assert_true(cell->data_deleter == NULL);
  assert_int_equal(TVMFFISeqGetCellPtr(empty)->capacity, 0);
  TVMFFIObjectDecRef(array);
  TVMFFIObjectDecRef(empty);
}

TEST(test_sizes_that_cannot_be) {
  assert_null(tvmffi_array_new(-1));
  assert_null(tvmffi_array_new(INT64_MAX));
  assert_null(tvmffi_array_new(INT64_MAX / 16));
  check_not_raised();
}

TEST(test_growth_moves_the_elements) {
  TVMFFIObject *array = tvmffi_array_new(0);
  probe p;
  int i;
  probe_init(&p);
  append(&array, tvmffi_any_object(&p));
  assert_int_equal(TVMFFISeqGetCellPtr(array)->capacity, 4);
  for (i = 1; i < 9; ++i) append(&array, tvmffi_any_int(i));
  assert_int_equal(TVMFFISeqGetCellPtr(array)->capacity, 16);
  assert_int_equal(tvmffi_array_size(array), 9);
  assert_int_equal(tvmffi_array_items(array)[8].v_int64, 8);
  assert_int_equal(check_use_count(&p), 1); /* the element was moved, so its count did not change */
  assert_int_equal(p.strong_deletes, 0);
  TVMFFIObjectDecRef(array);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(p.weak_deletes, 1);
}

TEST(test_a_shared_array_is_left_alone) {
  TVMFFIObject *array = tvmffi_array_new(2), *shared = array;
  probe p;
  probe_init(&p);
  append(&array, tvmffi_any_object(&p));
  TVMFFIObjectIncRef(shared);
  append(&array, tvmffi_any_int(1)); /* there is room, but the array has another owner: copied */
  assert_ptr_not_equal(array, shared);
  assert_int_equal(tvmffi_array_size(shared), 1);
  assert_int_equal(tvmffi_array_size(array), 2);
  assert_int_equal(check_use_count(&p), 2);
  assert_int_equal(check_use_count(shared), 1);
  TVMFFIObjectDecRef(shared);
  assert_int_equal(p.strong_deletes, 0);
  TVMFFIObjectDecRef(array);
  assert_int_equal(p.strong_deletes, 1);
}

static void release_deep(void *array) {
  TVMFFIObjectDecRef(array);
}

TEST(test_L_21_a_million_levels) {
  TVMFFIObject *array = tvmffi_array_new(0);
  probe p;
  int i;
  probe_init(&p);
  append(&array, tvmffi_any_object(&p));
  for (i = 0; i < 1000000; ++i) {
    TVMFFIObject *outer = tvmffi_array_new(1);
    assert_non_null(outer);
    append(&outer, tvmffi_any_object(array));
    array = outer;
  }
  thread_run(release_deep, array, 256 * 1024);
  assert_int_equal(p.strong_deletes, 1);
}

/* Inline code of clients leaves an array like this after it moved the elements out. */
TEST(test_emptied_by_others) {
  TVMFFIObject *array = tvmffi_array_new(1);
  probe p;
  probe_init(&p);
  append(&array, tvmffi_any_object(&p));
  TVMFFISeqGetCellPtr(array)->size = 0;
  TVMFFIObjectDecRef(array);
  assert_int_equal(p.strong_deletes, 0);
}

RUN_TESTS({
    cmocka_unit_test(test_layout),
    cmocka_unit_test(test_sizes_that_cannot_be),
    cmocka_unit_test(test_growth_moves_the_elements),
    cmocka_unit_test(test_a_shared_array_is_left_alone),
    cmocka_unit_test(test_L_21_a_million_levels),
    cmocka_unit_test(test_emptied_by_others),
})

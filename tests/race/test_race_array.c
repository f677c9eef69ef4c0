/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads share arrays and append to them, each with a reference of its own. While there are other
 * references, an append copies; the thread that is last may append in place, once all that the
 * others have read has been read.
 */
#include "container/array.h"

#include "core/any.h"
#include "core/object.h"
#include "support/check.h"
#include "support/probe.h"
#include "support/thread.h"

enum { kThreads = 3, kArrays = 20000, kItems = 5, kCapacity = 6 };

static TVMFFIObject *arrays[kArrays];
static int num_wrong[kThreads], num_in_place[kThreads];

/* Whether the array has the first kItems, and nothing else but an optional last one. */
static bool has_items(TVMFFIObject *array, int64_t size) {
  int64_t i;
  if (tvmffi_array_size(array) != size) return false;
  for (i = 1; i < kItems; ++i) {
    if (tvmffi_array_items(array)[i].v_int64 != i) return false;
  }
  return tvmffi_array_items(array)[0].type_index >= kTVMFFIStaticObjectBegin;
}

/* Threads start at different arrays and in different directions, so that each is last sometimes. */
static void append(void *arg, int index) {
  int n;
  (void)arg;
  for (n = 0; n < kArrays; ++n) {
    int i = index == 0 ? n : index == 1 ? kArrays - 1 - n : (n + kArrays / 2) % kArrays;
    TVMFFIObject *array = arrays[i];
    TVMFFIAny value = tvmffi_any_int(100 + index);
    if (!has_items(array, kItems)) ++num_wrong[index];
    if (tvmffi_array_append(&array, &value) != 0 || !has_items(array, kItems + 1) ||
        tvmffi_array_items(array)[kItems].v_int64 != 100 + index) {
      ++num_wrong[index];
    }
    if (array == arrays[i]) ++num_in_place[index];
    tvmffi_object_release(array);
  }
}

static void make_arrays(probe *first, int num_references) {
  int i, j;
  for (i = 0; i < kArrays; ++i) {
    TVMFFIAny item = tvmffi_any_object(first);
    arrays[i] = tvmffi_array_new(kCapacity);
    assert_non_null(arrays[i]);
    item = tvmffi_any_copy(&item);
    for (j = 0; j < kItems; item = tvmffi_any_int(++j)) {
      assert_int_equal(tvmffi_array_append(&arrays[i], &item), 0);
    }
    for (j = 1; j < num_references; ++j) tvmffi_object_retain(arrays[i]);
  }
}

static int sum(const int *numbers) {
  return numbers[0] + numbers[1] + numbers[2];
}

static void test_the_last_one_appends_in_place(void **state) {
  probe first;
  (void)state;
  probe_init(&first);
  make_arrays(&first, kThreads);
  thread_run_many(kThreads, append, NULL);
  assert_int_equal(sum(num_wrong), 0);
  assert_true(sum(num_in_place) > 0);
  assert_int_equal(check_use_count(&first), 1);
}

static void test_arrays_that_are_held_never_change(void **state) {
  probe first;
  int i;
  (void)state;
  probe_init(&first);
  memset(num_in_place, 0, sizeof num_in_place);
  make_arrays(&first, kThreads + 1);
  thread_run_many(kThreads, append, NULL);
  assert_int_equal(sum(num_wrong), 0);
  assert_int_equal(sum(num_in_place), 0);
  for (i = 0; i < kArrays; ++i) {
    assert_true(has_items(arrays[i], kItems));
    assert_int_equal(check_use_count(arrays[i]), 1);
    tvmffi_object_release(arrays[i]);
  }
  assert_int_equal(check_use_count(&first), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_last_one_appends_in_place),
      cmocka_unit_test(test_arrays_that_are_held_never_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

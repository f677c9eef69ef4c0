/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists without memory. The hooks do not see the memory of their elements (alloc.h), so the linker
 * replaces its allocator by the function below.
 */
#include "container/list.h"

#include "base/alloc.h"
#include "container/array.h"
#include "core/any.h"
#include "core/object.h"
#include "support/check.h"
#include "support/oom.h"

void *__real_tvmffi_alloc_plain(size_t size);
void *__wrap_tvmffi_alloc_plain(size_t size);

void *__wrap_tvmffi_alloc_plain(size_t size) {
  return oom_fails_now() ? NULL : __real_tvmffi_alloc_plain(size);
}

static probe item;
static TVMFFIObject *list;
static TVMFFISeqCell before;

static TVMFFIAny more_items[40];

static int make(void *context) {
  list = tvmffi_list_new(*(const int64_t *)context);
  return list == NULL ? -1 : 0;
}

static void release(void *context) {
  (void)context;
  tvmffi_object_release(list);
}

static int append(void *context) {
  TVMFFIAny value = tvmffi_any_object(&item);
  (void)context;
  return tvmffi_list_append(list, &value);
}

static int reserve(void *context) {
  (void)context;
  return tvmffi_list_reserve(list, before.capacity + 1);
}

static int splice(void *context) {
  (void)context;
  return tvmffi_list_splice(list, 20, 60, more_items, 40);
}

static int copy(void *context) {
  TVMFFIObject *copied = tvmffi_list_copy(list);
  (void)context;
  if (copied == NULL) return -1;
  tvmffi_object_release(copied);
  return 0;
}

static void unchanged(void *context) {
  (void)context;
  assert_memory_equal(TVMFFISeqGetCellPtr(list), &before, sizeof before);
  assert_int_equal(check_use_count(&item), 1 + before.size);
}

static void remember(void) {
  before = *TVMFFISeqGetCellPtr(list);
}

TEST(test_making) {
  int64_t sizes[] = {0, 4};
  assert_int_equal(oom_check(make, NULL, release, &sizes[0], 0), 1);
  assert_int_equal(oom_check(make, NULL, release, &sizes[1], 0), 2);
}

TEST(test_changing) {
  int64_t none = 0;
  long growths = 0;
  int i;
  probe_init(&item);
  assert_int_equal(make(&none), 0);
  for (i = 0; i < 100; ++i) {
    remember();
    growths += oom_check(append, unchanged, NULL, NULL, 1);
    TVMFFIObjectIncRef(&item);
  }
  assert_int_equal(growths, 8); /* 1, 2, 4, ..., 128 */
  remember();
  assert_int_equal(oom_check(reserve, unchanged, NULL, NULL, 1), 1);
  remember();
  assert_int_equal(oom_check(copy, unchanged, NULL, NULL, 0), 2);
  for (i = 0; i < 40; ++i) more_items[i] = tvmffi_any_int(i);
  assert_int_equal(oom_check(splice, unchanged, NULL, NULL, 0), 1); /* for old elements */
  assert_int_equal(check_use_count(&item), 61);
  tvmffi_object_release(list);
  assert_int_equal(check_use_count(&item), 1);
  assert_int_equal(oom_live_blocks(), 0);
}

/* Removing elements needs no memory. */
TEST(test_erasing_without_memory) {
  int64_t capacity = 200;
  int i;
  probe_init(&item);
  assert_int_equal(make(&capacity), 0);
  for (i = 0; i < 200; ++i) {
    check_ok(append(NULL));
    TVMFFIObjectIncRef(&item);
  }
  oom_fail_after(0);
  check_ok(tvmffi_list_erase(list, 10, 110));
  oom_fail_after(-1);
  assert_int_equal(tvmffi_array_size(list), 100);
  assert_int_equal(check_use_count(&item), 101);
  oom_fail_after(0);
  check_ok(tvmffi_list_erase(list, 0, 100));
  oom_fail_after(-1);
  assert_int_equal(check_use_count(&item), 1);
  tvmffi_object_release(list);
  assert_int_equal(oom_live_blocks(), 0);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_making),
    cmocka_unit_test(test_changing),
    cmocka_unit_test(test_erasing_without_memory),
})

/* SPDX-License-Identifier: Apache-2.0 */
/* A dict grows in place while other threads change its reference count. */
#include "container/map.h"
#include "core/any.h"
#include "core/object.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 3, kDicts = 300, kEntries = 200, kCounts = 100000 };

static TVMFFIObject *dicts[kDicts];
static int num_failed;

static void grow(void) {
  int i;
  int64_t key;
  for (i = 0; i < kDicts; ++i) {
    TVMFFIObject *dict = dicts[i];
    for (key = 0; key < kEntries; ++key) {
      TVMFFIAny any = tvmffi_any_int(key);
      if (tvmffi_map_insert(&dict, &any, &any) != 0 || dict != dicts[i]) ++num_failed;
    }
  }
}

static void count(void) {
  int i;
  for (i = 0; i < kCounts; ++i) {
    tvmffi_object_retain(dicts[i % kDicts]);
    tvmffi_object_release(dicts[i % kDicts]);
  }
}

static void run(void *arg, int index) {
  (void)arg;
  if (index == 0) {
    grow();
  } else {
    count();
  }
}

TEST(test_growth_beside_counting) {
  int i;
  for (i = 0; i < kDicts; ++i) {
    dicts[i] = tvmffi_dict_new();
    assert_non_null(dicts[i]);
    tvmffi_object_retain(dicts[i]); /* no other release is the last one */
  }
  thread_run_many(kThreads, run, NULL);
  assert_int_equal(num_failed, 0);
  for (i = 0; i < kDicts; ++i) {
    assert_int_equal(check_use_count(dicts[i]), 2);
    assert_int_equal(tvmffi_map_size(dicts[i]), kEntries);
    tvmffi_object_release(dicts[i]);
    tvmffi_object_release(dicts[i]);
  }
}

RUN_TESTS({cmocka_unit_test(test_growth_beside_counting)})

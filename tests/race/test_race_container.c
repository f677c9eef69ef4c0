/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads share Arrays and Maps and add to them: a container is changed in place if nobody else has
 * a reference, and copied otherwise, while others read it, take references and drop them.
 */
#include <tvm/ffi/c/container.h>

#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/object.h"
#include "platform/platform.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kNobody = kThreads, kRounds = 5000, kFull = 40, kContainers = 4000 };

/* An Array with room for three more items, a Map of each form. Maps have the keys 0, 1, 2, ... */
typedef struct {
  int32_t type_index;
  int room;
  int size;
} form;
static const form kForms[] = {{kTVMFFIArray, 8, 5}, {kTVMFFIMap, 4, 3}, {kTVMFFIMap, 5, 5}};
enum { kNumForms = sizeof kForms / sizeof kForms[0] };

/* Every other item is this object: its count shows a container that leaks or dies too early. */
static probe item_object;

static TVMFFIAny item_of(int owner, int i) {
  if (i % 2 != 0) return tvmffi_any_object(&item_object);
  return tvmffi_any_int(owner * 1000 + i);
}

static int set(TVMFFIObject **map, const TVMFFIAny *key, const TVMFFIAny *value) {
  if (!tvmffi_object_is_unique(*map)) {
    TVMFFIObject *copy = tvmffi_map_copy(*map);
    if (copy == NULL) return -1;
    tvmffi_object_release(*map);
    *map = copy;
  }
  return tvmffi_map_insert(map, key, value);
}

/* Appends item i to an Array, or sets it in a Map. */
static void add(TVMFFIObject **container, int owner, int i) {
  TVMFFIAny key = tvmffi_any_int(i), view = item_of(owner, i), item = tvmffi_any_copy(&view);
  if ((*container)->type_index == kTVMFFIArray) {
    expect(tvmffi_array_append(container, &item) == 0);
  } else {
    expect(set(container, &key, &item) == 0);
  }
}

static const TVMFFIAny *find(TVMFFIObject *container, int i) {
  const TVMFFIAny *found = NULL;
  TVMFFIAny key = tvmffi_any_int(i);
  if (container->type_index == kTVMFFIArray) return tvm_ffi_array_get_data(container) + i;
  return tvmffi_map_find(container, &key, &found) == 0 ? found : NULL;
}

static int64_t size_of(TVMFFIObject *container) {
  if (container->type_index == kTVMFFIArray) return tvm_ffi_array_get_size(container);
  return (int64_t)tvmffi_map_size(container);
}

/* Checks that the items before `first` are those of the original, and all others of the owner. */
static void expect_items(TVMFFIObject *container, int first, int owner, int size) {
  int i;
  expect(size_of(container) == size);
  if (size_of(container) != size) return;
  for (i = 0; i < size; ++i) {
    TVMFFIAny expected = item_of(i < first ? kNobody : owner, i);
    const TVMFFIAny *item = find(container, i);
    expect(item != NULL && item->type_index == expected.type_index &&
           item->v_uint64 == expected.v_uint64);
  }
}

static TVMFFIObject *new_original(const form *f) {
  TVMFFIObject *container = f->type_index == kTVMFFIArray
                                ? tvmffi_array_new(f->room)
                                : tvmffi_map_new_for(f->type_index, (uint64_t)f->room);
  int i;
  assert_non_null(container);
  for (i = 0; i < f->size; ++i) add(&container, kNobody, i);
  return container;
}

static void run(void (*work)(void *arg, int index), void *arg) {
  expect_failures = 0;
  thread_run_many(kThreads, work, arg);
  assert_int_equal(expect_failures, 0);
}

/* Each thread has a new copy in each round. */
static void copy_and_grow(void *original, int index) {
  int size = (int)size_of(original), round, i;
  for (round = 0; round < kRounds; ++round) {
    TVMFFIObject *grown = original, *snapshot = NULL, *previous;
    int num_held = round % 3;
    for (i = 0; i <= num_held; ++i) tvmffi_object_retain(original);
    for (i = size; i < kFull; ++i) {
      const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(grown);
      bool is_full = grown->type_index == kTVMFFIArray && cell->size == cell->capacity;
      bool in_place = grown != original && grown != snapshot && !is_full;
      previous = grown;
      add(&grown, index, i);
      expect((grown == previous) == in_place);
      if (i == (kFull + round) / 2 % kFull) { /* shared once more, with nobody but this thread */
        if (snapshot != NULL) tvmffi_object_release(snapshot);
        snapshot = grown;
        tvmffi_object_retain(snapshot);
      }
      if (i % 8 == 0) expect_items(original, size, kNobody, size);
    }
    expect_items(grown, size, index, kFull);
    tvmffi_object_release(grown);
    if (snapshot != NULL) {
      int snapshot_size = (int)size_of(snapshot);
      expect(snapshot_size > size && snapshot_size <= kFull);
      expect_items(snapshot, size, index, snapshot_size);
      tvmffi_object_release(snapshot);
    }
    for (i = 0; i < num_held; ++i) tvmffi_object_release(original);
  }
}

/* Threads run the body with a shared original of each form; it does not change. */
static void check_originals(int first_form, void (*body)(void *original, int index)) {
  int i;
  for (i = first_form; i < kNumForms; ++i) {
    TVMFFIObject *original;
    probe_init(&item_object);
    original = new_original(&kForms[i]);
    run(body, original);
    assert_int_equal(check_use_count(original), 1);
    expect_items(original, kForms[i].size, kNobody, kForms[i].size);
    assert_int_equal(expect_failures, 0);
    tvmffi_object_release(original);
    assert_int_equal(check_use_count(&item_object), 1);
  }
}

TEST(test_a_shared_original_never_changes) {
  check_originals(0, copy_and_grow);
}

/* A Map's value of a key that the original has, too. */
static void replace(void *original, int index) {
  int size = (int)size_of(original), round;
  for (round = 0; round < kRounds; ++round) {
    TVMFFIObject *grown = original, *copy;
    tvmffi_object_retain(original);
    add(&grown, index, 0);
    copy = grown;
    expect(copy != original);
    add(&grown, index + 1, 0);
    add(&grown, index, 1);
    expect(grown == copy);
    expect(size_of(grown) == size);
    expect(find(grown, 0)->v_int64 == (index + 1) * 1000);
    expect(find(original, 0)->v_int64 == kNobody * 1000);
    tvmffi_object_release(grown);
  }
}

TEST(test_replaced_values_stay_in_the_original) {
  check_originals(1, replace); /* not an Array */
}

/*
 * All threads have a reference to each container. The first one waits until the others have read
 * it, and let go of it by adding to it; then it is alone, and writes where they have read. It waits
 * without synchronisation, so that only the library orders the two.
 */
static void add_last(void *context, int index) {
  TVMFFIObject **containers = context;
  int size = (int)size_of(containers[0]), i;
  for (i = 0; i < kContainers; ++i) {
    TVMFFIObject *grown = containers[i];
    const void *count = &grown->combined_ref_count;
    if (index == 0) {
      while (__atomic_load_n((const tvmffi_atomic_u64 *)count, __ATOMIC_RELAXED) !=
             TVMFFI_BOTH_ONE) {
        tvmffi_thread_yield();
      }
      add(&grown, index, size);
      expect(grown == containers[i]);
    } else {
      expect_items(grown, size, kNobody, size);
      add(&grown, index, size);
      expect(grown != containers[i]);
      expect_items(grown, size, index, size + 1);
      tvmffi_object_release(grown);
    }
  }
}

TEST(test_the_last_owner_changes_in_place) {
  static TVMFFIObject *containers[kContainers];
  int form_index, i, j;
  for (form_index = 0; form_index < kNumForms; ++form_index) {
    const form *f = &kForms[form_index];
    probe_init(&item_object);
    for (i = 0; i < kContainers; ++i) {
      containers[i] = new_original(f);
      for (j = 1; j < kThreads; ++j) tvmffi_object_retain(containers[i]);
    }
    run(add_last, containers);
    for (i = 0; i < kContainers; ++i) {
      assert_int_equal(check_use_count(containers[i]), 1);
      expect_items(containers[i], f->size, 0, f->size + 1);
      tvmffi_object_release(containers[i]);
    }
    assert_int_equal(expect_failures, 0);
    assert_int_equal(check_use_count(&item_object), 1);
  }
}

/* ---- A dict grows in place while other threads change its reference count ---- */

enum { kCounters = 3, kDicts = 300, kEntries = 200, kCounts = 100000 };

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

static void grow_or_count(void *arg, int index) {
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
  thread_run_many(kCounters, grow_or_count, NULL);
  assert_int_equal(num_failed, 0);
  for (i = 0; i < kDicts; ++i) {
    assert_int_equal(check_use_count(dicts[i]), 2);
    assert_int_equal(tvmffi_map_size(dicts[i]), kEntries);
    tvmffi_object_release(dicts[i]);
    tvmffi_object_release(dicts[i]);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_a_shared_original_never_changes),
    cmocka_unit_test(test_replaced_values_stay_in_the_original),
    cmocka_unit_test(test_the_last_owner_changes_in_place),
    cmocka_unit_test(test_growth_beside_counting),
})

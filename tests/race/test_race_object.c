/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, weak references, live objects and the custom allocator, from many threads at once. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/object.h"
#include "support/check.h"
#include "support/thread.h"
#include "support/weak.h"

enum { kThreads = 4, kRounds = 2000 };

/* Each thread writes to its own element of the object, and the deleter reads them all. */
typedef struct {
  TVMFFIObject header;
  int written[kThreads];
  int *sum;
} shared_object;

static void delete_shared(void *self, int flags) {
  shared_object *obj = self;
  int i;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    for (i = 0; i < kThreads; ++i) *obj->sum += obj->written[i];
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) tvmffi_object_free(obj, 0);
}

static shared_object *new_shared(int *sum) {
  shared_object *obj = tvmffi_object_new(sizeof *obj, kTVMFFIObject, delete_shared);
  assert_non_null(obj);
  memset(obj->written, 0, sizeof obj->written);
  obj->sum = sum;
  return obj;
}

static void count_and_let_go(void *context, int index) {
  shared_object *obj = context;
  int i;
  for (i = 0; i < kRounds; ++i) {
    TVMFFIObjectIncRef(obj);
    TVMFFIObjectDecRef(obj);
  }
  obj->written[index] = 1;
  TVMFFIObjectDecRef(obj);
}

TEST(test_F_31_the_last_thread_sees_what_the_others_did) {
  int sum = 0, round, i;
  for (round = 0; round < 20; ++round) {
    shared_object *obj = new_shared(&sum);
    for (i = 1; i < kThreads; ++i) TVMFFIObjectIncRef(obj);
    thread_run_many(kThreads, count_and_let_go, obj);
  }
  assert_int_equal(sum, 20 * kThreads);
}

/* All threads have a weak reference; the first one has the only strong reference, too. */
static void promote_until_it_is_gone(void *context, int index) {
  shared_object *obj = context;
  int i;
  if (index == 0) {
    for (i = 0; i < 100; ++i) (void)weak_promote(obj);
    for (i = 0; i < 100; ++i) TVMFFIObjectDecRef(obj);
    TVMFFIObjectDecRef(obj);
  } else {
    while (weak_promote(obj)) TVMFFIObjectDecRef(obj);
  }
  weak_release(obj);
}

TEST(test_promoting_what_is_being_destroyed) {
  int sum = 0, round, i;
  for (round = 0; round < 200; ++round) {
    shared_object *obj = new_shared(&sum);
    obj->written[0] = 1;
    for (i = 0; i < kThreads; ++i) weak_retain(obj);
    thread_run_many(kThreads, promote_until_it_is_gone, obj);
  }
  assert_int_equal(sum, 200);
}

enum { kLevels = 200 };

/* A chain of errors. All threads hold its members weakly; the first one releases the chain. */
typedef struct {
  TVMFFIObjectHandle members[kLevels];
} chain;

static void let_go_of_members(void *context, int index) {
  chain *c = context;
  int i;
  if (index == 0) TVMFFIObjectDecRef(c->members[kLevels - 1]);
  for (i = 0; i < kLevels; ++i) {
    int level = index % 2 == 0 ? i : kLevels - 1 - i;
    if (weak_promote(c->members[level])) TVMFFIObjectDecRef(c->members[level]);
    weak_release(c->members[level]);
  }
}

TEST(test_weak_references_to_what_waits) {
  int round, i, j;
  for (round = 0; round < 100; ++round) {
    chain c;
    probe p;
    probe_init(&p);
    for (i = 0; i < kLevels; ++i) {
      check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(
          NULL, NULL, NULL, i != 0 ? c.members[i - 1] : NULL, &p, &c.members[i]));
      if (i != 0) TVMFFIObjectDecRef(c.members[i - 1]);
      for (j = 0; j < kThreads; ++j) weak_retain(c.members[i]);
    }
    thread_run_many(kThreads, let_go_of_members, &c);
    assert_int_equal(check_use_count(&p), 1);
  }
}

static void make_and_count(void *context, int index) {
  int i;
  (void)context;
  for (i = 0; i < kRounds; ++i) {
    TVMFFIObjectHandle error;
    if (TVMFFIErrorCreate(NULL, NULL, NULL, &error) != 0) continue;
    if (index == 0 && i % 100 == 0) (void)TVMFFIRuntimeSetLiveObjectCounting(i % 200 == 0);
    if (index == 1) (void)TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny);
    TVMFFIObjectDecRef(error);
  }
}

TEST(test_counting_live_objects) {
  thread_run_many(kThreads, make_and_count, NULL);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
}

static TVMFFICustomAllocator other_allocator;

static void swap_allocators(void *context, int index) {
  int i;
  for (i = 0; i < kRounds; ++i) {
    TVMFFICustomAllocator *now = TVMFFIGetCustomAllocator();
    if (now != context && now != &other_allocator) abort();
    (void)TVMFFISetCustomAllocator((i + index) % 2 == 0 ? &other_allocator : NULL);
  }
}

TEST(test_L_17h_the_custom_allocator_is_swapped_whole) {
  TVMFFICustomAllocator *original = TVMFFIGetCustomAllocator();
  thread_run_many(kThreads, swap_allocators, original);
  (void)TVMFFISetCustomAllocator(NULL);
  assert_ptr_equal(TVMFFIGetCustomAllocator(), original);
}

RUN_TESTS({
    cmocka_unit_test(test_F_31_the_last_thread_sees_what_the_others_did),
    cmocka_unit_test(test_promoting_what_is_being_destroyed),
    cmocka_unit_test(test_weak_references_to_what_waits),
    cmocka_unit_test(test_counting_live_objects),
    cmocka_unit_test(test_L_17h_the_custom_allocator_is_swapped_whole),
})

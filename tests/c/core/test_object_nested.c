/* SPDX-License-Identifier: Apache-2.0 */
/* Destroying objects that own others; test_object.c tests single objects. */

#include "core/object.h"
#include "support/check.h"
#include "support/thread.h"
#include "support/weak.h"

enum { kLevels = 1000000, kSmallStack = 256 * 1024 };

/* Makes an Error that owns cause and context; takes over the caller's references. */
static TVMFFIObjectHandle new_error(TVMFFIObjectHandle cause, TVMFFIObjectHandle context) {
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, cause, context, &error));
  TVMFFIObjectDecRef(cause);
  TVMFFIObjectDecRef(context);
  return error;
}

/* An object of another library. It owns one object; its deleter records what it sees. */
typedef struct {
  TVMFFIObject header;
  TVMFFIObjectHandle owned;
  const probe *watched;
  int *deletes_seen; /* strong deletes of `watched` right after `owned` was released */
} foreign;

static void delete_foreign(void *self, int flags) {
  foreign *f = self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    TVMFFIObjectDecRef(f->owned);
    if (f->watched != NULL) *f->deletes_seen = f->watched->strong_deletes;
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) free(f);
}

static foreign *new_foreign(TVMFFIObjectHandle owned) {
  foreign *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->header.combined_ref_count = TVMFFI_BOTH_ONE;
  f->header.type_index = kTVMFFIObject;
  f->header.deleter = delete_foreign;
  f->owned = owned;
  return f;
}

static void release(void *obj) {
  TVMFFIObjectDecRef(obj);
}

TEST(test_trees_are_destroyed_whole) {
  probe leaves[4];
  TVMFFIObjectHandle root, shared;
  int i;
  for (i = 0; i < 4; ++i) probe_init(&leaves[i]);
  shared = new_error(NULL, &leaves[3]);
  TVMFFIObjectIncRef(shared);
  root = new_error(new_error(new_error(shared, &leaves[0]), &leaves[1]), &leaves[2]);
  for (i = 0; i < 4; ++i) assert_int_equal(leaves[i].strong_deletes, 0);
  TVMFFIObjectDecRef(root);
  for (i = 0; i < 3; ++i) assert_int_equal(leaves[i].strong_deletes, 1);
  assert_int_equal(leaves[3].strong_deletes, 0);
  assert_int_equal(check_use_count(shared), 1);
  TVMFFIObjectDecRef(shared);
  assert_int_equal(leaves[3].strong_deletes, 1);
}

/*
 * An object that a foreign deleter releases is destroyed before the release returns, even while an
 * outer destruction has objects waiting; and those are destroyed in the end.
 */
static void check_seen_at_once(TVMFFIObjectHandle owned, const probe *watched) {
  int deletes_seen = -1;
  foreign *f = new_foreign(owned);
  probe waiting;
  probe_init(&waiting);
  f->watched = watched;
  f->deletes_seen = &deletes_seen;
  TVMFFIObjectDecRef(new_error(new_error(new_error(NULL, &waiting), f), NULL));
  assert_int_equal(deletes_seen, 1);
  assert_int_equal(waiting.strong_deletes, 1);
}

TEST(test_foreign_deleters_in_between) {
  probe p;
  probe_init(&p);
  check_seen_at_once(new_error(new_error(NULL, &p), NULL), &p);
  assert_int_equal(p.weak_deletes, 1);
}

TEST(test_foreign_deleters_and_weak_references) {
  TVMFFIObjectHandle error;
  probe p;
  probe_init(&p);
  error = new_error(new_error(NULL, &p), NULL);
  weak_retain(error);
  check_seen_at_once(error, &p);
  assert_int_equal(weak_count(error), 1);
  weak_release(error);
}

/* A new object must not be taken for the one that was just freed at the same address. */
static void delete_and_make_another(void *self, int flags) {
  foreign *f = self;
  probe *watched = (probe *)(uintptr_t)f->watched;
  int *deletes_seen = f->deletes_seen;
  assert_int_equal(flags, kTVMFFIObjectDeleterFlagBitMaskBoth);
  tvmffi_object_free(f, 0);
  TVMFFIObjectDecRef(new_error(NULL, watched));
  *deletes_seen = watched->strong_deletes;
}

TEST(test_foreign_deleters_and_recycled_memory) {
  size_t size_of_error = sizeof(TVMFFIObject) + sizeof(TVMFFIErrorCell) + sizeof(void *) + 3;
  foreign *f = tvmffi_object_new(size_of_error, kTVMFFIObject, delete_and_make_another);
  probe p;
  int deletes_seen = -1;
  probe_init(&p);
  assert_non_null(f);
  f->watched = &p;
  f->deletes_seen = &deletes_seen;
  TVMFFIObjectDecRef(new_error(NULL, f));
  assert_int_equal(deletes_seen, 1);
}

TEST(test_weak_references_to_what_waits) {
  TVMFFIObject *inner;
  TVMFFIObjectHandle root;
  probe p;
  probe_init(&p);
  inner = new_error(NULL, &p);
  weak_retain(inner);
  weak_retain(inner);
  root = new_error(new_error(inner, NULL), NULL);
  TVMFFIObjectDecRef(root);
  assert_int_equal(p.strong_deletes, 1);
  assert_false(weak_promote(inner));
  assert_int_equal(weak_count(inner), 2);
  assert_int_equal(inner->type_index, kTVMFFIError);
  assert_int_equal(inner->__padding, 0);
  weak_release(inner);
  weak_release(inner);
}

/* A client may replace our deleter by its own to observe the destruction, and call ours from it. */
static void (*deleter_behind)(void *self, int flags);
static int num_strong_deletes;

static void note_and_delete(void *self, int flags) {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) ++num_strong_deletes;
  deleter_behind(self, flags);
}

TEST(test_deleters_in_front_of_ours) {
  TVMFFIObject *inner;
  probe p;
  probe_init(&p);
  inner = new_error(NULL, &p);
  deleter_behind = inner->deleter;
  inner->deleter = note_and_delete;
  TVMFFIObjectDecRef(new_error(new_error(inner, NULL), NULL));
  assert_int_equal(num_strong_deletes, 1);
  assert_int_equal(p.strong_deletes, 1);
}

/* ---- A million levels ---- */

TEST(test_L_21_a_million_levels_in_a_small_stack) {
  TVMFFIObjectHandle chain = NULL;
  probe p;
  int i;
  probe_init(&p);
  for (i = 0; i < kLevels; ++i) {
    TVMFFIObjectIncRef(&p);
    chain = new_error(chain, &p);
  }
  thread_run(release, chain, kSmallStack);
  assert_int_equal(check_use_count(&p), 1);
}

TEST(test_L_21_a_million_levels_with_weak_references) {
  TVMFFIObjectHandle chain = NULL, *all = malloc(kLevels * sizeof *all);
  probe p;
  int i;
  assert_non_null(all);
  probe_init(&p);
  for (i = 0; i < kLevels; ++i) {
    TVMFFIObjectIncRef(&p);
    all[i] = chain = new_error(chain, &p);
    weak_retain(chain);
  }
  thread_run(release, chain, kSmallStack);
  assert_int_equal(check_use_count(&p), 1);
  for (i = 0; i < kLevels; ++i) weak_release(all[i]);
  free(all);
}

static int num_closures;

static void release_next(void *self) {
  --num_closures;
  TVMFFIObjectDecRef(self);
}

TEST(test_L_21_a_million_closures_in_a_small_stack) {
  TVMFFIObjectHandle chain = NULL;
  for (num_closures = 0; num_closures < kLevels; ++num_closures) {
    check_ok(TVMFFIFunctionCreate(chain, call_nothing, release_next, &chain));
  }
  thread_run(release, chain, kSmallStack);
  assert_int_equal(num_closures, 0);
}

TEST(test_L_21_a_million_levels_every_other_one_foreign) {
  TVMFFIObjectHandle chain = NULL;
  probe p;
  int i;
  probe_init(&p);
  for (i = 0; i < kLevels / 2; ++i) {
    TVMFFIObjectIncRef(&p);
    chain = new_error(NULL, new_foreign(new_error(chain, &p)));
  }
  thread_run(release, chain, kSmallStack);
  assert_int_equal(check_use_count(&p), 1);
}

RUN_TESTS({
    cmocka_unit_test(test_trees_are_destroyed_whole),
    cmocka_unit_test(test_foreign_deleters_in_between),
    cmocka_unit_test(test_foreign_deleters_and_weak_references),
    cmocka_unit_test(test_foreign_deleters_and_recycled_memory),
    cmocka_unit_test(test_weak_references_to_what_waits),
    cmocka_unit_test(test_deleters_in_front_of_ours),
    cmocka_unit_test(test_L_21_a_million_levels_in_a_small_stack),
    cmocka_unit_test(test_L_21_a_million_levels_with_weak_references),
    cmocka_unit_test(test_L_21_a_million_closures_in_a_small_stack),
    cmocka_unit_test(test_L_21_a_million_levels_every_other_one_foreign),
})

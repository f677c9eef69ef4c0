/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads initialise the same handles at once. */

#include "platform/compiler.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kHandles = 2000 };

typedef struct {
  void *handle;
  int num_calls;
  int value; /* written by the initialiser, read by every thread that finds the handle set */
} slot;

static slot slots[kHandles];

/* init_func has no argument, so this variable holds the slot of each thread's current call. */
static TVMFFI_THREAD_LOCAL slot *current;

static void run(void (*work)(void *arg, int index)) {
  expect_failures = 0;
  memset(slots, 0, sizeof slots);
  thread_run_many(kThreads, work, NULL);
  assert_int_equal(expect_failures, 0);
}

static int initialise(void **result) {
  slot *mine = current;
  ++mine->num_calls;
  mine->value = 42;
  *result = mine;
  return 0;
}

static void want(slot *wanted) {
  current = wanted;
  expect(TVMFFIHandleInitOnce(&wanted->handle, initialise) == 0);
  expect(tvmffi_atomic_load_acquire_ptr(&wanted->handle) == wanted);
  expect(wanted->value == 42);
}

static void want_all(void *arg, int index) {
  int i;
  (void)arg;
  (void)index;
  for (i = 0; i < kHandles; ++i) want(&slots[i]);
}

TEST(test_each_handle_is_initialised_once) {
  int i;
  run(want_all);
  for (i = 0; i < kHandles; ++i) assert_int_equal(slots[i].num_calls, 1);
}

/* The first two attempts fail, in whichever thread. */
static int fail_twice(void **result) {
  slot *mine = current;
  if (++mine->num_calls <= 2) return 9;
  mine->value = 42;
  *result = mine;
  return 0;
}

static int num_failed;

static void want_until_there(void *arg, int index) {
  int i;
  (void)arg;
  (void)index;
  for (i = 0; i < kHandles; ++i) {
    int code;
    current = &slots[i];
    while ((code = TVMFFIHandleInitOnce(&slots[i].handle, fail_twice)) != 0) {
      expect(code == 9);
      (void)__atomic_fetch_add(&num_failed, 1, __ATOMIC_RELAXED);
    }
    expect(slots[i].value == 42);
  }
}

TEST(test_after_a_failure_another_one_tries) {
  int i;
  num_failed = 0;
  run(want_until_there);
  assert_int_equal(num_failed, 2 * kHandles);
  for (i = 0; i < kHandles; ++i) assert_int_equal(slots[i].num_calls, 3);
}

/* L-4: each initialiser initialises the next handle; threads start at both ends of the chain. */
enum { kChain = 50 };

static int initialise_chain(void **result) {
  slot *mine = current;
  if ((mine - slots) % kChain != 0) {
    current = mine - 1;
    expect(TVMFFIHandleInitOnce(&current->handle, initialise_chain) == 0);
  }
  ++mine->num_calls;
  mine->value = 42;
  *result = mine;
  return 0;
}

static void want_chains(void *arg, int index) {
  int chain, i;
  (void)arg;
  for (chain = 0; chain < kHandles / kChain; ++chain) {
    for (i = 0; i < kChain; ++i) {
      int position = index % 2 == 0 ? i : kChain - 1 - i;
      current = &slots[chain * kChain + position];
      expect(TVMFFIHandleInitOnce(&current->handle, initialise_chain) == 0);
    }
  }
}

TEST(test_L_4_chains_of_initialisers) {
  int i;
  run(want_chains);
  for (i = 0; i < kHandles; ++i) assert_int_equal(slots[i].num_calls, 1);
}

/* Handles are closed while others initialise them: each one that was made is closed once. */
static int num_made, num_closed;

static int make(void **result) {
  (void)__atomic_fetch_add(&num_made, 1, __ATOMIC_RELAXED);
  *result = &num_made;
  return 0;
}

static int close_handle(void *handle) {
  expect(handle == &num_made);
  (void)__atomic_fetch_add(&num_closed, 1, __ATOMIC_RELAXED);
  return 0;
}

static void make_and_close(void *arg, int index) {
  int i;
  (void)arg;
  for (i = 0; i < 5000; ++i) {
    if ((i + index) % 2 == 0) {
      expect(TVMFFIHandleInitOnce(&slots[0].handle, make) == 0);
    } else {
      expect(TVMFFIHandleDeinitOnce(&slots[0].handle, close_handle) == 0);
    }
  }
}

TEST(test_what_was_made_is_closed_once) {
  num_made = num_closed = 0;
  run(make_and_close);
  check_ok(TVMFFIHandleDeinitOnce(&slots[0].handle, close_handle));
  assert_true(num_made > 0);
  assert_int_equal(num_closed, num_made);
}

RUN_TESTS({
    cmocka_unit_test(test_each_handle_is_initialised_once),
    cmocka_unit_test(test_after_a_failure_another_one_tries),
    cmocka_unit_test(test_L_4_chains_of_initialisers),
    cmocka_unit_test(test_what_was_made_is_closed_once),
})

/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/handle_table.h>

#include "support/check.h"
#include "support/thread.h"

/* Handles are blocks with their key, counted. */
typedef struct {
  const void *key;
} made;

static int num_made, num_released, fail;

static int create(void *context, const void *key, void **out) {
  made *self;
  if (context != NULL && key != context) return tvm_ffi_error_raise("Kind", "another context");
  if (fail == 1) return tvm_ffi_error_raise("Kind", "no program");
  if (fail == 2) return -1;
  self = (made *)malloc(sizeof *self);
  self->key = key;
  ++num_made;
  *out = self;
  return 0;
}

static void release(void *handle) {
  ++num_released;
  free(handle);
}

static const tvm_ffi_handle_maker kMaker = {create, release};

FIXTURE(setup) {
  num_made = num_released = fail = 0;
  return 0;
}

TEST(test_a_handle_per_key) {
  static tvm_ffi_handle_table table, other;
  int keys[40], i, round;
  void *first[40], *handle = NULL;
  for (round = 0; round < 2; ++round) {
    for (i = 0; i < 40; ++i) {
      check_ok(tvm_ffi_handle_table_read(&table, &keys[i], &kMaker, NULL, &handle));
      assert_ptr_equal(((made *)handle)->key, &keys[i]);
      if (round == 0) first[i] = handle;
      assert_ptr_equal(handle, first[i]);
    }
  }
  check_ok(tvm_ffi_handle_table_read(&table, NULL, &kMaker, NULL, &handle)); /* a key like others */
  assert_null(((made *)handle)->key);
  assert_int_equal(num_made, 41);
  check_ok(tvm_ffi_handle_table_read(&other, &keys[0], &kMaker, NULL, &handle));
  assert_ptr_not_equal(handle, first[0]);
  tvm_ffi_handle_table_clear(&table, &kMaker);
  assert_int_equal(num_released, 41);
  check_ok(tvm_ffi_handle_table_read(&table, &keys[0], &kMaker, NULL, &handle));
  assert_int_equal(num_made, 43);
  tvm_ffi_handle_table_clear(&table, &kMaker);
  tvm_ffi_handle_table_clear(&other, &kMaker);
  tvm_ffi_handle_table_clear(&other, &kMaker); /* nothing is left */
  assert_int_equal(num_released, 43);
}

TEST(test_a_handle_that_cannot_be_made) {
  static tvm_ffi_handle_table table;
  void *handle = &table;
  fail = 1;
  check_fails(tvm_ffi_handle_table_read(&table, &table, &kMaker, &table, &handle), "Kind",
              "no program");
  fail = 2;
  check_fails(tvm_ffi_handle_table_read(&table, &table, &kMaker, &table, &handle), "InternalError",
              "callee returned -1 without setting an error");
  assert_ptr_equal(handle, &table);
  fail = 0;
  check_ok(tvm_ffi_handle_table_read(&table, &table, &kMaker, &table, &handle));
  assert_int_equal(num_made, 1);
  tvm_ffi_handle_table_clear(&table, &kMaker);
}

/* ---- Threads that ask for the same keys ---- */

enum { kThreads = 4, kKeys = 300 };

static tvm_ffi_handle_table shared;
static char keys[kKeys];

static int create_any(void *context, const void *key, void **out) {
  (void)context;
  *out = malloc(1);
  *(char *)*out = *(const char *)key;
  return 0;
}

static const tvm_ffi_handle_maker kAny = {create_any, free};

static void ask(void *arg, int index) {
  void **got = (void **)arg + index * kKeys;
  int i;
  for (i = 0; i < kKeys; ++i) {
    if (tvm_ffi_handle_table_read(&shared, &keys[i], &kAny, NULL, &got[i]) != 0) got[i] = NULL;
  }
}

TEST(test_threads_get_the_same_handles) {
  static void *got[kThreads][kKeys];
  int i, k;
  for (i = 0; i < kKeys; ++i) keys[i] = (char)i;
  thread_run_many(kThreads, ask, got);
  for (i = 0; i < kKeys; ++i) {
    assert_non_null(got[0][i]);
    assert_int_equal(*(char *)got[0][i], keys[i]);
    for (k = 1; k < kThreads; ++k) assert_ptr_equal(got[k][i], got[0][i]);
    for (k = 0; k < i; ++k) assert_ptr_not_equal(got[0][i], got[0][k]);
  }
  tvm_ffi_handle_table_clear(&shared, &kAny);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_a_handle_per_key, setup),
    cmocka_unit_test_setup(test_a_handle_that_cannot_be_made, setup),
    cmocka_unit_test(test_threads_get_the_same_handles),
})

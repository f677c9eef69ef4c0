/* SPDX-License-Identifier: Apache-2.0 */
/* Types are registered while other threads look types up. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/type.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kTypes = 4000 };

static int32_t indices[kThreads][kTypes];
static int num_ready[kThreads]; /* how many of them are registered */

static int32_t register_type(const char *key, int32_t depth, int32_t parent) {
  TVMFFIByteArray bytes = check_bytes(key);
  return TVMFFITypeGetOrAllocIndex(&bytes, -1, depth, 0, 1, parent);
}

/* Checks that a type is found, by index and by key, and is complete. */
static void check_type(const char *key, int32_t index, int32_t depth, int32_t parent) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(index);
  TVMFFIByteArray bytes = check_bytes(key);
  int32_t found = -1;
  expect(info != NULL);
  if (info == NULL) return;
  expect(info->type_index == index);
  expect(strcmp(info->type_key.data, key) == 0);
  expect(info->type_depth == depth);
  expect(info->type_ancestors[depth - 1]->type_index == parent);
  expect(TVMFFITypeKeyToIndex(&bytes, &found) == 0);
  expect(found == index);
  expect(register_type(key, depth, -2) == index);
  expect(index < tvmffi_type_end());
}

static void run(void (*work)(void *arg, int index)) {
  expect_failures = 0;
  memset(num_ready, 0, sizeof num_ready);
  thread_run_many(kThreads, work, NULL);
  assert_int_equal(expect_failures, 0);
}

static void register_same(void *arg, int index) {
  char key[32];
  int i;
  (void)arg;
  for (i = 0; i < kTypes; ++i) {
    (void)snprintf(key, sizeof key, "my.%d", i);
    indices[index][i] = register_type(key, 1, kTVMFFIObject);
    check_type(key, indices[index][i], 1, kTVMFFIObject);
  }
}

TEST(test_one_key_has_one_index) {
  int i, thread;
  run(register_same);
  for (i = 0; i < kTypes; ++i) {
    for (thread = 1; thread < kThreads; ++thread) {
      assert_int_equal(indices[thread][i], indices[0][i]);
    }
  }
  assert_int_equal(tvmffi_type_end(), kTvmffiFirstClientType + kTypes);
}

/* Each thread has a parent with slots of its own, and looks at types of the next thread. */
static void register_own(void *arg, int index) {
  int next = (index + 1) % kThreads, i;
  char key[32];
  int32_t parent;
  (void)arg;
  (void)snprintf(key, sizeof key, "my.Parent%d", index);
  {
    TVMFFIByteArray bytes = check_bytes(key);
    parent = TVMFFITypeGetOrAllocIndex(&bytes, -1, 1, kTypes / 2, 1, kTVMFFIObject);
  }
  expect(parent >= kTvmffiFirstClientType);
  for (i = 0; i < kTypes; ++i) {
    int seen;
    (void)snprintf(key, sizeof key, "my.%d.%d", index, i);
    indices[index][i] = register_type(key, 2, parent);
    check_type(key, indices[index][i], 2, parent);
    tvmffi_atomic_store_release_int(&num_ready[index], i + 1);
    seen = tvmffi_atomic_load_acquire_int(&num_ready[next]);
    if (seen > 0) {
      const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(indices[next][seen - 1]);
      (void)snprintf(key, sizeof key, "my.%d.%d", next, seen - 1);
      expect(info != NULL);
      if (info != NULL) {
        check_type(key, info->type_index, 2, info->type_ancestors[1]->type_index);
      }
    }
  }
}

TEST(test_no_index_is_given_out_twice) {
  static char is_taken[kTvmffiFirstClientType + kThreads * (kTypes + kTypes / 2 + 1) + 1];
  int thread, i;
  run(register_own);
  memset(is_taken, 0, sizeof is_taken);
  for (thread = 0; thread < kThreads; ++thread) {
    for (i = 0; i < kTypes; ++i) {
      int32_t index = indices[thread][i];
      assert_true(index >= kTvmffiFirstClientType && (size_t)index < sizeof is_taken);
      assert_false(is_taken[index]);
      is_taken[index] = 1;
    }
  }
}

/* Every index has either no type or a complete one. */
static void register_or_scan(void *arg, int index) {
  int32_t i, seen = 0;
  (void)arg;
  if (index == 0) {
    register_same(NULL, 0);
    tvmffi_atomic_store_release_int(&num_ready[0], 1);
    return;
  }
  while (!tvmffi_atomic_load_acquire_int(&num_ready[0])) {
    int32_t end = tvmffi_type_end();
    expect(end >= seen);
    seen = end;
    for (i = end - 20; i < end + 20; ++i) {
      const tvmffi_type_record *record = tvmffi_type_find(i);
      if (record == NULL) continue;
      expect(record->info.type_index == i);
      expect(strlen(record->info.type_key.data) == record->info.type_key.size);
    }
  }
}

TEST(test_scanning_sees_whole_types) {
  run(register_or_scan);
}

/* The first look-up after a start, in several threads. */
static void look_up_first(void *arg, int index) {
  static const char *const kKeys[] = {"ffi.String", "ffi.Object", "None", "ffi.BigInt"};
  static const int32_t kIndices[] = {kTVMFFIStr, kTVMFFIObject, kTVMFFINone, kTVMFFIBigInt};
  TVMFFIByteArray key = check_bytes(kKeys[index]);
  int32_t found = -1;
  (void)arg;
  expect(TVMFFITypeKeyToIndex(&key, &found) == 0);
  expect(found == kIndices[index]);
}

TEST(test_first_look_up) {
  int round;
  for (round = 0; round < 50; ++round) {
    run(look_up_first);
    check_ok(TVMFFIRuntimeShutdown());
  }
}

/* The first look-up by index happens once per process, so this test runs before all others. */
static void look_up_first_by_index(void *arg, int index) {
  static const int32_t kIndices[] = {kTVMFFIStr, kTVMFFIObject, kTVMFFINone, kTVMFFIBigInt};
  static const char *const kKeys[] = {"ffi.String", "ffi.Object", "None", "ffi.BigInt"};
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kIndices[index]);
  (void)arg;
  expect(info != NULL && info->type_index == kIndices[index]);
  expect(info != NULL && strcmp(info->type_key.data, kKeys[index]) == 0);
  expect(tvmffi_type_find(14) == NULL);
}

TEST(test_first_look_up_by_index) {
  run(look_up_first_by_index);
}

RUN_TESTS({
    test_and_shut_down(test_first_look_up_by_index),
    test_and_shut_down(test_one_key_has_one_index),
    test_and_shut_down(test_no_index_is_given_out_twice),
    test_and_shut_down(test_scanning_sees_whole_types),
    test_and_shut_down(test_first_look_up),
})

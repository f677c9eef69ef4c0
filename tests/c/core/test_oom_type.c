/* SPDX-License-Identifier: Apache-2.0 */

#include "core/type.h"
#include "support/check.h"
#include "support/oom.h"

typedef struct {
  char key[256];
  int32_t depth;
  int32_t num_slots;
  int32_t parent;
  int32_t index; /* out */
  int32_t end;   /* tvmffi_type_end before the registration */
} job;

static int register_type(void *context) {
  job *j = context;
  TVMFFIByteArray key = check_bytes(j->key);
  j->index = TVMFFITypeGetOrAllocIndex(&key, -1, j->depth, j->num_slots, 1, j->parent);
  return j->index >= 0 ? 0 : j->index;
}

static void not_registered(void *context) {
  const job *j = context;
  TVMFFIByteArray key = check_bytes(j->key);
  assert_int_equal(j->index, -1);
  assert_int_equal(TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, -2), -2);
  assert_int_equal(tvmffi_type_end(), j->end);
}

/* Registers a type while each allocation fails once; returns its index. */
static int32_t add(job *j, const char *key, int32_t depth, int32_t num_slots, int32_t parent) {
  assert_true(strlen(key) < sizeof j->key);
  strcpy(j->key, key);
  j->depth = depth;
  j->num_slots = num_slots;
  j->parent = parent;
  j->end = tvmffi_type_end();
  assert_true(oom_check(register_type, not_registered, NULL, j, 1) > 0);
  assert_string_equal(TVMFFIGetTypeInfo(j->index)->type_key.data, key);
  return j->index;
}

TEST(test_no_index_is_lost) {
  char key[32];
  int32_t i;
  job j;
  for (i = 0; i < 200; ++i) { /* the table of keys grows several times */
    (void)snprintf(key, sizeof key, "my.%d", (int)i);
    assert_int_equal(add(&j, key, 1, 0, kTVMFFIObject), kTvmffiFirstClientType + i);
  }
}

TEST(test_no_slot_is_lost) {
  int32_t parent, i;
  char key[32];
  job j;
  parent = add(&j, "my.Parent", 1, 20, kTVMFFIObject);
  for (i = 0; i < 20; ++i) {
    (void)snprintf(key, sizeof key, "my.Child%d", (int)i);
    j.end = tvmffi_type_end();
    assert_int_equal(add(&j, key, 2, 0, parent), parent + 1 + i);
  }
  assert_int_equal(add(&j, "my.Next", 1, 0, kTVMFFIObject), parent + 21);
}

TEST(test_a_new_segment) {
  job j;
  (void)add(&j, "my.Wide", 1, 5000, kTVMFFIObject);
  assert_int_equal(add(&j, "my.Far", 1, 0, kTVMFFIObject), kTvmffiFirstClientType + 5001);
}

static int look_up(void *context) {
  TVMFFIByteArray key = check_bytes("ffi.String");
  return TVMFFITypeKeyToIndex(&key, &((job *)context)->index);
}

static void not_looked_up(void *context) {
  assert_int_equal(((job *)context)->index, -7);
}

TEST(test_the_first_look_up_of_all) {
  job j;
  j.index = -7;
  assert_int_equal(oom_check(look_up, not_looked_up, NULL, &j, 1), 1);
  assert_int_equal(j.index, kTVMFFIStr);
  assert_int_equal(oom_check(look_up, NULL, NULL, &j, 0), 0); /* later look-ups need no memory */
}

/* Without memory for the error, MemoryError is raised. */
TEST(test_refusals) {
  job j;
  strcpy(j.key, "my.T");
  (void)add(&j, "my.T", 1, 0, kTVMFFIObject);
  j.depth = 2;
  oom_fail_after(0);
  assert_int_equal(register_type(&j), -1);
  check_raised("MemoryError", NULL);
  oom_fail_after(0);
  assert_null(TVMFFIGetTypeInfo(4000));
  check_raised("MemoryError", NULL);
  oom_fail_after(-1);
}

RUN_OOM_TESTS({
    test_and_oom_shut_down(test_no_index_is_lost),
    test_and_oom_shut_down(test_no_slot_is_lost),
    test_and_oom_shut_down(test_a_new_segment),
    test_and_oom_shut_down(test_the_first_look_up_of_all),
    test_and_oom_shut_down(test_refusals),
})

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/string_object.h"
#include "support/check.h"
#include "support/weak.h"

FIXTURE(switch_on) {
  return TVMFFIRuntimeSetLiveObjectCounting(1);
}

FIXTURE(switch_off) {
  return TVMFFIRuntimeSetLiveObjectCounting(0);
}

static void check_count(int32_t type_index, int64_t expected) {
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(type_index), expected);
}

static TVMFFIObjectHandle new_error(void) {
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  return error;
}

TEST(test_off_at_first) {
  TVMFFIObjectHandle error = new_error();
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(error);
}

TEST(test_objects_are_counted_by_type) {
  TVMFFIObjectHandle first = new_error(), second = new_error();
  TVMFFIObject *string = tvmffi_string_new(kTVMFFIStr, "text", 4);
  assert_non_null(string);
  check_count(kTVMFFIAny, 3);
  check_count(kTVMFFIError, 2);
  check_count(kTVMFFIStr, 1);
  check_count(kTVMFFIFunction, 0);
  check_count(kTVMFFIObject, 0); /* objects of derived types do not count */
  TVMFFIObjectDecRef(first);
  check_count(kTVMFFIAny, 2);
  check_count(kTVMFFIError, 1);
  TVMFFIObjectDecRef(second);
  TVMFFIObjectDecRef(string);
  check_count(kTVMFFIAny, 0);
}

TEST(test_raised_errors_are_alive) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "");
  check_count(kTVMFFIError, 1);
  TVMFFIErrorSetRaised(NULL);
  check_count(kTVMFFIError, 0);
}

TEST(test_weak_references_keep_an_object_in_the_count) {
  TVMFFIObjectHandle error = new_error();
  weak_retain(error);
  TVMFFIObjectDecRef(error);
  check_count(kTVMFFIError, 1); /* weakly referenced memory counts as a leak */
  weak_release(error);
  check_count(kTVMFFIError, 0);
}

TEST(test_older_objects_do_not_count) {
  TVMFFIObjectHandle older, counted;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  older = new_error();
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  check_count(kTVMFFIAny, 0);
  counted = new_error();
  TVMFFIObjectDecRef(older);
  check_count(kTVMFFIAny, 1);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(7)); /* switched on again: starts at zero */
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(counted);
  check_count(kTVMFFIAny, 0);
}

TEST(test_switching_off_forgets) {
  TVMFFIObjectHandle error = new_error();
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(error);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  error = new_error();
  tvmffi_live_shutdown();
  check_count(kTVMFFIAny, 0);
  TVMFFIObjectDecRef(error);
}

/* The set grows several times, and objects are removed from its middle, front and back. */
TEST(test_many_objects) {
  enum { kMany = 6000 };
  static TVMFFIObjectHandle all[kMany];
  int i, left = kMany;
  for (i = 0; i < kMany; ++i) all[i] = new_error();
  check_count(kTVMFFIError, kMany);
  for (i = 0; i < kMany; ++i) { /* 7 and kMany are coprime: each once, far apart */
    TVMFFIObjectDecRef(all[(kMany / 2 + i * 7) % kMany]);
    --left;
    if (i % 500 == 0) check_count(kTVMFFIError, left);
  }
  check_count(kTVMFFIError, 0);
}

/* Made-up addresses that collide in the set; they are never dereferenced. */
TEST(test_addresses_of_all_kinds) {
  enum { kKinds = 700 };
  static int is_in[kKinds];
  uint32_t random = 1;
  int i, round, expected = 0;
  for (round = 0; round < 20000; ++round) {
    uintptr_t address;
    random = random * 1664525u + 1013904223u;
    i = (int)((random >> 8) % kKinds);
    address = ((uintptr_t)i * (uintptr_t)i * 7919 + 1) * 16;
    if (is_in[i]) {
      tvmffi_live_remove((const void *)address);
    } else {
      assert_true(tvmffi_live_add((const void *)address, 1000 + i));
    }
    is_in[i] = !is_in[i];
    expected += is_in[i] ? 1 : -1;
    check_count(1000 + i, is_in[i]);
    if (round % 100 == 0) check_count(kTVMFFIAny, expected);
  }
  check_count(kTVMFFIAny, expected);
}

RUN_TESTS({
    cmocka_unit_test(test_off_at_first),
    cmocka_unit_test_setup_teardown(test_objects_are_counted_by_type, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_raised_errors_are_alive, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_weak_references_keep_an_object_in_the_count, switch_on,
                                    switch_off),
    cmocka_unit_test_setup_teardown(test_older_objects_do_not_count, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_switching_off_forgets, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_many_objects, switch_on, switch_off),
    cmocka_unit_test_setup_teardown(test_addresses_of_all_kinds, switch_on, switch_off),
})

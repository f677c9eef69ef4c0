/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of TVMFFIObjectCreateOpaque (core/object.c). */
#include "support/check.h"
#include "support/weak.h"

static int num_deleted;
static void *last_deleted;

static void note_deleted(void *handle) {
  ++num_deleted;
  last_deleted = handle;
}

FIXTURE(reset) {
  num_deleted = 0;
  last_deleted = &num_deleted;
  return 0;
}

TEST(test_the_deleter_runs_once) {
  TVMFFIObjectHandle obj;
  int wrapped;
  check_ok(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, note_deleted, &obj));
  assert_int_equal(TVMFFIObjectGetTypeIndex(obj), kTVMFFIOpaquePyObject);
  assert_int_equal(check_use_count(obj), 1);
  assert_ptr_equal(TVMFFIOpaqueObjectGetCellPtr(obj)->handle, &wrapped);
  TVMFFIObjectIncRef(obj);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 0);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 1);
  assert_ptr_equal(last_deleted, &wrapped);
}

TEST(test_null_handles_are_wrapped_too) {
  TVMFFIObjectHandle obj;
  check_ok(TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, note_deleted, &obj));
  assert_null(TVMFFIOpaqueObjectGetCellPtr(obj)->handle);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 1);
  assert_null(last_deleted);
}

TEST(test_no_deleter) {
  TVMFFIObjectHandle obj;
  int wrapped;
  check_ok(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, NULL, &obj));
  TVMFFIObjectDecRef(obj);
}

TEST(test_the_deleter_does_not_wait_for_weak_references) {
  TVMFFIObjectHandle obj;
  int wrapped;
  check_ok(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, note_deleted, &obj));
  weak_retain(obj);
  TVMFFIObjectDecRef(obj);
  assert_int_equal(num_deleted, 1);
  weak_release(obj);
  assert_int_equal(num_deleted, 1);
}

static void test_refusals_leave_the_handle_alone(void **state) {
  static const int32_t kIndices[] = {-1, 0, kTVMFFIObject, kTVMFFIModule, kTVMFFIList, 128};
  TVMFFIObjectHandle obj = (void *)state;
  int wrapped;
  size_t i;
  for (i = 0; i < sizeof kIndices / sizeof kIndices[0]; ++i) {
    check_fails(TVMFFIObjectCreateOpaque(&wrapped, kIndices[i], note_deleted, &obj), "RuntimeError",
                "Only kTVMFFIOpaquePyObject is supported for now");
  }
  check_fails_with(TVMFFIObjectCreateOpaque(&wrapped, kTVMFFIOpaquePyObject, note_deleted, NULL),
                   "ValueError", "`out`");
  assert_int_equal(num_deleted, 0);
  assert_ptr_equal(obj, state);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_the_deleter_runs_once, reset),
    cmocka_unit_test_setup(test_null_handles_are_wrapped_too, reset),
    cmocka_unit_test_setup(test_no_deleter, reset),
    cmocka_unit_test_setup(test_the_deleter_does_not_wait_for_weak_references, reset),
    cmocka_unit_test_setup(test_refusals_leave_the_handle_alone, reset),
})

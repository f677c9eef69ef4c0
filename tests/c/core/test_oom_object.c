/* SPDX-License-Identifier: Apache-2.0 */
/* Plain objects, opaque ones (core/object.c), and bodies of core/object.c. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/object.h"

#include "support/check.h"
#include "support/oom.h"

typedef struct {
  TVMFFIObjectHandle obj;
  int num_deleted;
} job;

static void note_deleted(void *context) {
  ++((job *)context)->num_deleted;
}

static void unchanged(void *context) {
  const job *j = context;
  assert_null(j->obj);
  assert_int_equal(j->num_deleted, 0);
}

static int make_plain(void *context) {
  job *j = context;
  j->obj = tvmffi_object_new(100, kTVMFFIObject, tvmffi_object_delete_plain);
  return j->obj != NULL ? 0 : -1;
}

TEST(test_plain_objects) {
  job j = {NULL, 0};
  assert_int_equal(oom_check(make_plain, unchanged, oom_release_object, &j, 0), 1);
}

TEST(test_alloc_raises_nothing) {
  oom_fail_after(0);
  assert_null(tvmffi_object_alloc(100, 0, kTVMFFIObject, tvmffi_object_delete_plain));
  check_not_raised();
}

static int make_opaque(void *context) {
  job *j = context;
  return TVMFFIObjectCreateOpaque(j, kTVMFFIOpaquePyObject, note_deleted, &j->obj);
}

TEST(test_F_15_opaque_objects) {
  job j = {NULL, 0};
  assert_int_equal(oom_check(make_opaque, unchanged, oom_release_object, &j, 0), 1);
  assert_int_equal(j.num_deleted, 1); /* the deletion of the object that was made */
}

static int make_body(void *context) {
  TVMFFICustomAllocator *allocator = TVMFFIGetCustomAllocator();
  *(void **)context = allocator->allocate(24, 64, kTVMFFIObject, allocator->context);
  return *(void **)context != NULL ? 0 : -1;
}

static void free_body(void *context) {
  char *body = *(void **)context;
  TVMFFIObjectAllocHeader header;
  memcpy(&header, body - sizeof header, sizeof header);
  header.delete_space(body);
}

TEST(test_bodies_of_the_custom_allocator) {
  void *body = NULL;
  assert_int_equal(oom_check(make_body, NULL, free_body, &body, 0), 1);
}

/* ---- While live objects are counted ---- */

enum { kMany = 1200 };

typedef struct {
  TVMFFIObjectHandle all[kMany];
  size_t count;
} job_live;

static int make_next(void *context) {
  job_live *j = context;
  int rc = TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, NULL, &j->all[j->count]);
  if (rc == 0) ++j->count;
  return rc;
}

static void check_count(void *context) {
  const job_live *j = context;
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), j->count);
}

/* While objects are counted, one that cannot be counted is not made. */
TEST(test_objects_while_counting) {
  static job_live j;
  long failures = 0;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  while (j.count < kMany) {
    failures += oom_check(make_next, check_count, NULL, &j, 1);
    check_count(&j);
  }
  assert_in_range(failures, kMany + 2, kMany + 10); /* plus the growths of the set itself */
  while (j.count != 0) {
    TVMFFIObjectDecRef(j.all[--j.count]);
    if (j.count % 100 == 0) check_count(&j);
  }
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_the_set_grows_with_what_is_alive) {
  static job_live j;
  size_t allocations;
  int i;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  allocations = oom_allocations();
  for (i = 0; i < 5000; ++i) {
    check_ok(make_next(&j));
    TVMFFIObjectDecRef(j.all[--j.count]);
  }
  assert_int_equal(oom_allocations(), allocations + 5000 + 1);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  assert_int_equal(oom_live_blocks(), 0);
}

/* An error that cannot be counted is not raised; the static MemoryError needs no counting. */
TEST(test_raising_while_counting) {
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  oom_fail_after(1); /* the error is allocated, the set is not */
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  check_raised("MemoryError", NULL);
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  assert_int_equal(oom_live_blocks(), 0);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_plain_objects),
    cmocka_unit_test(test_alloc_raises_nothing),
    cmocka_unit_test(test_F_15_opaque_objects),
    cmocka_unit_test(test_bodies_of_the_custom_allocator),
    cmocka_unit_test(test_objects_while_counting),
    cmocka_unit_test(test_the_set_grows_with_what_is_alive),
    cmocka_unit_test(test_raising_while_counting),
})

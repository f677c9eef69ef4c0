/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"
#include "support/oom.h"

enum { kMany = 1200 };

typedef struct {
  TVMFFIObjectHandle all[kMany];
  size_t count;
} job;

static int make_next(void *context) {
  job *j = context;
  int rc = TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, NULL, &j->all[j->count]);
  if (rc == 0) ++j->count;
  return rc;
}

static void check_count(void *context) {
  const job *j = context;
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), j->count);
}

/* While objects are counted, one that cannot be counted is not made. */
static void test_objects_while_counting(void **state) {
  static job j;
  long failures = 0;
  (void)state;
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

static void test_the_set_grows_with_what_is_alive(void **state) {
  static job j;
  size_t allocations;
  int i;
  (void)state;
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
static void test_raising_while_counting(void **state) {
  (void)state;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  oom_fail_after(1); /* the error is allocated, the set is not */
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  check_raised("MemoryError", NULL);
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  assert_int_equal(oom_live_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_objects_while_counting),
      cmocka_unit_test(test_the_set_grows_with_what_is_alive),
      cmocka_unit_test(test_raising_while_counting),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

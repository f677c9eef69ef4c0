/* SPDX-License-Identifier: Apache-2.0 */
#include "core/function.h"

#include "support/check.h"
#include "support/oom.h"

typedef struct {
  TVMFFIObjectHandle function;
  void *self;
  void (*deleter)(void *self);
  int num_deleted;
} job;

static void note_deleted(void *context) {
  ++((job *)context)->num_deleted;
}

/* Fails with an error of the kind in its handle or, if that is empty, without an error. */
static int fail_with(void *kind, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  (void)result;
  if (strcmp(kind, "") != 0) TVMFFIErrorSetRaisedFromCStr(kind, "message");
  return -1;
}

static int make(void *context) {
  job *j = context;
  return TVMFFIFunctionCreate(j->self, fail_with, j->deleter, &j->function);
}

static void unchanged(void *context) {
  const job *j = context;
  assert_null(j->function);
  assert_int_equal(j->num_deleted, 0);
}

TEST(test_F_15_functions) {
  job j = {NULL, NULL, NULL, 0};
  assert_int_equal(oom_check(make, unchanged, oom_release_object, &j, 0), 1);
  j.self = &j;
  assert_int_equal(oom_check(make, unchanged, oom_release_object, &j, 0), 1);
  assert_int_equal(j.num_deleted, 0);
  j.deleter = note_deleted;
  assert_int_equal(oom_check(make, unchanged, oom_release_object, &j, 0), 1);
  assert_int_equal(j.num_deleted, 1); /* the deletion of the function that was created */
}

/* Every failed call raises an error. */
static void check_error_of_call(char *kind, const char *expected_kind) {
  TVMFFIObjectHandle function;
  TVMFFIAny result;
  check_ok(TVMFFIFunctionCreate(kind, fail_with, NULL, &function));
  oom_fail_after(0);
  assert_int_equal(tvmffi_function_call_foreign(function, NULL, 0, &result), -1);
  check_raised("MemoryError", NULL);
  assert_int_equal(tvmffi_function_call_foreign(function, NULL, 0, &result), -1);
  check_raised(expected_kind, NULL);
  TVMFFIObjectDecRef(function);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_L_13_errors_of_calls) {
  static char raises[] = "KeyError", raises_nothing[] = "";
  check_error_of_call(raises, "KeyError");
  check_error_of_call(raises_nothing, "InternalError");
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_F_15_functions),
    cmocka_unit_test(test_L_13_errors_of_calls),
})

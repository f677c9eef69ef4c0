/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "core/tensor.h"
#include "support/check.h"
#include "support/oom.h"

static int make(void *out) {
  const int64_t dims[2] = {2, 3};
  TVMFFIObject *shape = tvmffi_shape_new(dims, 2);
  if (shape == NULL) return -1;
  *(TVMFFIAny *)out = tvmffi_any_object(shape);
  return 0;
}

static int make_from_args(void *out) {
  TVMFFIAny args[2];
  args[0] = args[1] = tvmffi_any_int(4);
  return tvmffi_shape_from_args(args, 2, out);
}

static void unchanged(void *out) {
  static const TVMFFIAny none;
  assert_memory_equal(out, &none, sizeof none);
}

static void undo(void *out) {
  check_release(out);
}

static void test_one_allocation_each(void **state) {
  TVMFFIAny out = tvmffi_any_none();
  (void)state;
  assert_int_equal(oom_check(make, unchanged, undo, &out, 0), 1);
  assert_int_equal(oom_check(make_from_args, unchanged, undo, &out, 0), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_allocation_each)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

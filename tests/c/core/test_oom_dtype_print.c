/* SPDX-License-Identifier: Apache-2.0 */
#include "c/dtype_table.h"
#include "support/oom.h"

typedef struct {
  DLDataType dtype;
  TVMFFIAny out;
} job;

static int print(void *context) {
  job *j = context;
  return TVMFFIDataTypeToString(&j->dtype, &j->out);
}

static void unchanged(void *context) {
  static const TVMFFIAny none;
  assert_memory_equal(&((job *)context)->out, &none, sizeof none);
}

static void undo(void *context) {
  check_release(&((job *)context)->out);
}

static void test_one_allocation_each(void **state) {
  job j;
  size_t i;
  (void)state;
  memset(&j, 0, sizeof j);
  for (i = 0; i < NUM_ROWS(kDTypes); ++i) {
    j.dtype = kDTypes[i].dtype;
    assert_int_equal(oom_check(print, unchanged, undo, &j, 0), 1);
  }
}

static void test_custom_types(void **state) {
  TVMFFIAny warm_up;
  job j;
  (void)state;
  register_customs();
  custom_name = tvmffi_any_raw_str("a name on the heap");
  memset(&j, 0, sizeof j);
  j.dtype = kCustomDTypes[0].dtype;
  check_ok(TVMFFIDataTypeToString(&j.dtype, &warm_up)); /* allocates what the look-up keeps */
  check_release(&warm_up);
  assert_int_equal(oom_check(print, unchanged, undo, &j, 0), 3); /* the name, a buffer, the text */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_allocation_each),
      cmocka_unit_test(test_custom_types),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, shut_down) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "c/dtype_table.h"
#include "support/oom.h"

typedef struct {
  const char *text;
  DLDataType out;
} job;

static int parse_job(void *context) {
  job *j = context;
  TVMFFIByteArray text = check_bytes(j->text);
  return TVMFFIDataTypeFromString(&text, &j->out);
}

static void unchanged(void *context) {
  assert_int_equal(((job *)context)->out.code, 99);
}

/* Counts the allocations that parsing a text makes. */
static long count(const char *text) {
  job j;
  memset(&j, 0, sizeof j);
  j.text = text;
  j.out.code = 99;
  return oom_check(parse_job, unchanged, NULL, &j, 0);
}

TEST(test_built_in_types_need_no_memory) {
  size_t i;
  for (i = 0; i < NUM_ROWS(kDTypes); ++i) assert_int_equal(count(kDTypes[i].text), 0);
}

TEST(test_long_custom_names) {
  TVMFFIByteArray text = check_bytes("custom[foo]");
  DLDataType warm_up;
  register_customs();
  check_ok(TVMFFIDataTypeFromString(&text, &warm_up)); /* allocates what the look-up keeps */
  assert_int_equal(count("custom[foo]"), 0);
  assert_int_equal(count("custom[a name that is so long that the parser makes room for it with an "
                         "allocation]"),
                   1);
}

/* ---- Printing ---- */

typedef struct {
  TVMFFIAny out;
  DLDataType dtype;
} job_print;

static int print(void *context) {
  job_print *j = context;
  return TVMFFIDataTypeToString(&j->dtype, &j->out);
}

TEST(test_one_allocation_each) {
  job_print j;
  size_t i;
  memset(&j, 0, sizeof j);
  for (i = 0; i < NUM_ROWS(kDTypes); ++i) {
    j.dtype = kDTypes[i].dtype;
    assert_int_equal(oom_check(print, oom_no_result, oom_release_result, &j, 0), 1);
  }
}

TEST(test_custom_types) {
  TVMFFIAny warm_up;
  job_print j;
  register_customs();
  custom_name = tvmffi_any_raw_str("a name on the heap");
  memset(&j, 0, sizeof j);
  j.dtype = kCustomDTypes[0].dtype;
  check_ok(TVMFFIDataTypeToString(&j.dtype, &warm_up)); /* allocates what the look-up keeps */
  check_release(&warm_up);
  assert_int_equal(oom_check(print, oom_no_result, oom_release_result, &j, 0),
                   3); /* the name, a buffer, the text */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_built_in_types_need_no_memory),
      cmocka_unit_test(test_long_custom_names),
      cmocka_unit_test(test_one_allocation_each),
      cmocka_unit_test(test_custom_types),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}

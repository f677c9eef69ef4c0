/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"

#include "core/string_object.h"
#include "support/check.h"
#include "support/oom.h"

typedef struct {
  TVMFFIAny out, view;
} job;

static int make(void *context) {
  job *j = context;
  return TVMFFIAnyViewToOwnedAny(&j->view, &j->out);
}

TEST(test_text_and_bytes) {
  TVMFFIByteArray bytes = check_bytes("bytes on the heap");
  job j;
  j.out = tvmffi_any_none();
  j.view = tvmffi_any_raw_str("text on the heap");
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 1);
  j.view = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes);
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 1);
}

TEST(test_what_is_only_copied) {
  job j;
  j.out = tvmffi_any_none();
  j.view = tvmffi_any_raw_str("text");
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 0);
  j.view = tvmffi_any_int(1);
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &j, 0), 0);
}

/* ---- Strings and bytes ---- */

typedef struct {
  TVMFFIAny out;
  int (*make)(const TVMFFIByteArray *input, TVMFFIAny *out);
  TVMFFIByteArray input;
} text_job;

static int make_text(void *context) {
  text_job *j = context;
  return j->make(&j->input, &j->out);
}

TEST(test_one_allocation_each) {
  text_job j;
  memset(&j, 0, sizeof j);
  j.input = check_bytes("8 bytes!");
  j.make = TVMFFIStringFromByteArray;
  assert_int_equal(oom_check(make_text, oom_no_result, oom_release_result, &j, 0), 1);
  j.make = TVMFFIBytesFromByteArray;
  assert_int_equal(oom_check(make_text, oom_no_result, oom_release_result, &j, 0), 1);
}

TEST(test_small_ones_need_none) {
  text_job j;
  memset(&j, 0, sizeof j);
  j.input = check_bytes("7 bytes");
  j.make = TVMFFIStringFromByteArray;
  assert_int_equal(oom_check(make_text, oom_no_result, oom_release_result, &j, 0), 0);
  j.make = TVMFFIBytesFromByteArray;
  assert_int_equal(oom_check(make_text, oom_no_result, oom_release_result, &j, 0), 0);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_text_and_bytes),
    cmocka_unit_test(test_what_is_only_copied),
    cmocka_unit_test(test_one_allocation_each),
    cmocka_unit_test(test_small_ones_need_none),
})

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
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

RUN_OOM_TESTS({
    cmocka_unit_test(test_text_and_bytes),
    cmocka_unit_test(test_what_is_only_copied),
})

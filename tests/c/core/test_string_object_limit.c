/* SPDX-License-Identifier: Apache-2.0 */
#include "core/string_object.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"

TEST(test_the_limit_before_is_returned) {
  assert_int_equal(TVMFFIRuntimeSetTextLimit(1000), 1 << 30);
  assert_int_equal(tvmffi_text_limit_get(), 1000);
  assert_int_equal(TVMFFIRuntimeSetTextLimit(UINT64_MAX), 1000);
  assert_true(tvmffi_text_limit_get() >= SIZE_MAX - 1);
  assert_true(TVMFFIRuntimeSetTextLimit(0) == UINT64_MAX);
  assert_int_equal(tvmffi_text_limit_get(), 1 << 30);
}

TEST(test_shutdown_restores_the_default) {
  (void)TVMFFIRuntimeSetTextLimit(1000);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(tvmffi_text_limit_get(), 1 << 30);
}

TEST(test_a_text_that_failed) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  text.max_size = 3;
  tvmffi_buf_append(&text, "abc", 3);
  assert_false(text.failed);
  tvmffi_buf_append(&text, "d", 1);
  assert_true(text.failed);
  check_fails(tvmffi_text_limit_fail("ffi.Test", &text), "ValueError",
              "ffi.Test: the text is longer than the limit of 3 bytes (TVMFFIRuntimeSetTextLimit)");
  text.is_too_long = false;
  check_fails(tvmffi_text_limit_fail("ffi.Test", &text), "MemoryError", NULL);
  tvmffi_buf_fini(&text);
}

RUN_TESTS({
    cmocka_unit_test(test_the_limit_before_is_returned),
    cmocka_unit_test(test_shutdown_restores_the_default),
    cmocka_unit_test(test_a_text_that_failed),
})

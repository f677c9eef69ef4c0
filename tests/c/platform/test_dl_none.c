/* SPDX-License-Identifier: Apache-2.0 */
/* Where no libraries can be loaded: what callers learn of it. */
#include "base/buf.h"
#include "c/module_support.h"
#include "platform/platform.h"

TEST(test_load_refused) {
  TVMFFIAny arg = tvmffi_any_raw_str("kernels.so"), result;
  check_fails(call_global("ffi.ModuleLoadFromFile", &arg, 1, &result), "InternalError",
              "Failed to load dynamic shared library kernels.so this system loads no libraries; "
              "link kernels into the program and use ffi.SystemLib");
}

TEST(test_nothing_loaded) {
  static const char *const libraries[] = {"libc.so.6", NULL};
  char path[2 + kTvmffiDlRespelled];
  tvmffi_dl_file file;
  assert_null(tvmffi_dl_open_loaded("libc.so.6"));
  assert_null(tvmffi_dl_find_loaded("malloc", libraries));
  assert_null(tvmffi_dl_symbol(NULL, "malloc"));
  assert_false(tvmffi_dl_find_file("/", &file));
  tvmffi_dl_respell("/a", 3, path);
  assert_string_equal(path, "/a");
  tvmffi_dl_close(NULL);
}

TEST(test_reason) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  assert_null(tvmffi_dl_open_beside("libtvm_ffi_cxx.so", &reason.to_set));
  assert_string_equal(reason.to_set.text,
                      "this system loads no libraries; link kernels into the program and use "
                      "ffi.SystemLib");
  tvmffi_buf_fini(&reason.buf);
}

RUN_TESTS({
    cmocka_unit_test(test_load_refused),
    cmocka_unit_test(test_nothing_loaded),
    cmocka_unit_test(test_reason),
})

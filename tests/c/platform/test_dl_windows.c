/* SPDX-License-Identifier: Apache-2.0 */
#include <wchar.h>

#include "base/buf.h"
#include "c/module_support.h"
#include "platform/platform.h"
#include "platform/win32.h"

static const char *library_path(void) {
  return module_path("kernels.so");
}

static void *open_library(void) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  void *handle = tvmffi_dl_open(library_path(), &reason.to_set);
  assert_string_equal(reason.to_set.text, "");
  assert_non_null(handle);
  return handle;
}

TEST(test_reasons) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  char path[8192];
  assert_null(tvmffi_dl_open("./no/such/library.so", &reason.to_set));
  assert_non_null(strstr(reason.to_set.text, "(error "));
  assert_null(tvmffi_dl_open("./\xff.so", &reason.to_set));
  assert_non_null(strstr(reason.to_set.text, "not UTF-8"));
  memset(path, '/', sizeof path);
  path[sizeof path - 1] = '\0';
  assert_null(tvmffi_dl_open(path, &reason.to_set));
  tvmffi_buf_fini(&reason.buf);
}

TEST(test_opening) {
  void *handle = open_library();
  assert_ptr_equal(tvmffi_dl_open_loaded(library_path()), handle);
  tvmffi_dl_close(handle);
  assert_ptr_equal(open_library(), handle); /* still loaded */
  tvmffi_dl_close(handle);
  tvmffi_dl_close(handle);
  assert_null(tvmffi_dl_open_loaded(library_path()));
}

/* A path that is not ASCII, and a name without a dot, to which the system would append ".dll". */
TEST(test_names) {
  static const wchar_t *const wide[] = {L"\u00e4\u20ac.so", L"plain_name"};
  static const char *const names[] = {"\xc3\xa4\xe2\x82\xac.so", "plain_name"};
  wchar_t copy[4096];
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  char path[4096];
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    tvmffi_dl_file original, found;
    void *handle;
    wchar_t from[4096];
    (void)swprintf(from, sizeof from / sizeof *from, L"%hs", library_path());
    (void)swprintf(copy, sizeof copy / sizeof *copy, L"%hs/%ls", getenv("TVM_FFI_TEST_MODULES"),
                   wide[i]);
    assert_true(CopyFileW(from, copy, FALSE));
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TVM_FFI_TEST_MODULES"), names[i]);
    assert_true(tvmffi_dl_find_file(library_path(), &original));
    assert_true(tvmffi_dl_find_file(path, &found));
    assert_true(found.size == original.size && found.inode != original.inode);
    handle = tvmffi_dl_open(path, &reason.to_set);
    assert_non_null(handle);
    assert_ptr_equal(tvmffi_dl_open_loaded(path), handle);
    tvmffi_dl_close(handle);
    tvmffi_dl_close(handle);
    assert_true(DeleteFileW(copy)); /* it was unloaded */
  }
}

TEST(test_symbols) {
  static const char *const libraries[] = {"no_such.dll", "kernel32.dll", NULL};
  void *handle = open_library();
  assert_non_null(tvmffi_dl_symbol(handle, "__tvm_ffi_add"));
  assert_null(tvmffi_dl_symbol(handle, "no_such_symbol"));
  assert_non_null(tvmffi_dl_find_loaded("GetTickCount", libraries));
  assert_null(tvmffi_dl_find_loaded("no_such_symbol", libraries));
  tvmffi_dl_close(handle);
}

TEST(test_places) {
  void *handle = open_library(), *inside = tvmffi_dl_symbol(handle, "__tvm_ffi_add");
  char path[4096], small[8];
  tvmffi_dl_range range;
  size_t rest;
  int local = 0;
  assert_true(tvmffi_dl_find_range(handle, &range));
  assert_true(tvmffi_dl_range_has(&range, (uintptr_t)inside));
  assert_false(tvmffi_dl_range_has(&range, (uintptr_t)&local));
  assert_false(tvmffi_dl_find_range(NULL, &range));
  rest = tvmffi_dl_symbol_size("__tvm_ffi_add", inside);
  assert_true(rest > 0 && rest <= range.end - (uintptr_t)inside);
  assert_true(tvmffi_dl_symbol_size("local", &local) == SIZE_MAX); /* in no library */
  assert_true(tvmffi_dl_find_path(inside, path, sizeof path));
  assert_non_null(strstr(path, "\\kernels.so"));
  assert_false(tvmffi_dl_find_path(inside, small, sizeof small));
  assert_false(tvmffi_dl_find_path(&local, path, sizeof path));
  tvmffi_dl_close(handle);
}

TEST(test_files) {
  char again[4096 + kTvmffiDlRespelled];
  tvmffi_dl_file file, other;
  assert_true(tvmffi_dl_find_file(library_path(), &file));
  assert_true(file.size > 4096 && file.inode != 0 && file.modified != 0);
  assert_true(file.modified_nanoseconds < 1000000000);
  assert_true(tvmffi_dl_find_file(module_path("bound.so"), &other));
  assert_true(other.inode != file.inode && other.device == file.device);
  assert_true(tvmffi_dl_find_file(module_path("../modules/kernels.so"), &other));
  assert_true(other.inode == file.inode);
  assert_true(tvmffi_dl_find_file(module_path("."), &other)); /* a folder */
  assert_false(tvmffi_dl_find_file("kernels.so", &other));
  assert_false(tvmffi_dl_find_file("./no_such_file.so", &other));
  tvmffi_dl_respell("C:/folder/file.dll", 1, again);
  assert_string_equal(again, "\\\\?\\C:\\folder\\file.dll");
  tvmffi_dl_respell("folder/file.dll", 1, again);
  assert_string_equal(again, "folder\\file.dll");
}

TEST(test_beside) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  void *handle = tvmffi_dl_open_beside("modules\\kernels.so", &reason.to_set);
  assert_non_null(handle);
  tvmffi_dl_close(handle);
  assert_null(tvmffi_dl_open_beside("no_such_library.dll", &reason.to_set));
  tvmffi_buf_fini(&reason.buf);
}

/* Last: the library is not unloaded any more. */
TEST(test_keeping) {
  void *handle = open_library();
  tvmffi_dl_keep(tvmffi_dl_symbol(handle, "__tvm_ffi_add"));
  tvmffi_dl_close(handle);
  assert_ptr_equal(tvmffi_dl_open_loaded(library_path()), handle);
}

RUN_TESTS({
    cmocka_unit_test(test_reasons),
    cmocka_unit_test(test_opening),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_symbols),
    cmocka_unit_test(test_places),
    cmocka_unit_test(test_files),
    cmocka_unit_test(test_beside),
    cmocka_unit_test(test_keeping),
})

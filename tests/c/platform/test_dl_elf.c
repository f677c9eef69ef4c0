/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_NOLOAD, getcwd */
#include <dlfcn.h>
#include <unistd.h>

#include "base/buf.h"
#include "platform/platform.h"
#include "support/check.h"

static char path[4096];

static void *open_file(const char *file) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  void *handle;
  assert_true(snprintf(path, sizeof path, "%s/%s", getenv("TVM_FFI_TEST_MODULES"), file) <
              (int)sizeof path);
  handle = tvmffi_dl_open(path, &reason.to_set);
  assert_non_null(handle);
  return handle;
}

/* ---- Addresses ---- */

TEST(test_ranges) {
  void *handle = open_file("leave_nothing.so");
  uintptr_t code = (uintptr_t)tvmffi_dl_symbol(handle, "__tvm_ffi_leave");
  uintptr_t data = (uintptr_t)tvmffi_dl_symbol(handle, "__tvm_ffi__library_ctx");
  tvmffi_dl_range range;
  assert_true(tvmffi_dl_find_range(handle, &range));
  assert_true(tvmffi_dl_range_has(&range, range.begin));
  assert_true(tvmffi_dl_range_has(&range, code));
  assert_true(tvmffi_dl_range_has(&range, data));
  assert_true(tvmffi_dl_range_has(&range, range.end - 1));
  assert_false(tvmffi_dl_range_has(&range, range.end));
  assert_false(tvmffi_dl_range_has(&range, range.begin - 1));
  assert_false(tvmffi_dl_range_has(&range, 0));
  assert_false(tvmffi_dl_range_has(&range, (uintptr_t)&handle));
  assert_false(tvmffi_dl_range_has(&range, (uintptr_t)tvmffi_dl_find_range));
  tvmffi_dl_close(handle);
}

/* The number of symbols is found with hash tables of both formats, GNU and System V. */
TEST(test_sizes) {
  static const char kName[] = "__tvm_ffi__library_ctx";
  static const char *const files[] = {"leave_nothing.so", "leave_nothing_sysv.so"};
  char *on_heap = malloc(1);
  size_t i;
  for (i = 0; i < 2; ++i) {
    void *handle = open_file(files[i]), *symbol = tvmffi_dl_symbol(handle, kName);
    assert_int_equal(tvmffi_dl_symbol_size(kName, symbol), sizeof(void *));
    /* for another name, or inside a symbol: the rest of the segment */
    assert_in_range(tvmffi_dl_symbol_size("no_such_name", symbol), sizeof(void *), 1 << 20);
    assert_int_equal(tvmffi_dl_symbol_size("no_such_name", symbol),
                     tvmffi_dl_symbol_size(kName, (char *)symbol + 1) + 1);
    tvmffi_dl_close(handle);
  }
  assert_non_null(on_heap);
  assert_true(tvmffi_dl_symbol_size(kName, on_heap) == SIZE_MAX);
  free(on_heap);
}

TEST(test_keeping) {
  void *handle = open_file("leave_nothing.so");
  tvmffi_dl_keep(path); /* addresses of the program, the stack and nothing are ignored */
  tvmffi_dl_keep(&handle);
  tvmffi_dl_keep(NULL);
  tvmffi_dl_keep(tvmffi_dl_symbol(handle, "__tvm_ffi_leave"));
  tvmffi_dl_close(handle);
  handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(handle);
  tvmffi_dl_close(handle);
}

/* Neither argv[0] nor a relative path would identify the file. */
TEST(test_paths) {
  static const char here = 0;
  char found[4096], again[4096], before[4096];
  void *handle;
  if (access("/proc/self/exe", F_OK) != 0) skip(); /* the program has no path then */
  assert_true(tvmffi_dl_find_path(&here, found, sizeof found));
  assert_int_equal(found[0], '/');
  assert_non_null(strstr(found, "_dl_elf"));
  assert_false(tvmffi_dl_find_path(&here, again, strlen(found)));
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir("/"), 0);
  assert_true(tvmffi_dl_find_path(&here, again, strlen(found) + 1));
  assert_string_equal(again, found);

  handle = open_file("kernels.so");
  assert_true(tvmffi_dl_find_path(dlsym(handle, "__tvm_ffi_add"), found, sizeof found));
  assert_string_equal(found, path);
  assert_false(tvmffi_dl_find_path(dlsym(handle, "__tvm_ffi_add"), found, strlen(path)));
  tvmffi_dl_close(handle);

  assert_int_equal(chdir(getenv("TVM_FFI_TEST_MODULES")), 0);
  handle = dlopen("./embedded.so", RTLD_LAZY);
  assert_non_null(handle);
  assert_false(tvmffi_dl_find_path(dlsym(handle, "__tvm_ffi__library_bin"), found, sizeof found));
  assert_int_equal(dlclose(handle), 0);
  assert_int_equal(chdir(before), 0);
  assert_false(tvmffi_dl_find_path(NULL, found, sizeof found));
}

RUN_TESTS({
    cmocka_unit_test(test_ranges), cmocka_unit_test(test_sizes), cmocka_unit_test(test_paths),
    cmocka_unit_test(test_keeping), /* last, because it keeps the library loaded */
})

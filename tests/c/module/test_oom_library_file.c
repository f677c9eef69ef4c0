/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library_file.h"

#include "c/module_support.h"
#include "core/error.h"
#include "support/check.h"
#include "support/oom.h"

enum { kMany = 40 };

static char addresses[kMany];
static char names[kMany + 1][2];
static size_t next;

static TVMFFIByteArray name_at(size_t i) {
  names[i][0] = (char)('A' + i);
  return check_bytes(names[i]);
}

static int keep(void *file) {
  TVMFFIByteArray name = name_at(next);
  return tvmffi_library_file_keep_kernel(file, &name, (uint64_t)next, &addresses[next]) != 0
             ? tvmffi_fail_memory()
             : 0;
}

static void unchanged(void *file) {
  size_t i;
  for (i = 0; i <= next; ++i) {
    TVMFFIByteArray name = name_at(i);
    const void *found = tvmffi_library_file_find_kernel(file, &name, (uint64_t)i);
    assert_ptr_equal(found, i < next ? &addresses[i] : NULL);
  }
}

TEST(test_kernels) {
  const char *folder = getenv("TVM_FFI_TEST_MODULES");
  size_t before = oom_live_blocks();
  tvmffi_library_file *file;
  TVMFFIByteArray bytes;
  char path[4096];
  long failures = 0;
  assert_non_null(folder);
  (void)snprintf(path, sizeof path, "%s/leave_nothing.so", folder);
  bytes = check_bytes(path);
  check_ok(tvmffi_library_file_open(&bytes, &file));
  for (next = 0; next < kMany; ++next) failures += oom_check(keep, unchanged, NULL, file, 1);
  assert_int_equal(failures, kMany + 4); /* one for each, and tables of 16 to 128 slots */
  check_ok(tvmffi_library_allow_unload(file));
  tvmffi_library_file_close(file);
  assert_int_equal(oom_live_blocks(), before + (kCheckUnloads ? 0 : 1)); /* else the record stays */
}

/* Without memory for the reason why a library cannot be unloaded, the error is that. */
TEST(test_what_is_kept) {
  const char *folder = getenv("TVM_FFI_TEST_MODULES");
  tvmffi_library_file *file;
  TVMFFIByteArray bytes;
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/leave_a_global.so", folder);
  bytes = check_bytes(path);
  check_ok(tvmffi_library_file_open(&bytes, &file));
  oom_fail_after(0);
  assert_int_equal(tvmffi_library_allow_unload(file), -1);
  oom_fail_after(-1);
  check_raised("MemoryError", "out of memory");
  check_fails_with(tvmffi_library_allow_unload(file), "RuntimeError",
                   "`test.left_behind` needs it");
  remove_global("test.left_behind");
  check_ok(tvmffi_library_allow_unload(file));
  tvmffi_library_file_close(file);
}

RUN_OOM_TESTS({cmocka_unit_test(test_kernels), cmocka_unit_test(test_what_is_kept)})

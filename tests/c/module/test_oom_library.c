/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"

#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/any.h"
#include "core/error.h"
#include "module/library_file.h"
#include "support/check.h"
#include "support/oom.h"

static char kernels_path[4096];
static int closed; /* how often the destructor of kernels.so ran */

static int open_library(void *out) {
  TVMFFIByteArray bytes = check_bytes(kernels_path);
  return tvmffi_library_open(&bytes, out);
}

/* A file that was loaded keeps its record, even if oom_no_object else succeeded. */
TEST(test_opening) {
  tvmffi_library *library = NULL;
  size_t before = oom_live_blocks();
  int i;
  for (i = 0; i < 2; ++i) {
    oom_fail_after(i);
    check_fails(open_library(&library), "MemoryError", NULL);
    assert_int_equal(oom_live_blocks(), before + (size_t)i);
  }
  oom_fail_after(-1);
  assert_int_equal(oom_check(open_library, NULL, oom_release_object, &library, 0), 1);
}

static int open_nothing(void *out) {
  TVMFFIByteArray bytes = check_bytes("./no_such_library.so");
  return tvmffi_library_open(&bytes, out);
}

TEST(test_opening_nothing) {
  tvmffi_library *library = NULL;
  assert_true(oom_check_failing(open_nothing, &library, "InternalError") >= 2); /* reason, error */
}

static int load_module(void *out) {
  tvmffi_library *library;
  int rc;
  if (open_library(&library) != 0) return -1;
  rc = tvmffi_library_load(library, out);
  TVMFFIObjectDecRef(library);
  return rc;
}

TEST(test_loading) {
  TVMFFIObjectHandle module = NULL;
  /* library, module, its imports, its cache */
  assert_int_equal(oom_check(load_module, oom_no_object, oom_release_object, &module, 0), 4);
}

/* After a failure the library must be closed, which unloads it: its record goes, too. */
TEST(test_loading_for_unloading) {
  TVMFFIObjectHandle module, failed = NULL;
  long n;
  for (n = 0; n < 4; ++n) {
    check_ok(load_module(&module));
    check_ok(TVMFFIRuntimeModuleAllowUnload(module));
    closed = 0;
    oom_fail_after(n);
    check_fails(load_module(&failed), "MemoryError", NULL);
    TVMFFIObjectDecRef(module);
    check_closed(closed, 1);
  }
}

typedef struct {
  TVMFFIAny answer;
  TVMFFIObject *module;
  const char *name;
  tvmffi_module_method method;
} query;

static int ask(void *context) {
  query *q = context;
  TVMFFIAny name = tvmffi_any_raw_str(q->name);
  return tvmffi_module_call(q->module, q->method, &name, &q->answer);
}

static void no_answer(void *context) {
  query *q = context;
  assert_int_equal(q->answer.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(q->module), 1);
}

/* Its address is kept for the next time: in an entry and a table. */
TEST(test_a_kernel_is_found_without_memory_to_keep_its_address) {
  TVMFFIByteArray name = check_bytes("add");
  tvmffi_library *library;
  void *first, *found;
  int i;
  check_ok(open_library(&library));
  oom_fail_after(-1);
  check_ok(tvmffi_library_find(library, "__tvm_ffi_add", &first));
  assert_non_null(first);
  for (i = 0; i < 3; ++i) {
    size_t before = oom_live_blocks();
    oom_fail_after(i);
    check_ok(tvmffi_library_find_kernel(library, &name, &found));
    oom_fail_after(-1);
    check_not_raised();
    assert_ptr_equal(found, first);
    assert_int_equal(oom_live_blocks(), before + (i == 2 ? 2 : 0));
  }
  TVMFFIObjectDecRef(library);
}

TEST(test_asking) {
  char long_name[400];
  TVMFFIObjectHandle module = NULL;
  query q;
  check_ok(load_module(&module));
  q.module = module;
  q.answer = tvmffi_any_none();
  q.name = "add";
  q.method = kTvmffiModuleGetFunction;
  check_ok(ask(&q));
  oom_release_result(&q);
  assert_int_equal(oom_check(ask, no_answer, oom_release_result, &q, 0), 1);
  q.method = kTvmffiModuleImplementsFunction;
  assert_int_equal(oom_check(ask, no_answer, oom_release_result, &q, 0), 0);
  q.method = kTvmffiModuleGetMetadata;
  assert_true(oom_check(ask, no_answer, oom_release_result, &q, 0) >= 1);
  q.name = memset(long_name, 'n', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  q.method = kTvmffiModuleGetFunction;
  assert_int_equal(oom_check(ask, no_answer, oom_release_result, &q, 0), 1);
  q.method = kTvmffiModuleGetDoc;
  assert_int_equal(oom_check(ask, no_answer, oom_release_result, &q, 0), 2);
  TVMFFIObjectDecRef(module);
}

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_opening),
      cmocka_unit_test(test_opening_nothing),
      cmocka_unit_test(test_a_kernel_is_found_without_memory_to_keep_its_address),
      cmocka_unit_test(test_asking),
      cmocka_unit_test(test_loading),
      cmocka_unit_test(test_loading_for_unloading),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_what_is_kept),
  };
  const char *folder = getenv("TVM_FFI_TEST_MODULES");
  oom_install();
  if (folder == NULL) return 77;
  (void)snprintf(kernels_path, sizeof kernels_path, "%s/kernels.so", folder);
  if (TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed) != 0) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

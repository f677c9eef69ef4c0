/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/global_support.h"
#include "core/any.h"
#include "core/error.h"
#include "core/global.h"
#include "core/thread_state.h"
#include "support/oom.h"

static const char kMetadata[] = "{\"some\":\"metadata\"}";
static const char kOtherMetadata[] = "{\"another\":\"metadata\"}";

typedef struct {
  const char *name;
  TVMFFIObjectHandle function; /* the function to set */
  TVMFFIObjectHandle before;   /* the function set before */
  const char *metadata;
  TVMFFIObject *out;
} job;

static TVMFFIObject *get(const char *name) {
  TVMFFIObject *function = NULL;
  check_ok(tvmffi_global_get(name, strlen(name), &function));
  return function;
}

static int set(void *context) {
  const job *j = context;
  return set_global(j->name, j->function, 0);
}

static int override_described(void *context) {
  const job *j = context;
  TVMFFIMethodInfo info;
  memset(&info, 0, sizeof info);
  info.name = check_bytes(j->name);
  info.metadata = check_bytes(j->metadata);
  info.method = tvmffi_any_object(j->function);
  return TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1);
}

/* Checks that the name is unchanged and that the new function has one owner. */
static void not_set(void *context) {
  const job *j = context;
  TVMFFIObject *function = get(j->name);
  assert_ptr_equal(function, j->before);
  tvmffi_object_release(function);
  assert_int_equal(check_use_count(j->function), 1);
}

TEST(test_set) {
  char name[32];
  job j;
  int i;
  long num_failures = 0;
  assert_non_null(tvmffi_thread_record_ensure());
  memset(&j, 0, sizeof j);
  j.name = name;
  for (i = 0; i < 100; ++i) { /* the table grows several times */
    j.function = new_function();
    (void)snprintf(name, sizeof name, "my.%d", i);
    num_failures += oom_check(set, not_set, NULL, &j, 1);
    assert_int_equal(check_use_count(j.function), 2);
    TVMFFIObjectDecRef(j.function);
  }
  assert_true(num_failures > 100);
}

static void not_overridden(void *context) {
  not_set(context);
  check_metadata(((job *)context)->name, kMetadata);
}

TEST(test_override) {
  job j;
  assert_non_null(tvmffi_thread_record_ensure());
  memset(&j, 0, sizeof j);
  j.name = "my.f";
  j.metadata = kMetadata;
  j.function = new_function();
  assert_true(oom_check(override_described, not_set, NULL, &j, 1) >= 2);
  j.before = j.function;
  j.function = new_function();
  j.metadata = kOtherMetadata;
  assert_int_equal(oom_check(override_described, not_overridden, NULL, &j, 1), 1);
  check_metadata("my.f", kOtherMetadata);
  assert_int_equal(check_use_count(j.before), 1);
  TVMFFIObjectDecRef(j.before);
  TVMFFIObjectDecRef(j.function);
}

static int fetch(void *context) {
  job *j = context;
  if (tvmffi_thread_record_ensure() == NULL) return tvmffi_fail_memory();
  return tvmffi_global_get(j->name, strlen(j->name), &j->out);
}

static void not_fetched(void *context) {
  assert_null(((job *)context)->out);
}

/* After each failure the library is as at its start, and the next attempt succeeds. */
TEST(test_the_first_fetch_of_all) {
  job j;
  long n;
  int rc;
  memset(&j, 0, sizeof j);
  j.name = "ffi.String";
  for (n = 0;; ++n) {
    oom_fail_after(n);
    rc = fetch(&j);
    oom_fail_after(-1);
    if (rc == 0) break;
    check_raised("MemoryError", NULL);
    assert_null(j.out);
    check_ok(fetch(&j));
    TVMFFIObjectDecRef(j.out);
    j.out = NULL;
    TVMFFIRuntimeShutdown();
    assert_int_equal(oom_live_blocks(), 0);
  }
  assert_int_equal(n, 4); /* this thread's record, the table, its records, the function */
  TVMFFIObjectDecRef(j.out);
}

TEST(test_the_first_fetch_of_a_built_in) {
  job j;
  memset(&j, 0, sizeof j);
  tvmffi_object_release(get("ffi.String")); /* creates the table */
  j.name = "ffi.Bytes";
  assert_int_equal(oom_check(fetch, not_fetched, NULL, &j, 1), 1);
  TVMFFIObjectDecRef(j.out);
}

/* A reader without a record to announce itself in takes the lock instead. */
TEST(test_fetching_needs_no_memory) {
  TVMFFIByteArray name = check_bytes("my.f");
  TVMFFIObjectHandle function = new_function(), found = NULL;
  check_ok(TVMFFIFunctionSetGlobal(&name, function, 0));
  oom_fail_after(0);
  check_ok(TVMFFIFunctionGetGlobal(&name, &found));
  oom_fail_after(-1);
  assert_ptr_equal(found, function);
  assert_int_equal(check_use_count(function), 3);
  check_not_raised();
  TVMFFIObjectDecRef(found);
  TVMFFIObjectDecRef(function);
}

static int list(void *context) {
  return tvmffi_global_list_names(&((job *)context)->out);
}

static void release_out(void *context) {
  tvmffi_object_release(((job *)context)->out);
}

TEST(test_list) {
  job j;
  memset(&j, 0, sizeof j);
  tvmffi_object_release(get("ffi.String")); /* creates the table */
  assert_int_equal(oom_check(list, not_fetched, release_out, &j, 0), 1);
}

RUN_OOM_TESTS({
    test_and_oom_shut_down(test_set),
    test_and_oom_shut_down(test_override),
    test_and_oom_shut_down(test_the_first_fetch_of_all),
    test_and_oom_shut_down(test_the_first_fetch_of_a_built_in),
    test_and_oom_shut_down(test_fetching_needs_no_memory),
    test_and_oom_shut_down(test_list),
})

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process forks while its threads use the library; the child uses it, too. A child that waits for
 * a lock of a thread that it does not have is ended by its alarm.
 */
#define _GNU_SOURCE /* alarm, fork */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "core/thread_state.h"
#include "platform/atomic.h"
#include "platform/platform.h"
#include "support/check.h"
#include "support/environment.h"
#include "support/thread.h"

#if defined(__SANITIZE_THREAD__)
#define IS_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_UNDER_TSAN 1
#endif
#endif

enum { kThreads = 2, kForks = 500, kOnce = 8 };

static int has_ended;
static char path[4096];
static TVMFFIObjectHandle loader, function;
static void *once_handles[kOnce];

static int init_once(void **out) {
  sched_yield(); /* so that forks happen meanwhile */
  *out = &has_ended;
  return 0;
}

static int deinit_once(void *handle) {
  (void)handle;
  return 0;
}

static int use_globals(int index) {
  static const char *const names[] = {"test.fork.a", "test.fork.b", "test.fork.c"};
  TVMFFIByteArray name = check_bytes(names[index % 3]);
  TVMFFIObjectHandle found;
  if (TVMFFIFunctionSetGlobal(&name, function, 1) != 0) return -1;
  if (TVMFFIFunctionGetGlobal(&name, &found) != 0) return -1;
  TVMFFIObjectDecRef(found);
  return 0;
}

static int use_types(int index) {
  char text[32];
  TVMFFIByteArray key, attr = check_bytes("__test_fork__");
  TVMFFIAny value;
  int32_t type_index;
  (void)snprintf(text, sizeof text, "test.fork.Type%d", index % 64);
  key = check_bytes(text);
  type_index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  if (type_index < 0) return -1;
  memset(&value, 0, sizeof value);
  value.type_index = kTVMFFIInt;
  value.v_int64 = 5;
  return TVMFFITypeRegisterAttr(type_index, &attr, &value);
}

/* With live objects counted, so that the innermost locks are used, too. */
static int use_errors(void) {
  TVMFFIByteArray more = check_bytes("more");
  TVMFFIObjectHandle error;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "test");
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) return -1;
  TVMFFIErrorGetCellPtr(error)->update_backtrace(error, &more, kTVMFFIBacktraceUpdateModeAppend);
  TVMFFIObjectDecRef(error);
  return 0;
}

static int load(TVMFFIObjectHandle *out) {
  TVMFFIAny arg, result;
  memset(&arg, 0, sizeof arg);
  memset(&result, 0, sizeof result);
  arg.type_index = kTVMFFIRawStr;
  arg.v_c_str = path;
  if (TVMFFIFunctionCall(loader, &arg, 1, &result) != 0) return -1;
  *out = result.v_obj;
  return 0;
}

static int use_modules(void) {
  TVMFFIObjectHandle module;
  if (load(&module) != 0) return -1;
  TVMFFIObjectDecRef(module);
  if (TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_test_fork", path) != 0) return -1;
  return TVMFFIEnvModRegisterContextSymbol("__test_fork", path);
}

static int use_once(int index) {
  void **handle = &once_handles[index % kOnce];
  if (TVMFFIHandleInitOnce(handle, init_once) != 0) return -1;
  return TVMFFIHandleDeinitOnce(handle, deinit_once);
}

static int use_all(int index) {
  int rc = use_globals(index);
  if (rc == 0) rc = use_types(index);
  if (rc == 0) rc = use_errors();
  if (rc == 0) rc = use_modules();
  if (rc == 0) rc = use_once(index);
  return rc;
}

static int failures;

static void work(void *arg, int index) {
  int i;
  (void)arg;
  for (i = index; !tvmffi_atomic_load_relaxed_int(&has_ended); ++i) {
    if (use_all(i) != 0) tvmffi_atomic_store_relaxed_int(&failures, 1);
  }
}

static void *start_workers(void *arg) {
  thread_run_many(kThreads, work, arg);
  return NULL;
}

#if defined(TVM_FFI_TEST_COVERAGE)
extern void __gcov_dump(void);
#endif

/* _exit does not write the counters of line coverage. */
static void end_child(int status) {
#if defined(TVM_FFI_TEST_COVERAGE)
  __gcov_dump();
#endif
  _exit(status);
}

/* The status with which a child ended that uses the library. */
static int fork_and_use(int index) {
  int status = -1, i;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(30 * environment_slower());
    for (i = 0; i < 3; ++i) {
      if (use_all(index + i) != 0) _exit(1);
    }
    end_child(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

TEST(test_a_child_uses_the_library_after_a_fork_between_threads) {
  pthread_t workers;
  int i;
#if defined(IS_UNDER_TSAN)
  skip(); /* ThreadSanitizer does not support what a child does after a fork between threads */
#endif
  assert_int_equal(pthread_create(&workers, NULL, start_workers, NULL), 0);
  for (i = 0; i < kForks; ++i) assert_int_equal(fork_and_use(i), 0);
  tvmffi_atomic_store_relaxed_int(&has_ended, 1);
  assert_int_equal(pthread_join(workers, NULL), 0);
  assert_int_equal(failures, 0);
}

static int init_with_fork(void **out) {
  assert_int_equal(fork_and_use(1), 0);
  *out = &has_ended;
  return 0;
}

/* The child goes on with what its only thread was doing. */
TEST(test_an_initialiser_forks) {
  static void *handle;
  check_ok(TVMFFIHandleInitOnce(&handle, init_with_fork));
  assert_ptr_equal(handle, &has_ended);
}

static tvmffi_mutex never_used = TVMFFI_MUTEX_INIT;
static tvmffi_mutex used = TVMFFI_MUTEX_INIT;
static int is_held, may_go_on;

static void hold(void *arg, int index) {
  (void)arg;
  if (index == 0) {
    tvmffi_mutex_lock(&used);
    tvmffi_atomic_store_release_int(&is_held, 1);
    while (!tvmffi_atomic_load_acquire_int(&may_go_on)) sched_yield();
    tvmffi_mutex_unlock(&used);
  } else {
    pid_t child;
    int status = -1;
    while (!tvmffi_atomic_load_acquire_int(&is_held)) sched_yield();
    tvmffi_atomic_store_release_int(&may_go_on, 1);
    child = fork(); /* waits for the other thread */
    if (child == 0) {
      (void)alarm(30 * environment_slower());
      tvmffi_mutex_lock(&used);
      tvmffi_mutex_lock(&never_used);
      _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0) failures = 1;
  }
}

TEST(test_a_lock_that_another_thread_holds_is_free_in_the_child) {
  int i;
  for (i = 0; i < 100; ++i) {
    is_held = may_go_on = 0;
    thread_run_many(2, hold, NULL);
  }
  assert_int_equal(failures, 0);
}

static void *once_handle;

static int wait_until_forked(void **out) {
  tvmffi_atomic_store_release_int(&is_held, 1);
  while (!tvmffi_atomic_load_acquire_int(&may_go_on)) sched_yield();
  *out = &is_held;
  return 0;
}

static void *initialise(void *arg) {
  (void)arg;
  if (use_all(0) != 0 || TVMFFIHandleInitOnce(&once_handle, wait_until_forked) != 0) failures = 1;
  return NULL;
}

static int init_in_child(void **out) {
  *out = &may_go_on;
  return 0;
}

TEST(test_a_child_initialises_what_another_thread_was_initialising) {
  TVMFFIObjectHandle module = NULL;
  pthread_t thread;
  pid_t child;
  int status = -1;
#if defined(IS_UNDER_TSAN)
  skip(); /* as above */
#endif
  check_ok(load(&module));
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module); /* so that unloading has a lock to be freed in the child */
  is_held = may_go_on = 0;
  assert_int_equal(pthread_create(&thread, NULL, initialise, NULL), 0);
  while (!tvmffi_atomic_load_acquire_int(&is_held)) sched_yield();
  child = fork();
  if (child == 0) {
    (void)alarm(30 * environment_slower());
    if (TVMFFIHandleInitOnce(&once_handle, init_in_child) != 0) _exit(1);
    if (once_handle != &may_go_on) _exit(2);
    end_child(0);
  }
  tvmffi_atomic_store_release_int(&may_go_on, 1);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(failures, 0);
  assert_ptr_equal(once_handle, &is_held);
}

/* A thread in the middle of a look-up, of a walk of its stack, and of a loan. */
static void *be_busy(void *arg) {
  tvmffi_thread_record *record = tvmffi_thread_record_ensure();
  if (record == NULL) abort();
  record->num_reads = 1;
  record->is_walking = true;
  record->lent = arg;
  tvmffi_atomic_store_release_int(&is_held, 1);
  while (!tvmffi_atomic_load_acquire_int(&may_go_on)) sched_yield();
  record->num_reads = 0;
  record->is_walking = false;
  record->lent = NULL;
  return NULL;
}

static bool has_busy_record(void) {
  const tvmffi_thread_record *record = tvmffi_thread_record_first();
  for (; record != NULL; record = record->next) {
    if (record == tvmffi_thread.record) continue;
    if (record->in_use || record->num_reads != 0 || record->is_walking || record->lent != NULL) {
      return true;
    }
  }
  return false;
}

TEST(test_a_child_forgets_what_other_threads_did) {
  pthread_t thread;
  pid_t child;
  int status = -1;
  is_held = may_go_on = 0;
  assert_int_equal(pthread_create(&thread, NULL, be_busy, &is_held), 0);
  while (!tvmffi_atomic_load_acquire_int(&is_held)) sched_yield();
  assert_true(has_busy_record());
  child = fork();
  if (child == 0) end_child(has_busy_record());
  tvmffi_atomic_store_release_int(&may_go_on, 1);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

FIXTURE(prepare) {
  TVMFFIByteArray name = check_bytes("ffi.ModuleLoadFromFile");
  const char *folder = getenv("TVM_FFI_TEST_MODULES");
  assert_non_null(folder);
  (void)snprintf(path, sizeof path, "%s/kernels.so", folder);
  check_ok(TVMFFIFunctionGetGlobal(&name, &loader));
  check_ok(TVMFFIFunctionCreate(NULL, call_nothing, NULL, &function));
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  check_ok(use_all(0));
  return 0;
}

FIXTURE(finish) {
  TVMFFIObjectDecRef(loader);
  TVMFFIObjectDecRef(function);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_lock_that_another_thread_holds_is_free_in_the_child),
      cmocka_unit_test(test_an_initialiser_forks),
      cmocka_unit_test(test_a_child_initialises_what_another_thread_was_initialising),
      cmocka_unit_test(test_a_child_forgets_what_other_threads_did),
      cmocka_unit_test(test_a_child_uses_the_library_after_a_fork_between_threads),
  };
  return cmocka_run_group_tests(tests, prepare, finish) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system call that the library makes fails once, and from then on: a step is repeated with
 * its first call failing, then its second, and so on, until none is left to fail. It must end with
 * success or with an error, leave nothing behind, and succeed when it is done again. Each attempt
 * has a process of its own, because libraries stay loaded and the thread key is made once.
 */
#define _GNU_SOURCE /* dladdr, dlinfo, MAP_ANONYMOUS */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "c/module_support.h"
#include "core/error.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/thread.h"

/* ---- Calls that fail on demand ---- */

#define CALLS(F)         \
  F(dladdr)              \
  F(dlinfo)              \
  F(dlopen)              \
  F(dlsym)               \
  F(fstat)               \
  F(open)                \
  F(pread)               \
  F(pthread_key_create)  \
  F(pthread_setspecific) \
  F(stat)

#define ENUMERATOR(name) kCall_##name,
#define TEXT(name) #name,
enum { CALLS(ENUMERATOR) kNumCalls };
static const char *const kCallNames[] = {CALLS(TEXT)};

/* Shared with the processes of the attempts. */
typedef struct {
  long num_injected[kNumCalls];
  size_t live_blocks; /* at the end of the attempt without failures */
} shared_counts;

static shared_counts *counts;
static long countdown = -1; /* calls before the first that fails; negative: none fails */
static bool is_lasting;
static long num_failed; /* since the calls were armed */

static bool fails(int call) {
  if (countdown < 0) return false;
  if (countdown > 0) {
    --countdown;
    return false;
  }
  if (!is_lasting) countdown = -1;
  ++num_failed;
  ++counts->num_injected[call];
  return true;
}

/* The linker calls these instead: --wrap. With 64-bit offsets glibc has other names for some. */
#if defined(__GLIBC__)
#define WRAP(name) __wrap_##name##64
#define REAL(name) __real_##name##64
#else
#define WRAP(name) __wrap_##name
#define REAL(name) __real_##name
#endif

#define WRAPPED(call, result, wrap, real, parameters, arguments, failure) \
  result real parameters;                                                 \
  result wrap parameters;                                                 \
  result wrap parameters {                                                \
    if (fails(kCall_##call)) {                                            \
      errno = EIO;                                                        \
      return failure;                                                     \
    }                                                                     \
    return real arguments;                                                \
  }

WRAPPED(dladdr, int, __wrap_dladdr, __real_dladdr, (const void *address, Dl_info *info),
        (address, info), 0)
WRAPPED(dlinfo, int, __wrap_dlinfo, __real_dlinfo, (void *handle, int request, void *info),
        (handle, request, info), -1)
WRAPPED(dlopen, void *, __wrap_dlopen, __real_dlopen, (const char *path, int flags), (path, flags),
        NULL)
WRAPPED(dlsym, void *, __wrap_dlsym, __real_dlsym, (void *handle, const char *name), (handle, name),
        NULL)
WRAPPED(fstat, int, WRAP(fstat), REAL(fstat), (int file, struct stat *out), (file, out), -1)
WRAPPED(open, int, WRAP(open), REAL(open), (const char *path, int flags), (path, flags), -1)
WRAPPED(pread, ssize_t, WRAP(pread), REAL(pread), (int file, void *out, size_t size, off_t offset),
        (file, out, size, offset), -1)
WRAPPED(pthread_key_create, int, __wrap_pthread_key_create, __real_pthread_key_create,
        (pthread_key_t * out, void (*at_exit)(void *)), (out, at_exit), EAGAIN)
WRAPPED(pthread_setspecific, int, __wrap_pthread_setspecific, __real_pthread_setspecific,
        (pthread_key_t key, const void *value), (key, value), ENOMEM)
WRAPPED(stat, int, WRAP(stat), REAL(stat), (const char *path, struct stat *out), (path, out), -1)

/* ---- What is tried: 0, or -1 with the error raised ---- */

static int load_and_call(const char *file, const char *function, const TVMFFIAny *arg) {
  TVMFFIObject *module;
  TVMFFIAny result, found;
  int rc = load_file(module_path(file), &module);
  if (rc != 0) return rc;
  rc = call_on(module, "ffi.ModuleGetFunction", function, 0, &found);
  if (rc == 0 && found.type_index == kTVMFFINone) {
    rc = tvmffi_fail("AttributeError", "no function %s", function);
  } else if (rc == 0) {
    rc = tvmffi_function_call(found.v_obj, arg, arg != NULL, &result);
    TVMFFIObjectDecRef(found.v_obj);
    if (rc == 0) tvmffi_any_release(&result);
  }
  TVMFFIObjectDecRef(module);
  return rc;
}

static int load_library(void) {
  return load_and_call("leave_nothing.so", "leave", NULL);
}

static int load_embedded_modules(void) {
  TVMFFIAny arg = tvmffi_any_int(14);
  return load_and_call("carrier_of_own.so", "call_import", &arg);
}

static int load_and_unload(void) {
  TVMFFIObject *module;
  int rc = load_file(module_path("leave_nothing.so"), &module);
  if (rc != 0) return rc;
  rc = TVMFFIRuntimeModuleAllowUnload(module);
  TVMFFIObjectDecRef(module);
  return rc;
}

/* Succeeds with an error: the file is not there. */
static int load_missing_file(void) {
  TVMFFIObject *module;
  if (load_file(module_path("there_is_no_such.so"), &module) == 0) _exit(EXIT_FAILURE);
  check_raised("InternalError", NULL);
  return 0;
}

typedef struct {
  long countdown;
  int rc;
} thread_task;

static void raise_and_set_stream(void *arg) {
  thread_task *task = arg;
  TVMFFIStreamHandle stream;
  countdown = task->countdown;
  tvmffi_error_raisef("ValueError", "without a hook for the end of the thread");
  task->rc = TVMFFIEnvSetStream(kDLCUDA, 0, arg, &stream);
  countdown = -1;
  tvmffi_error_raisef("ValueError", "the hook is set, and releases this error and the streams");
}

/* Sanitizers are linked into the program, and make such calls when threads start and end. */
static int use_thread_slots(void) {
  thread_task task = {countdown, 0};
  countdown = -1;
  thread_run(raise_and_set_stream, &task, 0);
  return task.rc == 0 ? 0 : tvmffi_fail("RuntimeError", "no stream in a thread");
}

static int make_backtrace(void) {
  (void)TVMFFIBacktrace("file.c", 1, "function", 0);
  return 0;
}

static int raise_with_backtrace(void) {
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  tvmffi_error_raisef("ValueError", "with a backtrace");
  (void)TVMFFIRuntimeSetBacktraceEnabled(0);
  return 0;
}

/* ---- Attempts ---- */

static int triple(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)num_args;
  *result = tvmffi_any_int(3 * args[0].v_int64);
  return 0;
}

enum { kFailed = 1, kNothingLeftToFail = 2 };

static int say(const char *what) {
  (void)fprintf(stderr, "after %ld failures: %s\n", num_failed, what);
  return kFailed;
}

/* In a process of its own, with call n failing; negative: none. */
static int attempt(int (*step)(void), long n, bool lasting) {
  int rc;
  check_ok(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_in_triple", address_of(triple)));
  countdown = n;
  is_lasting = lasting;
  rc = step();
  countdown = -1;
  if (n >= 0 && num_failed == 0) return kNothingLeftToFail;
  if (rc != 0) {
    if (num_failed == 0) return say("an error");
    if (!tvmffi_error_is_raised()) return say("a code without an error");
    TVMFFIErrorSetRaised(NULL);
  }
  if (step() != 0) return say("it does not succeed when it is done again");
  if (step() != 0) return say("it does not succeed for the third time");
  TVMFFIErrorSetRaised(NULL);
  if (n < 0) counts->live_blocks = oom_live_blocks();
  return oom_live_blocks() <= counts->live_blocks ? 0 : say("memory is left behind");
}

static int run_attempt(int (*step)(void), long n, bool lasting) {
  int status = 0;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(attempt(step, n, lasting));
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status)); /* otherwise it crashed */
  return WEXITSTATUS(status);
}

static void check_step(const char *name, int (*step)(void)) {
  int lasting;
  assert_int_equal(run_attempt(step, -1, false), 0);
  for (lasting = 0; lasting < 2; ++lasting) {
    long n = 0;
    int result;
    while ((result = run_attempt(step, n, lasting != 0)) == 0) ++n;
    if (result == kFailed) fail_msg("%s, call %ld fails%s", name, n, lasting ? " for good" : "");
    assert_int_equal(result, kNothingLeftToFail);
    assert_true(n > 0 || step == make_backtrace || step == raise_with_backtrace);
    (void)printf("%s: %ld calls%s\n", name, n, lasting ? ", for good" : "");
  }
}

static void test_loading_a_library(void **state) {
  (void)state;
  check_step("loading a library", load_library);
}

static void test_loading_embedded_modules(void **state) {
  (void)state;
  check_step("loading embedded modules", load_embedded_modules);
}

static void test_unloading_a_library(void **state) {
  (void)state;
  check_step("unloading a library", load_and_unload);
}

static void test_a_missing_file(void **state) {
  (void)state;
  check_step("a missing file", load_missing_file);
}

static void test_slots_of_a_thread_that_ends(void **state) {
  (void)state;
  check_step("slots of a thread that ends", use_thread_slots);
}

static void test_a_backtrace(void **state) {
  (void)state;
  check_step("a backtrace", make_backtrace);
}

static void test_an_error_with_a_backtrace(void **state) {
  (void)state;
  check_step("an error with a backtrace", raise_with_backtrace);
}

/* Runs last. Which calls walk the stack depends on the system and the profile. */
static void test_each_call_has_failed(void **state) {
  int call;
  (void)state;
  for (call = 0; call < kNumCalls; ++call) {
    (void)printf("%s failed %ld times\n", kCallNames[call], counts->num_injected[call]);
  }
  assert_true(counts->num_injected[kCall_dlopen] > 0);
  assert_true(counts->num_injected[kCall_dlsym] > 0);
  assert_true(counts->num_injected[kCall_dlinfo] > 0);
  assert_true(counts->num_injected[kCall_stat] > 0);
  assert_true(counts->num_injected[kCall_open] > 0);
  assert_true(counts->num_injected[kCall_fstat] > 0);
  assert_true(counts->num_injected[kCall_pread] > 0);
  assert_true(counts->num_injected[kCall_pthread_key_create] > 0);
  assert_true(counts->num_injected[kCall_pthread_setspecific] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loading_a_library),
      cmocka_unit_test(test_loading_embedded_modules),
      cmocka_unit_test(test_unloading_a_library),
      cmocka_unit_test(test_a_missing_file),
      cmocka_unit_test(test_slots_of_a_thread_that_ends),
      cmocka_unit_test(test_a_backtrace),
      cmocka_unit_test(test_an_error_with_a_backtrace),
      cmocka_unit_test(test_each_call_has_failed),
  };
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counts == MAP_FAILED) return EXIT_FAILURE;
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

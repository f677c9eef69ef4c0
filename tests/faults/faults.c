/* SPDX-License-Identifier: Apache-2.0 */
#include "faults/faults.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/error.h"
#include "core/object.h"
#include "core/thread_state.h"
#include "platform/atomic.h"
#include "support/check.h"

/* Of a call with thousands of allocations only some fail, ever fewer to its end. */
enum { kAllUpTo = 64 };
/* Of the calls of one function only some are tried in child processes after the first. */
enum { kForkUpTo = 64 };

static bool is_lasting, is_forking;
static bool is_trial; /* this process is the child of trials_in_children */
static __thread bool is_test_thread, is_in_call;
static long live_blocks;           /* of all threads */
static long countdown = -1, fired; /* of the test's thread */
static long num_faults, num_others, num_unnoticed, num_calls;

/* ---- Allocations ---- */

static bool fails_now(void) {
  if (!is_test_thread || !is_in_call || countdown < 0) return false;
  if (countdown > 0) {
    --countdown;
    return false;
  }
  if (!is_lasting) countdown = -1;
  ++fired;
  return true;
}

void *__real_tvmffi_alloc(size_t size);
void __real_tvmffi_free(void *ptr);
void *__real_tvmffi_alloc_plain(size_t size);
void __real_tvmffi_free_plain(void *ptr);
void *__real_tvmffi_alloc_until_shutdown(size_t size);

void *__wrap_tvmffi_alloc(size_t size) {
  void *block = fails_now() ? NULL : __real_tvmffi_alloc(size);
  if (block != NULL) (void)__atomic_add_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
  return block;
}

void __wrap_tvmffi_free(void *ptr) {
  if (ptr != NULL) (void)__atomic_sub_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
  __real_tvmffi_free(ptr);
}

void *__wrap_tvmffi_alloc_plain(size_t size) {
  void *block = fails_now() ? NULL : __real_tvmffi_alloc_plain(size);
  if (block != NULL) (void)__atomic_add_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
  return block;
}

void __wrap_tvmffi_free_plain(void *ptr) {
  if (ptr != NULL) (void)__atomic_sub_fetch(&live_blocks, 1, __ATOMIC_RELAXED);
  __real_tvmffi_free_plain(ptr);
}

void *__wrap_tvmffi_alloc_until_shutdown(size_t size) {
  return fails_now() ? NULL : __real_tvmffi_alloc_until_shutdown(size);
}

/* ---- Calls ---- */

static void arm(faults_call *call) {
  countdown = call->n;
  fired = 0;
  call->live_blocks = __atomic_load_n(&live_blocks, __ATOMIC_RELAXED);
}

bool faults_is_built_in(const void *function) {
  static TVMFFISafeCallType call_builtin;
  if (call_builtin == NULL) {
    TVMFFIByteArray name = check_bytes("ffi.String");
    TVMFFIObjectHandle known = NULL;
    if (TVMFFIFunctionGetGlobal(&name, &known) != 0) abort();
    call_builtin = TVMFFIFunctionGetCellPtr(known)->safe_call;
    (void)TVMFFIObjectDecRef(known);
  }
  return function != NULL &&
         TVMFFIFunctionGetCellPtr((TVMFFIObjectHandle)(uintptr_t)function)->safe_call ==
             call_builtin;
}

/* How a trial in a child process ended: its exit code. */
enum { kHarm = 1, kFailed = 40, kFailedOtherwise, kUnnoticed, kUnspoilt };

static void end(faults_call *call, long first) {
  call->site->first = first;
  is_in_call = false;
  countdown = -1;
  tvmffi_object_release(call->raised);
}

static void harm(faults_call *call, const char *what) {
  print_error("%s: allocation %ld failed: %s\n", call->site->name, call->n, what);
  if (is_trial) _exit(kHarm);
  end(call, 0);
  fail();
}

/* Runs one trial after the other in a child process. True in the child. */
static bool try_in_children(faults_call *call) {
  for (;;) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      num_others = 0;
      return is_trial = true;
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
      harm(call, "the child process crashed");
    }
    switch (WEXITSTATUS(status)) {
      case kUnspoilt:
        return false;
      case kUnnoticed:
        ++num_unnoticed;
        break;
      case kFailedOtherwise:
        ++num_others;
        break;
      case kFailed:
        break;
      default:
        harm(call, "a check failed in the child process");
    }
    ++num_faults;
    call->n += 1 + call->n / kAllUpTo;
  }
}

bool faults_begin(faults_call *call, faults_site *site, bool can_fail) {
  if (!is_test_thread) return false;
  memset(call, 0, sizeof *call);
  if (is_in_call) {
    call->outer_countdown = countdown;
    call->is_nested = true;
    countdown = -1;
    return true;
  }
  if (!can_fail || is_trial) return false;
  call->site = site;
  call->n = site->first;
  if (is_forking && ++site->num_calls > kForkUpTo && site->num_calls % 64 != 0) return false;
  ++num_calls;
  if (is_forking && !try_in_children(call)) return false;
  call->raised = tvmffi_thread.raised;
  tvmffi_object_retain(call->raised);
  is_in_call = true;
  arm(call);
  return true;
}

void faults_watch(faults_call *call, const void *output, size_t size) {
  if (output == NULL || call->is_nested || size > kFaultsOutputSize ||
      call->num_outputs == kFaultsNumOutputs)
    return;
  call->outputs[call->num_outputs].address = output;
  call->outputs[call->num_outputs].size = size;
  memcpy(call->outputs[call->num_outputs++].before, output, size);
}

static void check_outputs(faults_call *call) {
  static const unsigned char zero[kFaultsOutputSize];
  int i;
  for (i = 0; i < call->num_outputs; ++i) {
    const void *now = call->outputs[i].address;
    size_t size = call->outputs[i].size;
    if (memcmp(now, call->outputs[i].before, size) != 0 && memcmp(now, zero, size) != 0) {
      harm(call, "an output was written");
    }
  }
}

static void check_error(faults_call *call) {
  const TVMFFIObject *error = tvmffi_thread.raised;
  if (call->site->is_silent) return;
  if (error == NULL) harm(call, "no error was raised");
  if (!tvmffi_error_is_shared(error)) ++num_others; /* the call found a mistake after all */
}

bool faults_again(faults_call *call, bool succeeded) {
  if (call->is_nested) {
    countdown = call->outer_countdown;
    return false;
  }
  countdown = -1;
  num_faults += fired;
  if (succeeded && fired != 0) ++num_unnoticed;
  if (succeeded || fired == 0) {
    if (is_trial) _exit(fired == 0 ? kUnspoilt : kUnnoticed);
    end(call, fired == 0 ? 0 : call->n + 1); /* the next call of this function goes on from here */
    return false;
  }
  check_error(call);
  check_outputs(call);
  TVMFFIErrorSetRaised(call->raised);
  /*
   * A failed call may leave a table that has grown, which the next call finds. What every call
   * leaves is leaked.
   */
  if (__atomic_load_n(&live_blocks, __ATOMIC_RELAXED) > call->live_blocks) {
    if (++call->num_growths == 4) harm(call, "it leaks");
  } else {
    if (is_trial) _exit(num_others != 0 ? kFailedOtherwise : kFailed);
    call->num_growths = 0;
    call->n += 1 + call->n / kAllUpTo;
  }
  arm(call);
  return true;
}

/* ---- Tests ---- */

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction set_up, CMFixtureFunction tear_down);

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction set_up, CMFixtureFunction tear_down) {
  const char *mode = getenv("TVM_FFI_TEST_FAULTS");
  int rc;
  if (mode == NULL) return __real__cmocka_run_group_tests(name, tests, count, set_up, tear_down);
  is_forking = getenv("TVM_FFI_TEST_FAULTS_FORK") != NULL;
  is_lasting = strcmp(mode, "lasting") == 0;
  is_test_thread = true;
  rc = __real__cmocka_run_group_tests(name, tests, count, set_up, tear_down);
  is_test_thread = false;
  if (is_trial) _exit(kHarm); /* a check failed in it */
  (void)printf("faults: %ld failures in %ld calls, %ld without an error, %ld with another\n",
               num_faults, num_calls, num_unnoticed, num_others);
  return rc;
}

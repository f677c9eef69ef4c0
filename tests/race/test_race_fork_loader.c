/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process forks while another thread has the lock of glibc's loader, which stays taken in the
 * child. If the child waits for that lock, its alarm ends it.
 */
#define _GNU_SOURCE /* alarm, fork, dl_iterate_phdr */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/atomic.h"
#include "support/check.h"
#include "support/environment.h"

#if defined(__SANITIZE_THREAD__)
#define CAN_HOLD 0 /* it does not support what a child does after a fork between threads */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CAN_HOLD 0
#endif
#endif
#if !defined(CAN_HOLD) && defined(__GLIBC__)
#define CAN_HOLD 1
#elif !defined(CAN_HOLD)
#define CAN_HOLD 0 /* others free the lock, or have none while they visit */
#endif

#if CAN_HOLD
#include <link.h>
#if __GLIBC_PREREQ(2, 35) && UINTPTR_MAX > 0xffffffff
#define CAN_WALK 1 /* before that version, and on 32-bit x86, the unwinder asks for the lock */
#endif

static int is_held, may_go_on;

static int hold(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info;
  (void)size;
  (void)context;
  tvmffi_atomic_store_release_int(&is_held, 1);
  while (!tvmffi_atomic_load_acquire_int(&may_go_on)) sched_yield();
  return 1;
}

static void *hold_lock(void *context) {
  (void)dl_iterate_phdr(hold, context);
  return NULL;
}

/* The status with which a child ends whose exit code is that of the body. */
static int fork_and_run(int (*body)(void)) {
  pthread_t thread;
  pid_t child;
  int status = -1;
  is_held = may_go_on = 0;
  assert_int_equal(pthread_create(&thread, NULL, hold_lock, NULL), 0);
  while (!tvmffi_atomic_load_acquire_int(&is_held)) sched_yield();
  child = fork();
  if (child == 0) {
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(30 * environment_slower());
    _exit(body());
  }
  tvmffi_atomic_store_release_int(&may_go_on, 1);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static int find_function(void) {
  const TVMFFIByteArray name = check_bytes("ffi.String");
  TVMFFIObjectHandle function = NULL;
  return TVMFFIFunctionGetGlobal(&name, &function) != 0 || function == NULL;
}

#ifdef CAN_WALK
static size_t num_bytes; /* of the parent's backtrace; 0 where the build has none */

static int walk_stack(void) {
  return (TVMFFIBacktrace(NULL, 0, NULL, 0)->size == 0) != (num_bytes == 0);
}
#endif
#endif

/* Here the parent has not used it before. */
TEST(test_a_child_uses_the_runtime_first) {
#if CAN_HOLD
  assert_int_equal(fork_and_run(find_function), 0);
#else
  skip();
#endif
}

TEST(test_a_child_walks_its_stack) {
#ifdef CAN_WALK
  num_bytes = TVMFFIBacktrace(NULL, 0, NULL, 0)->size;
  assert_int_equal(fork_and_run(walk_stack), 0);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_child_uses_the_runtime_first),
      cmocka_unit_test(test_a_child_walks_its_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

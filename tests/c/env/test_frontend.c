/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "env/env.h"
#include "support/check.h"

static char calls[8]; /* the calls so far, one letter each */
static int pending;
static void *lock_state;

static void note(char letter) {
  size_t n = strlen(calls);
  if (n + 1 < sizeof calls) calls[n] = letter;
}

static int check_signals(void) {
  note('c');
  return pending;
}

static void *ensure_lock(void) {
  note('e');
  return lock_state;
}

static void release_lock(void *given) {
  note(given == lock_state ? 'r' : '?');
}

typedef union {
  void *symbol;
  int (*check_signals)(void);
  void *(*ensure_lock)(void);
  void (*release_lock)(void *state);
} hook;

static void register_all(void) {
  hook check, ensure, release;
  check.check_signals = check_signals;
  ensure.ensure_lock = ensure_lock;
  release.release_lock = release_lock;
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", check.symbol));
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", ensure.symbol));
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Release", release.symbol));
}

FIXTURE(set_up) {
  memset(calls, 0, sizeof calls);
  pending = 0;
  lock_state = &pending;
  tvmffi_env_shutdown();
  return 0;
}

TEST(test_without_a_frontend) {
  check_ok(TVMFFIEnvCheckSignals());
}

TEST(test_the_check_runs_under_the_lock) {
  register_all();
  check_ok(TVMFFIEnvCheckSignals());
  assert_string_equal(calls, "ecr");
}

TEST(test_a_thread_that_has_the_lock_keeps_it) {
  register_all();
  lock_state = NULL;
  check_ok(TVMFFIEnvCheckSignals());
  assert_string_equal(calls, "ec");
}

TEST(test_a_pending_signal) {
  register_all();
  pending = 7;
  assert_int_equal(TVMFFIEnvCheckSignals(), -1);
  check_not_raised(); /* the frontend has set its own exception */
  assert_string_equal(calls, "ecr");
}

TEST(test_without_the_lock_s_functions) {
  register_all();
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Release", NULL));
  assert_int_equal(TVMFFIEnvCheckSignals(), -1);
  check_raised_with("InternalError", "PyGILState_Ensure");
  assert_string_equal(calls, "");
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", NULL));
  check_ok(TVMFFIEnvCheckSignals());
}

TEST(test_other_names) {
  check_fails(TVMFFIEnvRegisterCAPI("PyErr_Print", calls), "ValueError",
              "Unknown env API PyErr_Print");
  check_fails(TVMFFIEnvRegisterCAPI("", NULL), "ValueError", "Unknown env API ");
  check_fails(TVMFFIEnvRegisterCAPI(NULL, calls), "ValueError", NULL);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_without_a_frontend, set_up),
    cmocka_unit_test_setup(test_the_check_runs_under_the_lock, set_up),
    cmocka_unit_test_setup(test_a_thread_that_has_the_lock_keeps_it, set_up),
    cmocka_unit_test_setup(test_a_pending_signal, set_up),
    cmocka_unit_test_setup(test_without_the_lock_s_functions, set_up),
    cmocka_unit_test_setup(test_other_names, set_up),
})

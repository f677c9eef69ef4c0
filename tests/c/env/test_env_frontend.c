/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "core/any.h"
#include "env/env.h"
#include "platform/platform.h"
#include "support/check.h"

static char calls[8]; /* the calls so far, one letter each */
static int pending;
static void *exception; /* what PyErr_Occurred returns */
static void *thread_state;
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

/* The runtime looks for these in the library or program that has check_signals. */
TVM_FFI_DLL_EXPORT void *PyErr_Occurred(void);
TVM_FFI_DLL_EXPORT void *PyGILState_GetThisThreadState(void);

void *PyGILState_GetThisThreadState(void) {
  note('s');
  return thread_state;
}

void *PyErr_Occurred(void) {
  note('o');
  return exception;
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
  exception = NULL;
  thread_state = &pending;
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

/* Python counts how often a thread takes the lock, whether it had it before (0) or not. */
TEST(test_a_thread_that_has_the_lock_gives_back_its_count) {
  register_all();
  lock_state = NULL;
  check_ok(TVMFFIEnvCheckSignals());
  assert_string_equal(calls, "ecr");
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

/* ---- What functions return when there is a frontend ---- */

/* Raises an error of the kind self, unless that is empty, and returns args[0]. */
static int fail_plainly(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  if (*(const char *)self != '\0') TVMFFIErrorSetRaisedFromCStr(self, "plainly");
  return (int)args[0].v_int64;
}

static int call_failing(const char *kind, int code) {
  static char text[32];
  TVMFFIObjectHandle function;
  TVMFFIAny arg = tvmffi_any_int(code), result = tvmffi_any_none();
  int rc;
  strcpy(text, kind);
  check_ok(TVMFFIFunctionCreate(text, fail_plainly, NULL, &function));
  memset(calls, 0, sizeof calls);
  rc = TVMFFIFunctionCall(function, &arg, 1, &result);
  TVMFFIObjectDecRef(function);
  return rc;
}

static const char kAlreadySet[] = "EnvErrorAlreadySet";

/* False where programs export no symbols, or there is no loader. */
static bool can_ask(void) {
  static const char *const none[] = {NULL};
  char path[4096];
  return tvmffi_dl_find_loaded("PyErr_Occurred", none) != NULL &&
         tvmffi_dl_find_path(&pending, path, sizeof path);
}

TEST(test_a_host_without_a_frontend_gets_the_codes) {
  assert_int_equal(call_failing("ValueError", -2), -2);
  check_raised("ValueError", "plainly");
  assert_int_equal(call_failing("", 7), 7);
  check_not_raised();
  assert_int_equal(call_failing(kAlreadySet, -1), -1);
  check_raised(kAlreadySet, "plainly");
}

TEST(test_a_frontend_never_gets_its_own_code) {
  register_all();
  assert_int_equal(call_failing("ValueError", -2), -1);
  check_raised("ValueError", "plainly");
  assert_int_equal(call_failing("ValueError", 7), 7);
  check_raised("ValueError", "plainly");
  assert_string_equal(calls, ""); /* there is nothing to ask */
  check_ok(call_failing("ValueError", 0));
  check_raised("ValueError", "plainly");
}

TEST(test_a_frontend_gets_an_error_for_each_failure) {
  static const int codes[] = {-1, -2, 7};
  size_t i;
  register_all();
  for (i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
    char message[64];
    (void)snprintf(message, sizeof message, "callee returned %d without setting an error",
                   codes[i]);
    assert_int_equal(call_failing("", codes[i]), codes[i] == -2 ? -1 : codes[i]);
    check_raised("InternalError", message);
    assert_string_equal(calls, can_ask() ? "seor" : "");
  }
}

TEST(test_an_exception_that_is_set_goes_on) {
  register_all();
  exception = &pending;
  assert_int_equal(call_failing(kAlreadySet, -1), -1);
  check_raised(kAlreadySet, "plainly");
  assert_int_equal(call_failing("", -2), -1);
  if (can_ask()) {
    check_raised(kAlreadySet, "");
  } else {
    check_raised("InternalError", "callee returned -2 without setting an error");
  }
}

TEST(test_an_exception_that_is_not_set_does_not_go_on) {
  register_all();
  assert_int_equal(call_failing(kAlreadySet, -2), -1);
  if (can_ask()) {
    check_raised("InternalError",
                 "callee raised EnvErrorAlreadySet, but the frontend has no exception set");
  } else {
    check_raised(kAlreadySet, "plainly");
  }
  /* Without the functions for the lock it cannot be asked. */
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", NULL));
  assert_int_equal(call_failing(kAlreadySet, -2), -1);
  check_raised(kAlreadySet, "plainly");
  assert_string_equal(calls, "");
}

/* The lock may be held by a thread that waits for this one, or Python may have ended. */
TEST(test_a_thread_without_a_state_does_not_take_the_lock) {
  register_all();
  thread_state = NULL;
  exception = &pending;
  assert_int_equal(call_failing("", -1), -1);
  check_raised("InternalError", "callee returned -1 without setting an error");
  assert_string_equal(calls, can_ask() ? "s" : "");
}

TEST(test_without_a_frontend_again) {
  register_all();
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", NULL));
  assert_int_equal(call_failing("", -2), -2);
  check_not_raised();
}

static int get_self(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIOpaquePtr;
  result->v_ptr = self;
  return 0;
}

TEST(test_the_first_argument_is_the_same_with_a_frontend) {
  TVMFFIObjectHandle function;
  TVMFFIAny result = tvmffi_any_none();
  int i;
  register_all();
  for (i = 0; i < 2; ++i) {
    check_ok(TVMFFIFunctionCreate(i == 0 ? NULL : &pending, get_self, NULL, &function));
    check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
    assert_ptr_equal(result.v_ptr, i == 0 ? function : (void *)&pending);
    TVMFFIObjectDecRef(function);
  }
}

RUN_TESTS({
    cmocka_unit_test_setup(test_a_thread_without_a_state_does_not_take_the_lock, set_up),
    cmocka_unit_test_setup(test_without_a_frontend_again, set_up),
    cmocka_unit_test_setup(test_the_first_argument_is_the_same_with_a_frontend, set_up),
    cmocka_unit_test_setup(test_without_a_frontend, set_up),
    cmocka_unit_test_setup(test_the_check_runs_under_the_lock, set_up),
    cmocka_unit_test_setup(test_a_thread_that_has_the_lock_gives_back_its_count, set_up),
    cmocka_unit_test_setup(test_a_pending_signal, set_up),
    cmocka_unit_test_setup(test_without_the_lock_s_functions, set_up),
    cmocka_unit_test_setup(test_other_names, set_up),
    cmocka_unit_test_setup(test_a_host_without_a_frontend_gets_the_codes, set_up),
    cmocka_unit_test_setup(test_a_frontend_never_gets_its_own_code, set_up),
    cmocka_unit_test_setup(test_a_frontend_gets_an_error_for_each_failure, set_up),
    cmocka_unit_test_setup(test_an_exception_that_is_set_goes_on, set_up),
    cmocka_unit_test_setup(test_an_exception_that_is_not_set_does_not_go_on, set_up),
})

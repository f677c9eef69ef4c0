/* SPDX-License-Identifier: Apache-2.0 */

#include "platform/atomic.h"
#include "platform/platform.h"
#include "support/check.h"
#include "support/thread.h"

static void *first, *second, *third; /* handles; NULL at the start of every test */
static int num_calls;

static int count_call(void **result) {
  ++num_calls;
  *result = &num_calls;
  return 0;
}

static int must_not_run(void **result) {
  (void)result;
  fail();
  return 0;
}

TEST(test_one_call_initialises) {
  check_ok(TVMFFIHandleInitOnce(&first, count_call));
  assert_ptr_equal(first, &num_calls);
  assert_int_equal(num_calls, 1);
  check_ok(TVMFFIHandleInitOnce(&first, must_not_run));
  assert_ptr_equal(first, &num_calls);
}

static int give_seven(void **result) {
  *result = &num_calls; /* must not be stored after a failure */
  TVMFFIErrorSetRaisedFromCStr("ValueError", "seven");
  return 7;
}

TEST(test_a_failure_is_passed_on_and_tried_again) {
  assert_int_equal(TVMFFIHandleInitOnce(&first, give_seven), 7);
  check_raised("ValueError", "seven");
  assert_null(first);
  check_ok(TVMFFIHandleInitOnce(&first, count_call));
  assert_ptr_equal(first, &num_calls);
}

static int leave_null(void **result) {
  assert_null(*result);
  return 0;
}

TEST(test_a_null_handle_is_refused) {
  check_fails(TVMFFIHandleInitOnce(&first, leave_null), "RuntimeError",
              "init_func must return a non-NULL handle");
  assert_null(first);
  check_ok(TVMFFIHandleInitOnce(&first, count_call));
}

static int give_two_in_silence(void **result) {
  (void)result;
  return -2;
}

static int close_in_silence(void *handle) {
  (void)handle;
  return 3;
}

TEST(test_L_13_a_failure_without_an_error_gets_one) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "an old one");
  assert_int_equal(TVMFFIHandleInitOnce(&first, give_two_in_silence), -1); /* F-14 */
  check_raised("InternalError", "callee returned -2 without setting an error");
  first = &num_calls;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "an old one");
  assert_int_equal(TVMFFIHandleDeinitOnce(&first, close_in_silence), 3);
  check_raised("InternalError", "callee returned 3 without setting an error");
}

static int initialise_third(void **result) {
  check_ok(TVMFFIHandleInitOnce(&third, count_call));
  *result = &second;
  return 0;
}

static int initialise_second(void **result) {
  check_ok(TVMFFIHandleInitOnce(&second, initialise_third));
  check_ok(TVMFFIHandleInitOnce(&third, must_not_run));
  *result = &first;
  return 0;
}

TEST(test_L_4_nested_initialisation) {
  check_ok(TVMFFIHandleInitOnce(&first, initialise_second));
  assert_ptr_equal(first, &first);
  assert_ptr_equal(second, &second);
  assert_ptr_equal(third, &num_calls);
  assert_int_equal(num_calls, 1);
}

static int ask_for_first(void **result) {
  (void)result;
  return TVMFFIHandleInitOnce(&first, count_call);
}

static int ask_for_first_below(void **result) {
  (void)result;
  return TVMFFIHandleInitOnce(&second, ask_for_first);
}

TEST(test_L_4_an_initialiser_that_needs_itself) {
  check_fails_with(TVMFFIHandleInitOnce(&first, ask_for_first), "RuntimeError", "waits for itself");
  check_fails_with(TVMFFIHandleInitOnce(&first, ask_for_first_below), "RuntimeError",
                   "waits for itself");
  assert_null(first);
  assert_null(second);
  assert_int_equal(num_calls, 0);
  check_ok(TVMFFIHandleInitOnce(&first, count_call)); /* the failures left nothing behind */
}

/* Each of two threads needs the other's handle while it initialises its own. */
static int num_inside, num_failed;

static int give_handle(void **result) {
  *result = &num_inside;
  return 0;
}

static int ask_for_other(void **handle_addr, void **result) {
  int code;
  (void)__atomic_fetch_add(&num_inside, 1, __ATOMIC_ACQ_REL);
  while (tvmffi_atomic_load_acquire_int(&num_inside) < 2) tvmffi_thread_yield();
  code = TVMFFIHandleInitOnce(handle_addr, give_handle);
  *result = &num_failed;
  return code;
}

static int first_needs_second(void **result) {
  return ask_for_other(&second, result);
}
static int second_needs_first(void **result) {
  return ask_for_other(&first, result);
}

static void initialise_crosswise(void *arg, int index) {
  int code = index == 0 ? TVMFFIHandleInitOnce(&first, first_needs_second)
                        : TVMFFIHandleInitOnce(&second, second_needs_first);
  (void)arg;
  if (code != 0) (void)__atomic_fetch_add(&num_failed, 1, __ATOMIC_RELAXED);
}

TEST(test_L_4_threads_that_wait_for_each_other) {
  num_inside = num_failed = 0;
  thread_run_many(2, initialise_crosswise, NULL);
  assert_int_equal(num_failed, 1); /* one fails, so that the other can go on */
  assert_non_null(first);
  assert_non_null(second);
}

/* One thread initialises, another one asks meanwhile and gets the same handle. */
static int num_asking;

static int wait_for_asker(void **result) {
  int i;
  (void)__atomic_fetch_add(&num_inside, 1, __ATOMIC_ACQ_REL);
  while (tvmffi_atomic_load_acquire_int(&num_asking) == 0) tvmffi_thread_yield();
  for (i = 0; i < 200; ++i) tvmffi_thread_yield(); /* until it waits, as a rule; each may take ms */
  *result = &num_asking;
  return 0;
}

static int must_not_be_called(void **result) {
  (void)result;
  return -1; /* not called: the other thread's value is taken */
}

static void initialise_or_ask(void *arg, int index) {
  int code;
  (void)arg;
  if (index == 0) {
    code = TVMFFIHandleInitOnce(&first, wait_for_asker);
  } else {
    while (tvmffi_atomic_load_acquire_int(&num_inside) == 0) tvmffi_thread_yield();
    (void)__atomic_fetch_add(&num_asking, 1, __ATOMIC_ACQ_REL);
    code = TVMFFIHandleInitOnce(&first, must_not_be_called);
  }
  if (code != 0) (void)__atomic_fetch_add(&num_failed, 1, __ATOMIC_RELAXED);
}

TEST(test_a_thread_that_waits_gets_the_handle) {
  num_inside = num_failed = num_asking = 0;
  thread_run_many(2, initialise_or_ask, NULL);
  assert_int_equal(num_failed, 0);
  assert_ptr_equal(first, &num_asking);
}

static void *closed;

static int close_handle(void *handle) {
  closed = handle;
  return 5;
}

static int close_and_ask(void *handle) {
  assert_null(first);
  closed = handle;
  return TVMFFIHandleInitOnce(&first, count_call);
}

TEST(test_deinit_empties_the_handle) {
  closed = NULL;
  check_ok(TVMFFIHandleDeinitOnce(&first, close_handle)); /* there is no handle */
  assert_null(closed);
  check_ok(TVMFFIHandleInitOnce(&first, count_call));
  assert_int_equal(TVMFFIHandleDeinitOnce(&first, close_handle), 5);
  check_raised("InternalError", NULL);
  assert_ptr_equal(closed, &num_calls);
  assert_null(first);
  check_ok(TVMFFIHandleInitOnce(&first, count_call)); /* a closed handle can be initialised again */
  assert_int_equal(num_calls, 2);
  check_ok(TVMFFIHandleDeinitOnce(&first, close_and_ask));
  assert_int_equal(num_calls, 3);
  assert_non_null(first);
}

TEST(test_refused_arguments) {
  check_fails(TVMFFIHandleInitOnce(NULL, count_call), "ValueError", NULL);
  check_fails(TVMFFIHandleInitOnce(&first, NULL), "ValueError", NULL);
  check_fails(TVMFFIHandleDeinitOnce(NULL, close_handle), "ValueError", NULL);
  first = &num_calls;
  check_fails(TVMFFIHandleDeinitOnce(&first, NULL), "ValueError", NULL);
  assert_ptr_equal(first, &num_calls);
}

FIXTURE(reset) {
  first = second = third = NULL;
  num_calls = 0;
  return 0;
}

#define ROW(name) cmocka_unit_test_setup(name, reset)

RUN_TESTS({
    ROW(test_one_call_initialises),
    ROW(test_a_failure_is_passed_on_and_tried_again),
    ROW(test_a_null_handle_is_refused),
    ROW(test_L_13_a_failure_without_an_error_gets_one),
    ROW(test_L_4_nested_initialisation),
    ROW(test_L_4_an_initialiser_that_needs_itself),
    ROW(test_L_4_threads_that_wait_for_each_other),
    ROW(test_a_thread_that_waits_gets_the_handle),
    ROW(test_deinit_empties_the_handle),
    ROW(test_refused_arguments),
})

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/thread_state.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/object.h"
#include "support/check.h"
#include "support/thread.h"

static int count_records(void) {
  const tvmffi_thread_record *record = tvmffi_thread_record_first();
  int count = 0;
  for (; record != NULL; record = record->next) ++count;
  return count;
}

static void ensure_record(void *seen) {
  *(void **)seen = tvmffi_thread_record_ensure();
}

TEST(test_records_are_recycled) {
  void *mine = tvmffi_thread_record_ensure(), *first = NULL, *other = NULL;
  int i, count;
  assert_non_null(mine);
  assert_ptr_equal(tvmffi_thread_record_ensure(), mine);
  thread_run(ensure_record, &first, 0);
  assert_non_null(first);
  assert_ptr_not_equal(first, mine);
  count = count_records();
  for (i = 0; i < 20; ++i) {
    thread_run(ensure_record, &other, 0);
    assert_ptr_equal(other, first);
  }
  assert_int_equal(count_records(), count);
}

/* A thread that ends in the middle of a stack walk and of a loan, as pthread_exit in a hook does.
 */
static void end_while_busy(void *seen) {
  tvmffi_thread_record *record = tvmffi_thread_record_ensure();
  record->is_walking = true;
  record->lent = seen;
  *(void **)seen = record;
}

static void read_record(void *seen) {
  *(tvmffi_thread_record *)seen = *tvmffi_thread_record_ensure();
}

TEST(test_recycled_records_are_empty) {
  void *busy = NULL, *next = NULL;
  tvmffi_thread_record seen;
  thread_run(end_while_busy, &busy, 0);
  thread_run(read_record, &seen, 0);
  thread_run(ensure_record, &next, 0);
  assert_ptr_equal(next, busy);
  assert_false(seen.is_walking);
  assert_null(seen.lent);
}

static void ensure_record_of_many(void *seen, int index) {
  ((void **)seen)[index] = tvmffi_thread_record_ensure();
  (void)TVMFFIBacktrace("file.c", index, "function", 0); /* its text is freed with the thread */
}

TEST(test_threads_do_not_share_records) {
  enum { kThreads = 8 };
  void *seen[kThreads];
  int i;
  thread_run_many(kThreads, ensure_record_of_many, seen);
  for (i = 0; i < kThreads; ++i) assert_non_null(seen[i]);
  assert_in_range(count_records(), 1, kThreads + 1);
}

/* Raises the error and leaves it in the slot when the thread ends. */
static void raise_and_end(void *error) {
  TVMFFIErrorSetRaised(error);
}

static TVMFFIObjectHandle new_error(TVMFFIObjectHandle context) {
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, NULL, context, &error));
  return error;
}

TEST(test_L_17e_own_errors_are_released_at_thread_exit) {
  TVMFFIObjectHandle error;
  probe p;
  probe_init(&p);
  error = new_error(&p);
  thread_run(raise_and_end, error, 0);
  assert_int_equal(check_use_count(error), 1);
  TVMFFIObjectDecRef(error);
  assert_int_equal(check_use_count(&p), 1);
}

TEST(test_L_17e_foreign_errors_are_leaked_at_thread_exit) {
  probe p; /* an Error of a library that may be unloaded when the thread ends */
  probe_init(&p);
  p.header.type_index = kTVMFFIError;
  thread_run(raise_and_end, &p, 0);
  assert_int_equal(check_use_count(&p), 2);
  assert_int_equal(p.strong_deletes, 0);
}

static void raise_a_new_one_and_end(void *unused) {
  (void)unused;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "for leak checkers");
}

TEST(test_threads_leave_nothing_behind) {
  int i;
  for (i = 0; i < 5; ++i) thread_run(raise_a_new_one_and_end, NULL, 0);
  check_not_raised();
}

/* A deleter that runs while the thread ends may use the library again. */
static void raise_again(void *context) {
  TVMFFIErrorSetRaised(context);
  TVMFFIObjectDecRef(context);
  (void)TVMFFIBacktrace("file.c", 1, "function", 0);
}

static void raise_taken_and_end(void *error) {
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
}

TEST(test_errors_raised_while_a_thread_ends) {
  TVMFFIObjectHandle opaque, error;
  probe p;
  int i, count = 0;
  probe_init(&p);
  for (i = 0; i < 5; ++i) {
    check_ok(TVMFFIObjectCreateOpaque(new_error(&p), kTVMFFIOpaquePyObject, raise_again, &opaque));
    error = new_error(opaque);
    TVMFFIObjectDecRef(opaque);
    thread_run(raise_taken_and_end, error, 0);
    assert_int_equal(check_use_count(&p), 1);
    if (i == 0) count = count_records();
  }
  assert_int_equal(count_records(), count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_records_are_recycled),
      cmocka_unit_test(test_recycled_records_are_empty),
      cmocka_unit_test(test_threads_do_not_share_records),
      cmocka_unit_test(test_L_17e_own_errors_are_released_at_thread_exit),
      cmocka_unit_test(test_L_17e_foreign_errors_are_leaked_at_thread_exit),
      cmocka_unit_test(test_threads_leave_nothing_behind),
      cmocka_unit_test(test_errors_raised_while_a_thread_ends),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One thread, the main one: nobody else holds a lock, and no thread ends before the process does.
 */
#include "platform/thread.h"

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  (void)mutex;
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  (void)mutex;
}

/* Whoever waits must be able to tell that nobody else is there, for nothing would change. */
void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)condition;
  (void)mutex;
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  (void)condition;
}

void tvmffi_condition_reset(tvmffi_condition *condition) {
  (void)condition;
}

tvmffi_thread_id tvmffi_thread_self(void) {
  return 0;
}

int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b) {
  return a == b;
}

void tvmffi_thread_yield(void) {}

/* Accepted, because the main thread's fn does not run when main returns. */
int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg) {
  (void)fn;
  (void)arg;
  return 0;
}

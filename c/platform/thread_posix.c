/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/thread.h"

#include <sched.h>

#include "platform/atomic.h"
#include "platform/dl.h"

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  (void)pthread_mutex_lock(mutex);
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  (void)pthread_mutex_unlock(mutex);
}

void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)pthread_cond_wait(condition, mutex);
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  (void)pthread_cond_broadcast(condition);
}

tvmffi_thread_id tvmffi_thread_self(void) {
  return pthread_self();
}

int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b) {
  return pthread_equal(a, b);
}

void tvmffi_thread_yield(void) {
  (void)sched_yield();
}

/*
 * The key is created once and never deleted: a thread may end at any time, and then calls fn, which
 * is in the library that this code is linked into. So that library must stay loaded from then on.
 */
static pthread_key_t exit_key;
static int exit_key_made;
static tvmffi_mutex exit_key_mutex = TVMFFI_MUTEX_INIT;

int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg) {
  if (!tvmffi_atomic_load_acquire_int(&exit_key_made)) {
    int rc = 0;
    tvmffi_mutex_lock(&exit_key_mutex);
    if (!exit_key_made) {
      rc = pthread_key_create(&exit_key, fn);
      if (rc == 0) tvmffi_atomic_store_release_int(&exit_key_made, 1);
    }
    tvmffi_mutex_unlock(&exit_key_mutex);
    if (rc != 0) return -1;
    tvmffi_dl_keep(&exit_key_made); /* outside the lock: it may be taken under the loader's */
  }
  return pthread_setspecific(exit_key, arg) == 0 ? 0 : -1;
}

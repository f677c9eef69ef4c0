/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* pthread_atfork */
#include "platform/thread.h"

#include <sched.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/dl.h"

/* ---- fork ---- */

#if defined(__GLIBC__)
/*
 * What pthread_atfork of glibc calls; the Linux Standard Base specifies it. pthread_atfork itself
 * is linked in statically, from an object file without the note for control-flow enforcement, which
 * the whole library would lose for it.
 */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *dso_handle);
/* From the start files, if these are linked in: the handlers end when that library is unloaded. */
extern void *const __dso_handle __attribute__((weak, visibility("hidden")));

static int set_fork_handlers(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  return __register_atfork(prepare, parent, child, (void *)(uintptr_t)&__dso_handle);
}
#else
#define set_fork_handlers pthread_atfork
#endif

static tvmffi_mutex *listed; /* newest first; guarded by the next, but read without it */
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static int has_fork_handlers;

static void unlock_list(tvmffi_mutex *mutex) {
  for (; mutex != NULL; mutex = mutex->next) (void)pthread_mutex_unlock(&mutex->lock);
}

/*
 * Nobody waits for a lock while holding the lock of the list, so that one comes last. A mutex that
 * was used for the first time meanwhile is missing then: start again.
 */
static void before_fork(void) {
  for (;;) {
    tvmffi_mutex *first = tvmffi_atomic_load_acquire_ptr(&listed), *mutex;
    int rank;
    for (rank = 0; rank < kTvmffiNumLockRanks; ++rank) {
      for (mutex = first; mutex != NULL; mutex = mutex->next) {
        if ((int)mutex->rank == rank) (void)pthread_mutex_lock(&mutex->lock);
      }
    }
    (void)pthread_mutex_lock(&listing);
    if (listed == first) return;
    (void)pthread_mutex_unlock(&listing);
    unlock_list(first);
  }
}

static void after_fork(void) {
  (void)pthread_mutex_unlock(&listing);
  unlock_list(listed);
}

static void after_fork_in_child(void) {
  tvmffi_mutex *mutex;
  for (mutex = listed; mutex != NULL; mutex = mutex->next) {
    if (mutex->forget_threads != NULL) mutex->forget_threads();
  }
  after_fork();
}

/*
 * The handlers are set without any lock, because the system may be running other handlers, which
 * wait for locks. If it has no memory for them, the next new mutex tries again.
 */
TVMFFI_COLD static void list_mutex(tvmffi_mutex *mutex) {
  if (!tvmffi_atomic_exchange_int(&has_fork_handlers, 1) &&
      set_fork_handlers(before_fork, after_fork, after_fork_in_child) != 0) {
    tvmffi_atomic_store_release_int(&has_fork_handlers, 0);
  }
  (void)pthread_mutex_lock(&listing);
  if (!mutex->is_listed) {
    mutex->next = listed;
    tvmffi_atomic_store_release_ptr(&listed, mutex);
    tvmffi_atomic_store_release_int(&mutex->is_listed, 1);
  }
  (void)pthread_mutex_unlock(&listing);
}

/* ---- Locks ---- */

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  if (TVMFFI_UNLIKELY(!tvmffi_atomic_load_acquire_int(&mutex->is_listed))) list_mutex(mutex);
  (void)pthread_mutex_lock(&mutex->lock);
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  (void)pthread_mutex_unlock(&mutex->lock);
}

void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)pthread_cond_wait(condition, &mutex->lock);
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  (void)pthread_cond_broadcast(condition);
}

void tvmffi_condition_reset(tvmffi_condition *condition) {
  static const tvmffi_condition without_waiters = TVMFFI_CONDITION_INIT;
  *condition = without_waiters;
}

/* ---- Threads ---- */

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
static tvmffi_mutex exit_key_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockTypes, NULL);

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

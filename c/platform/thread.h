/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and threads. One implementation file per system: thread_<system>.c. Locks are static and
 * never destroyed. Of clients' code only the memory hooks are called while one is held.
 */
#ifndef TVMFFI_PLATFORM_THREAD_H_
#define TVMFFI_PLATFORM_THREAD_H_

#include <pthread.h>

typedef pthread_mutex_t tvmffi_mutex;
#define TVMFFI_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER

typedef pthread_cond_t tvmffi_condition;
#define TVMFFI_CONDITION_INIT PTHREAD_COND_INITIALIZER

void tvmffi_mutex_lock(tvmffi_mutex *mutex);
void tvmffi_mutex_unlock(tvmffi_mutex *mutex);

/* Waits with the mutex released; may wake up spuriously. */
void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex);
void tvmffi_condition_broadcast(tvmffi_condition *condition);

typedef pthread_t tvmffi_thread_id;
tvmffi_thread_id tvmffi_thread_self(void);
int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b);

void tvmffi_thread_yield(void);

/*
 * Calls fn(arg) when the calling thread ends, if arg is not NULL. There is one fn per process;
 * another call in the same thread replaces arg, and NULL cancels. Returns 0, or -1 if the system
 * has no room: then fn will not be called. For the main thread, fn does not run when main returns.
 */
int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg);

#endif /* TVMFFI_PLATFORM_THREAD_H_ */

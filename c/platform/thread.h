/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and threads. One implementation file per system, thread_<system>.c, with types in
 * thread_types_<system>.h. Locks are static and never destroyed. Of clients' code only the memory
 * hooks are called while one is held.
 */
#ifndef TVMFFI_PLATFORM_THREAD_H_
#define TVMFFI_PLATFORM_THREAD_H_

#include <stddef.h>

#if defined(TVMFFI_SINGLE_THREAD)
#include "platform/thread_types_none.h"
#elif defined(_WIN32)
#include "platform/thread_types_windows.h"
#else
#include "platform/thread_types_posix.h"
#endif

/*
 * The order of locks: a thread that holds one may take only those of a higher rank. fork takes all
 * of them in this order, so that whatever a lock guards is whole in the child, too. The rank and
 * what follows it have no purpose on systems without fork.
 */
typedef enum {
  kTvmffiLockOuter,  /* any other; never two of them at once */
  kTvmffiLockTypes,  /* types; the hook for the end of threads */
  kTvmffiLockLive,   /* counting of live objects: wherever objects are made */
  kTvmffiLockMemory, /* memory until shutdown: wherever such memory is allocated */
  kTvmffiNumLockRanks
} tvmffi_lock_rank;

/*
 * forget_threads may be NULL. It is called in the child of a fork, with the lock held: it removes
 * from the data what is about threads other than the calling one, for the child has no others.
 */
typedef struct tvmffi_mutex {
  tvmffi_native_lock lock;
  tvmffi_lock_rank rank;
  void (*forget_threads)(void);
  struct tvmffi_mutex *next; /* in the list of all that were ever used */
  int is_listed;
} tvmffi_mutex;

#define TVMFFI_MUTEX_INIT_WITH(rank, forget_threads) \
  { TVMFFI_NATIVE_LOCK_INIT, rank, forget_threads, NULL, 0 }
#define TVMFFI_MUTEX_INIT TVMFFI_MUTEX_INIT_WITH(kTvmffiLockOuter, NULL)

void tvmffi_mutex_lock(tvmffi_mutex *mutex);
void tvmffi_mutex_unlock(tvmffi_mutex *mutex);

/* Waits with the mutex released; may wake up spuriously. */
void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex);
void tvmffi_condition_broadcast(tvmffi_condition *condition);
/* In the child of a fork: forgets the threads that waited. */
void tvmffi_condition_reset(tvmffi_condition *condition);

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

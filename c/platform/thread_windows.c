/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and threads of Windows, which has no fork: ranks and lists of locks are not used. */
#include "platform/thread.h"

#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/dl.h"
#include "platform/win32.h"

/* ---- Locks ---- */

/* What thread_types_windows.h says: an array of negative size if it is wrong. */
typedef char same_lock[sizeof(tvmffi_native_lock) == sizeof(SRWLOCK) ? 1 : -1];
typedef char same_condition[sizeof(tvmffi_condition) == sizeof(CONDITION_VARIABLE) ? 1 : -1];
typedef char same_id[sizeof(tvmffi_thread_id) == sizeof(DWORD) ? 1 : -1];

static SRWLOCK *native_lock(tvmffi_mutex *mutex) {
  return (SRWLOCK *)(void *)&mutex->lock;
}

static CONDITION_VARIABLE *native_condition(tvmffi_condition *condition) {
  return (CONDITION_VARIABLE *)(void *)condition;
}

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  AcquireSRWLockExclusive(native_lock(mutex));
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  ReleaseSRWLockExclusive(native_lock(mutex));
}

void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)SleepConditionVariableSRW(native_condition(condition), native_lock(mutex), INFINITE, 0);
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  WakeAllConditionVariable(native_condition(condition));
}

void tvmffi_condition_reset(tvmffi_condition *condition) {
  static const tvmffi_condition without_waiters = TVMFFI_CONDITION_INIT;
  *condition = without_waiters;
}

/* ---- Threads ---- */

tvmffi_thread_id tvmffi_thread_self(void) {
  return GetCurrentThreadId();
}

int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b) {
  return a == b;
}

void tvmffi_thread_yield(void) {
  if (!SwitchToThread()) Sleep(0);
}

/*
 * The slot is allocated once and never freed: a thread may end at any time, and then calls fn,
 * which is in the library that this code is linked into. So that library must stay loaded from
 * then on.
 */
static DWORD exit_slot;
static void (*exit_fn)(void *arg);
static int exit_slot_made;
static tvmffi_mutex exit_slot_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockTypes, NULL);

int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg) {
  if (!tvmffi_atomic_load_acquire_int(&exit_slot_made)) {
    DWORD slot = 0;
    tvmffi_mutex_lock(&exit_slot_mutex);
    if (!exit_slot_made) {
      slot = TlsAlloc();
      if (slot != TLS_OUT_OF_INDEXES) {
        exit_slot = slot;
        exit_fn = fn;
        tvmffi_atomic_store_release_int(&exit_slot_made, 1);
      }
    }
    tvmffi_mutex_unlock(&exit_slot_mutex);
    if (slot == TLS_OUT_OF_INDEXES) return -1;
    tvmffi_dl_keep(&exit_slot_made); /* outside the lock: it may be taken under the loader's */
  }
  return TlsSetValue(exit_slot, arg) ? 0 : -1;
}

/*
 * Not FlsAlloc: its function is called for the main thread as well when main returns, and for each
 * fiber. Like a pthread key's, this one is called again for what fn left to be called for.
 */
static void NTAPI on_thread_event(PVOID library, DWORD event, PVOID reserved) {
  enum { kMaxCalls = 4 };
  int i;
  (void)library;
  (void)reserved;
  if (event != DLL_THREAD_DETACH || !tvmffi_atomic_load_acquire_int(&exit_slot_made)) return;
  for (i = 0; i < kMaxCalls; ++i) {
    void *arg = TlsGetValue(exit_slot);
    if (arg == NULL) return;
    (void)TlsSetValue(exit_slot, NULL);
    exit_fn(arg);
  }
}

/*
 * The linker sorts sections by the part of the name after the dollar sign and makes them one table
 * of functions, which the loader calls in this order. MinGW's function that frees thread-local
 * variables is in .CRT$XLD.
 */
TVMFFI_USED __attribute__((section(".CRT$XLB"))) static const PIMAGE_TLS_CALLBACK kOnThreadEvent =
    on_thread_event;

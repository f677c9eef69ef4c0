/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-time initialisation of handles. There is no lock per handle: the initialisations under way
 * are in a list, and threads that want a handle of the list wait for the list to change.
 */
#include "core/error.h"
#include "core/function.h"
#include "platform/atomic.h"
#include "platform/platform.h"

/* An initialisation under way, or a wait for one. On the stack of its thread. */
typedef struct once_entry {
  void **handle_addr;
  tvmffi_thread_id thread;
  struct once_entry *next;
} once_entry;

static void forget_other_initializers(void);

static tvmffi_mutex once_mutex =
    TVMFFI_MUTEX_INIT_WITH(kTvmffiLockOuter, forget_other_initializers);
static tvmffi_condition changed = TVMFFI_CONDITION_INIT;
static once_entry *running; /* threads that initialise a handle */
static once_entry *waiting; /* threads that wait for a handle */

/* What another thread was initialising is initialised anew when it is asked for. */
static void forget_other_initializers(void) {
  once_entry **place = &running;
  while (*place != NULL) {
    if (tvmffi_thread_id_equal((*place)->thread, tvmffi_thread_self())) {
      place = &(*place)->next;
    } else {
      *place = (*place)->next;
    }
  }
  waiting = NULL;
  tvmffi_condition_reset(&changed);
}

static void push_entry(once_entry **list, once_entry *entry) {
  entry->next = *list;
  *list = entry;
}

static void remove_entry(once_entry **list, once_entry *entry) {
  while (*list != entry) list = &(*list)->next;
  *list = entry->next;
}

static once_entry *find_running(void **handle_addr) {
  once_entry *entry = running;
  while (entry != NULL && entry->handle_addr != handle_addr) entry = entry->next;
  return entry;
}

/*
 * Deadlock detection: whether the initialisation of a handle waits for this thread, directly or
 * through other threads.
 */
static int waits_for_me(void **handle_addr) {
  const once_entry *owner, *wait;
  while ((owner = find_running(handle_addr)) != NULL) {
    if (tvmffi_thread_id_equal(owner->thread, tvmffi_thread_self())) return 1;
    wait = waiting;
    while (wait != NULL && !tvmffi_thread_id_equal(wait->thread, owner->thread)) wait = wait->next;
    if (wait == NULL) return 0;
    handle_addr = wait->handle_addr;
  }
  return 0; /* GCOVR_EXCL_LINE: it was finished, and the thread is not awake yet */
}

static int initialize(void **handle_addr, int (*init_func)(void **result)) {
  void *made = NULL;
  int code;
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  code = init_func(&made);
  if (code != 0) return tvmffi_function_check_raised(code);
  if (made == NULL) {
    return tvmffi_fail("RuntimeError", "init_func must return a non-NULL handle");
  }
  tvmffi_atomic_store_release_ptr(handle_addr, made);
  return 0;
}

/* Initialises the handle, or waits while another thread does. */
static TVMFFI_COLD int initialize_or_wait(void **handle_addr, int (*init_func)(void **result)) {
  once_entry self;
  int code;
  self.handle_addr = handle_addr;
  self.thread = tvmffi_thread_self();
  tvmffi_mutex_lock(&once_mutex);
  while (find_running(handle_addr) != NULL) {
    if (waits_for_me(handle_addr)) {
      tvmffi_mutex_unlock(&once_mutex);
      return tvmffi_fail("RuntimeError",
                         "TVMFFIHandleInitOnce: the initialiser of a handle waits for itself");
    }
    push_entry(&waiting, &self);
    tvmffi_condition_wait(&changed, &once_mutex);
    remove_entry(&waiting, &self);
  }
  if (tvmffi_atomic_load_acquire_ptr(handle_addr) != NULL) {
    tvmffi_mutex_unlock(&once_mutex);
    return 0;
  }
  push_entry(&running, &self);
  tvmffi_mutex_unlock(&once_mutex);
  code = initialize(handle_addr, init_func);
  tvmffi_mutex_lock(&once_mutex);
  remove_entry(&running, &self);
  tvmffi_condition_broadcast(&changed);
  tvmffi_mutex_unlock(&once_mutex);
  return code;
}

int TVMFFIHandleInitOnce(void **handle_addr, int (*init_func)(void **result)) {
  TVMFFI_REQUIRE(handle_addr);
  if (TVMFFI_LIKELY(tvmffi_atomic_load_acquire_ptr(handle_addr) != NULL)) return 0;
  TVMFFI_REQUIRE(init_func);
  return initialize_or_wait(handle_addr, init_func);
}

int TVMFFIHandleDeinitOnce(void **handle_addr, int (*deinit_func)(void *handle)) {
  void *handle;
  TVMFFI_REQUIRE(handle_addr);
  TVMFFI_REQUIRE(deinit_func);
  handle = tvmffi_atomic_exchange_acq_rel_ptr(handle_addr, (void *)NULL);
  if (handle == NULL) return 0;
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  return tvmffi_function_check_raised(deinit_func(handle));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/thread_state.h"

#include "base/alloc.h"
#include "core/error.h"
#include "core/object.h"
#include "platform/atomic.h"
#include "platform/platform.h"

TVMFFI_THREAD_LOCAL tvmffi_thread_state tvmffi_thread;

static tvmffi_thread_record *records; /* new ones are added at the front */

/* A thread may have been changing its text, so the text is leaked. */
static void forget_other_records(void) {
  static const tvmffi_buf no_text = TVMFFI_BUF_INIT;
  tvmffi_thread_record *record;
  for (record = records; record != NULL; record = record->next) {
    if (record == tvmffi_thread.record) continue;
    record->num_reads = 0;
    record->in_use = 0;
    record->backtrace_text = no_text;
    record->is_walking = false;
    record->lent = NULL;
  }
}

static tvmffi_mutex records_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockOuter, forget_other_records);

/* The list is loaded and stored with sequential consistency, as the handshake of global.c needs. */
tvmffi_thread_record *tvmffi_thread_record_first(void) {
  return tvmffi_atomic_load_seq_cst_ptr(&records);
}

static tvmffi_thread_record *claim_record(void) {
  tvmffi_thread_record *record;
  tvmffi_mutex_lock(&records_mutex);
  for (record = records; record != NULL && record->in_use; record = record->next) continue;
  if (record == NULL) {
    record = tvmffi_alloc_until_shutdown(sizeof *record);
    if (record != NULL) {
      record->next = records;
      tvmffi_atomic_store_seq_cst_ptr(&records, record);
    }
  }
  if (record != NULL) record->in_use = 1;
  tvmffi_mutex_unlock(&records_mutex);
  return record;
}

tvmffi_thread_record *tvmffi_thread_record_ensure(void) {
  if (TVMFFI_UNLIKELY(tvmffi_thread.record == NULL)) {
    tvmffi_thread.record = claim_record();
    if (tvmffi_thread.record != NULL) tvmffi_thread_ensure_exit_hook();
  }
  return tvmffi_thread.record;
}

/*
 * Releases what a thread holds. An error with a foreign deleter is leaked, because the library that
 * has the deleter's code may have been unloaded.
 */
static void release_state(tvmffi_thread_state *state) {
  TVMFFIObject *raised = state->raised;
  tvmffi_thread_record *record;
  state->raised = NULL;
  state->has_exit_hook = false; /* the deleters below may use the state again */
  if (raised != NULL && tvmffi_error_is_own(raised)) tvmffi_object_release(raised);
  if (state->streams != NULL) state->release_streams(state->streams);
  state->streams = NULL;
  state->tensor_allocator = NULL;
  record = state->record;
  state->record = NULL;
  if (record != NULL) {
    tvmffi_buf_fini(&record->backtrace_text);
    record->is_walking = false;
    record->lent = NULL;
    tvmffi_mutex_lock(&records_mutex);
    record->in_use = 0;
    tvmffi_mutex_unlock(&records_mutex);
  }
}

static void on_thread_exit(void *state) {
  release_state(state);
}

void tvmffi_thread_ensure_exit_hook(void) {
  if (tvmffi_thread.has_exit_hook) return;
  /*
   * If there is no room for the hook, the next call tries again. A thread that ends without it
   * leaks its state.
   */
  tvmffi_thread.has_exit_hook = tvmffi_thread_at_exit(on_thread_exit, &tvmffi_thread) == 0;
}

void tvmffi_thread_shutdown(void) {
  release_state(&tvmffi_thread);
  (void)tvmffi_thread_at_exit(on_thread_exit, NULL);
  tvmffi_thread.has_exit_hook = false;
  records = NULL; /* tvmffi_alloc_shutdown frees them */
}

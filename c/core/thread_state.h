/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a thread. The thread-local block is small, because it uses the few bytes that the C
 * library reserves for libraries loaded late; it points to the rest.
 */
#ifndef TVMFFI_CORE_THREAD_STATE_H_
#define TVMFFI_CORE_THREAD_STATE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/buf.h"

/*
 * The part of a thread's state that other threads may read; records are reused, and freed only at
 * shutdown.
 */
typedef struct tvmffi_thread_record {
  struct tvmffi_thread_record *next;
  uint32_t num_reads; /* odd while the thread looks for a global function (global.c) */
  int in_use;
  /* Used by the owning thread only: */
  tvmffi_buf backtrace_text;
  TVMFFIByteArray backtrace; /* lent by TVMFFIBacktrace */
  bool is_walking;           /* a stack walker runs */
  struct tvmffi_lend *lent;  /* what the innermost walk lends (container/lend.h) */
} tvmffi_thread_record;

typedef struct {
  TVMFFIObject *raised;                     /* the error slot */
  TVMFFIObject *destroying;                 /* list of objects waiting for destruction (object.c) */
  void (*releasing)(void *self, int flags); /* deleter of what is being released (object.c) */
  void *streams;                            /* the stream table (env/env.c), and its deleter */
  void (*release_streams)(void *streams);
  DLPackManagedTensorAllocator tensor_allocator; /* env/env.c */
  tvmffi_thread_record *record;
  int depth; /* nesting depth of destruction (object.c) */
  bool has_exit_hook;
} tvmffi_thread_state;

extern TVMFFI_THREAD_LOCAL tvmffi_thread_state tvmffi_thread;

/* This thread's record, made on first use; NULL, with nothing raised, if out of memory. */
tvmffi_thread_record *tvmffi_thread_record_ensure(void);

/* The first of all records. */
tvmffi_thread_record *tvmffi_thread_record_first(void);

/* Ensures that what this thread's block points to is released when the thread ends. */
void tvmffi_thread_ensure_exit_hook(void);

/* Releases what this thread holds, and all records: TVMFFIRuntimeShutdown. */
void tvmffi_thread_shutdown(void);

#endif /* TVMFFI_CORE_THREAD_STATE_H_ */

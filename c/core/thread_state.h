/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each thread has of its own. The block itself is small, for it comes out of the few bytes
 * that the C library reserves for libraries loaded late; the rest hangs off it.
 */
#ifndef TVMFFI_CORE_THREAD_STATE_H_
#define TVMFFI_CORE_THREAD_STATE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/buf.h"

/*
 * A record that other threads may look at; records are recycled, and freed only at shutdown.
 * announced: the function this thread is about to take a reference of (global.c).
 */
typedef struct tvmffi_thread_record {
  struct tvmffi_thread_record *next;
  TVMFFIObject *announced;
  int in_use;
  /* Below: this thread's own. */
  tvmffi_buf backtrace_text;
  TVMFFIByteArray backtrace; /* what TVMFFIBacktrace lends */
  bool is_walking;           /* a stack walker runs */
  bool is_open;              /* its last walk ended where the stack did, or could not go on */
  int skip;                  /* how many frames the next one leaves out */
  struct tvmffi_lend *lent;  /* what the innermost walk lends (container/lend.h) */
} tvmffi_thread_record;

typedef struct {
  TVMFFIObject *raised;     /* the error slot */
  TVMFFIObject *destroying; /* the list of objects that wait to be destroyed (object.c) */
  void (*releasing)(void *self, int flags); /* tvmffi_object_release_nested: of that deleter */
  void *streams; /* the stream table (env/stream.c), and what releases it */
  void (*release_streams)(void *streams);
  DLPackManagedTensorAllocator tensor_allocator; /* env/allocator.c */
  tvmffi_thread_record *record;
  int depth;                /* how many are being destroyed on top of each other (object.c) */
  bool has_exit_hook;
} tvmffi_thread_state;

extern TVMFFI_THREAD_LOCAL tvmffi_thread_state tvmffi_thread;

/* This thread's record, made on first use; NULL without memory, nothing raised. */
tvmffi_thread_record *tvmffi_thread_record_ensure(void);

/* The first of all records. */
tvmffi_thread_record *tvmffi_thread_record_first(void);

/* Has what hangs off this thread's block released when the thread ends. */
void tvmffi_thread_ensure_exit_hook(void);

/* Releases what this thread holds, and all records: TVMFFIRuntimeShutdown. */
void tvmffi_thread_shutdown(void);

#endif /* TVMFFI_CORE_THREAD_STATE_H_ */

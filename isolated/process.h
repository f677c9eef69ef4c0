/* SPDX-License-Identifier: Apache-2.0 */
/* In the host: a helper process, from its start to the error that says how it ended. */
#ifndef TVM_FFI_ISOLATED_PROCESS_H_
#define TVM_FFI_ISOLATED_PROCESS_H_

#include <sys/types.h>
#include <tvm/ffi/extra/isolated.h>

#include "peer.h"

/* Memory for tensors that helpers use in place. One for all helpers of the host. */
typedef struct {
  heap heap;
  int file;
  char *base;
  size_t size;
} tensor_pool;

/* A mutex that is free in a child by fork, whoever held it in the parent. */
typedef struct fork_lock {
  pthread_mutex_t mutex;
  struct fork_lock *next, *previous;
} fork_lock;

/* False: there is no memory. */
bool fork_lock_init(fork_lock *self);
void fork_lock_fini(fork_lock *self);

typedef struct process {
  peer peer; /* first, so that hooks find the process */
  uint32_t references;
  pid_t pid;
  int helper_file;                 /* to kill the helper, if it is a child of that; else -1 */
  uint32_t sandbox_parts;          /* what keeps it in */
  bool was_killed;                 /* by the host, as it went on without its socket */
  bool is_of_parent;               /* in a child of fork */
  int output;                      /* what the helper prints, after it has ended */
  uint64_t memory, cpu_seconds;    /* its limits */
  double timeout;                  /* of what it is doing, for messages */
  char *library;                   /* its path as process_show_text shows it */
  const char *called;              /* [borrow] what is being called, for messages; NULL: nothing */
  void *place;                     /* of isolated.c */
  TVMFFIObjectHandle ended;        /* the error that says how it ended */
  struct process *next, *previous; /* all of the host */
} process;

/*
 * Starts a helper, which serves calls then. Options are checked; hooks->end of the peer must be
 * process_end. HelperStartError.
 */
int process_start(const tvm_ffi_isolated_options *options, const char *library,
                  const tensor_pool *pool, const peer_hooks *hooks, process **out);

/* peer_hooks.end: ends the helper if it has not ended, and raises the error that says how. */
int process_end(peer *self, wait_result result, const char *why);

/* A copy for messages, in memory of malloc: UTF-8, with an escape such as \xe9 for each byte that
 * is not part of a character. NULL: no memory. end_errors.c. */
char *process_show_text(const char *text);

/* The error for a helper that has ended, with what it printed last, and for a crash a cause with
 * its backtrace: end_errors.c. `why` may be NULL; `status` is read if has_status. */
TVMFFIObjectHandle process_describe_end(process *self, wait_result result, const char *why,
                                        bool has_status, int status);

/* Whether the helper has ended, or is about to, while it had nothing to do. */
bool process_has_left(const process *self);

void process_retain(process *self);
/* Whether that was the last reference: the helper is killed, and its memory is gone. */
bool process_release(process *self);

/* The pool of this host, made at first use. NULL with errno set. */
tensor_pool *process_get_pool(void);

#endif /* TVM_FFI_ISOLATED_PROCESS_H_ */

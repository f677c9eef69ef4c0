/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from one process into another, with values, tensors, callbacks and errors. Host and helper
 * use the same code; docs/guide/isolated.md has the rules by which values cross.
 *
 * A call is answered by one kReturn or kRaise. Before that, the called side may make calls of its
 * own, which are answered first, so messages of a side form a stack in its region.
 */
#ifndef TVM_FFI_ISOLATED_PEER_H_
#define TVM_FFI_ISOLATED_PEER_H_

#include <pthread.h>
#include <stdbool.h>
#include <tvm/ffi/c.h>

#include "channel.h"
#include "tensor_copy.h"

/* What a message is for. */
typedef enum {
  kLoad = 1, /* a path: load the library */
  kGet,      /* a name: the function, or None */
  kDoc,      /* a name: its documentation, or None */
  kMetadata, /* a name: its metadata, or None */
  kCall,
  kReturn,
  kRaise,
  kNumOperations
} operation;

typedef struct peer peer;

/* What host and helper do differently. */
typedef struct {
  /* Serves kLoad to kMetadata in the helper; NULL in the host, which has nothing to load. */
  int (*serve)(peer *self, operation op, const TVMFFIAny *text, TVMFFIAny *result);
  /* Called in the helper when a call has run, before it is answered; NULL in the host. */
  void (*before_answer)(void);
  /*
   * Called when no message will come any more, or a damaged one has: `why` says what was damaged or
   * what failed, NULL if the channel knows. Raises an error and returns -1.
   */
  int (*end)(peer *self, wait_result result, const char *why);
  /* A signal interrupted the wait, or may have: 0 to go on, or -1 with an error raised. */
  int (*interrupted)(peer *self);
  /* Calls a function of the other side that was received as a value, from any thread. */
  int (*call)(peer *self, uint32_t target, const TVMFFIAny *args, int32_t num_args,
              TVMFFIAny *result);
  /* Objects that refer to the peer keep it alive. */
  void (*retain)(peer *self);
  void (*release)(peer *self);
  /* In the helper: makes a part of the pool accessible. */
  void (*open_pool)(peer *self, char *begin, char *end);
} peer_hooks;

typedef struct {
  TVMFFIObjectHandle object; /* NULL: free */
  uint32_t next_free;
} peer_export;

struct peer {
  channel channel;
  const peer_hooks *hooks;
  peer_export *exports; /* what the other side refers to; number i is exports[i - 1] */
  uint32_t num_exports, exports_capacity, first_free;
  pthread_mutex_t lock; /* guards the next five members: objects may die in any thread */
  struct proxy *proxies;
  uint32_t *released; /* numbers of the other side's objects that died here */
  size_t num_released, released_capacity;
  size_t num_imports;   /* the other side's objects that are referred to here */
  size_t top;           /* where the next message begins in the own region */
  int depth;            /* calls in progress */
  uint64_t number;      /* of the host's call in progress, the innermost */
  uint64_t last_number; /* the largest so far */
  readable_memory readable;
  uint64_t answer_limit; /* in the host: bytes that one message may make it take */
  int64_t deadline;
  bool is_ended;
  bool is_interrupted; /* a handler of signals runs in the host, and may not call */
  bool saw_interrupt;  /* a callback failed because of a pending exception of a frontend */
  char *pool;          /* tensors that the host allocated for helpers */
  size_t pool_size;
};

/* ---- remote_objects.c ---- */

/* The channel, the pool and the hooks are there. */
void peer_init(peer *self);
/* Releases all objects that the other side referred to. */
void peer_release_exports(peer *self);
void peer_fini(peer *self);
/* If the value is a function of the other side, its number, or else 0. */
uint32_t peer_number_of(peer *self, const TVMFFIAny *value);

/* ---- peer.c ---- */

/*
 * Sends a call, serves the callbacks, and receives the result. `target` is the number of a function
 * for kCall. Errors of arguments name the function.
 */
int peer_call(peer *self, operation op, uint32_t target, const char *name, const TVMFFIAny *args,
              int32_t num_args, TVMFFIAny *result);

/* The helper's work: serves calls until the host has gone. */
void peer_serve(peer *self);

#endif /* TVM_FFI_ISOLATED_PEER_H_ */

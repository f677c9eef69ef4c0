/* SPDX-License-Identifier: Apache-2.0 */
/* What the child of isolate.h tells its parent, in memory that both share; and what isolate_fork.c
 * and isolate_restart.c have in common. */
#ifndef TVM_FFI_TOOL_SHARED_MEMORY_H_
#define TVM_FFI_TOOL_SHARED_MEMORY_H_

#include "process/isolate.h"

/* ---- Shared memory ---- */

/* The paths of a file and of its own folder; empty: there is none. */
typedef struct {
  char file[1024], folder[1024];
} temporary_paths;

/* The last byte of each text is never written, so texts are terminated even while the other process
 * writes. */
typedef struct {
  volatile int stage;
  volatile double timestamp; /* the time when the stage began, or the body returned */
  volatile int done;         /* the body returned, with this code */
  volatile int code;
  volatile int progress_shown; /* the parent has a line on the terminal */
  char subject[1024], progress[256], note[256];
  temporary_paths left; /* by a child of isolate_restart.c, for its parent to remove */
} shared_memory;

/* One of this process alone while there is no child. */
extern shared_memory *isolate_shared;
void shared_memory_use(shared_memory *shared);
void shared_memory_leave(void);

/* In the child, when the body has returned: ends the results, and tells the parent the exit code,
 * which is returned. */
int shared_memory_finish(int exit_code);

/* Removes a file that a child made, and that it may have loaded: Windows lets no process remove
 * what is loaded. Safe in a handler of signals_catch(). */
void temporary_remove_from(const temporary_paths *paths);

/* ---- The parent ---- */

/* What has to be done before a signal ends the parent; for signals_catch(). */
void isolate_clean(void);

/* Waits for the child, which was started, and which uses the shared memory. Returns the exit
 * code, after a report of how the child ended unless it returned its own code normally. */
int isolate_wait(const isolation *options);

#endif /* TVM_FFI_TOOL_SHARED_MEMORY_H_ */

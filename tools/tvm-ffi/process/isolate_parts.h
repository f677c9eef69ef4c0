/* SPDX-License-Identifier: Apache-2.0 */
/* What isolate_fork.c and isolate_restart.c share. */
#ifndef TVM_FFI_TOOL_ISOLATE_PARTS_H_
#define TVM_FFI_TOOL_ISOLATE_PARTS_H_

#include "process/isolate.h"

/* ---- Shared memory ---- */

/* What the child of isolate.h tells its parent, in memory that both share. */

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
} board;

/* One of this process alone while there is no child. */
extern board *shared_board;
void board_use(board *shared);
void board_leave(void);

/* In the child, when the body has returned: ends the results, and tells the parent the exit code,
 * which is returned. */
int board_finish(int exit_code);

/* Removes a file that a child made, and that it may have loaded: Windows lets no process remove
 * what is loaded. Safe in handlers of endings.h. */
void temporary_remove_from(const temporary_paths *paths);

/* ---- The parent ---- */

/* The parent of the child of isolate.h: waits for it, keeps its time limits, shows its progress and
 * says how it ended. */

/* What has to be done before a signal ends the parent; for endings_catch(). */
void supervise_clean(void);

/* Waits for the child, which was started, and which uses the shared board. Returns the exit code,
 * after a report of how the child ended unless it returned its own code normally. */
int supervise_child(const isolation *options);

#endif /* TVM_FFI_TOOL_ISOLATE_PARTS_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* What the child of isolate.h tells its parent, in memory that both share. */
#ifndef TVM_FFI_TOOL_BOARD_H_
#define TVM_FFI_TOOL_BOARD_H_

#include "process/isolate.h"
#include "process/temporary.h"

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

#endif /* TVM_FFI_TOOL_BOARD_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
#include "process/board.h"

#include "base/report.h"
#include "system/system.h"

static board alone;
board *shared_board = &alone;

void board_use(board *shared) {
  shared_board = shared;
}

void board_leave(void) {
  shared_board = &alone;
}

int board_finish(int exit_code) {
  const int code = streams_finish(exit_code);
  shared_board->code = code;
  shared_board->timestamp = clock_seconds();
  shared_board->done = 1;
  return code;
}

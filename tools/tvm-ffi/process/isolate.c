/* SPDX-License-Identifier: Apache-2.0 */
#include "process/isolate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "process/board.h"
#include "system/system.h"

void isolate_enter(isolate_stage stage, const char *subject) {
  board *shared = shared_board;
  child_end_strays(kExitRaised);
  if (stage == kStageOwn) {
    fflush(stdout);
  } else {
    streams_flush();
  }
  if (subject != NULL) snprintf(shared->subject, sizeof shared->subject - 1, "%s", subject);
  shared->progress[0] = '\0';
  if (shared->stage != (int)stage) shared->timestamp = clock_seconds();
  shared->stage = (int)stage;
  if (stage == kStageOwn && shared->progress_shown) {
    fputs("\r\033[K", streams_errors());
    shared->progress_shown = 0;
  }
}

void isolate_progress(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(shared_board->progress, sizeof shared_board->progress - 1, format, values);
  va_end(values);
}

void isolate_note(const char *note) {
  strncpy(shared_board->note, note, sizeof shared_board->note - 1);
}

bool isolate_read_timeout(const arguments *args, double *out) {
  return arguments_real(args, kOptionTimeout, 0, 0.001, 1e6, out);
}

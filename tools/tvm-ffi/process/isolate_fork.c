/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "process/shared_memory.h"
#include "system/system.h"

/* Only the body of isolate_run() is run by a child. */
bool isolate_command(const isolation *options, int *exit_code) {
  (void)options;
  (void)exit_code;
  return false;
}

int isolate_finish(int exit_code) {
  return exit_code;
}

static void run_child(int (*body)(void *context), void *context, const isolation *options) {
  int code;
  streams_part(options->others_print, options->others_read);
  if (options->hides_others) descriptors_silence();
  code = body(context);
  child_end_strays(kExitRaised);
  code = shared_memory_finish(code);
  if (options->skips_unload) {
    fflush(NULL);
    child_exit(code);
  }
  exit(code);
}

/* -1 if the child cannot be started, with the reason in errno. */
static int run_parent(int (*body)(void *context), void *context, const isolation *options) {
  int code = -1;
  fork_side side;
  signals_block();
  signals_catch(isolate_clean);
  side = child_fork(options->others_read);
  if (side == kForkChild) signals_restore();
  signals_unblock();
  if (side == kForkChild) run_child(body, context, options); /* does not return */
  if (side == kForkParent) code = isolate_wait(options);
  signals_restore();
  return code;
}

int isolate_run(int (*body)(void *context), void *context, const isolation *options) {
  int code = -1;
  shared_memory *shared;
  if (options->in_place) {
    streams_part(options->others_print, options->others_read);
    return body(context);
  }
  streams_flush();
  fflush(NULL); /* otherwise both processes would write buffered output */
  shared = pages_share(sizeof *shared);
  if (shared != NULL) {
    shared_memory_use(shared);
    code = run_parent(body, context, options);
    shared_memory_leave();
    pages_release(shared, sizeof *shared);
  }
  if (code >= 0) return code;
  return report_fail(kExitRaised, "cannot start a process: %s", strerror(errno));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/report.h"
#include "process/shared_memory.h"
#include "system/system.h"

static bool is_child, skips_unload;

/* Removes the temporary library of a child that has ended, whose code may have overwritten the
 * paths. */
static void remove_left(void) {
  temporary_paths left = isolate_shared->left;
  left.file[sizeof left.file - 1] = left.folder[sizeof left.folder - 1] = '\0';
  temporary_remove_from(&left);
}

/* Before Ctrl-C ends the parent. */
static void clean(void) {
  isolate_clean();
  remove_left();
}

bool isolate_command(const isolation *options, int *exit_code) {
  shared_memory *shared;
  char reason[256];
  if (options->in_place) return false;
  shared = child_find_shared(sizeof *shared);
  is_child = shared != NULL;
  if (!is_child) {
    signals_catch(clean);
    shared = child_restart(sizeof *shared, reason, sizeof reason);
  }
  if (shared == NULL) {
    *exit_code = report_fail(kExitRaised, "cannot start a process: %s", reason);
    return true;
  }
  shared_memory_use(shared);
  if (is_child) return false;
  *exit_code = isolate_wait(options);
  remove_left();
  signals_restore();
  return true;
}

int isolate_run(int (*body)(void *context), void *context, const isolation *options) {
  stream_copies kept;
  int code;
  if (options->skips_unload) streams_keep(&kept);
  streams_part(options->others_print, options->others_read);
  code = body(context);
  if (options->skips_unload) streams_join(&kept); /* there may be more to ask */
  skips_unload = options->skips_unload;
  return code;
}

int isolate_finish(int exit_code) {
  if (!is_child) return exit_code;
  (void)shared_memory_finish(exit_code);
  if (skips_unload) {
    fflush(NULL);
    child_exit(isolate_shared->code);
  }
  return isolate_shared->code;
}

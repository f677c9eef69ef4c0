/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign code is loaded, asked and called in a child process, so that its crash is a line of text
 * and an exit code. */
#ifndef TVM_FFI_TOOL_ISOLATE_H_
#define TVM_FFI_TOOL_ISOLATE_H_

#include "base/command.h"
#include "base/memory.h"

typedef enum {
  kStageOwn, /* the tool's own work */
  kStageLoad,
  kStageAsk, /* a library is asked what it has; isolate_progress() says for what */
  kStageCall,
  kStageUnload
} isolate_stage;

/* Tells the parent what goes on from here: of which library, or function; NULL: of the same. */
void isolate_enter(isolate_stage stage, const char *subject);
/* What is said behind the subject where that takes longer than a second, "10 samples". */
void isolate_progress(const char *format, ...) TOOL_PRINTF(1, 2);
/* What the parent adds when the child dies: where a crash came from, say. Safe in signal handlers.
 */
void isolate_note(const char *note);

typedef struct {
  /* Seconds that loading, asking, and calling may take; 0: a minute, and a call any time. */
  double timeout;
  bool in_place;     /* no child: for a debugger */
  bool others_print; /* what foreign code prints to stdout goes there, and not to stderr */
  bool others_read;  /* it has stdin */
  bool skips_unload; /* the child ends without running the code that libraries have for that */
} isolation;

/* --timeout; false when reported. */
bool isolate_read_timeout(const arguments *args, double *out);

/* Runs the body in a child and returns its exit code, or reports how it ended: kExitLoad while a
 * library is loaded or asked, else kExitRaised. */
int isolate_run(int (*body)(void *context), void *context, const isolation *how);

#endif /* TVM_FFI_TOOL_ISOLATE_H_ */

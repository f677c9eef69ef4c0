/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign code is loaded and called in a child process, so that its crash is a line of text and an
 * exit code. */
#ifndef TVM_FFI_TOOL_ISOLATE_H_
#define TVM_FFI_TOOL_ISOLATE_H_

#include <stdbool.h>

#include "base/memory.h"

typedef enum {
  kStageOwn, /* the tool's own work */
  kStageLoad,
  kStageDescribe, /* a library is asked for the types of a function */
  kStageCall
} isolate_stage;

/* Tells the parent what goes on from here: of which library, or function. */
void isolate_enter(isolate_stage stage, const char *subject);
/* What is shown of work that takes longer than a second, "3 of 10 samples", behind the subject. */
void isolate_progress(const char *format, ...) TOOL_PRINTF(1, 2);
/* What the parent adds when the child dies: where a crash came from, say. Safe in signal handlers.
 */
void isolate_note(const char *note);

/* Runs the body in a child and returns its exit code, or reports how it died: kExitLoad while a
 * library is loaded or asked, else kExitRaised. Returns twice: the child returns what the body
 * does, and has to end like that. In this process itself when `in_child` is false. */
int isolate_run(int (*body)(void *context), void *context, bool in_child);

#endif /* TVM_FFI_TOOL_ISOLATE_H_ */

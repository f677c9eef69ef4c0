/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool says besides its results: errors and progress, all of it on stderr. Bytes that
 * would move the terminal's cursor are shown as "\x1b", whoever they come from. */
#ifndef TVM_FFI_TOOL_REPORT_H_
#define TVM_FFI_TOOL_REPORT_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* When to colour: "auto" (a terminal, unless NO_COLOR is set and not empty), "always" or "never".
 */
void report_set_color(const char *when);

/* Texts that switch a colour on and off for stdout; empty where there is none. */
typedef enum { kColorNone, kColorName, kColorGood, kColorBad, kColorDim } color;
const char *report_color(color which);

/* "tvm-ffi: ..." as one line. */
void report_error(const char *format, ...) TOOL_PRINTF(1, 2);
/* The same, and the exit code to return. */
int report_fail(int exit_code, const char *format, ...) TOOL_PRINTF(2, 3);
/* "who: " and what somebody else has said, which may be many lines. */
void report_said(const char *who, const char *said, size_t size);

/* A line about work that goes on, which replaces the one before; false where stderr is no terminal,
 * and none is shown. report_progress_end() wipes it. */
bool report_progress(const char *format, ...) TOOL_PRINTF(1, 2);
void report_progress_end(void);

#endif /* TVM_FFI_TOOL_REPORT_H_ */

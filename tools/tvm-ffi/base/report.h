/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and progress, which all go to stderr. Bytes that would move the terminal's cursor are
 * shown as "\x1b", whatever text they come from. */
#ifndef TVM_FFI_TOOL_REPORT_H_
#define TVM_FFI_TOOL_REPORT_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* When to colour, in the order of the words of --color; auto: on a terminal, unless NO_COLOR is set
 * and not empty. */
typedef enum { kColorAuto, kColorAlways, kColorNever } color_mode;
void report_set_color(color_mode mode);

/* Escape sequences that switch a colour of stdout on or off; empty when not colouring. */
typedef enum { kColorNone, kColorName, kColorGood, kColorBad, kColorDim } color;
const char *report_color(color role);

/* Prints "tvm-ffi: ..." as one line. */
void report_error(const char *format, ...) TOOL_PRINTF(1, 2);
/* The same for something that is not an error: "tvm-ffi: note: ...". */
void report_note(const char *format, ...) TOOL_PRINTF(1, 2);
/* An error; returns the exit code. */
int report_fail(int exit_code, const char *format, ...) TOOL_PRINTF(2, 3);
/* Prints "speaker: " and a text from elsewhere, which may have many lines. */
void report_said(const char *speaker, const char *said, size_t size);

/* Shows a line about work in progress, which replaces the previous one; false, and nothing shown,
 * if stderr is not a terminal. report_progress_end() erases it. */
bool report_progress(const char *format, ...) TOOL_PRINTF(1, 2);
void report_progress_end(void);

#endif /* TVM_FFI_TOOL_REPORT_H_ */

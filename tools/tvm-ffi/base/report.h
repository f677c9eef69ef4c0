/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool prints: results, errors and progress. */
#ifndef TVM_FFI_TOOL_REPORT_H_
#define TVM_FFI_TOOL_REPORT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* ---- Streams ---- */

/* Keeps results and errors apart from foreign code in this process, which prints too, and may close
 * or redirect stdout and stderr. */

/* stdout and stderr, until streams_part() has been called. */
FILE *streams_results(void);
FILE *streams_errors(void);

/* Call before foreign code is loaded: gives results and errors descriptors of their own. What
 * others print to stdout still goes there, or to stderr; what they read is stdin, or empty. */
void streams_part(bool others_print, bool others_read);

/* Undoes streams_part(): call streams_keep() before that, and streams_join() with what it wrote. */
typedef struct {
  int input, output;
} stream_copies;
void streams_keep(stream_copies *out);
void streams_join(const stream_copies *kept);

/* Calls `wait` before results and errors are printed: what others print before comes first. */
void streams_follow(void (*wait)(void));

/* Flushes the results; a failure is reported by streams_finish(). */
void streams_flush(void);
/* Flushes the results for the last time. Returns `exit_code`, or kExitUsage after a report if that
 * is kExitOk and results were lost. */
int streams_finish(int exit_code);

/* ---- Results as JSON: json_out.c ---- */

/* Write one JSON value to the results: two spaces of indentation a level, keys in the order
 * written. `key` is NULL inside an array and for the outermost value. */
void json_begin_object(const char *key);
void json_begin_array(const char *key);
void json_end(void);
void json_text(const char *key, const char *text); /* NULL writes null */
void json_bytes(const char *key, const char *text,
                size_t size); /* a byte that is not UTF-8 becomes \u00XX */
void json_int(const char *key, int64_t number);
void json_uint(const char *key, uint64_t number);
void json_real(const char *key, double number); /* NaN and infinities as strings */
void json_bool(const char *key, bool value);
void json_null(const char *key);

/* ---- Errors and progress ---- */

/* Errors and progress, which all go to stderr. Bytes that would move the terminal's cursor are
 * shown as "\x1b", whatever text they come from. */

/* When to colour, in the order of the words of --color; auto: on a terminal, unless NO_COLOR is set
 * and not empty. */
typedef enum { kColorAuto, kColorAlways, kColorNever } color_mode;
void report_set_color(color_mode mode);

/* Escape sequences that switch a colour of stdout on or off; empty when not colouring. */
typedef enum { kColorNone, kColorName, kColorGood, kColorBad, kColorDim } color;
const char *report_color(color role);

/* Messages name the files of this folder as those of an archive: "a.zip: version". Both texts
 * [borrow]; NULL: they no longer do. */
void report_set_archive(const char *folder, const char *archive);
/* The same of another text; release with text_free(). */
text_buf report_name_members(const char *text, size_t size);

/* Prints "tvm-ffi: ..." as one line. */
void report_error_line(const char *format, ...) TOOL_PRINTF(1, 2);
static inline bool report_failure(void) {
  return false;
}
/* The same as a condition that is false: `return report_error("...");`. A macro, so that compilers
 * see it, too. */
#define report_error(...) (report_error_line(__VA_ARGS__), report_failure())
/* The same for something that is not an error: "tvm-ffi: note: ...". */
void report_note(const char *format, ...) TOOL_PRINTF(1, 2);
/* An error; returns the exit code. */
int report_fail(int exit_code, const char *format, ...) TOOL_PRINTF(2, 3);

/* Shows a line about work in progress, which replaces the previous one; false, and nothing shown,
 * if stderr is not a terminal. report_progress_end() erases it. */
bool report_progress(const char *format, ...) TOOL_PRINTF(1, 2);
void report_progress_end(void);

/* ---- The error in the runtime's slot of this thread ---- */

/* The error in the runtime's slot of this thread; all of these take it out. */

/* Its message; release with free(), never NULL. The line has "Kind: " before the message. */
char *runtime_error_take_message(void);
char *runtime_error_take_line(void);
/* Prints "speaker: Kind: message" and the error's causes to stderr, optionally the backtrace of
 * each. */
void runtime_error_report(const char *speaker, bool with_backtrace);

#endif /* TVM_FFI_TOOL_REPORT_H_ */

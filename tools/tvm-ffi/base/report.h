/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool says besides its results: errors and progress, all of it on stderr; and the memory
 * of a program that has nothing better to do than to end when there is none. */
#ifndef TVM_FFI_TOOL_REPORT_H_
#define TVM_FFI_TOOL_REPORT_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

/* When to colour: "auto" (a terminal, unless NO_COLOR is set), "always" or "never"; false for
 * another word, which is reported. */
bool report_set_color(const char *when);

/* Texts that switch a colour on and off for stdout; empty where there is none. */
typedef enum { kColorNone, kColorName, kColorGood, kColorBad, kColorDim } color;
const char *report_color(color which);

/* "tvm-ffi: ..." as one line. */
void report_error(const char *format, ...) TOOL_PRINTF(1, 2);
/* The same, and the exit code to return. */
int report_fail(int exit_code, const char *format, ...) TOOL_PRINTF(2, 3);
/* The error that the runtime holds for this thread, "who: Kind: message" and its backtrace; it is
 * taken. */
void report_raised(const char *who);

/* A line about work that goes on, from its second second and on a terminal only; each replaces the
 * one before. report_progress_end() wipes it. */
void report_progress(const char *format, ...) TOOL_PRINTF(1, 2);
void report_progress_end(void);

/* Seconds on a clock that only goes forward. */
double report_now(void);

/* Never NULL; of free(). */
void *tool_alloc(size_t size);
void *tool_realloc(void *block, size_t size);
char *tool_copy(const char *text, size_t size); /* ends with NUL */
char *tool_format(const char *format, ...) TOOL_PRINTF(1, 2);

/* All of a file ("-": stdin), with a NUL behind; NULL when reported. */
char *tool_read_file(const char *path, size_t *out_size);
/* false when reported; the file is whole or not there. "-": stdout. */
bool tool_write_file(const char *path, const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_REPORT_H_ */

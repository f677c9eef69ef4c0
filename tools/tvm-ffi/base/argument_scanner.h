/* SPDX-License-Identifier: Apache-2.0 */
/* A scanner: a position in the text of an argument, which is read from left to right and cut at
 * commas, brackets and quotes. */
#ifndef TVM_FFI_TOOL_ARGUMENT_SCANNER_H_
#define TVM_FFI_TOOL_ARGUMENT_SCANNER_H_

#include <stdbool.h>

#include "base/text.h"

typedef struct {
  const char *label; /* names the text in errors: "argument 2" */
  const char *begin, *pos, *end;
  int depth;   /* number of open lists and maps */
  bool nested; /* a comma or a closing bracket ends a value; otherwise only the end of the text */
} scan;

/* Reports "argument 2 (`4xf3=1`): ..."; returns false. */
bool scan_fail(const scan *s, const char *format, ...) TOOL_PRINTF(2, 3);
/* The same with the error that the runtime has raised, which is taken. */
bool scan_fail_raised(const scan *s);
/* The number of bytes of the character at `pos`: 1 if it is not UTF-8, 0 at the end. */
int scan_measure(const scan *s, const char *pos);

void scan_skip_space(scan *s);
/* Skips spaces and then this character; false, and nothing skipped, if another follows. */
bool scan_take(scan *s, char c);
/* The same for exactly these characters, without spaces. */
bool scan_take_prefix(scan *s, const char *prefix);
bool scan_at_end(scan *s);

/* The text up to the end of the value, ignoring separators within brackets and quotes; without the
 * spaces at either end. Release with free(). NULL after a report of an unclosed bracket or
 * quote. */
char *scan_take_rest(scan *s);
/* A text in double quotes with \" \\ \/ \n \t \r \0 \xHH and \uHHHH; release with free(). NULL
 * after a report. */
char *scan_take_quoted(scan *s, size_t *out_size);

#endif /* TVM_FFI_TOOL_ARGUMENT_SCANNER_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a text that is read from left to right. */
#ifndef TVM_FFI_TOOL_SCAN_H_
#define TVM_FFI_TOOL_SCAN_H_

#include <stdbool.h>

#include "base/text.h"

typedef struct {
  const char *label; /* who in errors: "argument 2" */
  const char *begin, *at, *end;
  int depth;   /* of lists and maps that are open */
  bool nested; /* a comma or a closing bracket ends a value; else only the end of the text does */
} scan;

/* "argument 2 (`4xf3=1`): ..." on stderr; false. */
bool scan_fail(const scan *s, const char *format, ...) TOOL_PRINTF(2, 3);
/* The same for what the runtime has raised, which is taken. */
bool scan_fail_raised(const scan *s);
/* The bytes of the character there: one of what is none, 0 at the end. */
int scan_measure(const scan *s, const char *at);

void scan_skip_space(scan *s);
/* Spaces and then this character, which are passed; or nothing is. */
bool scan_take(scan *s, char c);
/* These very characters. */
bool scan_take_prefix(scan *s, const char *prefix);
bool scan_at_end(scan *s);

/* Up to where the value ends, brackets and quotes within it passed over; of free(), spaces at
 * either end cut off. NULL when reported: a bracket or quote stays open. */
char *scan_take_rest(scan *s);
/* A text in double quotes with \" \\ \n \t \r \0 \xHH and \uHHHH; of free(). NULL when reported. */
char *scan_take_quoted(scan *s, size_t *out_size);

#endif /* TVM_FFI_TOOL_SCAN_H_ */

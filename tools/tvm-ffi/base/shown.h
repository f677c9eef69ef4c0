/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for people, and bytes of files that nobody vouches for. */
#ifndef TVM_FFI_TOOL_SHOWN_H_
#define TVM_FFI_TOOL_SHOWN_H_

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* "101,024 B" */
void shown_add_bytes(text *to, uint64_t size);
/* "45.1 KiB" */
void shown_add_size(text *to, uint64_t size);

/* A text of a file: what is not UTF-8, or would move a terminal's cursor, as "\x1b". */
void shown_add_text(text *to, const void *bytes, size_t size);
/* The same as a text of its own, of free(). */
char *shown_text(const void *bytes, size_t size);
/* The same of a text that ends with NUL, printed, and how many bytes that were. */
int shown_print(FILE *to, const char *value);
/* The same, but lines stay lines. */
char *shown_lines(const void *bytes, size_t size);
/* Whether it is shown as it is. */
bool shown_is_plain(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_SHOWN_H_ */

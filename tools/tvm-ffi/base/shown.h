/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in readable form, and untrusted bytes of files made safe for a terminal. */
#ifndef TVM_FFI_TOOL_SHOWN_H_
#define TVM_FFI_TOOL_SHOWN_H_

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* "101,024 B" */
void shown_add_bytes(text *out, uint64_t size);
/* "45.1 KiB" */
void shown_add_size(text *out, uint64_t size);

/* A text of a file, in which bytes that are not UTF-8 or would move a terminal's cursor become
 * "\x1b". */
void shown_add_text(text *out, const void *bytes, size_t size);
/* The same as a new text; release with free(). */
char *shown_text(const void *bytes, size_t size);
/* Prints a NUL-terminated text like this; returns the number of bytes printed. */
int shown_print(FILE *stream, const char *value);
/* Like shown_text(), but keeps line breaks. */
char *shown_lines(const void *bytes, size_t size);
/* Whether the text is shown unchanged. */
bool shown_is_plain(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_SHOWN_H_ */

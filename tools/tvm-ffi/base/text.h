/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and texts. */
#ifndef TVM_FFI_TOOL_TEXT_H_
#define TVM_FFI_TOOL_TEXT_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "platform/compiler.h"
#include "platform/platform.h"

/* ---- Memory: the program ends when it runs out ---- */

#define TOOL_PRINTF(text, first) TVMFFI_PRINTF(text, first)

/* All return memory to release with free(), never NULL. */
void *tool_alloc(size_t size);
void *tool_realloc(void *block, size_t size);
/* Makes room for one more item behind `count`, all of which were added by this: the room doubles,
 * because some systems copy each time. */
void *tool_grow(void *items, size_t count, size_t item_size);
char *tool_copy(const char *text, size_t size); /* NUL-terminated */
char *tool_format(const char *format, ...) TOOL_PRINTF(1, 2);

/* ---- Growable texts ---- */

typedef struct {
  char *data; /* NUL-terminated; NULL until something is added */
  size_t size, capacity;
} text_buf;

void text_add(text_buf *buffer, const char *format, ...) TOOL_PRINTF(2, 3);
/* The same with a va_list, which cannot be used afterwards. */
void text_add_list(text_buf *buffer, const char *format, va_list values);
void text_add_bytes(text_buf *buffer, const void *bytes, size_t size);
/* Leaves only the first bytes. */
void text_cut(text_buf *buffer, size_t size);
/* Lines of a file that the build copies into the tool; they end with NULL. */
void text_add_lines(text_buf *buffer, const char *const *lines);
void text_free(text_buf *buffer);
/* For tvmffi_dl_open(): a reason whose text is kept until there is a newer one. */
extern const tvmffi_dl_reason kNoReason;
/* Whether the text begins like this. */
bool text_begins(const char *text, const char *prefix);
/* The word of a list, which ends with NULL, that is the text; NULL if none is. */
const char *text_find(const char *text, const char *const *words);
/* The first word of such a list with which the text begins; NULL if it begins with none. */
const char *text_find_prefix(const char *text, const char *const *prefixes);
/* The hash of bytes that follow those of the first hash (FNV-1a), which for the first ones is
 * TEXT_HASH. Somebody can make bytes with equal hashes on purpose. */
#define TEXT_HASH UINT64_C(0xcbf29ce484222325)
uint64_t text_hash(uint64_t hash, const void *bytes, size_t size);

/* ---- Lists of words, such as command lines ---- */

typedef struct {
  char **items; /* ends with NULL once something was added */
  size_t size;
} word_list;

void words_add(word_list *words, const char *word);
/* Adds the words of a text: separated by blanks, those with blanks between ' or " or after \. On
 * Windows, where paths have \, it stands for itself except before a ". */
void words_add_text(word_list *words, const char *line);
void words_free(word_list *words);
/* Compares two `char *` of a list, for qsort(). */
int words_compare(const void *a, const void *b);

/* Ends a text that was perhaps cut, to fit into its buffer, after a whole character of UTF-8. */
void text_end_whole(char *text);

/* ---- Numbers with a decimal point, also after a library chose a locale with a comma ---- */

typedef struct {
  char text[320]; /* "%f" writes up to 309 digits before the point */
} real_text;

/* As "%.*f" and as "%.*g" write the number. The text lives as long as the block around it. */
#define REAL_F(precision, value) text_write_real(&(real_text){""}, 'f', precision, value)
#define REAL_G(precision, value) text_write_real(&(real_text){""}, 'g', precision, value)
const char *text_write_real(real_text *out, char style, int precision, double value);
/* Like strtod() and strtof(). */
double text_read_real(const char *word, char **end);
float text_read_real32(const char *word);

/* ---- Base64 ---- */

void text_add_base64(text_buf *out, const void *bytes, size_t size);

/* ---- Readable numbers, and bytes made safe for a terminal ---- */

/* "101,024 B" */
void text_add_byte_count(text_buf *out, uint64_t size);
/* "45.1 KiB" */
void text_add_size(text_buf *out, uint64_t size);

/* Adds a text with & < > " ' escaped, so that it is safe in XML, between tags and in quotes. */
void text_add_xml(text_buf *out, const char *bytes, size_t size);

/* A text of a file, in which bytes that are not UTF-8 or would move a terminal's cursor become
 * "\x1b". */
void text_add_escaped(text_buf *out, const void *bytes, size_t size);
/* The same as a new text; release with free(). */
char *text_escape(const void *bytes, size_t size);
/* Prints a NUL-terminated text like this; returns the number of bytes printed. */
int text_print_escaped(FILE *stream, const char *value);
/* Like text_escape(), but keeps line breaks. */
char *text_escape_lines(const void *bytes, size_t size);
/* Whether the text is shown unchanged. */
bool text_is_printable(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_TEXT_H_ */

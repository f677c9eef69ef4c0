/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the words of a spec, and reports what is wrong at a place. */
#include "wrap/spec_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- Reports ---- */

/* The text in one line, safe to print. */
static char *show(const char *begin, size_t size) {
  char *line = tool_copy(begin, size), *shown;
  size_t i;
  for (i = 0; i < size; ++i) {
    if (line[i] == '\t' || line[i] == '\n' || line[i] == '\r') line[i] = ' ';
  }
  shown = text_escape(line, size);
  free(line);
  return shown;
}

/* The columns that a text takes on a terminal, if each character takes one. */
static int measure(const char *shown) {
  int columns = 0;
  for (; *shown != '\0'; ++shown) columns += ((unsigned char)*shown & 0xc0) != 0x80;
  return columns;
}

bool spec_fail(const spec_source *source, size_t column, const char *format, ...) {
  char *line, *before;
  text_buf message = {NULL, 0, 0};
  va_list values;
  text_add_bytes(&message, "", 0);
  va_start(values, format);
  text_add_list(&message, format, values);
  va_end(values);
  if (source->refusal != NULL) {
    free(*source->refusal);
    *source->refusal = message.data;
    return false;
  }
  line = show(source->begin, source->size);
  before = show(source->begin, column);
  report_error("%s:%zu: %s\n  %s\n  %*s", source->place, column + 1, message.data, line,
               measure(before) + 1, "^");
  text_free(&message);
  free(before);
  free(line);
  return false;
}

size_t spec_column_of(const spec_reader *r, const char *at) {
  return (size_t)(at - r->source->begin);
}

bool spec_fail_expecting(const spec_reader *r, const char *expected) {
  return spec_fail(r->source, spec_column_of(r, r->pos), "expected %s%s", expected,
                   r->pos == r->end ? ", but the text ends" : "");
}

/* ---- Words ---- */

void spec_skip_space(spec_reader *r) {
  while (r->pos < r->end && strchr(" \t\r\n\f\v", *r->pos) != NULL && *r->pos != '\0') ++r->pos;
}

bool spec_peek(spec_reader *r, char c) {
  spec_skip_space(r);
  return r->pos < r->end && *r->pos == c;
}

bool spec_take(spec_reader *r, char c) {
  if (!spec_peek(r, c)) return false;
  ++r->pos;
  return true;
}

bool spec_take_required(spec_reader *r, char c, const char *expected) {
  return spec_take(r, c) || spec_fail_expecting(r, expected);
}

/* The identifier or number that follows; empty if there is none. */
spec_word spec_peek_word(spec_reader *r) {
  spec_word found;
  spec_skip_space(r);
  found.begin = r->pos;
  found.size = 0;
  while (found.begin + found.size < r->end && identifier_has(found.begin[found.size])) {
    ++found.size;
  }
  return found;
}

bool spec_word_is(spec_word w, const char *expected) {
  return spec_is_spelt(expected, w.begin, w.size);
}

bool spec_take_word(spec_reader *r, const char *expected) {
  const spec_word w = spec_peek_word(r);
  if (!spec_word_is(w, expected)) return false;
  r->pos += w.size;
  return true;
}

bool spec_take_restrict(spec_reader *r) {
  const spec_word w = spec_peek_word(r);
  if (!spec_is_restrict(w.begin, w.size)) return false;
  r->pos += w.size;
  return true;
}

/* Reports a word of C that no spec has. */
bool spec_fail_refused(const spec_reader *r, spec_word w) {
  return spec_fail(r->source, spec_column_of(r, w.begin), "`%.*s` is not supported: %s",
                   tvmffi_shown_size(w.size), w.begin, spec_find_advice(w.begin, w.size));
}

/* False after a report if such a word follows. */
bool spec_check_word(spec_reader *r) {
  const spec_word w = spec_peek_word(r);
  return spec_find_advice(w.begin, w.size) == NULL || spec_fail_refused(r, w);
}

/* Reads the name of the type in the user's headers, behind the word `as`: `const name *`. */
bool spec_take_c_name(spec_reader *r, spec_c_type *out) {
  const char *begin, *end;
  spec_word w;
  spec_skip_space(r);
  begin = end = r->pos;
  for (w = spec_peek_word(r); identifier_is(w.begin, w.size) || spec_peek(r, '*');
       w = spec_peek_word(r)) {
    r->pos += w.size > 0 ? w.size : 1;
    end = r->pos;
  }
  if (begin == end) return spec_fail_expecting(r, "the type's name in the header");
  free(out->name);
  out->name = tool_copy(begin, (size_t)(end - begin));
  return true;
}

/* Reads a name of the user's; NULL after a report. */
char *spec_take_name(spec_reader *r, const char *expected) {
  const spec_word w = spec_peek_word(r);
  char *name;
  if (!identifier_is(w.begin, w.size)) {
    spec_fail_expecting(r, expected);
    return NULL;
  }
  name = tool_copy(w.begin, w.size);
  if (identifier_is_c_word(name) || spec_is_type_word(w.begin, w.size)) {
    spec_fail(r->source, spec_column_of(r, w.begin), "expected %s, but `%s` is a keyword of %s",
              expected, name, identifier_is_cpp_word(name) ? "C++" : "C");
    free(name);
    return NULL;
  }
  r->pos += w.size;
  return name;
}

/* ---- Numbers ---- */

bool spec_is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

/* Reads a number that is not negative. */
bool spec_take_value(spec_reader *r, int64_t *out) {
  const spec_word w = spec_peek_word(r);
  size_t i;
  *out = 0;
  for (i = 0; i < w.size; ++i) {
    const int digit = w.begin[i] - '0';
    if (!spec_is_digit(w.begin[i])) break;
    if (*out > (INT64_MAX - digit) / 10) {
      return spec_fail(r->source, spec_column_of(r, w.begin), "the number is larger than 2^63 - 1");
    }
    *out = *out * 10 + digit;
  }
  if (i < w.size || w.size == 0) return spec_fail_expecting(r, "a decimal number");
  r->pos += w.size;
  return true;
}

/* Reads a number that may be negative. */
bool spec_take_signed_value(spec_reader *r, int64_t *out) {
  const bool is_negative = spec_take(r, '-');
  if (!spec_take_value(r, out)) return false;
  if (is_negative) *out = -*out;
  return true;
}

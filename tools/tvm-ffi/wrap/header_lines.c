/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines that say what the prototypes of a header do not. */
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"
#include "wrap/header.h"

/* ---- Reading a line ---- */

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The text without spaces around it; release with free(). */
static char *copy_trimmed(const char *begin, const char *end) {
  while (begin < end && is_space(*begin)) ++begin;
  while (end > begin && is_space(end[-1])) --end;
  return tool_copy(begin, (size_t)(end - begin));
}

static bool fail_at(const header_line *line, const char *at, const char *expected) {
  return spec_fail(&line->source, (size_t)(at - line->text), "expected %s", expected);
}

/* Where the item that begins here ends: at a comma or a parenthesis that belongs to the line. */
static const char *find_item_end(const char *at) {
  int depth = 0;
  for (; *at != '\0'; ++at) {
    if (depth == 0 && (*at == ',' || *at == ')')) break;
    depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
  }
  return at;
}

/* Reads the items, from behind the parenthesis; *end is behind the one that ends them. */
static bool take_items(header_line *line, const char *at, const char **end) {
  for (;;) {
    const char *item_end = find_item_end(at);
    line_item item;
    while (is_space(*at)) ++at;
    item.column = (size_t)(at - line->text);
    item.text = copy_trimmed(at, item_end);
    if (*item.text == '\0' && (line->num_items > 0 || *item_end == ',')) {
      free(item.text);
      return fail_at(line, at, "the name of a parameter and what the header does not say of it");
    }
    if (*item.text != '\0') {
      line->items = tool_grow(line->items, line->num_items, sizeof *line->items);
      line->items[line->num_items++] = item;
    } else {
      free(item.text);
    }
    if (*item_end == '\0') return fail_at(line, item_end, "`,` or `)`");
    at = item_end + 1;
    if (*item_end == ')') break;
  }
  *end = at;
  return true;
}

/* Reads `name =` at the beginning, and moves behind it. */
static void take_exported(header_line *line, const char **at) {
  const char *begin = *at, *end;
  while (is_space(*begin)) ++begin;
  for (end = begin; identifier_has(*end); ++end) continue;
  *at = end;
  while (is_space(**at)) ++*at;
  if (end == begin || **at != '=') {
    *at = begin;
    return;
  }
  line->exported = tool_copy(begin, (size_t)(end - begin));
  ++*at;
  while (is_space(**at)) ++*at;
}

/* Reads the function and what stands before it, up to the parenthesis. */
static bool take_pattern(header_line *line, const char *at, const char *end) {
  const char *begin = end;
  while (end > at && is_space(end[-1])) --end;
  for (begin = end; begin > at && !is_space(begin[-1]); --begin) continue;
  if (begin == end) return fail_at(line, at, "the name of a function, or a pattern of names");
  /* A star of the result's type may touch the name. */
  while (begin + 1 < end && *begin == '*' && begin > at) ++begin;
  line->pattern = tool_copy(begin, (size_t)(end - begin));
  line->column = (size_t)(begin - line->text);
  line->is_name = identifier_is(line->pattern, strlen(line->pattern));
  if (begin > at) line->result = copy_trimmed(at, begin);
  if (line->exported == NULL || line->is_name) return true;
  return spec_fail(&line->source, line->column,
                   "a name for the kernel needs the name of one function, not the pattern `%s`",
                   line->pattern);
}

static bool read_line(header_line *line) {
  const char *at = line->text, *open, *end = NULL;
  take_exported(line, &at);
  open = strchr(at, '(');
  if (open == NULL) {
    return fail_at(line, line->text + strlen(line->text),
                   "`(` and what the header does not say of the parameters");
  }
  if (!take_pattern(line, at, open) || !take_items(line, open + 1, &end)) return false;
  line->rest = copy_trimmed(end, end + strlen(end));
  return true;
}

static bool add_line(header_lines *lines, const char *place, const char *begin, const char *end) {
  header_line *line;
  lines->items = tool_grow(lines->items, lines->count, sizeof *lines->items);
  line = &lines->items[lines->count++];
  memset(line, 0, sizeof *line);
  line->place = tool_format("%s", place);
  line->text = copy_trimmed(begin, end);
  line->source.place = line->place;
  line->source.begin = line->text;
  line->source.size = strlen(line->text);
  return read_line(line);
}

/* ---- Alternatives ----
 * A line such as `cblas_[cz]scal(X[N:incX] dtype=complex<64|128>)` stands for several: one for each
 * letter of the set in the name, or for each alternative in the name. */

/* The alternatives that begin at this place or later, before a comment; NULL: there are none. *end
 * is the > that ends them. */
static const char *find_alternatives(const char *at, const char **end) {
  for (; *at != '\0' && strncmp(at, "//", 2) != 0; ++at) {
    const char *bar = at;
    if (at[0] == '<' && at[1] == '<') {
      ++at; /* a shift in a constant */
      continue;
    }
    if (*at == '<') bar += strcspn(at, "|>");
    if (*bar != '|') continue;
    *end = bar + strcspn(bar, ">");
    if ((*end)[0] == '>' && (*end)[1] != '>') return at;
  }
  return NULL;
}

static size_t count_alternatives(const char *at, const char *end) {
  size_t count = 1;
  for (; at < end; ++at) count += *at == '|';
  return count;
}

/* The letters of the set that the pattern has: "[cz]". They are no range, and no class. */
static bool find_letters(const char *text, const char **begin, size_t *size) {
  *begin = text + strcspn(text, "[(");
  if (**begin != '[') return false;
  *size = strcspn(++*begin, "]-!^[(\\");
  return *size > 0 && (*begin)[*size] == ']';
}

static void add_alternative(text_buf *out, const char *at, size_t number) {
  for (++at; number > 0; --number) at += strcspn(at, "|") + 1;
  text_add_bytes(out, at, strcspn(at, "|>"));
}

/* Adds the line with the alternatives of that number; `letters` is NULL if the name has them. */
static bool add_variant(header_lines *lines, const spec_source *whole, const char *letters,
                        size_t count, size_t number) {
  const char *at = whole->begin, *begin, *end;
  text_buf text = {NULL, 0, 0};
  bool good;
  if (letters != NULL) {
    text_add_bytes(&text, at, (size_t)(letters - 1 - at));
    text_add_bytes(&text, &letters[number], 1);
    at = letters + count + 1;
  }
  while ((begin = find_alternatives(at, &end)) != NULL) {
    const size_t found = count_alternatives(begin, end);
    if (found != count) {
      text_free(&text);
      return spec_fail(whole, (size_t)(begin - whole->begin),
                       "expected %zu alternatives, as the name has, not %zu", count, found);
    }
    text_add_bytes(&text, at, (size_t)(begin - at));
    add_alternative(&text, begin, number);
    at = end + 1;
  }
  text_add(&text, "%s", at);
  good = add_line(lines, whole->place, text.data, text.data + text.size);
  text_free(&text);
  return good;
}

static bool add_variants(header_lines *lines, const spec_source *whole) {
  const char *end = NULL, *begin = find_alternatives(whole->begin, &end), *letters = NULL;
  size_t count, i;
  if (begin == NULL) {
    return add_line(lines, whole->place, whole->begin, whole->begin + whole->size);
  }
  if (begin < whole->begin + strcspn(whole->begin, "(")) {
    count = count_alternatives(begin, end);
  } else if (!find_letters(whole->begin, &letters, &count)) {
    return spec_fail(whole, (size_t)(begin - whole->begin),
                     "alternatives belong to those of the name, or to the letters of a set there, "
                     "as in `cblas_[cz]copy(x[n] dtype=complex<64|128>)`");
  }
  for (i = 0; i < count; ++i) {
    if (!add_variant(lines, whole, letters, count, i)) return false;
  }
  return true;
}

bool header_add_line(header_lines *lines, const spec_source *source) {
  spec_source whole = *source;
  char *text;
  bool good;
  if (memchr(source->begin, '\0', source->size) != NULL) {
    return report_error("%s: a line cannot contain a NUL", source->place);
  }
  text = copy_trimmed(source->begin, source->begin + source->size);
  whole.begin = text;
  whole.size = strlen(text);
  good = add_variants(lines, &whole);
  free(text);
  return good;
}

void header_free_lines(header_lines *lines) {
  size_t i, k;
  for (i = 0; i < lines->count; ++i) {
    header_line *line = &lines->items[i];
    for (k = 0; k < line->num_items; ++k) free(line->items[k].text);
    free(line->items);
    free(line->place);
    free(line->text);
    free(line->exported);
    free(line->result);
    free(line->pattern);
    free(line->rest);
  }
  free(lines->items);
}

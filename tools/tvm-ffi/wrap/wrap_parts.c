/* SPDX-License-Identifier: Apache-2.0 */
/* Copies those parts of wrap_runtime.h and wrap_lean.h that a file uses. */
#include <stdlib.h>
#include <string.h>

#include "base/identifier.h"
#include "wrap/wrap.h"

/* ---- Words ---- */

static size_t measure_word(const char *begin) {
  size_t size = 0;
  while (identifier_has(begin[size])) ++size;
  return size;
}

static bool has_word(const char *in, const char *word, size_t size) {
  const char *found = in;
  for (; *found != '\0'; ++found) {
    const size_t other = measure_word(found);
    if (other == size && memcmp(found, word, size) == 0) return true;
    if (other > 0) found += other - 1;
  }
  return false;
}

static bool begins_with(const char *line, const char *prefix) {
  return strncmp(line, prefix, strlen(prefix)) == 0;
}

/* Whether the word that ends here is used. */
static bool is_word_before_used(const char *line, const char *end, const char *used) {
  const char *begin = end;
  while (begin > line && identifier_has(begin[-1])) --begin;
  return begin < end && has_word(used, begin, (size_t)(end - begin));
}

/* ---- Parts ---- */

/* Lines without an empty one between them. */
typedef struct {
  const char *const *lines;
  size_t num_lines;
  bool is_used;
} file_part;

/* Whether a line defines or declares a name that is used. */
static bool is_line_used(const char *line, const char *used) {
  const char *end = NULL;
  if (begins_with(line, "#define ")) {
    line += strlen("#define ");
    end = line + measure_word(line);
  } else if (begins_with(line, "static ") || begins_with(line, "extern ")) {
    end = strchr(line, '(');
  } else if (begins_with(line, "} ") || begins_with(line, "typedef void ")) {
    end = strchr(line, ';');
  }
  return end != NULL && is_word_before_used(line, end, used);
}

/* Whether a line of an enumeration has a constant that is used. */
static bool is_constant_used(const char *line, const char *used) {
  const char *end = strstr(line, " = ");
  for (; end != NULL; end = strstr(end + 1, " = ")) {
    if (is_word_before_used(line, end, used)) return true;
  }
  return false;
}

static bool is_part_used(const file_part *part, const char *used) {
  bool is_enum = false;
  size_t i;
  for (i = 0; i < part->num_lines; ++i) {
    if (begins_with(part->lines[i], "enum ")) is_enum = true;
    if (is_enum ? is_constant_used(part->lines[i], used) : is_line_used(part->lines[i], used)) {
      return true;
    }
  }
  return false;
}

/* The parts of a file, which have empty lines between them. */
static file_part *find_parts(const char *const *lines, size_t *out_count) {
  file_part *parts = NULL;
  *out_count = 0;
  while (*lines != NULL) {
    file_part part = {lines, 0, false};
    while (lines[part.num_lines] != NULL && *lines[part.num_lines] != '\0') ++part.num_lines;
    parts = tool_realloc(parts, (*out_count + 1) * sizeof *parts);
    parts[(*out_count)++] = part;
    lines += part.num_lines;
    if (*lines != NULL) ++lines;
  }
  return parts;
}

void wrap_add_parts(text *out, const char *const *lines, text *used) {
  size_t count, i, k;
  file_part *parts = find_parts(lines, &count);
  for (i = count; i-- > 0;) { /* a part uses earlier ones only */
    parts[i].is_used = is_part_used(&parts[i], used->data);
    for (k = 0; parts[i].is_used && k < parts[i].num_lines; ++k) {
      text_add(used, "%s\n", parts[i].lines[k]);
    }
  }
  for (i = 0; i < count; ++i) {
    if (parts[i].is_used) text_add(out, "\n");
    for (k = 0; parts[i].is_used && k < parts[i].num_lines; ++k) {
      text_add(out, "%s\n", parts[i].lines[k]);
    }
  }
  free(parts);
}

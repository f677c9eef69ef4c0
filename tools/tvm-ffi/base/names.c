/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "system/system.h"

/* ---- Identifiers ---- */

/* <ctype.h> depends on the locale. */
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool identifier_has(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

bool identifier_is(const char *bytes, size_t size) {
  size_t i;
  if (size == 0 || is_digit(*bytes)) return false;
  for (i = 0; i < size; ++i) {
    if (!identifier_has(bytes[i])) return false;
  }
  return true;
}

bool identifier_is_c_word(const char *name) {
  static const char *const kWords[] = {IDENTIFIER_C_WORDS, NULL};
  return text_find(name, kWords) != NULL;
}

bool identifier_is_cpp_word(const char *name) {
  static const char *const kWords[] = {IDENTIFIER_CPP_WORDS, NULL};
  return text_find(name, kWords) != NULL;
}

char *identifier_make(const char *bytes, size_t size) {
  char *made = tool_copy(bytes, size);
  size_t i;
  for (i = 0; i < size; ++i) {
    if (!identifier_has(made[i])) made[i] = '_';
  }
  return made;
}

/* ---- Misspelt names ---- */

/* The Levenshtein distance, with one row of the table; SIZE_MAX for long names. */
static size_t count_edits(const char *a, const char *b) {
  size_t b_size = strlen(b), row[64], i, k;
  if (b_size >= sizeof row / sizeof *row) return SIZE_MAX;
  for (k = 0; k <= b_size; ++k) row[k] = k;
  for (i = 0; a[i] != '\0'; ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (k = 0; k < b_size; ++k) {
      size_t change = diagonal + (a[i] != b[k]), least = row[k] < row[k + 1] ? row[k] : row[k + 1];
      diagonal = row[k + 1];
      row[k + 1] = change < least + 1 ? change : least + 1;
    }
  }
  return row[b_size];
}

nearest_name nearest_begin(const char *given, size_t limit) {
  nearest_name search;
  search.given = given;
  search.nearest = NULL;
  search.limit = limit;
  return search;
}

size_t nearest_limit(const char *given) {
  return strlen(given) / 3 + 2;
}

void nearest_offer(nearest_name *search, const char *candidate) {
  const size_t edits = count_edits(search->given, candidate);
  if (edits >= search->limit) return;
  search->limit = edits;
  search->nearest = candidate;
}

/* ---- Paths ---- */

static bool is_separator(char letter) {
  return letter != '\0' && strchr(kSystem.path_separators, letter) != NULL;
}

/* What follows the drive, if there is one. */
static const char *skip_drive(const char *path) {
  const bool has = kSystem.has_drives && isalpha((unsigned char)path[0]) && path[1] == ':';
  return has ? path + 2 : path;
}

const char *path_base(const char *path) {
  const char *base = skip_drive(path), *at;
  for (at = base; *at != '\0'; ++at) {
    if (is_separator(*at)) base = at + 1;
  }
  return base;
}

bool path_has_folder(const char *path) {
  return path_base(path) != path;
}

bool path_is_absolute(const char *path) {
  return is_separator(*skip_drive(path));
}

bool path_ends_in(const char *path, const char *ending) {
  const size_t size = strlen(path), ending_size = strlen(ending);
  return size >= ending_size && strcmp(path + size - ending_size, ending) == 0;
}

char *path_beside(const char *path, const char *name) {
  const bool has_drive = skip_drive(name) != name; /* "D:x" is in the current folder of D: */
  const size_t folder = has_drive || path_is_absolute(name) ? 0 : (size_t)(path_base(path) - path);
  const size_t size = strlen(name);
  char *made = tool_alloc(folder + size + 1);
  memcpy(made, path, folder);
  memcpy(made + folder, name, size + 1);
  return made;
}

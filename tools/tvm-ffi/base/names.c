/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

/* ---- Tables ---- */

/* The slot of a name, or the empty one where it would be. */
static size_t find_slot(const name_table *table, const char *name) {
  const size_t mask = table->num_slots - 1;
  const uint64_t hash = text_hash(TEXT_HASH, name, strlen(name));
  size_t i = (size_t)(hash ^ hash >> 32) & mask;
  while (table->slots[i] != 0 && strcmp(table->names[table->slots[i] - 1], name) != 0) {
    i = (i + 1) & mask;
  }
  return i;
}

/* At most half of the slots are used. */
static void grow(name_table *table) {
  size_t i;
  free(table->slots);
  table->num_slots = 2 * table->num_slots + (table->num_slots == 0 ? 64 : 0);
  table->slots = tool_alloc(table->num_slots * sizeof *table->slots);
  memset(table->slots, 0, table->num_slots * sizeof *table->slots);
  table->names = tool_realloc(table->names, table->num_slots / 2 * sizeof *table->names);
  for (i = 0; i < table->size; ++i) table->slots[find_slot(table, table->names[i])] = i + 1;
}

size_t name_table_add(name_table *table, const char *name) {
  size_t slot;
  if (2 * (table->size + 1) > table->num_slots) grow(table);
  slot = find_slot(table, name);
  if (table->slots[slot] == 0) {
    table->names[table->size] = tool_copy(name, strlen(name));
    table->slots[slot] = ++table->size;
  }
  return table->slots[slot] - 1;
}

size_t name_table_find(const name_table *table, const char *name) {
  const size_t found = table->size > 0 ? table->slots[find_slot(table, name)] : 0;
  return found > 0 ? found - 1 : SIZE_MAX;
}

void name_table_free(name_table *table) {
  size_t i;
  for (i = 0; i < table->size; ++i) free(table->names[i]);
  free(table->names);
  free(table->slots);
  memset(table, 0, sizeof *table);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The options: which functions are recorded, how often, with how many bytes. call.c applies them.
 */
#define _GNU_SOURCE /* strdup, strtok_r */
#include <errno.h>
#include <stdlib.h>
#include <string.h> /* (strrchr)(...) is not glibc's macro with _Generic: C99 has none */

#include "base/pattern.h"
#include "record.h"

record_settings record_set;
const char *const record_pattern_keys[kNumPatterns] = {"match", "skip", "lib"};

static bool matches_any(char *const *list, const char *text) {
  for (; *list != NULL; ++list) {
    if (pattern_matches(*list, text)) return true;
  }
  return false;
}

bool record_wants(const char *function, const char *path) {
  char *const *match = record_set.patterns[kMatch], *const *skip = record_set.patterns[kSkip];
  char *const *lib = record_set.patterns[kLib];
  const char *slash = (strrchr)(path, '/');
  if (match != NULL && !matches_any(match, function)) return false;
  if (skip != NULL && matches_any(skip, function)) return false;
  return lib == NULL || matches_any(lib, path) ||
         matches_any(lib, slash == NULL ? path : slash + 1);
}

/* Earlier lists are never released: a call that began before they were replaced may read them. */
static bool set_patterns(char ***out, const char *const *list) {
  char **copy = NULL;
  size_t count = 0, i;
  if (list != NULL) {
    while (list[count] != NULL) ++count;
    copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL) return false;
  }
  for (i = 0; i < count; ++i) {
    copy[i] = strdup(list[i]);
    if (copy[i] == NULL) return false;
  }
  *out = copy;
  return true;
}

bool record_set_settings(const tvm_ffi_record_options *options) {
  if (!set_patterns(&record_set.patterns[kMatch], options->match) ||
      !set_patterns(&record_set.patterns[kSkip], options->skip) ||
      !set_patterns(&record_set.patterns[kLib], options->lib)) {
    return false;
  }
  record_set.all = options->all != 0;
  record_set.on_error = options->on_error != 0;
  record_set.no_data = options->no_data != 0;
  record_set.trace = options->trace != NULL;
  record_set.every = options->every > 0 ? options->every : 0;
  record_set.first = options->first > 0 ? options->first : 0;
  if (record_set.first == 0 && record_set.every == 0 && !record_set.on_error && !record_set.all) {
    record_set.first = 3;
  }
  record_set.max_bytes = options->max_bytes > 0 ? options->max_bytes : (int64_t)1 << 30;
  record_set.max_total = options->max_total > 0 ? options->max_total : (int64_t)1 << 34;
  return true;
}

/* ---- Options as text ---- */

static bool read_number(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = (int64_t)strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *out > 0;
}

/* Returns false if it is not an option, or not a value of one. */
static bool set_option(const char *key, const char *value, tvm_ffi_record_options *out) {
  const struct {
    const char *key;
    int64_t *number;
    int *flag;
  } known[] = {{"first", &out->first, NULL},
               {"every", &out->every, NULL},
               {"max_bytes", &out->max_bytes, NULL},
               {"max_total", &out->max_total, NULL},
               {"all", NULL, &out->all},
               {"on_error", NULL, &out->on_error},
               {"no_data", NULL, &out->no_data}};
  size_t i;
  if (strcmp(key, "trace") == 0) {
    out->trace = value;
    return *value != '\0';
  }
  for (i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strcmp(key, known[i].key) != 0) continue;
    if (known[i].number != NULL) return read_number(value, known[i].number);
    *known[i].flag = 1;
    return strcmp(value, "1") == 0;
  }
  return false;
}

const char *record_read_options(char *text, tvm_ffi_record_options *out) {
  const char **lists[kNumPatterns] = {NULL, NULL, NULL}; /* never released, as what they refer to */
  size_t counts[kNumPatterns] = {0, 0, 0}, k;
  char *rest = NULL, *line;
  for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    char *value = (strchr)(line, '=');
    bool is_good = false;
    if (value == NULL) return line;
    *value++ = '\0';
    for (k = 0; k < kNumPatterns && strcmp(line, record_pattern_keys[k]) != 0; ++k) continue;
    if (k == kNumPatterns) {
      is_good = set_option(line, value, out);
    } else {
      const char **longer = realloc(lists[k], (counts[k] + 2) * sizeof *longer);
      is_good = longer != NULL;
      if (is_good) {
        longer[counts[k]++] = value;
        longer[counts[k]] = NULL;
        lists[k] = longer;
      }
    }
    if (is_good) continue;
    value[-1] = '=';
    return line;
  }
  out->match = lists[kMatch];
  out->skip = lists[kSkip];
  out->lib = lists[kLib];
  return NULL;
}

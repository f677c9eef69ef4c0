/* SPDX-License-Identifier: Apache-2.0 */
/* What the user asked for: which functions are recorded, how often, with how many bytes. */
#define _GNU_SOURCE /* strdup */
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

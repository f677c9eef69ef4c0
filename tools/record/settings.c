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
static char **outputs; /* the patterns of kOutputs, each with its numbers behind its end */
const char *const record_pattern_keys[kNumPatterns] = {"match", "skip", "lib", "outputs"};

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

/* The numbers behind a pattern and a colon, "s*:0,-1"; NULL: it is not written so. */
static const char *find_numbers(const char *text) {
  const char *colon = (strrchr)(text, ':'), *at = colon;
  if (colon == NULL || colon == text) return NULL;
  do {
    char *end;
    ++at;
    if (*at != '-' && (*at < '0' || *at > '9')) return NULL;
    (void)strtol(at, &end, 10);
    if (end == at || (*end != '\0' && *end != ',')) return NULL;
    at = end;
  } while (*at == ',');
  return colon + 1;
}

bool record_is_output(const char *function, int32_t index, int32_t num_args) {
  char *const *list = outputs;
  for (; *list != NULL; ++list) {
    const char *at = *list + strlen(*list) + 1; /* see split_outputs() */
    char *end;
    if (!pattern_matches(*list, function)) continue;
    for (;; at = end + 1) {
      const long number = strtol(at, &end, 10);
      if (number == index || number == (long)index - num_args) return true;
      if (*end != ',') break;
    }
  }
  return false;
}

/* Ends each pattern where its numbers begin, and removes those without. */
static void split_outputs(char **list) {
  char **kept = list;
  for (; *list != NULL; ++list) {
    const char *at = find_numbers(*list);
    if (at == NULL) {
      free(*list);
      continue;
    }
    (*list)[at - 1 - *list] = '\0';
    *kept++ = *list;
  }
  *kept = NULL;
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
      !set_patterns(&record_set.patterns[kLib], options->lib) ||
      !set_patterns(&record_set.patterns[kOutputs], options->outputs) ||
      !set_patterns(&outputs, options->outputs)) {
    return false;
  }
  if (outputs != NULL) split_outputs(outputs);
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

/* ---- Options of the environment ---- */

static bool read_number(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = (int64_t)strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *out > 0;
}

static bool add_pattern(const char ***list, const char *pattern) {
  size_t count = 0;
  const char **longer;
  while (*list != NULL && (*list)[count] != NULL) ++count;
  longer = realloc(*list, (count + 2) * sizeof *longer);
  if (longer == NULL) return false;
  longer[count] = pattern;
  longer[count + 1] = NULL;
  *list = longer;
  return true;
}

/* Takes an option; returns what is wrong with it, or NULL. */
static const char *set_option(const char *key, const char *value, const char **patterns[],
                              tvm_ffi_record_options *out) {
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
  for (i = 0; i < kNumPatterns; ++i) {
    if (strcmp(key, record_pattern_keys[i]) != 0) continue;
    if (i == kOutputs && find_numbers(value) == NULL)
      return "it takes GLOB:ARGUMENTS, as in s*:0,-1";
    return add_pattern(&patterns[i], value) ? NULL : "out of memory";
  }
  if (strcmp(key, "trace") == 0) {
    out->trace = value;
    return *value != '\0' ? NULL : "the name of the file is missing";
  }
  for (i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strcmp(key, known[i].key) != 0) continue;
    if (known[i].number != NULL) {
      return read_number(value, known[i].number) ? NULL : "it takes a number of at least 1";
    }
    *known[i].flag = 1;
    return strcmp(value, "1") == 0 ? NULL : "it takes 1";
  }
  return "there is no such option";
}

bool record_read_environment(tvm_ffi_record_options *out) {
  const char *text = getenv("TVM_FFI_RECORD_OPTIONS"), *wrong = NULL;
  static const char **patterns[kNumPatterns]; /* kept, as the copy: `out` refers to them */
  static char *copy;
  char *rest = NULL, *line;
  memset(out, 0, sizeof *out);
  copy = strdup(text != NULL ? text : "");
  if (copy == NULL) return false;
  out->folder = getenv("TVM_FFI_RECORD");
  for (line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    char *equals = (strchr)(line, '=');
    if (equals == NULL) {
      wrong = "it has no value";
    } else {
      *equals = '\0';
      wrong = set_option(line, equals + 1, patterns, out);
      *equals = '=';
    }
    if (wrong != NULL) {
      record_print_error("TVM_FFI_RECORD_OPTIONS: \"%s\": %s; nothing is recorded", line, wrong);
      return false;
    }
  }
  out->match = patterns[kMatch];
  out->skip = patterns[kSkip];
  out->lib = patterns[kLib];
  out->outputs = patterns[kOutputs];
  return true;
}

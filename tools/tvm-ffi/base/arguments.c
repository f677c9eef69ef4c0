/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/arguments.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"

typedef struct {
  const option *of;
  const char *value; /* NULL for a flag */
} given;

struct arguments {
  const command *of;
  given *options;
  size_t num_options;
  const char **operands;
  size_t num_operands;
};

/* ---- Words -------------------------------------------------------------------------------------
 */

size_t option_num_words(const option *of) {
  const char *at = of->value != NULL ? strchr(of->value, '|') : NULL;
  size_t count = at != NULL;
  for (; at != NULL; at = strchr(at + 1, '|')) ++count;
  return count;
}

const char *option_word(const option *of, size_t i, size_t *out_size) {
  const char *at = of->value;
  while (i-- > 0) at = strchr(at, '|') + 1;
  *out_size = strcspn(at, "|");
  return at;
}

/* The number of the word; that of all where it is none. */
static size_t find_word(const option *of, const char *value) {
  size_t count = option_num_words(of), i;
  for (i = 0; i < count; ++i) {
    size_t size;
    const char *word = option_word(of, i, &size);
    if (strncmp(word, value, size) == 0 && value[size] == '\0') return i;
  }
  return count;
}

static bool check_word(const option *of, const char *value) {
  size_t count = option_num_words(of), i;
  text words = {NULL, 0, 0};
  if (count == 0 || find_word(of, value) < count) return true;
  for (i = 0; i < count; ++i) {
    size_t size;
    const char *word = option_word(of, i, &size);
    text_add(&words, "%s%.*s", i == 0 ? "" : i + 1 < count ? ", " : " or ", (int)size, word);
  }
  report_error("--%s must be %s, not \"%s\"", of->name, words.data, value);
  text_free(&words);
  return false;
}

/* ---- Parsing -----------------------------------------------------------------------------------
 */

/* IREE's tools have _ in names of options, others have -. */
static bool is_called(const option *of, const char *name, size_t size) {
  size_t i;
  if (strlen(of->name) != size) return false;
  for (i = 0; i < size; ++i) {
    bool is_dash = (of->name[i] == '-' || of->name[i] == '_') && (name[i] == '-' || name[i] == '_');
    if (of->name[i] != name[i] && !is_dash) return false;
  }
  return true;
}

static const option *find_in(const option *list, const char *name, size_t size) {
  for (; list->name != NULL; ++list) {
    if (is_called(list, name, size)) return list;
  }
  return NULL;
}

static const option *find_letter_in(const option *list, char letter) {
  for (; list->name != NULL; ++list) {
    if (list->letter == letter) return list;
  }
  return NULL;
}

static const option *find_option(const command *of, const char *name, size_t size) {
  const option *found = find_in(of->options, name, size);
  return found != NULL ? found : find_in(kCommonOptions, name, size);
}

static const option *find_letter(const command *of, char letter) {
  const option *found = find_letter_in(of->options, letter);
  return found != NULL ? found : find_letter_in(kCommonOptions, letter);
}

/* The words that are still to be read. */
typedef struct {
  char **next, **end;
} cursor;

/* With the value that stands in the same word, or else in the next; false when reported. */
static bool add_option(arguments *args, const option *of, const char *value, cursor *from) {
  if (of->value == NULL && value != NULL) {
    report_error("--%s takes no value", of->name);
    return false;
  }
  if (of->value != NULL && value == NULL) {
    if (from->next == from->end) {
      report_error("--%s needs a value: %s", of->name, of->value);
      return false;
    }
    value = *from->next++;
  }
  if (value != NULL && !check_word(of, value)) return false;
  args->options = tool_realloc(args->options, (args->num_options + 1) * sizeof *args->options);
  args->options[args->num_options].of = of;
  args->options[args->num_options++].value = value;
  return true;
}

static bool refuse_option(const command *of, const char *word) {
  report_error("%s is not an option of %s; see tvm-ffi %s --help", word, of->name, of->name);
  return false;
}

/* "--name" or "--name=value" */
static bool read_name(arguments *args, const char *word, cursor *from) {
  const char *name = word + 2, *end = strchr(name, '=');
  const option *of = find_option(args->of, name, end != NULL ? (size_t)(end - name) : strlen(name));
  if (of == NULL) return refuse_option(args->of, word);
  return add_option(args, of, end != NULL ? end + 1 : NULL, from);
}

/* "-ub", of which all but the last are flags; what is behind one with a value is the value. */
static bool read_letters(arguments *args, const char *word, cursor *from) {
  const char *at;
  for (at = word + 1; *at != '\0'; ++at) {
    const option *of = find_letter(args->of, *at);
    const bool takes_rest = of != NULL && of->value != NULL && at[1] != '\0';
    if (of == NULL) return refuse_option(args->of, word);
    if (!add_option(args, of, takes_rest ? at + 1 : NULL, from)) return false;
    if (takes_rest) break;
  }
  return true;
}

static bool check_operands(const arguments *args) {
  const command *of = args->of;
  size_t num_stdin = 0, i;
  if (args->num_operands < (size_t)of->min_operands) {
    report_error("usage: tvm-ffi %s [OPTION...] %s", of->name, of->operands);
    return false;
  }
  if (of->max_operands >= 0 && args->num_operands > (size_t)of->max_operands) {
    report_error("%s: one operand too many: %s", of->name, args->operands[of->max_operands]);
    return false;
  }
  for (i = 0; i < args->num_operands; ++i) num_stdin += strcmp(args->operands[i], "-") == 0;
  if (num_stdin < 2) return true;
  report_error("%s: - is standard input, which can be read once, not %zu times", of->name,
               num_stdin);
  return false;
}

arguments *arguments_parse(const command *of, int num_words, char **words) {
  arguments *args = tool_alloc(sizeof *args);
  bool good = true, options_end = false;
  cursor from;
  from.next = words;
  from.end = words + num_words;
  memset(args, 0, sizeof *args);
  args->of = of;
  args->operands = tool_alloc(sizeof *args->operands * ((size_t)num_words + 1));
  while (good && from.next < from.end) {
    const char *word = *from.next++;
    if (options_end || word[0] != '-' || word[1] == '\0') {
      args->operands[args->num_operands++] = word;
    } else if (strcmp(word, "--") == 0) {
      options_end = true;
    } else {
      good = word[1] == '-' ? read_name(args, word, &from) : read_letters(args, word, &from);
    }
  }
  if (good && (arguments_has(args, "help") || check_operands(args))) return args;
  arguments_free(args);
  return NULL;
}

void arguments_free(arguments *args) {
  free(args->options);
  free((void *)args->operands);
  free(args);
}

/* ---- What was given ----------------------------------------------------------------------------
 */

const char *arguments_at(const arguments *args, const char *name, size_t i) {
  size_t k;
  for (k = 0; k < args->num_options; ++k) {
    if (strcmp(args->options[k].of->name, name) == 0 && i-- == 0) return args->options[k].value;
  }
  return NULL;
}

size_t arguments_count(const arguments *args, const char *name) {
  size_t count = 0, k;
  for (k = 0; k < args->num_options; ++k) count += strcmp(args->options[k].of->name, name) == 0;
  return count;
}

bool arguments_has(const arguments *args, const char *name) {
  return arguments_count(args, name) > 0;
}

const char *arguments_text(const arguments *args, const char *name, const char *otherwise) {
  size_t count = arguments_count(args, name);
  return count > 0 ? arguments_at(args, name, count - 1) : otherwise;
}

size_t arguments_word(const arguments *args, const char *name, size_t otherwise) {
  size_t i = args->num_options;
  while (i-- > 0) {
    const given *one = &args->options[i];
    if (strcmp(one->of->name, name) == 0) return find_word(one->of, one->value);
  }
  return otherwise;
}

bool arguments_match(const arguments *args, const char *name, const char *what) {
  size_t count = arguments_count(args, name), i;
  for (i = 0; i < count; ++i) {
    if (fnmatch(arguments_at(args, name, i), what, 0) == 0) return true;
  }
  return count == 0;
}

bool arguments_int(const arguments *args, const char *name, long long otherwise, long long low,
                   long long high, long long *out) {
  const char *value = arguments_text(args, name, NULL);
  char *end;
  *out = otherwise;
  if (value == NULL) return true;
  errno = 0;
  *out = strtoll(value, &end, 10);
  if (end != value && *end == '\0' && errno == 0 && *out >= low && *out <= high) return true;
  report_error("--%s must be an integer from %lld to %lld, not \"%s\"", name, low, high, value);
  return false;
}

bool arguments_real(const arguments *args, const char *name, double otherwise, double low,
                    double high, double *out) {
  const char *value = arguments_text(args, name, NULL);
  char *end;
  *out = otherwise;
  if (value == NULL) return true;
  *out = strtod(value, &end);
  if (end != value && *end == '\0' && *out >= low && *out <= high) return true;
  report_error("--%s must be a number from %g to %g, not \"%s\"", name, low, high, value);
  return false;
}

size_t arguments_num_operands(const arguments *args) {
  return args->num_operands;
}

const char *arguments_operand(const arguments *args, size_t i) {
  return args->operands[i];
}

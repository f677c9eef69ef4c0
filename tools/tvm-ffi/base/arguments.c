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

/* An option that this word is, and its value where the word holds it; false when reported. */
static bool read_option(const command *of, const char *word, given *out) {
  const char *end;
  bool is_long = word[1] == '-';
  if (is_long) {
    word += 2;
    end = strchr(word, '=');
    out->of = find_option(of, word, end != NULL ? (size_t)(end - word) : strlen(word));
    out->value = end != NULL ? end + 1 : NULL;
    word -= 2;
  } else {
    out->of = find_letter(of, word[1]);
    out->value = word[2] != '\0' ? word + 2 : NULL;
  }
  if (out->of == NULL) {
    report_error("%s is not an option of %s; see tvm-ffi %s --help", word, of->name, of->name);
    return false;
  }
  if (out->of->value == NULL && out->value != NULL) {
    report_error("--%s takes no value", out->of->name);
    return false;
  }
  return true;
}

static bool check_operands(const arguments *args) {
  const command *of = args->of;
  if (args->num_operands < (size_t)of->min_operands) {
    report_error("usage: tvm-ffi %s [OPTION...] %s", of->name, of->operands);
    return false;
  }
  if (of->max_operands >= 0 && args->num_operands > (size_t)of->max_operands) {
    report_error("%s: one operand too many: %s", of->name, args->operands[of->max_operands]);
    return false;
  }
  return true;
}

arguments *arguments_parse(const command *of, int num_words, char **words) {
  arguments *args = tool_alloc(sizeof *args);
  bool options_end = false;
  int i;
  args->of = of;
  args->num_options = args->num_operands = 0;
  args->options = tool_alloc(sizeof *args->options * ((size_t)num_words + 1));
  args->operands = tool_alloc(sizeof *args->operands * ((size_t)num_words + 1));
  for (i = 0; i < num_words; ++i) {
    given *next = &args->options[args->num_options];
    if (options_end || words[i][0] != '-' || words[i][1] == '\0') {
      args->operands[args->num_operands++] = words[i];
    } else if (strcmp(words[i], "--") == 0) {
      options_end = true;
    } else {
      if (!read_option(of, words[i], next)) goto failed;
      if (next->of->value != NULL && next->value == NULL) {
        if (i + 1 == num_words) {
          report_error("--%s needs a value: %s", next->of->name, next->of->value);
          goto failed;
        }
        next->value = words[++i];
      }
      if (next->value != NULL && !check_word(next->of, next->value)) goto failed;
      ++args->num_options;
    }
  }
  if (arguments_has(args, "help") || check_operands(args)) return args;
failed:
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

const option *arguments_option(const arguments *args, size_t i, const char **value) {
  if (i >= args->num_options) return NULL;
  *value = args->options[i].value;
  return args->options[i].of;
}

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

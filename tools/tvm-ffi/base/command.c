/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/command.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"

typedef struct {
  const option *entry;
  const char *value; /* NULL for a flag */
} given;

struct arguments {
  const command *subcommand;
  const option *common;
  given *options;
  size_t num_options;
  const char **values; /* of the options, those of one option together */
  const char **operands;
  size_t num_operands;
};

/* ---- Values and words ---- */

bool option_value_is_optional(const option *entry) {
  return entry->value != NULL && entry->value[0] == '[';
}

size_t option_num_words(const option *entry) {
  const char *bar = entry->value != NULL ? strchr(entry->value, '|') : NULL;
  size_t count = bar != NULL;
  for (; bar != NULL; bar = strchr(bar + 1, '|')) ++count;
  return count;
}

const char *option_word(const option *entry, size_t i, size_t *out_size) {
  const char *word = entry->value;
  while (i-- > 0) word = strchr(word, '|') + 1;
  *out_size = strcspn(word, "|");
  return word;
}

/* The index of the word; the number of words if it is none of them. */
static size_t find_word(const option *entry, const char *value) {
  size_t count = option_num_words(entry), i;
  for (i = 0; i < count; ++i) {
    size_t size;
    const char *word = option_word(entry, i, &size);
    if (strncmp(word, value, size) == 0 && value[size] == '\0') return i;
  }
  return count;
}

static bool check_word(const option *entry, const char *value) {
  size_t count = option_num_words(entry), i;
  text_buf words = {NULL, 0, 0};
  if (count == 0 || find_word(entry, value) < count) return true;
  for (i = 0; i < count; ++i) {
    size_t size;
    const char *word = option_word(entry, i, &size);
    text_add(&words, "%s%.*s",
             i == 0          ? ""
             : i + 1 < count ? ", "
                             : " or ",
             tvmffi_shown_size(size), word);
  }
  report_error("--%s must be %s, not \"%s\"", entry->name, words.data, value);
  text_free(&words);
  return false;
}

/* ---- Parsing ---- */

/* Treats '-' and '_' as the same: IREE's tools have '_' in the names of options, others '-'. */
static bool is_called(const option *entry, const char *name, size_t size) {
  size_t i;
  if (strlen(entry->name) != size) return false;
  for (i = 0; i < size; ++i) {
    bool is_dash =
        (entry->name[i] == '-' || entry->name[i] == '_') && (name[i] == '-' || name[i] == '_');
    if (entry->name[i] != name[i] && !is_dash) return false;
  }
  return true;
}

static const option *find_in(const option *list, const char *name, size_t size) {
  for (; list->id != kOptionNone; ++list) {
    if (is_called(list, name, size)) return list;
  }
  return NULL;
}

static const option *find_letter_in(const option *list, char letter) {
  for (; list->id != kOptionNone; ++list) {
    if (list->letter == letter) return list;
  }
  return NULL;
}

static const option *find_id_in(const option *list, int id) {
  for (; list->id != kOptionNone; ++list) {
    if (list->id == id) return list;
  }
  return NULL;
}

static const option *find_option(const arguments *args, const char *name, size_t size) {
  const option *found = find_in(args->subcommand->options, name, size);
  return found != NULL ? found : find_in(args->common, name, size);
}

static const option *find_letter(const arguments *args, char letter) {
  const option *found = find_letter_in(args->subcommand->options, letter);
  if (found == NULL) return find_letter_in(args->common, letter);
  return find_id_in(args->subcommand->options, found->id); /* an old letter has its id */
}

/* The words not yet read. */
typedef struct {
  char **next, **end;
} cursor;

/* Adds an option with `value` from the same word, or otherwise with the next word; false after a
 * report. */
static bool add_option(arguments *args, const option *entry, const char *value, cursor *rest) {
  if (entry->value == NULL && value != NULL) {
    return report_error("--%s takes no value", entry->name);
  }
  if (value == NULL && option_value_is_optional(entry)) value = "";
  if (entry->value != NULL && value == NULL) {
    if (rest->next == rest->end) {
      return report_error("--%s needs a value: %s", entry->name, entry->value);
    }
    value = *rest->next++;
  }
  if (value != NULL && !check_word(entry, value)) return false;
  args->options = tool_realloc(args->options, (args->num_options + 1) * sizeof *args->options);
  args->options[args->num_options].entry = entry;
  args->options[args->num_options++].value = value;
  return true;
}

static bool refuse_option(const command *subcommand, const char *word) {
  return report_error("%s is not an option of %s; see tvm-ffi %s --help", word, subcommand->name,
                      subcommand->name);
}

static void offer_options(nearest_name *search, const option *options) {
  for (; options->id != kOptionNone; ++options) nearest_offer(search, options->name);
}

/* Refuses "--name" or "--name=value". */
static bool refuse_name(const arguments *args, const char *word) {
  const command *subcommand = args->subcommand;
  char *name = tool_copy(word + 2, strcspn(word + 2, "="));
  nearest_name search = nearest_begin(name, nearest_limit(name));
  offer_options(&search, subcommand->options);
  offer_options(&search, args->common);
  if (search.nearest != NULL) {
    report_error("--%s is not an option of %s; did you mean --%s?", name, subcommand->name,
                 search.nearest);
  } else {
    refuse_option(subcommand, word);
  }
  free(name);
  return false;
}

/* Whether the word is a whole name after one dash, as compilers write `-include FILE`, and not
 * letters. */
static bool is_name_with_one_dash(const arguments *args, const char *word) {
  return find_letter(args, word[1]) == NULL &&
         find_option(args, word + 1, strlen(word + 1)) != NULL;
}

/* "--name", "-name" or "--name=value" */
static bool read_name(arguments *args, const char *word, cursor *rest) {
  const char *name = word + (word[1] == '-' ? 2 : 1), *end = strchr(name, '=');
  const option *entry = find_option(args, name, end != NULL ? (size_t)(end - name) : strlen(name));
  if (entry == NULL) return refuse_name(args, word);
  return add_option(args, entry, end != NULL ? end + 1 : NULL, rest);
}

/* "-ub": all but the last letter are flags, and what follows a letter that takes a value is that
 * value. */
static bool read_letters(arguments *args, const char *word, cursor *rest) {
  const char *letter;
  for (letter = word + 1; *letter != '\0'; ++letter) {
    const option *entry = find_letter(args, *letter);
    const bool takes_rest = entry != NULL && entry->value != NULL &&
                            !option_value_is_optional(entry) && letter[1] != '\0';
    if (entry == NULL) return refuse_option(args->subcommand, word);
    if (!add_option(args, entry, takes_rest ? letter + 1 : NULL, rest)) return false;
    if (takes_rest) break;
  }
  return true;
}

static bool check_operands(const arguments *args) {
  const command *subcommand = args->subcommand;
  size_t num_stdin = 0, i;
  if (args->num_operands < (size_t)subcommand->min_operands) {
    return report_error("usage: tvm-ffi %s [OPTION...] %s", subcommand->name, subcommand->operands);
  }
  if (subcommand->max_operands >= 0 && args->num_operands > (size_t)subcommand->max_operands) {
    return report_error("%s: one operand too many: %s; usage: tvm-ffi %s [OPTION...]%s%s",
                        subcommand->name, args->operands[subcommand->max_operands],
                        subcommand->name, *subcommand->operands != '\0' ? " " : "",
                        subcommand->operands);
  }
  for (i = 0; i < args->num_operands; ++i) num_stdin += strcmp(args->operands[i], "-") == 0;
  if (num_stdin < 2) return true;
  return report_error("%s: standard input (-) can be read only once, not %zu times",
                      subcommand->name, num_stdin);
}

/* Sorts the options by where each was first given, so that the values of one are a list. */
static void group_values(arguments *args) {
  size_t i, k;
  args->values = tool_alloc((args->num_options + 1) * sizeof *args->values);
  for (i = 0; i < args->num_options; ++i) {
    const given moved = args->options[i];
    size_t to = i;
    for (k = 0; k < i; ++k) {
      if (args->options[k].entry == moved.entry) to = k + 1;
    }
    for (k = i; k > to; --k) args->options[k] = args->options[k - 1];
    args->options[to] = moved;
  }
  for (i = 0; i < args->num_options; ++i) args->values[i] = args->options[i].value;
}

arguments *arguments_parse(const command *subcommand, const option *common, int num_words,
                           char **words) {
  arguments *args = tool_alloc(sizeof *args);
  bool good = true, options_end = false;
  cursor rest;
  rest.next = words;
  rest.end = words + num_words;
  memset(args, 0, sizeof *args);
  args->subcommand = subcommand;
  args->common = common;
  args->operands = tool_alloc(sizeof *args->operands * ((size_t)num_words + 1));
  while (good && rest.next < rest.end) {
    const char *word = *rest.next++;
    if (options_end || word[0] != '-' || word[1] == '\0') {
      args->operands[args->num_operands++] = word;
    } else if (strcmp(word, "--") == 0) {
      options_end = true;
    } else {
      good = word[1] == '-' || is_name_with_one_dash(args, word) ? read_name(args, word, &rest)
                                                                 : read_letters(args, word, &rest);
    }
  }
  group_values(args);
  if (good && (arguments_has(args, kOptionHelp) || check_operands(args))) return args;
  arguments_free(args);
  return NULL;
}

void arguments_free(arguments *args) {
  free(args->options);
  free((void *)args->values);
  free((void *)args->operands);
  free(args);
}

/* ---- The given options and operands ---- */

static const option *find_entry(const arguments *args, int id) {
  const option *found = find_id_in(args->subcommand->options, id);
  if (found == NULL) found = find_id_in(args->common, id);
  assert(found != NULL && "this command has no such option");
  return found;
}

bool arguments_offer(const arguments *args, int id) {
  return find_id_in(args->subcommand->options, id) != NULL;
}

const char *arguments_name(const arguments *args, int id) {
  return find_entry(args, id)->name;
}

text_list arguments_values(const arguments *args, int id) {
  const option *entry = find_entry(args, id);
  text_list list = {NULL, 0};
  size_t i;
  for (i = 0; i < args->num_options; ++i) {
    if (args->options[i].entry == entry && list.count++ == 0) list.items = args->values + i;
  }
  return list;
}

bool arguments_has(const arguments *args, int id) {
  return arguments_values(args, id).count > 0;
}

const char *arguments_text(const arguments *args, int id, const char *otherwise) {
  const text_list values = arguments_values(args, id);
  return values.count > 0 ? values.items[values.count - 1] : otherwise;
}

size_t arguments_word(const arguments *args, int id, size_t otherwise) {
  const char *value = arguments_text(args, id, NULL);
  return value != NULL ? find_word(find_entry(args, id), value) : otherwise;
}

bool arguments_int(const arguments *args, int id, long long otherwise, long long low,
                   long long high, long long *out) {
  const char *value = arguments_text(args, id, NULL);
  char *end;
  *out = otherwise;
  if (value == NULL) return true;
  errno = 0;
  *out = strtoll(value, &end, 10);
  if (end != value && *end == '\0' && errno == 0 && *out >= low && *out <= high) return true;
  return report_error("--%s must be an integer from %lld to %lld, not \"%s\"",
                      arguments_name(args, id), low, high, value);
}

bool arguments_real(const arguments *args, int id, double otherwise, double low, double high,
                    double *out) {
  const char *value = arguments_text(args, id, NULL);
  char *end;
  *out = otherwise;
  if (value == NULL) return true;
  *out = text_read_real(value, &end);
  if (end != value && *end == '\0' && *out >= low && *out <= high) return true;
  return report_error("--%s must be a number from %s to %s, not \"%s\"", arguments_name(args, id),
                      REAL_G(6, low), REAL_G(6, high), value);
}

text_list arguments_operands(const arguments *args) {
  text_list list;
  list.items = args->operands;
  list.count = args->num_operands;
  return list;
}

size_t arguments_num_operands(const arguments *args) {
  return args->num_operands;
}

const char *arguments_operand(const arguments *args, size_t i) {
  return args->operands[i];
}

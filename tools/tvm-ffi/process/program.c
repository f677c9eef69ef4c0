/* SPDX-License-Identifier: Apache-2.0 */
#include "process/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "system/system.h"

/* ---- The words of a command line ---- */

/* Takes the word. */
static void append(word_list *words, char *word) {
  words->items = tool_realloc(words->items, (words->size + 2) * sizeof *words->items);
  words->items[words->size++] = word;
  words->items[words->size] = NULL;
}

void words_add(word_list *words, const char *word) {
  append(words, tool_copy(word, strlen(word)));
}

static bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n';
}

/* Whether a \ takes its special meaning from the next letter: from any, or only from a " where \
 * separates the folders of paths. */
static bool is_escape(const char *at, char quote) {
  const bool is_separator = strchr(kSystem.path_separators, '\\') != NULL;
  if (*at != '\\' || quote == '\'' || at[1] == '\0') return false;
  return !is_separator || at[1] == '"';
}

void words_add_text(word_list *words, const char *line) {
  while (true) {
    text_buf word = {NULL, 0, 0};
    char quote = '\0';
    while (is_blank(*line)) ++line;
    if (*line == '\0') return;
    for (; *line != '\0' && (quote != '\0' || !is_blank(*line)); ++line) {
      if (*line == quote) {
        quote = '\0';
      } else if (quote == '\0' && (*line == '\'' || *line == '"')) {
        quote = *line;
      } else {
        if (is_escape(line, quote)) ++line;
        text_add_bytes(&word, line, 1);
      }
    }
    append(words, tool_copy(word.data != NULL ? word.data : "", word.size));
    text_free(&word);
  }
}

void words_free(word_list *words) {
  size_t i;
  for (i = 0; i < words->size; ++i) free(words->items[i]);
  free(words->items);
  words->items = NULL;
  words->size = 0;
}

/* ---- Running ---- */

bool program_run(const word_list *words, const char *subject) {
  launch_end end;
  if (!launch_run(words->items, &end)) {
    report_error("%s: cannot run %s: %s", subject, words->items[0], strerror(errno));
    return false;
  }
  if (end.ended[0] != '\0') {
    report_error("%s: %s was ended by %s", subject, words->items[0], end.ended);
    return false;
  }
  if (end.code == 0) return true;
  report_error("%s: %s ended with exit code %d", subject, words->items[0], end.code);
  return false;
}

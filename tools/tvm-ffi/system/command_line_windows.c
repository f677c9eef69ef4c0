/* SPDX-License-Identifier: Apache-2.0 */
#include "system/command_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the start files of MinGW from replacing words of our own command line that have a * or ? by
 * names of files. */
int _dowildcard = 0;

static char *repeat(char *out, char letter, size_t count) {
  memset(out, letter, count);
  return out + count;
}

/* Within quotes, backslashes stand for themselves, except before a ": there \\ is a backslash, and
 * \" a ". */
static char *write_quoted(char *out, const char *word) {
  *out++ = '"';
  while (true) {
    const size_t slashes = strspn(word, "\\");
    word += slashes;
    if (*word == '\0') { /* before the closing quote */
      out = repeat(out, '\\', 2 * slashes);
      *out++ = '"';
      return out;
    }
    out = repeat(out, '\\', *word == '"' ? 2 * slashes + 1 : slashes);
    *out++ = *word++;
  }
}

/* Quotes also keep programs from replacing * and ? by names of files. */
static bool needs_quotes(const char *word) {
  return *word == '\0' || strpbrk(word, " \t\n\v\"*?") != NULL;
}

char *command_line_write(char *const *words) {
  size_t size = 1, i;
  char *line, *end;
  for (i = 0; words[i] != NULL; ++i) size += 2 * strlen(words[i]) + 3; /* at most */
  line = malloc(size);
  if (line == NULL) return NULL;
  end = line;
  for (i = 0; words[i] != NULL; ++i) {
    if (i > 0) *end++ = ' ';
    if (needs_quotes(words[i])) {
      end = write_quoted(end, words[i]);
    } else {
      end = strcpy(end, words[i]) + strlen(words[i]);
    }
  }
  *end = '\0';
  return line;
}

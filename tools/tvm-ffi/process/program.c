/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"

extern char **environ;

/* ---- Words ---- */

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

void words_add_text(word_list *words, const char *line) {
  while (true) {
    text word = {NULL, 0, 0};
    char quote = '\0';
    while (is_blank(*line)) ++line;
    if (*line == '\0') return;
    for (; *line != '\0' && (quote != '\0' || !is_blank(*line)); ++line) {
      if (*line == quote) {
        quote = '\0';
      } else if (quote == '\0' && (*line == '\'' || *line == '"')) {
        quote = *line;
      } else {
        if (*line == '\\' && quote != '\'' && line[1] != '\0') ++line;
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

/* ---- Programs ---- */

char *program_find(const char *name) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL) return realpath(name, NULL);
  while (folders != NULL && *folders != '\0') {
    const size_t size = strcspn(folders, ":");
    char *path = tool_format("%.*s/%s", (int)size, size > 0 ? folders : ".", name);
    char *found = access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;
    free(path);
    if (found != NULL) return found;
    folders += size + (folders[size] == ':');
  }
  return NULL;
}

/* Starts the program; 0, or the number of an error. */
static int start(const word_list *words, pid_t *out) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  if (code == 0) code = posix_spawnp(out, words->items[0], &actions, NULL, words->items, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

bool program_run(const word_list *words, const char *subject) {
  pid_t child;
  int status, code;
  code = start(words, &child);
  if (code != 0) {
    report_error("%s: cannot run %s: %s", subject, words->items[0], strerror(code));
    return false;
  }
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    report_error("%s: %s: %s", subject, words->items[0], strerror(errno));
    return false;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFEXITED(status)) {
    report_error("%s: %s ended with exit code %d", subject, words->items[0], WEXITSTATUS(status));
  } else {
    report_error("%s: %s was ended by signal %d", subject, words->items[0], WTERMSIG(status));
  }
  return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "system/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The file in a folder, "": the current one, if it can be run. */
static char *find_in(const char *folder, size_t folder_size, const char *name) {
  const size_t size = folder_size + strlen(name) + 3;
  char *path = malloc(size), *found = NULL;
  if (path == NULL) return NULL;
  snprintf(path, size, "%.*s/%s", folder_size > 0 ? (int)folder_size : 1,
           folder_size > 0 ? folder : ".", name);
  if (access(path, X_OK) == 0) found = realpath(path, NULL);
  free(path);
  return found;
}

char *launch_find(const char *name) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL) return realpath(name, NULL);
  while (folders != NULL && *folders != '\0') {
    const size_t size = strcspn(folders, ":");
    char *found = find_in(folders, size, name);
    if (found != NULL) return found;
    folders += size + (folders[size] == ':');
  }
  return NULL;
}

/* Starts the program; 0, or the number of an error. */
static int start(char *const *words, pid_t *out) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  if (code == 0) code = posix_spawnp(out, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

bool launch_run(char *const *words, launch_end *out) {
  pid_t child;
  int status;
  errno = start(words, &child);
  if (errno != 0) return false;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  out->ended[0] = '\0';
  out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (!WIFEXITED(status)) {
    snprintf(out->ended, sizeof out->ended, "signal %d", WTERMSIG(status));
  }
  return true;
}

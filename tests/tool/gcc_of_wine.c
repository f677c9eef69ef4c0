/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gcc.exe for Wine: runs the script $GCC_OF_WINE, a program of Linux, with the same arguments, and
 * ends with the exit code that the script writes to a file. Wine starts programs of Linux, but does
 * not wait for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static char line[32768];

static void append(const char *word) {
  if (strlen(line) + strlen(word) + 4 > sizeof line) exit(EXIT_FAILURE);
  sprintf(line + strlen(line), "\"%s\" ", word);
}

static int wait_for(const char *path) {
  int code = EXIT_FAILURE;
  FILE *file;
  while ((file = fopen(path, "r")) == NULL) Sleep(10);
  if (fscanf(file, "%d", &code) != 1) code = EXIT_FAILURE;
  fclose(file);
  remove(path);
  return code;
}

int main(int argc, char **argv) {
  const char *script = getenv("GCC_OF_WINE");
  char result[1024];
  STARTUPINFOA start;
  PROCESS_INFORMATION started;
  int i;
  if (script == NULL) return EXIT_FAILURE;
  snprintf(result, sizeof result, "%s.%lu", script, (unsigned long)GetCurrentProcessId());
  append("/bin/sh");
  append(script);
  append(result);
  for (i = 1; i < argc; ++i) append(argv[i]);
  memset(&start, 0, sizeof start);
  start.cb = sizeof start;
  if (!CreateProcessA("/bin/sh", line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &started)) {
    return EXIT_FAILURE;
  }
  return wait_for(result);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "deeds.h"

/* An access violation. */
static void violate(void) {
  volatile uintptr_t address = sizeof(int);
  *(volatile int *)address = 0;
}

static int recurse(volatile int *depth) {
  volatile char bytes[1 << 14];
  bytes[++*depth % 1024] = 1;
  return *depth < 0 ? 0 : recurse(depth) + bytes[0];
}

/* A stack overflow. */
static void overflow(void) {
  volatile int depth = 0;
  if (recurse(&depth) == 0) abort();
}

/* Starts a process that does not end by itself. */
static void spawn(void) {
  char line[] = "cmd.exe /c for /l %x in (0, 0, 1) do @rem";
  STARTUPINFOA startup;
  PROCESS_INFORMATION started;
  memset(&startup, 0, sizeof startup);
  startup.cb = sizeof startup;
  if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &started)) abort();
}

static void shut(void) {
  int file;
  for (file = 0; file < 3; ++file) (void)_close(file);
}

const deed kSystemDeeds[] = {
    {"violate", violate}, {"overflow", overflow}, {"spawn", spawn}, {"shut", shut}, {NULL, NULL}};

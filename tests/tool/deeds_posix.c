/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "deeds.h"

static void close_until(int end) {
  int file;
  for (file = 0; file < end; ++file) close(file);
}

/* Can be ended by SIGKILL only. */
static void resist(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  deeds_hang();
}

static void spawn(void) {
  if (fork() == 0) deeds_hang();
}

/* Forks; the child continues as if it were the program. */
static void split(void) {
  (void)fork();
}

static void stop(void) {
  raise(SIGSTOP);
}

static void shut(void) {
  close_until(3);
}

static void shut_all_and_hang(void) {
  close_until(256);
  deeds_hang();
}

const deed kSystemDeeds[] = {
    {"resist", resist}, {"shut", shut},   {"shut_all_and_hang", shut_all_and_hang},
    {"spawn", spawn},   {"split", split}, {"stop", stop},
    {NULL, NULL}};

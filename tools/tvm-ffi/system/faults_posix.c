/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "system/faults.h"

#include <signal.h>
#include <string.h>

static void (*look_at)(const void *address);

static void handle(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  look_at(info->si_addr);
  signal(signal_number, SIG_DFL); /* the access is repeated and now ends the program */
}

void faults_watch(void (*look)(const void *address)) {
  struct sigaction action;
  look_at = look;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}

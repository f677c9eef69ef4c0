/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* SIGXFSZ */
#include "system/endings.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

/* ---- Endings ---- */

static const int kEndings[] = {SIGALRM, SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                               SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
enum { kNumEndings = sizeof kEndings / sizeof *kEndings };
static struct sigaction old_actions[kNumEndings];
static void (*volatile clean_up)(void);
static sigset_t old_mask;

static void clean_and_end(int signal_number) {
  clean_up();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void endings_catch(void (*clean)(void)) {
  struct sigaction action;
  size_t i;
  clean_up = clean;
  memset(&action, 0, sizeof action);
  action.sa_handler = clean_and_end;
  for (i = 0; i < kNumEndings; ++i) {
    sigaction(kEndings[i], NULL, &old_actions[i]);
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(kEndings[i], &action, NULL);
  }
}

void endings_leave(void) {
  size_t i;
  for (i = 0; i < kNumEndings; ++i) sigaction(kEndings[i], &old_actions[i], NULL);
}

void endings_hold(void) {
  sigset_t endings;
  size_t i;
  sigemptyset(&endings);
  for (i = 0; i < kNumEndings; ++i) sigaddset(&endings, kEndings[i]);
  sigprocmask(SIG_BLOCK, &endings, &old_mask);
}

void endings_release(void) {
  sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

/* ---- Writing ---- */

static const int kWriteSignals[] = {SIGXFSZ, SIGPIPE};
enum { kNumWriteSignals = sizeof kWriteSignals / sizeof *kWriteSignals };
static void (*old_write_handlers[kNumWriteSignals])(int);
static size_t num_ignored;

void endings_ignore_writes(bool with_pipes) {
  size_t i;
  num_ignored = with_pipes ? kNumWriteSignals : 1;
  for (i = 0; i < num_ignored; ++i) old_write_handlers[i] = signal(kWriteSignals[i], SIG_IGN);
}

void endings_restore_writes(void) {
  size_t i;
  for (i = 0; i < num_ignored; ++i) signal(kWriteSignals[i], old_write_handlers[i]);
}

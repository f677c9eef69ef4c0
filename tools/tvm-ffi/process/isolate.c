/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "process/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/command.h"
#include "base/report.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/* What both processes see. Texts end at their last byte at the latest, whoever is writing. */
typedef struct {
  volatile int stage;
  volatile int done;           /* the body returned */
  volatile int progress_shown; /* a line of the parent's is on the terminal */
  char subject[256], progress[128], note[256];
} board;

static board alone; /* without a child */
static board *shared = &alone;

void isolate_enter(isolate_stage stage, const char *subject) {
  snprintf(shared->subject, sizeof shared->subject - 1, "%s", subject);
  shared->progress[0] = '\0';
  shared->stage = (int)stage;
  if (stage == kStageOwn && shared->progress_shown) {
    fputs("\r\033[K", stderr);
    shared->progress_shown = 0;
  }
}

void isolate_progress(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(shared->progress, sizeof shared->progress - 1, format, values);
  va_end(values);
}

void isolate_note(const char *note) {
  strncpy(shared->note, note, sizeof shared->note - 1);
}

static void show_progress(double since) {
  static const char *const kDoing[] = {"", "loading ", "asking ", "calling "};
  if (shared->stage == kStageOwn || clock_seconds() - since < 1) return;
  report_progress("%s%s, %.0f s%s%s", kDoing[shared->stage], shared->subject,
                  clock_seconds() - since, shared->progress[0] != '\0' ? ", " : "",
                  shared->progress);
  shared->progress_shown = 1;
}

/* Waits for the child; `alive` reads as ended when it is. */
static int wait_for(pid_t child, int alive) {
  struct pollfd one;
  double since = clock_seconds();
  int status = 0;
  pid_t got = 0;
  one.fd = alive;
  one.events = POLLIN;
  while (got == 0) {
    int ready = poll(&one, 1, 200);
    got = waitpid(child, &status, ready > 0 ? 0 : WNOHANG);
    if (got < 0 && errno == EINTR) got = 0;
    if (got == 0) show_progress(since);
  }
  report_progress_end();
  return status;
}

static int report_death(int status) {
  static const char *const kWhile[] = {
      "", " while it was loaded", " while it told the types of a function", " while it was called"};
  int code =
      shared->stage == kStageLoad || shared->stage == kStageDescribe ? kExitLoad : kExitRaised;
  const char *when = shared->done ? " when the program ended" : kWhile[shared->stage];
  char how[64];
  if (WIFSIGNALED(status)) {
    snprintf(how, sizeof how, "crashed%s: %s", when, strsignal(WTERMSIG(status)));
  } else {
    snprintf(how, sizeof how, "ended the program%s, with exit code %d", when, WEXITSTATUS(status));
  }
  return report_fail(code, "%s: %s%s%s", shared->subject, how, shared->note[0] != '\0' ? "; " : "",
                     shared->note);
}

int isolate_run(int (*body)(void *context), void *context, bool in_child) {
  int alive[2], status, code;
  pid_t child;
  if (!in_child) return body(context);
  fflush(stdout);
  fflush(stderr);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || pipe(alive) != 0 || (child = fork()) < 0) {
    shared = &alone;
    return report_fail(kExitRaised, "cannot start a process: %s; try --no-fork", strerror(errno));
  }
  if (child == 0) {
    close(alive[0]);
    fcntl(alive[1], F_SETFD, FD_CLOEXEC);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    code = body(context);
    shared->done = 1;
    return code;
  }
  close(alive[1]);
  status = wait_for(child, alive[0]);
  close(alive[0]);
  if (shared->done && WIFEXITED(status)) return WEXITSTATUS(status);
  return report_death(status);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "process/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/report.h"
#include "base/streams.h"
#include "base/text.h"
#include "process/temporary.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/* What both processes see. Texts end at their last byte at the latest, whoever is writing. */
typedef struct {
  volatile int stage;
  volatile double since; /* when the stage began, or the end */
  volatile int done;     /* the body returned, with this code */
  volatile int code;
  volatile int progress_shown; /* a line of the parent's is on the terminal */
  char subject[1024], progress[256], note[256];
} board;

static board alone; /* without a child */
static board *shared = &alone;

/* ---- In the child ------------------------------------------------------------------------------
 */

static pid_t this_child; /* 0: there is none */

/* A process that a library forks returns from its code as well, and is not to go on here. */
static void end_strays(void) {
  if (this_child != 0 && getpid() != this_child) _exit(kExitRaised);
}

void isolate_enter(isolate_stage stage, const char *subject) {
  end_strays();
  if (stage == kStageOwn) {
    fflush(stdout);
  } else {
    streams_flush();
  }
  if (subject != NULL) snprintf(shared->subject, sizeof shared->subject - 1, "%s", subject);
  shared->progress[0] = '\0';
  if (shared->stage != (int)stage) shared->since = clock_seconds();
  shared->stage = (int)stage;
  if (stage == kStageOwn && shared->progress_shown) {
    fputs("\r\033[K", streams_errors());
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

/* Neither outlives the parent nor leaves a file of its memory behind. */
static void bind_child(pid_t parent) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(kExitRaised); /* it was gone before that */
  this_child = getpid();
}

static void run_child(int (*body)(void *context), void *context, const isolation *how) {
  int code;
  streams_part(how->others_print, how->others_read);
  code = body(context);
  end_strays();
  code = streams_finish(code);
  shared->code = code;
  shared->since = clock_seconds();
  shared->done = 1;
  if (how->skips_unload) {
    fflush(NULL);
    _exit(code);
  }
  exit(code);
}

/* ---- In the parent: signals --------------------------------------------------------------------
 */

static const int kEndings[] = {SIGALRM, SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                               SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
enum { kNumEndings = sizeof kEndings / sizeof *kEndings };
static struct sigaction before[kNumEndings];
static volatile sig_atomic_t running; /* the child, or minus its group */

/* Not every system ends the child with its parent, and none the processes that a library started.
 */
static void end_all(int signal_number) {
  if (running != 0) kill((pid_t)running, SIGKILL);
  temporary_remove();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void catch_endings(void) {
  struct sigaction action;
  size_t i;
  memset(&action, 0, sizeof action);
  action.sa_handler = end_all;
  for (i = 0; i < kNumEndings; ++i) {
    sigaction(kEndings[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(kEndings[i], &action, NULL);
  }
  signal(SIGCHLD, SIG_DFL); /* where it is ignored, nobody learns how a child ended */
}

static void leave_endings(void) {
  size_t i;
  for (i = 0; i < kNumEndings; ++i) sigaction(kEndings[i], &before[i], NULL);
}

/* Forks with these signals held back, so that the handler knows the child from its beginning. A
 * child that may read from a terminal has to be in the terminal's group; any other gets a group,
 * with which all ends that a library starts. */
static pid_t fork_child(bool has_group) {
  pid_t parent = getpid(), child;
  sigset_t endings, mask;
  size_t i;
  sigemptyset(&endings);
  for (i = 0; i < kNumEndings; ++i) sigaddset(&endings, kEndings[i]);
  sigprocmask(SIG_BLOCK, &endings, &mask);
  catch_endings();
  child = fork();
  if (child == 0) {
    if (has_group) {
      setpgid(0, 0);
      signal(SIGTTOU, SIG_IGN); /* and may write to the terminal whichever group has it */
    }
    bind_child(parent);
    leave_endings();
  } else if (child > 0) {
    if (has_group) setpgid(child, child);
    running = has_group ? -child : child;
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return child;
}

/* ---- In the parent: waiting --------------------------------------------------------------------
 */

/* What loading a library, asking it, and unloading it may take where nobody says; seconds. */
enum { kPatience = 60 };

typedef enum { kBySelf, kByStop, kByTime } reason;

typedef struct {
  reason by;
  isolate_stage stage; /* in which it happened */
  double limit;        /* of that stage */
  int status;          /* as of waitpid() */
} ending;

/* Of all that the child writes this alone is used as an index. */
static isolate_stage get_stage(void) {
  int stage = shared->stage;
  return stage < kStageOwn || stage > kStageUnload ? kStageOwn : (isolate_stage)stage;
}

/* 0: there is none. */
static double limit_of(isolate_stage stage, const isolation *how) {
  if (stage == kStageOwn && !shared->done) return 0; /* files and pipes may be slow */
  if (how->timeout > 0) return how->timeout;
  return stage == kStageCall ? 0 : kPatience;
}

static void show_progress(isolate_stage stage) {
  static const char *const kDoing[] = {"", "loading ", "asking ", "calling ", "unloading "};
  double seconds = clock_seconds() - shared->since;
  if (stage == kStageOwn || seconds < 1) return;
  shared->progress_shown =
      report_progress("%s%s, %.0f s%s%s", kDoing[stage], shared->subject, seconds,
                      shared->progress[0] != '\0' ? ", " : "", shared->progress);
}

/* Waits for the child, whose end closes the pipe: unless its code closed that before, or a process
 * that it started holds it open. */
static void wait_for(pid_t child, int pipe_end, const isolation *how, ending *out) {
  enum { kLongestNap = 100 }; /* milliseconds */
  struct pollfd one = {pipe_end, POLLIN, 0};
  bool was_late = false, is_late;
  int nap = 1;
  memset(out, 0, sizeof *out);
  for (;;) {
    pid_t got = waitpid(child, &out->status, WNOHANG | WUNTRACED);
    if (got > 0 && !WIFSTOPPED(out->status)) break;
    if (got < 0 && errno != EINTR) break;
    if (out->by == kBySelf) {
      out->stage = get_stage();
      out->limit = limit_of(out->stage, how);
      is_late = out->limit > 0 && clock_seconds() - shared->since > out->limit;
      if (is_late && was_late) out->by = kByTime; /* once may be a stage with the time of another */
      was_late = is_late;
      /* A terminal stops the parent as well, and both go on together. */
      if (got > 0 && (running < 0 || WSTOPSIG(out->status) == SIGSTOP)) out->by = kByStop;
    }
    if (out->by != kBySelf) kill(child, SIGKILL);
    show_progress(out->stage);
    if (poll(&one, 1, nap) > 0) one.fd = -1;
    nap = nap < kLongestNap ? 2 * nap : kLongestNap;
  }
  if (out->by == kBySelf) out->stage = get_stage();
  if (running < 0) kill((pid_t)running, SIGKILL); /* what a library started */
  running = 0;
  report_progress_end();
}

/* "crashed while it was loaded: Aborted" */
static void describe_end(const ending *of, text *to) {
  static const char *const kWhile[] = {"", " while it was loaded", " while it was asked",
                                       " while it was called", " while it was unloaded"};
  bool by_signal = WIFSIGNALED(of->status);
  text_add(to, "%s%s",
           of->by != kBySelf ? "was killed"
           : by_signal       ? "crashed"
                             : "ended the program",
           shared->done ? " when the program ended" : kWhile[of->stage]);
  if (of->stage == kStageAsk && shared->progress[0] != '\0') {
    text_add(to, " for %s", shared->progress);
  }
  if (of->by == kByTime) {
    text_add(to, ": it took longer than %g s (--timeout)", of->limit);
  } else if (of->by == kByStop) {
    text_add(to, ": it stopped itself");
  } else if (by_signal) {
    text_add(to, ": %s", strsignal(WTERMSIG(of->status)));
  } else {
    text_add(to, ", with exit code %d", WEXITSTATUS(of->status));
  }
  if (shared->note[0] != '\0') text_add(to, "; %s", shared->note);
}

/* The exit code, after a report where the child's own is not to be believed. */
static int judge(const ending *of) {
  text line = {NULL, 0, 0};
  bool by_signal = WIFSIGNALED(of->status);
  if (shared->done && of->by == kBySelf && !by_signal && WEXITSTATUS(of->status) == shared->code) {
    return shared->code;
  }
  if (of->stage == kStageOwn && by_signal && WTERMSIG(of->status) == SIGPIPE) {
    signal(SIGPIPE, SIG_DFL); /* whoever read the results has left: nothing to speak of */
    raise(SIGPIPE);
  }
  describe_end(of, &line);
  report_error("%s: %s", shared->subject, line.data);
  text_free(&line);
  if (shared->done) return shared->code != kExitOk ? shared->code : kExitRaised;
  return of->stage == kStageLoad || of->stage == kStageAsk ? kExitLoad : kExitRaised;
}

/* ---- Both --------------------------------------------------------------------------------------
 */

bool isolate_read_timeout(const arguments *args, double *out) {
  return arguments_real(args, "timeout", 0, 0.001, 1e6, out);
}

/* -1: no child, for the reason in errno. */
static int run_parent(int (*body)(void *context), void *context, const isolation *how) {
  int alive[2], code;
  pid_t child;
  ending end;
  if (pipe(alive) != 0) return -1;
  fcntl(alive[1], F_SETFD, FD_CLOEXEC);
  child = fork_child(!how->others_read || !isatty(STDIN_FILENO));
  if (child == 0) {
    close(alive[0]);
    run_child(body, context, how); /* and ends */
  }
  close(alive[1]);
  code = -1;
  if (child > 0) {
    wait_for(child, alive[0], how, &end);
    code = judge(&end);
  }
  close(alive[0]);
  leave_endings();
  return code;
}

int isolate_run(int (*body)(void *context), void *context, const isolation *how) {
  int code = -1;
  if (how->in_place) {
    streams_part(how->others_print, how->others_read);
    return body(context);
  }
  streams_flush();
  fflush(NULL); /* or both processes would write what is pending */
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) {
    code = run_parent(body, context, how);
    munmap(shared, sizeof *shared);
  }
  shared = &alone;
  if (code >= 0) return code;
  return report_fail(kExitRaised, "cannot start a process: %s", strerror(errno));
}

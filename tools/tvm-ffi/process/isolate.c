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

/* Shared by both processes. The last byte of each text is never written, so texts are terminated
 * even while the other process writes. */
typedef struct {
  volatile int stage;
  volatile double timestamp; /* the time when the stage began, or the body returned */
  volatile int done;         /* the body returned, with this code */
  volatile int code;
  volatile int progress_shown; /* the parent has a line on the terminal */
  char subject[1024], progress[256], note[256];
} board;

static board alone; /* used without a child */
static board *shared = &alone;

/* ---- In the child ---- */

static pid_t this_child; /* 0: there is none */

/* Ends a process that the library forked: it returns from the library's code as well, and must not
 * go on here. */
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
  if (shared->stage != (int)stage) shared->timestamp = clock_seconds();
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

/* The child must not outlive the parent, nor write a core file. */
static void bind_child(pid_t parent) {
  const struct rlimit limit = {0, 0};
  setrlimit(RLIMIT_CORE, &limit);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(kExitRaised); /* the parent ended before prctl() */
  this_child = getpid();
}

static void run_child(int (*body)(void *context), void *context, const isolation *options) {
  int code;
  streams_part(options->others_print, options->others_read);
  code = body(context);
  end_strays();
  code = streams_finish(code);
  shared->code = code;
  shared->timestamp = clock_seconds();
  shared->done = 1;
  if (options->skips_unload) {
    fflush(NULL);
    _exit(code);
  }
  exit(code);
}

/* ---- In the parent: signals ---- */

static const int kEndings[] = {SIGALRM, SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                               SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
enum { kNumEndings = sizeof kEndings / sizeof *kEndings };
static struct sigaction old_actions[kNumEndings];
static volatile sig_atomic_t running; /* the child's pid, or the negative id of its group */

/* Kills the child when the parent ends: not every system has PR_SET_PDEATHSIG, and it does not
 * reach the processes that a library started. */
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
    sigaction(kEndings[i], NULL, &old_actions[i]);
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(kEndings[i], &action, NULL);
  }
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
}

static void leave_endings(void) {
  size_t i;
  for (i = 0; i < kNumEndings; ++i) sigaction(kEndings[i], &old_actions[i], NULL);
}

/* Forks with these signals blocked, so that the handler never misses the child. A child that may
 * read from a terminal must stay in the terminal's foreground group; any other gets its own group,
 * so that processes started by a library are killed with it. */
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
      signal(SIGTTOU, SIG_IGN); /* let it write to the terminal from the background */
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

/* ---- In the parent: waiting ---- */

/* The default limit of loading, asking and unloading a library; seconds. */
enum { kPatience = 60 };

typedef enum { kBySelf, kByStop, kByTime } reason;

typedef struct {
  reason cause;
  isolate_stage stage; /* in which it happened */
  double limit;        /* time limit of that stage */
  int status;          /* as of waitpid() */
} ending;

/* Checked because it is used as an index, and the child may write anything. */
static isolate_stage get_stage(void) {
  int stage = shared->stage;
  return stage < kStageOwn || stage > kStageUnload ? kStageOwn : (isolate_stage)stage;
}

/* The time limit of a stage; 0: none. */
static double limit_of(isolate_stage stage, const isolation *options) {
  if (stage == kStageOwn && !shared->done) return 0; /* files and pipes may be slow */
  if (options->timeout > 0) return options->timeout;
  return stage == kStageCall ? 0 : kPatience;
}

static void show_progress(isolate_stage stage) {
  static const char *const kDoing[] = {"", "loading ", "asking ", "calling ", "unloading "};
  double seconds = clock_seconds() - shared->timestamp;
  if (stage == kStageOwn || seconds < 1) return;
  shared->progress_shown =
      report_progress("%s%s, %.0f s%s%s", kDoing[stage], shared->subject, seconds,
                      shared->progress[0] != '\0' ? ", " : "", shared->progress);
}

/* Polls with waitpid(). The pipe only ends a nap early, by closing when the child ends: the child's
 * code may close it before, or a process that it started may keep it open. */
static void wait_for(pid_t child, int pipe_end, const isolation *options, ending *out) {
  enum { kLongestNap = 100 }; /* milliseconds */
  struct pollfd watched = {pipe_end, POLLIN, 0};
  bool was_late = false, is_late;
  int nap = 1;
  memset(out, 0, sizeof *out);
  for (;;) {
    pid_t got = waitpid(child, &out->status, WNOHANG | WUNTRACED);
    if (got > 0 && !WIFSTOPPED(out->status)) break;
    if (got < 0 && errno != EINTR) break;
    if (out->cause == kBySelf) {
      out->stage = get_stage();
      out->limit = limit_of(out->stage, options);
      is_late = out->limit > 0 && clock_seconds() - shared->timestamp > out->limit;
      if (is_late && was_late) out->cause = kByTime; /* one reading may mix two stages */
      was_late = is_late;
      /* A terminal stops the parent too, and resumes both. */
      if (got > 0 && (running < 0 || WSTOPSIG(out->status) == SIGSTOP)) out->cause = kByStop;
    }
    if (out->cause != kBySelf) kill(child, SIGKILL);
    show_progress(out->stage);
    if (poll(&watched, 1, nap) > 0) watched.fd = -1;
    nap = nap < kLongestNap ? 2 * nap : kLongestNap;
  }
  if (out->cause == kBySelf) out->stage = get_stage();
  if (running < 0) kill((pid_t)running, SIGKILL); /* processes that a library started */
  running = 0;
  report_progress_end();
}

/* "crashed while it was loaded: Aborted" */
static void describe_end(const ending *end, text *out) {
  static const char *const kWhile[] = {"", " while it was loaded", " while it was asked",
                                       " while it was called", " while it was unloaded"};
  bool by_signal = WIFSIGNALED(end->status);
  text_add(out, "%s%s",
           end->cause != kBySelf ? "was killed"
           : by_signal           ? "crashed"
                                 : "ended the program",
           shared->done ? " when the program ended" : kWhile[end->stage]);
  if (end->stage == kStageAsk && shared->progress[0] != '\0') {
    text_add(out, " for %s", shared->progress);
  }
  if (end->cause == kByTime) {
    text_add(out, ": it took longer than %g s (--timeout)", end->limit);
  } else if (end->cause == kByStop) {
    text_add(out, ": it stopped itself");
  } else if (by_signal) {
    text_add(out, ": %s", strsignal(WTERMSIG(end->status)));
  } else {
    text_add(out, ", with exit code %d", WEXITSTATUS(end->status));
  }
  if (shared->note[0] != '\0') text_add(out, "; %s", shared->note);
}

/* Returns the exit code; reports how the child ended unless it returned its own code normally. */
static int judge(const ending *end) {
  text line = {NULL, 0, 0};
  bool by_signal = WIFSIGNALED(end->status);
  if (shared->done && end->cause == kBySelf && !by_signal &&
      WEXITSTATUS(end->status) == shared->code) {
    return shared->code;
  }
  if (end->stage == kStageOwn && by_signal && WTERMSIG(end->status) == SIGPIPE) {
    signal(SIGPIPE, SIG_DFL); /* the reader of the results has gone: end silently, the same way */
    raise(SIGPIPE);
  }
  describe_end(end, &line);
  report_error("%s: %s", shared->subject, line.data);
  text_free(&line);
  if (shared->done) return shared->code != kExitOk ? shared->code : kExitRaised;
  return end->stage == kStageLoad || end->stage == kStageAsk ? kExitLoad : kExitRaised;
}

/* ---- Both ---- */

bool isolate_read_timeout(const arguments *args, double *out) {
  return arguments_real(args, kOptionTimeout, 0, 0.001, 1e6, out);
}

/* -1 if the child cannot be started, with the reason in errno. */
static int run_parent(int (*body)(void *context), void *context, const isolation *options) {
  int alive[2], code;
  pid_t child;
  ending end;
  if (pipe(alive) != 0) return -1;
  fcntl(alive[1], F_SETFD, FD_CLOEXEC);
  child = fork_child(!options->others_read || !isatty(STDIN_FILENO));
  if (child == 0) {
    close(alive[0]);
    run_child(body, context, options); /* does not return */
  }
  close(alive[1]);
  code = -1;
  if (child > 0) {
    wait_for(child, alive[0], options, &end);
    code = judge(&end);
  }
  close(alive[0]);
  leave_endings();
  return code;
}

int isolate_run(int (*body)(void *context), void *context, const isolation *options) {
  int code = -1;
  if (options->in_place) {
    streams_part(options->others_print, options->others_read);
    return body(context);
  }
  streams_flush();
  fflush(NULL); /* otherwise both processes would write buffered output */
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) {
    code = run_parent(body, context, options);
    munmap(shared, sizeof *shared);
  }
  shared = &alone;
  if (code >= 0) return code;
  return report_fail(kExitRaised, "cannot start a process: %s", strerror(errno));
}

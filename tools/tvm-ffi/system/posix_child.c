/* SPDX-License-Identifier: Apache-2.0 */
/* The child process on POSIX: how it is started, watched and ended, together with the processes
 * that it starts; the signals that end or stop this process, which go to them too; and the
 * terminal, which is lent to them. */
#define _GNU_SOURCE      /* SIGXFSZ, SIGWINCH */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "system/system.h"

/* ---- The processes of the child ---- */

static volatile sig_atomic_t running;          /* the child's pid; 0: there is none */
static volatile uint64_t *volatile time_still; /* what child_fork() was given */

/* To the child and the processes that it started, which are a group. */
static void child_signal(int signal_number) {
  if (running == 0) return;
  kill((pid_t)running, signal_number); /* it may have left the group */
  kill(-(pid_t)running, signal_number);
}

/* ---- The terminal ---- */

/* The terminal that controls this process; -1: there is none. */
static int find_terminal(void) {
  static volatile sig_atomic_t opened = -1;
  int fd;
  for (fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (tcgetpgrp(fd) != -1) return fd;
  }
  if (opened < 0) opened = open("/dev/tty", O_RDWR | O_CLOEXEC);
  return opened;
}

/* Makes another group of processes the one that has the terminal; false if the first has not. */
static bool pass_terminal(pid_t from, pid_t to) {
  const int terminal = find_terminal();
  sigset_t stop, old;
  if (terminal < 0 || tcgetpgrp(terminal) != from) return false;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  sigprocmask(SIG_BLOCK, &stop, &old); /* a group without the terminal may take it only so */
  tcsetpgrp(terminal, to);
  sigprocmask(SIG_SETMASK, &old, NULL);
  return true;
}

/* From the child's group; false if that does not have it. */
static bool take_terminal(void) {
  return running != 0 && pass_terminal((pid_t)running, getpgrp());
}

/* ---- Signals that end the program ---- */

static const int kSignals[] = {SIGALRM, SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                               SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
static const int kStops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
enum {
  kNumSignals = sizeof kSignals / sizeof *kSignals,
  kNumStops = sizeof kStops / sizeof *kStops
};
static struct sigaction old_actions[kNumSignals], old_stops[kNumStops];
static void (*volatile cleans[kMaxCleans])(void);
static volatile sig_atomic_t num_cleans;
static sigset_t old_mask;

static void clean_and_end(int signal_number) {
  int i;
  for (i = num_cleans; i > 0; --i) cleans[i - 1]();
  take_terminal();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void stop_with_child(int signal_number);

static void catch_stop(int signal_number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = stop_with_child;
  action.sa_flags = SA_NODEFER | SA_RESTART;
  sigaction(signal_number, &action, NULL);
}

/* The terminal stops this group only, which is not the child's. */
static void stop_with_child(int signal_number) {
  const int reason = errno;
  const uint64_t begin = clock_nanoseconds();
  const bool was_lent = take_terminal();
  if (was_lent && signal_number != SIGTSTP) {
    kill(0, SIGCONT); /* a process of this group needed it, and has it now */
  } else {
    child_signal(SIGSTOP);
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* returns when this process goes on */
    catch_stop(signal_number);
    if (running != 0) *time_still += clock_nanoseconds() - begin;
    if (was_lent) pass_terminal(getpgrp(), (pid_t)running); /* if a shell has given it back */
    child_signal(SIGCONT);
  }
  errno = reason;
}

void signals_catch(void (*clean)(void)) {
  struct sigaction action;
  size_t i;
  cleans[num_cleans] = clean;
  if (++num_cleans > 1) return; /* the signals are caught already */
  memset(&action, 0, sizeof action);
  action.sa_handler = clean_and_end;
  for (i = 0; i < kNumSignals; ++i) {
    sigaction(kSignals[i], NULL, &old_actions[i]);
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, NULL);
  }
  for (i = 0; i < kNumStops; ++i) {
    sigaction(kStops[i], NULL, &old_stops[i]);
    if (old_stops[i].sa_handler != SIG_IGN) catch_stop(kStops[i]);
  }
}

void signals_restore(void) {
  size_t i;
  if (--num_cleans > 0) return;
  for (i = 0; i < kNumSignals; ++i) sigaction(kSignals[i], &old_actions[i], NULL);
  for (i = 0; i < kNumStops; ++i) sigaction(kStops[i], &old_stops[i], NULL);
}

void signals_restore_all(void) {
  num_cleans = 1;
  signals_restore();
}

void signals_block(void) {
  sigset_t ours;
  size_t i;
  sigemptyset(&ours);
  for (i = 0; i < kNumSignals; ++i) sigaddset(&ours, kSignals[i]);
  for (i = 0; i < kNumStops; ++i) sigaddset(&ours, kStops[i]);
  sigprocmask(SIG_BLOCK, &ours, &old_mask);
}

void signals_unblock(void) {
  sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

static const int kWriteSignals[] = {SIGXFSZ, SIGPIPE};
enum { kNumWriteSignals = sizeof kWriteSignals / sizeof *kWriteSignals };
static void (*old_write_handlers[kNumWriteSignals])(int);
static size_t num_ignored;

void signals_ignore_writes(bool with_pipes) {
  size_t i;
  num_ignored = with_pipes ? kNumWriteSignals : 1;
  for (i = 0; i < num_ignored; ++i) old_write_handlers[i] = signal(kWriteSignals[i], SIG_IGN);
}

void signals_restore_writes(void) {
  size_t i;
  for (i = 0; i < num_ignored; ++i) signal(kWriteSignals[i], old_write_handlers[i]);
}

/* ---- The child process: what it calls itself ---- */

static pid_t this_child; /* 0: there is none */

void child_end_strays(int exit_code) {
  if (this_child != 0 && getpid() != this_child) _exit(exit_code);
}

void child_exit(int exit_code) {
  _exit(exit_code);
}

/* The child must not outlive the parent, nor write a core file. */
static void bind_child(pid_t parent) {
  const struct rlimit limit = {0, 0};
  setrlimit(RLIMIT_CORE, &limit);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* when its parent ends in any way */
#endif
  if (getppid() != parent) _exit(1); /* the parent ended before that */
  this_child = getpid();
}

/* ---- What the child leaves behind ---- */

#ifdef __linux__

/* Calls the body with each child of this process; false if the system does not list them. */
static bool each_child(void (*body)(long pid)) {
  FILE *file = fopen("/proc/thread-self/children", "r");
  long pid;
  if (file == NULL) return false;
  while (fscanf(file, "%ld", &pid) == 1) body(pid);
  fclose(file);
  return true;
}

static bool is_adopting;

static void note_other(long pid) {
  (void)pid;
  is_adopting = false;
}

/*
 * Processes whose parents have ended become children of this one, which ends them. It must have had
 * no children before: what these leave is not the child's.
 */
static void begin_adopting(void) {
  is_adopting = true;
  if (!each_child(note_other)) is_adopting = false;
  if (prctl(PR_SET_CHILD_SUBREAPER, is_adopting ? 1 : 0) != 0) is_adopting = false;
}

static size_t num_ended;

/* Those of another user, such as a setuid program, can be neither ended nor waited for. */
static void end_orphan(long pid) {
  if (kill((pid_t)pid, SIGKILL) != 0) return;
  if (waitpid((pid_t)pid, NULL, 0) == (pid_t)pid) ++num_ended;
}

/* Each that ends may leave others. */
static void end_orphans(void) {
  enum { kMost = 1000 };
  int i;
  for (i = 0; i < kMost; ++i) {
    num_ended = 0;
    if (!is_adopting || !each_child(end_orphan) || num_ended == 0) return;
  }
}

#else

static void begin_adopting(void) {}

static void end_orphans(void) {}

#endif

/* ---- The child process: what its parent calls ---- */

static int alive[2]; /* a pipe, which closes when the child ends */

/* The child has a process group, in which it is killed together with the processes that a library
 * started. */
fork_side child_fork(volatile uint64_t *out_time_still) {
  const pid_t parent = getpid();
  pid_t child;
  if (pipe(alive) != 0) return kForkFailed;
  begin_adopting();
  fcntl(alive[1], F_SETFD, FD_CLOEXEC);
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  child = fork();
  if (child == 0) {
    close(alive[0]);
    setpgid(0, 0);
    bind_child(parent);
    return kForkChild;
  }
  close(alive[1]);
  if (child < 0) {
    close(alive[0]);
    return kForkFailed;
  }
  setpgid(child, child); /* whichever of the two is first */
  time_still = out_time_still;
  running = child;
  return kForkParent;
}

/* ---- The child process: lending it the terminal ---- */

/*
 * The terminal gives its input, and the signals of its keys, to one group of processes, and stops
 * others that read it. When it has stopped the child's group, the tool lends that group the
 * terminal, as a shell does, and a process of the tool's in that group passes the signals on.
 */

static pid_t key_passer; /* 0: there is none */
static int key_pipe;     /* that process ends when this end is closed */
static pid_t tool_group;

static void pass_key(int signal_number) {
  kill(-tool_group, signal_number);
}

static void pass_keys(int reader) {
  static const int kKeys[] = {SIGINT, SIGQUIT, SIGTSTP, SIGHUP, SIGWINCH};
  size_t i;
  signals_restore();
  for (i = 0; i < sizeof kKeys / sizeof *kKeys; ++i) signal(kKeys[i], pass_key);
  signals_unblock();
  descriptor_wait_for_end(reader);
  _exit(0);
}

static bool start_key_passer(void) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  tool_group = getpgrp();
  signals_block();
  key_passer = fork();
  if (key_passer == 0) {
    close(ends[1]);
    pass_keys(ends[0]);
  }
  if (key_passer > 0) setpgid(key_passer, (pid_t)running);
  signals_unblock();
  close(ends[0]);
  key_pipe = ends[1];
  if (key_passer > 0) return true;
  close(key_pipe);
  key_passer = 0;
  return false;
}

/* Passes on what was pressed until now. */
static void end_key_passer(void) {
  if (key_passer == 0) return;
  close(key_pipe);
  kill(key_passer, SIGCONT);
  waitpid(key_passer, NULL, 0);
  key_passer = 0;
}

/* Lets the child's group, which the terminal has stopped, go on. In the background the system stops
 * this process, too, until it is in the foreground; false where no shell can put it there. */
static bool lend_terminal(void) {
  const int terminal = find_terminal();
  if (terminal < 0 || (key_passer == 0 && !start_key_passer())) return false;
  catch_stop(SIGTTOU); /* also if it was ignored: else the shell would lose the terminal */
  if (tcgetpgrp(terminal) != (pid_t)running && tcsetpgrp(terminal, (pid_t)running) != 0) {
    return false;
  }
  return kill(-(pid_t)running, SIGCONT) == 0;
}

child_state child_look(int *out_code) {
  int status = 0;
  pid_t got = waitpid((pid_t)running, &status, WNOHANG | WUNTRACED);
  if (got == 0 || (got < 0 && errno == EINTR)) return kChildRuns;
  if (WIFSTOPPED(status)) {
    const int by = WSTOPSIG(status);
    const bool goes_on =
        by == SIGTTIN || by == SIGTTOU ? lend_terminal() : by == SIGTSTP && key_passer != 0;
    return goes_on ? kChildRuns : kChildStopped;
  }
  *out_code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return WIFSIGNALED(status) ? kChildCrashed : kChildExited;
}

/* The pipe only ends a nap early: the child's code may close it before, or a process that it
 * started may keep it open. */
void child_nap(int milliseconds) {
  struct pollfd watched;
  watched.fd = alive[0];
  watched.events = POLLIN;
  if (poll(&watched, 1, milliseconds) <= 0 || alive[0] < 0) return;
  close(alive[0]);
  alive[0] = -1; /* which poll() ignores */
}

void child_kill(void) {
  child_signal(SIGKILL);
}

void child_forget(void) {
  end_key_passer();
  take_terminal();
  kill(-(pid_t)running, SIGKILL);
  running = 0;
  end_orphans();
  if (alive[0] >= 0) close(alive[0]);
}

const char *child_crash_name(int code) {
  return strsignal(code);
}

void child_end_alike(int code) {
  if (code != SIGPIPE) return;
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

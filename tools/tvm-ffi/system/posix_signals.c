/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end or stop this process, which go to the child's group of processes, too, and the
 * terminal, which is lent to that group. */
#define _GNU_SOURCE      /* SIGXFSZ, SIGWINCH */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include "system/posix_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "system/system.h"

/* ---- The child's group ---- */

static volatile sig_atomic_t running;          /* the child's pid; 0: there is none */
static volatile uint64_t *volatile time_still; /* what child_fork() was given */

void child_group_begin(pid_t child, volatile uint64_t *out_time_still) {
  time_still = out_time_still;
  running = child;
}

void child_group_end(void) {
  running = 0;
}

pid_t child_group_number(void) {
  return (pid_t)running;
}

void child_group_signal(int signal_number) {
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

static struct termios mode_before; /* of the terminal, before it was lent */
static volatile sig_atomic_t knows_mode;

void terminal_end_lending(void) {
  if (take_terminal() && knows_mode != 0) tcsetattr(find_terminal(), TCSADRAIN, &mode_before);
  knows_mode = 0;
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
  terminal_end_lending();
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
    child_group_signal(SIGSTOP);
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* returns when this process goes on */
    catch_stop(signal_number);
    if (running != 0) *time_still += clock_nanoseconds() - begin;
    if (was_lent) pass_terminal(getpgrp(), (pid_t)running); /* if a shell has given it back */
    child_group_signal(SIGCONT);
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

void signals_block_stops(sigset_t *out_before) {
  sigset_t stops;
  size_t i;
  sigemptyset(&stops);
  for (i = 0; i < kNumStops; ++i) sigaddset(&stops, kStops[i]);
  sigprocmask(SIG_BLOCK, &stops, out_before);
}

void signals_leave(int blocked) {
  sigset_t mask = old_mask;
  size_t i;
  sigaddset(&mask, blocked);
  for (i = 0; i < kNumStops; ++i) signal(kStops[i], SIG_IGN); /* drops what came with the tool's */
  signals_restore_all();
  sigprocmask(SIG_SETMASK, &mask, NULL);
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

/* ---- Lending the terminal ---- */

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

bool key_passer_start(const int *pipe_to_close) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  tool_group = getpgrp();
  signals_block();
  key_passer = fork();
  if (key_passer == 0) {
    close(ends[1]);
    close(pipe_to_close[0]);
    close(pipe_to_close[1]);
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

bool key_passer_is_there(void) {
  siginfo_t info;
  if (key_passer == 0) return false;
  memset(&info, 0, sizeof info);
  (void)waitid(P_PID, (id_t)key_passer, &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_code == 0;
}

void key_passer_end(void) {
  if (key_passer == 0) return;
  close(key_pipe);
  kill(key_passer, SIGCONT);
  waitpid(key_passer, NULL, 0);
  key_passer = 0;
}

bool terminal_is_there(void) {
  return find_terminal() >= 0;
}

bool terminal_lend(void) {
  const int terminal = find_terminal();
  if (knows_mode == 0) knows_mode = tcgetattr(terminal, &mode_before) == 0;
  catch_stop(SIGTTOU); /* also if it was ignored: else the shell would lose the terminal */
  if (tcgetpgrp(terminal) != (pid_t)running && tcsetpgrp(terminal, (pid_t)running) != 0) {
    return false;
  }
  return kill(-(pid_t)running, SIGCONT) == 0;
}

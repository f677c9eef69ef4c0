/* SPDX-License-Identifier: Apache-2.0 */
/* The child process on POSIX: how it is started, watched and ended, together with the processes
 * that it starts; the signals that end or stop this process, which go to them too; the terminal,
 * which is lent to them; and what they print. */
#define _GNU_SOURCE      /* SIGXFSZ, SIGWINCH */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#if defined(__has_include) && ((defined(__x86_64__) && defined(__LP64__)) || \
                               (defined(__aarch64__) && !defined(__AARCH64EB__)))
#if __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#define CAN_FILTER_KILL 1
#endif
#endif
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

static struct termios mode_before; /* of the terminal, before it was lent */
static volatile sig_atomic_t knows_mode;

/* Takes the terminal for good: it is as it was, whatever the child has made of it. */
static void end_lending(void) {
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
  end_lending();
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

/* The child must not outlive the parent, whose end in any way sends it a signal; nor write a core
 * file. */
static void bind_child(pid_t parent, int signal_number) {
  const struct rlimit limit = {0, 0};
  setrlimit(RLIMIT_CORE, &limit);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, signal_number);
#else
  (void)signal_number;
#endif
  if (getppid() != parent) _exit(1); /* the parent ended before that */
  this_child = getpid();
}

static void (*on_kill_all)(void); /* NULL: it may send such a signal */

#ifdef CAN_FILTER_KILL

/* Ends the child, as any crash. */
static void meet_kill_all(int signal_number) {
  on_kill_all();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void meet_guard(void) {
  if (on_kill_all != NULL) signal(SIGSYS, meet_kill_all);
}

/* In the keeper, once for all children, which call meet_guard(). */
static void guard_others(void) {
#ifdef __x86_64__
  const unsigned kNative = AUDIT_ARCH_X86_64;
#else
  const unsigned kNative = AUDIT_ARCH_AARCH64;
#endif
  const struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNative, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffffu, 1, 0), /* -1 */
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  struct sock_filter copy[sizeof code / sizeof *code];
  const struct sock_fprog program = {sizeof code / sizeof *code, copy};
  if (on_kill_all == NULL) return;
  memcpy(copy, code, sizeof code);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  }
}

#else

static void meet_guard(void) {}

static void guard_others(void) {}

#endif

void child_guard_others(void (*look)(void)) {
  on_kill_all = look;
}

/* ---- What the child leaves behind ---- */

enum { kReapTime = 2 }; /* seconds */

/* Waits for a process that was killed; false if it is no child of this one. It may take long to end
 * if another process traces it: then its end is not waited for. */
static bool reap(pid_t process) {
  const double end = clock_seconds() + kReapTime;
  struct timespec nap = {0, 20000};
  pid_t found;
  while ((found = waitpid(process, NULL, WNOHANG)) == 0 && clock_seconds() < end) {
    nanosleep(&nap, NULL);
    if (nap.tv_nsec < 10000000) nap.tv_nsec *= 2;
  }
  return found >= 0;
}

#ifdef __linux__

/* Calls the body with each child of this process; false if the system does not list them. */
static bool each_child(void (*body)(long pid)) {
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  char bytes[256]; /* numbers, each followed by a blank; no stream, as memory for it takes longer */
  ssize_t size, i;
  long pid = 0;
  if (file < 0) return false;
  while ((size = read(file, bytes, sizeof bytes)) > 0) {
    for (i = 0; i < size; ++i) {
      if (bytes[i] != ' ') {
        pid = 10 * pid + (bytes[i] - '0');
      } else {
        body(pid);
        pid = 0;
      }
    }
  }
  close(file);
  return true;
}

static bool is_adopting;
static long spared; /* 0: none */

void child_spare(long process) {
  spared = process;
}

static void note_other(long pid) {
  if (pid != spared) is_adopting = false;
}

static void set_adopting(bool on) {
  is_adopting = prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0) == 0 && on;
}

/*
 * Processes whose parents have ended become children of this one, which ends them. It must have had
 * no children before: what these leave is not the child's.
 */
static void begin_adopting(void) {
  is_adopting = true;
  set_adopting(each_child(note_other) && is_adopting);
}

static size_t num_ended, num_left;

/* Those of another user, such as a setuid program, can be neither ended nor waited for. */
static void end_orphan(long pid) {
  if (pid == spared || kill((pid_t)pid, SIGKILL) != 0) return;
  if (waitpid((pid_t)pid, NULL, WNOHANG) == (pid_t)pid) {
    ++num_ended;
  } else {
    ++num_left;
  }
}

/* Each that ends may leave others. Those that start others faster than they are ended, or that
 * another process traces, are left when the time is over. */
static void end_orphans(void) {
  const double end = clock_seconds() + kReapTime;
  const struct timespec nap = {0, 1000000};
  if (!is_adopting) return;
  do {
    num_ended = num_left = 0;
    if (!each_child(end_orphan)) return;
    if (num_ended == 0 && num_left > 0) nanosleep(&nap, NULL);
  } while (num_ended + num_left > 0 && clock_seconds() < end);
}

#else

void child_spare(long process) {
  (void)process;
}

static void set_adopting(bool on) {
  (void)on;
}

static void begin_adopting(void) {}

static void end_orphans(void) {}

#endif

static pid_t keeper;         /* 0: there is none */
static bool has_lost_keeper; /* since the child began */

/* ---- What the child prints ---- */

/* A pipe for it; -1: there is none. */
static int printed[2] = {-1, -1};
static size_t printed_left; /* how many bytes are still shown */
static bool has_dropped;
enum { kForever = -1 }; /* for poll() */

static void close_printed(int end) {
  if (printed[end] >= 0) close(printed[end]);
  printed[end] = -1;
}

static void end_printed(void) {
  close_printed(0);
  close_printed(1);
}

static volatile int *is_showing; /* what was read is being shown */

bool child_cap_output(size_t most, volatile int *out_showing) {
  printed_left = most;
  is_showing = out_showing;
  has_dropped = false;
  if (pipe(printed) != 0) return false;
  fcntl(printed[0], F_SETFL, O_NONBLOCK);
  return true;
}

void child_enter_output(bool with_stdout) {
  close_printed(0);
  if (with_stdout) {
    dup2(printed[1], STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash would lose what is in a buffer */
  }
  dup2(printed[1], STDERR_FILENO);
  close_printed(1);
}

void child_wait_for_output(void) {
  enum { kMostNaps = 1000 }; /* in all: what is printed may be without end */
  static int num_naps;
  const struct timespec nap = {0, 200000};
  struct stat status;
  int left;
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  while (ioctl(STDERR_FILENO, FIONREAD, &left) == 0 && (left > 0 || *is_showing != 0)) {
    if (++num_naps > kMostNaps) return;
    nanosleep(&nap, NULL);
  }
}

/* Shows bytes on stderr, unless nobody can read them. */
static void show_printed(const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t put = write(STDERR_FILENO, bytes, size);
    struct pollfd reader;
    reader.fd = STDERR_FILENO;
    reader.events = POLLOUT;
    if (put < 0 && errno == EAGAIN && poll(&reader, 1, kForever) > 0) continue;
    if (put < 0 && errno != EINTR) return;
    if (put < 0) continue;
    bytes += put;
    size -= (size_t)put;
  }
}

/* Reads much of what is dropped, and as quickly as it is printed. False if nothing is left. */
static bool drop_printed(void) {
  enum { kMost = 100 };
  static char bytes[1 << 16];
  ssize_t size = 1;
  int i;
  for (i = 0; i < kMost && size > 0; ++i) size = read(printed[0], bytes, sizeof bytes);
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Passes on a part, unless the reader of stderr takes nothing for so long: the child then waits,
 * too, and its time goes on. False if nothing is left. */
static bool pass_printed(int milliseconds) {
  static const char kDropped[] = "\n[what it prints after that is dropped]\n";
  char bytes[1 << 12]; /* a pipe that is ready takes as many */
  struct pollfd reader;
  size_t shown;
  ssize_t size;
  reader.fd = STDERR_FILENO;
  reader.events = POLLOUT;
  if (has_dropped) return drop_printed();
  if (poll(&reader, 1, milliseconds) <= 0) return true;
  *is_showing = 1; /* before the pipe looks empty */
  size = read(printed[0], bytes, sizeof bytes);
  if (size <= 0) {
    *is_showing = 0;
    return size < 0 && errno == EINTR;
  }
  shown = (size_t)size < printed_left ? (size_t)size : printed_left;
  show_printed(bytes, shown);
  printed_left -= shown;
  if (shown < (size_t)size) {
    show_printed(kDropped, sizeof kDropped - 1);
    has_dropped = true;
  }
  *is_showing = 0;
  return true;
}

void child_end_output(void) {
  enum { kMost = 1 << 10 }; /* more than a pipe holds */
  int i;
  if (has_lost_keeper) end_orphans(); /* else it has done that */
  for (i = 0; i < kMost && printed[0] >= 0 && !has_dropped && pass_printed(kForever); ++i) continue;
  close_printed(0);
}

/* ---- The keeper ---- */

/*
 * The parent of the child is a keeper: a process that does nothing but wait, for the child, whose
 * end it tells this process, and for orders of this process. Foreign code that stops or kills its
 * parent, or the group of that, meets the keeper, which has a group of its own; and this process,
 * which sees that the keeper has ended or stands still, or gets no answer, learns of it. A keeper
 * may be kept for further children, which are copies of it.
 */

/* What waitid() tells of the child. */
typedef struct {
  int how;  /* CLD_EXITED, CLD_STOPPED, ...; 0: it runs */
  int code; /* the exit code, or the signal */
} child_status;

/* What the keeper tells, and the child at its begin, which foreign code cannot prevent. */
typedef struct {
  int pid;      /* of the child; negative: it could not be made, for this reason */
  int question; /* which this answers; 0: none */
  child_status status;
} message;

/* Orders are bytes: this one, and questions, how the child is. */
enum { kOrderFork = 0, kMostQuestions = 100, kOrderLeave = 101 };

static int orders[2], messages[2]; /* pipes to the keeper and from it */
static bool keeps;                 /* it stays for further children */

/* Does not wait for the process, whose number stays its own. */
static child_status look_at(pid_t process, int options) {
  child_status out = {0, 0};
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid(P_PID, (id_t)process, &info, options | WNOWAIT) != 0) return out;
  out.how = info.si_code;
  out.code = info.si_code == CLD_EXITED ? info.si_status & 0xff : info.si_status;
  return out;
}

static bool is_end(const child_status *status) {
  return status->how == CLD_EXITED || status->how == CLD_KILLED || status->how == CLD_DUMPED;
}

static bool read_whole(int file, void *out, size_t size) {
  ssize_t got;
  do {
    got = read(file, out, size);
  } while (got < 0 && errno == EINTR);
  return got == (ssize_t)size;
}

static bool write_whole(int file, const void *bytes, size_t size) {
  ssize_t put;
  do {
    put = write(file, bytes, size);
  } while (put < 0 && errno == EINTR);
  return put == (ssize_t)size;
}

static void close_pipe(int *ends) {
  close(ends[0]);
  close(ends[1]);
}

/* Opens a pipe that programs do not inherit which foreign code starts. */
static bool open_pipe(int *ends) {
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
}

/* ---- The keeper: what it does ---- */

static pid_t last_child; /* 0: there was none; its number stays its own until the next one */
static pid_t kept_child; /* the same, until its end is told */
static bool told_stop;
static bool leaves_group; /* a process in it passes keys on: the tool ends that first, then all */

/* False if nobody reads it. */
static bool tell(pid_t child, int question, child_status status) {
  message told;
  told.pid = (int)child;
  told.question = question;
  told.status = status;
  return write_whole(messages[1], &told, sizeof told);
}

/* Ends what the child, which has ended, has left: its group, and the orphans that the keeper has
 * adopted. The tool, which may be about to end, does not have to. */
static void end_what_is_left(pid_t child) {
  kill(-child, SIGKILL);
  child_spare(child);
  end_orphans();
}

/* The handler of SIGCHLD, which is blocked but where the keeper waits for orders, so that all may
 * be called: tells how the child is, if that is news. */
static void tell_change(int signal_number) {
  const pid_t child = kept_child;
  child_status status;
  (void)signal_number;
  if (child == 0) return;
  status = look_at(child, WEXITED | WSTOPPED | WNOHANG);
  if (is_end(&status)) {
    kept_child = 0;
    if (leaves_group) {
      (void)tell(child, 0, status);
      return;
    }
    end_what_is_left(child);
    if (!tell(child, 0, status) || !keeps) _exit(0);
  } else {
    if (status.how == CLD_STOPPED && !told_stop) (void)tell(child, 0, status);
    told_stop = status.how == CLD_STOPPED;
  }
}

/* Unless the child has ended: that is told once, as the last message on it. */
static void answer(int question) {
  child_status status;
  if (kept_child == 0) return;
  status = look_at(kept_child, WEXITED | WSTOPPED | WNOHANG);
  if (!is_end(&status)) (void)tell(kept_child, question, status);
}

/* The next order; false at the end of the process that gives them. */
static bool await_order(unsigned char *out) {
  sigset_t ends, old;
  bool good;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_UNBLOCK, &ends, &old);
  good = read_whole(orders[0], out, 1);
  sigprocmask(SIG_SETMASK, &old, NULL);
  return good;
}

/* True in the child, which has a process group, in which it is killed together with the processes
 * that a library started. Before it runs foreign code, it tells its number. */
static bool fork_child(void) {
  const pid_t parent = getpid();
  const child_status none = {0, 0};
  if (last_child != 0) (void)waitpid(last_child, NULL, WNOHANG);
  kept_child = last_child = fork();
  told_stop = leaves_group = false;
  if (last_child > 0) return false;
  if (last_child < 0) {
    kept_child = last_child = 0;
    if (!tell(-errno, 0, none)) _exit(1);
    return false;
  }
  setpgid(0, 0);
  bind_child(parent, SIGKILL);
  signal(SIGCHLD, SIG_DFL);
  meet_guard();
  if (!tell(getpid(), 0, none)) _exit(1);
  close(orders[0]);
  close_pipe(messages);
  return true;
}

/* Returns in each child. */
static void keep_children(pid_t tool) {
  struct sigaction action;
  sigset_t blocked = old_mask;
  unsigned char order = kOrderFork;
  size_t i;
  setpgid(0, 0);
  bind_child(tool, SIGCONT); /* it goes on, and finds the end of its orders */
  set_adopting(true);
  memset(&action, 0, sizeof action);
  action.sa_handler = tell_change;
  action.sa_flags = SA_RESTART;
  sigaddset(&blocked, SIGCHLD);
  for (i = 0; i < kNumStops; ++i) signal(kStops[i], SIG_IGN); /* drops what came with the tool's */
  signals_restore_all();
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  sigaction(SIGCHLD, &action, NULL);
  close(orders[1]); /* not messages[0]: a message to a tool that has ended sends no signal */
  guard_others();
  do {
    if (order == kOrderLeave) {
      leaves_group = true;
    } else if (order == kOrderFork) {
      if (kept_child == 0 && fork_child()) return;
    } else {
      answer(order);
    }
    end_printed();
  } while (await_order(&order));
  if (last_child != 0) {
    kill(last_child, SIGKILL);
    kill(-last_child, SIGKILL);
    child_spare(0); /* what it leaves is adopted when it has ended */
    end_orphans();
  }
  _exit(0);
}

/* ---- The keeper: what this process asks it ---- */

/* False if the keeper was stopped, or has ended. */
static bool stands_by(void) {
  return look_at(keeper, WEXITED | WSTOPPED | WNOHANG).how == 0;
}

static bool has_message(int milliseconds) {
  struct pollfd watched;
  watched.fd = messages[0];
  watched.events = POLLIN;
  watched.revents = 0;
  return poll(&watched, 1, milliseconds) > 0 && (watched.revents & POLLIN) != 0;
}

/* False if others have written into the pipe. */
static bool read_message(message *out) {
  const child_status *status = &out->status;
  return read_whole(messages[0], out, sizeof *out) && out->pid == (int)running &&
         (status->how == 0 || status->how == CLD_STOPPED || is_end(status));
}

/* Asks the keeper how the child is; false if there is no answer within ten seconds, as of one that
 * is traced. Meanwhile no signal stops this process with the child, which the answer might show. */
static bool ask_keeper(child_status *out) {
  enum { kSilence = 100, kMostSilences = 100 }; /* milliseconds */
  static unsigned char question;
  sigset_t stops, old;
  message told;
  bool good;
  size_t i;
  int silences = 0;
  memset(&told, 0, sizeof told);
  sigemptyset(&stops);
  for (i = 0; i < kNumStops; ++i) sigaddset(&stops, kStops[i]);
  sigprocmask(SIG_BLOCK, &stops, &old);
  question = (unsigned char)(question % kMostQuestions + 1);
  good = write_whole(orders[1], &question, 1);
  while (good && told.question != question && !is_end(&told.status)) {
    if (has_message(kSilence)) {
      good = read_message(&told);
    } else {
      good = ++silences < kMostSilences && (stands_by() || has_message(0));
    }
  }
  *out = told.status;
  sigprocmask(SIG_SETMASK, &old, NULL);
  return good;
}

/* ---- The child process: what its parent calls ---- */

static double asked_at; /* clock_seconds() when the keeper was asked, or the child began */

static bool start_keeper(void) {
  static bool has_looked;
  const pid_t tool = getpid();
  if (!open_pipe(orders)) return false;
  if (!open_pipe(messages)) {
    close_pipe(orders);
    return false;
  }
  if (!has_looked) begin_adopting();
  has_looked = true;
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  keeper = fork();
  if (keeper == 0) {
    keep_children(tool);
    return true;
  }
  close(messages[1]); /* orders[0] stays: an order to one that has ended sends no signal */
  if (keeper > 0) return true;
  keeper = 0;
  close_pipe(orders);
  close(messages[0]);
  return false;
}

/* The child, if it is there still, becomes one of this process or of the system's first one. */
static void end_keeper(void) {
  enum { kLongest = 1000 }; /* milliseconds */
  struct pollfd watched;
  watched.fd = messages[0];
  watched.events = 0;
  (void)poll(&watched, 1, kLongest); /* the pipe closes, without naps until then */
  (void)reap(keeper);
  keeper = 0;
  close_pipe(orders);
  close(messages[0]);
}

void child_end_keeper(void) {
  if (keeper == 0) return;
  kill(keeper, SIGKILL);
  end_keeper();
}

/* The first message of a child; false if the keeper does not make one. */
static bool read_begin(message *out) {
  enum { kSilence = 100, kMostSilences = 100 }; /* milliseconds */
  int silences = 0;
  while (!has_message(kSilence)) {
    if (++silences >= kMostSilences || (!stands_by() && !has_message(0))) return false;
  }
  return read_whole(messages[0], out, sizeof *out) && out->pid != 0;
}

fork_side child_fork(volatile uint64_t *out_time_still, bool is_one_of_many) {
  static const unsigned char kFork = kOrderFork;
  message told;
  bool good;
  told.pid = -EAGAIN;
  if (!keeps || !is_one_of_many) child_end_keeper();
  keeps = is_one_of_many;
  good = keeper != 0 && write_whole(orders[1], &kFork, 1) && read_begin(&told);
  if (!good) { /* there was none, or somebody has ended or stopped it */
    child_end_keeper();
    good = start_keeper();
    if (good && keeper == 0) return kForkChild;
    if (!good) told.pid = -errno;
    good = good && read_begin(&told);
  }
  close_printed(1);
  has_lost_keeper = false;
  if (!good || told.pid < 0) {
    child_end_keeper();
    close_printed(0);
    errno = told.pid < 0 ? -told.pid : EAGAIN;
    return kForkFailed;
  }
  time_still = out_time_still;
  running = told.pid;
  asked_at = clock_seconds();
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
    close_pipe(orders); /* at the tool's end the keeper is to find that of its orders */
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

/* Whether there is one that the child has not ended. */
static bool has_key_passer(void) {
  return key_passer != 0 && look_at(key_passer, WEXITED | WNOHANG).how == 0;
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
  if (terminal < 0) return false;
  if (!has_key_passer()) {
    static const unsigned char kLeave = kOrderLeave;
    child_status status;
    end_key_passer();
    /* The keeper is not to end the group, with the key passer, before that has passed on the key
     * that ended the child: child_forget() does. */
    if (!write_whole(orders[1], &kLeave, 1) || !ask_keeper(&status)) return false;
    has_lost_keeper = true;
    if (!start_key_passer()) return false;
  }
  if (knows_mode == 0) knows_mode = tcgetattr(terminal, &mode_before) == 0;
  catch_stop(SIGTTOU); /* also if it was ignored: else the shell would lose the terminal */
  if (tcgetpgrp(terminal) != (pid_t)running && tcsetpgrp(terminal, (pid_t)running) != 0) {
    return false;
  }
  return kill(-(pid_t)running, SIGCONT) == 0;
}

/* Whoever sent the keeper a signal may have sent it to this process, too, which it ends: the child
 * is not to blame for that. */
static child_state meet_harm(int *out_code) {
  enum { kOnTheWay = 100 }; /* milliseconds */
  (void)poll(NULL, 0, kOnTheWay);
  *out_code = look_at(keeper, WEXITED | WSTOPPED | WNOHANG).code;
  return kChildHarmed;
}

/* How the child is, for all that is known; false if the keeper cannot tell. What it tells by itself
 * may be a stop by this process: it is asked. */
static bool find_status(child_status *out) {
  enum { kLongSilence = 1, kShortStop = 100 }; /* seconds; milliseconds, as of a debugger */
  message told;
  bool is_there = stands_by();
  if (!is_there) is_there = !has_message(kShortStop) && stands_by();
  memset(out, 0, sizeof *out);
  if (has_message(0)) {
    if (!read_message(&told)) return false;
    *out = told.status;
    if (is_end(out)) return true;
  } else if (!is_there || clock_seconds() - asked_at < kLongSilence) {
    return is_there;
  }
  asked_at = clock_seconds();
  return ask_keeper(out);
}

child_state child_look(int *out_code) {
  child_status status;
  if (!find_status(&status)) {
    has_lost_keeper = true;
    return meet_harm(out_code);
  }
  *out_code = status.code;
  if (status.how == CLD_EXITED) return kChildExited;
  if (is_end(&status)) return kChildCrashed;
  if (status.how == CLD_STOPPED) {
    const int by = status.code;
    const bool goes_on =
        by == SIGTTIN || by == SIGTTOU ? lend_terminal() : by == SIGTSTP && has_key_passer();
    return goes_on ? kChildRuns : kChildStopped;
  }
  return kChildRuns;
}

void child_nap(int milliseconds) {
  struct pollfd watched[2];
  watched[0].fd = messages[0];
  watched[1].fd = printed[0];
  watched[0].events = watched[1].events = POLLIN;
  watched[1].revents = 0;
  if (poll(watched, 2, milliseconds) <= 0) return;
  if (watched[1].revents != 0 && !pass_printed(milliseconds)) close_printed(0);
}

void child_kill(void) {
  child_signal(SIGKILL);
}

void child_forget(void) {
  end_key_passer();
  end_lending();
  if (has_lost_keeper) {
    child_signal(SIGKILL);
    child_end_keeper();
  } else if (!keeps) {
    end_keeper(); /* it has ended by itself */
  }
  if (keeper == 0)
    (void)reap((pid_t)running); /* fails where it did not become one of this process */
  running = 0;
}

const char *child_crash_name(int code) {
  return strsignal(code);
}

void child_end_alike(int code) {
  if (code != SIGPIPE) return;
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

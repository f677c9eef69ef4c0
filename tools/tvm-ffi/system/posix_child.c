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

#ifdef CAN_FILTER_KILL

static void (*on_kill_all)(void);

/* Ends the child, as any crash. */
static void meet_kill_all(int signal_number) {
  on_kill_all();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void child_guard_others(void (*look)(void)) {
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
  memcpy(copy, code, sizeof code);
  on_kill_all = look;
  signal(SIGSYS, meet_kill_all);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  }
}

#else

void child_guard_others(void (*look)(void)) {
  (void)look;
}

#endif

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
  FILE *file = fopen("/proc/thread-self/children", "r");
  long pid;
  if (file == NULL) return false;
  while (fscanf(file, "%ld", &pid) == 1) body(pid);
  fclose(file);
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
  end_orphans();
  for (i = 0; i < kMost && printed[0] >= 0 && !has_dropped && pass_printed(kForever); ++i) continue;
  close_printed(0);
}

/* ---- The keeper ---- */

/*
 * The parent of the child is a keeper: a process that does nothing but look at the child when this
 * process asks it to. Foreign code that stops or kills its parent, or the group of that, meets the
 * keeper, which has a group of its own; and this process, which gets no answer, learns of it.
 */

static pid_t keeper;
static int questions[2], answers[2]; /* pipes to the keeper and from it */

/* What waitid() tells of the child. */
typedef struct {
  int how;  /* CLD_EXITED, CLD_STOPPED, ...; 0: it runs */
  int code; /* the exit code, or the signal */
} child_status;

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

/* Until the tool has ended, whose end of the pipe is closed then. The keeper has adopted what the
 * child leaves, and ends it. */
static void answer_questions(pid_t child) {
  char question;
  while (read_whole(questions[0], &question, 1)) {
    const child_status status = look_at(child, WEXITED | WSTOPPED | WNOHANG);
    if (!write_whole(answers[1], &status, sizeof status)) break;
  }
  kill(child, SIGKILL);
  kill(-child, SIGKILL);
  end_orphans();
  _exit(0);
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

/* Others can write into the pipe. */
static bool is_answer(const child_status *status) {
  return status->how == 0 || status->how == CLD_EXITED || status->how == CLD_KILLED ||
         status->how == CLD_DUMPED || status->how == CLD_STOPPED;
}

/* Asks the keeper; false if it was stopped, has ended, or gives no answer, as one that is traced.
 * Meanwhile no signal stops this process with the child, which the answer might show. */
static bool ask_keeper(child_status *out) {
  enum { kSilence = 100, kMostSilences = 100 }; /* milliseconds; ten seconds */
  struct pollfd watched;
  sigset_t stops, old;
  bool good;
  size_t i;
  int silences = 0;
  watched.fd = answers[0];
  watched.events = POLLIN;
  sigemptyset(&stops);
  for (i = 0; i < kNumStops; ++i) sigaddset(&stops, kStops[i]);
  sigprocmask(SIG_BLOCK, &stops, &old);
  good = write_whole(questions[1], "?", 1);
  while (good && poll(&watched, 1, kSilence) <= 0) {
    good = ++silences < kMostSilences && look_at(keeper, WEXITED | WSTOPPED | WNOHANG).how == 0;
  }
  good = good && read_whole(answers[0], out, sizeof *out) && is_answer(out);
  sigprocmask(SIG_SETMASK, &old, NULL);
  return good;
}

/* ---- The child process: what its parent calls ---- */

static int alive[2]; /* a pipe, which closes when the child ends */
/* Whether to ask the keeper: its answer takes two switches between processes, which is long for
 * most children. */
static bool may_have_ended;

static bool open_child_pipes(void) {
  if (!open_pipe(questions)) return false;
  if (open_pipe(answers)) {
    if (open_pipe(alive)) return true;
    close_pipe(answers);
  }
  close_pipe(questions);
  return false;
}

/* The child has a process group, in which it is killed together with the processes that a library
 * started. Before it runs foreign code, it tells its number; a negative one is an error. */
static void fork_from_keeper(pid_t tool) {
  pid_t child, parent;
  int number;
  setpgid(0, 0);
  bind_child(tool, SIGCONT); /* it goes on, and finds the end of its questions */
  set_adopting(true);
  parent = getpid();
  child = fork();
  if (child == 0) {
    setpgid(0, 0);
    bind_child(parent, SIGKILL);
    number = (int)getpid();
    if (!write_whole(answers[1], &number, sizeof number)) _exit(1);
    close_pipe(questions);
    close_pipe(answers);
    close(alive[0]);
    return;
  }
  number = -errno;
  close_pipe(alive);
  close(questions[1]);
  close(answers[0]);
  close_printed(0);
  close_printed(1);
  if (child < 0 && !write_whole(answers[1], &number, sizeof number)) _exit(1);
  signals_restore_all();
  signals_unblock();
  answer_questions(child);
}

/* Ends the keeper. The child, if it is there still, becomes one of this process or of the system's
 * first one. */
static void end_keeper(void) {
  enum { kLongest = 1000 }; /* milliseconds */
  struct pollfd watched;
  watched.fd = answers[0];
  watched.events = 0;
  if (keeper > 0 && kill(keeper, SIGKILL) == 0) {
    (void)poll(&watched, 1, kLongest); /* the pipe closes, without naps until then */
    (void)reap(keeper);
  }
  close_pipe(questions);
  close(answers[0]);
}

fork_side child_fork(volatile uint64_t *out_time_still) {
  const pid_t tool = getpid();
  int number = -EAGAIN;
  if (!open_child_pipes()) {
    close_printed(0);
    close_printed(1);
    return kForkFailed;
  }
  begin_adopting();
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  keeper = fork();
  if (keeper == 0) {
    fork_from_keeper(tool);
    return kForkChild;
  }
  if (keeper < 0) number = -errno;
  close(alive[1]);
  close(answers[1]);
  close_printed(1);
  if (keeper < 0 || !read_whole(answers[0], &number, sizeof number) || number < 0) {
    end_keeper();
    close(alive[0]);
    close_printed(0);
    errno = -number;
    return kForkFailed;
  }
  time_still = out_time_still;
  running = number;
  may_have_ended = false;
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
    end_key_passer();
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

child_state child_look(int *out_code) {
  child_status status;
  if (!may_have_ended && alive[0] >= 0) return kChildRuns;
  if (!ask_keeper(&status)) return meet_harm(out_code);
  *out_code = status.code;
  if (status.how == CLD_EXITED) return kChildExited;
  if (status.how == CLD_KILLED || status.how == CLD_DUMPED) return kChildCrashed;
  if (status.how == CLD_STOPPED) {
    const int by = status.code;
    const bool goes_on =
        by == SIGTTIN || by == SIGTTOU ? lend_terminal() : by == SIGTSTP && has_key_passer();
    return goes_on ? kChildRuns : kChildStopped;
  }
  return kChildRuns;
}

/* The end of a pipe only ends a nap early: the child's code may close it before, or a process that
 * it started may keep it open. */
void child_nap(int milliseconds) {
  enum { kLong = 8 };
  struct pollfd watched[2];
  may_have_ended = milliseconds >= kLong;
  watched[0].fd = alive[0];
  watched[1].fd = printed[0];
  watched[0].events = watched[1].events = POLLIN;
  watched[0].revents = watched[1].revents = 0;
  if (poll(watched, 2, milliseconds) <= 0) return;
  if (watched[1].revents != 0 && !pass_printed(milliseconds)) close_printed(0);
  if (watched[0].revents == 0) return;
  close(alive[0]);
  alive[0] = -1; /* which poll() ignores */
}

void child_kill(void) {
  child_signal(SIGKILL);
}

void child_forget(void) {
  end_key_passer();
  end_lending();
  child_signal(SIGKILL);
  end_keeper();
  (void)reap((pid_t)running); /* fails where it did not become a child of this process */
  running = 0;
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

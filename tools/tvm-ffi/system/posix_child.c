/* SPDX-License-Identifier: Apache-2.0 */
/* The child process on POSIX: how it is started, watched and ended, together with the processes
 * that it starts, by a process between it and this one. */
#define _GNU_SOURCE      /* strsignal, waitid, SYS_kill */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

#include "system/posix_output.h"
#include "system/posix_signals.h"
#include "system/system.h"

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

static const double kReapTime = 2; /* seconds */

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

static pid_t keeper;               /* 0: there is none */
static int orders[2], messages[2]; /* pipes to the keeper and from it */
static bool keeps;                 /* it stays for further children */
static bool has_lost_keeper;       /* since the child began */

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
  unsigned char order = kOrderFork;
  setpgid(0, 0);
  bind_child(tool, SIGCONT); /* it goes on, and finds the end of its orders */
  set_adopting(true);
  memset(&action, 0, sizeof action);
  action.sa_handler = tell_change;
  action.sa_flags = SA_RESTART;
  signals_leave(SIGCHLD);
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
    printed_close();
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
  return read_whole(messages[0], out, sizeof *out) && out->pid == (int)child_group_number() &&
         (status->how == 0 || status->how == CLD_STOPPED || is_end(status));
}

/* Asks the keeper how the child is; false if there is no answer within ten seconds, as of one that
 * is traced. Meanwhile no signal stops this process with the child, which the answer might show. */
static bool ask_keeper(child_status *out) {
  enum { kSilence = 100, kMostSilences = 100 }; /* milliseconds */
  static unsigned char question;
  sigset_t before;
  message told;
  bool good;
  int silences = 0;
  memset(&told, 0, sizeof told);
  signals_block_stops(&before);
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
  sigprocmask(SIG_SETMASK, &before, NULL);
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
  printed_close_writer();
  has_lost_keeper = false;
  if (!good || told.pid < 0) {
    child_end_keeper();
    printed_close();
    errno = told.pid < 0 ? -told.pid : EAGAIN;
    return kForkFailed;
  }
  child_group_begin(told.pid, out_time_still);
  asked_at = clock_seconds();
  return kForkParent;
}

/* Lets the child's group, which the terminal has stopped, go on. */
static bool lend_terminal(void) {
  static const unsigned char kLeave = kOrderLeave;
  child_status status;
  if (!terminal_is_there()) return false;
  if (!key_passer_is_there()) {
    key_passer_end();
    /* The keeper is not to end the group, with the key passer, before that has passed on the key
     * that ended the child: child_forget() does. */
    if (!write_whole(orders[1], &kLeave, 1) || !ask_keeper(&status)) return false;
    has_lost_keeper = true;
    /* At the tool's end the keeper is to find that of its orders. */
    if (!key_passer_start(orders)) return false;
  }
  return terminal_lend();
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
  static const double kLongSilence = 1; /* seconds */
  enum { kShortStop = 100 };            /* milliseconds, as of a debugger */
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
        by == SIGTTIN || by == SIGTTOU ? lend_terminal() : by == SIGTSTP && key_passer_is_there();
    return goes_on ? kChildRuns : kChildStopped;
  }
  return kChildRuns;
}

void child_nap(int milliseconds) {
  struct pollfd watched[2];
  watched[0].fd = messages[0];
  watched[1].fd = printed_reader();
  watched[0].events = watched[1].events = POLLIN;
  watched[1].revents = 0;
  if (poll(watched, 2, milliseconds) <= 0) return;
  if (watched[1].revents != 0) printed_pass(milliseconds);
}

void child_kill(void) {
  child_group_signal(SIGKILL);
}

void child_forget(void) {
  key_passer_end();
  terminal_end_lending();
  if (has_lost_keeper) {
    child_group_signal(SIGKILL);
    child_end_keeper();
  } else if (!keeps) {
    end_keeper(); /* it has ended by itself */
  }
  if (keeper == 0)
    (void)reap(child_group_number()); /* fails where it did not become one of this process */
  child_group_end();
}

void child_end_output(void) {
  if (has_lost_keeper) end_orphans(); /* else it has done that */
  printed_pass_rest();
}

const char *child_crash_name(int code) {
  return strsignal(code);
}

void child_end_alike(int code) {
  if (code != SIGPIPE) return;
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/child.h"
#include "system/child_bound.h"
#include "system/child_fork.h"

/* ---- In the child ---- */

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
  child_die_with_parent();
  if (getppid() != parent) _exit(1); /* the parent ended before that */
  this_child = getpid();
}

/* ---- In the parent ---- */

static volatile sig_atomic_t running; /* the child's pid; 0: there is none */
static volatile sig_atomic_t has_group;
static int alive[2]; /* a pipe, which closes when the child ends */

/* A child in a group of its own is killed together with the processes that a library started. */
fork_side child_fork(bool may_read) {
  const bool grouped = !may_read || !isatty(STDIN_FILENO);
  const pid_t parent = getpid();
  pid_t child;
  if (pipe(alive) != 0) return kForkFailed;
  fcntl(alive[1], F_SETFD, FD_CLOEXEC);
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  child = fork();
  if (child == 0) {
    close(alive[0]);
    if (grouped) {
      setpgid(0, 0);
      signal(SIGTTOU, SIG_IGN); /* let it write to the terminal from the background */
    }
    bind_child(parent);
    return kForkChild;
  }
  close(alive[1]);
  if (child < 0) {
    close(alive[0]);
    return kForkFailed;
  }
  if (grouped) setpgid(child, child);
  has_group = grouped;
  running = child;
  return kForkParent;
}

child_state child_look(int *out_code) {
  int status = 0;
  pid_t got = waitpid((pid_t)running, &status, WNOHANG | WUNTRACED);
  if (got == 0 || (got < 0 && errno == EINTR)) return kChildRuns;
  if (WIFSTOPPED(status)) {
    /* A terminal stops the parent too, and resumes both. */
    return has_group || WSTOPSIG(status) == SIGSTOP ? kChildStopped : kChildRuns;
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
  if (running == 0) return;
  kill((pid_t)running, SIGKILL);
  if (has_group) kill(-(pid_t)running, SIGKILL);
}

void child_forget(void) {
  if (has_group) kill(-(pid_t)running, SIGKILL);
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

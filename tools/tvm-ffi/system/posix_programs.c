/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs on POSIX: those that are run to their end, that serve this one, and that have a
 * library preloaded, and this program again on another runtime. */
#define _GNU_SOURCE      /* setenv, realpath, environ */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "platform/c99_string.h"
#include "system/system.h"

/* ---- To its end ---- */

extern char **environ;

/* The file in a folder, "": the current one, if it can be run. */
static char *find_in(const char *folder, size_t folder_size, const char *name) {
  const size_t size = folder_size + strlen(name) + 3;
  char *path = malloc(size), *found = NULL;
  if (path == NULL) return NULL;
  if (folder_size > 0) memcpy(path, folder, folder_size);
  snprintf(path + folder_size, size - folder_size, "%s/%s", folder_size > 0 ? "" : ".", name);
  if (access(path, X_OK) == 0) found = realpath(path, NULL);
  free(path);
  return found;
}

char *launch_find(const char *name) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL) return realpath(name, NULL);
  while (folders != NULL && *folders != '\0') {
    const size_t size = strcspn(folders, ":");
    char *found = find_in(folders, size, name);
    if (found != NULL) return found;
    folders += size + (folders[size] == ':');
  }
  return NULL;
}

/* Starts the program; 0, or the number of an error. */
static int start(char *const *words, pid_t *out) {
  posix_spawn_file_actions_t actions;
  const int nothing = descriptor_half_pipe(false);
  int code = nothing >= 0 ? posix_spawn_file_actions_init(&actions) : errno;
  if (nothing < 0) return code;
  if (code == 0) {
    code = posix_spawn_file_actions_adddup2(&actions, nothing, STDIN_FILENO);
    if (code == 0) code = posix_spawn_file_actions_addclose(&actions, nothing);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (code == 0) code = posix_spawnp(out, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(nothing);
  return code;
}

bool launch_run(char *const *words, launch_end *out) {
  pid_t child;
  int status;
  errno = start(words, &child);
  if (errno != 0) return false;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  out->ended[0] = '\0';
  out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (!WIFEXITED(status)) {
    snprintf(out->ended, sizeof out->ended, "signal %d", WTERMSIG(status));
  }
  return true;
}

/* ---- A program beside this one ---- */

static int start_beside(char *const *words, int channel, int errors, pid_t *out) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (code == 0) code = posix_spawnp(out, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

bool companion_start(char *const *words, companion *out) {
  int ends[2], code;
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  pid_t process = 0;
  memset(out, 0, sizeof *out);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    if (nothing >= 0) close(nothing);
    return false;
  }
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
  setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
  code = start_beside(words, ends[1], nothing >= 0 ? nothing : STDERR_FILENO, &process);
  close(ends[1]);
  if (nothing >= 0) close(nothing);
  if (code != 0) close(ends[0]);
  out->process = code == 0 ? (long)process : 0;
  out->channel = ends[0];
  errno = code;
  return code == 0;
}

void companion_end(companion *c) {
  if (c->process == 0) return;
  close(c->channel);
  kill((pid_t)c->process, SIGKILL);
  while (waitpid((pid_t)c->process, NULL, 0) < 0 && errno == EINTR) continue;
  memset(c, 0, sizeof *c);
}

bool companion_write(const companion *c, const void *bytes, size_t size) {
#ifdef MSG_NOSIGNAL
  enum { kFlags = MSG_NOSIGNAL };
#else
  enum { kFlags = 0 };
#endif
  const char *at = bytes;
  while (size > 0) {
    const ssize_t put = send(c->channel, at, size, kFlags);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= (size_t)put;
  }
  return true;
}

bool companion_read(const companion *c, void *out, size_t size) {
  char *at = out;
  while (size > 0) {
    const ssize_t got = recv(c->channel, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

bool companion_wait(const companion *c, int seconds) {
  struct pollfd watched;
  watched.fd = c->channel;
  watched.events = POLLIN;
  return poll(&watched, 1, seconds * 1000) > 0;
}

/* ---- Another program with a library preloaded ---- */

#if defined(__linux__)
static const char kPreload[] = "LD_PRELOAD", kPreloadEnds[] = ": ";
#elif defined(__APPLE__)
static const char kPreload[] = "DYLD_INSERT_LIBRARIES", kPreloadEnds[] = ":";
#endif

#if defined(__linux__) || defined(__APPLE__)

/* Puts a library before those that are preloaded; false with the reason as text. */
static bool add_preload(const char *library, char *out_reason, size_t reason_size) {
  const char *others = getenv(kPreload);
  const size_t size = strlen(library) + (others != NULL ? strlen(others) : 0) + 2;
  char *preload = malloc(size);
  bool is_set = false;
  if (strpbrk(library, kPreloadEnds) != NULL) {
    snprintf(out_reason, reason_size, "the loader accepts no path with a %scolon",
             kPreloadEnds[1] == '\0' ? "" : "blank or ");
  } else if (preload != NULL) {
    snprintf(preload, size, "%s%s%s", library, others != NULL ? ":" : "",
             others != NULL ? others : "");
    is_set = setenv(kPreload, preload, 1) == 0;
    if (!is_set) snprintf(out_reason, reason_size, "%s", strerror(errno));
  } else {
    snprintf(out_reason, reason_size, "%s", strerror(errno));
  }
  free(preload);
  return is_set;
}

/* Signals have smaller numbers. */
enum { kSignalsEnd = 65 };

static volatile sig_atomic_t preloaded; /* the pid of the program */
static struct sigaction old_actions[kSignalsEnd];

/* Whether the program has the signal already: the terminal sends it to the whole group, and so do
 * processes of the group, but for the parent, which may as well have sent it to this process alone.
 */
static bool has_group(int number, const siginfo_t *info) {
#ifdef __APPLE__
  const bool is_sent = info->si_code == SI_USER || info->si_code <= 0;
#else
  const bool is_sent = info->si_code <= 0;
#endif
  if (!is_sent) return number == SIGINT || number == SIGQUIT || number == SIGTSTP;
  if (info->si_pid <= 0 || info->si_pid == getpid() || info->si_pid == getppid()) return false;
  return getpgid(info->si_pid) == getpgrp();
}

static void pass_signal(int number, siginfo_t *info, void *context) {
  const int error = errno;
  (void)context;
  if (!has_group(number, info)) kill((pid_t)preloaded, number);
  errno = error;
}

/* All that can be caught but those that do nothing by themselves, or say something of this process
 * alone: of its faults, its children and its use of the terminal. */
static bool is_passed(int number) {
  static const int kOthers[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGURG,  SIGWINCH, SIGTTIN,
                                SIGTTOU, SIGPIPE, SIGSEGV, SIGBUS,  SIGILL,   SIGFPE,
                                SIGABRT, SIGTRAP, SIGSYS,  SIGXCPU, SIGXFSZ};
  size_t i;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (number == kOthers[i]) return false;
  }
  return true;
}

static void pass_signals(pid_t program) {
  struct sigaction action;
  int number;
  preloaded = (sig_atomic_t)program;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = pass_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (number = 1; number < kSignalsEnd; ++number) {
    if (!is_passed(number) || sigaction(number, NULL, &old_actions[number]) != 0) continue;
    /* what is ignored is ignored by the program, too */
    if (old_actions[number].sa_handler != SIG_IGN) sigaction(number, &action, NULL);
  }
}

static void stop_passing(void) {
  int number;
  for (number = 1; number < kSignalsEnd; ++number) {
    if (is_passed(number)) sigaction(number, &old_actions[number], NULL);
  }
}

void program_end_like(int status) {
  const struct rlimit none = {0, 0};
  if (WIFEXITED(status)) exit(WEXITSTATUS(status));
  setrlimit(RLIMIT_CORE, &none); /* that one has written its own */
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  exit(128 + WTERMSIG(status)); /* as a shell says it */
}

bool program_has_failed(int status) {
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/*
 * Waits for its end; false with the reason as text. Stops when the program stops, so that a shell
 * gets the terminal back. The status is taken when no signal can be passed on any more: the pid may
 * be that of another process then.
 */
static bool wait_for_program(pid_t program, int *out_status, char *out_reason, size_t reason_size) {
  sigset_t every, old;
  siginfo_t info;
  bool is_over = false;
  int code = 0;
  while (!is_over) {
    memset(&info, 0, sizeof info);
    code = waitid(P_PID, (id_t)program, &info, WEXITED | WSTOPPED | WNOWAIT);
    if (code == 0 && (info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED)) {
      (void)waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOHANG);
      raise(SIGSTOP); /* returns when this process goes on */
      kill(program, SIGCONT);
    } else {
      is_over = code == 0 || errno != EINTR;
    }
  }
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &old);
  stop_passing();
  if (code == 0) {
    while ((code = (int)waitpid(program, out_status, 0)) < 0 && errno == EINTR) continue;
  }
  if (code < 0) snprintf(out_reason, reason_size, "%s", strerror(errno));
  sigprocmask(SIG_SETMASK, &old, NULL);
  return code >= 0;
}

#endif

#if defined(__linux__)

/* In the child. The program ends if its parent is killed, which cannot pass that on. */
static void become_program(char *const *words, pid_t parent, int errors) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) raise(SIGKILL);
  execvp(words[0], words);
  if (write(errors, &errno, sizeof errno) < 0) _exit(126);
  _exit(127);
}

bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  const pid_t parent = getpid();
  int ends[2], error = 0;
  sigset_t every, old;
  pid_t child;
  if (!add_preload(library, out_reason, reason_size)) return false;
  for (; variables[0] != NULL; variables += 2) setenv(variables[0], variables[1], 1);
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  sigfillset(&every);       /* a signal waits until it can be passed on */
  sigprocmask(SIG_SETMASK, &every, &old);
  child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    snprintf(out_reason, reason_size, "%s", strerror(errno));
    return false;
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &old, NULL);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    close(ends[0]);
    become_program(words, parent, ends[1]);
  }
  pass_signals(child);
  sigprocmask(SIG_SETMASK, &old, NULL);
  close(ends[1]);
  while (read(ends[0], &error, sizeof error) < 0 && errno == EINTR) continue;
  close(ends[0]);
  if (!wait_for_program(child, out_status, out_reason, reason_size)) return false;
  if (error != 0) snprintf(out_reason, reason_size, "%s", strerror(error));
  return error == 0;
}

#elif defined(__APPLE__)

/*
 * For protected programs the system removes the variable with the library without a word: the
 * library writes a byte into a pipe when it is loaded: tools/record/macos.c.
 */
bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  char number[16], byte;
  int ends[2];
  pid_t child;
  if (!add_preload(library, out_reason, reason_size)) return false;
  for (; variables[0] != NULL; variables += 2) setenv(variables[0], variables[1], 1);
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  if (pipe(ends) == 0) {
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("TVM_FFI_RECORD_LOADED", number, 1);
    errno = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
  }
  if (errno != 0) {
    snprintf(out_reason, reason_size, "%s", strerror(errno));
    return false;
  }
  pass_signals(child);
  if (!wait_for_program(child, out_status, out_reason, reason_size)) return false;
  if (read(ends[0], &byte, 1) == 1) return true;
  snprintf(out_reason, reason_size,
           "it ran without the recorder: macOS does not preload libraries into programs of the "
           "system, such as /bin/sh, /usr/bin/env and /usr/bin/python3, nor for those with the "
           "hardened runtime; nothing was recorded");
  return false;
}

#else

bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  (void)words;
  (void)library;
  (void)variables;
  (void)out_status;
  snprintf(out_reason, reason_size, "only Linux preloads a library");
  return false;
}

void program_end_like(int status) {
  exit(status);
}

bool program_has_failed(int status) {
  return status != 0;
}

#endif

/* ---- This program on another runtime ---- */

#ifdef __linux__

static const char kReplaced[] = "TVM_FFI_REPLACED_RUNTIME";

/* The words of this process's command line; all in one block. NULL with errno set. */
static char **read_own_words(void) {
  FILE *file = fopen("/proc/self/cmdline", "rb");
  size_t size = 0, capacity = 4096, count = 0, i;
  char *text = malloc(capacity), **words = NULL;
  while (file != NULL && text != NULL) {
    char *grown;
    const size_t got = fread(text + size, 1, capacity - size, file);
    size += got;
    if (size < capacity) break;
    capacity *= 2;
    grown = realloc(text, capacity);
    if (grown == NULL) free(text);
    text = grown;
  }
  if (file != NULL) fclose(file);
  if (file != NULL && text != NULL) {
    for (i = 0; i < size; ++i) count += text[i] == '\0';
    words = calloc(count + 1, sizeof *words);
    for (i = count = 0; words != NULL && i < size; ++i) {
      if (i == 0 || text[i - 1] == '\0') words[count++] = text + i;
    }
  }
  if (words == NULL) free(text); /* else they lie in it */
  return words;
}

void program_replace_runtime(const char *library, char *out_reason, size_t reason_size) {
  char **words = read_own_words();
  snprintf(out_reason, reason_size, "%s", strerror(errno));
  if (words == NULL || !add_preload(library, out_reason, reason_size)) return;
  if (setenv(kReplaced, library, 1) == 0) execv("/proc/self/exe", words);
  snprintf(out_reason, reason_size, "%s", strerror(errno));
}

bool program_has_replaced_runtime(const char *library) {
  const char *replaced = getenv(kReplaced), *preload = getenv(kPreload);
  const size_t size = strlen(library);
  if (replaced == NULL || strcmp(replaced, library) != 0) return false;
  unsetenv(kReplaced);
  if (preload != NULL && strncmp(preload, library, size) == 0) {
    if (preload[size] == ':') {
      char *others = strdup(preload + size + 1);
      if (others != NULL) setenv(kPreload, others, 1);
      free(others);
    } else {
      unsetenv(kPreload);
    }
  }
  return true;
}

#else

void program_replace_runtime(const char *library, char *out_reason, size_t reason_size) {
  (void)library;
  snprintf(out_reason, reason_size, "only Linux lets a program run on another one");
}

bool program_has_replaced_runtime(const char *library) {
  (void)library;
  return false;
}

#endif

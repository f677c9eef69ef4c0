/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For programs that let calls of the system fail, which include this once: wrappers, and trials in
 * child processes.
 */
#ifndef TESTS_FAULTS_TRIALS_H_
#define TESTS_FAULTS_TRIALS_H_

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

/* Of a function that is called more often, ever fewer calls fail. A program may set it. */
static long all_up_to = 512;

/* ---- Calls ---- */

static const char *failing; /* the function whose calls fail */
static long countdown;
static bool is_lasting;
static long fired;
static int reason = EMFILE;    /* errno of the calls that fail */
static __thread bool is_armed; /* this thread is inside the library */

/* Sanitizers call these functions themselves, before they can check accesses to memory. */
#define WRAPPER __attribute__((no_sanitize_address))

WRAPPER static bool fails_now(const char *name) {
  if (!is_armed) return false;
  if (strcmp(name, failing) != 0 || countdown < 0) return false;
  if (countdown > 0) {
    --countdown;
    return false;
  }
  if (!is_lasting) countdown = -1;
  ++fired;
  return true;
}

/* A function that returns a value of a certain type when it fails. */
#define WRAP(type, name, parameters, arguments, failure)           \
  type __real_##name parameters;                                   \
  type __wrap_##name parameters;                                   \
  WRAPPER type __wrap_##name parameters {                          \
    return fails_now(#name) ? (failure) : __real_##name arguments; \
  }

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
WRAPPER int __wrap_open64(const char *path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) { /* counters of coverage; the library creates no files */
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (!fails_now("open64")) return __real_open64(path, flags, mode);
  errno = reason;
  return -1;
}

int __real_close(int file);
int __wrap_close(int file);
WRAPPER int __wrap_close(int file) {
  const int rc = __real_close(file);
  return fails_now("close") ? (errno = reason, -1) : rc; /* Linux closes the file all the same */
}

/* ---- In the child process ---- */

enum { kUnspoilt = 40, kUnnoticed, kNoticed };

static const char *step = "start";
static bool is_trial;
static bool is_noticed; /* a call failed, with an error */

static void print_step(void) {
  if (is_trial) print_error("%s: step `%s`\n", failing, step);
}

/* This process is not a test of cmocka: its checks end the process, too. */
static void require_at(bool condition, const char *text, const char *file, int line) {
  if (condition) return;
  print_error("%s:%d: not true: %s\n", file, line, text);
  exit(1);
}
#define require(condition) require_at((condition), #condition, __FILE__, __LINE__)

/* ---- Trials ---- */

/* Written by the program: what is done in the child process. Returns its exit status. */
static int try_once(void);

static int try_in_child(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) exit(try_once());
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static long num_failures; /* trials in which a call failed */

/* Returns how many trials were harmful. */
static int try_all(const char *name, bool lasting) {
  int num_harmful = 0, status = 0;
  long n, num_trials = 0, num_noticed = 0;
  failing = name;
  is_lasting = lasting;
  for (n = 0;; n += 1 + n / all_up_to) {
    countdown = n;
    status = try_in_child();
    if (status == kUnspoilt) break;
    ++num_trials;
    num_noticed += status == kNoticed;
    if (status == kNoticed || status == kUnnoticed) continue;
    print_error("%s: call %ld failed%s: status %d\n", name, n, lasting ? " (lasting)" : "", status);
    if (++num_harmful == 8) break;
  }
  (void)printf("%s%s: %ld failures injected, %ld with an error\n", name,
               lasting ? " (lasting)" : "", num_trials, num_noticed);
  num_failures += num_trials;
  if (n == 0) print_error("%s: it was not called\n", name);
  return num_harmful + (n == 0);
}

#endif /* TESTS_FAULTS_TRIALS_H_ */

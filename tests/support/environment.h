/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables. POSIX systems need _POSIX_C_SOURCE defined before any header. */
#ifndef TESTS_SUPPORT_ENVIRONMENT_H_
#define TESTS_SUPPORT_ENVIRONMENT_H_

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* How many times as long as on a quiet machine a step may take; tools/test says it by the load. */
static inline unsigned environment_slower(void) {
  const char *text = getenv("TVM_FFI_TEST_SLOWER");
  const unsigned long times = text != NULL ? strtoul(text, NULL, 10) : 1;
  return times >= 1 && times <= 1000 ? (unsigned)times : 1;
}

/* A limit that a test waits for, in seconds: what has to be done within it takes a small part of
 * it, so it grows less. */
static inline double environment_patience(double seconds) {
  return seconds * (9 + environment_slower()) / 10;
}

/* The template of a name in the folder for temporary files, for mkstemp and mkdtemp. */
enum { kEnvironmentPath = 256 };
static inline void environment_temporary(const char *name, char out[kEnvironmentPath]) {
  const char *folder = getenv("TMPDIR");
  (void)snprintf(out, kEnvironmentPath, "%s/%s_XXXXXX",
                 folder != NULL && folder[0] != '\0' ? folder : "/tmp", name);
}

/* Sets a variable, or removes it if value is NULL. Returns 0, or not 0 if there is no memory. */
static inline int environment_set(const char *name, const char *value) {
#if defined(_WIN32)
  return _putenv_s(name, value != NULL ? value : "");
#else
  return value != NULL ? setenv(name, value, 1) : unsetenv(name);
#endif
}

/* Lets this process use one processor, or again all that it could. True: it does, or the system has
 * no such limit. Needs _GNU_SOURCE. */
static inline bool environment_use_processors(bool only_one) {
#ifdef CPU_SET
  static cpu_set_t all;
  cpu_set_t first;
  size_t processor = 0;
  if (!only_one) {
    return CPU_COUNT(&all) == 0 || sched_setaffinity(0, sizeof all, &all) == 0;
  }
  if (CPU_COUNT(&all) == 0 && sched_getaffinity(0, sizeof all, &all) != 0) return false;
  while (!CPU_ISSET(processor, &all)) ++processor;
  CPU_ZERO(&first);
  CPU_SET(processor, &first);
  return sched_setaffinity(0, sizeof first, &first) == 0;
#else
  (void)only_one;
  return true;
#endif
}

#endif /* TESTS_SUPPORT_ENVIRONMENT_H_ */

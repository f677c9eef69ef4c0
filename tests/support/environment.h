/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables. POSIX systems need _POSIX_C_SOURCE defined before any header. */
#ifndef TESTS_SUPPORT_ENVIRONMENT_H_
#define TESTS_SUPPORT_ENVIRONMENT_H_

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

/* Sets a variable, or removes it if value is NULL. Returns 0, or not 0 if there is no memory. */
static inline int environment_set(const char *name, const char *value) {
#if defined(_WIN32)
  return _putenv_s(name, value != NULL ? value : "");
#else
  return value != NULL ? setenv(name, value, 1) : unsetenv(name);
#endif
}

#endif /* TESTS_SUPPORT_ENVIRONMENT_H_ */

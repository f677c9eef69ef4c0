/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables. POSIX systems need _POSIX_C_SOURCE defined before any header. */
#ifndef TESTS_SUPPORT_ENVIRONMENT_H_
#define TESTS_SUPPORT_ENVIRONMENT_H_

#include <stdlib.h>

/* Sets a variable, or removes it if value is NULL. Returns 0, or not 0 if there is no memory. */
static inline int environment_set(const char *name, const char *value) {
#if defined(_WIN32)
  return _putenv_s(name, value != NULL ? value : "");
#else
  return value != NULL ? setenv(name, value, 1) : unsetenv(name);
#endif
}

#endif /* TESTS_SUPPORT_ENVIRONMENT_H_ */

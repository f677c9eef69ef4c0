/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks for threads other than the test's own, where cmocka's must not be used. Failures are
 * counted, and the test asserts that expect_failures is 0 after the threads have ended.
 */
#ifndef TESTS_RACE_EXPECT_H_
#define TESTS_RACE_EXPECT_H_

#include <stdio.h>

#include "platform/atomic.h"

static int expect_failures;

#define expect(condition)                                            \
  do {                                                               \
    if (!(condition)) expect_failed(#condition, __FILE__, __LINE__); \
  } while (0)

static inline void expect_failed(const char *condition, const char *file, int line) {
  if (__atomic_fetch_add(&expect_failures, 1, __ATOMIC_RELAXED) < 10) {
    (void)fprintf(stderr, "%s:%d: expected %s\n", file, line, condition);
  }
}

#endif /* TESTS_RACE_EXPECT_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/* Where the runtime is for one thread: the functions run in the test's own, one after another. */
#include "support/thread.h"

void thread_run(void (*fn)(void *arg), void *arg, size_t stack_size) {
  (void)stack_size;
  fn(arg);
}

void thread_run_many(int count, void (*fn)(void *arg, int index), void *arg) {
  int i;
  for (i = 0; i < count; ++i) fn(arg, i);
}

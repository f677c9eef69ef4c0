/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads for tests. A failed check jumps back into the test function, which only the test's own
 * thread can do, so code in other threads records its results and the test checks them.
 */
#ifndef TESTS_SUPPORT_THREAD_H_
#define TESTS_SUPPORT_THREAD_H_

#include <stddef.h>

/* Runs fn(arg) in a thread with that much stack (0: the usual size) and waits for its end. */
void thread_run(void (*fn)(void *arg), void *arg, size_t stack_size);

/* Runs fn(arg, 0) to fn(arg, count - 1), each in its own thread, all started at the same time. */
void thread_run_many(int count, void (*fn)(void *arg, int index), void *arg);

/* thread_run for a function that returns something; returns that. */
void *thread_call(void *(*fn)(void *arg), void *arg, size_t stack_size);

/*
 * Runs fns[0](arg) to fns[count - 1](arg), each in its own thread, all started at the same time.
 * Returns how many returned something else than NULL.
 */
int thread_count_results(int count, void *(*const *fns)(void *arg), void *arg);

#endif /* TESTS_SUPPORT_THREAD_H_ */

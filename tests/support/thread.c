/* SPDX-License-Identifier: Apache-2.0 */
#include "support/thread.h"

#include <stdlib.h>

/* ---- Where the runtime is for one thread ---- */

#ifndef TESTS_HAVE_THREADS

/* The functions run in the test's own, one after another. */

void thread_run(void (*fn)(void *arg), void *arg, size_t stack_size) {
  (void)stack_size;
  fn(arg);
}

void thread_run_many(int count, void (*fn)(void *arg, int index), void *arg) {
  int i;
  for (i = 0; i < count; ++i) fn(arg, i);
}

#else

static void require(int condition) {
  if (!condition) abort(); /* the system has no threads left; no test failed */
}

typedef struct {
  void (*fn)(void *arg);
  void *arg;
} single_start;

#endif

/* ---- Windows ---- */

#if defined(TESTS_HAVE_THREADS) && defined(_WIN32)

#include <windows.h>

static DWORD WINAPI start_single(void *context) {
  const single_start *start = context;
  start->fn(start->arg);
  return 0;
}

static void wait_for(HANDLE thread) {
  require(WaitForSingleObject(thread, INFINITE) == WAIT_OBJECT_0);
  require(CloseHandle(thread));
}

void thread_run(void (*fn)(void *arg), void *arg, size_t stack_size) {
  single_start start;
  HANDLE thread;
  start.fn = fn;
  start.arg = arg;
  thread = CreateThread(NULL, stack_size, start_single, &start,
                        stack_size != 0 ? STACK_SIZE_PARAM_IS_A_RESERVATION : 0, NULL);
  require(thread != NULL);
  wait_for(thread);
}

typedef struct {
  void (*fn)(void *arg, int index);
  void *arg;
  int index;
  SRWLOCK *gate; /* locked until all threads are created */
  HANDLE thread;
} many_start;

static DWORD WINAPI start_one_of_many(void *context) {
  const many_start *start = context;
  AcquireSRWLockExclusive(start->gate);
  ReleaseSRWLockExclusive(start->gate);
  start->fn(start->arg, start->index);
  return 0;
}

void thread_run_many(int count, void (*fn)(void *arg, int index), void *arg) {
  SRWLOCK gate = SRWLOCK_INIT;
  many_start *starts = calloc((size_t)count, sizeof *starts);
  int i;
  require(starts != NULL);
  AcquireSRWLockExclusive(&gate);
  for (i = 0; i < count; ++i) {
    starts[i].fn = fn;
    starts[i].arg = arg;
    starts[i].index = i;
    starts[i].gate = &gate;
    starts[i].thread = CreateThread(NULL, 0, start_one_of_many, &starts[i], 0, NULL);
    require(starts[i].thread != NULL);
  }
  ReleaseSRWLockExclusive(&gate);
  for (i = 0; i < count; ++i) wait_for(starts[i].thread);
  free(starts);
}

/* ---- POSIX ---- */

#elif defined(TESTS_HAVE_THREADS)

#include <pthread.h>

static void *start_single(void *context) {
  const single_start *start = context;
  start->fn(start->arg);
  return NULL;
}

void thread_run(void (*fn)(void *arg), void *arg, size_t stack_size) {
  single_start start;
  pthread_attr_t attributes;
  pthread_t thread;
  start.fn = fn;
  start.arg = arg;
  require(pthread_attr_init(&attributes) == 0);
  if (stack_size != 0) require(pthread_attr_setstacksize(&attributes, stack_size) == 0);
  require(pthread_create(&thread, &attributes, start_single, &start) == 0);
  require(pthread_join(thread, NULL) == 0);
  require(pthread_attr_destroy(&attributes) == 0);
}

typedef struct {
  void (*fn)(void *arg, int index);
  void *arg;
  int index;
  pthread_mutex_t *gate; /* locked until all threads are created */
  pthread_t thread;
} many_start;

static void *start_one_of_many(void *context) {
  const many_start *start = context;
  require(pthread_mutex_lock(start->gate) == 0);
  require(pthread_mutex_unlock(start->gate) == 0);
  start->fn(start->arg, start->index);
  return NULL;
}

void thread_run_many(int count, void (*fn)(void *arg, int index), void *arg) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  many_start *starts = calloc((size_t)count, sizeof *starts);
  int i;
  require(starts != NULL);
  require(pthread_mutex_lock(&gate) == 0);
  for (i = 0; i < count; ++i) {
    starts[i].fn = fn;
    starts[i].arg = arg;
    starts[i].index = i;
    starts[i].gate = &gate;
    require(pthread_create(&starts[i].thread, NULL, start_one_of_many, &starts[i]) == 0);
  }
  require(pthread_mutex_unlock(&gate) == 0);
  for (i = 0; i < count; ++i) require(pthread_join(starts[i].thread, NULL) == 0);
  free(starts);
}

#endif

/* ---- Results ---- */

typedef struct {
  void *(*fn)(void *arg);
  void *arg, *result;
} single_call;

static void call(void *context) {
  single_call *single = context;
  single->result = single->fn(single->arg);
}

void *thread_call(void *(*fn)(void *arg), void *arg, size_t stack_size) {
  single_call single;
  single.fn = fn;
  single.arg = arg;
  single.result = NULL;
  thread_run(call, &single, stack_size);
  return single.result;
}

static void call_one_of_many(void *context, int index) {
  call((single_call *)context + index);
}

int thread_count_results(int count, void *(*const *fns)(void *arg), void *arg) {
  single_call *calls = calloc((size_t)count, sizeof *calls);
  int i, num_results = 0;
  if (calls == NULL) abort();
  for (i = 0; i < count; ++i) {
    calls[i].fn = fns[i];
    calls[i].arg = arg;
  }
  thread_run_many(count, call_one_of_many, calls);
  for (i = 0; i < count; ++i) num_results += calls[i].result != NULL;
  free(calls);
  return num_results;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <windows.h>

#include "support/thread.h"

static void require(int condition) {
  if (!condition) abort(); /* the system has no threads left; no test failed */
}

typedef struct {
  void (*fn)(void *arg);
  void *arg;
} single_start;

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

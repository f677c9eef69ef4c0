/* SPDX-License-Identifier: Apache-2.0 */
#include "support/thread.h"

#include <pthread.h>
#include <stdlib.h>

static void require(int condition) {
  if (!condition) abort(); /* the system has no threads left; no test failed */
}

typedef struct {
  void (*fn)(void *arg);
  void *arg;
} single_start;

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

/* SPDX-License-Identifier: Apache-2.0 */
#include "support/thread.h"

#include <stdlib.h>

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

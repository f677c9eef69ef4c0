/* SPDX-License-Identifier: Apache-2.0 */
/* Times rounds in one or several threads. */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "bench.h"

double bench_now_ns(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void bench_fan_out(bench_state states[kBenchMaxThreads]) {
  size_t i;
  for (i = 1; i < kBenchMaxThreads; ++i) {
    states[i] = states[0];
    states[i].position = states[0].position + i * 1000003;
  }
}

typedef struct {
  bench_run run;
  size_t calls;
  int *num_ready, *go; /* shared by the threads of a round */
} round_plan;

typedef struct {
  const round_plan *plan;
  bench_state *state;
  double end_ns;
  int wrong;
  pthread_t thread;
} runner;

/* Makes one call before the start: a runtime may set up per-thread state in the first one. */
static void *run_in_thread(void *context) {
  runner *r = context;
  r->wrong = r->plan->run(r->state, 1);
  (void)__atomic_add_fetch(r->plan->num_ready, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(r->plan->go, __ATOMIC_ACQUIRE) == 0) (void)sched_yield();
  r->wrong |= r->plan->run(r->state, r->plan->calls);
  r->end_ns = bench_now_ns();
  return NULL;
}

/* Nanoseconds from the start signal until the last thread is done; negative on a wrong result. */
static double time_threads(bench_run run, bench_state *states, int threads, size_t calls) {
  runner runners[kBenchMaxThreads];
  int num_ready = 0, go = 0, num_started = 1, i, wrong;
  round_plan plan = {run, calls, &num_ready, &go};
  double start, end;
  for (i = 1; i < threads; ++i, ++num_started) {
    runners[i].plan = &plan;
    runners[i].state = &states[i];
    if (pthread_create(&runners[i].thread, NULL, run_in_thread, &runners[i]) != 0) break;
  }
  while (__atomic_load_n(&num_ready, __ATOMIC_ACQUIRE) != num_started - 1) (void)sched_yield();
  start = bench_now_ns();
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  wrong = num_started != threads;
  wrong |= run(&states[0], calls);
  end = bench_now_ns();
  for (i = 1; i < num_started; ++i) {
    (void)pthread_join(runners[i].thread, NULL);
    wrong |= runners[i].wrong;
    if (runners[i].end_ns > end) end = runners[i].end_ns;
  }
  return wrong != 0 ? -1.0 : end - start;
}

/* Doubles the number of calls until they fill a slice. */
int bench_measure_round(bench_run run, bench_state *states, int threads, double slice_ns,
                        bench_measure *measure) {
  for (;;) {
    double spent = time_threads(run, states, threads, measure->calls);
    if (spent < 0) return -1;
    if (spent >= slice_ns) {
      double ns = spent / (double)measure->calls;
      if (ns < measure->best_ns) measure->best_ns = ns;
      return 0;
    }
    measure->calls *= 2;
  }
}

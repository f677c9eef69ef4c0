/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the operations of a runtime through its exported functions alone, and compares two
 * runtimes in one process: rounds alternate between them, and the minima are set against each
 * other, for only ratios taken in one run mean anything on a shared machine.
 *
 *   bench OURS.so [REFERENCE.so] [--rounds=N] [--only=TEXT] [--kernel=KERNEL.so]
 *
 * --kernel names a library that exports `bench_add(4 floats tensor)`; it adds the module rows.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int load_runtime(const char *path, bench_runtime *out) {
  double start = now_ns();
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  out->load_ns = now_ns() - start;
  if (handle == NULL) {
    (void)fprintf(stderr, "bench: %s\n", dlerror());
    return -1;
  }
#define LOAD(name)                                                       \
  do {                                                                   \
    void *symbol = dlsym(handle, "TVMFFI" #name);                        \
    if (symbol == NULL) {                                                \
      (void)fprintf(stderr, "bench: %s has no TVMFFI" #name "\n", path); \
      return -1;                                                         \
    }                                                                    \
    memcpy(&out->name, &symbol, sizeof symbol);                          \
  } while (0);
  BENCH_FUNCTIONS(LOAD)
#undef LOAD
  return 0;
}

/* Calls per nanosecond are found by doubling until a measurement takes a millisecond. */
static double time_once(const bench_operation *operation, bench_state *state, size_t *calls) {
  for (;;) {
    double start = now_ns(), spent;
    operation->run(state, *calls);
    spent = now_ns() - start;
    if (spent >= 1e6) return spent / (double)*calls;
    *calls *= 2;
  }
}

typedef struct {
  const char *only;
  const char *kernel;
  int rounds;
} bench_options;

static int run_all(bench_state *states, int num_states, const bench_options *options) {
  size_t i;
  (void)printf("%-44s %10s %10s %7s  %s\n", "operation", "ours ns", "theirs ns", "ratio", "reach");
  for (i = 0; i < bench_num_operations; ++i) {
    const bench_operation *operation = &bench_operations[i];
    double best[2] = {1e30, 1e30};
    size_t calls[2] = {16, 16};
    int round, s;
    if (options->only != NULL && strstr(operation->name, options->only) == NULL) continue;
    if (operation->needs_kernel && options->kernel == NULL) continue;
    for (round = 0; round < options->rounds; ++round) {
      for (s = 0; s < num_states; ++s) {
        double ns = time_once(operation, &states[s], &calls[s]);
        if (ns < best[s]) best[s] = ns;
      }
    }
    (void)printf("%-44s %10.2f", operation->name, best[0]);
    if (num_states == 2) {
      (void)printf(" %10.2f %7.3f  %s%.2f", best[1], best[0] / best[1],
                   best[0] / best[1] <= operation->reach ? "<= " : "MISSED ", operation->reach);
    }
    (void)printf("\n");
    (void)fflush(stdout);
  }
  return 0;
}

int main(int argc, char **argv) {
  bench_options options = {NULL, NULL, 40};
  bench_runtime runtimes[2];
  bench_state states[2];
  int num = 0, i;
  for (i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "--rounds=", 9) == 0) {
      options.rounds = atoi(argv[i] + 9);
    } else if (strncmp(argv[i], "--only=", 7) == 0) {
      options.only = argv[i] + 7;
    } else if (strncmp(argv[i], "--kernel=", 9) == 0) {
      options.kernel = argv[i] + 9;
    } else if (num < 2) {
      if (load_runtime(argv[i], &runtimes[num]) != 0) return 1;
      (void)printf("%s: loaded in %.1f us\n", num == 0 ? "ours" : "theirs",
                   runtimes[num].load_ns / 1e3);
      ++num;
    }
  }
  if (num == 0 || options.rounds < 1) {
    (void)fprintf(stderr,
                  "usage: bench OURS.so [REFERENCE.so] [--rounds=N] [--only=TEXT] "
                  "[--kernel=KERNEL.so]\n");
    return 2;
  }
  for (i = 0; i < num; ++i) {
    if (bench_prepare(&states[i], &runtimes[i], options.kernel) != 0) return 1;
  }
  return run_all(states, num, &options);
}

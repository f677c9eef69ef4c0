/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures one runtime, or two in turn, and prints one line of tab-separated fields per operation.
 * bench.py runs it and makes the table.
 *
 *   bench list                           every operation, and `fresh` if it takes a process of
 *                                        its own
 *   bench time [OPTION...] LIBRARY...    nanoseconds per call, the least of all rounds
 *   bench fresh NAME LIBRARY             nanoseconds per call of an operation that is `fresh`
 *   bench count [OPTION...] LIBRARY      calls and, with counter.so preloaded, the blocks
 *                                        allocated and released; the calls are made inside
 *                                        bench_counted(), for valgrind
 *   bench growth [OPTION...] LIBRARY...  nanoseconds by amount of data and number of threads
 *
 * --only=TEXT selects operations whose names contain TEXT, --rounds=N sets the number of rounds,
 * --slice=N the least microseconds per round and library, --most=N the largest amount of data.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { kMaxLibraries = 2, kWarmUpCalls = 16, kCountedCalls = 1000, kCountedTrees = 3 };

typedef struct {
  const char *only;
  int rounds;
  double slice_ns;
  size_t most;
  int num_libraries;
  bench_state states[kMaxLibraries][kBenchMaxThreads];
} bench_session;

static int is_wanted(const bench_session *session, const bench_operation *operation) {
  return session->only == NULL || strstr(operation->name, session->only) != NULL;
}

static int is_wrong(const bench_operation *operation, const bench_state *state) {
  (void)fprintf(stderr, "bench: %s: %s: wrong result\n", state->path, operation->name);
  return -1;
}

static int list_operations(bench_session *session) {
  size_t i;
  (void)session;
  for (i = 0; i < bench_num_operations; ++i) {
    const bench_operation *operation = &bench_operations[i];
    (void)printf("%s\t%s\n", operation->name, operation->fresh_calls != 0 ? "fresh" : "");
  }
  return 0;
}

/* ---- Time ---- */

/* Rounds alternate between the libraries, so that anything that slows the machine slows both. */
static int measure(bench_session *session, const bench_operation *operation, int threads,
                   bench_measure measures[kMaxLibraries]) {
  int round, i;
  for (i = 0; i < session->num_libraries; ++i) bench_fan_out(session->states[i]);
  for (round = 0; round < session->rounds; ++round) {
    for (i = 0; i < session->num_libraries; ++i) {
      if (bench_measure_round(operation->run, session->states[i], threads, session->slice_ns,
                              &measures[i]) != 0) {
        return is_wrong(operation, session->states[i]);
      }
    }
  }
  return 0;
}

static void print_measures(const bench_session *session, const bench_measure *measures) {
  int i;
  for (i = 0; i < session->num_libraries; ++i) (void)printf("\t%.3f", measures[i].best_ns);
  (void)printf("\n");
  (void)fflush(stdout);
}

static int time_operations(bench_session *session) {
  size_t n;
  int i;
  for (n = 0; n < bench_num_operations; ++n) {
    const bench_operation *operation = &bench_operations[n];
    bench_measure measures[kMaxLibraries] = {BENCH_MEASURE_INIT, BENCH_MEASURE_INIT};
    if (!is_wanted(session, operation) || operation->fresh_calls != 0) continue;
    for (i = 0; i < session->num_libraries; ++i) {
      if (bench_prepare(session->states[i], operation->need) != 0) return -1;
    }
    if (measure(session, operation, operation->threads, measures) != 0) return -1;
    (void)printf("%s", operation->name);
    print_measures(session, measures);
  }
  return 0;
}

static int time_fresh(const char *name, const char *path) {
  bench_state state = {0};
  size_t i;
  state.path = path;
  for (i = 0; i < bench_num_operations; ++i) {
    const bench_operation *operation = &bench_operations[i];
    double start, spent;
    if (operation->fresh_calls == 0 || strcmp(operation->name, name) != 0) continue;
    if (bench_prepare(&state, operation->need) != 0) return -1;
    start = bench_now_ns();
    if (operation->run(&state, operation->fresh_calls) != 0) return is_wrong(operation, &state);
    spent = bench_now_ns() - start;
    (void)printf("%s\t%.3f\n", name, spent / (double)operation->fresh_calls);
    return 0;
  }
  (void)fprintf(stderr, "bench: no fresh operation is called `%s`\n", name);
  return -1;
}

/* ---- Counts ---- */

/* A function of its own, so that valgrind can start and stop counting at its boundaries. */
__attribute__((noinline)) int bench_counted(const bench_operation *operation, bench_state *state,
                                            size_t calls);
int bench_counted(const bench_operation *operation, bench_state *state, size_t calls) {
  int wrong = operation->run(state, calls);
  __asm__ volatile("" ::: "memory"); /* not a tail call */
  return wrong;
}

/* The blocks that counter.so has counted; zeros without it. */
static void read_counter(size_t counts[2]) {
  void (*read)(size_t *) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "bench_counter_read");
  memcpy(&read, &symbol, sizeof symbol);
  counts[0] = counts[1] = 0;
  if (read != NULL) read(counts);
}

static int count_operations(bench_session *session) {
  bench_state *state = session->states[0];
  size_t i;
  for (i = 0; i < bench_num_operations; ++i) {
    const bench_operation *operation = &bench_operations[i];
    size_t before[2], after[2];
    size_t calls = operation->fresh_calls != 0      ? operation->fresh_calls
                   : operation->need == kBenchTrees ? kCountedTrees
                                                    : kCountedCalls;
    if (!is_wanted(session, operation) || operation->threads != 1) continue;
    if (bench_prepare(state, operation->need) != 0) return -1;
    if (operation->fresh_calls == 0 &&
        operation->run(state, calls < kWarmUpCalls ? calls : kWarmUpCalls) != 0) {
      return is_wrong(operation, state);
    }
    read_counter(before);
    if (bench_counted(operation, state, calls) != 0) return is_wrong(operation, state);
    read_counter(after);
    (void)printf("%s\t%zu\t%zu\t%zu\n", operation->name, calls, after[0] - before[0],
                 after[1] - before[1]);
  }
  return 0;
}

/* ---- Growth ---- */

/* Lookups among many names. Adding them is timed once per size, because it cannot be undone. */
static const struct {
  const char *adding;
  int (*grow)(bench_state *state, size_t count);
  bench_operation lookup;
  size_t sizes[3];
} lookups[] = {
    {"set global, new names",
     bench_grow_names,
     {"get global + release", bench_get_global_among_many, kBenchRuntime, 1, 0},
     {10, 10000, 1000000}},
    {"register types",
     bench_grow_types,
     {"type key to index", bench_type_key_among_many, kBenchRuntime, 1, 0},
     {10, 10000, 0}},
};

static int time_adding(bench_session *session, size_t g, size_t size) {
  bench_measure measures[kMaxLibraries];
  int i;
  for (i = 0; i < session->num_libraries; ++i) {
    bench_state *state = session->states[i];
    if (bench_prepare(state, kBenchRuntime) != 0) return -1;
    if (lookups[g].grow(state, size) != 0) return is_wrong(&lookups[g].lookup, state);
    measures[i].best_ns = (g == 0 ? &state->names : &state->types)->grown_ns;
  }
  (void)printf("%s\t%zu\t1", lookups[g].adding, size);
  print_measures(session, measures);
  return 0;
}

static int time_lookups(bench_session *session) {
  size_t g, n;
  int threads;
  for (g = 0; g < sizeof lookups / sizeof *lookups; ++g) {
    for (n = 0; n < 3 && lookups[g].sizes[n] != 0; ++n) {
      size_t size = lookups[g].sizes[n];
      if (size > session->most) break;
      if (time_adding(session, g, size) != 0) return -1;
      for (threads = 1; threads <= kBenchMaxThreads; threads *= 2) {
        bench_measure measures[kMaxLibraries] = {BENCH_MEASURE_INIT, BENCH_MEASURE_INIT};
        if (measure(session, &lookups[g].lookup, threads, measures) != 0) return -1;
        (void)printf("%s\t%zu\t%d", lookups[g].lookup.name, size, threads);
        print_measures(session, measures);
      }
    }
  }
  return 0;
}

#ifdef BENCH_CONTAINERS
/* Operations on whole values: a call takes all of one, and the time is per object or kilobyte. */
enum { kWalks = 6, kLargeRounds = 5 };
static const struct {
  int (*grow)(bench_state *state, size_t count);
  bench_need need;
  bench_operation walks[kWalks];
  size_t sizes[3]; /* the last is measured in at most kLargeRounds */
} wholes[] = {
    {bench_grow_trees,
     kBenchTrees,
     {{"structural hash, each object", bench_hash_tree, kBenchTrees, 1, 0},
      {"structural equality, each object", bench_compare_trees, kBenchTrees, 1, 0},
      {"repr, each object", bench_print_tree, kBenchTrees, 1, 0},
      {"deep copy + release, each object", bench_copy_tree, kBenchTrees, 1, 0},
      {"JSON graph write + release, each object", bench_write_tree, kBenchTrees, 1, 0},
      {"JSON graph read + release, each object", bench_read_tree, kBenchTrees, 1, 0}},
     {10, 10000, 1000000}},
    {bench_grow_json,
     kBenchJson,
     {{"JSON parse + release, each kB", bench_parse_grown_json, kBenchJson, 1, 0},
      {"JSON write + release, each kB", bench_write_grown_json, kBenchJson, 1, 0}},
     {1, 100, 10000}},
};

static int time_walks(bench_session *session, size_t g, size_t size) {
  size_t w;
  int i;
  for (w = 0; w < kWalks && wholes[g].walks[w].name != NULL; ++w) {
    bench_measure measures[kMaxLibraries] = {{1e30, 1}, {1e30, 1}};
    if (measure(session, &wholes[g].walks[w], 1, measures) != 0) return -1;
    for (i = 0; i < session->num_libraries; ++i) measures[i].best_ns /= (double)size;
    (void)printf("%s\t%zu\t1", wholes[g].walks[w].name, size);
    print_measures(session, measures);
  }
  return 0;
}

static int time_wholes(bench_session *session) {
  size_t g, n;
  int rounds = session->rounds, rc = 0, i;
  for (g = 0; g < sizeof wholes / sizeof *wholes; ++g) {
    for (n = 0; rc == 0 && n < 3 && wholes[g].sizes[n] <= session->most; ++n) {
      for (i = 0; i < session->num_libraries; ++i) {
        bench_state *state = session->states[i];
        if (bench_prepare(state, wholes[g].need) != 0) return -1;
        if (wholes[g].grow(state, wholes[g].sizes[n]) != 0) return is_wrong(wholes[g].walks, state);
      }
      session->rounds = n == 2 && rounds > kLargeRounds ? kLargeRounds : rounds;
      rc = time_walks(session, g, wholes[g].sizes[n]);
      session->rounds = rounds;
    }
  }
  return rc;
}
#else
static int time_wholes(bench_session *session) {
  (void)session;
  return 0;
}
#endif

static int time_growth(bench_session *session) {
  return time_lookups(session) != 0 ? -1 : time_wholes(session);
}

/* ---- The command line ---- */

static int usage(void) {
  (void)fprintf(stderr,
                "usage: bench list | fresh NAME LIBRARY |\n"
                "       time|count|growth [--only=TEXT] [--rounds=N] [--slice=N] [--most=N] "
                "LIBRARY...\n");
  return 2;
}

int main(int argc, char **argv) {
  static bench_session session;
  static const struct {
    const char *name;
    int (*run)(bench_session *session);
    int max_libraries;
  } modes[] = {{"list", list_operations, 0},
               {"time", time_operations, kMaxLibraries},
               {"count", count_operations, 1},
               {"growth", time_growth, kMaxLibraries}};
  size_t mode;
  int i;
  session.rounds = 100;
  session.slice_ns = 500e3;
  session.most = 1000000;
  if (argc == 4 && strcmp(argv[1], "fresh") == 0) return time_fresh(argv[2], argv[3]) != 0;
  for (i = 2; i < argc; ++i) {
    if (strncmp(argv[i], "--only=", 7) == 0) {
      session.only = argv[i] + 7;
    } else if (strncmp(argv[i], "--rounds=", 9) == 0) {
      session.rounds = atoi(argv[i] + 9);
    } else if (strncmp(argv[i], "--slice=", 8) == 0) {
      session.slice_ns = atof(argv[i] + 8) * 1e3;
    } else if (strncmp(argv[i], "--most=", 7) == 0) {
      session.most = strtoul(argv[i] + 7, NULL, 10);
    } else if (argv[i][0] != '-' && session.num_libraries < kMaxLibraries) {
      session.states[session.num_libraries++][0].path = argv[i];
    } else {
      return usage();
    }
  }
  for (mode = 0; argc > 1 && mode < sizeof modes / sizeof *modes; ++mode) {
    if (strcmp(argv[1], modes[mode].name) != 0) continue;
    if (session.num_libraries > modes[mode].max_libraries || session.rounds < 1 ||
        (session.num_libraries == 0 && modes[mode].max_libraries != 0)) {
      break;
    }
    return modes[mode].run(&session) != 0;
  }
  return usage();
}
